"""What stands corrected on a page of a record, how many reports are open, and what stood before: for every kind.

This is the only place of the archive's pages that asks the log; it does so through `corrections.history` alone. A page
loads what stands now, makes its `Standings` in the view asked for, and lets them put the view's values in place before
it says anything; in the current view they leave everything as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import QuerySet

from archive.models import Record
from archive.models.records import DetailBase
from archive.pages.base import Absence, Absent, CorrectedCell, Provenance, RecordState
from archive.pages.view import CURRENT, NotHeldThen, View
from corrections.history import NOTHING, Correction, Hidden, Standing, decision_on, standing_for

Detail = TypeVar("Detail", bound=DetailBase)
METRIC = "metrics."
SEALED = Absent.because(Absence.WITHHELD, "The snapshot’s value is sealed by a decision.")
COPY_SEALED = Absent.because(Absence.WITHHELD, "The paper’s title in the snapshot is sealed, and so are its copies.")


@dataclass(frozen=True)
class Standings:
    """What people said and decided of a page's record, and of other records whose values the page shows."""

    record: Record
    view: View
    of: Mapping[int, Standing]

    @classmethod
    def on_page(cls, record: Record, others: Iterable[int] = (), view: View = CURRENT) -> Standings:
        """Ask for the page's record and the others, by primary key, in a view. One query.

        Raises NotHeldThen if the page's record was added by a decision that the view does not count.
        """
        standings = cls(record, view, standing_for([record.pk, *others], view.until))
        own = standings._of(record.pk)
        if not own.is_there:
            raise NotHeldThen(f"/{record.key} was added by decision #{own.added_by}: it was not there {view.then}.")
        return standings

    def _of(self, record: int) -> Standing:
        return self.of.get(record, NOTHING)

    def open_reports(self, record: int) -> int:
        """The number of open reports on one of the records."""
        return self._of(record).open_reports

    def added_by(self, record: int) -> int | None:
        """The number of the decision that added one of the records; None for those of the archive."""
        return self._of(record).added_by

    def there(self, found: Iterable[Detail]) -> list[Detail]:
        """Those of these records that the view has, with its values: the archive's in their order, then added ones."""
        shown = [self.put(detail) for detail in found if self._of(detail.pk).is_there]
        return sorted(shown, key=lambda detail: self.added_by(detail.pk) is not None)

    def put(self, detail: Detail) -> Detail:
        """Give an instance, which is not to be saved, the values of the view; gives the instance."""
        columns = {column.name: column for column in detail._meta.concrete_fields}
        for name, value in self._of(detail.pk).values.items():
            column = columns.get(name)
            if column is not None:
                setattr(detail, name, "" if value is None and not column.null else value)
        return detail

    def names(self, field: str, current: Sequence[str]) -> Sequence[str]:
        """A list of names of the page's record as the view has it."""
        return self._of(self.record.pk).values.get(field, current)

    def linked(
        self, field: str, current: QuerySet[Any, tuple[str, str]], named: QuerySet[Any, tuple[str, str]]
    ) -> list[tuple[str, str]]:
        """A list of the page's record as the view has it, as (name, what its link is made of). One query.

        `current` is the list that stands now; `named` gives the same two of everything that such a list can name. Only
        a dataset's task may lead to another task than its name does; it is stored as "name → key".
        """
        names = self._of(self.record.pk).values.get(field)
        if names is None:
            return list(current)
        known = dict(named.filter(name__in=names))
        return [(name, known[name]) if name in known else _says_its_link(name) for name in names]

    def other_metrics(self, row: int) -> dict[str, str | None]:
        """The values of a row, by metric, that the view has otherwise than they stand now; None for none there."""
        values = self._of(row).values
        return {name.removeprefix(METRIC): values[name] for name in values if name.startswith(METRIC)}

    def metrics(self, row: int, current: Mapping[str, str]) -> dict[str, str]:
        """A row's values by metric as the view has them; a metric that only the view has comes last."""
        viewed: dict[str, str | None] = {**current, **self.other_metrics(row)}
        return {name: value for name, value in viewed.items() if value is not None}

    def hidden(self, keys: Mapping[str, str], record: int | None = None) -> dict[str, Absent]:
        """By key: why a value of a record, the page's own if none is named, is shown to nobody.

        `keys` has the fields that the page shows under another key than their own.
        """
        found = self._of(self.record.pk if record is None else record).hidden
        return {keys.get(field, field): absence(why) for field, why in found.items()}

    def withheld(self, field: str) -> str | None:
        """Why a text of the page's record is not shown, in words; None if it is not hidden."""
        why = self._of(self.record.pk).hidden.get(field)
        return absence(why).sentence if why else None

    def taken_off(self, field: str) -> Absent | None:
        """Why nothing is shown that repeats a text of the page's record: it is hidden, or the snapshot's is sealed."""
        own = self._of(self.record.pk)
        if field in own.hidden:
            return absence(own.hidden[field])
        return SEALED if field in own.corrections and own.corrections[field].sealed else None

    def frame(self, provenance: Provenance, url: str = "") -> dict[str, Any]:
        """What every `RecordPage` says, to be given to the page as it is made; `url` if it is not the record's."""
        own = self._of(self.record.pk)
        cells = [
            _cell(cell)
            for key in sorted(self.of)
            if self.of[key].is_there
            for cell in self.of[key].corrections.values()
        ]
        return {
            "url": self.view.of(url or self.record.path),
            "view": self.view.told(provenance.source.snapshot),
            "source": provenance.source,
            "provenance": provenance,
            "record": RecordState.of(self.record),
            "corrections": cells,
            "open_reports": own.open_reports,
            "open_by_field": own.open_by_field,
        }


def absence(why: Hidden) -> Absent:
    """Why a value is shown to nobody, as a page says it."""
    if not why.withheld:
        return Absent.because(Absence.WITHHELD, f"Sealed by decision #{why.number}.")
    return Absent.because(
        Absence.WITHHELD, f"Withheld by decision #{why.number}: {why.reason or 'the reason is sealed.'}"
    )


def _says_its_link(name: str) -> tuple[str, str]:
    words, _, key = name.rpartition(" → ")
    return words, key


def _cell(cell: Correction) -> CorrectedCell:
    return CorrectedCell(
        record=cell.record,
        field=cell.field,
        snapshot=cell.snapshot,
        current=cell.current,
        decision=cell.decision,
        sealed=SEALED if cell.sealed else None,
        hidden=absence(cell.hidden) if cell.hidden else None,
    )


def withdrawn_by(record: Record) -> int | None:
    """The number of the decision that withdrew a record; None where the log has none. One query."""
    return decision_on(record.pk, "withdrawn")
