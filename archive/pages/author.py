"""A name printed in author lists: the papers that print it."""

from __future__ import annotations

from collections.abc import Sequence

from archive.models import Author, Authorship, Paper
from archive.pages.base import Absence, Absent, Crumb, Page, Provenance, Source, described, documented, public
from archive.pages.newest import END_OF_LIST, DatedPaper, Place, continued, newest

COUNTED = 1_000
SPELLINGS_SHOWN = 20

NAME_NOTE = (
    "A name is not a person: people of the same name share this page, and one person's papers may stand under several."
)


@documented
class OtherSpelling:
    """A printed name that differs in accents, letter case or blanks only. Nothing says that it is the same person."""

    name: str = described("As printed.")
    url: str = described("Address on this site of the papers that print it.")


@documented
class AuthorPage(Page):
    """`/author/<slug>`: one name printed in author lists, and its papers, 50 on a page.

    `?before=<slug of a paper>` gives the papers that come after that one in the list.
    """

    section = "/papers"

    name: str = described("The name, as printed.")
    name_note: str = described("What a name is not.", default=NAME_NOTE)
    papers_count: int = described(f"Number of public papers that print the name, counted up to {COUNTED}.")
    papers_count_is_a_minimum: bool = described(f"Whether there are more than {COUNTED} of them.")
    papers: Sequence[DatedPaper] = described("The papers of this page, newest first.")
    next_url: str | None = described("Address on this site of the next page; null on the last.")
    other_spellings: Sequence[OtherSpelling] = described(
        f"Names that differ in accents, letter case or blanks only, at most {SPELLINGS_SHOWN}."
    )
    source: Source = described("The archive the page is made from, and the day it was frozen.")

    @property
    def heading(self) -> str:
        """The name, or that it has no letters."""
        return self.name.strip() or "(a name without letters)"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Papers, then this name."""
        return (Crumb(name="Papers", url="/papers"),)

    @property
    def first_url(self) -> str | None:
        """The address of the first page of the list; None on it."""
        first, _, continues = self.url.partition("?")
        return first if continues else None


def build(author: Author, after: Place | None = None) -> AuthorPage | None:
    """The page of a name from a place in its list on; None where no public paper prints it. At most 5 queries."""
    papers = Paper.objects.filter(pk__in=Authorship.objects.filter(author=author).values("paper"))
    count = papers.filter(public())[: COUNTED + 1].count()
    if not count:
        return None
    provenance = Provenance.current()
    path = f"/author/{author.slug}"
    stretch = newest(papers, path, after)
    alike = Author.objects.filter(sort_key=author.sort_key).exclude(pk=author.pk).order_by("pk")[:SPELLINGS_SHOWN]
    return AuthorPage(
        url=continued(path, after),
        source=provenance.source,
        provenance=provenance,
        name=author.name,
        papers_count=min(count, COUNTED),
        papers_count_is_a_minimum=count > COUNTED,
        papers=stretch.papers,
        next_url=stretch.next_url,
        other_spellings=[OtherSpelling(name=other.name, url=f"/author/{other.slug}") for other in alike],
        absent={} if stretch.papers else {"papers": Absent.because(Absence.NOT_IN_ARCHIVE, END_OF_LIST)},
    )
