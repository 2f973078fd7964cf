"""The only birth of a report, and what its reporter may do with it afterwards."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from archive.models import Record, SiteVersion
from corrections.cells import read_cell
from corrections.correctable import Invalid, Shape, Value, control_problem, field_of, is_web_address, validate
from corrections.decisions import as_json
from corrections.models import (
    COUNTED,
    Filing,
    Notice,
    Report,
    Reporter,
    ReportKind,
    ReportState,
    Switch,
)
from corrections.senders import sender_digest

PER_SENDER = ((timedelta(minutes=10), 10), (timedelta(days=1), 60))
PER_RECORD = ((timedelta(hours=1), 30),)
LONGEST_COMMENT = 5_000
LONGEST_QUOTE = 2_000

# Categories that show nothing: controls, formats, surrogates, separators; and the fillers that claim to be letters.
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"


class NotTaken(Exception):
    """A report that is not taken in. `errors` says why, by the form's field; what was typed is the caller's to keep."""

    def __init__(self, errors: dict[str, str]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{name}: {text}" for name, text in errors.items()))


@dataclass(frozen=True)
class Draft:
    """A report as it was typed. `value_seen` and `proposed` are JSON values of the field."""

    record: str
    kind: ReportKind | str
    field: str = ""
    address: str = ""
    value_seen: Value = None
    proposed: Value = None
    source: dict[str, str] = attribute(default_factory=dict)
    comment: str = ""
    name: str = ""
    email: str = ""
    joins: int | None = None


@dataclass(frozen=True)
class Filed:
    """A report that was taken in, and the token of its private status page, which is kept nowhere."""

    report: Report
    token: str


def visible(text: str) -> bool:
    """Whether a text shows anything at all: a letter, digit, punctuation or symbol of any script."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _FILLERS for c in text)


def token_digest(token: str) -> bytes:
    """What is stored of a status page's token: its sha256, 32 bytes."""
    return hashlib.sha256(token.encode()).digest()


def file_report(draft: Draft, *, sender: str, hold_because: str = "", filed_by: int | None = None) -> Filed:
    """Take in a report, whole or not at all. Above the limits it is held for a look, never lost.

    `sender` is the network address, which is not stored. Raises NotTaken. About 12 queries.
    """
    switch = Switch.objects.filter(id=1).first()
    if switch is not None and not switch.intake_open:
        raise NotTaken({"": switch.message or "Reports are not taken in at the moment. Please come back later."})
    record = Record.objects.filter(key=draft.record).first()
    if record is None:
        raise NotTaken({"": "There is no such record."})
    proposed = _check(draft, record)
    digest = sender_digest(sender)
    held = hold_because or _over_limit(digest, record)
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        reporter = _reporter(draft)
        report = Report.objects.create(
            record=record,
            address=draft.address[:400],
            field=draft.field,
            kind=draft.kind,
            state=ReportState.HELD if held else ReportState.OPEN,
            held_because=held,
            value_seen=as_json(draft.value_seen),
            proposed=as_json(proposed),
            **{
                f"source_{name}": draft.source.get(name, "")
                for name in ("url", "version", "page", "table", "row", "quote")
            },
            comment=draft.comment,
            joins_id=draft.joins,
            filed_by_id=filed_by,
            reporter=reporter,
            token_digest=token_digest(token),
        )
        Filing.objects.create(sender=digest, record=record)
        if reporter is not None and reporter.email:
            Notice.objects.create(reporter=reporter, report=report, what="confirm")
        if not held:
            SiteVersion.bump()
    report.refresh_from_db()
    return Filed(report, token)


def _reporter(draft: Draft) -> Reporter | None:
    if not draft.name and not draft.email:
        return None
    return Reporter.objects.create(name=draft.name, email=draft.email)


def _over_limit(sender: bytes, record: Record) -> str:
    now = timezone.now()
    for window, most in PER_SENDER:
        if Filing.objects.filter(sender=sender, at__gt=now - window).count() >= most:
            return "many reports from one sender"
    for window, most in PER_RECORD:
        if Filing.objects.filter(record=record, at__gt=now - window).count() >= most:
            return "many reports on one record"
    return ""


def _check(draft: Draft, record: Record) -> Value:
    """The proposed value as the field stores it. Raises NotTaken with everything that is wrong at once."""
    errors: dict[str, str] = {}
    proposed: Value = None
    if draft.kind not in ReportKind.values:
        errors["kind"] = "Choose what is wrong."
    if draft.field:
        try:
            proposed = _proposal(draft, record)
        except Invalid as error:
            errors["proposed"] = str(error)
    for name, text, longest in _texts(draft):
        if problem := _text_problem(text, longest):
            errors[name] = problem
    if draft.kind == ReportKind.WRONG_VALUE and not draft.source.get("url"):
        errors["source_url"] = "A wrong value needs the source that says otherwise."
    elif problem := _url_problem(draft.source.get("url", "")):
        errors["source_url"] = problem
    if draft.joins and not _is_open(draft.joins, record, draft.field):
        errors["joins"] = "That report is not open any more. What was decided stands above."
    says_enough = draft.kind == ReportKind.DEAD_LINK and draft.field
    if proposed is None and not draft.joins and not says_enough and not visible(draft.comment):
        errors.setdefault("comment", "Say what is wrong, or propose a value.")
    if errors:
        raise NotTaken(errors)
    return proposed


def _is_open(report: int, record: Record, field: str) -> bool:
    """Whether the report that a duplicate joins is open, and of the same cell. One query."""
    return Report.objects.counted().filter(pk=report, record=record, field=field).exists()


def _proposal(draft: Draft, record: Record) -> Value:
    cell_field = field_of(record, draft.field)
    if cell_field.shape == Shape.OPERATION:
        raise Invalid("This can not be proposed as a value; say it in the comment.")
    if draft.proposed is None or draft.proposed in ("", []):
        return None
    proposed = draft.proposed
    now = read_cell(record, draft.field)
    if isinstance(proposed, str) and isinstance(now, str):
        proposed = with_line_ends_of(now, proposed)
    proposed = validate(cell_field, proposed)
    if isinstance(proposed, str) and not visible(proposed):
        raise Invalid("The value shows nothing: it is made of invisible characters only.")
    if proposed == now:
        raise Invalid("This is the value that the archive has now.")
    return proposed


def with_line_ends_of(model: str, text: str) -> str:
    """A text with the line ends that `model` uses: browsers send CRLF whatever the value had.

    One that differs by line ends alone is `model` itself, even if that mixes them.
    """
    text = _one_line_end(text)
    if text == _one_line_end(model):
        return model
    return text.replace("\n", "\r\n") if "\r\n" in model else text


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _texts(draft: Draft) -> list[tuple[str, str, int]]:
    places = [
        (f"source_{name}", text, LONGEST_QUOTE if name == "quote" else 2_000) for name, text in draft.source.items()
    ]
    return [("comment", draft.comment, LONGEST_COMMENT), ("name", draft.name, 200), *places]


def _text_problem(text: str, longest: int) -> str:
    if problem := control_problem(text):
        return problem
    if len(text) > longest:
        return f"This has {len(text):,} characters; at most {longest:,} are taken."
    if text and not visible(text):
        return "This shows nothing: it is made of invisible characters only."
    return ""


def _url_problem(url: str) -> str:
    with suppress(ValueError):
        if not url or is_web_address(url):
            return ""
    return "This is not a web address that can be opened: http:// or https://, without a user name."


def by_token(token: str) -> Report | None:
    """The report of a private status page, or None. One query."""
    return Report.objects.select_related("record", "decision").filter(token_digest=token_digest(token)).first()


def _locked(report: Report) -> Report:
    return Report.objects.select_for_update().get(pk=report.pk)


def add_to(report: Report, text: str) -> None:
    """Add a reporter's word to an undecided report. Raises NotTaken."""
    if problem := _text_problem(text, LONGEST_COMMENT) or ("" if visible(text) else "Nothing was written."):
        raise NotTaken({"addition": problem})
    with transaction.atomic():
        report = _locked(report)
        if report.state not in (ReportState.HELD, *COUNTED):
            raise NotTaken({"addition": "The report is closed; nothing can be added."})
        report.addition = f"{report.addition}\n\n{text}".strip()[: 4 * LONGEST_COMMENT]
        report.save(update_fields=["addition"])


def withdraw(report: Report) -> None:
    """Take an undecided report back. Raises NotTaken."""
    with transaction.atomic():
        report = _locked(report)
        if report.state not in (ReportState.HELD, ReportState.OPEN):
            raise NotTaken({"": "The report can not be withdrawn any more."})
        counted = report.state in COUNTED
        report.state = ReportState.WITHDRAWN
        report.save(update_fields=["state"])
        if counted:
            SiteVersion.bump()


def appeal(report: Report, why: str) -> None:
    """Ask for another reader, once. Raises NotTaken."""
    if problem := _text_problem(why, LONGEST_COMMENT) or ("" if visible(why) else "Say why the decision is wrong."):
        raise NotTaken({"appeal": problem})
    with transaction.atomic():
        report = _locked(report)
        if report.state != ReportState.DECIDED or report.appeal:
            raise NotTaken({"appeal": "Only a decided report can be appealed, and only once."})
        report.state, report.appeal = ReportState.APPEALED, why
        report.save(update_fields=["state", "appeal"])
        SiteVersion.bump()
