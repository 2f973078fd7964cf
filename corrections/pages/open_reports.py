"""What is open: counted reports, by record and field. No text of theirs, no person."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import ClassVar

from archive.pages.base import Crumb, Page, Provenance, described, documented
from corrections.models import Report, ReportKind, ReportState
from corrections.pages.entries import label_of

ON_A_PAGE = 100


@documented
class OpenReport:
    """A report that is open: what it is about, and since when."""

    record: str = described("Public key of the record; its address is the same with a slash before it.")
    field: str = described("The field; empty for the record as a whole.")
    label: str = described("The field in words.")
    kind: str = described("What the report says is wrong, one of a closed list.")
    kind_in_words: str = described("The same in words.")
    state: str = described("open, proposed (waits for a second reader), or appealed.")
    state_in_words: str = described("The same in words.")
    filed_at: datetime.datetime = described("When it was filed, in UTC.")


@documented
class OpenPage(Page):
    """`/corrections/open`: the reports that are open, oldest first. What they say is not shown before it is decided."""

    section: ClassVar = "/corrections"

    reports: Sequence[OpenReport] = described("The reports, oldest first.")
    total: int = described("Number of open reports.")
    next_url: str | None = described("Address of the page with younger ones; null on the last.")

    @property
    def heading(self) -> str:
        """What the list is."""
        return "Open reports"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The log, then this list."""
        return (Crumb(name="Corrections", url="/corrections"),)


def build(after: int = 0) -> OpenPage:
    """The open reports after the one with that id. Three queries."""
    provenance = Provenance.current()
    counted = Report.objects.counted()
    found = list(counted.filter(pk__gt=after).select_related("record").order_by("pk")[: ON_A_PAGE + 1])
    more, found = len(found) > ON_A_PAGE, found[:ON_A_PAGE]
    return OpenPage(
        url=f"/corrections/open?after={after}" if after else "/corrections/open",
        source=provenance.source,
        provenance=provenance,
        reports=[
            OpenReport(
                record=report.record.key,
                field=report.field,
                label=label_of(report.record.kind, report.field),
                kind=report.kind,
                kind_in_words=str(ReportKind(report.kind).label),
                state=report.state,
                state_in_words=str(ReportState(report.state).label),
                filed_at=report.filed_at.astimezone(datetime.UTC),
            )
            for report in found
        ],
        total=counted.count(),
        next_url=f"/corrections/open?after={found[-1].pk}" if more else None,
    )
