"""evaluation-tables: tasks, tables and rows to values, and back. Each without its children: the walk is not here."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from archive.importers import fields
from archive.importers.slugs import slug_in


@dataclass(slots=True)
class TaskValues:
    """A task's own fields."""

    name: str
    description: str | None
    areas: list[str]
    synonyms: list[str]
    source_title: str | None
    source_url: str | None

    def as_dump(self) -> dict[str, Any]:
        """The task in the dump's form, its children left empty."""
        return {
            "task": self.name,
            "description": self.description or "",
            "categories": self.areas,
            "datasets": [],
            "subtasks": [],
            "synonyms": self.synonyms,
            "source_link": fields.link_dump(self.source_title, self.source_url),
        }


def parse_task(raw: fields.Raw) -> TaskValues:
    """Read a task's own fields. Never raises. The empty name is a name: the final dump has such a task."""
    name = raw.get("task")
    source_title, source_url = fields.link(raw, "source_link")
    return TaskValues(
        name=name if isinstance(name, str) else "",
        description=fields.text(raw, "description"),
        areas=fields.strings(raw, "categories"),
        synonyms=fields.strings(raw, "synonyms"),
        source_title=source_title,
        source_url=source_url,
    )


@dataclass(slots=True)
class TableValues:
    """A table's own fields. `slug` is None where no link gives the leaderboard's address."""

    slug: str | None
    dataset_name: str | None
    description: str | None
    links: list[dict[str, str]]
    citations: list[dict[str, str]]
    metrics: list[str]

    def as_dump(self) -> dict[str, Any]:
        """The table in the dump's form, its rows and subdatasets left empty."""
        return {
            "dataset": self.dataset_name,
            "description": self.description or "",
            "dataset_links": self.links,
            "dataset_citations": self.citations,
            "subdatasets": [],
            "sota": {"metrics": self.metrics, "rows": []},
        }


def parse_table(raw: fields.Raw) -> TableValues:
    """Read a table's own fields; sota-extractor files call a nested table's name `subdataset`. Never raises."""
    name = raw.get("dataset", raw.get("subdataset"))
    links = fields.links(raw, "dataset_links")
    sota = raw.get("sota")
    return TableValues(
        slug=next((slug for link in links if (slug := slug_in(link["url"], "sota"))), None),
        dataset_name=name if isinstance(name, str) else None,
        description=fields.text(raw, "description"),
        links=links,
        citations=fields.links(raw, "dataset_citations"),
        # A name printed twice is one metric; `residue` keeps the list as it was.
        metrics=list(dict.fromkeys(fields.strings(sota, "metrics"))) if isinstance(sota, dict) else [],
    )


def board_name(task: str, dataset: str | None) -> str:
    """What a leaderboard is called: by the name of its task, and the name that it prints of its dataset."""
    return f"{task} on {dataset or ''}".strip()


@dataclass(slots=True)
class RowValues:
    """A result row. Metric values are the printed texts; a number in a seed file is its JSON text."""

    model_name: str | None
    paper_title: str | None
    paper_url: str | None
    paper_date: datetime.date | None
    paper_date_precision: str
    code_links: list[dict[str, str]]
    model_links: list[dict[str, str]]
    metrics: dict[str, str]
    uses_additional_data: bool

    def as_dump(self) -> dict[str, Any]:
        """The row in the dump's form."""
        return {
            "model_name": self.model_name,
            "paper_title": self.paper_title or "",
            "paper_url": self.paper_url or "",
            "paper_date": fields.isoformat(self.paper_date),
            "code_links": self.code_links,
            "model_links": self.model_links,
            "metrics": self.metrics,
            "uses_additional_data": self.uses_additional_data,
        }


def _metrics(raw: fields.Raw) -> dict[str, str]:
    values = raw.get("metrics")
    if not isinstance(values, dict):
        return {}
    return {
        name: value if isinstance(value, str) else repr(value)
        for name, value in values.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def parse_row(raw: fields.Raw) -> RowValues:
    """Read one row. Never raises."""
    date, precision = fields.date(raw, "paper_date")
    return RowValues(
        model_name=fields.text(raw, "model_name"),
        paper_title=fields.text(raw, "paper_title"),
        paper_url=fields.text(raw, "paper_url"),
        paper_date=date,
        paper_date_precision=precision,
        code_links=fields.links(raw, "code_links"),
        model_links=fields.links(raw, "model_links"),
        metrics=_metrics(raw),
        uses_additional_data=fields.flag(raw, "uses_additional_data") or False,
    )
