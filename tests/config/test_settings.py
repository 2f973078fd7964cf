"""The settings as another process would see them, for each kind of place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config import environment

ROOT = settings.BASE_DIR
OWN_VARIABLES = set(environment.VARIABLES)  # as the settings read them, before any test reads others
PRODUCTION = {
    "ALLOWED_HOSTS": "archive.example.org",
    "CSRF_TRUSTED_ORIGINS": "https://archive.example.org",
    "DATABASE_URL": "postgresql://web:secret@db.invalid/corrigenda",
    "DATABASE_OWNER_URL": "postgresql://owner:secret@db.invalid/corrigenda",
    "HSTS_SUBDOMAINS": "on",
    "SECRET_KEY": "".join(map(chr, range(48, 112))),
}


def python(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the checkout with a home of its own and only ``variables`` of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in OWN_VARIABLES and not name.startswith("DJANGO_")
    }
    kept |= {"CORRIGENDA_HOME": str(home), "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=kept, capture_output=True, text=True)


def read(home: Path, *names: str, **variables: str) -> list[object]:
    """Give settings by name, as JSON carries them."""
    program = f"from config import settings as s; print(json.dumps([getattr(s, n) for n in {names!r}]))"
    done = python(home, "-c", f"import json; {program}", **variables)
    assert done.returncode == 0, done.stderr
    values: list[object] = json.loads(done.stdout)
    return values


def deploy_check(home: Path, **variables: str) -> tuple[set[str], str]:
    """Run ``check --deploy`` and give the identifiers of what it warns of, and all it said."""
    done = python(home, "manage.py", "check", "--deploy", **variables)
    return set(re.findall(r"\(([a-z]+\.[EW]\d+)\)", done.stderr)), done.stdout + done.stderr


def test_with_the_documented_variables_the_deployment_check_is_clean(tmp_path: Path) -> None:
    _, said = deploy_check(tmp_path, **PRODUCTION)
    assert said == "System check identified no issues (0 silenced).\n"


def test_the_deployment_check_names_what_is_left_open(tmp_path: Path) -> None:
    def without(name: str) -> set[str]:
        return deploy_check(tmp_path, **{key: value for key, value in PRODUCTION.items() if key != name})[0]

    assert without("HSTS_SUBDOMAINS") == {"security.W005", "security.W021"}
    assert without("DATABASE_OWNER_URL") == {"corrigenda.W002"}
    assert without("SECRET_KEY") == set()
    assert without("CSRF_TRUSTED_ORIGINS") == set()
    embedded = {key: value for key, value in PRODUCTION.items() if not key.startswith("DATABASE")}
    assert deploy_check(tmp_path, **embedded)[0] == {"corrigenda.W001"}


def test_nothing_set_is_safe(tmp_path: Path) -> None:
    debug, hosts, policy = read(tmp_path, "DEBUG", "ALLOWED_HOSTS", "CONTENT_SECURITY_POLICY")
    assert debug is False
    assert hosts == ["localhost", "127.0.0.1", "[::1]"]
    assert "unsafe" not in json.dumps(policy)


def test_a_public_name_turns_https_on(tmp_path: Path) -> None:
    names = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_HSTS_SECONDS")
    assert read(tmp_path, *names) == [False, False, False, 0]
    assert read(tmp_path, *names, ALLOWED_HOSTS="example.org") == [True, True, True, 31_536_000]
    assert read(tmp_path, *names, ALLOWED_HOSTS="*") == [True, True, True, 31_536_000]
    assert read(tmp_path, *names, ALLOWED_HOSTS="example.org", SECURE_SSL="off") == [False, False, False, 0]
    assert read(tmp_path, *names, ALLOWED_HOSTS="example.org", DEBUG="on") == [False, False, False, 0]


def test_the_web_role_is_the_user_of_its_address(tmp_path: Path) -> None:
    assert read(tmp_path, "WEB_ROLE", "OWNER_ROLE", **PRODUCTION) == ["web", "owner"]
    one = {"DATABASE_URL": "postgresql://only@h/d"}
    assert read(tmp_path, "WEB_ROLE", "OWNER_ROLE", **one) == ["only", "only"]
    assert read(tmp_path, "WEB_ROLE", "OWNER_ROLE") == ["corrigenda_web", "corrigenda"]


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"DEBUG": "maybe"}, "DEBUG is 'maybe'"),
        ({"PORT": "http"}, "PORT is 'http'"),
        ({"DATABASE_URL": "sqlite:///x"}, "DATABASE_URL must begin with"),
        ({"DATABASE_OWNER_URL": "postgresql://o@h/d"}, "without DATABASE_URL"),
    ],
)
def test_a_value_that_is_not_understood_stops_the_process(
    tmp_path: Path, variables: dict[str, str], complaint: str
) -> None:
    done = python(tmp_path, "manage.py", "check", **variables)
    assert done.returncode != 0
    assert complaint in done.stderr


def test_a_key_is_made_once_and_kept_to_ourselves(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = read(home, "SECRET_KEY")
    assert read(home, "SECRET_KEY") == first
    assert len(str(first[0])) >= 50
    assert (home / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.iterdir()] == ["secret-key"]
    assert read(tmp_path / "other", "SECRET_KEY") != first


def test_a_given_key_is_used_and_none_is_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert read(home, "SECRET_KEY", SECRET_KEY="given") == ["given"]
    assert not home.exists()


def test_a_home_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = python(tmp_path / "file" / "home", "manage.py", "check")
    assert "Set SECRET_KEY, or CORRIGENDA_HOME to a folder of your own" in done.stderr


@pytest.mark.slow
def test_static_files_are_collected_under_hashed_names_and_start_no_server(tmp_path: Path) -> None:
    done = python(tmp_path, "manage.py", "collectstatic", "--no-input")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "static" / "staticfiles.json").read_text())["paths"]
    assert re.fullmatch(r"admin/css/base\.[0-9a-f]{12}\.css", manifest["admin/css/base.css"])
    assert not (tmp_path / "embedded").exists()


def test_every_page_carries_the_policy(client: Client) -> None:
    """In whatever order: django-csp writes its directives as a set gives them."""
    directives = client.get("/admin/login/")["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(directives)
    assert not any("unsafe" in directive for directive in directives)


def test_the_documentation_lists_exactly_the_variables_that_are_read() -> None:
    """On failure put the printed table into docs/settings.md."""
    written = [line for line in (ROOT / "docs" / "settings.md").read_text().splitlines() if line.startswith("|")]
    assert "\n".join(written) + "\n" == environment.table(), f"\n{environment.table()}"


def test_only_the_readers_look_at_the_environment() -> None:
    allowed = {"config/environment.py", "config/wsgi.py", "config/embedded/server.py"}
    found = {
        str(path.relative_to(ROOT))
        for app in ("config", "archive", "corrections")
        for path in (ROOT / app).rglob("*.py")
        if re.search(r"\benviron\b|\bgetenv\b", path.read_text())
    }
    assert found <= allowed
