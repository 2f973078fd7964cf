"""The list of leaderboards."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef

from archive.facets import hidden
from archive.models import Dataset, Leaderboard, LeaderboardMetric, RecordKind
from archive.pages.base import Provenance, described, documented
from archive.pages.listing import BY_NAME, Asked, ListPage, Sort

SIZE = 100
MOST = 20_000
"""Leaderboards that are counted: more than there are."""

SORTS: Mapping[str, Sort] = {
    "name": BY_NAME,
    "rows": Sort("Number of rows", (F("row_count").desc(), F("record__sort_key"), F("pk"))),
}
METRICS_SHOWN = 5


@documented
class LeaderboardInList:
    """A leaderboard, as lists show it."""

    leaderboard: str = described("Address on this site of the leaderboard.")
    task: str = described("The task's name.")
    task_url: str = described("Address on this site of the task.")
    dataset_as_printed: str | None = described("The dataset's name, as the leaderboard prints it; null if it has none.")
    dataset: str | None = described("Address on this site of the dataset; null if none matched.")
    rows: int = described("Number of rows in the newest snapshot.")
    metrics: Sequence[str] = described("The first five metrics, in the archive's order.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")


@documented
class LeaderboardsPage(ListPage):
    """`/sota`: leaderboards, narrowed by any facets. None is ordered by a metric."""

    section = "/sota"

    leaderboards: Sequence[LeaderboardInList] = described("The leaderboards of this page, in the order asked.")

    @property
    def entries(self) -> Sequence[LeaderboardInList]:
        """The leaderboards."""
        return self.leaderboards


def build(asked: Asked) -> LeaderboardsPage:
    """The page of what is asked. Queries: six at most, and one for each facet with a chosen value."""
    provenance = Provenance.current()
    frame = asked.frame(MOST)
    neighbours = asked.numbered(frame["total"], SIZE)
    boards = _page(asked)
    datasets = dict(
        Dataset.objects.filter(pk__in={board.dataset_id for board in boards if board.dataset_id})
        .exclude(pk__in=hidden(RecordKind.DATASET))
        .values_list("pk", "record__key")
    )
    return LeaderboardsPage(
        **frame,
        **neighbours,
        source=provenance.source,
        provenance=provenance,
        title="Leaderboards",
        leaderboards=[_listed(board, datasets) for board in boards],
    )


def _page(asked: Asked) -> Sequence[Any]:
    metrics = LeaderboardMetric.objects.filter(leaderboard=OuterRef("pk"))
    metrics = metrics.order_by(F("position").asc(nulls_last=True), "pk")
    details = Leaderboard.objects.select_related("record", "task__record")
    return asked.page_of(SIZE, details.annotate(metric_names=ArraySubquery(metrics.values("name")[:METRICS_SHOWN])))


def _listed(board: Any, datasets: Mapping[int, str]) -> LeaderboardInList:
    key = datasets.get(board.dataset_id)
    return LeaderboardInList(
        leaderboard=board.record.path,
        task=board.task.name,
        task_url=board.task.record.path,
        dataset_as_printed=board.dataset_name,
        dataset=f"/{key}" if key else None,
        rows=board.row_count,
        metrics=board.metric_names,
        dropped_in=board.record.dropped_in,
    )
