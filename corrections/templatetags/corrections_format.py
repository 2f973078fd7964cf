"""Formatting for templates: what people typed, cells' values, differences, moments."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from archive.pages.base import RecordPage
from corrections import display, wording
from corrections.correctable import METRIC, Value
from corrections.pages.entries import label_of

register = template.Library()


@register.filter
def typed(text: str | None) -> SafeString:
    """Text that somebody typed, isolated, its unseen characters marked."""
    return display.isolated(text or "")


@register.filter
def piece(text: str) -> SafeString:
    """A piece of a text that is isolated as a whole, its unseen characters marked."""
    return display.marked(text)


@register.filter
def brief(held: Value) -> SafeString:
    """A cell's value on one short line."""
    words = display.in_words(held)
    return display.isolated(words if len(words) <= 120 else f"{words[:119]}…")


@register.filter
def moment(at: datetime.datetime | None) -> SafeString | str:
    """A moment in UTC, with its zone: "3 May 2026, 14:05 UTC"."""
    if at is None:
        return ""
    at = at.astimezone(datetime.UTC)
    return format_html(
        '<time datetime="{}">{}</time>', at.isoformat(timespec="seconds"), f"{at.day} {at:%B %Y, %H:%M} UTC"
    )


@register.filter
def age(at: datetime.datetime) -> str:
    """How many calendar days ago, in UTC: "today", "1 day", "12 days"."""
    days = (timezone.now().date() - at.astimezone(datetime.UTC).date()).days
    return "today" if days < 1 else f"{days} day{'s' if days > 1 else ''}"


@register.inclusion_tag("corrections/_value.html")
def value(held: Value) -> Mapping[str, Any]:
    """A cell's value, a proposal, or one side of a change."""
    return {"held": held, "is_list": isinstance(held, list), "is_text": isinstance(held, str)}


def _correction(page: RecordPage, field: str, record: str) -> dict[str, Any]:
    return {"cell": page.corrected.get(record, {}).get(field), "in_snapshot": page.in_snapshot}


@register.inclusion_tag("includes/_corrected.html")
def corrected(page: RecordPage, field: str, record: str = "") -> Mapping[str, Any]:
    """Beside a value on a page: the snapshot's value where it stands corrected. Of any record, by key."""
    return _correction(page, field, record or page.record.key)


@register.inclusion_tag("includes/_corrected.html")
def corrected_metric(page: RecordPage, metric: str, record: str = "") -> Mapping[str, Any]:
    """The same beside a result row's value of a metric."""
    return _correction(page, METRIC + metric, record or page.record.key)


@register.inclusion_tag("includes/_field_notes.html")
def field_notes(page: RecordPage, field: str, words: str = "") -> Mapping[str, Any]:
    """The same, with the number of open reports on the field, and the way to report it; `words` of the link."""
    key = page.record.key
    return {
        **_correction(page, field, key),
        "open": page.open_by_field.get(field, 0),
        "key": key,
        "field": field,
        "label": label_of(page.record.kind, field),
        "words": words,
    }


@register.inclusion_tag("includes/_field_notes.html")
def metric_notes(page: RecordPage, metric: str) -> Mapping[str, Any]:
    """The same of a result row's value of a metric."""
    return field_notes(page, METRIC + metric)


@register.inclusion_tag("corrections/_difference.html")
def difference(before: Value, after: Value) -> Mapping[str, Any]:
    """Both values; of two texts of more than a word or two, their difference word by word as well."""
    both = isinstance(before, str) and isinstance(after, str)
    long = both and max(len(before), len(after)) > 60
    return {"before": before, "after": after, "pieces": wording.pieces(before, after) if long else None}
