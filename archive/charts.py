"""Numbers made into marks: where each thing of a chart stands, in percent of its width and height, from the top left.

Nothing here asks the database or writes SVG: `templates/archive/charts/` draws. Percent instead of a viewBox, so that a
chart fills a phone and a wide screen alike and its letters keep their size in both. Ticks are our own: the libraries
that make good ones bring an array package or a language of their own along (docs/decisions/0009-charts.md).
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

LEFT, RIGHT, TOP, BOTTOM = 2.0, 98.0, 9.0, 88.0
"""The plot in the picture; dates and years are written below it."""

YEAR_TICKS, VALUE_TICKS = 6, 5
YEARS_DRAWN = 30
WIDEST_YEAR = 9.0
LETTER = 0.9
"""Width of a letter in percent of a wide chart: generous, so that labels keep apart."""


@dataclass(frozen=True)
class Tick:
    """A line or a step of a scale: its place along it, and its words."""

    place: float
    label: str


@dataclass(frozen=True)
class Segment:
    """A straight line between two places."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Dated:
    """What a chart over time is made of: a number on a day, in words, and where it leads."""

    day: datetime.date
    number: float
    value: str
    name: str
    when: str
    """The day in words, as much of it as is known."""
    url: str
    extreme: bool | None = None
    """Whether none before it went as far in the better direction; None where nobody knows which that is."""
    note: str = ""
    """What else to say of it."""
    year_only: bool = False


@dataclass(frozen=True)
class Point:
    """One `Dated` in its place."""

    x: float
    y: float
    of: Dated

    @property
    def words(self) -> str:
        """What a reader is told of the point."""
        return f"{self.of.value}, {self.of.name}, {self.of.when}{f', {self.of.note}' if self.of.note else ''}"


@dataclass(frozen=True)
class Label:
    """Words beside a point. `anchor` is the end of them that stands at `x`; `narrow` ones fit a phone too."""

    x: float
    y: float
    words: str
    anchor: str
    narrow: bool


@dataclass(frozen=True)
class TimeChart:
    """Numbers over time, and the highest or lowest until each day as a line of steps."""

    title: str
    description: str
    points: Sequence[Point]
    steps: Sequence[Segment] = ()
    labels: Sequence[Label] = ()
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    bottom: float = BOTTOM


@dataclass(frozen=True)
class Bar:
    """A year's bar, and its words. `partial`: the year was not over when the archive was frozen."""

    x: float
    y: float
    width: float
    height: float
    words: str
    partial: bool = False


@dataclass(frozen=True)
class YearChart:
    """A count by year, as bars."""

    title: str
    description: str
    bars: Sequence[Bar]
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    beside: int = 0
    """How many things are of years before the first bar, or after the archive was frozen; the table has them."""
    first: int = 0
    last: int = 0
    """The years of the first and of the last bar."""

    @property
    def ends_partial(self) -> bool:
        """Whether the last bar is of a year that was not over."""
        return bool(self.bars) and self.bars[-1].partial


@dataclass(frozen=True)
class Scale:
    """A straight scale from numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, number: float) -> float:
        """The place of a number, to a hundredth of a percent."""
        share = (number - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + share * (self.end - self.start), 2)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers, evenly apart by 1, 2 or 5 times a power of ten, that hold `low` and `high` between them.

    At most `most` steps. One number alone gets a step on each side.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"no scale from {low} to {high}")
    if low == high:
        low, high = low - (abs(low) / 10 or 1), high + (abs(high) / 10 or 1)
    power = math.floor(math.log10((high - low) / most))
    for times in (1, 2, 5, 10, 20, 50):
        # Powers below 1 as divisors: 3 / 10 is 0.3, while 3 * 0.1 is not.
        step, divisor = (times, 10**-power) if power < 0 else (times * 10**power, 1)
        first, last = math.floor(low * divisor / step + 1e-9), math.ceil(high * divisor / step - 1e-9)
        if last - first <= most:
            break
    return [place * step / divisor for place in range(first, last + 1)]


def tick_label(number: float, step: float) -> str:
    """A tick in words, with as many places as its step has; very large and very small ones by a power of ten."""
    if number and (abs(number) >= 1e7 or step < 1e-5):
        return f"{number:.3g}"
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{number:,.{places}f}".replace("-", "\u2212")


def _value_ticks(low: float, high: float, scale_to: tuple[float, float], most: int) -> tuple[Scale, list[Tick]]:
    found = ticks(low, high, most)
    scale = Scale(found[0], found[-1], *scale_to)
    return scale, [Tick(scale(number), tick_label(number, found[1] - found[0])) for number in found]


def day_ticks(first: datetime.date, last: datetime.date) -> list[tuple[datetime.date, str]]:
    """Firsts of months or years from one day to another, evenly apart, at most `YEAR_TICKS`, with their words."""
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    for step in (1, 2, 3, 6, 12, 24, 60, 120, 240, 600):
        months = range(-(-start // step) * step, end + 1, step)
        days = [day for month in months if (day := datetime.date(month // 12, month % 12 + 1, 1)) >= first]
        if len(days) <= YEAR_TICKS:
            break
    return [(day, f"{day.year}" if step >= 12 else f"{day:%b} {day.year}") for day in days]


def over_time(title: str, description: str, dated: Sequence[Dated], *, higher: bool | None) -> TimeChart:
    """The marks of numbers over time. `higher` says which way is better, None that nobody knows: then no line."""
    first, last = min(each.day for each in dated), max(each.day for each in dated)
    if (last - first).days < 60:
        first, last = first - datetime.timedelta(days=45), last + datetime.timedelta(days=45)
    across = Scale(first.toordinal(), last.toordinal(), LEFT + 8, RIGHT - 2)
    numbers = [each.number for each in dated]
    up, y_ticks = _value_ticks(min(numbers), max(numbers), (BOTTOM, TOP), VALUE_TICKS)
    points = [Point(across(each.day.toordinal()), up(each.number), each) for each in dated]
    extreme = sorted((point for point in points if point.of.extreme), key=lambda point: point.x)
    steps = _steps(extreme, across(max(each.day for each in dated).toordinal()))
    return TimeChart(
        title=title,
        description=description,
        # The extremes last, so that they lie above the others.
        points=sorted(points, key=lambda point: (point.of.extreme or False, point.x)),
        steps=steps,
        labels=_labels(extreme, points, steps, higher is not False),
        x_ticks=[Tick(across(day.toordinal()), words) for day, words in day_ticks(first, last)],
        y_ticks=y_ticks,
    )


def _steps(extreme: Sequence[Point], end: float) -> list[Segment]:
    """Along at the height of each extreme until the next, then to that; the last until the end."""
    found = []
    for here, after in zip_longest(extreme, extreme[1:]):
        until = after.x if after else end
        if until > here.x:
            found.append(Segment(here.x, here.y, until, here.y))
        if after:
            found.append(Segment(after.x, here.y, after.x, after.y))
    return found


def _labels(extreme: Sequence[Point], points: Sequence[Point], steps: Sequence[Segment], above: bool) -> list[Label]:
    """Names of the extremes that run into no other, no point and no level of the line.

    The newest first, which a phone shows too.
    """
    marks = [(point.x, point.x, point.y) for point in points]
    marks += [(step.x1, step.x2, step.y1) for step in steps if step.y1 == step.y2]
    found: list[Label] = []
    taken: list[tuple[float, float, float]] = []
    for point in reversed(extreme):
        words = point.of.name if len(point.of.name) <= 28 else f"{point.of.name[:27]}…"
        width = len(words) * LETTER
        for anchor, start, stop in (("end", point.x - width, point.x), ("start", point.x, point.x + width)):
            # On the side of the point that the line of steps leaves free.
            y = round(point.y + (-4 if above == (anchor == "end") else 7), 2)
            if (
                (start > LEFT + 2 and stop <= 100 and 4 <= y <= BOTTOM - 1)
                and all(stop < left or start > right or abs(y - other) > 6 for left, right, other in taken)
                and all(right < start - 1 or left > stop + 1 or not y - 5 < at < y + 2 for left, right, at in marks)
            ):
                found.append(Label(point.x, y, words, anchor, narrow=not found))
                taken.append((start, stop, y))
                break
    return found


def by_year(
    title: str,
    description: str,
    counts: Mapping[int, int],
    *,
    things: tuple[str, str],
    frozen: datetime.date | None = None,
    span: tuple[int, int] | None = None,
    most: int | None = None,
    small: bool = False,
) -> YearChart:
    """The marks of counts by year, at most the last `YEARS_DRAWN` of them; a year that has none has no bar.

    `things` is the word for one and for many. `span` and `most`, the first and last year and the largest count, make
    several charts comparable; `small` ones have room for few ticks. Raises ValueError without any count.
    """
    if not counts:
        raise ValueError("nothing to draw")
    first, last = span or (min(counts), max(counts))
    if frozen:
        last = max(first, min(last, frozen.year))  # a year after the snapshot is a mistake of the archive
    first = max(first, last - YEARS_DRAWN + 1)
    heights = ticks(0, most or max(counts.values()), 2 if small else 3)
    up = Scale(heights[0], heights[-1], BOTTOM, TOP)
    y_ticks = [Tick(up(height), f"{height:,.0f}") for height in heights if float(height).is_integer()]
    room = min((RIGHT - LEFT - 7) / (last - first + 1), WIDEST_YEAR)
    bars, centres = [], {}
    for year in range(first, last + 1):
        left = LEFT + 7 + (year - first) * room
        centres[year] = round(left + room / 2, 2)
        number = counts.get(year, 0)
        partial = frozen is not None and year == frozen.year and (frozen.month, frozen.day) != (12, 31)
        if number:
            words = f"{year}: {number:,} {things[number != 1]}{f', until {frozen:%B}' if partial else ''}"
            top = min(up(number), BOTTOM - 0.6)
            bars.append(
                Bar(round(left + room * 0.14, 2), top, round(room * 0.72, 2), round(BOTTOM - top, 2), words, partial)
            )
    every = next(step for step in (1, 2, 5, 10) if (last - first) // step < (3 if small else YEAR_TICKS))
    return YearChart(
        title=title,
        description=description,
        bars=bars,
        x_ticks=[Tick(place, str(year)) for year, place in centres.items() if year % every == 0],
        y_ticks=y_ticks,
        beside=sum(number for year, number in counts.items() if not first <= year <= last),
        first=first,
        last=last,
    )


def years_in_words(counts: Mapping[int, int], things: tuple[str, str]) -> str:
    """The first, the last and the extreme of counts by year, in a sentence."""
    first, last = min(counts), max(counts)
    largest = max(counts, key=lambda year: (counts[year], -year))
    if first == last:
        return f"{counts[first]:,} {things[counts[first] != 1]}, all of {first}."
    return (
        f"From {counts[first]:,} {things[counts[first] != 1]} in {first} to {counts[last]:,} in {last}; "
        f"most in {largest}: {counts[largest]:,}."
    )
