"""Urgent withholding: one editor takes a text off the site at once, for rights or personal data.

It is a decision that empties the cell, and a seal over what stood there, in one transaction. Another editor confirms
it; what nobody confirmed within a week is listed as such, and `audit` alarms.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from archive.models import Method, Record, RecordKind, Result
from corrections.cells import read_cell
from corrections.correctable import METRIC, PRINTED_TITLES, Field, Shape, Value, field_of, nothing_in
from corrections.decisions import Refused, Ruling, Wanted, decide
from corrections.models import Decision, Outcome
from corrections.sealing import seal

CONFIRM_WITHIN = timedelta(days=7)
TEXTS = (Shape.LINE, Shape.TEXT, Shape.URL, Shape.NAMES, Shape.TERM)
"""Shapes of what somebody wrote, which rights or personal data can ask to be taken off."""


def kept_because(field: Field, value: Value) -> str:
    """Why a cell with that value can not be withheld, in a sentence; "" if it can. No query."""
    if field.shape not in TEXTS or field.name.startswith(METRIC) or value in (None, [], ""):
        return "There is no text in this field to withhold."
    return field.kept_because


def withhold(key: str, field: str, reason: str, editor: User, *, reports: Sequence[int] = ()) -> Decision:
    """Empty a cell, and its copies, and seal what stood there. The public reason stands in its place on every page.

    Raises Refused, and Invalid for a field that does not exist. Some thirty queries, and ten for each copy.
    """
    _may(editor)
    record = Record.objects.filter(key=key).first()
    if record is None:
        raise Refused(f"There is no record at /{key}.")
    cell, seen = field_of(record, field), read_cell(record, field)
    if kept := kept_because(cell, seen):
        raise Refused(kept)
    changes = [Wanted(key, field, seen=seen, value=nothing_in(cell)), *copies(record, field, seen)]
    ruling = Ruling(Outcome.WITHHELD, reason, changes=changes, reports=reports)
    with transaction.atomic():
        decision = decide(ruling, editor)
        seal(decision.number, reason, editor, cells=[(change.record, change.field) for change in changes])
    return decision


def copies(record: Record, field: str, text: Value) -> list[Wanted]:
    """The cells that are withheld with a text, since they print it again. Two queries for a paper's title, else none.

    Of a title these are the titles printed in the rows that name the paper, whatever they are, and what prints the very
    same: other rows, and methods, of their source.
    """
    if (record.kind, field) != (RecordKind.PAPER, "title"):
        return []
    rows = Result.objects.filter(Q(paper=record.pk) | Q(paper_title__iexact=text), paper_title__gt="")
    methods = Method.objects.filter(source_title__iexact=text)
    return [
        Wanted(key, name, seen=printed, value=None)
        for name, found in zip(PRINTED_TITLES, (rows, methods), strict=True)
        for key, printed in found.order_by("record_id").values_list("record__key", name)
    ]


def confirm(number: int, reason: str, editor: User) -> Decision:
    """Confirm a withholding, as another editor: a decision of its own, which names the first and changes nothing.

    Raises Refused, also to the second of two who do so at once, and what `decide` raises. Two queries beside its own.
    """
    _may(editor)
    with transaction.atomic():
        # Not FOR UPDATE: entries of the log that name this one may be written meanwhile.
        entries = Decision.objects.select_for_update(no_key=True)
        withheld = entries.filter(number=number, outcome=Outcome.WITHHELD, duplicate_of_decision=None).first()
        if withheld is None:
            raise Refused(f"#{number} is no withholding that waits to be confirmed.")
        if (earlier := confirmations().filter(duplicate_of_decision=number).first()) is not None:
            raise Refused(f"#{number} is confirmed already, by #{earlier.number}.")
        if withheld.reader_id == editor.pk:
            raise Refused("Nobody confirms a withholding of their own.")
        return decide(Ruling(Outcome.WITHHELD, reason, duplicate_of_decision=number), editor)


def confirmations() -> QuerySet[Decision]:
    """Decisions that confirm a withholding, which each names as `duplicate_of_decision`; one of each withholding."""
    return Decision.objects.filter(outcome=Outcome.WITHHELD, duplicate_of_decision__isnull=False)


def unconfirmed(*, overdue: bool = False) -> QuerySet[Decision]:
    """Withholdings that nobody confirmed yet; with `overdue`, those older than a week. One query."""
    confirmed = confirmations().filter(duplicate_of_decision=OuterRef("number"))
    waiting = Decision.objects.filter(~Exists(confirmed), outcome=Outcome.WITHHELD, duplicate_of_decision=None)
    return waiting.filter(at__lt=timezone.now() - CONFIRM_WITHIN) if overdue else waiting


def _may(editor: User) -> None:
    if not editor.is_active or not editor.has_perm("corrections.withhold_decision"):
        raise Refused("Only an editor may withhold.")
