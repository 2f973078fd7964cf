"""What stands corrected on a page of a record, and how many reports are open: for the pages of every kind.

This is the only place of the archive's pages that asks the log; it does so through `corrections.history` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from archive.models import Record
from archive.pages.base import Absence, Absent, CorrectedCell
from corrections.history import NOTHING, Correction, Standing, standing_for


@dataclass(frozen=True)
class Standings:
    """What people said and decided of a page's record, and of other records whose values the page shows."""

    record: int
    of: Mapping[int, Standing]

    @classmethod
    def on_page(cls, record: Record, others: Iterable[int] = ()) -> Standings:
        """Ask for the page's record and the others, by primary key. One query."""
        return cls(record.pk, standing_for([record.pk, *others]))

    def open_reports(self, record: int) -> int:
        """The number of open reports on one of the records."""
        return self.of.get(record, NOTHING).open_reports

    @property
    def fields(self) -> dict[str, Any]:
        """What `RecordPage` says of it, to be given to the page as it is made."""
        own = self.of.get(self.record, NOTHING)
        cells = [_cell(cell) for key in sorted(self.of) for cell in self.of[key].corrections.values()]
        return {"corrections": cells, "open_reports": own.open_reports, "open_by_field": own.open_by_field}


def _cell(cell: Correction) -> CorrectedCell:
    sealed = Absent.because(Absence.WITHHELD, "The snapshot’s value is sealed by a decision.") if cell.sealed else None
    return CorrectedCell(
        record=cell.record,
        field=cell.field,
        snapshot=cell.snapshot,
        current=cell.current,
        decision=cell.decision,
        sealed=sealed,
    )
