"""Lists of papers that run from the newest to the oldest, a page at a time: what an author's and a method's page share.

A page begins after a paper, named by its slug, so that a link to it stays right when papers are added or set aside.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from archive.models import CodeLink, Paper, Record, RecordKind
from archive.pages.base import described, documented, public

PAPERS_ON_A_PAGE = 50
END_OF_LIST = "The list ends before this page."


@documented
class DatedPaper:
    """A paper in a list that runs from the newest to the oldest; of one day, in archive order; those undated last."""

    paper: str = described("Address on this site of the paper.")
    title: str | None = described("The paper's title, as printed.")
    date: datetime.date | None = described("The paper's date in the archive.")
    date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    code_links: int = described("Number of repositories that the archive lists for the paper.")


@dataclass(frozen=True)
class Place:
    """Where a list goes on: after this paper, whether or not the paper is still in the list."""

    record: int
    slug: str
    date: datetime.date | None

    @classmethod
    def after(cls, slug: str) -> Place | None:
        """The place after the paper with that slug; None if the archive has none. One query."""
        found = Record.objects.filter(kind=RecordKind.PAPER, key=f"paper/{slug}").values_list("id", "paper__date")
        return next((cls(record=record, slug=slug, date=date) for record, date in found), None)


@dataclass(frozen=True)
class Stretch:
    """One page of a list: its papers, and the address of the next page."""

    papers: list[DatedPaper]
    next_url: str | None


def continued(url: str, after: Place | None) -> str:
    """The address of the page of a list that begins after a place; of its first page without one."""
    return f"{url}?before={after.slug}" if after else url


def newest(papers: QuerySet[Paper], url: str, after: Place | None) -> Stretch:
    """The public ones of these papers, at most `PAPERS_ON_A_PAGE` from a place on; `url` is the list's address.

    One query, or two where the dated ones do not fill the page. `papers` may not name a paper twice.
    """
    listed = (
        papers.filter(public())
        .select_related("record")
        .only("title", "date", "date_precision", "record__key")
        .annotate(repositories=Subquery(_repositories()))
    )
    dated = listed.filter(date__isnull=False).order_by("-date", "record_id")
    undated = listed.filter(date__isnull=True).order_by("record_id")
    if after and after.date:
        # The first condition says nothing new, but an index can begin from it.
        later = Q(date__lt=after.date) | Q(date=after.date, record_id__gt=after.record)
        dated = dated.filter(Q(date__lte=after.date), later)
    elif after:
        dated, undated = dated.none(), undated.filter(record_id__gt=after.record)
    wanted = PAPERS_ON_A_PAGE + 1
    found = list(dated[:wanted])
    if len(found) < wanted:
        found += undated[: wanted - len(found)]
    shown = [
        DatedPaper(
            paper=paper.record.path,
            title=paper.title,
            date=paper.date,
            date_precision=paper.date_precision or None,
            code_links=paper.repositories or 0,
        )
        for paper in found[:PAPERS_ON_A_PAGE]
    ]
    more = len(found) == wanted
    return Stretch(papers=shown, next_url=f"{url}?before={found[-2].record.slug}" if more else None)


def _repositories() -> QuerySet[CodeLink, int]:
    links = CodeLink.objects.filter(public(), paper=OuterRef("pk")).order_by()
    return links.values("paper").annotate(number=Count("pk")).values_list("number", flat=True)
