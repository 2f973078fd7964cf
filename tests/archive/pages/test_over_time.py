"""A metric over time: which rows have a place, which were the extremes, and that none is lost."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as some

from archive.pages.over_time import MetricOverTime, NoSuchMetric, over_time


@dataclass(frozen=True)
class Metric:
    name: str = "Accuracy"
    direction: str = "higher"
    direction_sentence: str = "higher is better"
    known_from: str | None = "a table of known metrics"


@dataclass(frozen=True)
class Row:
    cells: Sequence[str | None]
    paper_date: datetime.date | None
    row: str = "/sota/x/row/1"
    model: str | None = "A"
    paper_date_precision: str | None = "day"
    dropped_in: datetime.date | None = None


def row(value: str | None, at: str | None, number: int = 1) -> Row:
    return Row([value], datetime.date.fromisoformat(at) if at else None, row=f"/sota/x/row/{number}")


def told(*rows: Row, metric: Metric = Metric()) -> MetricOverTime:
    found = over_time([metric], rows)
    assert found is not None
    return found


def extremes(found: MetricOverTime) -> list[str]:
    return [point.value for point in found.points if point.extreme_so_far]


def test_nothing_without_a_metric_or_a_row() -> None:
    assert over_time([], [row("1", "2020-01-01")]) is None
    assert over_time([Metric()], []) is None


def test_the_metric_asked_for_is_drawn_the_first_if_none_is() -> None:
    metrics = [Metric("F1"), Metric("BLEU"), Metric("BLEU", direction="lower")]
    rows = [Row(["1", "20", "300"], datetime.date(2020, 1, 1))]
    drawn = {name: over_time(metrics, rows, name) for name in (None, "F1", "BLEU")}
    assert [(found.metric, found.points[0].value) for found in drawn.values() if found] == [
        ("F1", "1"),
        ("F1", "1"),
        ("BLEU", "20"),
    ]
    for nobody in ("", "bleu"):
        with pytest.raises(NoSuchMetric, match="no metric"):
            over_time(metrics, rows, nobody)


def test_the_extreme_follows_the_direction() -> None:
    rows = [row("90", "2019-01-01"), row("80", "2020-01-01"), row("95", "2021-01-01")]
    assert extremes(told(*rows)) == ["90", "95"]
    assert extremes(told(*rows, metric=Metric(direction="lower"))) == ["90", "80"]


def test_without_a_direction_nothing_is_an_extreme() -> None:
    found = told(row("90", "2019-01-01"), row("95", "2021-01-01"), metric=Metric(direction="unknown", known_from=None))
    assert [point.extreme_so_far for point in found.points] == [None, None]
    assert found.extremes == []


def test_of_one_day_the_furthest_counts_and_of_equal_ones_the_first() -> None:
    found = told(
        row("80", "2019-01-01", 1), row("90", "2019-01-01", 2), row("90.0", "2019-01-01", 3), row("90", "2020-01-01", 4)
    )
    assert [point.row for point in found.extremes] == ["/sota/x/row/2"]
    assert [point.row[-1] for point in found.points] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        (row(None, "2020-01-01"), "no-value"),
        (row("57.4 (59.8)", "2020-01-01"), "no-number"),
        (row("", "2020-01-01"), "no-number"),
        (row("57.4", None), "no-date"),
        (Row(["57.4"], datetime.date(2020, 1, 1), dropped_in=datetime.date(2025, 7, 28)), "dropped"),
    ],
)
def test_what_has_no_place_is_listed_with_its_reason(left_out: Row, reason: str) -> None:
    found = told(left_out)
    assert found.points == []
    assert [(each.reason, each.value) for each in found.left_out] == [(reason, left_out.cells[0])]


VALUES = some.none() | some.sampled_from(["90", "91.5%", "x", "", "1.2k", "-3", "5 (6)"])
DAYS = some.none() | some.dates(datetime.date(2015, 1, 1), datetime.date(2016, 1, 1))


@given(
    some.lists(some.tuples(VALUES, DAYS), min_size=1, max_size=12), some.sampled_from(["higher", "lower", "unknown"])
)
def test_no_row_is_lost_and_the_extremes_only_go_further(
    values: list[tuple[str, datetime.date]], direction: str
) -> None:
    rows = [Row([value], at, row=str(number)) for number, (value, at) in enumerate(values)]
    found = told(*rows, metric=Metric(direction=direction))
    assert sorted([point.row for point in found.points] + [each.row for each in found.left_out], key=int) == [
        each.row for each in rows
    ]
    assert [point.date for point in found.points] == sorted(point.date for point in found.points)
    numbers = [point.number for point in found.extremes]
    assert numbers == sorted(set(numbers), reverse=direction == "lower")
    if found.points and direction != "unknown":
        extreme = min if direction == "lower" else max
        assert numbers[-1] == extreme(point.number for point in found.points)
