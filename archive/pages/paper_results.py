"""The leaderboard rows that name a paper, as its page lists them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from django.db.models import F

from archive.models import Leaderboard, Paper, Result
from archive.pages.base import Absence, Absent, described, documented, public
from archive.pages.boards import ADDED_BY, no_rank, public_path, rank_in_words, values_of
from archive.pages.standing import Standings


@documented
class ResultOfPaper:
    """A leaderboard row that names the paper. Its rank is its place at the snapshot, not a current standing."""

    row: str = described("Address on this site of the row.")
    leaderboard: str = described("Address on this site of the leaderboard.")
    task: str = described("The task's name.")
    task_url: str | None = described("Address on this site of the task; null if its record is set aside.")
    dataset_variant: str | None = described("The dataset's name as the leaderboard prints it, blanks included.")
    dataset: str | None = described("Address on this site of the dataset; null if none matches the name.")
    model: str | None = described("The model's name, as printed.")
    metrics: Mapping[str, str] = described("By metric: the value, verbatim. A metric the row lacks is left out.")
    rank: int | None = described("The row's 1-based place in the archive's order at the snapshot.")
    rows: int = described("Number of rows of the leaderboard at the snapshot.")
    rank_at_snapshot: str | None = described("Both in words, such as #2 of 4.")
    uses_additional_data: bool = described("Whether the archive flags the row as using additional training data.")
    matched_by: str = described("By what the row was matched with the paper: url, arxiv, title, or decided.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds the row; null if none.")
    added_by: int | None = described(ADDED_BY)
    open_reports: int = described("Number of open reports on this row, from the minute they are filed.")
    absent: Mapping[str, Absent] = described("Why a key of the row is null or empty, by key.")

    @property
    def key(self) -> str:
        """The row's public key."""
        return self.row[1:]


def rows_of(paper: Paper) -> list[Result]:
    """The public rows of public leaderboards that name the paper, in archive order. One query."""
    return list(
        Result.objects.filter(public(), public("leaderboard__record__"), paper=paper)
        .select_related("record", "leaderboard__record", "leaderboard__task__record", "leaderboard__dataset__record")
        .order_by("leaderboard__record__ordinal", "leaderboard_id", F("position").asc(nulls_last=True), "number")
    )


def results(rows: Sequence[Result], standing: Standings) -> list[ResultOfPaper]:
    """The rows as the page lists them. One query."""
    values = values_of([row.pk for row in rows])
    return [_result(row, standing.metrics(row.pk, values[row.pk]), standing) for row in rows]


def _result(row: Result, metrics: Mapping[str, str], standing: Standings) -> ResultOfPaper:
    board = row.leaderboard
    task_url = public_path(board.task.record)
    dataset = public_path(board.dataset.record) if board.dataset else None
    absent = {}
    if not task_url:
        absent["task_url"] = Absent.because(Absence.WITHHELD)
    if not dataset:
        absent["dataset"] = _without_dataset(board)
    if not board.dataset_name:
        absent["dataset_variant"] = Absent.because(Absence.NOT_IN_ARCHIVE)
    if not row.model_name:
        absent["model"] = Absent.because(Absence.NOT_IN_ARCHIVE)
    if not metrics:
        absent["metrics"] = Absent.because(Absence.NOT_IN_ARCHIVE)
    if row.position is None:
        absent["rank"] = absent["rank_at_snapshot"] = no_rank(standing.added_by(row.pk))
    absent |= standing.hidden({"model_name": "model"}, row.pk)
    return ResultOfPaper(
        row=row.record.path,
        leaderboard=board.record.path,
        task=board.task.name,
        task_url=task_url,
        dataset_variant=board.dataset_name,
        dataset=dataset,
        model=row.model_name,
        metrics=metrics,
        rank=row.position,
        rows=board.row_count,
        rank_at_snapshot=rank_in_words(row, board.row_count),
        uses_additional_data=row.uses_additional_data,
        matched_by=row.paper_matched,
        dropped_in=row.record.dropped_in,
        added_by=standing.added_by(row.pk),
        open_reports=standing.open_reports(row.pk),
        absent=absent,
    )


def _without_dataset(board: Leaderboard) -> Absent:
    if board.dataset:
        return Absent.because(Absence.WITHHELD)
    return Absent.because(Absence.NOT_MATCHED if board.dataset_name else Absence.NOT_IN_ARCHIVE)
