"""Rows on their way into the archive's tables, by COPY: straight into them while they are empty, else staged first.

Both ways buffer a few thousand rows per table, so the client's memory stays small whatever the size of a dump.
"""

from __future__ import annotations

import datetime
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.db import connection, models

Row = tuple[Any, ...]

FLUSH_AT = 20_000
"""Rows buffered over all tables before they are sent."""


def columns_of(model: type[models.Model]) -> list[str]:
    """The columns a row of `model` fills, in the order of its fields; generated columns are the database's."""
    return [field.column for field in model._meta.concrete_fields if field.column and not field.generated]


def columns(*values: str | int | bytes | datetime.date | None) -> str:
    """Values as neighbouring columns of COPY's text format, made wherever they are known: see docs/decisions/0010."""
    return "\t".join([_column(value) for value in values])


def _column(value: str | int | bytes | datetime.date | None) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, str):
        return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    if isinstance(value, bytes):
        return f"\\\\x{value.hex()}"
    return str(value)


class Buffer(NamedTuple):
    """What waits to be sent to a table."""

    rows: list[Row]
    lines: list[str]


class Bulk:
    """Buffers rows and COPYs them. `staged` sends them to temporary tables named `stage_<table>`."""

    def __init__(self, *, staged: bool) -> None:
        self.staged = staged
        self._buffers: dict[type[models.Model], Buffer] = {}

    def rows(self, model: type[models.Model]) -> list[Row]:
        """A buffer of a table: append tuples in the order of `columns_of(model)`. One statement, the first time."""
        return (self._buffers.get(model) or self._begin(model)).rows

    def lines(self, model: type[models.Model]) -> list[str]:
        """Another, for rows by the hundred thousand: append them as COPY takes them, `columns` and a line end."""
        return (self._buffers.get(model) or self._begin(model)).lines

    def _begin(self, model: type[models.Model]) -> Buffer:
        if self.staged:
            table = model._meta.db_table
            with connection.cursor() as cursor:
                cursor.execute(f"CREATE TEMP TABLE stage_{table} (LIKE {table})")
                for column in (f.column for f in model._meta.concrete_fields if f.generated):
                    cursor.execute(f"ALTER TABLE stage_{table} DROP COLUMN {column}")
        buffer = self._buffers[model] = Buffer([], [])
        return buffer

    @property
    def models(self) -> list[type[models.Model]]:
        """The tables that got a buffer so far."""
        return list(self._buffers)

    def flush_if_full(self) -> None:
        """Send what is buffered once it is worth a round trip."""
        if sum(len(buffer.rows) + len(buffer.lines) for buffer in self._buffers.values()) >= FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        """Send what is buffered: one COPY per table."""
        for model, (rows, lines) in self._buffers.items():
            if not rows and not lines:
                continue
            table = model._meta.db_table
            target = f"stage_{table}" if self.staged else table
            with (
                connection.cursor() as cursor,
                cursor.copy(f"COPY {target} ({', '.join(columns_of(model))}) FROM STDIN") as copy,
            ):
                copy.write("".join(lines))
                for row in rows:
                    copy.write_row(row)
            rows.clear()
            lines.clear()

    def drop_stages(self) -> None:
        """Drop the temporary tables; they would else stay until the connection closes."""
        if self.staged:
            with connection.cursor() as cursor:
                for model in self._buffers:
                    cursor.execute(f"DROP TABLE IF EXISTS stage_{model._meta.db_table}")


class Ids:
    """Primary keys from a table's own sequence, fetched in blocks, so that nobody else is given the same."""

    BLOCK = 5_000

    def __init__(self, model: type[models.Model]) -> None:
        self._table = model._meta.db_table
        self._block: Iterator[int] = iter(())

    def __call__(self) -> int:
        """The next free key. A query every `BLOCK` calls."""
        key = next(self._block, None)
        if key is None:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT array_agg(nextval(pg_get_serial_sequence(%s, 'id'))) FROM generate_series(1, %s)",
                    [self._table, self.BLOCK],
                )
                self._block = iter(cursor.fetchone()[0])
            key = next(self._block)
        return key


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for garbage in cycles once in a hundred thousand new objects: a tenth of the time that records take goes
    there, and they make none."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def without_indexes(tables: Sequence[str]) -> Iterator[None]:
    """Take indexes, primary keys and foreign keys off empty tables, and put them back when the rows are in.

    Building an index over finished rows is two to three times faster than keeping it up row by row. Everything is
    read from the catalogue and restored word for word, in the caller's transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT contype, conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
            WHERE (conrelid = ANY(%(tables)s::regclass[]) AND contype IN ('p', 'u', 'f'))
               OR (confrelid = ANY(%(tables)s::regclass[]) AND contype = 'f')
            ORDER BY array_position('{f,u,p}'::text[], contype::text), conname
            """,
            {"tables": list(tables)},
        )
        constraints = cursor.fetchall()
        cursor.execute(
            """
            SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
            WHERE indrelid = ANY(%s::regclass[])
              AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
            ORDER BY 1
            """,
            [list(tables)],
        )
        indexes = cursor.fetchall()
        for _, table, name, _ in constraints:
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL maintenance_work_mem = '512MB'")
        for _, table, name, definition in reversed([c for c in constraints if c[0] != "f"]):
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        for _, definition in indexes:
            cursor.execute(definition)
        for _, table, name, definition in (c for c in constraints if c[0] == "f"):
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
