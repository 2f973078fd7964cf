"""Readers of single fields of a dump record, tolerant of every era: they give a value or None and never raise.

What they do not take (a number where text was due, a list of other things) is not lost: see `residue`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from archive.models.records import DatePrecision

Raw = Mapping[str, Any]
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z")
_INT4 = 2**31
_INT2 = 2**15


def text(raw: Raw, key: str) -> str | None:
    """Text that is there, else None: "" says no more than null."""
    value = raw.get(key)
    return value if isinstance(value, str) and value else None


def flag(raw: Raw, key: str) -> bool | None:
    """A boolean, also one written as "True" or "false" by an older era, else None."""
    value = raw.get(key)
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def integer(raw: Raw, key: str) -> int | None:
    """A whole number that fits four bytes, also one written as 2019.0, else None."""
    value = raw.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT4 <= value < _INT4:
        return None
    return value


def date(raw: Raw, key: str) -> tuple[datetime.date | None, str]:
    """A date and how much of it is known; (None, "") where there is none. The first of January means the year only."""
    value = raw.get(key)
    if not isinstance(value, str) or not ISO_DATE.match(value):
        return None, ""
    try:
        day = datetime.date.fromisoformat(value)
    except ValueError:
        return None, ""
    return day, DatePrecision.YEAR if (day.month, day.day) == (1, 1) else DatePrecision.DAY


def strings(raw: Raw, key: str) -> list[str]:
    """A list of texts, short enough for its places to fit two bytes, else []."""
    value = raw.get(key)
    if isinstance(value, list) and len(value) < _INT2 and all(isinstance(item, str) for item in value):
        return value
    return []


def objects(raw: Raw, key: str) -> list[dict[str, Any]] | None:
    """A list of objects, else None."""
    value = raw.get(key)
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    return None


def items(raw: Raw, key: str) -> list[dict[str, Any]]:
    """A list of objects, short enough for its places to fit two bytes, else []."""
    value = objects(raw, key) or []
    return value if len(value) < _INT2 else []


def link(raw: Raw, key: str) -> tuple[str | None, str | None]:
    """The title and address of a {"title", "url"} object; (None, None) where there is none."""
    value = raw.get(key)
    return (text(value, "title"), text(value, "url")) if isinstance(value, dict) else (None, None)


def link_dump(title: str | None, url: str | None) -> dict[str, str | None] | None:
    """The other direction of `link`."""
    return None if title is None and url is None else {"title": title, "url": url}


def links(raw: Raw, key: str) -> list[dict[str, str]]:
    """A list of {"title", "url"} objects whose values are texts, else []."""
    value = objects(raw, key) or []
    if all(set(item) == {"title", "url"} and all(isinstance(v, str) for v in item.values()) for item in value):
        return value
    return []


def isoformat(day: datetime.date | None) -> str | None:
    """A date as the dumps write it."""
    return None if day is None else day.isoformat()
