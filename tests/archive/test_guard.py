"""The database says no: raw SQL against every table of the archive, as the web role, and as the owner without a run.

Run over real connections to a committed archive: what holds here holds for whoever has the web role's password.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg import sql
from pytest_django import DjangoDbBlocker

from archive.models import Paper, Record
from tests.archive.dumps import TINY, load
from tests.database import Baseline

REFUSED = "42501"  # insufficient_privilege, which the guard raises too
OTHERWISE_KEPT = {
    "archive_importrun": "append-only; the web role may only read it",
    "archive_siteversion": "no part of the archive: every public change moves it",
}


@contextmanager
def connected(role: str) -> Iterator[psycopg.Connection]:
    """A connection of its own to the test's database, as that user where it can log in, else by SET ROLE."""
    described = connection.get_connection_params()
    login = {key: described[key] for key in ("dbname", "host", "port", "password") if described.get(key)}
    if settings.EMBEDDED_SERVER is not None:
        session = psycopg.connect(**login, user=role)
    else:
        session = psycopg.connect(**login, user=described["user"])
        session.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        session.commit()
    try:
        yield session
    finally:
        session.close()


@pytest.fixture(scope="module", autouse=True)
def archive(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The tiny archive, committed by an import that is over; once for all tests here, since none may change it."""
    with django_db_blocker.unblock():
        baseline = Baseline.taken()
        load(TINY)
        try:
            yield
        finally:
            baseline.restore()


@pytest.fixture
def web() -> Iterator[psycopg.Connection]:
    """Somebody who has the web role's password."""
    if settings.WEB_ROLE == settings.OWNER_ROLE:
        pytest.skip("DATABASE_URL and DATABASE_OWNER_URL name the same user")
    with connected(settings.WEB_ROLE) as session:
        yield session


@pytest.fixture
def owner() -> Iterator[psycopg.Connection]:
    """The owner, who has not begun an import."""
    with connected(settings.OWNER_ROLE) as session:
        yield session


def tables() -> list[str]:
    """Every table of the archive that the catalogue knows, whoever made it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
            " AND relname LIKE 'archive\\_%%' ORDER BY relname"
        )
        return [name for (name,) in cursor.fetchall()]


def writes(table: str) -> dict[str, str]:
    """Every way to write a table, none of which needs a row to be there."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
            " AND attgenerated = '' AND NOT attisdropped ORDER BY attnum LIMIT 1",
            [table],
        )
        (column,) = cursor.fetchone()
    return {
        "insert": f"INSERT INTO {table} DEFAULT VALUES",
        "insert nothing": f"INSERT INTO {table} ({column}) SELECT {column} FROM {table} WHERE false",
        "upsert": f"INSERT INTO {table} DEFAULT VALUES ON CONFLICT DO NOTHING",
        "update": f"UPDATE {table} SET {column} = {column}",
        "update nothing": f"UPDATE {table} SET {column} = {column} WHERE false",
        "delete": f"DELETE FROM {table}",
        "delete nothing": f"DELETE FROM {table} WHERE false",
        "merge": f"MERGE INTO {table} USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE",
        "truncate": f"TRUNCATE {table} CASCADE",
        "copy": f"COPY {table} FROM STDIN",
        "by a query": f"WITH gone AS (DELETE FROM {table} RETURNING 1) SELECT count(*) FROM gone",
    }


RUN = (
    "INSERT INTO archive_importrun (archive, title, licence, snapshot, summary)"
    " VALUES ('a', 't', 'l', '2025-07-28', '{}')"
)


def refusal(session: psycopg.Connection, statement: str, *before: str) -> str | None:
    """The SQLSTATE with which a statement is refused, in a transaction of its own; None if it is not."""
    try:
        for preparing in before:
            session.execute(preparing)
        with session.cursor() as cursor:
            if statement.startswith("COPY"):
                with cursor.copy(statement):
                    pass
            else:
                cursor.execute(statement)
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        session.rollback()
    return None


def let_through(session: psycopg.Connection, *before: str, skip: frozenset[str] = frozenset()) -> list[str]:
    """The writes of archive tables that are not refused."""
    return [
        f"{how} on {table}"
        for table in tables()
        if table not in OTHERWISE_KEPT
        for how, statement in writes(table).items()
        if how not in skip and refusal(session, statement, *before) != REFUSED
    ]


def test_there_are_tables_and_the_exceptions_are_among_them() -> None:
    assert set(OTHERWISE_KEPT) < set(tables())
    assert len(tables()) > 35


@pytest.mark.parametrize(
    "before",
    [
        pytest.param((), id="plainly"),
        pytest.param(("SET LOCAL corrigenda.mode = 'import'",), id="with a made-up setting"),
        pytest.param(("SET LOCAL corrigenda.mode = 'decision'",), id="with another made-up setting"),
    ],
)
def test_the_web_role_writes_no_table(web: psycopg.Connection, before: tuple[str, ...]) -> None:
    assert let_through(web, *before) == []


@pytest.mark.parametrize("mode", ["", "import", "decision"])
def test_nor_does_the_owner_outside_an_import(owner: psycopg.Connection, mode: str) -> None:
    assert let_through(owner, f"SET LOCAL corrigenda.mode = '{mode}'") == []


def test_a_view_with_a_rule_or_a_function_is_no_way_round(web: psycopg.Connection) -> None:
    for statement in (
        "CREATE VIEW public.mine AS SELECT * FROM archive_paper",
        "CREATE FUNCTION public.mine() RETURNS void SECURITY DEFINER LANGUAGE sql AS 'DELETE FROM archive_paper'",
        "CREATE SCHEMA mine",
        "CREATE TABLE public.mine (id int REFERENCES archive_record ON DELETE CASCADE)",
    ):
        assert refusal(web, statement) == REFUSED, statement
    made = "CREATE TEMP VIEW mine AS SELECT * FROM archive_paper"
    assert refusal(web, "UPDATE mine SET title = 'x'", made) == REFUSED
    made = "CREATE FUNCTION pg_temp.mine() RETURNS void LANGUAGE sql AS 'DELETE FROM archive_paper'"
    assert refusal(web, "SELECT pg_temp.mine()", made) == REFUSED


@pytest.mark.parametrize(
    ("mode", "table"),
    [("import", "archive_importrun (xid xid8)"), ("decision", "corrections_decision (xid xid8, kind text)")],
)
def test_a_temporary_table_in_the_place_of_the_guards_own_is_no_way_round(
    web: psycopg.Connection, mode: str, table: str
) -> None:
    name = table.split()[0]
    row = "pg_current_xact_id()" if mode == "import" else "pg_current_xact_id(), 'decision'"
    before = (
        f"CREATE TEMP TABLE {table}",
        f"INSERT INTO pg_temp.{name} VALUES ({row})",
        f"SET LOCAL corrigenda.mode = '{mode}'",
    )
    assert refusal(web, "UPDATE public.archive_paper SET title = 'vandalised'", *before) == REFUSED


def test_a_run_can_not_be_made_up_taken_over_or_repeated(web: psycopg.Connection) -> None:
    for statement in (
        RUN,
        "INSERT INTO archive_importrun SELECT * FROM archive_importrun",
        "UPDATE archive_importrun SET xid = pg_current_xact_id()",
        "UPDATE archive_importrun SET xid = xid WHERE false",
        "DELETE FROM archive_importrun",
        "TRUNCATE archive_importrun CASCADE",
        "COPY archive_importrun FROM STDIN",
        "SELECT * FROM archive_importrun FOR UPDATE",
        "INSERT INTO archive_importedfile DEFAULT VALUES",
    ):
        assert refusal(web, statement, "SET LOCAL corrigenda.mode = 'import'") == REFUSED, statement


def test_what_protects_the_tables_can_not_be_taken_off(web: psycopg.Connection) -> None:
    for table in tables():
        for statement in (
            f"ALTER TABLE {table} DISABLE TRIGGER ALL",
            f"ALTER TABLE {table} DISABLE TRIGGER USER",
            f"ALTER TABLE {table} ADD COLUMN mine int",
            f"ALTER TABLE {table} OWNER TO CURRENT_USER",
            f"CREATE TRIGGER mine BEFORE INSERT ON {table} EXECUTE FUNCTION archive_guard()",
            f"CREATE RULE mine AS ON UPDATE TO {table} DO INSTEAD NOTHING",
            f"DROP TABLE {table} CASCADE",
        ):
            assert refusal(web, statement) == REFUSED, statement
    for statement in (
        "SET session_replication_role = 'replica'",
        "CREATE OR REPLACE FUNCTION archive_guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "DROP FUNCTION archive_guard() CASCADE",
        "DROP TRIGGER archive_record_guard ON archive_record",
        f"SET ROLE {settings.OWNER_ROLE}",
        f"SET SESSION AUTHORIZATION {settings.OWNER_ROLE}",
        "UPDATE django_migrations SET app = app",
    ):
        assert refusal(web, statement) in {REFUSED, "0LP01"}, statement
    # A GRANT without the right to grant is a warning, not an error: what counts is that nothing was granted.
    web.execute("GRANT ALL ON archive_paper TO CURRENT_USER")
    web.commit()
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(%s, 'archive_paper', 'TRUNCATE')", [settings.WEB_ROLE])
        assert cursor.fetchone() == (False,)


def test_the_web_role_owns_nothing(web: psycopg.Connection) -> None:
    owned = "SELECT {0}::text FROM {1} WHERE {2} = (SELECT oid FROM pg_roles WHERE rolname = %s)"
    for name, catalogue, column in (
        ("oid::regclass", "pg_class", "relowner"),
        ("oid::regprocedure", "pg_proc", "proowner"),
        ("nspname", "pg_namespace", "nspowner"),
        ("datname", "pg_database", "datdba"),
        ("typname", "pg_type", "typowner"),
    ):
        found = web.execute(owned.format(name, catalogue, column), [settings.WEB_ROLE]).fetchall()
        assert found == [], catalogue
    member = "SELECT pg_has_role(%s, %s, 'MEMBER')"
    assert web.execute(member, [settings.WEB_ROLE, settings.OWNER_ROLE]).fetchone() == (False,)


def test_what_is_refused_changed_nothing(web: psycopg.Connection) -> None:
    before = set(Record.objects.values_list("id", "revision")), set(Paper.objects.values_list("pk", "title"))
    let_through(web, "SET LOCAL corrigenda.mode = 'import'")
    assert (set(Record.objects.values_list("id", "revision")), set(Paper.objects.values_list("pk", "title"))) == before


def test_the_owner_has_to_begin_a_run_in_the_same_transaction(owner: psycopg.Connection) -> None:
    mode = "SET LOCAL corrigenda.mode = 'import'"
    write = "UPDATE archive_paper SET title = title WHERE false"
    assert refusal(owner, write, RUN) == REFUSED  # a run without the mode
    assert refusal(owner, write, mode, "SAVEPOINT s", RUN, "ROLLBACK TO s") == REFUSED  # a run taken back
    assert refusal(owner, write, mode, RUN) is None
    # Another's old transaction is no pass.
    old = RUN.replace("summary)", "summary, xid)").replace("'{}')", "'{}', '3')")
    assert refusal(owner, write, mode, old) == REFUSED
    assert owner.execute("SELECT count(*) FROM archive_importrun").fetchone() == (1,)  # one that is over
    assert refusal(owner, write, mode) == REFUSED


def test_a_run_that_is_over_stands_for_ever(owner: psycopg.Connection) -> None:
    for statement in (
        "UPDATE archive_importrun SET summary = '{}'",
        "UPDATE archive_importrun SET xid = pg_current_xact_id()",
        "UPDATE archive_importrun SET id = id + 1",
        "DELETE FROM archive_importrun",
        "UPDATE archive_importedfile SET records = 0",
        "DELETE FROM archive_importedfile",
        "TRUNCATE archive_importrun CASCADE",
    ):
        assert refusal(owner, statement) == REFUSED, statement


def test_a_run_may_not_take_another_transactions_place(owner: psycopg.Connection) -> None:
    assert refusal(owner, "UPDATE archive_importrun SET xid = '3' WHERE xid = pg_current_xact_id()", RUN) == REFUSED
    assert refusal(owner, "UPDATE archive_importrun SET summary = '{}' WHERE xid = pg_current_xact_id()", RUN) is None
