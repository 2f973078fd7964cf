"""About the archive: what it is and is not, ranks, licences, where the data comes from, what is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from archive.pages.base import Page, Provenance, Retrieved, described, documented
from archive.pages.home import NOT_SAID

SECTIONS: Mapping[str, Sequence[str]] = {
    "What this is": (
        "Papers with Code was a public site of machine-learning papers, their code, datasets, methods and "
        "leaderboards. It closed in July 2025. What it published as dumps is shown here as it stood on the day of the "
        "snapshot named below.",
        "Whoever finds a mistake can report it, on the page, the field or the single row, without an account. A person "
        "checks every report against the paper or source before anything changes. Decisions are listed on "
        "/corrections, those that change nothing included, and none is ever taken off that list.",
        "A corrected value never hides the old one: both stand on the page, with the decision. The archive’s text and "
        "values are otherwise verbatim, odd spellings, line ends and duplicates included.",
    ),
    "Ranks": (
        "Ranks are positions in the archive’s leaderboards as they stood at the snapshot.",
        "Results published since then are not among these rows, so a rank here is not a current standing.",
        "Rows are the archive’s own order; nothing here re-ranks them. A correction changes no rank, and a row that a "
        "decision adds has none.",
        "No list here is ordered by a metric. What speaks against the order of a leaderboard (ties, a value that does "
        "not fit the direction of its metric, rows without the metric, extra training data) is told beside it.",
    ),
    "Licences": (
        "The archive’s text and data are under CC BY-SA 4.0: whoever uses them names the archive and shares what is "
        "made of them alike. That holds for the pages, their JSON and all exports.",
        "A dataset’s own licence is another thing. It stands on the dataset’s page in the archive’s words, was not "
        "checked by anyone here, and says nothing where the archive gives none.",
        "Abstracts were written by the papers’ authors; papers, code and datasets that the archive links to have "
        "licences of their own.",
    ),
    "What is not known": (
        *NOT_SAID,
        "The archive never published which papers use a dataset: only its own count, and the papers with a leaderboard "
        "row.",
        "Which of two people a printed name stands for is not known: an author’s page is the page of a spelling.",
        "Flags such as “official” are the archive’s, frozen with it.",
        "Where only a year is known, the archive prints the first of January; a method of 2000 has no known year.",
        "How often the archive is silent is counted on /counts. Null is not zero, and empty is not unknown.",
    ),
    "What this is not": (
        "Not a successor of Papers with Code: nothing is added but by a decision, and no leaderboard goes on.",
        "Not a judgement of results: whether the archive says what a paper says is decided here, not whether the paper "
        "is right.",
        "Not a mirror of papers, code or datasets: only of what the archive says of them. Images and other media of "
        "the old site are not shown.",
    ),
}


@documented
class SectionOfAbout:
    """A section of the page."""

    heading: str = described("Its heading.")
    paragraphs: Sequence[str] = described("Its text, a paragraph each.")


@documented
class SourceFile:
    """One dump of the archive."""

    dump: str = described("papers, datasets, methods, tables or links.")
    retrieved: Retrieved = described("The dump, the day it was retrieved, and the digests of its files.")


@documented
class AboutPage(Page):
    """`/about`: about the archive."""

    sections: Sequence[SectionOfAbout] = described("What there is to say.")
    files: Sequence[SourceFile] = described("The dumps that the archive was made from.")

    @property
    def heading(self) -> str:
        """The page's title."""
        return "About this archive"


def build() -> AboutPage:
    """The page. One query."""
    provenance = Provenance.current()
    return AboutPage(
        url="/about",
        source=provenance.source,
        provenance=provenance,
        sections=[SectionOfAbout(heading=heading, paragraphs=texts) for heading, texts in SECTIONS.items()],
        files=[SourceFile(dump=dump, retrieved=provenance.dumps[dump]) for dump in sorted(provenance.dumps)],
    )
