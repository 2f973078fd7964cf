"""The synthetic dumps are what the benchmarks take them for."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.oddities import IDENTITY, UNREADABLE, kinds_of
from benchmarks.synthesize import FILES, Sizes, Synthesis
from benchmarks.tasks import CYCLES
from benchmarks.words import phrases, slug

ROOT = Path(__file__).resolve().parents[2]
SCALE = 0.002
KEYS = {
    "papers-with-abstracts": (
        "paper_url arxiv_id nips_id openreview_id title abstract short_abstract url_abs url_pdf "
        "proceeding authors tasks date conference_url_abs conference_url_pdf conference "
        "reproduces_paper methods"
    ),
    "links-between-papers-and-code": (
        "paper_url paper_title paper_arxiv_id paper_url_abs paper_url_pdf repo_url is_official "
        "mentioned_in_paper mentioned_in_github framework"
    ),
    "evaluation-tables": "task description categories datasets subtasks synonyms source_link",
    "methods": (
        "url name full_name description paper introduced_year source_url source_title "
        "code_snippet_url num_papers collections"
    ),
    "datasets": (
        "url name full_name homepage description short_description parent_dataset image audio "
        "thumbnail default_image verified_image default_youtube_link paper mention_count "
        "introduced_date license_name license_url verified_name verified_paper warning modalities "
        "tasks languages variants num_papers data_loaders"
    ),
}


class Made:
    """A folder of dumps, parsed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, list[Any]] = {name: self.read(name) for name in FILES}
        self.odd: dict[str, Any] = self.read("ODD")
        self.counts: dict[str, Any] = self.read("COUNTS")

    def read(self, name: str) -> Any:
        return json.loads((self.folder / f"{name}.json").read_bytes())

    def plain(self, name: str) -> list[dict[str, Any]]:
        """The records that nothing was done to."""
        odd = {place for places in self.odd["files"][name]["odd"].values() for place in places}
        return [record for place, record in enumerate(self.files[name]) if place not in odd]

    def tables(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each leaderboard of the plain trees, once per place where it is printed."""
        queue = list(self.plain("evaluation-tables"))
        while queue:
            task = queue.pop()
            queue += task["subtasks"]
            for table in task["datasets"]:
                yield task["task"], table

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the plain trees, each table counted once."""
        once = {(task, table["dataset"]): table for task, table in self.tables()}
        return [row for table in once.values() for row in table["sota"]["rows"]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("base")
    Synthesis(folder, scale=SCALE).run()
    return Made(folder)


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("later")
    Synthesis(folder, scale=SCALE, later=True).run()
    return Made(folder)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def run(folder: Path, hash_seed: str, *options: str) -> dict[str, str]:
    command = [sys.executable, "-m", "benchmarks.synthesize", str(folder), "--scale", "0.001", *options]
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": hash_seed}, capture_output=True)
    return digests(folder)


@pytest.mark.slow
def test_same_seed_same_bytes_in_every_process(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", "1"), run(tmp_path / "b", "2")
    assert first == second
    assert set(first) == {f"{name}.json" for name in (*FILES, "SNAPSHOT", "ODD", "COUNTS")}
    Synthesis(tmp_path / "c", scale=0.001).run()
    assert digests(tmp_path / "c") == first
    other = run(tmp_path / "d", "1", "--seed", "1")
    assert all(other[f"{name}.json"] != first[f"{name}.json"] for name in FILES)


@pytest.mark.slow
def test_gz_holds_the_same_bytes_and_is_itself_repeatable(tmp_path: Path) -> None:
    plain, packed, again = (tmp_path / name for name in ("plain", "packed", "again"))
    run(plain, "0")
    assert run(packed, "0", "--gz") == run(again, "1", "--gz")
    for name in FILES:
        assert gzip.decompress((packed / f"{name}.json.gz").read_bytes()) == (plain / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_keys_stand_in_the_last_dumps_order(made: Made, name: str) -> None:
    assert {" ".join(record) for record in made.plain(name)} == {KEYS[name]}


def test_nested_keys(made: Made) -> None:
    paper = next(p for p in made.plain("papers-with-abstracts") if any(m["main_collection"] for m in p["methods"]))
    method = next(m for m in paper["methods"] if m["main_collection"])
    assert " ".join(method) == (
        "name full_name description introduced_year source_url source_title code_snippet_url main_collection"
    )
    assert list(method["main_collection"]) == ["name", "description", "parent", "area"]
    _, table = next(found for found in made.tables() if found[1]["sota"]["rows"])
    assert " ".join(table) == "dataset description dataset_links dataset_citations subdatasets sota"
    assert " ".join(table["sota"]["rows"][0]) == (
        "model_name paper_title paper_url paper_date code_links model_links metrics uses_additional_data"
    )


@pytest.mark.parametrize("name", FILES)
def test_counts_are_the_files(made: Made, name: str) -> None:
    assert made.counts["records"][name] == len(made.files[name])
    assert made.counts["bytes"][name] == (made.folder / f"{name}.json").stat().st_size


def test_full_size_is_that_of_july_2025() -> None:
    full = Sizes.at(1)
    assert (full.papers, full.links, full.datasets, full.methods) == (576_261, 300_161, 15_008, 8_725)
    assert (full.tasks + full.other_tasks, full.rows, full.metrics, full.authors) == (
        4_451,
        59_860,
        3_468,
        1_100_000,
    )


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


def shows(kind: str, name: str, record: Any) -> bool:
    """Whether the record has the oddity, judged without knowing how it was made."""
    match kind:
        case "not_an_object":
            return not isinstance(record, dict)
        case "missing_identity":
            return IDENTITY[name] not in record and len(record) == len(KEYS[name].split()) - 1
        case "missing_key":
            return IDENTITY[name] in record and set(record) < set(KEYS[name].split())
        case "unknown_key":
            return "x_note" in record
        case "nan":
            return any(math.isnan(number) for number in numbers(record))
        case "big_number":
            return 10**30 in numbers(record) and 1e22 in numbers(record)
        case "huge":
            return max(map(len, strings(record))) > 1_900_000
        case "lone_surrogate":
            return any("\ud800" <= letter <= "\udfff" for text in strings(record) for letter in text)
        case "nul":
            return any("\x00" in text for text in strings(record))
        case "wrong_type":
            return not isinstance(record[IDENTITY[name]], str)
        case "string_bool":
            parts = [record] if name.startswith("links") else [r for t in record["datasets"] for r in t["sota"]["rows"]]
            return all(
                str(part.get("is_official", part.get("uses_additional_data"))).lower() in ("true", "false")
                and isinstance(part.get("is_official", part.get("uses_additional_data")), str)
                for part in parts
            )
        case _:
            return isinstance(record, dict) and None not in record.values() and "" in record.values()


@pytest.mark.parametrize("name", FILES)
def test_odd_records_are_where_the_list_says_and_nowhere_else(made: Made, name: str) -> None:
    odd = made.odd["files"][name]["odd"]
    assert set(odd) == set(kinds_of(name)) and all(odd.values())
    assert set(made.odd["unreadable"]) == set(UNREADABLE) < set(odd)
    for kind, places in odd.items():
        if kind != "duplicate_key":
            assert all(shows(kind, name, made.files[name][place]) for place in places), kind
    rare = (
        "not_an_object",
        "missing_identity",
        "missing_key",
        "unknown_key",
        "nan",
        "big_number",
        "huge",
        "nul",
    )
    for kind in (*rare, "lone_surrogate", "wrong_type"):
        assert not any(shows(kind, name, record) for record in made.plain(name)), kind
    identities = Counter(
        r[IDENTITY[name]] for r in made.files[name] if isinstance(r, dict) and isinstance(r.get(IDENTITY[name]), str)
    )
    for place in odd["duplicate_key"]:
        assert identities[made.files[name][place][IDENTITY[name]]] >= 2


def test_identities_are_unique_but_for_the_listed_duplicates(made: Made) -> None:
    for name in ("papers-with-abstracts", "methods", "datasets"):
        identities = [record[IDENTITY[name]] for record in made.plain(name)]
        assert len(set(identities)) == len(identities)


def test_raw_escapes_stand_in_the_bytes(made: Made) -> None:
    for name in FILES:
        data = (made.folder / f"{name}.json").read_bytes()
        assert b"NaN" in data and b"\\ud835 and" in data and b"here:\\u0000and" in data and b"1e+22" in data
        assert data.isascii() and data.startswith(b"[") and data.endswith(b"]")


def test_titles_and_abstracts_are_distinct(made: Made) -> None:
    papers = made.plain("papers-with-abstracts")
    assert len({paper["title"] for paper in papers}) == len(papers)
    abstracts = [paper["abstract"] for paper in papers if paper["abstract"]]
    assert len(set(abstracts)) == len(abstracts) > 0.97 * len(papers)
    assert 900 < sum(map(len, abstracts)) / len(abstracts) < 1_300
    assert sum(" " in paper["title"] for paper in papers) == len(papers)


def test_papers_look_like_the_dumps(made: Made) -> None:
    papers = made.plain("papers-with-abstracts")
    assert 3.6 < sum(len(paper["authors"]) for paper in papers) / len(papers) < 4.9
    assert 2.2 < sum(len(paper["tasks"]) for paper in papers) / len(papers) < 2.8
    assert 1.4 < sum(len(paper["methods"]) for paper in papers) / len(papers) < 2.0
    assert abs(made.counts["author_names"] / Sizes.at(SCALE).authors - 1) < 0.05
    assert max(Counter(author for paper in papers for author in paper["authors"]).values()) > 15
    dates = sorted(paper["date"] for paper in papers if paper["date"])
    assert dates[0] >= "1990-01-01" and dates[-1] <= "2025-07-28" and dates[len(dates) // 2] > "2022"
    slugs = [paper["paper_url"].rsplit("/", 1)[1] for paper in papers]
    assert max(map(len, slugs)) <= 49
    by_rule = sum(made_slug.startswith(slug(p["title"])) for made_slug, p in zip(slugs, papers, strict=True))
    assert 0.90 < by_rule / len(papers) < 0.99
    text = "".join(paper["title"] for paper in papers)
    assert "$" in text and any("\u4e00" <= letter <= "\u9fff" for letter in text)
    assert any("\u0590" <= letter <= "\u06ff" for paper in papers for letter in str(paper["abstract"]))


def test_links_refer_to_papers(made: Made) -> None:
    pages = {p.get("paper_url") if isinstance(p, dict) else None: p for p in made.plain("papers-with-abstracts")}
    links = made.plain("links-between-papers-and-code")
    known = [one for one in links if one["paper_url"] in pages]
    assert 0.97 < len(known) / len(links) <= 0.996
    for one in known:
        paper = pages[one["paper_url"]]
        assert (one["paper_title"], one["paper_arxiv_id"]) == (paper["title"], paper["arxiv_id"])
    assert 0.95 < sum("github.com" in one["repo_url"].lower() for one in links) / len(links) < 1
    order = [one["paper_url"] for one in links]
    assert sum(a == b for a, b in pairwise(order)) < len(links) / 10  # not in the papers' order


def test_rows_match_papers_at_the_known_rates(made: Made) -> None:
    papers = made.plain("papers-with-abstracts")
    addresses = {paper["url_abs"] for paper in papers}
    arxiv = {f"https://arxiv.org/abs/{paper['arxiv_id']}" for paper in papers}
    titles = {paper["title"] for paper in papers}

    def way(row: dict[str, Any]) -> str:
        if not row["paper_url"]:
            return "none"
        if row["paper_url"] in addresses:
            return "address"
        if row["paper_url"] in arxiv:
            return "arxiv"
        return "title" if row["paper_title"] in titles else "unmatched"

    ways = Counter(way(row) for row in made.rows())
    total = sum(ways.values())
    assert made.counts["tree"]["row_kinds"]["address"] == 0.95 * made.counts["tree"]["rows"]
    assert 0.93 < ways["address"] / total < 0.97
    assert all(0.004 < ways[kind] / total < 0.035 for kind in ("arxiv", "title", "unmatched", "none"))


def test_metric_values(made: Made) -> None:
    values = [value for row in made.rows() for value in row["metrics"].values()]

    def is_number(text: str) -> bool:
        try:
            return math.isfinite(float(text))
        except ValueError:
            return False

    assert all(isinstance(value, str) for value in values)
    assert 0.92 < sum(map(is_number, values)) / len(values) < 0.96
    assert any("±" in value for value in values) and any(value.endswith("%") for value in values)
    for _, table in made.tables():
        for row in table["sota"]["rows"]:
            assert row["metrics"].keys() <= set(table["sota"]["metrics"])
    assert made.counts["tree"]["metric_names"] == Sizes.at(SCALE).metrics


def test_rows_are_distinct(made: Made) -> None:
    once = {(task, table["dataset"]): table for task, table in made.tables()}
    rows = [
        (board, row["model_name"], row["paper_url"], tuple(row["metrics"].items()))
        for board, table in once.items()
        for row in table["sota"]["rows"]
    ]
    assert len(set(rows)) == len(rows) > 0.9 * made.counts["tree"]["rows"]


def test_tree_repeats_subtrees_and_cuts_cycles(made: Made) -> None:
    seen: dict[str, list[dict[str, Any]]] = {}
    pairs: set[tuple[str, str]] = set()
    deepest = 0

    def visit(task: dict[str, Any], path: tuple[str, ...]) -> None:
        nonlocal deepest
        assert task["task"] not in path
        path = (*path, task["task"])
        deepest = max(deepest, len(path))
        assert bool(task["categories"]) == (len(path) == 1)
        seen.setdefault(task["task"], []).append(task)
        for child in task["subtasks"]:
            pairs.add((path[-1], child["task"]))
            visit(child, path)

    for task in made.plain("evaluation-tables"):
        visit(task, ())
    assert deepest == 6 == made.counts["tree"]["depth"]
    for cycle in CYCLES:
        assert all(pair in pairs for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
    in_cycles = {name for cycle in CYCLES for name in cycle}
    repeated = [places for name, places in seen.items() if len(places) > 1 and name not in in_cycles]
    assert len(repeated) > 10
    for places in repeated:
        assert all(place["datasets"] == places[0]["datasets"] for place in places)
        assert all(place["subtasks"] == places[0]["subtasks"] for place in places)
    assert "" in seen and "1 Image, 2*2 Stitchi" in seen
    assert "" in {table["dataset"] for _, table in made.tables()}
    assert len(phrases("task areas")) == 16


def test_datasets_and_methods_refer_to_papers(made: Made) -> None:
    pages = {paper["paper_url"] for paper in made.plain("papers-with-abstracts")}
    methods = made.plain("methods")
    assert all(method["paper"]["url"] in pages for method in methods if method["paper"])
    assert len({method["url"] for method in methods}) == len(methods)
    datasets = made.plain("datasets")
    urls = [dataset["paper"]["url"] for dataset in datasets if dataset["paper"]]
    assert 0.4 < sum(url in pages for url in urls) / len(urls) < 0.9
    names = {record.get("full_name") for record in made.files["methods"] if isinstance(record, dict)}
    printed = [m for paper in made.plain("papers-with-abstracts") for m in paper["methods"]]
    assert 0.9 < sum(method["full_name"] in names for method in printed) / len(printed) < 1


def test_spam_is_listed(made: Made) -> None:
    spam = made.odd["files"]["methods"]["spam"]
    assert len(spam) == round(0.74 * len(made.files["methods"]))
    marks = ("555", "slot", "placeholder", "please enter")
    for place in spam:
        record = made.files["methods"][place]
        assert any(mark in (record["name"] + record["description"]).lower() for mark in marks)
    for place, record in enumerate(made.files["methods"]):
        if place not in spam and isinstance(record, dict):
            assert "555" not in str(record.get("description"))
    assert made.odd["files"]["datasets"]["spam"]


@pytest.mark.parametrize("name", FILES)
def test_later_snapshot_differs_by_what_it_lists(made: Made, later: Made, name: str) -> None:
    told = later.read("NEXT")[name]
    # Trees change wherever a changed table is printed, so only the other files differ by their list alone.
    assert told["changed"] and told["added"] and told["gone"]
    before, after = (Counter(json.dumps(r) for r in one.files[name]) for one in (made, later))
    added = [json.dumps(later.files[name][place]) for place in told["added"]]
    assert all(text not in before for text in added)
    assert len(later.files[name]) == len(made.files[name]) + len(added) - len(told["gone"])
    assert (after - before).total() >= len(told["changed"]) + len(added)
    if name != "evaluation-tables":
        assert (after - before).total() == len(told["changed"]) + len(added)
        assert (before - after).total() == len(told["changed"]) + len(told["gone"])
    assert later.read("SNAPSHOT")["snapshot"] > made.read("SNAPSHOT")["snapshot"]
