"""A leaderboard: its rows in the archive's order, its metrics as columns, and what that order does not say."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.db.models import QuerySet

from archive.importers.metric_directions import Direction
from archive.importers.metric_values import parse_metric
from archive.models import Leaderboard, LeaderboardMetric, Record, Result, ResultMetric
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    described,
    documented,
    missing,
    public,
)
from archive.pages.benchmarks import ARCHIVE_ORDER
from archive.pages.boards import (
    ADDED_BY,
    BoardLink,
    MetricOfBoard,
    Named,
    PrintedLink,
    board_link,
    board_name,
    boards_in_order,
    metrics_in_order,
    missing_paper,
    no_rank,
    printed_links,
    public_path,
    rank_in_words,
    rank_note,
)
from archive.pages.order_notes import Metric, OrderNote, Row, Value, order_notes
from archive.pages.over_time import MetricOverTime, over_time
from archive.pages.standing import Standings
from archive.pages.view import CURRENT, View

OTHERS_SHOWN = 20
PARTS_SHOWN = 100
LINKS_SHOWN = 2
METRIC = "metric"
"""The parameter of an address that names the metric to draw."""
MANY_ROWS = 25
"""Rows from which the table scrolls in its box, so that its head stays in sight."""


@documented
class DatasetOfBoard:
    """The dataset of the archive that a leaderboard's printed name was matched with."""

    name: str | None = described("The dataset's name, as its own record prints it.")
    url: str = described("Address on this site of the dataset.")
    matched_by: str = described("By what the printed name was matched: name, or variant for one of its other names.")


@documented
class RowOfBoard:
    """A row of a leaderboard. Its rank is its place at the snapshot, not a current standing."""

    row: str = described("Address on this site of the row, which never changes.")
    number: int = described("The row's number in that address. Given once, in archive order; no rank.")
    rank: int | None = described("Its 1-based place in the archive's order at the snapshot.")
    rows: int = described("Number of rows of the leaderboard at the snapshot.")
    rank_at_snapshot: str | None = described("Both in words, such as #2 of 4.")
    model: str | None = described("The model's name, as printed.")
    metrics: Mapping[str, str] = described("By metric: the value, verbatim. A metric the row lacks is left out.")
    uses_additional_data: bool = described("Whether the archive flags the row as using additional training data.")
    paper: str | None = described("Address on this site of the row's paper.")
    paper_title: str | None = described("The paper's title, as printed in the row.")
    paper_url: str | None = described("The paper's own address elsewhere, as printed in the row.")
    paper_date: datetime.date | None = described("The paper's date, as printed in the row.")
    paper_date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    code_links: Sequence[PrintedLink] = described("The links to code printed in the row.")
    model_links: Sequence[PrintedLink] = described("The links to models printed in the row.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds the row; null if none.")
    added_by: int | None = described(ADDED_BY)
    open_reports: int = described("Number of open reports on this row, from the minute they are filed.")
    absent: Mapping[str, Absent] = described("Why a key of the row is null or empty, by key.")
    cells: Sequence[str | None] = described("Its value of each metric, in the order of the columns.", json=False)

    @property
    def key(self) -> str:
        """The row's public key."""
        return self.row[1:]

    @property
    def links_shown(self) -> Sequence[PrintedLink]:
        """The links to code and models that the HTML table has room for; the row's own page has all."""
        return [*self.code_links, *self.model_links][:LINKS_SHOWN]

    @property
    def links_left(self) -> int:
        """How many there are beside those."""
        return len(self.code_links) + len(self.model_links) - len(self.links_shown)


@documented
class OtherBoards:
    """Leaderboards that have something in common with this one: the first in archive order."""

    total: int = described("How many there are, this one left out.")
    shown: Sequence[BoardLink] = described("The first of them, at most 20.")


@documented
class LeaderboardPage(RecordPage):
    """`/sota/<slug>`: one leaderboard, whole. `/sota/<slug>.csv` has its rows as a table."""

    section = "/sota"

    name: str = described("Task and dataset in words: Visual Dialog on ConvAI2.")
    task: Named = described("The leaderboard's task.")
    dataset_variant: str | None = described("The dataset's name as the leaderboard prints it, blanks included.")
    dataset: DatasetOfBoard | None = described("The dataset of the archive that this name means.")
    description_markdown: str | None = described("The leaderboard's own description, verbatim Markdown.")
    dataset_links: Sequence[PrintedLink] = described("Links on the dataset printed with the leaderboard.")
    dataset_citations: Sequence[PrintedLink] = described("Citations of the dataset printed with the leaderboard.")
    parent: BoardLink | None = described("The leaderboard that this one is a part of; null if it is none.")
    subdatasets: Sequence[BoardLink] = described("Leaderboards on parts of the dataset, printed within this one.")
    metrics: Sequence[MetricOfBoard] = described("The columns: the archive's list, then those that only rows use.")
    row_count: int = described("Number of rows in the newest snapshot: the N of every rank.")
    rows_not_shown: int = described("How many of them are set aside or withdrawn, and so not among the results.")
    rank_note: str = described("What a rank is, and that it is not a current standing.")
    note: str = described("What the order of the results means.", default=ARCHIVE_ORDER)
    order_notes: Sequence[OrderNote] = described("What that order does not say: told, and not applied to it.")
    results: Sequence[RowOfBoard] = described(
        "All rows in the archive's order, then those no longer in the snapshot, then those added by a decision."
    )
    metric_over_time: MetricOverTime | None = described(
        "The first metric, or that of ?metric=, by the dates of the rows' papers; null without a metric or a row."
    )
    same_dataset: OtherBoards = described("Other leaderboards on the same dataset of the archive.")
    same_task: OtherBoards = described("Other leaderboards of the same task.")

    @property
    def heading(self) -> str:
        """Task and dataset."""
        return self.name

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Leaderboards, then this one."""
        return (Crumb(name="Leaderboards", url="/sota"),)

    @property
    def canonical_url(self) -> str:
        """The address without a view and without a choice of metric."""
        return f"/{self.record.key}"

    @property
    def csv_url(self) -> str:
        """The address of its rows as CSV."""
        path, _, _ = self.url.partition("?")
        view = urlencode(self._view)
        return f"{path}.csv?{view}" if view else f"{path}.csv"

    @property
    def metric_choices(self) -> Sequence[tuple[str, str, bool]]:
        """The metrics that the chart can show: name, address, and whether it is the one shown."""
        shown = self.metric_over_time.metric if self.metric_over_time else None
        names = dict.fromkeys(metric.name for metric in self.metrics)
        return [(name, f"?{urlencode([*self._view, (METRIC, name)])}", name == shown) for name in names]

    @property
    def _view(self) -> Sequence[tuple[str, str]]:
        """What the address asks for beside the metric of the chart."""
        query = self.url.partition("?")[2]
        return [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != METRIC]

    @property
    def is_long(self) -> bool:
        """Whether the table scrolls in its box."""
        return len(self.results) > MANY_ROWS

    @property
    def has_code(self) -> bool:
        """Whether any row has a link to code or to a model."""
        return any(row.code_links or row.model_links for row in self.results)


def build(record: Record, view: View = CURRENT, metric: str | None = None) -> LeaderboardPage:
    """The page of a leaderboard's record in a view. 9 queries, 8 without a dataset, however many rows it has.

    `metric` is the name of the one to draw over time; the first if none is named. Raises NoSuchMetric.
    """
    board = Leaderboard.objects.select_related(
        "record", "task__record", "dataset__record", "parent__record", "parent__task"
    ).get(pk=record.pk)
    provenance = Provenance.current()
    metrics = metrics_in_order(board.pk)
    rows = list(
        Result.objects.filter(public(), leaderboard=board)
        .select_related("record", "paper__record")
        .defer("record__extra", "paper__abstract", "paper__short_abstract", "paper__record__extra")  # 900 abstracts
        .in_archive_order()
    )
    values = _values(board, metrics)
    standing = Standings.on_page(record, [row.pk for row in rows], view)
    standing.put(board)
    rows = standing.there(rows)
    shown = {row.pk: _as_viewed(row.pk, metrics, values.get(row.pk, {}), standing) for row in rows}
    parts = list(boards_in_order(Leaderboard.objects.filter(parent=board))[:PARTS_SHOWN])
    dataset = _dataset(board)
    content: dict[str, Any] = {
        "dataset_variant": board.dataset_name,
        "dataset": dataset,
        "description_markdown": board.description,
        "dataset_links": printed_links(board.links),
        "dataset_citations": printed_links(board.citations),
        "metrics": [MetricOfBoard.of(metric) for metric in metrics],
        "results": [_row(row, board, metrics, shown[row.pk], standing) for row in rows],
    }
    ranked = [row for row in rows if row.position is not None]
    chosen = f"{record.path}?{urlencode({METRIC: metric})}" if metric is not None else ""
    return LeaderboardPage(
        **standing.frame(provenance, chosen),
        name=board_name(board.task.name, board.dataset_name),
        task=Named(name=board.task.name, url=public_path(board.task.record)),
        **content,
        parent=board_link(board.parent) if board.parent and public_path(board.parent.record) else None,
        subdatasets=[board_link(part) for part in parts],
        row_count=board.row_count,
        rows_not_shown=0 if record.dropped_in else board.row_count - len(ranked),
        rank_note=rank_note(provenance.source.snapshot),
        order_notes=_notes(board, metrics, ranked, shown, [part.dataset_name or "" for part in parts]),
        metric_over_time=over_time(content["metrics"], content["results"], metric),
        same_dataset=_others(Leaderboard.objects.filter(dataset=board.dataset_id), board) if dataset else _NONE,
        same_task=_others(Leaderboard.objects.filter(task=board.task_id), board),
        absent={**_absent(content, board), **standing.hidden(KEYS)},
    )


KEYS = {"dataset_name": "dataset_variant", "description": "description_markdown"}
ROW_KEYS = {"model_name": "model"}
"""The keys of fields that the page does not show under their own name."""

_NONE = OtherBoards(total=0, shown=[])

Values = Mapping[int, tuple[str, float | None]]
"""By metric's id: the printed value, and its number."""


def _values(board: Leaderboard, metrics: Sequence[LeaderboardMetric]) -> dict[int, dict[int, tuple[str, float | None]]]:
    """By row, then by metric in the order of the columns: what is printed and what number that is. One query."""
    found: dict[int, dict[int, tuple[str, float | None]]] = {}
    stored = ResultMetric.objects.filter(result__leaderboard=board)
    for row, metric, value, number in stored.values_list("result_id", "metric_id", "value", "number"):
        found.setdefault(row, {})[metric] = (value, number)
    return found


def _as_viewed(row: int, metrics: Sequence[LeaderboardMetric], values: Values, standing: Standings) -> Values:
    """A row's values as the view has them. No query."""
    found = dict(values)
    for name, printed in standing.other_metrics(row).items():
        # Of two metrics with one name the first is the one that decisions speak of.
        metric = next(metric.pk for metric in metrics if metric.name == name)
        if printed is None:
            found.pop(metric, None)
        else:
            number = parse_metric(printed)
            found[metric] = (printed, float(number) if number is not None else None)
    return found


def _row(
    row: Result, board: Leaderboard, metrics: Sequence[LeaderboardMetric], values: Values, standing: Standings
) -> RowOfBoard:
    paper = public_path(row.paper.record if row.paper else None)
    content: dict[str, Any] = {
        "model": row.model_name,
        "metrics": {metric.name: values[metric.id][0] for metric in metrics if metric.id in values},
        "paper_title": row.paper_title,
        "paper_url": row.paper_url,
        "paper_date": row.paper_date,
        "code_links": printed_links(row.code_links),
        "model_links": printed_links(row.model_links),
    }
    absent = {key: _NOT_IN_ARCHIVE for key, value in content.items() if not value}
    if paper is None:
        absent["paper"] = missing_paper(row)
    added_by = standing.added_by(row.pk)
    if row.position is None:
        absent["rank"] = absent["rank_at_snapshot"] = no_rank(added_by)
    absent |= standing.hidden(ROW_KEYS, row.pk)
    return RowOfBoard(
        row=row.record.path,
        number=row.number,
        rank=row.position,
        rows=board.row_count,
        rank_at_snapshot=rank_in_words(row, board.row_count),
        **content,
        uses_additional_data=row.uses_additional_data,
        paper=paper,
        paper_date_precision=row.paper_date_precision or None,
        dropped_in=row.record.dropped_in,
        added_by=added_by,
        open_reports=standing.open_reports(row.pk),
        absent=absent,
        cells=[values[metric.id][0] if metric.id in values else None for metric in metrics],
    )


_NOT_IN_ARCHIVE = Absent.because(Absence.NOT_IN_ARCHIVE)


def _dataset(board: Leaderboard) -> DatasetOfBoard | None:
    url = public_path(board.dataset.record if board.dataset else None)
    if board.dataset is None or url is None:
        return None
    return DatasetOfBoard(name=board.dataset.name, url=url, matched_by=board.dataset_matched)


def _notes(
    board: Leaderboard,
    metrics: Sequence[LeaderboardMetric],
    rows: Sequence[Result],
    values: Mapping[int, Values],
    parts: Sequence[str],
) -> list[OrderNote]:
    column = {metric.pk: index for index, metric in enumerate(metrics)}
    return order_notes(
        [Metric(metric.name, Direction(metric.direction)) for metric in metrics],
        [
            Row(
                place=row.position or 0,
                model=row.model_name,
                extra_data=row.uses_additional_data,
                values={column[metric]: Value(*value) for metric, value in values.get(row.pk, {}).items()},
            )
            for row in rows
        ],
        first=0 if metrics and metrics[0].position is not None else None,
        dataset=board.dataset_name,
        parts=parts,
    )


def _others(boards: QuerySet[Leaderboard], board: Leaderboard) -> OtherBoards:
    found: list[Any] = list(boards_in_order(boards.exclude(pk=board.pk))[:OTHERS_SHOWN])
    return OtherBoards(total=found[0].total if found else 0, shown=[board_link(other) for other in found])


def _absent(content: Mapping[str, Any], board: Leaderboard) -> dict[str, Absent]:
    absent = missing(content)
    if not content["dataset"]:
        if board.dataset is not None:
            absent["dataset"] = Absent.because(Absence.QUARANTINED, "The dataset's record is set aside or withdrawn.")
        elif board.dataset_name and board.dataset_name.strip():
            absent["dataset"] = Absent.because(Absence.NOT_MATCHED)
    if not content["results"]:
        absent["results"] = Absent.because(Absence.NOT_IN_ARCHIVE, "The archive gives no row.")
    return absent
