"""Which way a metric is better, and where that is known from.

The dumps do not say it. These are asked in turn, and the answer names the one that spoke: an arrow in the
metric's own name (name rule), the table of known metrics `data/metric_directions.csv`, the words the name is
made of (name rule, `data/metric_words.csv`), and, for the metric a leaderboard is sorted by, the row order.

The table was made for this project. Its entries come from the metrics' definitions; the names to cover and a
first statement of their polarity come from the curation of the Intelligence Task Ontology (OpenBioLink/ITO,
notebook "Metrics polarity"), of which facts only were used: each was checked by definition; where the
two disagree (25 of its 747 lines, relative depth errors and nuScenes errors among them) the definition
stands here. An entry "unknown" says that one name means several things; it keeps the name rule from guessing.

A direction is for notes and charts. It never re-ranks: rows keep the archive's order.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

_DATA = Path(__file__).parent / "data"
TABLE = _DATA / "metric_directions.csv"
WORDS = _DATA / "metric_words.csv"

MIN_ROWS = 3
"""Parsed values from which the order of rows says something."""


class Direction(StrEnum):
    """Which values of a metric are the better ones."""

    HIGHER = "higher"
    LOWER = "lower"
    UNKNOWN = "unknown"


class DirectionSource(StrEnum):
    """Where a direction is known from."""

    TABLE = "table"
    NAME_RULE = "name_rule"
    ROW_ORDER = "row_order"
    UNKNOWN = "unknown"


# A score is good unless a stronger word says what it is a score of ("FID score").
_WEAK_HIGHER_WORDS = frozenset({"score", "scores"})

_UP = re.compile(r"[↑⬆⇑▲⭡]|\bhigher(?: is)? better\b")
_DOWN = re.compile(r"[↓⬇⇓▼⭣]|\blower(?: is)? better\b")
_DECORATION = re.compile(r"[↑⬆⇑▲⭡↓⬇⇓▼⭣\ufe0f*†‡]|[(\[]\s*%?\s*[)\]]|%")
_BLANKS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_BRACKETED = re.compile(r"[(\[][^()\[\]]*[)\]]")
_WORD = re.compile(r"[^\W_]+(?:\.[0-9]+)?")


def direction(
    name: str, first_values: Sequence[Decimal | None], is_first_metric: bool
) -> tuple[Direction, DirectionSource]:
    """Say which way a metric of one leaderboard is better, and where that is known from.

    `first_values` are the metric's parsed values in archive order, None where a row has none; they are looked
    at for the leaderboard's first metric only, which is the one the archive sorted its rows by.
    """
    by_name = _direction_of_name(name)
    if by_name is not None:
        return by_name
    if is_first_metric:
        by_order = _direction_of_order(first_values)
        if by_order is not Direction.UNKNOWN:
            return by_order, DirectionSource.ROW_ORDER
    return Direction.UNKNOWN, DirectionSource.UNKNOWN


def normalised(name: str) -> str:
    """Give the form in which metric names are compared and the table is written.

    NFKC, case folded, without arrows, percent signs and footnote marks; hyphens and underscores are blanks.
    """
    plain = _DECORATION.sub(" ", unicodedata.normalize("NFKC", name).casefold())
    return _BLANKS.sub(" ", plain).strip(" :;,")


@cache
def known_metrics() -> dict[str, Direction]:
    """Give the table of known metrics by normalised name; read once per process."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["metric"]: Direction(row["direction"]) for row in csv.DictReader(file)}


@cache
def _telling_words(way: Direction) -> frozenset[str]:
    """Give the words that mark a metric as better in one direction; read once per process."""
    with WORDS.open(encoding="utf-8", newline="") as file:
        return frozenset(row["word"] for row in csv.DictReader(file) if row["direction"] == way)


@lru_cache(maxsize=8192)
def _direction_of_name(name: str) -> tuple[Direction, DirectionSource] | None:
    """Ask an arrow in the name, then the table, then the words; None where none of them tells."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    up, down = _UP.search(folded) is not None, _DOWN.search(folded) is not None
    if up != down:
        return (Direction.HIGHER if up else Direction.LOWER), DirectionSource.NAME_RULE
    key = normalised(name)
    unbracketed = _BLANKS.sub(" ", _BRACKETED.sub(" ", key)).strip()
    # "recall@5", "GAR @0.1% FAR": what stands behind "@" is the setting at which the metric is read.
    head, at, _ = unbracketed.partition("@")
    phrases = [key, unbracketed, head.strip()]
    if at and head.split():
        phrases.append(head.split()[-1])
    for phrase in phrases:
        known = known_metrics().get(phrase)
        if known is Direction.UNKNOWN:
            # "Average (F1)": the word outside says nothing, the one in brackets may.
            by_words = _direction_of_words(" ".join(_BRACKETED.findall(key)))
            break
        if known is not None:
            return known, DirectionSource.TABLE
    else:
        by_words = _direction_of_words(head)
        if by_words is Direction.UNKNOWN and not at:
            by_words = _direction_of_words(key)
    return None if by_words is Direction.UNKNOWN else (by_words, DirectionSource.NAME_RULE)


def _direction_of_words(phrase: str) -> Direction:
    """Give the direction all telling words of a phrase agree on; "accuracy loss" tells nothing."""
    words = set(_WORD.findall(phrase))
    words |= {word.rstrip("0123456789") for word in words}
    lower = not words.isdisjoint(_telling_words(Direction.LOWER))
    higher = not words.isdisjoint(_telling_words(Direction.HIGHER))
    if lower != higher:
        return Direction.LOWER if lower else Direction.HIGHER
    if not lower and not words.isdisjoint(_WEAK_HIGHER_WORDS):
        return Direction.HIGHER
    return Direction.UNKNOWN


def _direction_of_order(values: Sequence[Decimal | None]) -> Direction:
    """Give the direction that rows sorted best-first follow, if they are sorted and not all equal."""
    known = [value for value in values if value is not None]
    if len(known) < MIN_ROWS or known[0] == known[-1]:
        return Direction.UNKNOWN
    if all(before >= after for before, after in pairwise(known)):
        return Direction.HIGHER
    if all(before <= after for before, after in pairwise(known)):
        return Direction.LOWER
    return Direction.UNKNOWN
