"""evaluation-tables, written: the walk down each top-level task, in two passes over the dump.

The first pass finds every task and the occurrence that describes it best, the second writes nodes, tables and rows.
A table repeated in the tree is one leaderboard, its rows are the union of the occurrences; what an occurrence prints
differently is kept with the occurrence (see `residue`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from archive.canonical import canonical_parsed, digest
from archive.exporters.task_tree import TaskTree
from archive.importers import fields, tables
from archive.importers.boards import Board, Boards
from archive.importers.bulk import Ids
from archive.importers.dump_files import DumpKind
from archive.importers.reading import Identified, RawRecord
from archive.importers.residue import residue
from archive.importers.session import Seen, Session, identity_of, name_columns, spam_rule
from archive.models import RecordKind, Task, TaskArea, TaskNode, TaskSynonym, TaskTable

Value = dict[str, Any]


class Described(NamedTuple):
    """The occurrence of a task that describes it: the first at top level, else the first of all."""

    own: Value
    at_top: bool
    ordinal: int


class Occurrence(NamedTuple):
    """A place of a leaderboard in the tree, waiting for the leaderboard's final list of rows."""

    id: int
    node: int
    parent: int | None
    position: int
    board: Board
    rows: list[int]
    extra: str


def own_task(value: Value) -> Value:
    """A task node without its children: the lists that can be walked are emptied, anything else stays."""
    return {
        **value,
        **{key: [] for key in ("datasets", "subtasks") if fields.objects(value, key) is not None},
    }


def own_table(value: Value) -> Value:
    """A table without its rows and subdatasets."""
    own = dict(value)
    if fields.objects(value, "subdatasets") is not None:
        own["subdatasets"] = []
    sota = value.get("sota")
    if isinstance(sota, dict) and fields.objects(sota, "rows") is not None:
        own["sota"] = {**sota, "rows": []}
    return own


def rows_of(value: Value) -> list[Value]:
    """A table's rows, [] where they are missing or malformed."""
    sota = value.get("sota")
    return (fields.objects(sota, "rows") or []) if isinstance(sota, dict) else []


def identify(raw: RawRecord) -> Identified:
    """How a top-level task is known. Its identity is its name's, which hangs on what other dumps name."""
    return raw.ordinal, raw.digest, b"", "", False


def describe(raw: RawRecord) -> RawRecord:
    """Hardly anything of it stands by itself: all that a record says."""
    return raw


class TaskTreeWriter:
    """Takes the top-level tasks: first all of them by `survey`, then all of them by `take`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.boards = Boards(session)
        self.roots: list[tuple[int, bytes]] = []
        self.root_names: set[int] = set()
        self.described: dict[int, Described] = {}
        self._next_node, self._next_table = Ids(TaskNode), Ids(TaskTable)
        self._occurrences: list[Occurrence] = []
        self._staying: list[RawRecord] = []
        self.tree_changed = True

    def survey(self, raw: RawRecord) -> None:
        """First pass: name the tasks of one top-level record and note what describes them."""
        self.session.tasks.at(str(DumpKind.TABLES), raw.ordinal)
        self.roots.append((raw.ordinal, raw.digest))
        self._survey(raw.value or {}, raw.ordinal, at_top=True)

    def _survey(self, value: Value, ordinal: int, *, at_top: bool) -> None:
        name, task = self.session.tasks.task_named(tables.parse_task(value).name)
        if at_top:
            self.root_names.add(name)
        best = self.described.get(task)
        if best is None or (at_top and not best.at_top):
            self.described[task] = Described(own_task(value), at_top, ordinal)
        for table in fields.objects(value, "datasets") or ():
            if (slug := tables.parse_table(table).slug) is not None:
                self.session.reserve(RecordKind.LEADERBOARD, slug)
        for child in fields.objects(value, "subtasks") or ():
            self._survey(child, ordinal, at_top=False)

    def surveyed(self) -> None:
        """Between the passes: write the tasks, and see whether the tree itself moved at all."""
        if not self.session.first:
            known = list(TaskNode.objects.filter(parent=None).values_list("position", "digest", "name_id"))
            if not self.session.supersedes(DumpKind.TABLES) and any(name not in self.root_names for *_, name in known):
                self._survey_staying()
            stored = sorted((place, bytes(checksum or b"")) for place, checksum, _ in known)
            self.tree_changed = stored != sorted(self.roots)
        for task, described in self.described.items():
            self._write_task(task, described)

    def _survey_staying(self) -> None:
        """Take in the archive's trees of other names, which stay beside those of the same snapshot's dump.

        They share tasks and tables with the dump, so they are read from the archive and written anew with it: only
        so what they print stays as it was imported, while a shared record is told as the dump tells it.
        """
        names = set(self.root_names)
        for root in TaskTree().roots():
            printed = root.canonical()
            assert isinstance(root.value, dict), "what has a canonical form is a record"
            if self.session.tasks.named(tables.parse_task(root.value).name) not in names:
                raw = RawRecord(root.ordinal, root.value, printed, root.digest)
                self.survey(raw)
                self._staying.append(raw)

    def _write_task(self, task: int, described: Described) -> None:
        session = self.session
        slug = session.tasks.slugs[task]
        identity = identity_of(RecordKind.TASK, slug)
        printed = canonical_parsed(described.own)
        checksum = digest(printed)
        seen = session.see_task(task, identity, checksum, described.ordinal)
        if seen.same:
            return
        values = tables.parse_task(described.own)
        session.add_record(
            seen,
            RecordKind.TASK,
            key=f"task/{slug}",
            named=name_columns(values.name),
            dump=DumpKind.TABLES,
            ordinal=described.ordinal,
            digest=checksum,
            extra=residue(described.own, values.as_dump(), printed=printed),
            quarantined=spam_rule(RecordKind.TASK, name=values.name, description=values.description),
        )
        write_task_row(session, task, values)

    def take(self, record: Identified, describe: Callable[[Any], RawRecord], said: Any) -> None:
        """Second pass: write the nodes, tables and rows of one top-level record."""
        self._root(describe(said))

    def _root(self, raw: RawRecord) -> None:
        self._node(raw.value or {}, None, None, raw.ordinal, raw)

    def _node(self, value: Value, root: int | None, parent: int | None, position: int, raw: RawRecord) -> None:
        name, task = self.session.tasks.task_named(tables.parse_task(value).name)
        node = self._next_node()
        if self.tree_changed:
            extra = residue(own_task(value), self.described[task].own)
            checksum = raw.digest if parent is None else None
            self.session.bulk.rows(TaskNode).append((node, name, parent, root, position, checksum, extra))
        self._tables(fields.objects(value, "datasets") or [], node, None, None, task, raw.ordinal)
        for place, child in enumerate(fields.objects(value, "subtasks") or ()):
            self._node(child, root or node, node, place, raw)

    def _tables(
        self,
        values: list[Value],
        node: int,
        parent: int | None,
        parent_board: Board | None,
        task: int,
        ordinal: int,
    ) -> None:
        unnamed: Counter[str] = Counter()
        for place, value in enumerate(values):
            parsed = tables.parse_table(value)
            own = own_table(value)
            name = parsed.dataset_name or ""
            if parsed.slug is None:
                unnamed[name] += 1
            board = self.boards.find(parsed, task, unnamed[name], parent_board, ordinal)
            if not board.met:
                self.boards.meet(board, parsed, own)
            rows, conflict = self.boards.rows(board, value, rows_of(value), ordinal)
            # Rows that contradict an earlier occurrence's are kept as they are printed here.
            printed = {**own, "sota": value["sota"]} if conflict else own
            table = self._next_table()
            extra = residue(printed, board.own)
            self._occurrences.append(Occurrence(table, node, parent, place, board, [] if conflict else rows, extra))
            children = fields.objects(value, "subdatasets") or []
            if children:
                self._tables(children, node, table, board, task, ordinal)
            self.session.bulk.flush_if_full()

    def finish(self) -> None:
        """Write what had to wait for the whole dump: leaderboards with their row counts, and the tables' places."""
        for raw in self._staying:
            self._root(raw)
        self.boards.finish()
        if self.tree_changed:
            self.session.bulk.rows(TaskTable).extend(
                (
                    table.id,
                    table.node,
                    table.parent,
                    table.position,
                    table.board.id,
                    None if table.rows == table.board.order else table.rows,
                    table.extra,
                )
                for table in self._occurrences
            )


def write_task_row(session: Session, task: int, values: tables.TaskValues) -> None:
    """Write a task's own table and lists; its spine is written elsewhere."""
    rows = session.bulk.rows
    rows(Task).append((task, values.name, values.description, values.source_title, values.source_url))
    rows(TaskArea).extend((task, i, session.areas(name)) for i, name in enumerate(values.areas))
    rows(TaskSynonym).extend((task, i, name) for i, name in enumerate(values.synonyms))


def write_mentioned_tasks(session: Session, described: set[int]) -> None:
    """Write the tasks that are named somewhere and described nowhere: known by name only, without a digest."""
    for task, mention in session.tasks.mentions.items():
        if task not in described:
            identity = identity_of(RecordKind.TASK, mention.slug)
            seen = Seen(task, identity, new=True, same=False)
            session.count(RecordKind.TASK, seen, same=False)
            session.add_record(
                seen,
                RecordKind.TASK,
                key=f"task/{mention.slug}",
                named=name_columns(mention.name),
                dump=DumpKind(mention.dump),
                ordinal=mention.ordinal,
                digest=None,
                quarantined=spam_rule(RecordKind.TASK, name=mention.name),
            )
            write_task_row(session, task, tables.TaskValues(mention.name, None, [], [], None, None))
