"""The embedded server: made, shared, killed and stopped for real, in folders of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from config.embedded.server import DYING_SECONDS, EmbeddedServer, ServerError

ROOT = settings.BASE_DIR
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(settings.EMBEDDED_SERVER is None, reason="DATABASE_URL is set"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """A server whose home has a space and an umlaut in its path, below a folder of the caller alone."""
    private = Path(tempfile.mkdtemp())
    server = EmbeddedServer(private / "Läufer's home", settings.CORRIGENDA_PG_BIN)
    yield server
    server.remove()
    shutil.rmtree(private)


def manage(server: EmbeddedServer, *arguments: str) -> subprocess.Popen[str]:
    """Start ``manage.py`` on that server's home."""
    environment = {
        **os.environ,
        "CORRIGENDA_HOME": str(server.home),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def postmaster(server: EmbeddedServer) -> int:
    return int((server.data / "postmaster.pid").read_text().split()[0])


def test_commands_that_start_at_once_share_one_cold_server(server: EmbeddedServer) -> None:
    assert not server.running()
    results = [finish(process) for process in [manage(server, "check", "--database", "default") for _ in range(4)]]
    assert [code for code, _, _ in results] == [0, 0, 0, 0], results
    notices = "".join(err for _, _, err in results)
    assert notices.count("it stays up until: python manage.py database stop") == 1
    assert server.log.read_text().count("database system is ready to accept connections") == 1


def test_the_command_says_where_it_runs_and_how_to_reach_it(server: EmbeddedServer) -> None:
    server.ensure_running()
    code, out, _ = finish(manage(server, "database", "status"))
    assert (code, out) == (0, f"running in {server.folder}, log in {server.log}\n")
    for role, user in (("web", EmbeddedServer.WEB), ("owner", EmbeddedServer.OWNER)):
        _, url, _ = finish(manage(server, "database", "url", "--role", role))
        with psycopg.connect(url.strip()) as connection:
            assert connection.execute("select current_user, current_database()").fetchone() == (
                user,
                "corrigenda",
            )


def test_it_listens_on_one_private_socket_and_syncs_what_it_writes(server: EmbeddedServer) -> None:
    server.ensure_running()
    info = server.socket.stat()
    assert (info.st_mode & 0o777, info.st_uid) == (0o700, server.uid)
    assert server.uid != 0
    with psycopg.connect(server.url(EmbeddedServer.OWNER)) as connection:
        shown = {name: connection.execute(f"show {name}").fetchone() for name in ("listen_addresses", "fsync")}
    assert shown == {"listen_addresses": ("",), "fsync": ("on",)}


def test_the_web_role_owns_nothing_and_the_owner_can_act_as_it(server: EmbeddedServer) -> None:
    server.ensure_running()
    with (
        psycopg.connect(server.url(EmbeddedServer.WEB)) as web,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        web.execute("create table mine (id int)")
    with psycopg.connect(server.url(EmbeddedServer.OWNER)) as owner:
        owner.execute(f"set role {EmbeddedServer.WEB}")
        assert owner.execute("select current_user").fetchone() == (EmbeddedServer.WEB,)


def test_killed_it_comes_back_with_what_was_committed(server: EmbeddedServer) -> None:
    server.ensure_running()
    with psycopg.connect(server.url(EmbeddedServer.OWNER)) as connection:
        connection.execute("create table if not exists survives as select 1 as id")
    os.kill(postmaster(server), signal.SIGKILL)
    code, _, err = finish(manage(server, "check", "--database", "default"))
    assert code == 0, err
    with psycopg.connect(server.url(EmbeddedServer.OWNER)) as connection:
        assert connection.execute("select id from survives").fetchall() == [(1,)]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_killed_where_nobody_reaps_it_comes_back_all_the_same(server: EmbeddedServer) -> None:
    """A killed server whose parent does not look stays a zombie, which PostgreSQL takes for a live one."""
    server.ensure_running()
    killed = postmaster(server)
    os.kill(killed, signal.SIGKILL)
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    for lock in (server.data / "postmaster.pid", server.socket / ".s.PGSQL.5432.lock"):
        lock.write_text(lock.read_text().replace(str(killed), str(zombie.pid), 1))
    assert not server.running()
    began = time.monotonic()
    server.ensure_running()
    assert time.monotonic() - began < DYING_SECONDS
    assert server.running()
    assert zombie.wait() == 0


def test_a_socket_that_was_swept_away_comes_back(server: EmbeddedServer) -> None:
    server.ensure_running()
    shutil.rmtree(server.socket)
    server.ensure_running()
    with psycopg.connect(server.url(EmbeddedServer.WEB)) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_socket_folder_that_others_can_enter_is_refused(server: EmbeddedServer) -> None:
    server.ensure_running()
    server.socket.chmod(0o755)
    code, _, err = finish(manage(server, "check", "--database", "default"))
    server.socket.chmod(0o700)
    assert code != 0
    assert "does not belong to the embedded server alone" in err


def test_stop_ends_it_and_leaves_no_socket(server: EmbeddedServer) -> None:
    server.ensure_running()
    assert finish(manage(server, "database", "stop"))[:2] == (0, "Stopped.\n")
    assert not server.socket.exists()
    assert not (server.data / "postmaster.pid").exists()
    assert finish(manage(server, "database", "status"))[:2] == (3, "stopped\n")
    assert finish(manage(server, "database", "stop"))[:2] == (0, "It was not running.\n")


def test_data_of_another_major_version_is_refused(server: EmbeddedServer) -> None:
    server.ensure_running()
    server.stop()
    version = server.data / "PG_VERSION"
    original = version.read_text()
    version.write_text("9.6\n")
    with pytest.raises(ServerError, match=r"made by PostgreSQL 9\.6"):
        server.ensure_running()
    version.write_text(original)


def test_two_homes_never_share(server: EmbeddedServer) -> None:
    other = EmbeddedServer(server.home.with_name("other"), settings.CORRIGENDA_PG_BIN)
    assert other.socket != server.socket
    assert other.folder != server.folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server may live elsewhere")
def test_a_copied_home_does_not_share_its_originals_data(server: EmbeddedServer) -> None:
    server.ensure_running()
    copy = EmbeddedServer(server.home.with_name("copied"), settings.CORRIGENDA_PG_BIN)
    shutil.copytree(server.home, copy.home, symlinks=True)
    assert copy.folder == server.folder
    try:
        copy.ensure_running()
        assert copy.folder != server.folder
        assert server.running()
    finally:
        if copy.folder != server.folder:
            copy.remove()


def test_removing_needs_a_word_and_then_leaves_nothing(server: EmbeddedServer) -> None:
    other = EmbeddedServer(server.home.with_name("removed"), settings.CORRIGENDA_PG_BIN)
    other.ensure_running()
    place = other.folder
    code, _, err = finish(manage(other, "database", "remove"))
    assert (code, other.running()) == (1, True), err
    assert finish(manage(other, "database", "remove", "--yes"))[:2] == (0, "Removed.\n")
    assert not place.exists()
    assert not other.socket.exists()
    assert [path.name for path in other.home.iterdir()] == ["embedded.lock"]


def test_without_programs_the_message_names_the_two_ways_out(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="No PostgreSQL server in"):
        EmbeddedServer(tmp_path / "home", tmp_path).ensure_running()
    assert not (tmp_path / "home").exists()


def test_with_a_server_of_ones_own_the_command_refuses(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://web@localhost/corrigenda")
    code, _, err = finish(manage(server, "database", "start"))
    assert code == 1
    assert "DATABASE_URL is set" in err
