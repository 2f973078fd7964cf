"""A server killed with -9 in the middle of a decision: all of it or nothing, and the next decision works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

ROOT = Path(__file__).parent.parent.parent
TINY = ROOT / "tests" / "data" / "tiny"

# Decides in a loop, and says so after each commit; run by a process of its own on a server of its own.
DECIDER = """
import django; django.setup()
from tests import people
from corrections.decisions import decide
from corrections.models import ReaderName
from django.contrib.auth.models import User
from tests.corrections.rulings import accepted, wanting
from tests.corrections.test_decide import a_metric
renu = User.objects.filter(username="renu").first() or people.renu()
key, field = a_metric()
for n in range(1, 10_000):
    print(decide(accepted(wanting(key, field, f"{n}.{__import__('os').getpid()}")), renu).number, flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of an archive of its own, which is removed at the end."""
    env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "DATABASE_OWNER_URL")}
    env |= {
        "CORRIGENDA_HOME": str(tmp_path / "home"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
    }
    manage(env, "migrate", "--verbosity", "0")
    manage(env, "import_archive", str(TINY), "--quiet")
    yield env
    manage(env, "database", "remove", "--yes")


def manage(env: dict[str, str], *words: str) -> str:
    """Run a manage.py command. Raises CalledProcessError."""
    return subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    ).stdout


def postmaster(env: dict[str, str]) -> int:
    """The process id of the database server: the parent of a connection's own process."""
    with psycopg.connect(manage(env, "database", "url").strip()) as connection:
        stat = Path(f"/proc/{connection.info.backend_pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


@pytest.mark.parametrize("victim", ["decider", "server"])
def test_a_decision_is_whole_or_not_made(home: dict[str, str], victim: str) -> None:
    env = home | {"CORRIGENDA_ROLE": "web"}
    decider = subprocess.Popen(
        [sys.executable, "-c", DECIDER], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert decider.stdout is not None
    said = [int(decider.stdout.readline()) for _ in range(3)]
    time.sleep(0.02)
    os.kill(decider.pid if victim == "decider" else postmaster(home), signal.SIGKILL)
    rest, _ = decider.communicate(timeout=60)
    said += [int(line) for line in rest.split()]
    url = manage(home, "database", "url").strip()
    manage(home, "check", "--database", "default")
    with psycopg.connect(url) as connection:
        entries = connection.execute("SELECT count(*), max(number) FROM corrections_decision").fetchone()
        changes = connection.execute("SELECT count(*) FROM corrections_change").fetchone()
    assert entries and entries[0] == entries[1] and changes == (entries[0],)
    # What was said to be decided is there; at most one more was committed before it could be said.
    assert said == list(range(1, len(said) + 1)) and len(said) <= entries[0] <= len(said) + 1
    assert "and what the log says" in manage(home, "verify_archive")
