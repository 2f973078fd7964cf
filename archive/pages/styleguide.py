"""The parts that pages are made of, each shown with what the archive holds."""

from __future__ import annotations

from collections.abc import Sequence

from archive.models import Record, RecordKind
from archive.pages import leaderboard
from archive.pages.base import Absence, Absent, CorrectedCell, Page, Provenance, described, documented
from archive.pages.leaderboard import LeaderboardPage
from archive.palette import SCHEMES, colours, contrast

GROUNDS = ("paper", "sunk")
USES = {
    "ink": "text",
    "quiet": "small print, labels",
    "link": "links, focus",
    "visited": "visited links",
    "control": "borders of fields and buttons",
    "corrected": "what a decision changed",
    "withheld": "what is withheld or set aside, errors",
    "series": "marks of charts",
}


@documented
class Shade:
    """A colour in one scheme."""

    scheme: str = described("light or dark.")
    colour: str = described("As #rrggbb.")
    contrast: float = described("WCAG's contrast ratio with the page's ground, to a tenth; the lesser of its two.")


@documented
class Colour:
    """A colour by name."""

    name: str = described("Its name in the style sheets.")
    use: str = described("What it is for.")
    shades: Sequence[Shade] = described("In light and in dark.")


@documented
class StyleguidePage(Page):
    """`/styleguide`: the site's colours, type and components. For those who build pages."""

    colours: Sequence[Colour] = described("The colours that carry text, lines or marks.")
    absences: Sequence[Absent] = described("Each reason why something is not there.")
    example: str | None = described("Address of the leaderboard shown as an example: the one with most rows.")
    board: LeaderboardPage | None = described("That leaderboard.", json=False)
    correction: CorrectedCell = described("A made-up correction, to show one.", json=False)

    @property
    def heading(self) -> str:
        """The page's name."""
        return "Style guide"

    @property
    def indexable(self) -> bool:
        """It says nothing about the archive."""
        return False


def build() -> StyleguidePage:
    """The page. At most 11 queries, one of which finds the leaderboard."""
    provenance = Provenance.current()
    boards = Record.objects.public().filter(kind=RecordKind.LEADERBOARD)
    largest = boards.order_by("-leaderboard__row_count", "id").first()
    return StyleguidePage(
        url="/styleguide",
        source=provenance.source,
        provenance=provenance,
        colours=[
            Colour(name=name, use=use, shades=[_shade(name, scheme) for scheme in range(len(SCHEMES))])
            for name, use in USES.items()
        ],
        absences=[Absent.because(reason) for reason in Absence],
        example=largest.path if largest else None,
        board=leaderboard.build(largest) if largest else None,
        correction=CorrectedCell(
            record="", field="", snapshot="28.4", current="28.6", decision=1, sealed=None, hidden=None
        ),
    )


def _shade(name: str, scheme: int) -> Shade:
    found = colours()
    least = min(contrast(found[name][scheme], found[ground][scheme]) for ground in GROUNDS)
    return Shade(scheme=SCHEMES[scheme], colour=found[name][scheme], contrast=int(least * 10) / 10)
