"""Every count that the site shows, with its exact definition."""

from __future__ import annotations

from collections.abc import Sequence

from archive.pages.base import Page, Provenance, described, documented
from archive.pages.counted import count, everything


@documented
class CountOfArchive:
    """A count of the archive as a whole."""

    key: str = described("Its name here and on the page, where `#key` leads to it.")
    label: str = described("What is counted, in words.")
    number: int = described("The count, as of now.")
    definition: str = described("What exactly is counted.")
    sql: str = described("The query that gives it, as it was run for this page.")


@documented
class GroupOfCounts:
    """Counts of one sort."""

    heading: str = described("What they have in common.")
    counts: Sequence[CountOfArchive] = described("The counts.")


@documented
class CountElsewhere:
    """A count that stands beside something on another page, and depends on it."""

    where: str = described("Where it stands.")
    definition: str = described("What exactly is counted.")


ELSEWHERE = (
    (
        "beside a filter’s value in a list",
        "Public records that have the value and match all other filters that are chosen; other values of the same "
        "filter are left out of account, since they are “or”. Lists of papers longer than 3,000 are not counted.",
    ),
    (
        "above a list",
        "Public records that match all filters; of papers up to 3,000, beyond which it says “more than 3,000”.",
    ),
    (
        "“papers by the archive’s count” of a dataset or a method",
        "The archive’s own number (`num_papers`), as printed in the dump. It was never recomputed here, and no list "
        "stands behind it.",
    ),
    (
        "code links of a paper in a list",
        "Public links between that paper and a repository.",
    ),
    (
        "leaderboard rows of a paper in a list",
        "Public rows of public leaderboards that were matched with that paper.",
    ),
    (
        "rows of a leaderboard, and the N of “#k of N”",
        "Rows that the newest snapshot holds in that leaderboard; k is the place in the archive’s own order.",
    ),
    (
        "datasets of a modality on the front page",
        "Public datasets that name it.",
    ),
    (
        "tasks of an area on the front page",
        "Public tasks that the evaluation tables put in it.",
    ),
    (
        "methods of a collection",
        "Public methods that name it.",
    ),
)


@documented
class CountsPage(Page):
    """`/counts`: the counts, each with its definition and its query."""

    null_is_not_zero: str = described(
        "How to read them.",
        default="Null is not zero: where the archive says nothing, nothing is counted, and nothing is said to be none.",
    )
    groups: Sequence[GroupOfCounts] = described("Counts of the archive as a whole.")
    elsewhere: Sequence[CountElsewhere] = described("Counts beside other things, by where they stand.")

    @property
    def heading(self) -> str:
        """The page's title."""
        return "Counts and what they mean"


def build() -> CountsPage:
    """The page. Three queries: provenance, and all counts in one."""
    provenance = Provenance.current()
    numbers = count({key: definition for _, group in everything() for key, definition in group.items()})
    return CountsPage(
        url="/counts",
        source=provenance.source,
        provenance=provenance,
        groups=[
            GroupOfCounts(
                heading=heading,
                counts=[
                    CountOfArchive(
                        key=key,
                        label=definition.label,
                        number=numbers[key],
                        definition=definition.sentence,
                        sql=definition.sql,
                    )
                    for key, definition in group.items()
                ],
            )
            for heading, group in everything()
        ],
        elsewhere=[CountElsewhere(where=where, definition=definition) for where, definition in ELSEWHERE],
    )
