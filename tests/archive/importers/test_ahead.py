"""Reading ahead: a second process hands over just what this one would read, and ends with the import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest
from django.conf import settings

from archive.importers import ahead
from archive.importers.dump_files import DumpFile, DumpKind, find_dumps
from archive.importers.reading import BrokenDump, RawRecord
from archive.models import Record
from tests.archive.conftest import TINY
from tests.archive.dumps import canonical_records, exported, load

KINDS = [kind for kind in DumpKind if kind != DumpKind.TABLES]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the dumps are, a second process reads them."""
    monkeypatch.setattr(ahead, "LARGE", 0)


def dumps() -> list[DumpFile]:
    found = find_dumps([TINY])
    return [found[kind] for kind in KINDS]


def process_of(reading: ahead.Reading) -> int:
    assert isinstance(reading, ahead.Ahead)
    return reading._process.pid


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def told(parts: Iterator[ahead.Part | ahead.Whole]) -> list[object]:
    """Everything that the parts say, with nothing left to be worked out."""
    found: list[object] = []
    for part in parts:
        if isinstance(part, ahead.Whole):
            return [*found, part]
        for record in part.records:
            found.append(record if isinstance(record, RawRecord) else (record[0], part.describe(record[1])))
        found.append(part.position)
    return found


def test_small_dumps_and_what_may_be_known_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with ahead.reading(dumps(), first=True) as reading:
        assert isinstance(reading, ahead.Here)
    monkeypatch.setattr(ahead, "LARGE", 0)
    with ahead.reading(dumps(), first=False) as reading:
        assert isinstance(reading, ahead.Here)


@pytest.mark.usefixtures("always")
def test_the_same_comes_from_there_as_from_here() -> None:
    with ahead.reading(dumps(), first=True) as reading:
        assert isinstance(reading, ahead.Ahead)
        for dump in dumps():
            here = told(ahead.Here().parts(dump))
            assert told(reading.parts(dump)) == here
            assert len(here) > 2 and isinstance(here[-1], ahead.Whole)


@pytest.mark.usefixtures("always")
def test_a_broken_dump_is_told_as_here(tmp_path: Path) -> None:
    (tmp_path / "methods.json").write_text('[{"name": "a", "collections": []}, {"name"')
    (dump,) = find_dumps([tmp_path]).values()
    errors = []
    for reading in (ahead.Here(), None):
        with ahead.reading([dump], first=True) as there, pytest.raises(BrokenDump) as broken:
            list((reading or there).parts(dump))
        errors.append((str(broken.value), broken.value.position, broken.value.path))
    assert errors[0] == errors[1]


@pytest.mark.usefixtures("always")
def test_it_ends_with_its_reader_at_any_point() -> None:
    for taken in (0, 1):
        with ahead.reading(dumps(), first=True) as reading:
            process = process_of(reading)
            parts: Iterator[ahead.Part | ahead.Whole] = reading.parts(dumps()[0])
            for _ in range(taken):
                next(parts)
        assert not is_there(process)


@pytest.mark.usefixtures("always", "db")
class TestImport:
    def test_the_archive_is_the_same(self, tmp_path: Path) -> None:
        load(TINY)
        assert exported(tmp_path) == canonical_records(TINY)

    def test_if_it_ends_too_early_nothing_is_imported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.executable", "/bin/false")
        with pytest.raises(ahead.ReaderLost, match="ended with 1"):
            load(TINY)
        assert not Record.objects.exists()


def wanted_papers() -> str:
    (papers,) = (dump for dump in dumps() if dump.kind == DumpKind.PAPERS)
    return json.dumps([(papers.kind, list(map(str, papers.paths)))])


def test_it_ends_when_the_import_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parent is another then; it stops before the next part."""
    monkeypatch.setattr(ahead, "PART", 1)
    whole, cut = BytesIO(), BytesIO()
    ahead.read_ahead(os.getppid(), wanted_papers(), whole)
    parents = iter([7, 7, 1])
    monkeypatch.setattr("os.getppid", lambda: next(parents))
    ahead.read_ahead(7, wanted_papers(), cut)
    assert 0 < len(cut.getvalue()) < len(whole.getvalue())
    assert whole.getvalue().startswith(cut.getvalue())


def in_a_process(importing: int, stdout: int | IO[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "read_ahead", str(importing), wanted_papers()]
    return subprocess.run(command, cwd=settings.BASE_DIR, stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_nor_does_it_begin_for_an_import_that_is_gone() -> None:
    done = in_a_process(os.getppid(), subprocess.PIPE)  # alive, but not the one that started it
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_full_disk_is_told_with_what_helps() -> None:
    with Path("/dev/full").open("w") as full:
        done = in_a_process(os.getpid(), full)
    assert done.returncode == 1
    assert "No space left on device. What is read ahead is kept in the folder for temporary files" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("always")
def test_what_it_wrote_whole_is_taken_and_the_half_part_after_it_is_not() -> None:
    with ahead.reading(dumps(), first=True) as reading, TemporaryFile() as written:
        first, *_ = reading.parts(dumps()[0])
        assert isinstance(reading, ahead.Ahead) and isinstance(first, ahead.Part)
        whole = os.pread(reading._written.fileno(), 1 << 30, 0)
        written.write(whole[: reading._at + 20])
        written.flush()
        with subprocess.Popen(["true"]) as process:
            cut = ahead.Ahead(process, written)
            assert told(cut.parts(dumps()[0]))
            with pytest.raises(ahead.ReaderLost, match="ended with 0"):
                next(cut.parts(dumps()[1]))
