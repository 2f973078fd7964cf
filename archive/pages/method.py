"""A method: what the archive says of it, its collections, and the papers that print it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from archive.models import CollectionMembership, Method, Paper, PaperMethod, PrintedMethod, Record
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    Source,
    described,
    documented,
    missing,
    title_is_sealed,
)
from archive.pages.boards import PrintedLink, public_path
from archive.pages.newest import END_OF_LIST, DatedPaper, Place, continued, newest
from archive.pages.standing import COPY_SEALED, Standings
from archive.pages.view import CURRENT, View
from archive.pages.years import YearOfPapers, by_year, in_years

COUNT_NOTE = (
    "This is the archive's own count, kept as printed; the papers listed here are those whose records print the "
    "method, so the two numbers may differ."
)
PLACEHOLDER = f"The archive prints {Method.PLACEHOLDER_YEAR}, which it uses where the year is not known."


@documented
class MethodOrigin:
    """The publication that introduced a method, as the archive says. `paper` or `url` is set, or neither."""

    paper: str | None = described("Address on this site of the paper; null if the archive holds no such paper.")
    title: str | None = described("The publication's title, as printed with the method.")
    url: str | None = described("Address elsewhere, as printed, of a publication that is not among the papers here.")


@documented
class CollectionOfMethod:
    """A collection that a method is in. Collections of one name in different areas are different ones."""

    name: str = described("As printed.")
    area: str = described("The name of the collection's area, as printed; may be empty.")
    url: str = described("Address on this site of the collection.")


@documented
class MethodPage(RecordPage):
    """`/method/<slug>`: one method. Papers stand 50 on a page; `?before=<slug of a paper>` gives those after it."""

    section = "/methods"

    name: str | None = described("The method's name, as printed.")
    full_name: str | None = described("Its long name, as printed.")
    description_markdown: str | None = described(
        "The description, verbatim Markdown. Pages rewrite its links to the old site, on display only."
    )
    description_withheld: str | None = described("Why the description is not given; null if it is not withheld.")
    introduced_by: MethodOrigin = described("The publication that introduced it.")
    introduced_year: int | None = described("The year of introduction; null where the archive prints its placeholder.")
    introduced_year_in_archive: int | None = described("The year as the archive prints it: 2000 means not known.")
    source_link: PrintedLink = described("The archive's source for the description.")
    code_snippet_url: str | None = described("Address of a piece of code that shows the method, as printed.")
    collections: Sequence[CollectionOfMethod] = described("The collections it is in, in the order printed.")
    num_papers_in_archive: int | None = described("The archive's own count of papers, never recomputed.")
    papers_note: str = described("Why that count differs from the list.", default=COUNT_NOTE)
    papers_count: int = described("Number of public papers whose records print the method.")
    papers_by_year: Sequence[YearOfPapers] = described("The same papers by year, newest first, undated ones last.")
    papers: Sequence[DatedPaper] = described("The papers of this page of the list, newest first.")
    next_url: str | None = described("Address on this site of the next page of the list; null on the last.")
    source: Source = described("The archive the page is made from, and the day it was frozen.")

    @property
    def heading(self) -> str:
        """The method's name, its long one if it has no other."""
        return self.name or self.full_name or self.record.key

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Methods, the first collection, then this one."""
        first = [Crumb(name=each.name, url=each.url) for each in (self.collections or ())[:1]]
        return (Crumb(name="Methods", url="/methods"), *first)

    @property
    def indexable(self) -> bool:
        """Later pages of the list repeat the method's text: the first is enough for search engines."""
        return super().indexable and self.first_url is None

    @property
    def first_url(self) -> str | None:
        """The address of the first page of the list; None on it."""
        return self.record_path if "before=" in self.url else None

    @property
    def in_years(self) -> Mapping[int, int]:
        """Number of papers by year, those without a date left out."""
        return in_years(self.papers_by_year or ())

    @property
    def record_path(self) -> str:
        """The address of the method itself."""
        return "/" + self.record.key


def build(record: Record, after: Place | None = None, view: View = CURRENT) -> MethodPage:
    """The page of a method's record in a view, its papers from a place in the list on. At most 8 queries."""
    methods = Method.objects.select_related("introduced_by__record")
    method = methods.annotate(title_sealed=title_is_sealed("introduced_by")).get(pk=record.pk)
    standing = Standings.on_page(record, view=view)
    standing.put(method)
    provenance = Provenance.current()
    papers = _papers(method)
    years = by_year(papers)
    stretch = newest(papers, record.path, after)
    introduced_by = _introduced_by(method)
    content: dict[str, Any] = {
        "name": method.name,
        "full_name": method.full_name,
        "description_markdown": method.description,
        "introduced_by": introduced_by,
        "introduced_year": method.known_year,
        "introduced_year_in_archive": method.introduced_year,
        "source_link": PrintedLink(title=method.source_title, url=method.source_url),
        "code_snippet_url": method.code_snippet_url,
        "collections": _collections(method),
        "num_papers_in_archive": method.num_papers,
        "papers_by_year": years,
        "papers": stretch.papers,
    }
    return MethodPage(
        **standing.frame(provenance, continued(record.path, after)),
        **content,
        description_withheld=standing.withheld("description"),
        papers_count=sum(year.papers for year in years),
        next_url=stretch.next_url,
        absent={
            **_absent(content),
            **standing.hidden(KEYS),
            **({"introduced_by.title": COPY_SEALED} if method.title_sealed and not introduced_by.title else {}),
        },
    )


KEYS = {
    "description": "description_markdown",
    "source_title": "source_link.title",
    "source_url": "source_link.url",
}
"""The keys of fields that the page does not show under their own name."""


def _papers(method: Method) -> QuerySet[Paper]:
    """The papers that print one of the copies matched with the method. One query, for the copies."""
    # Named by number, so that the planner knows how common each copy is.
    copies = list(PrintedMethod.objects.filter(method=method).values_list("pk", flat=True))
    return Paper.objects.filter(pk__in=PaperMethod.objects.filter(printed__in=copies).values("paper"))


def _introduced_by(method: Any) -> MethodOrigin:
    paper = public_path(method.introduced_by.record) if method.introduced_by else None
    title = method.introduced_by.title if method.title_sealed else method.paper_title
    return MethodOrigin(paper=paper, title=title, url=None if paper else method.paper_url)


def _collections(method: Method) -> list[CollectionOfMethod]:
    found = CollectionMembership.objects.filter(method=method).select_related("collection").order_by("position")
    return [
        CollectionOfMethod(name=each.name, area=each.area, url=f"/methods/collection/{each.slug}")
        for each in (membership.collection for membership in found)
    ]


def _absent(content: dict[str, Any]) -> dict[str, Absent]:
    """Why keys are empty: by the archive's silence, unless there is more to say."""
    absent = missing(content)
    if content["introduced_year"] is None and content["introduced_year_in_archive"] is not None:
        absent["introduced_year"] = Absent.because(Absence.UNKNOWN, PLACEHOLDER)
    by = content["introduced_by"]
    if not by.paper:
        absent["introduced_by.paper"] = Absent.because(
            Absence.NOT_MATCHED if by.url or by.title else Absence.NOT_IN_ARCHIVE
        )
    absent |= missing({f"source_link.{key}": value for key, value in vars(content["source_link"]).items()})
    if not content["papers_by_year"]:
        nobody = Absent.because(Absence.NOT_IN_ARCHIVE, "No paper's record prints this method.")
        absent |= {"papers": nobody, "papers_by_year": nobody}
    elif not content["papers"]:
        absent["papers"] = Absent.because(Absence.NOT_IN_ARCHIVE, END_OF_LIST)
    return absent
