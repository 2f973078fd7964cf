"""A case as the desk shows it: what archive and snapshot say, who reported what, and what stands around it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q

from archive.importers.metric_values import parse_metric
from archive.models import Base, Record, RecordKind
from corrections.correctable import METRIC, Field, Invalid, Shape, Value, field_of
from corrections.desk import neighbours
from corrections.desk.neighbours import Neighbours
from corrections.models import Change, Decision, Report, ReportState
from corrections.pages.entries import label_of
from corrections.withholding import kept_because

REPORTS_SHOWN = 100
OPEN_FIRST = 10
"""Reports that are shown in full at once; the others fold."""
DECISIONS_SHOWN = 10
SHORT = 60
"""Characters of a text that is read whole, without its difference from another."""
FURTHER_MOST = 10
"""Other fields of the record with open reports that one decision may set as well."""


@dataclass(frozen=True)
class ReportShown:
    """A report as a reader sees it. Never its e-mail address."""

    report: Report
    name: str
    moved: bool
    """Whether the cell holds another value than the reporter saw."""
    own: bool
    """Whether the reader filed it."""
    barred: str
    """Why this reader can not close it; "" if they can."""

    @property
    def has_text(self) -> bool:
        """Whether the report says something in words."""
        return bool(self.report.comment or self.report.addition or self.report.appeal)


@dataclass(frozen=True)
class Proposed:
    """A value that reports propose, and how many of them. A long one is shown by its difference."""

    value: Value
    reports: int
    long: bool


@dataclass(frozen=True)
class Further:
    """Another cell that the same decision may set: of the record's other open reports, or of the paper's other rows."""

    record: Record
    field: Field
    now: Value
    proposed: Value
    reports: Sequence[int]
    because: str
    same_as_case: bool = False
    """Whether the cell holds what the case's own cell holds."""


@dataclass(frozen=True)
class Case:
    """Everything that a reader needs to decide a case."""

    record: Record
    name: str
    field: Field | None
    label: str
    now: Value
    snapshot: Value
    is_corrected: bool
    reports: Sequence[ReportShown]
    first: int
    is_number: bool
    others: Sequence[tuple[str, str, int]]
    """Other open reports on the record: field, its label, how many."""
    further: Sequence[Further]
    neighbours: Neighbours | None
    decisions: Sequence[Decision]

    @property
    def reports_open(self) -> Sequence[ReportShown]:
        """Those shown at once."""
        return self.reports[:OPEN_FIRST]

    @property
    def reports_folded(self) -> Sequence[ReportShown]:
        """Those behind a click."""
        return self.reports[OPEN_FIRST:REPORTS_SHOWN]

    @property
    def reports_left(self) -> int:
        """How many more there are than are shown."""
        return max(0, len(self.reports) - REPORTS_SHOWN)

    @property
    def listed(self) -> str:
        """Ids of the reports that are shown, as the form sends them along."""
        return ",".join(str(shown.report.pk) for shown in self.reports[:REPORTS_SHOWN])

    @property
    def all_reports(self) -> list[int]:
        """Ids of every report that this reader's decision may close, those not shown included."""
        return [shown.report.pk for shown in self.reports if not shown.barred]

    @property
    def all_ids(self) -> list[int]:
        """Ids of all its undecided reports."""
        return [shown.report.pk for shown in self.reports]

    @property
    def own(self) -> bool:
        """Whether the reader filed one of the reports, and so decides none of them."""
        return any(shown.own for shown in self.reports)

    @property
    def proposals(self) -> list[Value]:
        """The different values proposed, in the order of filing."""
        found: list[Value] = []
        for shown in self.reports:
            if shown.report.proposed is not None and shown.report.proposed not in found:
                found.append(shown.report.proposed)
        return found

    @property
    def proposed(self) -> list[Proposed]:
        """The same, each with the number of its reports."""
        counts = [shown.report.proposed for shown in self.reports]
        return [Proposed(value, counts.count(value), _is_long(value)) for value in self.proposals]

    @property
    def can_be_withheld(self) -> bool:
        """Whether the cell holds a text that an editor may take off the site at once."""
        return not self.kept_because

    @property
    def kept_because(self) -> str:
        """Why nothing can be withheld here, in a sentence; "" if something can."""
        return "This is no field." if self.field is None else kept_because(self.field, self.now)

    @property
    def takes(self) -> tuple[str, str] | None:
        """To which record something can be added from here, and the words for it: a paper or a leaderboard."""
        match self.record.kind:
            case RecordKind.PAPER:
                return self.record.key, "Add a code link"
            case RecordKind.LEADERBOARD:
                return self.record.key, "Add a row"
            case RecordKind.RESULT if self.neighbours:
                return self.neighbours.board.key, "Add a row to its leaderboard"
        return None

    @property
    def moved(self) -> bool:
        """Whether the cell changed since any of the reports was filed."""
        return any(shown.moved for shown in self.reports)


class NoCase(LookupError):
    """There is no such record, or no such field; the message says which."""


def build(key: str, name: str, reader: User) -> Case:
    """The case of a record and field, for one reader. At most 15 queries, whatever the number of reports.

    Raises NoCase. A case may be opened without any report on it.
    """
    record = Record.objects.select_related("merged_into").filter(key=key).first()
    if record is None:
        raise NoCase(f"The archive has no record at /{key}.")
    undecided = list(
        Report.objects.undecided().filter(record=record).select_related("reporter", "decision").order_by("id")
    )
    here = [report for report in undecided if report.field == name]
    field = _field(record, name, known=bool(here))
    now = read_cells([(record.pk, name)])[0] if field else None
    base = Base.objects.filter(record=record, field=name).first() if field else None
    shown = [_shown(report, now if field else None, reader) for report in here]
    around = neighbours.of(record, name)
    proposals = [report.proposed for report in here if report.proposed is not None]
    return Case(
        record=record,
        name=name,
        field=field,
        label=label_of(record.kind, name),
        now=now,
        snapshot=base.value if base else now,
        is_corrected=base is not None and base.value != now,
        reports=shown,
        first=here[0].pk if here else 0,
        is_number=field is not None and bool(proposals) and _is_number(field, [now, *proposals]),
        others=_others(record, undecided, name),
        further=[*_further_fields(record, undecided, name, reader), *_further_rows(around, field, now, proposals)],
        neighbours=around,
        decisions=_decisions(record),
    )


def _field(record: Record, name: str, *, known: bool) -> Field | None:
    """The field; None for the record as a whole, and for one that the archive lost while reports were open on it."""
    if not name:
        return None
    try:
        field = field_of(record, name)
    except Invalid as error:
        if known:
            return None
        raise NoCase(str(error)) from error
    if field.shape == Shape.OPERATION:
        raise NoCase("That is done on the record as a whole.")
    return field


def _is_number(field: Field, values: Iterable[Value]) -> bool:
    if field.shape == Shape.YEAR:
        return True
    return field.name.startswith(METRIC) and any(isinstance(v, str) and parse_metric(v) is not None for v in values)


def _shown(report: Report, now: Value, reader: User) -> ReportShown:
    own = report.filed_by_id == reader.pk
    barred = ""
    if own:
        barred = "You filed this report yourself; somebody else decides it."
    elif report.state == ReportState.PROPOSED:
        barred = "It waits for a second reader."
    elif report.decision is not None and reader.pk in (report.decision.reader_id, report.decision.second_reader_id):
        barred = "It is an appeal against a decision of yours; somebody else decides it."
    name = report.reporter.name if report.reporter else ""
    return ReportShown(report, name, bool(report.field) and report.value_seen != now, own, barred)


def _is_long(value: Value) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and (len(value) > SHORT or "\n" in value))


def _others(record: Record, undecided: Sequence[Report], name: str) -> list[tuple[str, str, int]]:
    counts: dict[str, int] = {}
    for report in undecided:
        if report.field != name:
            counts[report.field] = counts.get(report.field, 0) + 1
    return [(field, label_of(record.kind, field), count) for field, count in counts.items()]


def _further_fields(record: Record, undecided: Sequence[Report], name: str, reader: User) -> list[Further]:
    by_field: dict[str, list[Report]] = {}
    for report in undecided:
        if report.field not in ("", name) and report.proposed is not None:
            by_field.setdefault(report.field, []).append(report)
    chosen = []
    for other, reports in list(by_field.items())[:FURTHER_MOST]:
        try:
            field = field_of(record, other)
        except Invalid:
            continue
        if field.shape != Shape.OPERATION and not any(report.filed_by_id == reader.pk for report in reports):
            chosen.append((field, reports))
    cells = read_cells([(record.pk, field.name) for field, _ in chosen])
    found = []
    for (field, reports), now in zip(chosen, cells, strict=True):
        closed = [report.pk for report in reports if not _shown(report, now, reader).barred]
        if closed:
            count = f"{len(closed)} open report{'s' if len(closed) > 1 else ''}"
            found.append(Further(record, field, now, reports[-1].proposed, closed, f"{count} on this field"))
    return found


def _further_rows(
    around: Neighbours | None, field: Field | None, now: Value, proposals: Sequence[Value]
) -> list[Further]:
    """The same cell of the paper's other rows. A row without a value of that metric has no such cell to correct."""
    if around is None or field is None:
        return []
    metric = field.name.startswith(METRIC)
    rows = [row for row in around.others if row.value is not None] if metric else list(around.others)
    cells = read_cells([(row.record.pk, field.name) for row in rows])
    proposed = proposals[0] if proposals else None
    return [
        Further(row.record, field, cell, proposed, (), row.board, same_as_case=cell == now)
        for row, cell in zip(rows, cells, strict=True)
    ]


def read_cells(cells: Sequence[tuple[int, str]]) -> list[Value]:
    """The current values of cells, by record id and field, in their order. One query, none of none."""
    if not cells:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(corrections_cell(record, field), 'null')::text "
            "FROM unnest(%s::bigint[], %s::text[]) WITH ORDINALITY AS t (record, field, place) ORDER BY place",
            [[record for record, _ in cells], [field for _, field in cells]],
        )
        return [json.loads(value) for (value,) in cursor.fetchall()]


def _decisions(record: Record) -> list[Decision]:
    """The newest decisions that changed the record, or answered a report on it. Three queries."""
    newest: set[int] = set()
    for found in (
        Change.objects.filter(record=record).values_list("decision", flat=True),
        Report.objects.filter(record=record, decision__isnull=False).values_list("decision", flat=True),
    ):
        newest |= set(found.order_by("-decision").distinct()[:DECISIONS_SHOWN])
    return list(Decision.objects.filter(Q(pk__in=newest)).newest_first()[:DECISIONS_SHOWN])


def revisions_of(case: Case) -> dict[str, int]:
    """The revisions of the case's records as they are shown, by key."""
    return {record.key: record.revision for record in (case.record, *(f.record for f in case.further))}


def plain(case: Case) -> dict[str, Any]:
    """What the reader sees now, to be compared when they decide: values, revisions, and reports."""
    return {
        "case": [case.record.key, case.name],
        "now": case.now,
        "reports": case.all_reports,
        "further": {further_name(f.record.key, f.field.name): further_plain(f) for f in case.further},
        "revisions": revisions_of(case),
    }


def further_plain(further: Further) -> list[Any]:
    """A further cell as the form remembers it."""
    return [further.record.key, further.field.name, further.now, further.proposed, list(further.reports)]


def further_name(key: str, field: str) -> str:
    """The name of a further cell's inputs: the same however the list of them changes. 14 characters."""
    return "also-" + hashlib.sha256(f"{key}?{field}".encode()).hexdigest()[:9]
