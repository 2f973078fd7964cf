"""The rows around a result row: what a reader compares it with, and what the order by value would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from archive.importers.metric_values import parse_metric
from archive.models import LeaderboardMetric, Record, RecordKind, Result, ResultMetric
from archive.models.leaderboards import Direction
from archive.pages.base import public
from archive.pages.boards import board_name, rank_in_words
from corrections.correctable import METRIC

AROUND = 5
OTHERS_MOST = 20


@dataclass(frozen=True)
class Neighbour:
    """A result row beside the one in question."""

    record: Record
    rank: str | None
    model: str | None
    paper: str | None
    board: str
    value: str | None
    is_this: bool


@dataclass(frozen=True)
class Neighbours:
    """The leaderboard's rows around a row, and the other rows of its paper."""

    board: Record
    metric: str
    siblings: Sequence[Neighbour]
    others: Sequence[Neighbour]
    more_others: bool


def of(record: Record, field: str) -> Neighbours | None:
    """The neighbours of a row, each with its value of the field's metric, or of the board's first; None of no row.

    Five queries.
    """
    if record.kind != RecordKind.RESULT:
        return None
    row = Result.objects.select_related("leaderboard__record").get(pk=record.pk)
    metric = field.removeprefix(METRIC) if field.startswith(METRIC) else _first_metric(row)
    around = Result.objects.filter(public() | Q(pk=row.pk), _around(row)).in_archive_order()
    siblings = list(_with_names(around)[: 2 * AROUND + 1])
    others: list[Result] = []
    if row.paper_id is not None:
        same = _with_names(Result.objects.filter(public(), paper=row.paper_id).exclude(pk=row.pk))
        others = list(same.order_by("record_id")[: OTHERS_MOST + 1])
    values = dict(
        ResultMetric.objects.filter(result__in=[r.pk for r in (*siblings, *others)], metric__name=metric)
        .order_by(F("metric__position").desc(nulls_first=True))
        .values_list("result_id", "value")
    )
    return Neighbours(
        board=row.leaderboard.record,
        metric=metric,
        siblings=[_neighbour(r, row, values.get(r.pk)) for r in siblings],
        others=[_neighbour(r, row, values.get(r.pk)) for r in others[:OTHERS_MOST]],
        more_others=len(others) > OTHERS_MOST,
    )


def _with_names(rows: QuerySet[Result]) -> QuerySet[Result]:
    return rows.select_related("record", "leaderboard__task")


def _first_metric(row: Result) -> str:
    names = LeaderboardMetric.objects.filter(leaderboard=row.leaderboard_id).order_by(
        F("position").asc(nulls_last=True), "id"
    )
    return names.values_list("name", flat=True).first() or ""


def _around(row: Result) -> Q:
    here = Q(leaderboard=row.leaderboard_id)
    if row.position is None:
        return here & Q(pk=row.pk)
    return here & Q(position__range=(row.position - AROUND, row.position + AROUND))


def _neighbour(row: Result, this: Result, value: str | None) -> Neighbour:
    return Neighbour(
        record=row.record,
        rank=rank_in_words(row, row.leaderboard.row_count),
        model=row.model_name,
        paper=row.paper_title,
        board=board_name(row.leaderboard.task.name, row.leaderboard.dataset_name),
        value=value,
        is_this=row.pk == this.pk,
    )


def order_note(record: Record, field: str, value: object) -> str:
    """Where a row would stand if its leaderboard were ordered by a new value of a metric: told, never applied.

    "" where the value is no number or the metric's direction is not known. Three queries.
    """
    number = parse_metric(value) if isinstance(value, str) and field.startswith(METRIC) else None
    if number is None:
        return ""
    row = Result.objects.get(pk=record.pk)
    metrics = LeaderboardMetric.objects.filter(leaderboard=row.leaderboard_id, name=field.removeprefix(METRIC))
    metric = metrics.order_by(F("position").asc(nulls_last=True), "id").first()
    if metric is None or metric.direction == Direction.UNKNOWN:
        return ""
    others = ResultMetric.objects.filter(metric=metric, number__isnull=False).exclude(result=row)
    numbers = list(others.values_list("number", flat=True))
    new = float(number)
    better = sum(n > new if metric.direction == Direction.HIGHER else n < new for n in numbers if n is not None)
    stands = f"its rank stays #{row.position}, the snapshot’s" if row.position else "it has no rank"
    return (
        f"Ordered by “{metric.name}” alone ({metric.get_direction_display()}), the row would be number {better + 1} "
        f"of the {len(numbers) + 1} rows with a number. That is not applied: {stands}."
    )
