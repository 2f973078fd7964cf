"""The evaluation tables again: tasks, leaderboards and rows, and the tree they were nested in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any, NamedTuple

from django.db import connection

from archive.canonical import parse_exact
from archive.exporters.rendering import BrokenRecord, Rendered, put_together
from archive.exporters.states import Bases, State
from archive.importers.dump_files import DumpKind
from archive.importers.residue import restore
from archive.importers.tables import RowValues, TableValues, TaskValues

Value = dict[str, Any]

_RECORD = "r.id, r.key, r.ordinal, r.digest, r.extra"

_TASKS = f"""
    SELECT {_RECORD}, t.name, t.description,
      ARRAY(SELECT a.name FROM archive_taskarea l JOIN archive_area a ON a.id = l.area_id
            WHERE l.task_id = r.id ORDER BY l.position),
      ARRAY(SELECT l.name FROM archive_tasksynonym l WHERE l.task_id = r.id ORDER BY l.position),
      t.source_title, t.source_url
    FROM archive_record r JOIN archive_task t ON t.record_id = r.id
    WHERE r.dump = '{DumpKind.TABLES}' AND r.digest IS NOT NULL ORDER BY r.id
"""

_BOARDS = f"""
    SELECT {_RECORD}, l.dataset_name, l.description, l.links::text, l.citations::text,
      ARRAY(SELECT m.name FROM archive_leaderboardmetric m
            WHERE m.leaderboard_id = r.id AND m.position IS NOT NULL ORDER BY m.position)
    FROM archive_record r JOIN archive_leaderboard l ON l.record_id = r.id ORDER BY r.id
"""

_ROWS = f"""
    SELECT {_RECORD}, w.leaderboard_id, w.position, w.model_name, w.paper_title, w.paper_url, w.paper_date,
      w.code_links::text, w.model_links::text,
      (SELECT coalesce(json_object_agg(m.name, v.value), '{{}}') FROM archive_resultmetric v
         JOIN archive_leaderboardmetric m ON m.id = v.metric_id WHERE v.result_id = r.id)::text,
      w.uses_additional_data
    FROM archive_record r JOIN archive_result w ON w.record_id = r.id
    WHERE r.dump = '{DumpKind.TABLES}' ORDER BY w.leaderboard_id, w.position
"""


def _table_values(name: str | None, description: str | None, links: str, citations: str, metrics: Any) -> TableValues:
    return TableValues(None, name, description, parse_exact(links), parse_exact(citations), metrics)


def _row_values(
    model: str | None, title: str | None, url: str | None, date: Any, code: str, models: str, metrics: str, more: bool
) -> RowValues:
    return RowValues(model, title, url, date, "", parse_exact(code), parse_exact(models), parse_exact(metrics), more)


class _Node(NamedTuple):
    id: int
    task: int
    parent: int | None
    ordinal: int
    digest: bytes | None
    extra: str


class _Table(NamedTuple):
    id: int
    board: int
    rows: list[int] | None
    extra: str


class TaskTree:
    """The whole tree in memory: at full size some 60,000 rows, 10,000 leaderboards and as many nodes, about 300 MB.

    Reads everything at once, in five queries.
    """

    def __init__(self, state: State = State.SNAPSHOT) -> None:
        self.tasks: dict[int, Rendered] = {}
        self.boards: dict[int, Rendered] = {}
        self.rows: dict[int, Rendered] = {}
        self._bases = Bases(state)
        self._hidden = self._read_hidden() if state == State.CURRENT else frozenset()
        self._met_a_seal = False
        self._order: dict[int, list[int]] = defaultdict(list)
        self._children: dict[int | None, list[_Node]] = defaultdict(list)
        self._tables: dict[tuple[int, int | None], list[_Table]] = defaultdict(list)
        self._read_tasks()
        self._read_boards()
        self._read_rows()
        self._read_tree()

    def _select(self, statement: str) -> Iterator[tuple[Any, ...]]:
        with connection.chunked_cursor() as cursor:
            cursor.execute(statement)
            yield from cursor

    def _read_hidden(self) -> frozenset[int]:
        hidden = "quarantined <> '' OR withdrawn OR merged_into_id IS NOT NULL"
        return frozenset(row[0] for row in self._select(f"SELECT id FROM archive_record WHERE {hidden}"))

    def _read_tasks(self) -> None:
        for task, key, ordinal, digest, extra, *columns in self._select(_TASKS):
            read = partial(TaskValues, *columns)
            self.tasks[task] = put_together(self._bases, task, key, ordinal, digest, extra, read)

    def _read_boards(self) -> None:
        for board, key, ordinal, digest, extra, *columns in self._select(_BOARDS):
            read = partial(_table_values, *columns)
            self.boards[board] = put_together(self._bases, board, key, ordinal, digest, extra, read)

    def _read_rows(self) -> None:
        for row, key, ordinal, digest, extra, board, position, *columns in self._select(_ROWS):
            read = partial(_row_values, *columns)
            self.rows[row] = put_together(self._bases, row, key, ordinal, digest, extra, read)
            if position is not None and row not in self._hidden:
                self._order[board].append(row)

    def _read_tree(self) -> None:
        for node in self._select(
            "SELECT n.id, t.task_id, n.parent_id, n.position, n.digest, n.extra FROM archive_tasknode n "
            "JOIN archive_taskname t ON t.id = n.name_id ORDER BY n.position, n.id"
        ):
            self._children[node[2]].append(_Node(*node))
        for table in self._select(
            "SELECT node_id, parent_id, id, leaderboard_id, rows, extra FROM archive_tasktable ORDER BY position, id"
        ):
            self._tables[table[0], table[1]].append(_Table(*table[2:]))

    def roots(self) -> Generator[Rendered, None, None]:
        """The top-level records in archive order; `key` is the task's."""
        for node in self._children[None]:
            if node.task in self._hidden:
                continue
            self._met_a_seal = False
            value: Value | Exception
            try:
                value = self._task(node)
            except Exception as error:  # some part was altered, or is gone
                value = error
            key = self.tasks[node.task].key if node.task in self.tasks else f"top-level task {node.ordinal}"
            yield Rendered(key, node.ordinal, bytes(node.digest or b""), value, self._met_a_seal)

    def _value(self, rendered: Rendered) -> Value:
        self._met_a_seal = self._met_a_seal or rendered.sealed
        if isinstance(rendered.value, Exception):
            raise BrokenRecord(f"{rendered.key} can not be put together: {rendered.value!r}")
        return rendered.value

    def _task(self, node: _Node) -> Value:
        value = restore({**self._value(self.tasks[node.task])}, node.extra)
        if tables := self._tables.get((node.id, None)):
            value["datasets"] = [self._table(node.id, table) for table in tables if table.board not in self._hidden]
        if children := self._children.get(node.id):
            value["subtasks"] = [self._task(child) for child in children if child.task not in self._hidden]
        return value

    def _table(self, node: int, table: _Table) -> Value:
        value = restore({**self._value(self.boards[table.board])}, table.extra)
        rows = self._order.get(table.board, []) if table.rows is None else table.rows
        if shown := [row for row in rows if row not in self._hidden]:
            value["sota"] = {**value["sota"], "rows": [self._value(self.rows[row]) for row in shown]}
        if children := self._tables.get((node, table.id)):
            value["subdatasets"] = [self._table(node, child) for child in children if child.board not in self._hidden]
        return value
