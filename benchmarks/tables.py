"""Evaluation tables: leaderboards of skewed sizes, printed again wherever their task appears in the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Any

import orjson

from benchmarks.papers import SITE, Paper
from benchmarks.tasks import CYCLES, Task
from benchmarks.words import Minter, Vocabulary, acronyms, phrases, seeded, slug, stream, zipf

METRICS_PER_ROW = 260_526 / 59_860
_HIGHER = phrases("metrics, higher is better")
_LOWER = phrases("metrics, lower is better")
_QUALIFIERS = phrases("metric qualifiers")
ROW_KINDS = {"address": 95, "arxiv": 2, "title": 1, "unmatched": 1, "none": 1}
"""Of 100 rows: the paper's url_abs, its arXiv id without version, its title alone, a paper we lack, none."""
_KIND_OF_ROW = [kind for kind, count in ROW_KINDS.items() for _ in range(count)]
_VARIANTS = [
    "",
    "",
    "",
    "",
    " (ResNet-50)",
    " (ensemble)",
    " (ViT-L, 384px)",
    " + TTA",
    " (few-shot, k=5)",
    "-Large",
    "-base",
    " (ours)",
]


def metric_names(seed: int, count: int) -> list[str]:
    """`count` distinct names, the well-known first."""
    rng = seeded(seed, "metrics")
    names = dict.fromkeys([*_HIGHER[:8], *_LOWER[:4], *_HIGHER, *_LOWER, "0S"][:count])
    while len(names) < count:
        name = f"{rng.choice(_HIGHER if rng.random() < 0.7 else _LOWER)} ({rng.choice(_QUALIFIERS)}"
        names[name + (f", {rng.choice(_QUALIFIERS)})" if len(names) % 3 else f" {rng.randrange(200)})")] = None
    return list(names)


class Tables:
    """Makes leaderboards and counts what was made."""

    def __init__(
        self,
        seed: int,
        *,
        papers: Sequence[Paper],
        datasets: Sequence[dict[str, Any]],
        slugs: dict[str, str],
        metrics: int,
        vocabulary: Vocabulary,
    ) -> None:
        self._rng = rng = seeded(seed, "tables")
        self._slugs, self._minter = slugs, Minter()
        self._papers = stream(rng, papers, zipf(len(papers), 0.35))
        names = [record["name"] for record in datasets]
        self._datasets = stream(rng, names, zipf(len(names), 0.6))
        self._variants = stream(rng, [one for record in datasets for one in record["variants"][1:]] or names)
        self._models, self._words = acronyms(vocabulary, rng), vocabulary.by_tag(rng, capital=True)
        self._model_variants, self._prose = stream(rng, _VARIANTS), stream(rng, phrases("odd metric values"))
        self._metric_names = metric_names(seed, metrics)
        self._metrics = stream(rng, self._metric_names, zipf(metrics, 0.9))
        self._unused = rng.sample(self._metric_names, metrics)
        self._pairs: set[tuple[str, str]] = set()
        self.tables = self.rows = self.values = self.numeric = 0
        self.metrics_seen: set[str] = set()
        self.kinds: dict[str, int] = dict.fromkeys(ROW_KINDS, 0)

    def table(self, task: Task, rows: int, metrics: int) -> dict[str, Any]:
        """A leaderboard of `task` on a dataset it is not yet evaluated on."""
        rng = self._rng
        name = self._dataset_name()
        while (task.name, name) in self._pairs:
            name = self._dataset_name()
        if task.name == "Object Detection" and (task.name, "") not in self._pairs:
            name = ""
        self._pairs.add((task.name, name))
        used = {self._unused.pop(): None} if self._unused and rows else {}
        while len(used) < metrics:
            used[next(self._metrics)] = None
        if rng.random() < 0.5:  # the well-known metric first
            used = dict(sorted(used.items(), key=lambda item: len(item[0])))
        links = []
        if rng.random() < 0.97:
            board = self._minter.mint(slug(f"{self._slugs.get(task.name, '')}-on-{slug(name)}"))
            links = [{"title": "Papers with Code Leaderboard URL", "url": f"{SITE}/sota/{board}"}]
        self.tables += 1
        return {
            "dataset": name,
            "description": "" if rng.random() < 0.98 else f"Results on {name}.",
            "dataset_links": links,
            "dataset_citations": [],
            "subdatasets": [],
            "sota": {"metrics": list(used), "rows": self._make_rows(rows, list(used))},
        }

    def row(self, metrics: dict[str, str]) -> dict[str, Any]:
        """A row with these values, of a paper matched by one of the ways of `ROW_KINDS`."""
        rng = self._rng
        kind = _KIND_OF_ROW[(self.rows * 37) % 100]  # 37 and 100 have no common divisor: exact shares, well mixed
        paper = next(self._papers)
        while kind == "arxiv" and not paper.arxiv_id:
            paper = next(self._papers)
        title, address, when = paper.title, paper.url_abs, paper.date
        if kind == "arxiv":
            address = f"https://arxiv.org/abs/{paper.arxiv_id}"
        elif kind == "title":
            address = f"https://www.semanticscholar.org/paper/{paper.slug}"
        elif kind == "unmatched":
            title, address = (
                f"{next(self._words['A'])} {next(self._words['N'])} Unpublished",
                f"https://example.org/{self.rows}",
            )
        elif kind == "none":
            title = address = ""
        self.rows += 1
        self.kinds[kind] += 1
        self.values += len(metrics)
        self.metrics_seen.update(metrics)
        repositories = [one.url for one in paper.repositories if "//github.com/" in one.url] if kind != "none" else []
        return {
            "model_name": next(self._models) + next(self._model_variants),
            "paper_title": title,
            "paper_url": address,
            "paper_date": when if rng.random() > 0.012 and kind != "none" else None,
            "code_links": [{"title": "/".join(url.split("/")[3:5]), "url": url} for url in repositories],
            "model_links": [],
            "metrics": metrics,
            "uses_additional_data": rng.random() < 0.08,
        }

    def counted(self) -> dict[str, Any]:
        """What was made so far, each table once."""
        return {
            "tables": self.tables,
            "rows": self.rows,
            "values": self.values,
            "numeric": self.numeric,
            "metric_names": len(self.metrics_seen),
            "row_kinds": dict(self.kinds),
        }

    def _dataset_name(self) -> str:
        draw = self._rng.random()
        if draw < 0.7:
            return next(self._datasets)
        if draw < 0.88:
            return next(self._variants)
        name = f"{next(self._words['N'])} {next(self._words['N'])}"
        return f" {name} " if draw > 0.995 else name

    def _make_rows(self, count: int, metrics: list[str]) -> list[dict[str, Any]]:
        rng = self._rng
        columns = []
        for number, name in enumerate(metrics):
            lower = name.split(" (")[0] in _LOWER
            scale = rng.choice((1.0, 1.0, 100.0, 100.0, 100.0, 2000.0)) if not lower else rng.choice((1.0, 30.0, 1e6))
            values = [rng.betavariate(6, 2) * scale for _ in range(count)]
            if number == 0:  # rows stand best first by the first metric
                values.sort(reverse=not lower)
            digits = rng.choice((1, 2, 2, 3)) if scale > 1 else rng.choice((3, 4))
            columns.append((name, [f"{value:.{digits}f}" for value in values]))
        rows: list[dict[str, Any]] = []
        for place in range(count):
            cells = {}
            for number, (name, texts) in enumerate(columns):
                if number and rng.random() < 0.04:
                    continue
                cells[name] = self._dressed(texts[place])
            row = self.row(cells)
            if rows and rng.random() < 0.01:
                row["model_name"] = rows[-1]["model_name"]
            rows.append(row)
        return rows

    def _dressed(self, text: str) -> str:
        draw = self._rng.random()
        if draw < 0.94:
            self.numeric += 1
            return text
        if draw < 0.971:
            return f"{text}%"
        if draw < 0.995:
            return f"{text}{self._rng.choice(('±', ' ± ', ' +- '))}0.{self._rng.randrange(10, 99)}"
        return next(self._prose)


def sizes(rng: Random, tables: int, rows: int) -> list[int]:
    """Table sizes, Zipf with 1 % empty, that sum to `rows` exactly, in random order."""
    empty = tables // 100
    weights = [(rank + 4) ** -0.9 for rank in range(1, tables - empty + 1)]
    factor = (rows - len(weights)) / sum(weights)
    ends = [int(end * factor) for end in accumulate(weights)]
    ends[-1] = rows - len(weights)
    found = [1 + end - start for start, end in zip([0, *ends], ends, strict=False)] + [0] * empty
    rng.shuffle(found)
    return found


def plan(seed: int, tasks: Sequence[Task], tables: int, rows: int) -> Iterator[tuple[Task, int, int]]:
    """(task, rows, metrics) of each table; the metrics come out at METRICS_PER_ROW."""
    rng = seeded(seed, "plan")
    named = [task for task in tasks if task.name]
    # One table for each third task, the rest by popularity: some tasks have hundreds, many have none.
    owners = named[:: max(3, -(-len(named) // max(1, tables // 2)))] + [task for task in tasks if not task.name]
    popular = rng.sample(named, len(named))
    owners += rng.choices(popular, cum_weights=zipf(len(popular), 0.9, 5), k=tables - len(owners))
    owners[0] = next((task for task in named if task.name == "Object Detection"), owners[0])
    # One cell in 25 is missing, but never a row's first.
    rows_left, values_left = rows, rows * (METRICS_PER_ROW + (METRICS_PER_ROW - 1) / 24)
    for owner, size in zip(owners, sizes(rng, tables, rows), strict=True):
        mean = values_left / rows_left if rows_left else METRICS_PER_ROW
        metrics = max(1, min(40, round(mean * rng.lognormvariate(-0.28, 0.75))))
        rows_left -= size
        values_left -= size * metrics
        yield owner, size, metrics


def thicken(tasks: Sequence[Task], target: int, seed: int, leave: Sequence[Task] = ()) -> None:
    """Gives tasks further parents until the printed trees reach `target` bytes; none to those in `leave`.

    Subtrees are repeated under each parent, which is what makes the real file 2.7 times its distinct content.
    """
    rng = seeded(seed, "thicken")
    cyclic = {name for cycle in CYCLES for name in cycle}
    open_tasks = [task for task in tasks if task.name not in cyclic and task.name and task not in leave]
    parents = [task for task in open_tasks if task.children and task.level < 6]
    by_level = sorted(tasks, key=lambda task: task.level)
    own = {id(task): 130 + len(task.name) + sum(map(len, task.tables)) for task in tasks}
    for _ in range(400):
        full: dict[int, int] = {}
        for task in reversed(by_level):
            below = sum(full.get(id(child), own[id(child)]) for child in task.children)
            full[id(task)] = own[id(task)] + below
        expected = sum(full[id(task)] for task in tasks if task.top)
        if expected >= target * 0.995:
            break
        times = {id(task): int(task.top) for task in tasks}
        for task in by_level:
            for child in task.children:
                if child.level > task.level:
                    times[id(child)] += times[id(task)]
        room = (target - expected) / 20
        for _ in range(60):
            parent, child = rng.choice(parents), rng.choice(open_tasks)
            growth = full[id(child)] * times[id(parent)]
            if child.level > parent.level and child not in parent.children and growth <= max(room, 2000):
                parent.children.append(child)
                room -= growth


def tree(task: Task, path: tuple[str, ...] = ()) -> bytes:
    """The JSON of the task with its subtree, cut where a name recurs on the path; only the top has areas."""
    path = (*path, task.name)
    below = b",".join(tree(child, path) for child in task.children if child.name not in path)
    head = orjson.dumps({"task": task.name, "description": "", "categories": [] if len(path) > 1 else task.areas})
    tables = b",".join(task.tables)
    return b'%b,"datasets":[%b],"subtasks":[%b],"synonyms":[],"source_link":null}' % (
        head[:-1],
        tables,
        below,
    )


def change_table(table: dict[str, Any], rng: Random) -> None:
    """One edit, as a later snapshot may hold: a value, or a new row at the end."""
    rows = table["sota"]["rows"]
    if rows and rng.random() < 0.6:
        row = rng.choice(rows)
        for name in list(row["metrics"])[:1]:
            row["metrics"][name] = f"{rng.uniform(0, 100):.2f}"
    elif rows:
        rows.append(rows[0] | {"model_name": f"Later {rng.randrange(10_000)}"})
    else:
        table["description"] = "Now described."


def change_task(record: dict[str, Any], rng: Random) -> None:
    """One edit of a task itself."""
    record["synonyms"] = [*record["synonyms"], f"Also called {rng.randrange(10_000)}"]
