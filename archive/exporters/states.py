"""Which state an export shows: the newest snapshot, or the current values."""

from __future__ import annotations

import datetime
from collections import defaultdict
from enum import StrEnum
from typing import Any

from django.db import connection

from archive.importers.datasets import DatasetValues
from archive.models import Base, TaskName


class State(StrEnum):
    """The snapshot as it was imported, or as corrected by decisions."""

    SNAPSHOT = "snapshot"
    CURRENT = "current"


DUMP_KEYS = {
    "introduced_by": "paper",
    "areas": "categories",
    "dataset_name": "dataset",
    "source_title": "source_link",
    "paper_title": "paper",
    "verified_paper_title": "verified_paper",
}
"""The key of a field in a dump that has it under another name. Other dumps may have it under its own."""

SHORTENED = {"abstract": "short_abstract", "description": "short_description"}
"""Fields that are printed a second time in short: what is sealed of the one is not given of the other."""

# What records print of a field of another one, of which the snapshot's value is sealed: record, attribute.
_COPIES = """
    WITH sealed AS (SELECT record_id, field FROM archive_base WHERE sealed),
    titles AS (SELECT record_id FROM sealed WHERE field = 'title')
    SELECT l.record_id, 'paper_' || s.field FROM archive_codelink l JOIN sealed s ON s.record_id = l.paper_id
      WHERE s.field IN ('title', 'arxiv_id', 'url_abs', 'url_pdf')
    UNION ALL SELECT d.record_id, a.name FROM archive_dataset d JOIN titles ON titles.record_id = d.introduced_by_id
      CROSS JOIN (VALUES ('paper_title'), ('verified_paper_title')) a (name)
    UNION ALL SELECT m.record_id, 'paper_title' FROM archive_method m
      JOIN titles ON titles.record_id = m.introduced_by_id
"""

# Copies of a method in papers' records, of which a field is sealed: paper, place in its list, the dump's key.
_PRINTED_METHODS = """
    SELECT u.paper_id, u.position, s.field FROM archive_base s
    JOIN archive_printedmethod p ON p.method_id = s.record_id JOIN archive_papermethod u ON u.printed_id = p.id
    WHERE s.sealed
"""


class Bases:
    """The snapshot's values of corrected cells. Reads them all, in one query: as many as cells were ever corrected.

    For the current state also what other records print of a sealed one, in two more. The snapshot keeps these copies:
    without them nobody could prove the records that print them.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.sealed: dict[int, set[str]] = defaultdict(set)
        self._values: dict[int, dict[str, Any]] = defaultdict(dict)
        self._copies: dict[int, set[str]] = defaultdict(set)
        self._printed_methods: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for record, field, value, sealed in Base.objects.values_list("record_id", "field", "value", "sealed"):
            self._values[record][field] = value
            if sealed:
                self.sealed[record].add(field)
        if self.sealed and state == State.CURRENT:
            self._read_copies()

    def _read_copies(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_COPIES)
            for record, attribute in cursor.fetchall():
                self._copies[record].add(attribute)
            cursor.execute(_PRINTED_METHODS)
            for paper, place, key in cursor.fetchall():
                self._printed_methods[paper].append((place, key))

    def take_off(self, record: int, values: Any) -> None:
        """Empty what a record's parsed values say of a text that is sealed, and is not the corrected cell itself."""
        for attribute in self._taken_off(record):
            if hasattr(values, attribute):
                setattr(values, attribute, None)
        for place, key in self._printed_methods.get(record, ()):
            if key in values.methods[place]:
                values.methods[place] = {**values.methods[place], key: None}

    def _taken_off(self, record: int) -> set[str]:
        sealed: set[str] = self.sealed.get(record, set())
        return self._copies.get(record, set()) | {short for field, short in SHORTENED.items() if field in sealed}

    def put_back(self, record: int, values: Any) -> None:
        """For the snapshot: set the corrected attributes of a record's parsed values to what the snapshot holds."""
        if self.state != State.SNAPSHOT or record not in self._values:
            return
        for field, value in self._values[record].items():
            if field.startswith("metrics."):
                name = field.removeprefix("metrics.")
                values.metrics.pop(name, None)
                if value is not None:
                    values.metrics[name] = value
            elif field == "tasks" and isinstance(values, DatasetValues):
                values.tasks = [task_pair(text) for text in value or ()]  # None where it is sealed
            elif hasattr(values, f"{field}_precision"):
                setattr(values, field, parse_date(value))
            elif hasattr(values, field):
                setattr(values, field, value)

    def without_oddities(self, record: int) -> set[str]:
        """The dump keys whose printed oddities no longer count: for the current state since a decision set them; where
        something is sealed or taken off, for both."""
        decided = self._values if self.state == State.CURRENT else self.sealed
        fields = {field.partition(".")[0] for field in (*decided.get(record, ()), *self._taken_off(record))}
        if record in self._printed_methods:
            fields.add("methods")
        return fields | {DUMP_KEYS[field] for field in fields & DUMP_KEYS.keys()}


def parse_date(text: str | None) -> datetime.date | None:
    """The first day of what a cell's date names."""
    if text is None:
        return None
    return datetime.date.fromisoformat(text if len(text) > 4 else f"{text}-01-01")


def task_pair(text: str) -> tuple[str, str]:
    """A dataset's task as the dump pairs it, (name, slug), from the cell's text. One query at most."""
    name, arrow, key = text.partition(" → ")
    if not arrow:
        key = TaskName.objects.values_list("task__record__key", flat=True).get(name=name)
    return name, key.removeprefix("task/")
