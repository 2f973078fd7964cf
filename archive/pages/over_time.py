"""A metric of a leaderboard over time: which rows can stand in a chart, and why the others can not."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Protocol

from archive.importers.metric_directions import Direction
from archive.importers.metric_values import parse_metric
from archive.pages.documented import described, documented

NO_VALUE = "no-value", "The row gives no value of this metric."
NO_NUMBER = "no-number", "No single number can be read from the value."
NO_DATE = "no-date", "The row gives no date of its paper."
NOT_IN_SNAPSHOT = "dropped", "The row is not in the newest snapshot."
EXTREME_SO_FAR = (
    "The highest or lowest so far among the rows of this archive, by the dates of their papers. Not a current standing."
)


class ToldMetric(Protocol):
    """What is asked of a metric."""

    @property
    def name(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def direction_sentence(self) -> str: ...
    @property
    def known_from(self) -> str | None: ...


class ShownRow(Protocol):
    """What is asked of a row; its cells are in the order of the metrics."""

    @property
    def row(self) -> str: ...
    @property
    def model(self) -> str | None: ...
    @property
    def cells(self) -> Sequence[str | None]: ...
    @property
    def paper_date(self) -> datetime.date | None: ...
    @property
    def paper_date_precision(self) -> str | None: ...
    @property
    def dropped_in(self) -> datetime.date | None: ...


@documented
class DatedValue:
    """A row in its place in time."""

    row: str = described("Address on this site of the row.")
    model: str | None = described("The model's name, as printed.")
    date: datetime.date = described("The paper's date, as printed in the row.")
    date_precision: str | None = described("day, or year where only the year is known: then it stands at its start.")
    value: str = described("The value, verbatim.")
    number: float = described("The number read from it.")
    extreme_so_far: bool | None = described(
        "Whether it is higher, or lower where lower is better, than all of earlier days, and first such of its day; "
        "null where the direction is unknown."
    )


@documented
class LeftOut:
    """A row that has no place in time."""

    row: str = described("Address on this site of the row.")
    model: str | None = described("The model's name, as printed.")
    value: str | None = described("The value, verbatim; null if the row gives none.")
    reason: str = described("dropped, no-value, no-number or no-date.")
    sentence: str = described("The reason in words.")


@documented
class MetricOverTime:
    """A metric of a leaderboard by the dates of its rows' papers. It ranks nothing."""

    metric: str = described(
        "The metric, as printed: the first of the leaderboard, or the one that the address asks for."
    )
    direction: str = described("higher, lower, or unknown: which values are the better ones.")
    direction_sentence: str = described("The direction in words.")
    known_from: str | None = described("What the direction is known from; null if it is unknown.")
    note: str = described("What extreme_so_far means.", default=EXTREME_SO_FAR)
    points: Sequence[DatedValue] = described("Rows with a date and a number, oldest first; of a day, in archive order.")
    left_out: Sequence[LeftOut] = described("All other rows, each with the reason, in archive order.")

    @property
    def extreme_word(self) -> str:
        """What an extreme is: highest or lowest; "" where the direction is unknown."""
        return {Direction.HIGHER: "highest", Direction.LOWER: "lowest"}.get(Direction(self.direction), "")

    @property
    def extremes(self) -> Sequence[DatedValue]:
        """The points that were the extreme until then."""
        return [point for point in self.points if point.extreme_so_far]

    @property
    def left_out_by_reason(self) -> Sequence[tuple[str, Sequence[LeftOut]]]:
        """The rows left out, grouped by the reason in words."""
        groups: dict[str, list[LeftOut]] = {}
        for row in self.left_out:
            groups.setdefault(row.sentence, []).append(row)
        return list(groups.items())


class NoSuchMetric(LookupError):
    """The leaderboard has no metric of that name; the message says so."""


def over_time(
    metrics: Sequence[ToldMetric], rows: Sequence[ShownRow], name: str | None = None
) -> MetricOverTime | None:
    """The metric of that name, or the first, of these rows over time; None without a metric or a row. No query.

    Raises NoSuchMetric for a name that none of them has. Of two with one name the first is drawn.
    """
    column = _column(metrics, name)
    if not metrics or not rows:
        return None
    metric = metrics[column]
    placed: list[tuple[datetime.date, float, ShownRow, str]] = []
    left_out = []
    for row in rows:
        value = row.cells[column]
        number = parse_metric(value) if value is not None else None
        if why := _why_not(row, value, number is not None):
            reason, sentence = why
            left_out.append(LeftOut(row=row.row, model=row.model, value=value, reason=reason, sentence=sentence))
        elif row.paper_date and value is not None and number is not None:
            placed.append((row.paper_date, float(number), row, value))
    placed.sort(key=lambda each: each[0])
    extremes = _extremes([(day, number) for day, number, _, _ in placed], Direction(metric.direction))
    return MetricOverTime(
        metric=metric.name,
        direction=metric.direction,
        direction_sentence=metric.direction_sentence,
        known_from=metric.known_from,
        points=[
            DatedValue(
                row=row.row,
                model=row.model,
                date=day,
                date_precision=row.paper_date_precision,
                value=value,
                number=number,
                extreme_so_far=place in extremes if extremes is not None else None,
            )
            for place, (day, number, row, value) in enumerate(placed)
        ],
        left_out=left_out,
    )


def _column(metrics: Sequence[ToldMetric], name: str | None) -> int:
    if name is None:
        return 0
    for column, metric in enumerate(metrics):
        if metric.name == name:
            return column
    raise NoSuchMetric(f"This leaderboard has no metric “{name}”.")


def _why_not(row: ShownRow, value: str | None, is_number: bool) -> tuple[str, str] | None:
    if row.dropped_in:
        return NOT_IN_SNAPSHOT
    if value is None:
        return NO_VALUE
    if not is_number:
        return NO_NUMBER
    return None if row.paper_date else NO_DATE


def _extremes(dated: Sequence[tuple[datetime.date, float]], direction: Direction) -> set[int] | None:
    """The places, among numbers in the order of days, of those that beat all earlier days; None without a direction."""
    if direction == Direction.UNKNOWN:
        return None
    sign = -1 if direction == Direction.LOWER else 1
    found: set[int] = set()
    extreme: float | None = None
    # Of one day the furthest number counts, and of equal ones the first in archive order.
    for place in sorted(range(len(dated)), key=lambda place: (dated[place][0], -sign * dated[place][1], place)):
        number = sign * dated[place][1]
        if extreme is None or number > extreme:
            found.add(place)
            extreme = number
    return found
