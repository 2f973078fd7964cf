"""The history of a record: each change of each of its values, with both of them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import ClassVar

from archive.models import Record
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Page,
    Provenance,
    RecordState,
    described,
    documented,
    quarantine_sentence,
)
from corrections.models import Change, Outcome, Report
from corrections.pages.entries import ChangeShown, url_of
from corrections.scope import within

ON_A_PAGE = 100


@documented
class ChangeInHistory:
    """A change, and the decision that made it."""

    change: ChangeShown = described("The cell and both values.")
    decision: int = described("Number of the decision.")
    url: str = described("Address of the decision.")
    at: datetime.datetime = described("When it was decided, in UTC.")
    outcome: str = described("What the decision says, one of a closed list.")
    outcome_in_words: str = described("The same in words.")
    reader: str = described("Public name of the person who decided.")
    reason: str | None = described("The public reason; null if it is sealed.")


@documented
class HistoryPage(Page):
    """`/<record>/history`: the changes of a record and of what hangs on it, newest first.

    On a leaderboard hang its rows, on a paper its code links and rows, on a dataset its leaderboards and their rows.
    """

    section: ClassVar = ""

    record: RecordState = described("The record's key, its origin in the dumps, and its state.")
    name: str = described("The record's name; empty if the record is withdrawn or set aside.")
    state: Absent | None = described("That the record is withdrawn, merged into another or set aside; null if not.")
    changes: Sequence[ChangeInHistory] = described("The changes, newest first.")
    open_reports: int = described("Number of open reports on the record and on what hangs on it.")
    next_url: str | None = described("Address of the page with older ones; null on the last.")

    @property
    def heading(self) -> str:
        """The page's name."""
        return f"History of {self.name or self.record.key}"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The record, then its history."""
        return (Crumb(name=(self.name or self.record.key)[:80], url=f"/{self.record.key}"),)

    @property
    def indexable(self) -> bool:
        """Not for search engines while the record itself is not."""
        return self.state is None


def build(record: Record, before: int | None = None) -> HistoryPage:
    """The changes with an id below `before`. Three queries."""
    provenance = Provenance.current()
    changes = Change.objects.filter(within(record)).select_related("record", "decision").order_by("-id")
    if before is not None:
        changes = changes.filter(pk__lt=before)
    found = list(changes[: ON_A_PAGE + 1])
    more, found = len(found) > ON_A_PAGE, found[:ON_A_PAGE]
    address = f"{record.path}/history"
    state = _state(record)
    return HistoryPage(
        url=f"{address}?before={before}" if before is not None else address,
        source=provenance.source,
        provenance=provenance,
        record=RecordState.of(record),
        name="" if state else record.name,
        state=state,
        changes=[_shown(change) for change in found],
        open_reports=Report.objects.counted().filter(within(record)).count(),
        next_url=f"{address}?before={found[-1].pk}" if more else None,
    )


def _state(record: Record) -> Absent | None:
    if record.withdrawn:
        return Absent.because(Absence.WITHHELD, "The record is withdrawn by a decision.")
    if record.merged_into:
        return Absent.because(Absence.WITHHELD, f"The record is merged into /{record.merged_into.key}.")
    if record.quarantined:
        return Absent.because(Absence.QUARANTINED, quarantine_sentence(record.quarantined))
    return None


def _shown(change: Change) -> ChangeInHistory:
    decision = change.decision
    return ChangeInHistory(
        change=ChangeShown.of(change),
        decision=decision.number,
        url=url_of(decision.number),
        at=decision.at.astimezone(datetime.UTC),
        outcome=decision.outcome,
        outcome_in_words=str(Outcome(decision.outcome).label) if decision.outcome else "",
        reader=decision.reader,
        reason=decision.reason,
    )
