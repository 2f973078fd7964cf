"""The difference between two texts, word by word, for people to read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

MOST_COMPARED = 4_000_000
"""Pairs of words that are compared; beyond, what differs is shown as one piece. Keeps a page under a second."""

_WORD = re.compile(r"\s+|[^\s]+")


class Piece(NamedTuple):
    """A stretch of text that stayed, went or came."""

    how: Literal["same", "gone", "new"]
    text: str


def pieces(before: str, after: str) -> list[Piece]:
    """What stayed, went and came, in the order of reading: same and gone make `before`, same and new make `after`."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle = old[start : len(old) - end], new[start : len(new) - end]
    found = [
        Piece("same", "".join(old[:start])),
        *_between(*middle),
        Piece("same", "".join(old[len(old) - end :])),
    ]
    return [piece for piece in found if piece.text]


def _common(one: list[str], other: list[str]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _between(old: list[str], new: list[str]) -> Iterator[Piece]:
    if len(old) * len(new) > MOST_COMPARED:
        yield Piece("gone", "".join(old))
        yield Piece("new", "".join(new))
        return
    for how, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if how == "equal":
            yield Piece("same", "".join(old[i:j]))
        else:
            yield Piece("gone", "".join(old[i:j]))
            yield Piece("new", "".join(new[k:m]))
