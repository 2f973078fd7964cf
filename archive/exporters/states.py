"""Which state an export shows: the newest snapshot, or the current values."""

from __future__ import annotations

import datetime
from collections import defaultdict
from enum import StrEnum
from typing import Any

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
}
"""The dump's key of a field, where its name is another."""


class Bases:
    """The snapshot's values of corrected cells. Reads them all, in one query: as many as cells were ever corrected."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.sealed: set[int] = set()
        self._values: dict[int, dict[str, Any]] = defaultdict(dict)
        for record, field, value, sealed in Base.objects.values_list("record_id", "field", "value", "sealed"):
            self._values[record][field] = value
            if sealed:
                self.sealed.add(record)

    def put_back(self, record: int, values: Any) -> None:
        """For the snapshot: set the corrected attributes of a record's parsed values to what the snapshot holds."""
        if self.state != State.SNAPSHOT or record not in self._values:
            return
        for field, value in self._values[record].items():
            if value is None and isinstance(getattr(values, field, None), list):
                value = []  # a sealed list
            if field.startswith("metrics."):
                name = field.removeprefix("metrics.")
                values.metrics.pop(name, None)
                if value is not None:
                    values.metrics[name] = value
            elif field == "tasks" and isinstance(values, DatasetValues):
                values.tasks = [task_pair(text) for text in value]
            elif hasattr(values, f"{field}_precision"):
                setattr(values, field, parse_date(value))
            elif hasattr(values, field):
                setattr(values, field, value)

    def corrected_keys(self, record: int) -> set[str]:
        """For the current state: the dump keys whose printed oddities no longer count, since a decision set them."""
        if self.state != State.CURRENT or record not in self._values:
            return set()
        return {DUMP_KEYS.get(field, field.partition(".")[0]) for field in self._values[record]}


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
