"""Where the words that were searched for stand in a text, and the piece of a long text that has most to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

_WORD = re.compile(r"[^\W_]+(?:[-\N{HYPHEN}'\N{RIGHT SINGLE QUOTATION MARK}][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")

Mark = tuple[int, int]


def compared(word: str) -> str:
    """A word as the index compares it: lower case, accents off."""
    if word.isascii():
        return word.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))


def _places(text: str, words: Collection[str]) -> Iterator[Mark]:
    for match in _WORD.finditer(text):
        token = match[0]
        if token.isalnum():
            if compared(token) in words:
                yield match.span()
            continue
        parts = list(_PART.finditer(token))
        if compared("".join(part[0] for part in parts)) in words:
            yield match.span()
            continue
        for part in parts:
            if compared(part[0]) in words:
                yield match.start() + part.start(), match.start() + part.end()


def marks(text: str, words: Collection[str]) -> list[Mark]:
    """Beginning and end of each place of a text that has one of the words, hyphens inside a word not minded."""
    return list(_places(text, words))


def pieces(text: str, marked: Sequence[Mark]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is marked."""
    parts: list[tuple[str, bool]] = []
    done = 0
    for start, end in marked:
        parts += [(text[done:start], False), (text[start:end], True)]
        done = end
    return [(part, is_marked) for part, is_marked in (*parts, (text[done:], False)) if part]


def excerpt(text: str, words: Collection[str], length: int = 240) -> str:
    """A piece of a text of about that many characters, from a little before the first of the words on."""
    first = next(_places(text, words), None)
    start = max(0, first[0] - length // 3) if first else 0
    if len(text) - start < length:
        start = max(0, len(text) - length)
    if start:
        start = text.find(" ", start, start + 40) + 1 or start
    end = len(text) if len(text) <= start + length else text.rfind(" ", start + length // 2, start + length)
    end = end if end > start else start + length
    return ("… " if start else "") + text[start:end].strip() + (" …" if end < len(text) else "")
