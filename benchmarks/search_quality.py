"""Known-item search: does a search for what one remembers of a record find it?

    python -m benchmarks.search_quality [--sample N] [--failures N]

Asks the archive of the database in use. By class of query: how many were asked, the mean reciprocal rank among the
first ten results (MRR@10), how often the record was first, and how often among the ten. A record with the same name
counts as the one meant. The sample of each class is drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import string
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

SEED = 20250728
TOP = 10
GOALS = {"exact title": 0.95, "one typo": 0.85, "three words": 0.80}
_STOP_WORDS = """
    a about all an and are as at be been by can do does for from how in into is it its of on or our over than that the
    their them there these they this to towards under up via was we what when where which while who why with without
    you your using
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
WORD = re.compile(r"[^\W_]+")
ACRONYM = re.compile(r"\s*([^\s:]{2,30})\s*:")


@dataclass(frozen=True)
class Item:
    """A record that is to be found."""

    name: str
    authors: list[str]

    @property
    def content_words(self) -> list[str]:
        """The words of the name that say something, each once, in their order."""
        words = (word for word in WORD.findall(self.name) if len(word) > 2 and not word.isdigit())
        return list(dict.fromkeys(word for word in words if word.lower() not in STOP_WORDS))


def exact(item: Item, chance: random.Random) -> str | None:
    """The whole name."""
    return item.name


def one_typo(item: Item, chance: random.Random) -> str | None:
    """The whole name with one slip in a word of at least four Latin letters."""
    words = list(re.finditer(r"[A-Za-z]{4,}", item.name))
    if not words:
        return None
    word = chance.choice(words)
    place = chance.randrange(word.start(), word.end() - 1)
    letter = chance.choice(string.ascii_lowercase)
    before, here, after = item.name[:place], item.name[place : place + 2], item.name[place + 2 :]
    mistyped = chance.choice([here[1], here[::-1], letter + here[1], here[0] + letter + here[1]])
    return None if mistyped.lower() == here.lower() else before + mistyped + after


def acronym(item: Item, chance: random.Random) -> str | None:
    """What stands before the colon of a title, if it is one word."""
    match = ACRONYM.match(item.name)
    return match[1] if match else None


def three_words(item: Item, chance: random.Random) -> str | None:
    """Three words of the name that say something, drawn at random, in the name's order."""
    words = item.content_words
    if len(words) < 3:
        return None
    return " ".join(words[place] for place in sorted(chance.sample(range(len(words)), 3)))


def author_and_word(item: Item, chance: random.Random) -> str | None:
    """The last word of one author's name, and one word of the title."""
    words = item.content_words
    surnames = [names[-1] for author in item.authors if (names := WORD.findall(author)) and len(names[-1]) > 1]
    return f"{chance.choice(surnames)} {chance.choice(words)}" if surnames and words else None


CLASSES: dict[str, Callable[[Item, random.Random], str | None]] = {
    "exact title": exact,
    "one typo": one_typo,
    "acronym": acronym,
    "three words": three_words,
    "author + word": author_and_word,
}


@dataclass
class Outcome:
    """How the queries of one class fared."""

    ranks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def mean_reciprocal_rank(self) -> float:
        """The mean of 1/rank, 0 for what is not among the first ten."""
        return sum(1 / rank for rank in self.ranks if rank) / max(1, len(self.ranks))

    def share(self, most: int) -> float:
        """How often the record was among the first so many."""
        return sum(0 < rank <= most for rank in self.ranks) / max(1, len(self.ranks))

    def slowest(self, share: float) -> float:
        """The time in milliseconds that this share of the queries stays below."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def items(most: int) -> list[Item]:
    """The public records that search finds, at most so many, drawn at random and the same each time."""
    from django.contrib.postgres.aggregates import ArrayAgg

    from archive.models import Record
    from archive.search.indexing import KINDS

    records = Record.objects.public().filter(kind__in=KINDS).exclude(name="")
    keys = list(records.order_by("id").values_list("id", flat=True))
    random.Random(SEED).shuffle(keys)
    rows = records.filter(id__in=keys[:most]).annotate(authors=ArrayAgg("paper__authorships__author__name"))
    found = {
        key: Item(name, [a for a in authors if a]) for key, name, authors in rows.values_list("id", "name", "authors")
    }
    return [found[key] for key in keys[:most] if key in found]


def queries(among: list[Item], name: str, most: int) -> Iterator[tuple[Item, str]]:
    """At most so many queries of a class, each with the record it is for."""
    chance = random.Random(f"{SEED} {name}")
    asked = 0
    for item in among:
        query = CLASSES[name](item, chance)
        if query and asked < most:
            asked += 1
            yield item, query


def same(name: str) -> str:
    """A name as names are held to be the same: case, blanks and punctuation aside."""
    return "".join(WORD.findall(name)).casefold()


def measure(name: str, among: list[Item], most: int) -> Outcome:
    """Ask the queries of a class."""
    from archive.pages.search import build

    outcome = Outcome()
    for item, query in queries(among, name, most):
        started = time.perf_counter()
        page = build(query)
        outcome.seconds.append(time.perf_counter() - started)
        names = [same(result.name) for result in page.results[:TOP]]
        wanted = same(item.name)
        rank = names.index(wanted) + 1 if wanted in names else 0
        outcome.ranks.append(rank)
        if not rank:
            outcome.failures.append((query, item.name, page.results[0].name if page.results else "nothing"))
    return outcome


def main() -> None:
    """Measure every class and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=2000, help="queries of each class at most")
    parser.add_argument("--failures", type=int, default=0, help="failures of each class to print")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    among = items(options.sample * 8)
    print(
        f"{'class':14} {'queries':>7} {'MRR@10':>7} {'first':>6} {'in ten':>6} "
        f"{'p50 ms':>7} {'p95 ms':>7} {'max ms':>7}"
    )
    missed = []
    for name in CLASSES:
        outcome = measure(name, among, options.sample)
        goal = GOALS.get(name)
        reached = outcome.mean_reciprocal_rank
        verdict = "" if goal is None else f"  goal {goal:.2f} {'reached' if reached >= goal else 'MISSED'}"
        print(
            f"{name:14} {len(outcome.ranks):7,} {reached:7.3f} {outcome.share(1):6.1%} {outcome.share(TOP):6.1%} "
            f"{outcome.slowest(0.5):7.1f} {outcome.slowest(0.95):7.1f} {outcome.slowest(1):7.1f}{verdict}",
            flush=True,
        )
        for query, meant, first in outcome.failures[: options.failures]:
            print(f"    {query!r} meant {meant!r}, first was {first!r}")
        if goal is not None and reached < goal:
            missed.append(name)
    raise SystemExit(f"Missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
