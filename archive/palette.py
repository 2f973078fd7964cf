"""The site's colours, read from where they are defined, and how well they can be told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

TOKENS = "archive/css/tokens.css"
SCHEMES = ("light", "dark")
_PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")


@cache
def colours() -> Mapping[str, tuple[str, str]]:
    """Each colour by name: in light and in dark, as #rrggbb."""
    return {name: (light, dark) for name, light, dark in _PAIR.findall(Path(str(finders.find(TOKENS))).read_text())}


def luminance(colour: str) -> float:
    """WCAG's relative luminance of a #rrggbb, from 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
