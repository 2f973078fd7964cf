"""Who a process is, and what the web role can not do."""

from __future__ import annotations

import json
import urllib.request

import pytest
from django.conf import settings
from django.core.management import get_commands
from django.db import ProgrammingError, connection, transaction
from django.http import HttpRequest, JsonResponse
from django.urls import path
from pytest_django.live_server_helper import LiveServer

from config import database
from config.database import OWNER_COMMANDS, Role, role_of
from config.embedded.server import EmbeddedServer
from tests.database import web_role


def who() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("select session_user::text, current_user::text")
        session, current = cursor.fetchone()
        return session, current


@pytest.mark.parametrize(
    ("argv", "role"),
    [
        (["manage.py"], Role.WEB),
        (["manage.py", "migrate"], Role.OWNER),
        (["manage.py", "import_archive", "demo"], Role.OWNER),
        (["manage.py", "help", "migrate"], Role.WEB),
        (["manage.py", "runserver"], Role.WEB),
        (["manage.py", "shell"], Role.WEB),
        (["manage.py", "createsuperuser"], Role.WEB),
    ],
)
def test_the_command_decides_the_role(argv: list[str], role: Role) -> None:
    assert role_of(argv) is role


def test_the_list_of_the_owners_commands_names_only_commands() -> None:
    assert get_commands().keys() >= OWNER_COMMANDS


def test_each_role_has_its_user() -> None:
    web, owner = "postgresql://w:a@h/d", "postgresql://o:b@h/d"
    assert database.from_urls(Role.WEB, web, owner)["USER"] == "w"
    assert database.from_urls(Role.OWNER, web, owner)["USER"] == "o"
    assert database.from_urls(Role.OWNER, web, None)["USER"] == "w"


def test_a_connection_is_kept_for_a_minute_and_looked_at_before_use() -> None:
    entry = database.from_urls(Role.WEB, "postgresql://w@h/d?sslmode=require", None)
    assert (entry["CONN_MAX_AGE"], entry["CONN_HEALTH_CHECKS"]) == (60, True)
    assert entry["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.django_db
def test_tests_run_as_the_owner() -> None:
    assert who() == (settings.OWNER_ROLE, settings.OWNER_ROLE)


def test_as_web_role_acts_as_the_web_role(as_web_role: None) -> None:
    assert who() == (settings.OWNER_ROLE, settings.WEB_ROLE)
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("create table mine (id int)")
    with (
        pytest.raises(ProgrammingError, match="must be owner"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("alter table django_migrations disable trigger all")


@pytest.mark.django_db
def test_the_owner_is_back_afterwards() -> None:
    with web_role():
        assert who()[1] == settings.WEB_ROLE
    assert who()[1] == settings.OWNER_ROLE


@pytest.mark.django_db(transaction=True)
def test_the_owner_is_back_after_a_failed_transaction() -> None:
    with pytest.raises(ProgrammingError), web_role(), connection.cursor() as cursor:
        cursor.execute("begin")
        cursor.execute("select nothing")
    connection.rollback()
    assert who()[1] == settings.OWNER_ROLE


def answer(_: HttpRequest) -> JsonResponse:
    return JsonResponse(who(), safe=False)


urlpatterns = [path("who", answer)]


@pytest.mark.urls(__name__)
def test_the_live_server_answers_as_the_web_role(live_server: LiveServer, as_web_role: None) -> None:
    """Its threads open connections of their own."""
    with urllib.request.urlopen(f"{live_server.url}/who") as response:
        assert json.load(response) == [settings.OWNER_ROLE, settings.WEB_ROLE]


@pytest.mark.skipif(settings.EMBEDDED_SERVER is None, reason="DATABASE_URL is set")
@pytest.mark.django_db
def test_embedded_roles_have_no_more_rights_than_they_need() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select rolname, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles"
            " where rolname like 'corrigenda%' order by 1"
        )
        assert cursor.fetchall() == [
            (EmbeddedServer.OWNER, False, True, False, False),
            (EmbeddedServer.WEB, False, False, False, False),
        ]
