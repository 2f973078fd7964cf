"""From what a reader typed to the ruling that `decide` takes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from corrections.correctable import Value
from corrections.decisions import Read, Ruling, Wanted
from corrections.desk.forms import RulingForm
from corrections.models import READ_AT_SOURCE, Decision, Outcome, Report

LONGEST_TOLD = 120
"""Characters of an earlier value that the reason repeats; a longer one is only said to be another."""


def made_with(key: uuid.UUID | None) -> Decision | None:
    """The decision that a form's key made already; None if it made none. One query.

    To be asked before deciding, and again after a refusal: of two submits at once, the second waits for the first,
    and is then refused what it has itself decided.
    """
    return Decision.objects.filter(idempotency_key=key).first() if key else None


def ruling_of(form: RulingForm) -> Ruling:
    """The ruling of a valid form. One query, where something is accepted."""
    typed, seen = form.cleaned_data, form.seen
    assert seen is not None
    outcome = Outcome(typed["outcome"])
    reports = form.reports
    changes: list[Wanted] = []
    reason = typed["reason"].strip()
    if outcome == Outcome.ACCEPTED:
        changes, also = _changes(form)
        reports = sorted({*reports, *also})
        if not _as_proposed(form, reports):
            outcome = Outcome.ACCEPTED_WITH_CHANGES
        if form.case.moved:
            reason = f"{reason}\n\n{_moved(form)}"
    at_source = outcome in READ_AT_SOURCE
    return Ruling(
        outcome=outcome,
        reason=reason,
        changes=changes,
        reports=reports,
        side=typed["side"],
        read=read_in(typed) if at_source or typed["source_url"].startswith("http") else Read(),
        tried=typed["tried"] if outcome == Outcome.CANNOT_VERIFY else "",
        uncovered=at_source and bool(form.case.proposals) and not _read_blind(form),
        duplicate_of_decision=typed.get("duplicate_of_decision"),
        duplicate_of_report=typed.get("duplicate_of_report"),
        revisions=_revisions(form, changes),
        note=typed["note"].strip(),
    )


def read_in(typed: Mapping[str, Any]) -> Read:
    """The source, the place in it and the reading, as a form took them in."""
    return Read(
        url=typed["source_url"],
        version=typed["source_version"],
        page=typed["source_page"],
        table=typed["source_table"],
        row=typed["source_row"],
        quote=typed["quote"],
        reading=typed["reading"],
    )


def _read_blind(form: RulingForm) -> bool:
    """Whether the reading is the one recorded before the proposal was seen, word for word."""
    recorded = form.read_blind.text
    return recorded is not None and form.cleaned_data["reading"].split() == recorded.split()


def _revisions(form: RulingForm, changes: list[Wanted]) -> dict[str, int]:
    assert form.seen is not None
    if form.cleaned_data["outcome"] == Outcome.SPAM:
        return {}
    touched = {form.case.record.key, *(want.record for want in changes)}
    return {key: revision for key, revision in form.seen["revisions"].items() if key in touched}


def _changes(form: RulingForm) -> tuple[list[Wanted], list[int]]:
    """What is to be set, and the reports of further fields that are closed with it."""
    typed, seen = form.cleaned_data, form.seen
    assert seen is not None
    key, name = seen["case"]
    changes, reports = [], []
    if form.case.field is not None:
        changes.append(Wanted(key, name, seen=seen["now"], value=typed["value"]))
    elif operation := _operation(form):
        changes.append(operation)
    for further, (other, field, _) in form.further_fields().items():
        if typed.get(further):
            _, _, now, _, closed = seen["further"][further]
            changes.append(Wanted(other, field, seen=now, value=typed[f"{further}-value"]))
            reports += closed
    return changes, reports


def _operation(form: RulingForm) -> Wanted | None:
    record, typed = form.case.record, form.cleaned_data
    into = record.merged_into.key if record.merged_into else None
    match typed["operation"]:
        case "withdraw":
            return Wanted(record.key, "withdrawn", seen=record.withdrawn, value=True)
        case "restore":
            return Wanted(record.key, "withdrawn", seen=record.withdrawn, value=False)
        case "merge":
            return Wanted(record.key, "merged_into", seen=into, value=typed["merge_into"])
        case "part":
            return Wanted(record.key, "merged_into", seen=into, value=None)
        case "release":
            return Wanted(record.key, "quarantined", seen=record.quarantined, value="")
    return None


def _as_proposed(form: RulingForm, reports: list[int]) -> bool:
    """Whether every closed report that proposed a value got it."""
    assert form.seen is not None
    wanted: dict[tuple[str, str], Value] = {(w.record, w.field): w.value for w in _changes(form)[0]}
    for report in Report.objects.filter(pk__in=reports).select_related("record"):
        cell = (report.record.key, report.field)
        if report.proposed is not None and cell in wanted and report.proposed != wanted[cell]:
            return False
    return True


def _moved(form: RulingForm) -> str:
    """What the log says of a value that changed between report and decision."""
    seen = next(shown.report.value_seen for shown in form.case.reports if shown.moved)
    if isinstance(seen, str | int) and not isinstance(seen, bool) and len(str(seen)) <= LONGEST_TOLD:
        return f"When this was reported, the archive had “{seen}” here."
    return "When this was reported, the archive had another value here."
