"""What was typed, taken apart: words, quoted phrases, and what is left out by a minus sign."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

LONGEST = 300
"""Characters of a query that are read."""

MOST_WORDS = 32
"""Words of a query that are searched for; a longer title is found by these, or as a whole."""

_NOT_PRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]+")
_HYPHENS = re.compile("[\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}]")
_QUOTES = re.compile("[\N{LEFT DOUBLE QUOTATION MARK}-\N{DOUBLE HIGH-REVERSED-9 QUOTATION MARK}«»]")
_PIECE = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"|(?P<token>[^\s"]+))')
_APART = re.compile(r"[^\w'\N{RIGHT SINGLE QUOTATION MARK}-]+|_+")
_PART = re.compile(r"[^\W_]+")

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """A query in parts. A word such as `multi-turn` has several parts; what joins them does not matter."""

    text: str
    words: tuple[Parts, ...]
    phrases: tuple[Parts, ...]
    excluded: tuple[Parts, ...]

    @cached_property
    def wanted(self) -> tuple[Parts, ...]:
        """Words that have to be there, those of phrases included."""
        return (*self.words, *((part,) for phrase in self.phrases for part in phrase))[:MOST_WORDS]

    @cached_property
    def parts(self) -> list[str]:
        """Every form that may stand in the index, once: parts of words, and words with their parts joined."""
        forms = [form for parts in self.wanted for form in (*parts, "".join(parts))]
        return list(dict.fromkeys(forms))

    @property
    def name(self) -> str:
        """The text as a name to be looked up whole; "" if something is to be left out."""
        return "" if self.excluded else self.text

    def without(self, *, phrases: bool = False, excluded: bool = False) -> str:
        """The text without its quotation marks, or without what is left out."""
        words = ["-".join(parts) for parts in self.words]
        quoted = [" ".join(phrase) for phrase in self.phrases]
        if not phrases:
            quoted = [f'"{phrase}"' for phrase in quoted]
        left_out = [] if excluded else ["-" + _shown(parts) for parts in self.excluded]
        return " ".join([*words, *quoted, *left_out])


def _shown(parts: Parts) -> str:
    return parts[0] if len(parts) == 1 else f'"{" ".join(parts)}"'


def parse(typed: str) -> Query:
    """Read a query. Never raises: what can not be searched for is left out, and the rest of an overlong one too."""
    text = _NOT_PRINTED.sub(" ", typed[: LONGEST * 4])
    text = " ".join(unicodedata.normalize("NFC", text[:LONGEST]).split())
    plain = _QUOTES.sub('"', _HYPHENS.sub("-", text))
    if plain.count('"') % 2:
        plain = plain[: plain.rindex('"')] + " " + plain[plain.rindex('"') + 1 :]
    words: list[Parts] = []
    phrases: list[Parts] = []
    excluded: list[Parts] = []
    for piece in _PIECE.finditer(plain):
        if piece["phrase"] is not None:
            parts = tuple(_PART.findall(piece["phrase"]))
            if parts:
                (excluded if piece["minus"] else phrases if len(parts) > 1 else words).append(parts)
            continue
        for token in _APART.split(piece["token"]):
            parts = tuple(_PART.findall(token))
            if parts:
                (excluded if piece["minus"] else words).append(parts)
    return Query(text, tuple(words[:MOST_WORDS]), tuple(phrases[:8]), tuple(excluded[:8]))


# The language of to_tsquery. Only letters and digits get here, quoted, so nothing typed can be an operator.


def any_of(forms: Iterable[str], label: str = "") -> str:
    """One of several words: `('network':AB | 'networks':AB)`; "" of none."""
    words = [f"'{form}'{label}" for form in forms]
    return f"({' | '.join(words)})" if len(words) > 1 else "".join(words)


def all_of(terms: Iterable[str]) -> str:
    """All of several terms; "" of none."""
    return " & ".join(term for term in terms if term)


def in_a_row(parts: Sequence[str]) -> str:
    """The words of a phrase, one after the other."""
    return "(" + " <-> ".join(f"'{part}'" for part in parts) + ")"
