"""The leaderboards of one import: which table is which leaderboard, and the union of its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import orjson

from archive.canonical import canonical_parsed, digest
from archive.importers import tables
from archive.importers.bulk import Ids
from archive.importers.dump_files import DumpKind
from archive.importers.metric_directions import direction
from archive.importers.metric_values import parse_metric
from archive.importers.residue import residue
from archive.importers.session import Places, Seen, Session, identity_of, name_columns
from archive.importers.slugs import slug_of
from archive.models import Leaderboard, LeaderboardMetric, Record, RecordKind, Result, ResultMetric

Value = dict[str, Any]


@dataclass
class Metric:
    """A metric of a leaderboard; `stored` is the row the database holds, if any."""

    id: int
    name: str
    position: int | None
    stored: tuple[Any, ...] | None = None


@dataclass
class Board:
    """A leaderboard of this import. `order` lists its rows' ids: the first occurrence's, then those of later ones."""

    seen: Seen
    key: str
    task: int
    parent: int | None
    ordinal: int
    met: bool = False
    own: Value = field(default_factory=dict)
    values: tables.TableValues | None = None
    changed: bool = False
    metrics: dict[str, Metric] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    digests: dict[int, bytes] = field(default_factory=dict)
    occurrences: dict[bytes, list[int]] = field(default_factory=dict)
    stored_rows: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    stored: tuple[int, int | None, int] | None = None
    next_number: int = 1

    @property
    def id(self) -> int:
        """The primary key shared with its record."""
        return self.seen.id


class Boards:
    """Finds or makes leaderboards and their rows. Reads what the archive holds at the start (three queries)."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._next_metric = Ids(LeaderboardMetric)
        self._boards: dict[bytes, Board] = {}
        self._row_ids: dict[bytes, int] = {}
        self.repositioned = Places()
        self._stored_rows: dict[int, dict[int, tuple[int, int | None]]] = {}
        self._stored_metrics: dict[int, list[tuple[Any, ...]]] = {}
        self._stored: dict[int, tuple[int, int | None, int]] = {}
        self._keys: dict[int, str] = {}
        if not session.first:
            self._read_stored()

    def _read_stored(self) -> None:
        results = Result.objects.values_list("leaderboard_id", "record_id", "number", "position")
        for board, row, number, position in results.iterator(chunk_size=10_000):
            self._stored_rows.setdefault(board, {})[row] = (number, position)
        for stored in LeaderboardMetric.objects.values_list(
            "leaderboard_id", "id", "position", "name", "direction", "direction_source"
        ):
            self._stored_metrics.setdefault(stored[0], []).append(stored)
        for key, task, parent, count in Leaderboard.objects.values_list("pk", "task_id", "parent_id", "row_count"):
            self._stored[key] = (task, parent, count)
        self._keys = dict(Record.objects.filter(kind=RecordKind.LEADERBOARD).values_list("id", "key"))

    def find(self, parsed: tables.TableValues, task: int, nth: int, parent: Board | None, ordinal: int) -> Board:
        """The leaderboard of a table: by its address, else by task, printed dataset name and place among namesakes."""
        session = self.session
        task_slug = session.tasks.slugs[task]
        name = parsed.dataset_name or ""
        if parsed.slug is not None:
            identity = identity_of(RecordKind.LEADERBOARD, parsed.slug)
        else:
            above = parent.key if parent else ""
            identity = identity_of(RecordKind.LEADERBOARD, "no address", task_slug, above, name, str(nth))
        board = self._boards.get(identity)
        if board is None:
            known = session.known(RecordKind.LEADERBOARD).get(identity)
            if known is not None:
                seen = Seen(known.id, identity, new=False, same=True)
                key = self._keys[known.id]
            else:
                seen = Seen(session.next_record(), identity, new=True, same=False)
                slug = parsed.slug or slug_of(tables.board_name(session.tasks.name_of(task), name))
                key = session.claim_key(seen, RecordKind.LEADERBOARD, "sota", slug)
            board = self._boards[identity] = Board(seen, key, task, parent.id if parent else None, ordinal)
            board.stored_rows = self._stored_rows.get(board.id, {})
            board.stored = self._stored.get(board.id)
            board.next_number = 1 + max((number for number, _ in board.stored_rows.values()), default=0)
            for stored in self._stored_metrics.get(board.id, ()):
                _, key_, position, metric_name, *_ = stored
                board.metrics.setdefault(metric_name, Metric(key_, metric_name, position, stored))
        return board

    def meet(self, board: Board, parsed: tables.TableValues, own: Value) -> None:
        """The first occurrence of a leaderboard in this dump gives its own fields."""
        board.met, board.own, board.values = True, own, parsed
        known = self.session.known(RecordKind.LEADERBOARD).get(board.seen.identity)
        board.changed = known is None or known.digest != digest(canonical_parsed(own)) or known.dropped
        for metric in board.metrics.values():
            metric.position = None
        for place, name in enumerate(parsed.metrics):
            self._metric(board, name).position = place

    def _metric(self, board: Board, name: str) -> Metric:
        metric = board.metrics.get(name)
        if metric is None:
            metric = board.metrics[name] = Metric(self._next_metric(), name, None)
        return metric

    def rows(self, board: Board, value: Value, raw_rows: list[Value], ordinal: int) -> tuple[list[int], bool]:
        """The ids of a table's rows in the order printed, and whether one contradicts an earlier occurrence of it."""
        checksum = digest(canonical_parsed(value.get("sota")))
        if checksum in board.occurrences:
            return board.occurrences[checksum], False
        first = bool(raw_rows) and not board.order
        ids: list[int] = []
        conflict = changed = False
        parsed: list[tables.RowValues] = []
        count: Counter[tuple[str, str]] = Counter()
        for raw in raw_rows:
            who = (str(raw.get("model_name")), str(raw.get("paper_url")))
            count[who] += 1
            identity = identity_of(RecordKind.RESULT, board.seen.identity, *who, str(count[who]))
            printed = canonical_parsed(raw)
            row_digest = digest(printed)
            row = self._row_ids.get(identity)
            if row is not None:
                conflict = conflict or board.digests[row] != row_digest
            else:
                row = self._new_row(board, identity, raw, printed, row_digest, ordinal, parsed)
                changed = changed or bool(parsed)
            ids.append(row)
        if first and (changed or board.changed):
            self._direct(board, [tables.parse_row(raw) for raw in raw_rows])
        if not conflict:
            board.occurrences[checksum] = ids
        return ids, conflict

    def _new_row(
        self,
        board: Board,
        identity: bytes,
        raw: Value,
        printed: bytes,
        row_digest: bytes,
        ordinal: int,
        parsed: list[tables.RowValues],
    ) -> int:
        session = self.session
        seen = session.see(RecordKind.RESULT, identity, row_digest, ordinal)
        self._row_ids[identity] = seen.id
        board.order.append(seen.id)
        board.digests[seen.id] = row_digest
        position = len(board.order)
        number, stored_position = board.stored_rows.get(seen.id, (0, None))
        if seen.same:
            if stored_position != position:
                self.repositioned.put(seen.id, position)
            return seen.id
        if not number:
            number, board.next_number = board.next_number, board.next_number + 1
        values = tables.parse_row(raw)
        parsed.append(values)
        session.add_record(
            seen,
            RecordKind.RESULT,
            key=f"{board.key}/row/{number}",
            named=name_columns(values.model_name or ""),
            dump=DumpKind.TABLES,
            ordinal=ordinal,
            digest=row_digest,
            extra=residue(raw, values.as_dump(), printed=printed),
        )
        self._write_row(board, seen.id, number, position, values)
        return seen.id

    def _write_row(self, board: Board, row: int, number: int, position: int, values: tables.RowValues) -> None:
        rows = self.session.bulk.rows
        rows(Result).append(
            (
                row,
                board.id,
                number,
                position,
                values.model_name,
                values.paper_title,
                values.paper_url,
                values.paper_date,
                values.paper_date_precision,
                None,
                "",
                orjson.dumps(values.code_links).decode(),
                orjson.dumps(values.model_links).decode(),
                values.uses_additional_data,
            )
        )
        for name, value in values.metrics.items():
            number_ = parse_metric(value)
            rows(ResultMetric).append(
                (row, self._metric(board, name).id, value, float(number_) if number_ is not None else None)
            )

    def _direct(self, board: Board, parsed: list[tables.RowValues], *, unwritten_only: bool = False) -> None:
        """Write the metrics with the direction that is known of them, where the stored row says otherwise."""
        for metric in board.metrics.values():
            if unwritten_only and metric.stored is not None:
                continue
            values = [row.metrics.get(metric.name) for row in parsed]
            numbers = [parse_metric(value) if value is not None else None for value in values]
            way, source = direction(metric.name, numbers, metric.position == 0)
            row = (board.id, metric.id, metric.position, metric.name, str(way), str(source))
            if row != metric.stored:
                metric.stored = row
                self.session.bulk.rows(LeaderboardMetric).append((row[1], row[0], *row[2:]))

    def finish(self) -> None:
        """Write the leaderboards, now that their rows are counted; give rows of the same snapshot places at the end."""
        session = self.session
        for board in self._boards.values():
            # Metrics that only later occurrences use, and all those of a table without a row.
            self._direct(board, [], unwritten_only=bool(board.order) or not board.changed)
            if not session.supersedes(DumpKind.TABLES):
                self._append_leftover(board)
            self._write_board(board)

    def _append_leftover(self, board: Board) -> None:
        """Rows of the snapshot that this dump of the same snapshot lacks keep their order, behind its own."""
        stored = [(place, row) for row, (_, place) in board.stored_rows.items() if place and row not in board.digests]
        for place, row in sorted(stored):
            board.order.append(row)
            if place != len(board.order):
                self.repositioned.put(row, len(board.order))

    def _write_board(self, board: Board) -> None:
        session, values = self.session, board.values
        assert values is not None, "a board is met before it is written"
        same = not board.changed and board.stored == (board.task, board.parent, len(board.order))
        session.count(RecordKind.LEADERBOARD, board.seen, same=same)
        if same:
            if session.known(RecordKind.LEADERBOARD)[board.seen.identity].ordinal != board.ordinal:
                session.moved.put(board.id, board.ordinal)
            return
        printed = canonical_parsed(board.own)
        task_name = session.tasks.name_of(board.task)
        session.add_record(
            board.seen,
            RecordKind.LEADERBOARD,
            key=board.key,
            named=name_columns(tables.board_name(task_name, values.dataset_name)),
            dump=DumpKind.TABLES,
            ordinal=board.ordinal,
            digest=digest(printed),
            extra=residue(board.own, values.as_dump(), printed=printed),
        )
        session.bulk.rows(Leaderboard).append(
            (
                board.id,
                board.task,
                board.parent,
                values.dataset_name,
                None,
                "",
                values.description,
                orjson.dumps(values.links).decode(),
                orjson.dumps(values.citations).decode(),
                len(board.order),
            )
        )
