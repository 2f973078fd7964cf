"""Rows on their way into the archive's tables, by COPY: straight into them while they are empty, else staged first.

Both ways buffer a few thousand rows per table, so the client's memory stays small whatever the size of a dump.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection, models

Row = tuple[Any, ...]

_WHOLE_NUMBERS = {"SmallIntegerField", "IntegerField", "BigIntegerField", "AutoField", "BigAutoField", "OneToOneField"}

FLUSH_AT = 20_000
"""Rows buffered over all tables before they are sent."""


def columns_of(model: type[models.Model]) -> list[str]:
    """The columns a row of `model` fills, in the order of its fields; generated columns are the database's."""
    return [field.column for field in model._meta.concrete_fields if field.column and not field.generated]


@cache
def _numbers(model: type[models.Model]) -> str:
    """How a row of nothing but numbers is written for COPY, five times as fast as any other; "" if it holds more."""
    fields = [field for field in model._meta.concrete_fields if field.column]
    # a composite key has no column of its own; a foreign key is of the type it points at
    types = {
        (field.target_field if isinstance(field, models.ForeignKey) else field).get_internal_type() for field in fields
    }
    if any(field.null for field in fields) or not types <= _WHOLE_NUMBERS:
        return ""
    return "\t".join(["%d"] * len(fields)) + "\n"


class Bulk:
    """Buffers rows and COPYs them. `staged` sends them to temporary tables named `stage_<table>`."""

    def __init__(self, *, staged: bool) -> None:
        self.staged = staged
        self._buffers: dict[type[models.Model], list[Row]] = {}

    def rows(self, model: type[models.Model]) -> list[Row]:
        """The buffer of a table: append tuples in the order of `columns_of(model)`. One statement, the first time."""
        buffer = self._buffers.get(model)
        if buffer is None:
            buffer = self._buffers[model] = []
            if self.staged:
                table = model._meta.db_table
                with connection.cursor() as cursor:
                    cursor.execute(f"CREATE TEMP TABLE stage_{table} (LIKE {table})")
                    for column in (f.column for f in model._meta.concrete_fields if f.generated):
                        cursor.execute(f"ALTER TABLE stage_{table} DROP COLUMN {column}")
        return buffer

    @property
    def models(self) -> list[type[models.Model]]:
        """The tables that got a buffer so far."""
        return list(self._buffers)

    def flush_if_full(self) -> None:
        """Send what is buffered once it is worth a round trip."""
        if sum(map(len, self._buffers.values())) >= FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        """Send what is buffered: one COPY per table."""
        for model, buffer in self._buffers.items():
            if not buffer:
                continue
            table = model._meta.db_table
            target = f"stage_{table}" if self.staged else table
            with (
                connection.cursor() as cursor,
                cursor.copy(f"COPY {target} ({', '.join(columns_of(model))}) FROM STDIN") as copy,
            ):
                if numbers := _numbers(model):
                    copy.write("".join([numbers % row for row in buffer]))
                else:
                    for row in buffer:
                        copy.write_row(row)
            buffer.clear()

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
