"""The front page: what this is, what it holds, where to begin, what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet

from archive.facets import hidden
from archive.models import Area, Modality, RecordKind
from archive.pages.base import Page, Provenance, described, documented
from archive.pages.counted import HOLDINGS, UNKNOWN, count
from archive.pages.dataset_years import DatasetsByYear, WayIn, datasets_by_year
from corrections.history import EntryShown, newest_decisions

DECISIONS_SHOWN = 3
HREFS = {
    "datasets": "/datasets",
    "papers": "/papers",
    "code_links": "/papers?code=yes",
    "tasks": "/tasks",
    "leaderboards": "/sota",
    "rows": "/sota?sort=rows",
    "methods": "/methods",
}
WHAT_THIS_IS = (
    "Machine-learning papers, datasets, benchmarks and code links, as Papers with Code had them when it was frozen. "
    "Whoever finds a mistake can report it; a person checks every report against the paper or source before anything "
    "changes, and every decision is listed for ever."
)
NOT_SAID = (
    "Results published after the snapshot are not here, so a place in a leaderboard is not a current standing.",
    "Nothing here verifies that listed code works, or that it is still where it was.",
    "Stars, downloads and trends are not tracked.",
)


@documented
class CountOnFront:
    """How much of something the archive holds."""

    key: str = described("Its name on the page of counts, where `#key` leads to its definition.")
    label: str = described("What is counted, in words.")
    number: int = described("The count.")
    url: str = described("Where these are listed.")
    definition: str = described("What exactly is counted.")


@documented
class NotKnown:
    """Something that the archive does not say, and how often."""

    key: str = described("Its name on the page of counts.")
    label: str = described("What is not known, in words.")
    number: int = described("How often.")
    definition: str = described("What exactly is counted.")


@documented
class HomePage(Page):
    """`/`: the front page. Its twin is `/index.json`."""

    what_this_is: str = described("What this site is, in two sentences.", default=WHAT_THIS_IS)
    counts: Sequence[CountOnFront] = described("What the archive holds.")
    areas: Sequence[WayIn] = described("Areas of tasks, those with most tasks first.")
    modalities: Sequence[WayIn] = described("Modalities, those with most datasets first.")
    datasets_by_year: DatasetsByYear = described("Datasets by the year of their introduction.")
    newest_decisions: Sequence[EntryShown] = described("The newest decisions on reports, at most 3.")
    not_known: Sequence[NotKnown] = described("What the archive does not say.")
    not_said: Sequence[str] = described("What this site says nothing about, in sentences.", default=NOT_SAID)

    @property
    def heading(self) -> str:
        """The site's name."""
        return "Corrigenda"


def build() -> HomePage:
    """The page. Seven queries; one more for the changes of the newest decisions, and one for what they answered."""
    provenance = Provenance.current()
    numbers = count({**HOLDINGS, **UNKNOWN})
    areas = Area.objects.annotate(number=_number("tasks__task", RecordKind.TASK))
    modalities = Modality.objects.annotate(number=_number("datasets__dataset", RecordKind.DATASET))
    ways = _ways_in(modalities, "/datasets/modality/{}")
    return HomePage(
        url="/",
        source=provenance.source,
        provenance=provenance,
        counts=[
            CountOnFront(key=key, label=it.label, number=numbers[key], url=HREFS[key], definition=it.sentence)
            for key, it in HOLDINGS.items()
        ],
        areas=_ways_in(areas, "/area/{}"),
        modalities=ways,
        datasets_by_year=datasets_by_year(ways),
        newest_decisions=newest_decisions(DECISIONS_SHOWN),
        not_known=[
            NotKnown(key=key, label=it.label, number=numbers[key], definition=it.sentence)
            for key, it in UNKNOWN.items()
        ],
    )


def _number(members: str, kind: RecordKind) -> Count:
    return Count(members, filter=~Q(**{f"{members}__in": hidden(kind)}), distinct=True)


def _ways_in(counted: QuerySet[Any], url: str) -> list[WayIn]:
    found = counted.filter(number__gt=0).order_by("-number", "sort_key", "id")
    return [WayIn(name=term.name, url=url.format(term.slug), number=term.number) for term in found]
