"""The log of decisions, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.db.models import QuerySet

from archive.pages.base import Page, Provenance, described, documented
from corrections.filters import LogFilter
from corrections.models import Decision
from corrections.pages.entries import EntryShown, shown

ON_A_PAGE = 50


@documented
class LogPage(Page):
    """`/corrections`: every decision that was made, refusals too, newest first, imports and seals between them.

    A page begins below an entry's number, so that it stays as it is while decisions arrive.
    """

    section: ClassVar = "/corrections"

    entries: Sequence[EntryShown] = described("The entries, newest first.")
    filters: Mapping[str, str] = described("The filters that hold, by the name of their parameter.")
    total: int = described("Number of entries in the whole log, whatever the filters.")
    next_url: str | None = described("Address of the page with older entries; null on the last.")
    form: Any = described("The form that sets the filters.", json=False)

    @property
    def heading(self) -> str:
        """What the list is."""
        return "Corrections"

    @property
    def indexable(self) -> bool:
        """One page for search engines, not every selection of it."""
        return not self.filters


def build(filters: LogFilter, before: int | None) -> LogPage:
    """The entries below number `before` that match. Five queries."""
    provenance = Provenance.current()
    entries = list(selected(filters, before)[: ON_A_PAGE + 1])
    more = len(entries) > ON_A_PAGE
    entries = entries[:ON_A_PAGE]
    return LogPage(
        url=_address(filters.chosen, before),
        source=provenance.source,
        provenance=provenance,
        entries=shown(entries),
        filters=filters.chosen,
        total=_total(),
        next_url=_address(filters.chosen, entries[-1].number) if more else None,
        form=filters.form,
    )


def selected(filters: LogFilter, before: int | None) -> QuerySet[Decision]:
    """The entries that match, newest first; none where a filter's value means nothing."""
    entries = filters.qs.newest_first() if filters.is_valid() else Decision.objects.none()
    return entries.filter(number__lt=before) if before is not None else entries


def _total() -> int:
    """Numbers have no gaps, so the last one is the number of entries."""
    return Decision.objects.order_by("-number").values_list("number", flat=True).first() or 0


def _address(chosen: Mapping[str, str], before: int | None) -> str:
    query = urlencode({**chosen, **({"before": before} if before is not None else {})})
    return f"/corrections?{query}" if query else "/corrections"
