"""Formatting for templates: text of the archive, dates with their precision, numbers, links, absences."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from archive import markup
from archive.models.records import DatePrecision
from archive.pages.base import Absent, Page

register = template.Library()

_SLASH = re.compile(r"(?<![:/])/(?=[^/])")


@register.filter
def markdown(text: str | None, heading: int = 3) -> SafeString:
    """Markdown of the archive as HTML, its headings from h`heading` on."""
    return markup.markdown(text or "", heading)


@register.filter
def plain_text(text: str | None) -> SafeString:
    """Plain text of the archive as paragraphs."""
    return markup.plain_text(text or "")


@register.filter
def tex(text: str | None) -> SafeString:
    """A title or name, its TeX marked."""
    return markup.line_of_text(text or "")


@register.filter
def day(date: datetime.date | None, precision: str | None = DatePrecision.DAY) -> SafeString | str:
    """A date in words, as much of it as is known: "28 July 2025", or "2019"."""
    if date is None:
        return ""
    if precision == DatePrecision.YEAR:
        return format_html('<time datetime="{}">{}</time>', f"{date:%Y}", f"{date:%Y}")
    return format_html('<time datetime="{}">{}</time>', date.isoformat(), f"{date.day} {date:%B %Y}")


@register.filter
def thousands(number: int | None) -> str:
    """A number with its thousands apart: 576,261."""
    return "" if number is None else f"{number:,}"


def _breakable(url: str) -> SafeString:
    return mark_safe(_SLASH.sub("/<wbr>", escape(url)))


@register.simple_tag
def outgoing(url: str | None, words: str | None = None) -> SafeString | str:
    """A link to somewhere else, or just the text where the address is none that a browser should follow.

    An address that stands for itself may break behind each of its slashes.
    """
    words = words or _breakable(url or "")
    local = markup.local_address(url) if url else None
    if local:
        return format_html('<a href="{}">{}</a>', local, words)
    if markup.is_outgoing(url):
        return format_html('<a class="link-out" href="{}" rel="{}">{}</a>', url, markup.OUTGOING, words)
    return words


@register.inclusion_tag("includes/_absence.html")
def absent(page: Page, key: str) -> Mapping[str, Absent | None]:
    """Why a key of the page is empty; nothing where no reason is known."""
    return {"absent": page.absent.get(key)}


@register.inclusion_tag("includes/_provenance.html")
def provenance(page: Page, dump: str = "", note: str = "") -> Mapping[str, Any]:
    """The small print of a section: archive, snapshot, and the dump with the day it was retrieved."""
    return {
        "source": page.source,
        "dump": page.provenance.dumps.get(dump) if dump else None,
        "note": note,
    }
