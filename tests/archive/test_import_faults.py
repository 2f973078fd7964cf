"""All or nothing: imports that are refused, broken, concurrent, or killed leave the archive as it was."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from archive.importers.dump_files import DumpsAmbiguous, DumpsNotFound
from archive.importers.reading import BrokenDump, DumpError
from archive.importers.run import LOCK, ImportRefused, import_archive
from archive.importers.run import Source as source_of
from archive.models import ImportRun, Paper, Record
from corrections.management.commands.import_archive import Command
from tests.archive.dumps import TINY, TINY_NEXT, canonical_records, exported, faults, load
from tests.archive.test_import_lossless import tuples


def refusal(*arguments: Any, command: str = "import_archive", **options: Any) -> CommandError:
    """What a command says when it gives up, with its exit code."""
    with pytest.raises(CommandError) as refused:
        call_command(command, *map(str, arguments), **options)
    return refused.value


def copied(to: Path, of: Path = TINY) -> Path:
    return Path(shutil.copytree(of, to))


def cut_gz(folder: Path) -> None:
    path = folder / "papers-with-abstracts.json"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (folder / "papers-with-abstracts.json.gz").write_bytes(packed[: len(packed) * 2 // 3])


def unclosed(folder: Path) -> None:
    path = folder / "links-between-papers-and-code.json"
    path.write_bytes(path.read_bytes().rstrip()[:-1])


def cut_in_a_record(folder: Path) -> None:
    path = folder / "evaluation-tables.json"
    path.write_bytes(path.read_bytes()[:-3000])


def followed_by_something(folder: Path) -> None:
    with (folder / "methods.json").open("a") as file:
        file.write("[]")


def no_array(folder: Path) -> None:
    (folder / "datasets.json").write_text("not JSON at all")


BREAKING = [cut_gz, unclosed, cut_in_a_record, followed_by_something, no_array]


@pytest.mark.django_db
@pytest.mark.parametrize("breaking", BREAKING, ids=lambda breaking: str(breaking.__name__))
class TestBroken:
    def test_first_import(self, tmp_path: Path, breaking: Any) -> None:
        breaking(folder := copied(tmp_path / "in"))
        with pytest.raises(BrokenDump):
            load(folder)
        assert not Record.objects.exists() and not ImportRun.objects.exists()
        load(TINY)
        assert exported(tmp_path / "out") == canonical_records(TINY)

    def test_import_into_an_archive(self, tmp_path: Path, breaking: Any) -> None:
        load(TINY)
        before = tuples()
        breaking(folder := copied(tmp_path / "in", TINY_NEXT))
        refused = refusal(folder, quiet=True)
        assert refused.returncode == 4 and "Nothing was imported." in str(refused)
        assert tuples() == before and ImportRun.objects.count() == 1
        load(TINY_NEXT)
        assert exported(tmp_path / "out") == canonical_records(TINY_NEXT)


@pytest.mark.django_db
class TestRefused:
    def test_an_earlier_snapshot(self) -> None:
        load(TINY_NEXT)
        before = tuples()
        refused = refusal(TINY, quiet=True)
        assert refused.returncode == 3
        assert "2025-09-01" in str(refused) and "2025-07-28" in str(refused)
        assert tuples() == before and ImportRun.objects.count() == 1

    def test_another_archive_until_this_one_is_emptied(self, tmp_path: Path) -> None:
        load(TINY)
        other = copied(tmp_path / "in")
        (other / "SNAPSHOT.json").unlink()
        refused = refusal(other, quiet=True)
        assert refused.returncode == 3
        assert "corrigenda-tiny" in str(refused) and "manage.py empty_archive --yes" in str(refused)
        assert "--yes" in str(refusal(command="empty_archive"))
        assert Record.objects.exists()
        call_command("empty_archive", "--yes")
        assert not Record.objects.exists() and not ImportRun.objects.exists()
        call_command("import_archive", str(other), "--quiet")
        assert ImportRun.objects.get().archive == "pwc-archive"
        assert Paper.objects.count() == 6 and faults() == []

    def test_a_snapshot_file_that_says_nothing(self, tmp_path: Path) -> None:
        folder = copied(tmp_path / "in")
        for text in ("", "[]", '{"archive": "x"}', '{"snapshot": "yesterday"}', '{"snapshot": 2025}'):
            (folder / "SNAPSHOT.json").write_text(text)
            refused = refusal(folder, quiet=True)
            assert refused.returncode == 3 and "SNAPSHOT.json" in str(refused)

    def test_what_is_no_dump(self, tmp_path: Path) -> None:
        for given in (tmp_path / "nowhere", tmp_path):
            refused = refusal(given, quiet=True)
            assert refused.returncode == 4 and isinstance(refused.__cause__, DumpsNotFound)
        twice = copied(tmp_path / "twice")
        shutil.copy(twice / "methods.json", twice / "methods.2.json")
        assert isinstance(refusal(twice, quiet=True).__cause__, DumpsAmbiguous)
        assert not ImportRun.objects.exists()


class TestCommand:
    def test_arguments_that_are_wrong(self, capsys: pytest.CaptureFixture[str]) -> None:
        for arguments in ([], ["x", "--snapshot", "yesterday"], ["x", "--retrieved", "today"], ["x", "--unknown"]):
            with pytest.raises(SystemExit) as ended:
                Command().run_from_argv(["manage.py", "import_archive", *arguments])
            assert ended.value.code == 2
        assert "yesterday" in capsys.readouterr().err

    @pytest.mark.django_db
    def test_it_says_what_it_did(self, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("import_archive", str(TINY), "--quiet")
        said = capsys.readouterr().out
        assert "Tiny archive, snapshot of 2025-07-28" in said and "paper        6 added" in said
        call_command("import_archive", str(TINY_NEXT), "--if-empty", "--quiet")
        assert "nothing imported" in capsys.readouterr().out
        call_command("import_archive", str(TINY_NEXT), "--quiet")
        assert "13 records of the archive are not in this snapshot" in capsys.readouterr().out

    @pytest.mark.django_db
    def test_days_are_taken_from_the_words_over_the_file(self) -> None:
        words = [
            "--snapshot",
            "2025-08-03",
            "--retrieved",
            "methods.json=2025-08-04",
            "--retrieved",
            "papers=2025-08-05",
        ]
        call_command("import_archive", str(TINY), "--quiet", *words)
        run = ImportRun.objects.get()
        days = {file.dump: str(file.retrieved) for file in run.files.all()}
        assert str(run.snapshot) == "2025-08-03"
        assert days["methods"] == "2025-08-04" and days["datasets"] == "2025-07-28"

    @pytest.mark.django_db
    def test_exporting_nothing(self, tmp_path: Path) -> None:
        refused = refusal(tmp_path / "out", command="export_archive")
        assert refused.returncode == 1 and "empty" in str(refused)


def locked() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database"
            " WHERE locktype = 'advisory' AND objid = %s AND datname = current_database())",
            [LOCK],
        )
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_a_second_import_at_the_same_time_is_told_so() -> None:
    parameters = connection.get_connection_params()
    login = {key: parameters[key] for key in ("dbname", "host", "port", "user", "password") if parameters.get(key)}
    with psycopg.connect(**login) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        refused = refusal(TINY, quiet=True)
        assert refused.returncode == 3 and "Another import is running" in str(refused)
        assert not ImportRun.objects.exists()
        other.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    assert not locked()
    load(TINY)
    assert not locked()
    with pytest.raises(ImportRefused):
        load(TINY, archive="another")
    assert not locked(), "an import that is refused gives its lock back"
    with pytest.raises(DumpError):
        import_archive([TINY / "nothing"], source_of())
    assert not locked()


@contextmanager
def stopped_at(point: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An import in a process of its own that has got to a point and waits there."""
    name = str(connection.settings_dict["NAME"])
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.archive.importing_process", name, str(folder), point],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        if process.stdout.readline() != "there\n":
            process.kill()
            pytest.fail(process.stderr.read())
        yield process
    finally:
        process.kill()
        process.communicate()


def gone() -> None:
    """Wait until the server has noticed that the process is gone."""
    for _ in range(100):
        if not locked():
            return
        time.sleep(0.1)
    pytest.fail("the lock of a killed import is still held after ten seconds")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("point", ["reading", "committing"])
class TestKilled:
    def test_first_import(self, tmp_path: Path, point: str) -> None:
        with stopped_at(point, TINY) as process:
            assert "Another import is running" in str(refusal(TINY, quiet=True))
            process.kill()
        gone()
        assert not Record.objects.exists() and not ImportRun.objects.exists()
        load(TINY)
        assert exported(tmp_path / "out") == canonical_records(TINY)
        assert faults() == []

    def test_import_into_an_archive(self, tmp_path: Path, point: str) -> None:
        load(TINY)
        before = tuples()
        with stopped_at(point, TINY_NEXT) as process:
            # The archive is served as it is, whatever the import has written so far.
            with connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = '2s'")
            assert tuples() == before
            assert exported(tmp_path / "meanwhile") == canonical_records(TINY)
            with connection.cursor() as cursor:
                cursor.execute("RESET statement_timeout")
            with pytest.raises(ImportRefused, match="Another import is running"):
                call_command("empty_archive", "--yes")
            process.kill()
        gone()
        assert tuples() == before and ImportRun.objects.count() == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'stage\\_%'")
            assert cursor.fetchone() == (0,)
        load(TINY_NEXT)
        assert exported(tmp_path / "out") == canonical_records(TINY_NEXT)
        assert faults() == []
