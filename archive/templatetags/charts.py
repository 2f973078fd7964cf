"""Charts of what a page says: its numbers made into marks, and drawn."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from archive import charts
from archive.models.records import DatePrecision
from archive.pages.dataset_years import DatasetsByYear
from archive.pages.over_time import DatedValue, MetricOverTime

register = template.Library()

DATASETS = ("dataset", "datasets")
NO_TAB_STOP = ' tabindex="-1"'
"""The extremes alone are tab stops; all rows are links in the table of results."""
LEAST = 2
"""Points or years below which there is nothing to see in a chart."""


@register.inclusion_tag("archive/charts/_metric.html")
def metric_chart(told: MetricOverTime) -> Mapping[str, Any]:
    """A leaderboard's metric over time."""
    return {"told": told, "chart": time_chart(told) if len(told.points) >= LEAST else None}


@register.simple_tag
def points(chart: charts.TimeChart) -> SafeString:
    """The points of a chart as links with their words. Not by a template: a leaderboard can have 900 of them."""
    return mark_safe("".join([_point(point) for point in chart.points]))


def _point(point: charts.Point) -> str:
    of = point.of
    place = f'cx="{point.x}%" cy="{point.y}%"'
    kind = f"{' chart__point--extreme' if of.extreme else ''}{' chart__point--year' if of.year_only else ''}"
    return (
        f'<a href="{escape(of.url)}"{"" if of.extreme else NO_TAB_STOP}><title>{escape(point.words)}</title>'
        f'<circle class="chart__target" {place} r="9"/>'
        f'<circle class="chart__point{kind}" {place} r="{5 if of.extreme else 3.5}"/></a>\n'
    )


def time_chart(told: MetricOverTime) -> charts.TimeChart:
    """The marks of a metric over time. Raises ValueError without a point."""
    higher = {"higher": True, "lower": False}.get(told.direction)
    return charts.over_time(
        f"{told.metric or '(no name)'} over time",
        in_words(told),
        [
            charts.Dated(
                day=point.date,
                number=point.number,
                value=point.value.strip(),
                name=point.model or "(no model name)",
                when=_day(point),
                url=point.row,
                extreme=point.extreme_so_far,
                note=f"{told.extreme_word} until then" if point.extreme_so_far else "",
                year_only=point.date_precision == DatePrecision.YEAR,
            )
            for point in told.points
        ],
        higher=higher,
    )


def in_words(told: MetricOverTime) -> str:
    """The first, the last and the extreme of a metric over time, in a sentence or two."""
    first, last = told.points[0], told.points[-1]
    words = f"{len(told.points):,} rows, from {_row(first)} to {_row(last)}."
    if told.extremes:
        return f"{words} The {told.extreme_word} is {_row(told.extremes[-1])}; {told.direction_sentence}."
    least, most = (end(told.points, key=lambda point: point.number) for end in (min, max))
    return f"{words} The lowest is {_row(least)}, the highest {_row(most)}; {told.direction_sentence}."


def _row(point: DatedValue) -> str:
    return f"{point.value.strip()} ({point.model or 'no model name'}, {_day(point)})"


def _day(point: DatedValue) -> str:
    if point.date_precision == DatePrecision.YEAR:
        return str(point.date.year)
    return f"{point.date.day} {point.date:%B %Y}"


@register.inclusion_tag("archive/charts/_years.html")
def year_chart(title: str, counts: Mapping[int, int], one: str, many: str, frozen: Any = None) -> Mapping[str, Any]:
    """Counts of things by year; `frozen` is the day of the snapshot, which its year does not outlast."""
    description = charts.years_in_words(counts, (one, many))
    day = frozen if isinstance(frozen, datetime.date) else None
    return {
        "chart": charts.by_year(title, description, counts, things=(one, many), frozen=day),
        "frozen": day,
        "many": many,
    }


@register.inclusion_tag("archive/charts/_datasets.html")
def dataset_charts(told: DatasetsByYear, frozen: Any = None) -> Mapping[str, Any]:
    """Datasets by year, and the same for each of the largest modalities on one span of years."""
    counts = told.in_years
    if len(counts) < LEAST:
        return {"told": told, "all": None}
    day = frozen if isinstance(frozen, datetime.date) else None
    span = (min(counts), max(counts))
    most = max((each.datasets for modality in told.modalities for each in modality.years), default=1)

    def bars(title: str, counts: Mapping[int, int], most: int | None = None) -> charts.YearChart:
        words = charts.years_in_words(counts, DATASETS)
        return charts.by_year(
            title, words, counts, things=DATASETS, frozen=day, span=span, most=most, small=most is not None
        )

    small = [
        (each, bars(f"{each.name}: datasets by year", each.in_years, most)) for each in told.modalities if each.years
    ]
    return {"told": told, "frozen": day, "all": bars("Datasets by year", counts), "small": small}
