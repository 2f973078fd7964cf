"""The one door through which the archive's pages see corrections and open reports."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Q

from corrections.correctable import Value
from corrections.models import COUNTED, Report


@dataclass(frozen=True)
class Correction:
    """A cell that stands corrected: the snapshot's value, the current one, and the decision that set it."""

    record: str
    field: str
    snapshot: Value
    current: Value
    decision: int
    sealed: bool = False


@dataclass(frozen=True)
class Standing:
    """What people said of one record, and what was decided: corrected cells, and the number of open reports."""

    corrections: dict[str, Correction] = field(default_factory=dict)
    open_reports: int = 0
    open_by_field: dict[str, int] = field(default_factory=dict)

    def of(self, name: str) -> Correction | None:
        """The correction of a field, if it stands corrected."""
        return self.corrections.get(name)


NOTHING = Standing()


_STANDING = """
SELECT c.record_id, r.key, c.field, b.value::text,
       CASE WHEN c.sealed_by_id IS NULL THEN c.after ELSE corrections_cell(c.record_id, c.field) END::text,
       c.decision_id, b.sealed OR c.sealed_by_id IS NOT NULL, 0
FROM archive_base b
JOIN corrections_change c ON c.record_id = b.record_id AND c.field = b.field
  AND NOT EXISTS (SELECT FROM corrections_change n WHERE n.previous_id = c.id)
JOIN archive_record r ON r.id = b.record_id
WHERE b.record_id = ANY (%(ids)s) AND (b.sealed OR c.sealed_by_id IS NOT NULL OR c.after IS DISTINCT FROM b.value)
UNION ALL
SELECT record_id, NULL, field, NULL, NULL, NULL, false, count(*)
FROM corrections_report WHERE record_id = ANY (%(ids)s) AND state = ANY (%(counted)s) GROUP BY record_id, field
ORDER BY 1, 3
"""


def standing_for(record_ids: Iterable[int]) -> dict[int, Standing]:
    """What stands for each of the records that somebody spoke of; the others are left out. One query.

    A cell that was put back to the snapshot's value is no correction any more. Of a sealed one the snapshot's value is
    not given, and the current one is what the archive holds.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"ids": list(record_ids), "counted": [str(state) for state in COUNTED]})
        rows = cursor.fetchall()
    corrections: dict[int, dict[str, Correction]] = defaultdict(dict)
    reports: dict[int, dict[str, int]] = defaultdict(dict)
    for record, key, name, snapshot, current, decision, sealed, number in rows:
        if key is None:
            reports[record][name] = number
        else:
            before = None if sealed else json.loads(snapshot)
            corrections[record][name] = Correction(key, name, before, json.loads(current), decision, sealed)
    return {
        record: Standing(corrections.get(record, {}), sum(reports.get(record, {}).values()), reports.get(record, {}))
        for record in {*corrections, *reports}
    }


def open_reports_below(record_ids: Iterable[int]) -> int:
    """The number of open reports on any of the records. One query."""
    return Report.objects.counted().filter(Q(record__in=list(record_ids))).count()
