"""The one door through which the archive's pages see corrections and open reports, now or as they stood before."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from archive.models import Paper, Record, RecordKind
from archive.models.leaderboards import Matched
from corrections.cells import TERMS, parse_date
from corrections.correctable import EXISTS, FIELDS, METRIC, OPERATIONS, Shape, Value
from corrections.models import COUNTED, Change, Decision, Outcome
from corrections.pages.entries import EntryShown, shown

__all__ = [
    "NOTHING",
    "Correction",
    "EntryShown",
    "Hidden",
    "Standing",
    "decision_on",
    "newest_decisions",
    "standing_for",
]


@dataclass(frozen=True)
class Hidden:
    """Why a value is shown to nobody: the decision that withheld it with its public reason, or the seal over it."""

    number: int
    withheld: bool
    reason: str | None


@dataclass(frozen=True)
class Correction:
    """A cell that stands corrected: the snapshot's value, the one that stands, and the decision that set it."""

    record: str
    field: str
    snapshot: Value
    current: Value
    decision: int
    sealed: bool = False
    """That the snapshot's value is sealed."""

    hidden: Hidden | None = None
    """Why the value that stands is not shown."""


@dataclass(frozen=True)
class Standing:
    """What people said of one record, and what was decided: corrected cells, and the number of open reports."""

    corrections: Mapping[str, Correction] = field(default_factory=dict)
    open_reports: int = 0
    open_by_field: Mapping[str, int] = field(default_factory=dict)
    added_by: int | None = None
    """The decision that added the record; None for records of the archive."""

    is_there: bool = True
    """Whether the record was there at the moment asked for."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """What stood at the moment asked for, where that is not what stands now: by attribute of the record's model, and
    by field for lists (of names) and metrics (`metrics.F1`)."""

    hidden: Mapping[str, Hidden] = field(default_factory=dict)
    """By field: why its value at that moment is not shown."""


NOTHING = Standing()
SNAPSHOT = datetime.datetime.min.replace(tzinfo=datetime.UTC)
"""The moment before every decision."""

# `stood` is the cell's last change at the moment, `last` its last one of all. The value of a sealed change is gone from
# the log, but the last one's is still in the archive. `linked` is the record that the value at the moment names.
_STANDING = """
SELECT r.id, r.kind, r.key, b.field, b.value::text, b.sealed,
       stood.decision_id, stood.after::text, stood.sealed_by_id,
       last.decision_id, CASE WHEN last.sealed_by_id IS NULL THEN last.after
                              ELSE corrections_cell(b.record_id, b.field) END::text,
       (SELECT max(c.sealed_by_id) FROM corrections_change c WHERE c.record_id = b.record_id AND c.field = b.field),
       last.outcome = %(withheld)s, last.reason, to_jsonb(linked)::text, 0
FROM archive_base b
JOIN archive_record r ON r.id = b.record_id
JOIN LATERAL (
  SELECT c.decision_id, c.after, c.sealed_by_id, d.outcome, d.reason
  FROM corrections_change c JOIN corrections_decision d ON d.number = c.decision_id
  WHERE c.record_id = b.record_id AND c.field = b.field ORDER BY c.decision_id DESC LIMIT 1
) last ON true
LEFT JOIN LATERAL (
  SELECT c.decision_id, c.after, c.sealed_by_id
  FROM corrections_change c JOIN corrections_decision d ON d.number = c.decision_id
  WHERE c.record_id = b.record_id AND c.field = b.field AND d.at <= %(until)s ORDER BY c.decision_id DESC LIMIT 1
) stood ON true
LEFT JOIN (SELECT key, quarantined, withdrawn, merged_into_id FROM archive_record) linked
  ON b.field = 'paper' AND linked.key = coalesce(stood.after, b.value) #>> '{}'
WHERE b.record_id = ANY (%(ids)s)
UNION ALL
SELECT r.id, r.kind, r.key, c.field, 'false', false,
       CASE WHEN d.at <= %(until)s THEN c.decision_id END, 'true', NULL, c.decision_id, 'true', NULL, false, NULL,
       NULL, 0
FROM corrections_change c
JOIN corrections_decision d ON d.number = c.decision_id
JOIN archive_record r ON r.id = c.record_id
WHERE c.record_id = ANY (%(ids)s) AND c.field = %(exists)s
UNION ALL
SELECT record_id, '', '', field, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, count(*)
FROM corrections_report WHERE record_id = ANY (%(ids)s) AND state = ANY (%(counted)s) GROUP BY record_id, field
ORDER BY 1, 4
"""


class _Cell(NamedTuple):
    """A row of the query: a corrected cell, an addition, or open reports on a field."""

    record: int
    kind: str
    key: str
    field: str
    base: str
    base_sealed: bool
    stood: int | None
    stood_after: str
    stood_seal: int | None
    last: int
    current: str
    seal: int | None
    withheld: bool
    reason: str | None
    linked: str | None
    reports: int

    @property
    def hidden(self) -> Hidden | None:
        """Why its value at the moment is not shown: it is withheld now, or sealed and no longer the archive's own."""
        if self.withheld:
            return Hidden(self.last, True, self.reason)
        if self.stood == self.last:
            return None
        seal = self.stood_seal if self.stood else (self.seal if self.base_sealed else None)
        return Hidden(seal, False, None) if seal else None

    @property
    def value(self) -> Value:
        """Its value at the moment; None if that is hidden."""
        if self.hidden:
            return None
        if self.stood == self.last:
            return json.loads(self.current)
        return json.loads(self.stood_after if self.stood else self.base)

    def correction(self, stood: int, value: Value) -> Correction | None:
        """How it stands corrected by a decision; None where the value is the snapshot's."""
        before = None if self.base_sealed else json.loads(self.base)
        if value == before and not self.base_sealed:
            return None
        return Correction(self.key, self.field, before, value, stood, self.base_sealed, self.hidden)


def standing_for(record_ids: Iterable[int], until: datetime.datetime | None = None) -> dict[int, Standing]:
    """What stands for each of the records that somebody spoke of; the others are left out. One query.

    With `until`, what stood at that moment, by the decisions made until then; open reports are always those of now.
    At `SNAPSHOT`, before every decision, `corrections` are those of now, so that a page can tell what became of them.
    A cell that was put back to the snapshot's value is no correction any more. Of a sealed one the snapshot's value is
    not given, and the current one is what the archive holds.
    """
    found = _cells(record_ids, until)
    return {record: _standing(cells, until) for record, cells in found.items()}


def decision_on(record_id: int, name: str) -> int | None:
    """The number of the last decision on a cell, operations such as `withdrawn` included. One query."""
    last = Change.objects.filter(record=record_id, field=name).order_by("-id")
    return last.values_list("decision", flat=True).first()


def newest_decisions(most: int) -> list[EntryShown]:
    """The newest decisions on what people reported, refusals too, as the log shows them; spam aside.

    Three queries, fewer where there is no decision or none without a change.
    """
    decisions = Decision.objects.newest_first().decisions().exclude(outcome=Outcome.SPAM)
    return shown(list(decisions[:most]))


def _cells(record_ids: Iterable[int], until: datetime.datetime | None) -> dict[int, list[_Cell]]:
    with connection.cursor() as cursor:
        cursor.execute(
            _STANDING,
            {
                "ids": list(record_ids),
                "until": until or datetime.datetime.max.replace(tzinfo=datetime.UTC),
                "withheld": str(Outcome.WITHHELD),
                "exists": EXISTS.name,
                "counted": [str(state) for state in COUNTED],
            },
        )
        found: dict[int, list[_Cell]] = defaultdict(list)
        for row in cursor.fetchall():
            found[row[0]].append(_Cell(*row))
    return found


def _standing(cells: list[_Cell], until: datetime.datetime | None) -> Standing:
    reports = {cell.field: cell.reports for cell in cells if cell.reports}
    added = next((cell for cell in cells if cell.field == EXISTS.name and not cell.reports), None)
    corrections: dict[str, Correction] = {}
    values: dict[str, Any] = {}
    hidden: dict[str, Hidden] = {}
    for cell in cells:
        if cell.reports:
            continue
        at, value = (cell.stood, cell.value) if until != SNAPSHOT else (cell.last, json.loads(cell.current))
        # The first values of an added record are its addition, not corrections of it.
        first = added is not None and cell is not added and at == added.last
        if at is not None and not first and (correction := cell.correction(at, value)):
            corrections[cell.field] = correction
        if cell.hidden:
            hidden[cell.field] = cell.hidden
        if until is not None and cell.stood != cell.last:
            values |= _attributes(cell, cell.value)
    return Standing(
        corrections=corrections,
        open_reports=sum(reports.values()),
        open_by_field=reports,
        added_by=added.last if added else None,
        is_there=added is None or added.stood is not None,
        values=values,
        hidden=hidden,
    )


def _attributes(cell: _Cell, value: Value) -> dict[str, Any]:
    """A cell's value as the attributes that hold it on an instance of its record's model. No query."""
    name = cell.field
    if name in {operation.name for operation in OPERATIONS}:
        return {}
    if name.startswith(METRIC):
        return {name: value}
    shape = next(each.shape for each in FIELDS[RecordKind(cell.kind)] if each.name == name)
    match shape:
        case Shape.DATE:
            day, precision = parse_date(value)
            return {name: day, f"{name}_precision": precision}
        case Shape.TERM:
            return {name: TERMS[name](name=value) if value is not None else None}
        case Shape.RECORD:
            paper = Paper(record=Record(**json.loads(cell.linked))) if cell.linked else None
            return {name: paper, "paper_matched": Matched.DECISION if paper and cell.stood else ""}
        case Shape.NAMES:
            return {name: value or []}
        case _:
            return {name: value}
