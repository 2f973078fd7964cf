"""Small evaluation tables for tests, written as dumps; only what a test names differs from the plainest form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SITE = "https://paperswithcode.com"

Value = dict[str, Any]


def row(model: str | None, metrics: Mapping[str, str], **fields: Any) -> Value:
    """A row without a paper, a date or links."""
    plain: Value = {
        "model_name": model,
        "paper_url": "",
        "paper_title": "",
        "paper_date": None,
        "code_links": [],
        "model_links": [],
        "uses_additional_data": False,
    }
    return {**plain, "metrics": dict(metrics), **fields}


def table(dataset: str, metrics: Sequence[str], rows: Sequence[Value], slug: str | None = None, **fields: Any) -> Value:
    """A leaderboard; `slug` gives it its address."""
    links = [{"title": "Papers with Code Leaderboard URL", "url": f"{SITE}/sota/{slug}"}] if slug else []
    plain: Value = {
        "dataset": dataset,
        "description": "",
        "dataset_links": links,
        "dataset_citations": [],
        "subdatasets": [],
    }
    return {**plain, "sota": {"metrics": list(metrics), "rows": list(rows)}, **fields}


def task(name: str | None, tables: Sequence[Value] = (), **fields: Any) -> Value:
    """A task without subtasks, synonyms or areas."""
    plain: Value = {"description": "", "categories": [], "subtasks": [], "synonyms": [], "source_link": None}
    return {**plain, "task": name, "datasets": list(tables), **fields}


def dataset(slug: str, name: str, **fields: Any) -> Value:
    """A dataset with one variant: its name."""
    plain: Value = {"url": f"{SITE}/dataset/{slug}", "name": name, "variants": [name], "tasks": [], "paper": None}
    return {**plain, **fields}


def paper(slug: str, title: str, **fields: Any) -> Value:
    """A paper without authors or tasks."""
    return {"paper_url": f"{SITE}/paper/{slug}", "title": title, "authors": [], "tasks": [], "date": None, **fields}


def write(
    folder: Path,
    tasks: Sequence[Value],
    datasets: Sequence[Value] = (),
    papers: Sequence[Value] = (),
    snapshot: str = "2025-07-28",
) -> Path:
    """Write the dumps and their SNAPSHOT.json into a folder, which is made. Gives the folder."""
    folder.mkdir(parents=True)
    dumps = {"evaluation-tables": tasks, "datasets": datasets, "papers-with-abstracts": papers}
    for name, records in dumps.items():
        (folder / f"{name}.json").write_text(json.dumps(list(records)))
    source = {"archive": "made-up", "title": "Made-up archive", "snapshot": snapshot, "licence": "CC BY-SA 4.0"}
    (folder / "SNAPSHOT.json").write_text(json.dumps(source))
    return folder
