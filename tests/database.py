"""What tests do with the database as its owner: act as the web role for a while, and empty it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, connections, transaction
from psycopg import sql
from psycopg.pq import TransactionStatus

MODES = {"O": "enable", "A": "enable always", "R": "enable replica"}  # pg_trigger.tgenabled; D stays disabled


@contextmanager
def web_role() -> Iterator[None]:
    """Be the web role inside the block: on the test's connection and on each that is opened meanwhile.

    The threads of ``live_server`` open their own, so its pages are answered as in production.
    """
    options = connections.settings["default"].setdefault("OPTIONS", {})
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("set role {}").format(sql.Identifier(settings.WEB_ROLE)))
    options["assume_role"] = settings.WEB_ROLE
    try:
        yield
    finally:
        del options["assume_role"]
        raw = connection.connection
        failed = raw is not None and raw.info.transaction_status is TransactionStatus.INERROR
        if failed and not connection.in_atomic_block:
            connection.rollback()
            failed = False
        if not failed:  # else the block's own rollback takes the `set role` back
            with connection.cursor() as cursor:
                cursor.execute("reset role")


@dataclass(frozen=True)
class Baseline:
    """The rows that migrations made (groups, permissions, content types), by table, in COPY's binary form."""

    rows: dict[str, bytes]

    @classmethod
    def taken(cls) -> Baseline:
        """Read every table that holds rows now, right after the migrations."""
        rows = {}
        with connection.cursor() as cursor:
            for table in _filled(_tables()):
                command = sql.SQL("copy {} to stdout (format binary)").format(sql.Identifier(table))
                with cursor.copy(command) as copy:
                    rows[table] = b"".join(bytes(block) for block in copy)
        return cls(rows)

    def restore(self, patience: str = "20s") -> None:
        """Empty every table and put these rows back, in one transaction, with our triggers off meanwhile.

        Only the owner can. Triggers come back in the mode they had; sequences run on. Waits at most
        ``patience`` for a transaction that a test left open, then raises OperationalError.
        """
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("select set_config('lock_timeout', %s, true)", [patience])
            guarded = _triggers()
            for table, trigger, _ in guarded:
                _alter(table, "disable", trigger)
            if filled := _filled(_tables()):
                tables = sql.SQL(", ").join(map(sql.Identifier, filled))
                cursor.execute(sql.SQL("truncate {} cascade").format(tables))
            for table, content in self.rows.items():
                with cursor.copy(sql.SQL("copy {} from stdin (format binary)").format(sql.Identifier(table))) as copy:
                    copy.write(content)
            cursor.execute("set constraints all immediate")  # no table can be altered while a check is pending
            for table, trigger, mode in guarded:
                _alter(table, MODES[mode], trigger)


def _tables() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select relname from pg_class where relkind in ('r', 'p') and not relispartition"
            " and relnamespace = 'public'::regnamespace and relname <> 'django_migrations' order by relname"
        )
        return [name for (name,) in cursor.fetchall()]


def _filled(tables: list[str]) -> list[str]:
    part = sql.SQL("select {name} where exists (select 1 from {table})")
    parts = [part.format(name=sql.Literal(name), table=sql.Identifier(name)) for name in tables]
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(" union all ").join(parts))
        return [name for (name,) in cursor.fetchall()]


def _triggers() -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select relname, tgname, tgenabled::text from pg_trigger join pg_class on pg_class.oid = tgrelid"
            " where not tgisinternal and tgparentid = 0 and tgenabled <> 'D'"
            " and relnamespace = 'public'::regnamespace"
        )
        return cursor.fetchall()


def _alter(table: str, how: str, trigger: str) -> None:
    command = sql.SQL("alter table {} {} trigger {}").format(
        sql.Identifier(table), sql.SQL(how), sql.Identifier(trigger)
    )
    with connection.cursor() as cursor:
        cursor.execute(command)
