"""What the table of a leaderboard needs to be written quickly: 900 rows of 40 metrics are 36,000 cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from archive import markup
from archive.templatetags.archive_format import outgoing

register = template.Library()

VALUES_SHOWN = 6


@register.simple_tag
def cells(values: Sequence[str | None]) -> SafeString:
    """A row's values as cells of a table, verbatim; one that the row lacks stays empty."""
    return mark_safe("".join([_cell(value) for value in values]))


def _cell(value: str | None) -> str:
    if value is None:
        return '<td class="number"></td>'
    if not value.strip():
        return '<td class="number"><span class="absence">empty text</span></td>'
    return f'<td class="number"><bdi>{escape(value)}</bdi></td>'


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
