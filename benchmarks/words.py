"""Words, names, titles and prose for synthetic dumps.

Everything is drawn from `random.Random` seeded with a string, which hashes with SHA-512: the same seed gives
the same text in every process, whatever PYTHONHASHSEED says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")

SLUG_LENGTH = 45
MADE_UP_WORDS = 80_000
HEAD = 1_500
REAL_WORDS = Path(__file__).with_name("words.txt")
PHRASES = Path(__file__).with_name("phrases.txt")

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_VOWELS = ["a", "a", "a", "e", "e", "e", "i", "i", "o", "o", "u", "ai", "ea", "io", "ou", "y"]
_CODAS = ["", "", "", "", "", "", *["l", "m", "n", "r", "s", "t", "n", "r", "nd", "rk", "st"]]
_SUFFIXES = {
    "N": ["", "", "", "on", "er", "or", "ity", "ness", "ism", "graph", "s", "ment"],
    "A": ["al", "ic", "ive", "ous", "ed", "able", "less", "ary"],
    "G": ["ing"],
    "R": ["ly"],
}


def seeded(seed: int, *purpose: str) -> Random:
    """A generator of its own for one purpose, so that drawing more in one place moves nothing elsewhere."""
    return Random("/".join((str(seed), *purpose)))


def phrases(heading: str) -> list[str]:
    """The lines under one heading of phrases.txt; KeyError without it. "" stands for the empty string."""
    found: dict[str, list[str]] = {}
    lines = PHRASES.read_text(encoding="utf-8").splitlines()
    current: list[str] = []
    for line in lines:
        if line.startswith("[") and line.endswith("]"):
            current = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            current.append("" if line == '""' else line)
    return found[heading]


def zipf(count: int, exponent: float = 1.0, offset: float = 2.7) -> list[float]:
    """Cumulative Zipf-Mandelbrot weights of ranks 1..count, as `random.choices` wants them."""
    return list(accumulate((rank + offset) ** -exponent for rank in range(1, count + 1)))


def stream(rng: Random, items: Sequence[T], weights: Sequence[float] | None = None) -> Iterator[T]:
    """Endless draws from `items`; made in blocks, since one call per draw costs five times as much."""
    while True:
        yield from rng.choices(items, cum_weights=weights, k=2048)


def slug(text: str, limit: int = SLUG_LENGTH) -> str:
    """The old site's slug: ASCII, runs of anything else one "-", cut at the last word end within `limit`."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    whole = _NOT_SLUG.sub("-", text.lower()).strip("-")
    if len(whole) <= limit:
        return whole
    cut = whole.rfind("-", 0, limit + 1)
    return whole[:cut] if cut > 0 else whole[:limit]


class Minter:
    """Gives each slug once: the second taker of "x" gets "x-1", the third "x-2"."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._next: dict[str, int] = {}

    def mint(self, wanted: str) -> str:
        """`wanted`, or the first free "wanted-n"; an empty slug becomes "untitled"."""
        wanted = wanted or "untitled"
        given = wanted
        if wanted in self.taken:
            number = self._next.get(wanted, 1)
            while (given := f"{wanted}-{number}") in self.taken:
                number += 1
            self._next[wanted] = number + 1
        self.taken.add(given)
        return given


def tag_of(word: str) -> str:
    """A rough part of speech from the ending: noun, adjective, gerund or adverb (N, A, G, R)."""
    if word.endswith("ing"):
        return "G"
    if word.endswith("ly"):
        return "R"
    if word.endswith(("al", "ed", "ive", "ic", "ous", "able", "ary", "ful", "less")):
        return "A"
    return "N"


def _made_up(rng: Random, count: int, known: set[str]) -> list[str]:
    """`count` pronounceable words that are not in `known` (which grows)."""
    words: list[str] = []
    onset, vowel, coda = stream(rng, phrases("onsets")), stream(rng, _VOWELS), stream(rng, _CODAS)
    tag = stream(rng, "NNNNNNAAAGGR")
    while len(words) < count:
        stem = "".join(next(onset) + next(vowel) + next(coda) for _ in range(rng.choice((1, 1, 2, 2, 3))))
        word = stem + rng.choice(_SUFFIXES[next(tag)])
        if 4 <= len(word) <= 16 and word not in known:
            known.add(word)
            words.append(word)
    return words


class Vocabulary:
    """3,000 words that papers really use among 80,000 made-up ones, with Zipf weights, by part of speech.

    The 1,500 commonest ranks are real words, then real and made-up ones alternate while there are real ones.
    """

    def __init__(self, seed: int) -> None:
        rng = seeded(seed, "vocabulary")
        real = REAL_WORDS.read_text(encoding="utf-8").split()
        made = _made_up(rng, MADE_UP_WORDS, set(real))
        self.short = [word for word in made if len(word) <= 6 and tag_of(word) == "N"]
        rest = real[HEAD:]
        mixed = [word for pair in zip(rest, made, strict=False) for word in pair]
        self.ranked = real[:HEAD] + mixed + made[len(rest) :]
        self.weights = zipf(len(self.ranked))
        self.tagged: dict[str, tuple[list[str], list[float]]] = {}
        each = [right - left for left, right in zip([0.0, *self.weights], self.weights, strict=False)]
        for tag in "NAGR":
            pairs = [(w, p) for w, p in zip(self.ranked, each, strict=True) if tag_of(w) == tag]
            self.tagged[tag] = ([w for w, _ in pairs], list(accumulate(p for _, p in pairs)))

    def words(self, rng: Random) -> Iterator[str]:
        """Endless words of any kind, common ones oftener."""
        return stream(rng, self.ranked, self.weights)

    def by_tag(self, rng: Random, *, capital: bool = False) -> dict[str, Iterator[str]]:
        """Endless words of each kind; capitalised for titles."""
        streams = {}
        for tag, (words, weights) in self.tagged.items():
            chosen = [w.capitalize() for w in words] if capital else words
            streams[tag] = stream(rng, chosen, weights)
        return streams


_ACRONYM_ENDS = [
    "",
    "",
    "",
    "",
    "Net",
    "Net",
    "Former",
    "GAN",
    "BERT",
    "++",
    "-v2",
    "3D",
    "LM",
    "-XL",
    "R",
    "Bench",
    "SAM",
    "-Q",
]
_LONE_CAPITAL = re.compile(r"(?<![A-Za-z_{])([AGNRTWZ])(?![a-z_A-Z~])")


def _compiled(form: str) -> list[str]:
    """A form cut in turns into literal text and letters to be replaced ("A~" is the article)."""
    return [part.replace("~", " ") for part in _LONE_CAPITAL.split(form)]


def acronyms(vocabulary: Vocabulary, rng: Random) -> Iterator[str]:
    """Endless model names, "MIRVO", "DraskNet"."""
    ends = stream(rng, _ACRONYM_ENDS)
    for number, word in enumerate(stream(rng, vocabulary.short)):
        end = next(ends)
        yield (word.upper() if number % 3 or not end else word.capitalize()) + end


class Titles:
    """Distinct paper titles with acronyms, task names, and now and then LaTeX, accents, Chinese or Arabic."""

    def __init__(self, vocabulary: Vocabulary, tasks: Sequence[str], seed: int) -> None:
        self._rng = seeded(seed, "titles")
        self._forms = stream(self._rng, [_compiled(form) for form in phrases("title forms")])
        self._rare = stream(self._rng, [_compiled(form) for form in phrases("rare title forms")])
        self._words = vocabulary.by_tag(self._rng, capital=True)
        self._words["T"] = stream(self._rng, [task for task in tasks if task], zipf(sum(map(bool, tasks)), 0.8))
        self._words["W"] = self._words["Z"] = acronyms(vocabulary, self._rng)
        self._seen: set[str] = set()

    def __next__(self) -> str:
        """A title not given before."""
        while True:
            parts = next(self._rare if self._rng.random() < 0.02 else self._forms).copy()
            for place in range(1, len(parts), 2):
                parts[place] = next(self._words[parts[place]])
            title = "".join(parts)
            if title not in self._seen:
                self._seen.add(title)
                return title


_OPENERS = [
    "We introduce {}. ",
    "This paper presents {}. ",
    "We study {}. ",
    "{} is an open problem. ",
    "",
    "",
]


class Prose:
    """Abstracts and descriptions from a pool of sentences with two open places each.

    The open places are filled anew in every text, so that texts are distinct and rare words stay rare, at a
    tenth of the cost of writing word by word.
    """

    def __init__(self, vocabulary: Vocabulary, seed: int, pool: int) -> None:
        rng = seeded(seed, "sentences")
        words = vocabulary.by_tag(rng)
        common = stream(rng, [_compiled(form) for form in phrases("sentence forms")])
        rare = stream(rng, [_compiled(form) for form in phrases("rare sentence forms")])
        sentences = []
        for number in range(pool):
            parts = next(rare if number % 67 == 0 else common).copy()
            for place in range(1, len(parts), 2):
                parts[place] = next(words[parts[place]])
            sentences.append("".join(parts))
        draw = seeded(seed, "prose")
        self._sentences = stream(draw, sentences)
        self._words = vocabulary.words(draw)
        self._openers = stream(draw, _OPENERS)
        self._lengths = stream(draw, [2, 4, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 9, 9, 10, 12])

    def text(self, sentences: int) -> str:
        """So many sentences in one paragraph."""
        body = " ".join([next(self._sentences) for _ in range(sentences)])
        return body % tuple([next(self._words) for _ in range(2 * sentences)])

    def abstract(self, title: str, *, wrapped: bool) -> str:
        """An abstract for `title`; `wrapped` breaks lines inside sentences, as arXiv's listing did."""
        text = next(self._openers).format(title.partition(":")[0]) + self.text(next(self._lengths))
        return wrap(text) if wrapped else text


def wrap(text: str, width: int = 70) -> str:
    """`text` with the first space after each `width` characters made a line break."""
    lines = []
    start = 0
    while (space := text.find(" ", start + width)) > 0:
        lines.append(text[start:space])
        start = space + 1
    lines.append(text[start:])
    return "\n".join(lines)


_HAN_FAMILY, _HAN_GIVEN = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗",
    "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉红文建国志",
)
_RTL_GIVEN = ["محمد", "أحمد", "فاطمة", "ليلى", "יעל", "נועם", "דוד"]
_RTL_FAMILY = ["الخطيب", "حسن", "المصري", "כהן", "לוי", "מזרחי"]


class Names:
    """Author names by number: number → name is one to one, so nothing has to be stored."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._given = list(dict.fromkeys(phrases("given names") + [w.capitalize() for w in vocabulary.short[:700]]))
        self._family = list(
            dict.fromkeys(phrases("family names") + [w.capitalize() for w in vocabulary.short[700:4700]])
        )
        self.size = len(self._given) * len(self._family)
        self._step = 1_000_003  # a prime larger than both lists: steps through every pair before repeating

    def name(self, number: int) -> str:
        """The name of author `number`; every 400th in Chinese, every 1,500th in Arabic or Hebrew letters."""
        if number % 400 == 7:
            rest, family = divmod(number // 400, len(_HAN_FAMILY))
            second, first = divmod(rest, len(_HAN_GIVEN))
            return _HAN_FAMILY[family] + _HAN_GIVEN[first] + _HAN_GIVEN[second % len(_HAN_GIVEN)]
        if number % 1500 == 11:
            rest, family = divmod(number // 1500, len(_RTL_FAMILY))
            middle, first = divmod(rest, len(_RTL_GIVEN))
            return f"{_RTL_GIVEN[first]} {_RTL_GIVEN[middle % len(_RTL_GIVEN)]} {_RTL_FAMILY[family]}"
        family, given = divmod(number * self._step % self.size, len(self._given))
        if number % 9 == 4:
            return f"{self._given[given]} {chr(65 + number % 26)}. {self._family[family]}"
        return f"{self._given[given]} {self._family[family]}"
