"""Numbers made into marks: known ones, and what holds for any."""

from __future__ import annotations

import datetime
import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from archive import charts
from archive.charts import BOTTOM, TOP, Dated, by_year, day_ticks, over_time, tick_label, ticks

THINGS = ("paper", "papers")


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def dated(at: str, number: float, extreme: bool | None = None, name: str = "A") -> Dated:
    return Dated(
        day=day(at), number=number, value=str(number), name=name, when=at, url=f"/row/{number}", extreme=extreme
    )


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 10, 5, [0, 2, 4, 6, 8, 10]),
        (57.5, 91.1, 5, [50, 60, 70, 80, 90, 100]),
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.61, 0.64, 5, [0.61, 0.62, 0.63, 0.64]),
        (-3, 3, 5, [-4, -2, 0, 2, 4]),
        (0, 23_000, 3, [0, 10_000, 20_000, 30_000]),
    ],
)
def test_ticks(low: float, high: float, most: int, expected: list[float]) -> None:
    assert ticks(low, high, most) == expected


@pytest.mark.parametrize("number", [0, 5, -3, 1e9, 0.001])
def test_one_number_stands_between_ticks(number: float) -> None:
    found = ticks(number, number, 5)
    assert found[0] < number < found[-1]


@given(
    some.floats(-1e12, 1e12, allow_subnormal=False),
    some.floats(-1e12, 1e12, allow_subnormal=False),
    some.integers(2, 8),
)
def test_ticks_hold_what_they_are_for(one: float, other: float, most: int) -> None:
    low, high = sorted((one, other))
    if high - low < 1e-6 * max(1, abs(low)):
        high = low + max(1.0, abs(low))
    found = ticks(low, high, most)
    step = found[1] - found[0]
    assert found == sorted(found)
    assert len(found) <= most + 1
    assert found[0] <= low + 1e-6 * step
    assert found[-1] >= high - 1e-6 * step
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9), 3) in (1, 2, 5)


@pytest.mark.parametrize(("low", "high"), [(math.nan, 1), (0, math.inf), (2, 1)])
def test_no_scale_of_nothing(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no scale"):
        ticks(low, high, 5)


@pytest.mark.parametrize(
    ("number", "step", "words"),
    [
        (1000, 500, "1,000"),
        (0.3, 0.1, "0.3"),
        (-2, 1, "−2"),
        (0.61, 0.01, "0.61"),
        (30_000_000, 1e7, "3e+07"),
        (0, 20, "0"),
    ],
)
def test_tick_labels(number: float, step: float, words: str) -> None:
    assert tick_label(number, step) == words


def test_days_are_told_by_year_or_by_month() -> None:
    assert [words for _, words in day_ticks(day("2012-12-03"), day("2023-02-13"))] == [
        "2014",
        "2016",
        "2018",
        "2020",
        "2022",
    ]
    assert day_ticks(day("2017-08-07"), day("2018-02-01")) == [
        (day("2017-09-01"), "Sep 2017"),
        (day("2017-10-01"), "Oct 2017"),
        (day("2017-11-01"), "Nov 2017"),
        (day("2017-12-01"), "Dec 2017"),
        (day("2018-01-01"), "Jan 2018"),
        (day("2018-02-01"), "Feb 2018"),
    ]


@given(some.dates(min_value=day("1900-01-01"), max_value=day("2100-01-01")), some.integers(60, 60_000))
def test_days_are_within_and_few(first: datetime.date, length: int) -> None:
    last = first + datetime.timedelta(days=length)
    found = [at for at, _ in day_ticks(first, last)]
    assert all(first <= at <= last for at in found)
    assert 1 <= len(found) <= charts.YEAR_TICKS or length > 400 * 365


class TestOverTime:
    @pytest.fixture
    def chart(self) -> charts.TimeChart:
        rows = [dated("2010-01-01", 0, True), dated("2015-01-01", 5, False), dated("2020-01-01", 10, True)]
        return over_time("T", "D", rows, higher=True)

    def test_places_are_known(self, chart: charts.TimeChart) -> None:
        places = {point.of.number: (point.x, point.y) for point in chart.points}
        assert places == {0: (10, BOTTOM), 5: (53, (BOTTOM + TOP) / 2), 10: (96, TOP)}

    def test_the_extreme_ones_are_drawn_last_and_joined_by_steps(self, chart: charts.TimeChart) -> None:
        assert [point.of.extreme for point in chart.points] == [False, True, True]
        assert [(step.x1, step.y1, step.x2, step.y2) for step in chart.steps] == [
            (10, BOTTOM, 96, BOTTOM),
            (96, BOTTOM, 96, TOP),
        ]

    def test_the_line_goes_on_to_the_last_row(self) -> None:
        chart = over_time("T", "D", [dated("2010-01-01", 9, True), dated("2020-01-01", 1, False)], higher=True)
        (step,) = chart.steps
        assert (step.x1, step.x2) == (10, 96)

    def test_without_a_direction_there_is_no_line(self) -> None:
        chart = over_time("T", "D", [dated("2010-01-01", 1), dated("2020-01-01", 2)], higher=None)
        assert (chart.steps, chart.labels) == ([], [])
        assert len(chart.points) == 2

    def test_rows_of_one_day_stand_in_the_middle(self) -> None:
        chart = over_time("T", "D", [dated("2020-05-01", 1, False), dated("2020-05-01", 2, True)], higher=True)
        assert {point.x for point in chart.points} == {53}
        assert chart.x_ticks

    def test_labels_keep_apart(self) -> None:
        rows = [dated(f"20{year}-01-01", year, True, name="A long name of a model") for year in range(10, 25)]
        chart = over_time("T", "D", rows, higher=True)
        assert [label.narrow for label in chart.labels].count(True) == 1
        assert len(chart.labels) < len(rows)
        spans = [
            (label.x - 22 * charts.LETTER, label.x, label.y)
            if label.anchor == "end"
            else (label.x, label.x + 22 * charts.LETTER, label.y)
            for label in chart.labels
        ]
        for place, (left, right, y) in enumerate(spans):
            for other_left, other_right, other_y in spans[:place]:
                assert right < other_left or left > other_right or abs(y - other_y) > 6

    def test_labels_cover_no_point(self) -> None:
        """Near the left edge a name has its place below its point, to the right: where worse rows are."""
        first = dated("2010-01-01", 50, True, name="A long name of a model")
        alone = over_time("T", "D", [first, dated("2020-01-01", 0, False)], higher=True)
        assert [(label.words, label.anchor) for label in alone.labels] == [("A long name of a model", "start")]
        crowd = [dated(f"201{year}-01-01", 45, False) for year in range(1, 3)]
        assert over_time("T", "D", [first, dated("2020-01-01", 0, False), *crowd], higher=True).labels == []

    def test_labels_do_not_stand_at_the_end_of_another_level(self) -> None:
        """There one would be read as the name of that level."""
        rows = [dated("2010-01-01", 45, True, name="A"), dated("2010-06-01", 50, True, name="A long name of a model")]
        chart = over_time("T", "D", [*rows, dated("2020-01-01", 0, False)], higher=True)
        assert "A long name of a model" not in [label.words for label in chart.labels]
        rows[0] = dated("2010-01-01", 20, True, name="A")
        chart = over_time("T", "D", [*rows, dated("2020-01-01", 0, False)], higher=True)
        assert "A long name of a model" in [label.words for label in chart.labels]


class TestByYear:
    def test_bars_are_known(self) -> None:
        chart = by_year("T", "D", {2019: 5, 2020: 10}, things=THINGS)
        assert [(bar.y, bar.height, bar.words) for bar in chart.bars] == [
            ((TOP + BOTTOM) / 2, (BOTTOM - TOP) / 2, "2019: 5 papers"),
            (TOP, BOTTOM - TOP, "2020: 10 papers"),
        ]
        assert [tick.label for tick in chart.x_ticks] == ["2019", "2020"]

    def test_a_year_without_any_has_no_bar_and_keeps_its_place(self) -> None:
        chart = by_year("T", "D", {2018: 1, 2020: 1}, things=THINGS)
        assert len(chart.bars) == 2
        assert chart.bars[1].x - chart.bars[0].x == pytest.approx(2 * chart.bars[0].width / 0.72, abs=0.05)
        assert chart.bars[0].words == "2018: 1 paper"

    def test_the_year_of_the_snapshot_is_partial(self) -> None:
        chart = by_year("T", "D", {2024: 4, 2025: 2}, things=THINGS, frozen=day("2025-07-28"))
        assert [bar.partial for bar in chart.bars] == [False, True]
        assert chart.bars[1].words == "2025: 2 papers, until July"
        assert not by_year("T", "D", {2025: 2}, things=THINGS, frozen=day("2025-12-31")).ends_partial

    def test_what_is_not_drawn_is_counted(self) -> None:
        counts = {1936: 3, 1990: 2, 2020: 7, 2031: 1}
        chart = by_year("T", "D", counts, things=THINGS, frozen=day("2025-07-28"))
        assert (chart.first, chart.last, chart.beside) == (1996, 2025, 6)
        assert sum(counts.values()) == chart.beside + 7

    def test_a_small_number_is_seen_beside_a_large_one(self) -> None:
        chart = by_year("T", "D", {2019: 1, 2020: 100_000}, things=THINGS)
        assert chart.bars[0].height > 0.5

    def test_counts_have_whole_ticks(self) -> None:
        chart = by_year("T", "D", {2019: 1, 2020: 1}, things=THINGS)
        assert [tick.label for tick in chart.y_ticks] == ["0", "1"]

    def test_one_scale_for_several(self) -> None:
        one, other = (
            by_year("T", "D", counts, things=THINGS, span=(2010, 2020), most=50) for counts in ({2015: 50}, {2015: 25})
        )
        assert one.bars[0].x == other.bars[0].x
        assert one.bars[0].height == pytest.approx(2 * other.bars[0].height, abs=0.02)

    def test_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="nothing to draw"):
            by_year("T", "D", {}, things=THINGS)


def test_counts_in_words() -> None:
    assert (
        charts.years_in_words({2019: 1, 2020: 12, 2021: 3}, THINGS)
        == "From 1 paper in 2019 to 3 in 2021; most in 2020: 12."
    )
    assert charts.years_in_words({2019: 2}, THINGS) == "2 papers, all of 2019."
