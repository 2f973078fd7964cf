"""Synthetic dumps of the archive's full size, in the last format: `python -m benchmarks.synthesize DIR`.

Sizes, shares and oddities are those of the real files, as far as they are known. The same seed gives the same
bytes. Beside the five dumps and SNAPSHOT.json the folder gets ODD.json (ordinals of odd and of spam records),
COUNTS.json (what was made) and, with --next, NEXT.json (what a later snapshot changed).
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from benchmarks import oddities
from benchmarks.catalogue import Datasets, Methods, change_catalogued
from benchmarks.dumps import ADDED, CHANGED, GONE, Change, Dump, fates
from benchmarks.papers import (
    Authors,
    Links,
    Paper,
    PaperRecords,
    Papers,
    change_link,
    change_paper,
    spread,
)
from benchmarks.tables import METRICS_PER_ROW, Tables, change_table, change_task, plan, thicken, tree
from benchmarks.tasks import Task, make_tasks, names_beside, task_slugs, walk
from benchmarks.words import Prose, Titles, Vocabulary, seeded, stream, zipf

SEED = 20250728
SNAPSHOT, RETRIEVED, NEXT_SNAPSHOT = "2025-07-28", "2025-07-29", "2025-09-01"
FILES = ("papers-with-abstracts", "links-between-papers-and-code", "evaluation-tables", "methods", "datasets")


@dataclass(frozen=True)
class Sizes:
    """How many of each: at scale 1 as in July 2025; below, never so few that a case goes missing."""

    papers: int
    links: int
    datasets: int
    methods: int
    tasks: int
    other_tasks: int
    paper_tasks: int
    tables: int
    rows: int
    metrics: int
    authors: int
    pool: int
    sentences: int
    tree_bytes: int

    @classmethod
    def at(cls, scale: float) -> Sizes:
        """Sizes at a scale between 0 and 1 (or above)."""

        def scaled(number: int, least: int) -> int:
            return max(least, round(number * scale))

        papers = scaled(576_261, 300)
        return cls(
            papers=papers,
            links=scaled(300_161, 200),
            datasets=scaled(15_008, 60),
            methods=scaled(8_725, 100),
            tasks=scaled(3_900, 240),
            other_tasks=scaled(551, 10),
            paper_tasks=scaled(1_500, 20),
            tables=scaled(9_200, 240),
            rows=scaled(59_860, 900),
            metrics=scaled(3_468, 40),
            authors=round(papers * 1_100_000 / 576_261),
            # Papers that other dumps speak of: rows, methods, datasets.
            pool=max(60, min(papers // 3, round(24_000 * scale))),
            sentences=scaled(60_000, 2_000),
            tree_bytes=scaled(145_000_000, 0),
        )


class Synthesis:
    """One run: makes the parts in the order in which they need one another, and writes them."""

    def __init__(
        self, folder: Path, *, scale: float = 1.0, seed: int = SEED, gz: bool = False, later: bool = False
    ) -> None:
        self.folder, self.seed, self.gz, self.later = folder, seed, gz, later
        self.sizes = sizes = Sizes.at(scale)
        self.odd: dict[str, dict[str, list[int]]] = {}
        self.spam: dict[str, list[int]] = {name: [] for name in FILES}
        self.next: dict[str, dict[str, list[Any]]] = {}
        self.counts: dict[str, Any] = {"scale": scale, "seed": seed, "bytes": {}, "records": {}}
        self.vocabulary = Vocabulary(seed)
        self.tasks = make_tasks(seed, sizes.tasks)
        self.other_tasks = names_beside(self.tasks, seed, sizes.other_tasks + sizes.paper_tasks)
        beside = self.other_tasks[-sizes.other_tasks :]
        names = [task.name for task in self.tasks]
        self.slugs = task_slugs([*names, *beside], seeded(seed, "task slugs"))
        self.titles = Titles(self.vocabulary, names, seed)
        self.prose = Prose(self.vocabulary, seed, sizes.sentences)
        self.papers = Papers(self.titles, self.vocabulary, seed)
        self.pool = [self._pool_paper(number) for number in range(sizes.pool)]
        self.methods = Methods(seed, sizes.methods, self.pool, self.vocabulary, self.prose)
        self.datasets = Datasets(seed, sizes.datasets, self.pool, self.vocabulary, self.prose, self.slugs, beside)

    def run(self) -> dict[str, Any]:
        """Writes everything; the counts."""
        self.folder.mkdir(parents=True, exist_ok=True)
        method_odd = self._plan_odd("methods", set(range(self.sizes.methods)) - set(self.methods.spam))
        dataset_odd = self._plan_odd("datasets", set(range(self.sizes.datasets)) - set(self.datasets.spam))
        unreadable = {ordinal for ordinal, kind in method_odd.items() if kind in oddities.UNREADABLE}
        usage = self.methods.usage(self.seed, unreadable)
        readable = [r for n, r in enumerate(self.datasets.records) if dataset_odd.get(n) not in oddities.UNREADABLE]
        self._write_tables(readable)
        # Papers and tables first: new methods and datasets of a later snapshot draw from the same streams.
        self._write_papers(usage)
        self._write_catalogue("methods", self.methods, method_odd)
        self._write_catalogue("datasets", self.datasets, dataset_odd)
        self._write_lists()
        return self.counts

    def _pool_paper(self, number: int) -> Paper:
        paper = self.papers.make()
        if number % 3:
            draw = seeded(self.seed, "pool", str(number)).paretovariate(1.05)
            paper.repositories = self.papers.repositories(min(200, int(draw)), paper)
        return paper

    def _plan_odd(self, name: str, places: set[int]) -> dict[int, str]:
        return oddities.plan(name, places, len(places), seeded(self.seed, name, "odd"))

    def _dump(
        self,
        name: str,
        total: int,
        odd: dict[int, str],
        change: Change,
        keep: set[int] | None = None,
        *,
        lose: bool = True,
    ) -> Dump:
        """An open dump; in a later snapshot records change or go, except odd ones and those in `keep`."""
        decided: dict[int, str] = {}
        if self.later:
            before_odd = {ordinal - 1 for ordinal in odd}
            decided = fates(
                set(range(total)) - set(odd) - before_odd - (keep or set()),
                total,
                seeded(self.seed, name, "fates"),
                lose=lose,
            )
        return Dump(self.folder, name, seed=self.seed, odd=odd, fates=decided, change=change, gz=self.gz)

    def _close(self, dump: Dump) -> None:
        self.counts["bytes"][dump.name] = dump.close()
        self.counts["records"][dump.name] = dump.written
        self.odd[dump.name] = dump.odd
        self.next[dump.name] = {"changed": dump.changed, "added": dump.added, "gone": dump.gone}

    def _new(self, total: int) -> int:
        return max(1, round(total * ADDED)) if self.later else 0

    def _write_catalogue(self, name: str, made: Methods | Datasets, odd: dict[int, str]) -> None:
        records, spam = made.records, set(made.spam)
        dump = self._dump(name, len(records), odd, change_catalogued)
        for ordinal, record in enumerate(list(records)):
            place = dump.add(record)
            if place is not None and ordinal in spam:
                self.spam[name].append(place)
        for _ in range(self._new(len(records))):
            records.append(made.make())
            dump.add(records[-1], added=True)
        self._close(dump)

    def _write_papers(self, usage: tuple[list[orjson.Fragment], list[float]]) -> None:
        sizes, seed = self.sizes, self.seed
        rng = seeded(seed, "links")
        authors = Authors(self.vocabulary, seed, sizes.authors, sizes.papers)
        names = [task.name for task in self.tasks if task.name] + self.other_tasks
        task_draws = seeded(seed, "paper tasks")
        task_stream = stream(task_draws, task_draws.sample(names, len(names)), zipf(len(names), 0.8))
        methods = stream(seeded(seed, "paper methods"), *usage)
        records = PaperRecords(seed, self.prose, authors, task_stream, methods)
        pool = dict(zip(spread(sizes.papers, len(self.pool)), self.pool, strict=True))
        odd = self._plan_odd("papers-with-abstracts", set(range(sizes.papers)) - set(pool))
        dump = self._dump("papers-with-abstracts", sizes.papers, odd, change_paper, set(pool))
        links = Links()
        dropped: set[int] = set()
        links_left = sizes.links - sum(len(paper.repositories) for paper in self.pool)
        papers_left = sizes.papers - len(pool)
        slots = tasks_used = methods_used = 0
        for ordinal in range(sizes.papers):
            paper = pool.get(ordinal)
            if paper is None:
                paper = self.papers.make()
                # 1.6 repositories on average for a paper that has any; the share steers towards the total.
                count = 0
                if odd.get(ordinal) not in oddities.UNREADABLE and rng.random() * 1.6 * papers_left < links_left:
                    count = min(links_left, rng.choice((1, 1, 1, 1, 1, 1, 1, 2, 2, 5)))
                papers_left -= 1
                if not papers_left:
                    count = links_left
                links_left -= count
                paper.repositories = self.papers.repositories(count, paper)
            record = records.record(paper, ordinal)
            slots += len(record["authors"])
            tasks_used += len(record["tasks"])
            methods_used += len(record["methods"])
            if dump.add(record) is None:
                dropped.update(range(len(links), len(links) + len(paper.repositories)))
            links.add(paper)
        self.counts |= {
            "author_names": authors.distinct,
            "author_slots": slots,
            "paper_tasks": tasks_used,
            "paper_methods": methods_used,
        }
        fresh = Links()
        for number in range(self._new(sizes.papers)):
            paper = self.papers.make()
            paper.repositories = self.papers.repositories(number % 2, paper)
            dump.add(records.record(paper, sizes.papers + 1 + number), added=True)
            fresh.add(paper)
        self._close(dump)
        self._write_links(links, dropped, fresh)

    def _write_links(self, links: Links, dropped: set[int], fresh: Links) -> None:
        """The links in random order, one in 200 of a paper that the papers dump does not hold."""
        name, rng = "links-between-papers-and-code", seeded(self.seed, "link order")
        order = list(range(len(links)))
        rng.shuffle(order)
        # A link is gone only where its paper is.
        dump = self._dump(name, len(links), self._plan_odd(name, set(order)), change_link, lose=False)
        dangling = 0
        for place, number in enumerate(order):
            record = links[number]
            if place % 200 == 100:
                record["paper_url"] += "-gone"
                dangling += 1
            dump.add(record, gone=number in dropped)
        for number in range(len(fresh)):
            dump.add(fresh[number], added=True)
        self.counts["dangling_links"] = dangling
        self._close(dump)

    def _write_tables(self, datasets: list[dict[str, Any]]) -> None:
        sizes, name = self.sizes, "evaluation-tables"
        tables = Tables(
            self.seed,
            papers=self.pool[: len(self.pool) * 4 // 5],
            datasets=datasets,
            slugs=self.slugs,
            metrics=sizes.metrics,
            vocabulary=self.vocabulary,
        )
        later = seeded(self.seed, name, "later")
        edits: list[tuple[Task, bytes, bytes | None]] = []
        for task, rows, metrics in plan(self.seed, self.tasks, sizes.tables, sizes.rows):
            table = tables.table(task, rows, metrics)
            task.tables.append(orjson.dumps(table))
            fate = later.random() if self.later else 1.0
            if fate < GONE:
                edits.append((task, task.tables[-1], None))
            elif fate < GONE + CHANGED:
                change_table(table, later)
                edits.append((task, task.tables[-1], orjson.dumps(table)))
        counted = tables.counted()
        # The shape of the trees and the odd places are those of the earlier snapshot. Half of the trees that
        # are printed once stay so: odd and vanishing records are taken from them.
        thicken(self.tasks, sizes.tree_bytes, self.seed, leave=self._single()[::2])
        top = [task for task in self.tasks if task.top]
        alone = {id(task) for task in self._single()}
        single = {ordinal for ordinal, task in enumerate(top) if id(task) in alone}
        for task, before, after in edits:
            place = task.tables.index(before)
            task.tables[place : place + 1] = [after] if after else []
        named = [task for task in self.tasks if task.name]
        added = [Task(f"Later Task {number}", 6, True, ["Miscellaneous"]) for number in range(self._new(len(top)))]
        for task in added + later.choices(named, k=self._new(sizes.tables)):
            task.tables.append(orjson.dumps(tables.table(task, later.randrange(1, 9), round(METRICS_PER_ROW))))
        if self.later:
            gone = sum(after is None for _, _, after in edits)
            new = tables.tables - sizes.tables
            counted |= {"gone_tables": gone, "changed_tables": len(edits) - gone, "added_tables": new}
        self._write_trees(top, single, added)
        self.counts["tree"] = counted | self._shape(top + added)

    def _single(self) -> list[Task]:
        """Top-level leaves with tables that are printed in no other tree."""
        below = {id(child) for task in self.tasks for child in task.children}
        return [t for t in self.tasks if t.top and t.name and t.tables and not t.children and id(t) not in below]

    def _write_trees(self, top: list[Task], single: set[int], added: list[Task]) -> None:
        name = "evaluation-tables"
        odd = self._plan_odd(name, single)
        dump = self._dump(name, len(top), odd, change_task, set(range(len(top))) - single)
        for task in top:
            dump.add(orjson.loads(tree(task)))
        for task in added:
            dump.add(orjson.loads(tree(task)), added=True)
        self._close(dump)

    def _shape(self, top: list[Task]) -> dict[str, int]:
        """The trees as printed; odd and gone ones are counted as they were."""
        printed = [entry for task in top for entry in walk(task)]
        return {
            "task_names": len({task.name for task, _ in printed}),
            "parents": sum(bool(task.children) for task in self.tasks),
            "depth": max(len(path) for _, path in printed),
            "printed_tasks": len(printed),
            "printed_tables": sum(len(task.tables) for task, _ in printed),
        }

    def _write_lists(self) -> None:
        date = NEXT_SNAPSHOT if self.later else SNAPSHOT
        retrieved = {f"{name}.json": date for name in FILES}
        if not self.later:
            retrieved["papers-with-abstracts.json"] = RETRIEVED
        snapshot = {
            "archive": "corrigenda-synthetic",
            "title": "Synthetic archive",
            "snapshot": date,
            "retrieved": retrieved,
            "licence": "CC BY-SA 4.0",
        }
        odd = {name: {"odd": self.odd[name], "spam": self.spam[name]} for name in FILES}
        self._list("SNAPSHOT", snapshot)
        self._list("ODD", {"unreadable": list(oddities.UNREADABLE), "files": odd})
        self._list("COUNTS", self.counts)
        if self.later:
            self._list("NEXT", self.next)

    def _list(self, name: str, content: dict[str, Any]) -> None:
        (self.folder / f"{name}.json").write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.synthesize", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="OUT_DIR")
    parser.add_argument("--scale", type=float, default=1.0, help="1 is the snapshot of July 2025 (3 GB); default 1")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--gz", action="store_true", help="write .json.gz")
    parser.add_argument("--next", action="store_true", dest="later", help="write a later snapshot of the same archive")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    made = Synthesis(options.folder, scale=options.scale, seed=options.seed, gz=options.gz, later=options.later)
    counts = made.run()
    for name in FILES:
        print(f"{name:32} {counts['records'][name]:>9,} records {counts['bytes'][name] / 1e6:>9,.1f} MB")
    print(f"written to {options.folder} in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
