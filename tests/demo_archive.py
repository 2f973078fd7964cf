"""The demo archive as plain records, and what several tests ask of it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "demo"
SHARED = ROOT.parent / "shared"
PWC = "https://paperswithcode.com/"
DUMPS = (
    "papers-with-abstracts.json",
    "links-between-papers-and-code.json",
    "evaluation-tables.json",
    "methods.json",
    "datasets.json",
)


def keys(names: str) -> set[str]:
    return set(names.split())


PAPER_KEYS = keys(
    "paper_url arxiv_id nips_id openreview_id title abstract short_abstract url_abs url_pdf "
    "proceeding authors tasks date conference_url_abs conference_url_pdf conference reproduces_paper "
    "methods"
)
LINK_KEYS = keys(
    "paper_url paper_title paper_arxiv_id paper_url_abs paper_url_pdf repo_url is_official "
    "mentioned_in_paper mentioned_in_github framework"
)
METHOD_KEYS = keys(
    "url name full_name description paper introduced_year source_url source_title code_snippet_url "
    "num_papers collections"
)
DATASET_KEYS = keys(
    "url name full_name homepage description short_description parent_dataset image audio thumbnail "
    "default_image verified_image default_youtube_link paper mention_count introduced_date "
    "license_name license_url verified_name verified_paper warning modalities tasks languages "
    "variants num_papers data_loaders"
)
TASK_KEYS = keys("task description categories datasets subtasks synonyms source_link")
TABLE_KEYS = keys("dataset description dataset_links dataset_citations subdatasets sota")
ROW_KEYS = keys("model_name paper_title paper_url paper_date code_links model_links metrics uses_additional_data")

Record = dict[str, Any]


def read(name: str) -> list[Record]:
    """The records of one dump of the demo, in file order."""
    records: list[Record] = json.loads((DEMO / name).read_text(encoding="utf-8"))
    return records


PAPERS, LINKS, TASKS, METHODS, DATASETS = (read(name) for name in DUMPS)


def walk(tasks: list[Record], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Record]]:
    """Every task of the printed tree with the names that lead to it, itself included."""
    for task in tasks:
        here = (*path, task["task"])
        yield here, task
        yield from walk(task["subtasks"], here)


TREE = list(walk(TASKS))


def tables_of(datasets: list[Record]) -> Iterator[Record]:
    for table in datasets:
        yield table
        yield from tables_of(table["subdatasets"])


# Each table once for every place where it is printed, under the name of its task.
PRINTED = [(task["task"], table) for _, task in TREE for table in tables_of(task["datasets"])]


def board_address(table: Record) -> str | None:
    for link in table["dataset_links"]:
        if link["url"].startswith(PWC + "sota/"):
            return str(link["url"])
    return None


BOARDS = {url: table for _, table in PRINTED if (url := board_address(table))}


def board(slug: str) -> Record:
    return BOARDS[f"{PWC}sota/{slug}"]


def rows(slug: str) -> list[Record]:
    found: list[Record] = board(slug)["sota"]["rows"]
    return found


def values(slug: str, metric: str) -> list[str]:
    return [row["metrics"][metric] for row in rows(slug) if metric in row["metrics"]]


def number(text: str) -> float:
    """The leading number of a metric string; good enough for the tables this file names."""
    match = re.match(r"[\d.]+", text)
    assert match is not None, text
    return float(match.group())


def author_slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def repository(url: str) -> str:
    return url.lower().removesuffix("/").removesuffix(".git")


def arxiv_number(url: str) -> str | None:
    match = re.search(r"arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})", url or "")
    return match.group(1) if match else None


def texts() -> list[str]:
    """Every description and abstract of the demo."""
    found = [task["description"] for _, task in TREE] + [table["description"] for _, table in PRINTED]
    found += [record["description"] for record in METHODS + DATASETS]
    for paper in PAPERS:
        found.append(paper["abstract"] or "")
        for method in paper["methods"]:
            found.append(method["description"])
            if method["main_collection"]:
                found.append(method["main_collection"]["description"])
    return [text for text in found if text]


def held_paper(row: Record) -> Record | None:
    """The paper of a row by address, arXiv number or title."""
    number_of_row = arxiv_number(row["paper_url"])
    for paper in PAPERS:
        if row["paper_url"] and row["paper_url"] == paper["url_abs"]:
            return paper
        if number_of_row and number_of_row == paper["arxiv_id"]:
            return paper
        if row["paper_title"] and row["paper_title"].casefold() == paper["title"].casefold():
            return paper
    return None
