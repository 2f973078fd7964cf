"""Entries of the log and their changes, as every page, feed and table shows them."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from archive.models import RecordKind
from archive.pages.base import Absence, Absent, described, documented
from corrections.correctable import FIELDS, METRIC, OPERATIONS
from corrections.models import Change, Decision, EntryKind, Outcome, Report, ReportKind, Side

CHANGES_LISTED = 20
"""Changes of one entry that a list shows; the entry's own page shows all."""

_LABELS = {(kind, field.name): field.label for kind in RecordKind for field in (*FIELDS[kind], *OPERATIONS)}


def label_of(kind: str, field: str) -> str:
    """The name of a field for readers: "Title", or of a metric its own name. Never fails on a field of yesteryear."""
    return _LABELS.get((RecordKind(kind), field)) or (field.removeprefix(METRIC) if field else "the record as a whole")


def url_of(number: int) -> str:
    """The address of an entry's page."""
    return f"/corrections/{number}"


def sealed_absent(number: int) -> Absent:
    """Why a text or value of the log is gone."""
    return Absent.because(Absence.WITHHELD, f"Sealed by entry #{number}; its digest stays in the log.")


@documented
class ChangeShown:
    """One cell changed by a decision."""

    record: str = described("Public key of the record; its address is the same with a slash before it.")
    name: str = described("The record's name now.")
    field: str = described("The field, as in the list of correctable fields.")
    label: str = described("The field in words.")
    before: Any = described("The value before; null also stands for nothing there, and for a sealed value.")
    after: Any = described("The value after; likewise.")
    sealed: Absent | None = described("That and by which entry the values are sealed; null if they are not.")
    before_digest: str = described("Hexadecimal sha256 of salt and value before.")
    after_digest: str = described("Hexadecimal sha256 of salt and value after.")
    decision: int = described("Number of the entry.")

    @classmethod
    def of(cls, change: Change) -> ChangeShown:
        """A stored change, its record fetched with it. No query."""
        record = change.record
        return cls(
            record=record.key,
            name=record.name,
            field=change.field,
            label=label_of(record.kind, change.field),
            before=change.before,
            after=change.after,
            sealed=sealed_absent(change.sealed_by_id) if change.sealed_by_id else None,
            before_digest=bytes(change.before_digest).hex(),
            after_digest=bytes(change.after_digest).hex(),
            decision=change.decision_id,
        )


@documented
class ReportClosed:
    """A report that an entry closed: what it was about, never its text or its author."""

    record: str = described("Public key of the record.")
    name: str = described("The record's name now.")
    field: str = described("The field; empty for the record as a whole.")
    label: str = described("The field in words.")
    kind: str = described("What the report said was wrong, one of a closed list.")
    kind_in_words: str = described("The same in words.")

    @classmethod
    def of(cls, report: Report) -> ReportClosed:
        """A closed report, its record fetched with it. No query."""
        record = report.record
        return cls(
            record=record.key,
            name=record.name,
            field=report.field,
            label=label_of(record.kind, report.field),
            kind=report.kind,
            kind_in_words=str(ReportKind(report.kind).label),
        )


@documented
class EntryShown:
    """One entry of the log: a decision, an import, or a seal."""

    number: int = described("Its number; numbers have no gaps.")
    url: str = described("Address of its page.")
    kind: str = described("decision, import or seal.")
    at: datetime.datetime = described("When it was made, in UTC.")
    outcome: str = described("What a decision says, one of a closed list; empty for an import or a seal.")
    outcome_in_words: str = described("The same in words.")
    side: str = described("Which side was wrong: archive, report, source, both, neither; empty where none is named.")
    side_in_words: str = described("The same in words.")
    reader: str = described("Public name of the person who decided.")
    second_reader: str = described("Public name of the second person; empty where one was enough.")
    reason: str | None = described("The public reason; null if it is sealed.")
    sealed: Absent | None = described("That and by which entry reason, quote and reading are sealed; null if not.")
    reports_closed: int = described("Number of reports that it closed.")
    reverts: int | None = described("Number of the decision that it reverts; null if none.")
    changes_total: int = described("Number of cells that it changed.")
    changes: Sequence[ChangeShown] = described(f"The cells it changed; in a list the first {CHANGES_LISTED}.")

    answers: Sequence[ReportClosed] = described(
        f"What it answered without a change, by closed reports, at most {CHANGES_LISTED}; empty of spam."
    )

    @property
    def title(self) -> str:
        """What the entry is, in a line: "Accepted: Title of paper/x"."""
        what = self.outcome_in_words or str(EntryKind(self.kind).label)
        about = self.changes or self.answers
        if not about:
            return what
        first, number = about[0], self.changes_total or len(about)
        more = f" and {number - 1} more" if number > 1 else ""
        return f"{what}: {first.label} of {first.record}{more}"


def entry_fields(entry: Decision, changes: Sequence[Change], total: int) -> Mapping[str, Any]:
    """What `EntryShown` says of a stored entry, for it and for what extends it. No query."""
    return {
        "number": entry.number,
        "url": url_of(entry.number),
        "kind": entry.kind,
        "at": entry.at.astimezone(datetime.UTC),
        "outcome": entry.outcome,
        "outcome_in_words": str(Outcome(entry.outcome).label) if entry.outcome else "",
        "side": entry.side,
        "side_in_words": str(Side(entry.side).label) if entry.side else "",
        "reader": entry.reader,
        "second_reader": entry.second_reader,
        "reason": entry.reason,
        "sealed": sealed_absent(entry.sealed_by_id) if entry.sealed_by_id else None,
        "reports_closed": entry.reports_closed,
        "reverts": entry.reverts_id,
        "changes_total": total,
        "changes": [ChangeShown.of(change) for change in changes],
    }


def in_order() -> QuerySet[Change]:
    """Changes with their records, in the order of keys and fields."""
    return Change.objects.select_related("record").order_by("record__key", "field")


def shown(entries: Sequence[Decision], most: int | None = CHANGES_LISTED) -> list[EntryShown]:
    """Entries as a list shows them, each with at most so many changes. Two queries; a decision has few changes."""
    prefetch_related_objects(entries, Prefetch("changes", in_order()))
    changes = {entry.number: list(entry.changes.all()) for entry in entries}
    answered = _answered([e.number for e in entries if not changes[e.number] and e.outcome != Outcome.SPAM])
    return [
        EntryShown(
            **entry_fields(entry, changes[entry.number][:most], len(changes[entry.number])),
            answers=answered.get(entry.number, []),
        )
        for entry in entries
    ]


def _answered(numbers: Sequence[int]) -> dict[int, list[ReportClosed]]:
    """What decisions answered without a change. One query, of bounded size: a decision closes few kinds of reports."""
    found = (
        Report.objects.filter(decision__in=numbers)
        .order_by("decision", "record", "field", "kind")
        .distinct("decision", "record", "field", "kind")
        .select_related("record")
    )
    answered: dict[int, list[ReportClosed]] = defaultdict(list)
    for report in found[: CHANGES_LISTED * 100]:
        if report.decision_id and len(answered[report.decision_id]) < CHANGES_LISTED:
            answered[report.decision_id].append(ReportClosed.of(report))
    return answered
