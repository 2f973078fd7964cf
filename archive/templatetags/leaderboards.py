"""What the table of a leaderboard needs to be written quickly: 900 rows of 40 metrics are 36,000 cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from archive import markup
from archive.pages.base import CorrectedCell
from archive.pages.leaderboard import LeaderboardPage, RowOfBoard
from archive.templatetags.archive_format import outgoing

register = template.Library()

VALUES_SHOWN = 6


@register.simple_tag
def cells(values: Sequence[str | None]) -> SafeString:
    """A row's values as cells of a table, verbatim; one that the row lacks stays empty."""
    return mark_safe("".join([_cell(value) for value in values]))


@register.simple_tag
def corrected_cells(page: LeaderboardPage, row: RowOfBoard) -> SafeString:
    """The same of a row with corrected values, each with the snapshot's beside it."""
    corrected = page.corrected[row.key]
    named = zip((f"metrics.{metric.name}" for metric in page.metrics), row.cells, strict=True)
    return mark_safe("".join([_cell(value, corrected.get(name), page.in_snapshot) for name, value in named]))


def _cell(value: str | None, corrected: CorrectedCell | None = None, in_snapshot: bool = False) -> str:
    told = {"cell": corrected, "in_snapshot": in_snapshot}
    note = render_to_string("includes/_corrected.html", told) if corrected else ""
    if value is None:
        return f'<td class="number">{note}</td>'
    if not value.strip():
        return f'<td class="number"><span class="absence">empty text</span>{note}</td>'
    return f'<td class="number"><bdi>{escape(value)}</bdi>{note}</td>'


@register.simple_tag
def elsewhere(url: str | None, words: str | None = None) -> SafeString | str:
    """A link to a paper that is not shown here: one to the old site stays text, since nothing here stands for it."""
    if url and markup.local_address(url):
        return url
    return outgoing(url, words)


@register.simple_tag
def metric_values(metrics: Mapping[str, str]) -> SafeString:
    """A row's first values in one line; how many more there are."""
    shown = list(metrics.items())[:VALUES_SHOWN]
    line = format_html_join(" ", '<span class="metric"><bdi>{}</bdi> <b><bdi>{}</bdi></b></span>', shown)
    left = len(metrics) - len(shown)
    return format_html('{} <span class="aside">and {} more</span>', line, left) if left else line
