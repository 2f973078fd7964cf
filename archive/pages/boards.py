"""What the pages about leaderboards and tasks share: links, ranks, directions, values, and boards with a first row."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet, Subquery, Window
from django.db.models.aggregates import Count

from archive.importers.metric_directions import Direction, DirectionSource
from archive.models import Leaderboard, LeaderboardMetric, Record, Result, ResultMetric
from archive.pages.base import Absence, Absent, described, documented, public
from archive.pages.benchmarks import Benchmark, CodeReference, FirstRow
from archive.pages.standing import Standings

NOT_CURRENT = "Results published since then are not among these rows, so a rank here is not a current standing."

ADDED_BY = "Number of the decision that added it; null for what a snapshot gave."

DIRECTION_WORDS = {
    Direction.HIGHER: "higher is better",
    Direction.LOWER: "lower is better",
    Direction.UNKNOWN: "direction unknown",
}
DIRECTION_SOURCES = {
    DirectionSource.TABLE: "a table of known metrics",
    DirectionSource.NAME_RULE: "the metric’s name",
    DirectionSource.ROW_ORDER: "the order of the rows",
    DirectionSource.UNKNOWN: None,
}


@documented
class PrintedLink:
    """A link as the archive prints it. It may be dead, and may be no address at all."""

    title: str | None = described("Its words, as printed.")
    url: str | None = described("Its address, as printed.")


@documented
class Named:
    """A record that another one refers to."""

    name: str = described("Its name, as printed.")
    url: str | None = described("Its address on this site; null if its record is set aside or withdrawn.")


@documented
class BoardLink:
    """A leaderboard that another page refers to."""

    leaderboard: str = described("Address on this site of the leaderboard.")
    name: str = described("Task and dataset in words: Visual Dialog on ConvAI2.")
    task: str = described("The task's name; empty if the archive's task has none.")
    dataset_variant: str | None = described("The dataset's name as the leaderboard prints it, blanks included.")
    rows: int = described("Number of its rows in the newest snapshot.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")


@documented
class MetricOfBoard:
    """A metric of a leaderboard. Its direction is not the archive's: it is told, and never re-ranks a row."""

    name: str = described("As printed.")
    direction: str = described("higher, lower, or unknown: which values are the better ones.")
    direction_sentence: str = described("The direction in words.")
    known_from: str | None = described("What the direction is known from; null if it is unknown.")
    in_archive_list: bool = described("Whether the leaderboard's own list of metrics has it, or only its rows use it.")

    @classmethod
    def of(cls, metric: LeaderboardMetric) -> MetricOfBoard:
        """A stored metric. No query."""
        return cls(
            name=metric.name,
            direction=metric.direction,
            direction_sentence=DIRECTION_WORDS[Direction(metric.direction)],
            known_from=DIRECTION_SOURCES.get(DirectionSource(metric.direction_source)),
            in_archive_list=metric.position is not None,
        )


def rank_note(snapshot: datetime.date | None) -> str:
    """What a rank is and is not; stands wherever one is shown."""
    day = f" {snapshot.isoformat()}" if snapshot else ""
    return f"Ranks are positions in the archive's leaderboards as they stood at the{day} snapshot. {NOT_CURRENT}"


def rank_in_words(row: Result, of: int) -> str | None:
    """A rank as every face of it is written, "#2 of 4"; None for a row that is not in the snapshot."""
    return None if row.position is None else f"#{row.position} of {of}"


def no_rank(added_by: int | None) -> Absent:
    """Why a row has no rank: a snapshot dropped it, or a decision added it."""
    if added_by is None:
        return Absent.because(Absence.NO_RANK)
    return Absent.because(Absence.NO_RANK, f"No rank: the row was added by decision #{added_by}.")


def board_name(task: str, dataset: str | None) -> str:
    """A leaderboard in words, also where the archive leaves one of its two names empty."""
    on = f"on {dataset.strip()}" if dataset and dataset.strip() else "on a dataset without a name"
    return f"{task.strip() or 'A task without a name'} {on}"


def public_path(record: Record | None) -> str | None:
    """The address of a record that pages may link to, else None. No query."""
    if record is None or record.quarantined or record.withdrawn or record.merged_into_id:
        return None
    return record.path


def printed_links(links: Any) -> list[PrintedLink]:
    """The stored [{title, url}] of a row or table, in its order."""
    return [PrintedLink(title=link.get("title"), url=link.get("url")) for link in links]


def board_link(board: Leaderboard) -> BoardLink:
    """A reference to a leaderboard whose record and task are at hand. No query."""
    return BoardLink(
        leaderboard=board.record.path,
        name=board_name(board.task.name, board.dataset_name),
        task=board.task.name,
        dataset_variant=board.dataset_name,
        rows=board.row_count,
        dropped_in=board.record.dropped_in,
    )


def metrics_in_order(board: int) -> list[LeaderboardMetric]:
    """A leaderboard's metrics: the archive's list, then those that only rows use. One query."""
    return list(LeaderboardMetric.objects.filter(leaderboard=board).order_by(F("position").asc(nulls_last=True), "id"))


def values_of(rows: Collection[int]) -> dict[int, dict[str, str]]:
    """By row: its values by metric, verbatim, in the order of the leaderboard's metrics. One query, none of no rows."""
    found: dict[int, dict[str, str]] = {row: {} for row in rows}
    if found:
        stored = ResultMetric.objects.filter(result__in=found).order_by(
            F("metric__position").asc(nulls_last=True), "metric_id"
        )
        for row, name, value in stored.values_list("result_id", "metric__name", "value"):
            found[row][name] = value
    return found


def missing_paper(row: Result) -> Absent:
    """Why a row does not link to a paper. No query."""
    if row.paper is not None:
        reason = Absence.WITHHELD if row.paper.record.withdrawn else Absence.QUARANTINED
        return Absent.because(reason, "The record of its paper is set aside or withdrawn.")
    named = row.paper_title or row.paper_url
    return Absent.because(Absence.NOT_MATCHED if named else Absence.NOT_IN_ARCHIVE)


def boards_in_order(boards: QuerySet[Leaderboard]) -> QuerySet[Leaderboard, Any]:
    """The public ones of these leaderboards as the dump has them, each with `total`, how many there are."""
    return (
        boards.filter(public())
        .select_related("record", "task__record")
        .annotate(total=Window(Count("*")))
        .order_by("record__ordinal", "record_id")
    )


@dataclass(frozen=True)
class BoardsWithRows:
    """The first of some leaderboards, each with its first row, as they stand now; and how many there are."""

    total: int
    boards: Sequence[Any]
    rows: Mapping[int, Result]
    """The first rows by primary key."""

    values: Mapping[int, Mapping[str, str]]

    def benchmarks(self, standing: Standings) -> list[Benchmark]:
        """The leaderboards with their rows in the page's view. No query."""
        rows = {row.pk: _first_row(standing.put(row), standing, self.values[row.pk]) for row in self.rows.values()}
        return [
            Benchmark(
                leaderboard=board.record.path,
                task=board.task.name,
                task_url=board.task.record.path,
                dataset_variant=board.dataset_name,
                rows=board.row_count,
                metrics=board.metric_names,
                first_row_in_archive_order=rows.get(board.first_row),
                dropped_in=board.record.dropped_in,
            )
            for board in self.boards
        ]


def boards_with_rows(boards: QuerySet[Leaderboard], most: int) -> BoardsWithRows:
    """The first public ones of these leaderboards. Three queries, the first alone where there is none."""
    metrics = LeaderboardMetric.objects.filter(leaderboard=OuterRef("pk"))
    rows = Result.objects.filter(public(), leaderboard=OuterRef("pk"), position__isnull=False)
    found: list[Any] = list(
        boards_in_order(boards).annotate(
            metric_names=ArraySubquery(
                metrics.order_by(F("position").asc(nulls_last=True), "id").values("name"),
            ),
            first_row=Subquery(rows.order_by("position").values("pk")[:1]),
        )[:most]
    )
    first = [board.first_row for board in found if board.first_row]
    rows = Result.objects.filter(pk__in=first).select_related("record", "paper__record")
    return BoardsWithRows(
        total=found[0].total if found else 0,
        boards=found,
        rows={row.pk: row for row in rows} if first else {},
        values=values_of(first),
    )


def _first_row(row: Result, standing: Standings, values: Mapping[str, str]) -> FirstRow:
    return FirstRow(
        pk=row.pk,
        row=row.record.path,
        model=row.model_name,
        paper=public_path(row.paper.record if row.paper else None),
        paper_title=row.paper_title,
        metrics=standing.metrics(row.pk, values),
        code_links=[CodeReference(title=link.get("title"), url=link.get("url")) for link in row.code_links],
    )
