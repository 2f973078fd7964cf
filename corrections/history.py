"""The one door through which the archive's pages see corrections and open reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Count, Q

from archive.models import Base
from corrections.correctable import Value
from corrections.models import Change, Report


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


def standing_for(record_ids: Iterable[int]) -> dict[int, Standing]:
    """What stands for each of the records that somebody spoke of; the others are left out. Three queries at most.

    A cell that was put back to the snapshot's value is no correction any more.
    """
    ids = list(record_ids)
    bases = {(b.record_id, b.field): b.value for b in Base.objects.filter(record__in=ids)}
    corrections: dict[int, dict[str, Correction]] = defaultdict(dict)
    if bases:
        last = Change.objects.filter(record__in=ids, next=None).select_related("record")
        for change in last.order_by("id"):
            snapshot = bases.get((change.record_id, change.field))
            if change.sealed_by_id is not None or change.after != snapshot:
                corrections[change.record_id][change.field] = Correction(
                    change.record.key,
                    change.field,
                    snapshot,
                    change.after,
                    change.decision_id,
                    sealed=change.sealed_by_id is not None,
                )
    counted = Report.objects.counted().filter(record__in=ids).values("record_id", "field").annotate(n=Count("id"))
    reports: dict[int, dict[str, int]] = defaultdict(dict)
    for row in counted:
        reports[row["record_id"]][row["field"]] = row["n"]
    return {
        key: Standing(corrections.get(key, {}), sum(reports.get(key, {}).values()), reports.get(key, {}))
        for key in {*corrections, *reports}
    }


def open_reports_below(record_ids: Iterable[int]) -> int:
    """The number of open reports on any of the records. One query."""
    return Report.objects.counted().filter(Q(record__in=list(record_ids))).count()
