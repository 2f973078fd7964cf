"""The list of papers: too long for numbered pages, so each page begins after a paper."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404

from archive.facets import hidden
from archive.models import Authorship, CodeLink, Paper, RecordKind, Result
from archive.pages.base import Provenance, described, documented
from archive.pages.listing import BY_NAME, Asked, ListPage, Sort, in_order

SIZE = 50
MOST = 3_000
"""Papers that are counted: more would take longer than a page may."""

NEWEST = (F("date").desc(nulls_last=True), F("pk"))
SORTS: Mapping[str, Sort] = {"newest": Sort("Newest", NEWEST), "name": Sort("Title", BY_NAME.order)}
NAMES_SHOWN = 3
PLACES = ("after", "before")


@documented
class AuthorInList:
    """A printed name, as lists show it."""

    name: str = described("As printed.")
    url: str = described("Address on this site of the papers with that name.")


@documented
class PaperInList:
    """A paper, as lists show it."""

    paper: str = described("Address on this site of the paper.")
    title: str | None = described("Its title; null if the archive gives none.")
    authors: Sequence[AuthorInList] = described("The first three names of its author list, in the order printed.")
    authors_in_all: int = described("How many names the list has.")
    date: datetime.date | None = described("The paper's date in the archive; null if not given.")
    date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    proceeding: str | None = described("Where it appeared, as printed; null if not given.")
    arxiv_id: str | None = described("Its arXiv id without version; null if not given.")
    code_links: int = described("How many repositories the archive lists for it.")
    rows: int = described("How many leaderboard rows name it.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")

    @property
    def more_authors(self) -> int:
        """How many names are not among those given."""
        return self.authors_in_all - len(self.authors)


@documented
class PapersPage(ListPage):
    """`/papers`: papers, narrowed by any facets. `after` and `before` name the paper next to the page."""

    section = "/papers"

    papers: Sequence[PaperInList] = described("The papers of this page, in the order asked.")

    @property
    def entries(self) -> Sequence[PaperInList]:
        """The papers."""
        return self.papers


def build(asked: Asked) -> PapersPage:
    """The page of what is asked. Queries: at most five, one more for each facet with a chosen value, and one if the
    list is too long to be counted. Raises Http404 where the paper that it should begin at is none."""
    provenance = Provenance.current()
    keys, more = _keys(asked)
    papers = _papers(keys)
    return PapersPage(
        **asked.frame(MOST),
        **_neighbours(asked, papers, more),
        source=provenance.source,
        provenance=provenance,
        title="Papers",
        papers=[_listed(paper) for paper in papers],
    )


def _keys(asked: Asked) -> tuple[Sequence[int], bool]:
    """The keys of the page's papers in their order, and whether more follow in its direction. At most two queries."""
    papers: QuerySet[Any] = asked.facets.matching()
    backwards = "before" in asked.place
    order = asked.sorts[asked.sort].order
    if asked.sort == "name":
        papers = papers.filter(record__kind=RecordKind.PAPER)  # as the index of names begins
    if asked.place:
        papers = papers.filter(_beyond(asked, backwards))
    ordered = papers.order_by(*order)
    keys = list((ordered.reverse() if backwards else ordered).values_list("pk", flat=True)[: SIZE + 1])
    page = keys[:SIZE]
    return page[::-1] if backwards else page, len(keys) > SIZE


def _beyond(asked: Asked, backwards: bool) -> Q:
    """Which papers come after (or before) the one that the address names. One query.

    The condition on the leading column alone comes first: by it the index begins where the page does.
    """
    (slug,) = asked.place.values()
    found = Paper.objects.filter(record__key=f"paper/{slug}").values_list("pk", "date", "record__sort_key").first()
    if found is None:
        raise Http404(f"There is no paper at /paper/{slug} to begin this list at.")
    key, date, name = found
    later = Q(pk__lt=key) if backwards else Q(pk__gt=key)
    if asked.sort == "name":
        way = "lt" if backwards else "gt"
        column = "record__sort_key"
        return Q(**{f"{column}__{way}e": name}) & (Q(**{f"{column}__{way}": name}) | later)
    if date is None:
        undated = Q(date__isnull=True) & later
        return Q(date__isnull=False) | undated if backwards else undated
    if backwards:
        return Q(date__gte=date) & (Q(date__gt=date) | later)
    return (Q(date__lte=date) & (Q(date__lt=date) | later)) | Q(date__isnull=True)


def _papers(keys: Sequence[int]) -> Sequence[Any]:
    """One query: the papers, with what is told of them in a list."""
    names = Authorship.objects.filter(paper=OuterRef("pk")).order_by("position")
    links = CodeLink.objects.filter(paper=OuterRef("pk")).exclude(pk__in=hidden(RecordKind.CODE)).order_by()
    rows = Result.objects.filter(paper=OuterRef("pk")).exclude(pk__in=hidden(RecordKind.RESULT)).order_by()
    rows = rows.exclude(leaderboard__in=hidden(RecordKind.LEADERBOARD))
    details = (
        Paper.objects.select_related("record", "proceeding")
        .defer("abstract", "short_abstract")
        .annotate(
            names=ArraySubquery(names.values("author__name")[:NAMES_SHOWN]),
            slugs=ArraySubquery(names.values("author__slug")[:NAMES_SHOWN]),
            number_of_names=_number(names.order_by().values("paper")),
            number_of_links=_number(links.values("paper")),
            number_of_rows=_number(rows.values("paper")),
        )
    )
    return in_order(keys, details)


def _number(grouped: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(grouped.annotate(number=Count("*")).values("number")), 0)


def _neighbours(asked: Asked, papers: Sequence[Any], more: bool) -> dict[str, Any]:
    backwards = "before" in asked.place
    has_previous = more if backwards else bool(asked.place)
    has_next = True if backwards else more
    if not papers:
        return {"previous_url": asked.address() if asked.place else None, "next_url": None}
    return {
        "previous_url": asked.address(place={"before": papers[0].record.slug}) if has_previous else None,
        "next_url": asked.address(place={"after": papers[-1].record.slug}) if has_next else None,
    }


def _listed(paper: Any) -> PaperInList:
    return PaperInList(
        paper=paper.record.path,
        title=paper.title,
        authors=[
            AuthorInList(name=name, url=f"/author/{slug}") for name, slug in zip(paper.names, paper.slugs, strict=True)
        ],
        authors_in_all=paper.number_of_names,
        date=paper.date,
        date_precision=paper.date_precision or None,
        proceeding=paper.proceeding.name if paper.proceeding else None,
        arxiv_id=paper.arxiv_id,
        code_links=paper.number_of_links,
        rows=paper.number_of_rows,
        dropped_in=paper.record.dropped_in,
    )
