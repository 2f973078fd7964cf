"""How long a search takes, by kind of query: the common words that have most to look at, phrases, slips, nonsense.

    python -m benchmarks.search_speed [--each N]

Asks the archive of the database in use, in this process, page object and all, without HTTP. The queries are made of
the archive's own words with a fixed seed. Prints milliseconds by the clock and, where the server runs on this machine,
of processor time (this process and its server's process), which tells more on a busy machine. Exits with 1 where a
goal is missed by the clock.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.search_quality import CLASSES, SEED, items

GOAL_P95, GOAL_MOST = 60, 250


def kinds_of_queries() -> dict[str, Callable[[random.Random], str]]:
    """By kind: what draws a query."""
    from archive.models import Authorship, SearchWord

    words = list(SearchWord.objects.order_by("-frequency").values_list("word", flat=True)[:20_000])
    common, frequent = words[:50], words[:500]
    authorships = Authorship.objects.order_by("paper_id").values_list("author__name", flat=True)[:20_000]
    surnames = [name.split()[-1] for name in authorships if name.split()]
    known = items(4_000)
    return {
        "a common word": lambda chance: chance.choice(common),
        "two common words": lambda chance: " ".join(chance.sample(common, 2)),
        "three frequent words": lambda chance: " ".join(chance.sample(frequent, 3)),
        "a common phrase": lambda chance: f'"{" ".join(chance.sample(common, 2))}"',
        "one without another": lambda chance: "{} -{}".format(*chance.sample(common, 2)),
        "a rare word": lambda chance: chance.choice(words[5_000:]),
        "a beginning": lambda chance: chance.choice(words[500:])[:3],
        "an author": lambda chance: chance.choice(surnames),
        "nonsense": lambda chance: " ".join("".join(chance.choices("bcdfgaeiou", k=9)) for _ in range(3)),
        **{
            name: lambda chance, name=name: CLASSES[name](chance.choice(known), chance) or chance.choice(words)
            for name in CLASSES
        },
    }


@dataclass(frozen=True, order=True)
class Asked:
    """One query: seconds by the clock, seconds of processor time (0 if not known), and what was asked."""

    seconds: float
    processor: float
    query: str


class Watch:
    """Times queries of this process, with the process of the server that answers them."""

    def __init__(self) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid(), inet_server_addr() IS NULL")
            process, local = cursor.fetchone()
        self._server = Path(f"/proc/{process}/schedstat") if local else None

    def _processor(self) -> float:
        try:
            server = int(self._server.read_text().split()[0]) / 1e9 if self._server else 0.0
        except OSError:
            return 0.0
        return time.process_time() + server

    def time(self, ask: Callable[[str], object], query: str) -> Asked:
        """Ask a query."""
        processor, started = self._processor(), time.perf_counter()
        ask(query)
        return Asked(time.perf_counter() - started, self._processor() - processor, query)


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=100, help="queries of each kind")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from archive.pages.search import build
    from archive.search.names import suggestions

    everything: list[Asked] = []
    print(f"{'':22} {'by the clock':^23}   {'processor time':^23}\n{'query':22} {COLUMNS}   {COLUMNS}  slowest")
    watch = Watch()
    for name, draw in kinds_of_queries().items():
        chance = random.Random(f"{SEED} {name}")
        took = [watch.time(lambda query: build(query), draw(chance)) for _ in range(options.each)]
        everything += took
        report(name, took)
    chance = random.Random(SEED)
    typed = [item.name[: chance.randrange(2, 12)] for item in items(options.each)]
    report("suggestions", [watch.time(suggestions, beginning) for beginning in typed])
    report("all searches", everything)
    _, p95, most = quantiles([asked.seconds for asked in everything])
    print(f"goals: p95 {GOAL_P95} ms, most {GOAL_MOST} ms")
    raise SystemExit(p95 > GOAL_P95 or most > GOAL_MOST)


COLUMNS = f"{'p50':>7} {'p95':>7} {'max':>7}"


def quantiles(seconds: list[float]) -> tuple[float, float, float]:
    """Half of them, 95 of 100, and all stay below these milliseconds."""
    ordered = sorted(seconds)
    p50, p95, most = (1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95, 1))
    return p50, p95, most


def report(name: str, took: list[Asked]) -> None:
    """Print a line of the table."""
    columns = [quantiles([asked.seconds for asked in took]), quantiles([asked.processor for asked in took])]
    numbers = "   ".join(" ".join(f"{number:7.1f}" for number in column) for column in columns)
    slowest = max(took, key=lambda asked: asked.processor or asked.seconds)
    print(f"{name:22} {numbers}  {slowest.query[:50]!r}", flush=True)


if __name__ == "__main__":
    main()
