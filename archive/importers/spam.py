"""Which records are spam, by rules kept as data in `data/spam_rules.toml`.

A rule hides a record from lists and search, reversibly and with its reason shown, so rules are written to be
right rather than complete: docs/spam-rules.md has what they catch and miss, and how that was measured. They look
at names, titles and descriptions only. A placeholder description ("Please enter a description ...") is no reason:
real methods have it.

Time is bounded: the first `MAX_LENGTH` characters of a text are looked at, patterns repeat within bounds, and with
a rule's `within` the first `MAX_ANCHORS` places are tried.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

RULES = Path(__file__).parent / "data" / "spam_rules.toml"

MAX_LENGTH = 20_000
"""Characters of a text that are looked at."""

MAX_ANCHORS = 50
"""Places of a rule's first sign around which its other signs are looked for."""

_DROPPED = dict.fromkeys(
    [
        *map(ord, "\u00ad\u034f\u061c\u180e\ufeff\u20e3"),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE0080),
    ]
) | dict.fromkeys(map(ord, "\u2122\u00ae\u00a9"), " ")
# Combining accents, and the letters and the apostrophe that NFKD keeps whole.
_LEVELLED = dict.fromkeys(range(0x0300, 0x0370)) | str.maketrans("\u0111\u0110\u0131\u0142\u00f8\u2019", "dDilo'")
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0455\u0458\u04bb\u0501\u051b\u051d"
    "\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
    "abekmhopctyxisjhdqw" + "aeikvoptux",
)


class _Digits(dict[int, str]):
    """What digit a character stands for (other scripts', and the dingbats NFKD leaves alone, U+2776), else itself."""

    def __missing__(self, character: int) -> str:
        digit = unicodedata.digit(chr(character), None)
        self[character] = chr(character) if digit is None else str(digit)
        return self[character]


_DIGITS = _Digits()
_LETTERS_AS_DIGITS = str.maketrans("oil", "011")

_LOOK_ALIKE = re.compile(f"[{''.join(map(chr, _LOOK_ALIKES))}]")
_ASCII_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile(r"[a-z]")
_LETTER_FOR_DIGIT = re.compile(
    r"(?<![^\W\d_])(?:(?<=\d)[oil]{1,4}|[oil]{1,4}(?=\d)|(?<=\d[\W_])[oil]{1,4}(?=[\W_]\d))(?![^\W\d_])"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """One pattern in folded text; `words`, if any, are plain strings of which one must stand there first."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]

    def found(self, folded: str) -> bool:
        """Tell whether the sign stands in a folded text."""
        if self.words and not _any_in(self.words, folded):
            return False
        return self.pattern.search(folded) is not None


@dataclass(frozen=True, slots=True)
class SpamRule:
    """A rule: all of `signs` (each a choice of signs) in one field, and none of `unless`."""

    id: str
    reason: str
    kinds: frozenset[str]
    fields: tuple[str, ...]
    signs: tuple[tuple[Sign, ...], ...]
    needed: tuple[tuple[str, ...], ...]
    """Of each of these one must stand in the text, or no pattern is tried."""
    unless: tuple[Sign, ...]
    within: int | None
    hit: tuple[str, ...]
    miss: tuple[str, ...]

    def matches(self, folded: str) -> bool:
        """Tell whether a folded text of one of the rule's fields is caught."""
        for words in self.needed:
            if not _any_in(words, folded):
                return False
        # From the last sign: the first is the one that others stand around, and the slowest to look for.
        if not all(_any_found(choice, folded) for choice in reversed(self.signs)):
            return False
        if any(sign.found(folded) for sign in self.unless):
            return False
        return self.within is None or self._stand_together(folded, self.within)

    def _stand_together(self, folded: str, distance: int) -> bool:
        """Tell whether all signs stand within a distance of one place of the first."""
        anchors, *others = self.signs
        for anchor in anchors:
            for tried, place in enumerate(anchor.pattern.finditer(folded)):
                if tried == MAX_ANCHORS:
                    break
                around = folded[max(0, place.start() - distance) : place.end() + distance]
                if all(_any_found(choice, around) for choice in others):
                    return True
        return False


def spam_reason(kind: str, texts: Mapping[str, str | None]) -> str | None:
    """Give the id of the first rule that calls a record spam, or None.

    `kind` is "paper", "dataset", "method" or "task"; `texts` holds the record's texts by the dump's key
    ("name", "full_name", "title", "description"); others are not looked at. `rules()[id].reason` is the
    sentence for readers. Never raises on any text; raises ValueError on a kind no rule knows.
    """
    folded_texts: dict[str, str] = {}
    for rule in _rules_for(kind):
        for field in rule.fields:
            text = texts.get(field)
            if not text:
                continue
            if field not in folded_texts:
                folded_texts[field] = fold(text)
            if rule.matches(folded_texts[field]):
                return rule.id
    return None


def fold(text: str) -> str:
    """Give the form of a text that patterns are written for.

    Cut at `MAX_LENGTH`; compatibility forms, accents and case levelled; invisible characters dropped, trade
    marks as blanks; every digit of any script or ornament as 0-9; Cyrillic and Greek look-alikes inside Latin
    words as the letters they imitate; o, i and l between digits as 0 and 1; blanks single.
    """
    text = text[:MAX_LENGTH]
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_DROPPED))[:MAX_LENGTH].translate(_LEVELLED)
        text = text.translate(_DIGITS).casefold()
        if _LOOK_ALIKE.search(text):
            text = _WORD.sub(_latin, text)
    else:
        text = text.lower()
    if _ASCII_DIGIT.search(text):  # first, since few titles have one and the pattern is slow
        text = _LETTER_FOR_DIGIT.sub(lambda letters: letters[0].translate(_LETTERS_AS_DIGITS), text)
    return " ".join(text.split())


def _latin(word: re.Match[str]) -> str:
    """Put Latin letters for look-alikes in a word that has Latin ones; a wholly Cyrillic word stays."""
    return word[0].translate(_LOOK_ALIKES) if _LATIN.search(word[0]) else word[0]


def _any_in(words: tuple[str, ...], folded: str) -> bool:
    return any(map(folded.__contains__, words))  # no generator: it would cost more than the test, on every title


def _any_found(choice: tuple[Sign, ...], folded: str) -> bool:
    return any(sign.found(folded) for sign in choice)


@cache
def rules() -> Mapping[str, SpamRule]:
    """Give all rules by id, in the order they are tried; read once per process.

    Raises ValueError where the file names an unknown sign or the same id twice.
    """
    with RULES.open("rb") as file:
        source = tomllib.load(file)
    signs = {name: _sign(entry) for name, entry in source["signs"].items()}
    found: dict[str, SpamRule] = {}
    for entry in source["rules"]:
        if entry["id"] in found:
            raise ValueError(f"two spam rules are called {entry['id']}")
        try:
            choices = tuple(tuple(signs[name] for name in choice.split("|")) for choice in entry["signs"])
            found[entry["id"]] = SpamRule(
                id=entry["id"],
                reason=entry["reason"],
                kinds=frozenset(entry["kinds"]),
                fields=tuple(entry["fields"]),
                signs=choices,
                needed=tuple(
                    tuple(dict.fromkeys(word for sign in choice for word in sign.words))
                    for choice in choices
                    if all(sign.words for sign in choice)
                ),
                unless=tuple(signs[name] for name in entry.get("unless", [])),
                within=entry.get("within"),
                hit=tuple(entry["hit"]),
                miss=tuple(entry["miss"]),
            )
        except KeyError as missing:
            raise ValueError(f"spam rule {entry['id']}: no sign or key {missing}") from missing
    return found


@cache
def _rules_for(kind: str) -> tuple[SpamRule, ...]:
    chosen = tuple(rule for rule in rules().values() if kind in rule.kinds)
    if not chosen:
        raise ValueError(f"no spam rule is for records of kind {kind!r}")
    return chosen


def _sign(entry: Mapping[str, Any]) -> Sign:
    """Compile a sign; letters beyond ASCII are levelled as texts are, ASCII is the pattern's own syntax."""
    pattern = re.sub(r"[^\x00-\x7f]+", lambda letters: fold(letters[0]), entry["pattern"])
    return Sign(
        re.compile(pattern, re.VERBOSE),
        tuple(fold(word) if not word.isascii() else word for word in entry.get("words", ())),
    )
