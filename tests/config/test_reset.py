"""The tests' own reset of the database, against guards like those on archive tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import DatabaseError, OperationalError, connection

from tests.database import Baseline


def run(*statements: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def guarded(transactional_db: None) -> Iterator[None]:
    """Two tables whose triggers refuse everything, filled before the triggers came."""
    run(
        "create table kept (id int primary key)",
        "create table keeper (kept int references kept deferrable initially deferred)",
        "insert into kept values (1)",
        "insert into keeper values (1)",
        "create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$",
        "create trigger kept_guard before insert or update or delete or truncate on kept execute function refuse()",
        "create constraint trigger keeper_logged after insert on keeper deferrable initially deferred"
        " for each row execute function refuse()",
        "alter table kept enable always trigger kept_guard",
    )
    yield
    run("drop table keeper, kept", "drop function refuse")


def test_guarded_tables_are_emptied_and_stay_guarded(guarded: None) -> None:
    with pytest.raises(DatabaseError, match="refused"):
        run("truncate kept cascade")
    Baseline.taken().restore()
    Baseline({}).restore()
    assert run("select count(*) from kept") == [(0,)]
    assert run("select tgname, tgenabled from pg_trigger where not tgisinternal and tgrelid = 'kept'::regclass") == [
        ("kept_guard", "A")
    ]
    with pytest.raises(DatabaseError, match="refused"):
        run("insert into kept values (2)")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_what_migrations_made_outlives_a_transactional_test(turn: int) -> None:
    """The first turn wipes what migrations made and leaves a user; the second sees neither."""
    assert not User.objects.exists()
    assert ContentType.objects.filter(app_label="auth").count() == 3
    assert Permission.objects.filter(codename="add_user").count() == 1
    User.objects.create_user("left behind")
    ContentType.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_left_open_fails_the_reset_instead_of_hanging_it() -> None:
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("lock table django_content_type in row exclusive mode")
        with pytest.raises(OperationalError, match="lock timeout"):
            Baseline.taken().restore(patience="100ms")
    finally:
        other.close()
