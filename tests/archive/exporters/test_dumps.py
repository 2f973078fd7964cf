"""The dumps as files: what is written, when, and what of an export that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from archive.exporters import dumps as exporting
from archive.exporters.dumps import NothingToExport, dump_records, export_archive
from archive.importers.dump_files import DumpKind
from tests.archive.dumps import TINY, TINY_NEXT, canonical_records, load, write_dumps

pytestmark = pytest.mark.django_db


def test_files_are_json_arrays_under_the_dumps_own_names(tmp_path: Path) -> None:
    load(TINY)
    counts = export_archive(tmp_path / "deep" / "out")
    written = {path.name for path in (tmp_path / "deep" / "out").iterdir()}
    assert written == {path.name for path in TINY.iterdir()}
    for name, count in counts.items():
        assert len(json.loads((tmp_path / "deep" / "out" / name).read_bytes())) == count
    # Canonical: what the standard library alone writes again, byte for byte.
    for line in (tmp_path / "deep" / "out" / "papers-with-abstracts.json").read_text().splitlines()[1:-1]:
        text = line.removesuffix(",")
        again = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert again == text


def test_an_export_can_be_imported_and_exported_for_ever(tmp_path: Path) -> None:
    load(TINY)
    export_archive(tmp_path / "one")
    summary = load(tmp_path / "one")
    assert {key for counts in summary.counts.values() for key in counts} == {"unchanged"}
    export_archive(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_the_days_of_retrieval_are_told(tmp_path: Path) -> None:
    load(TINY)
    export_archive(tmp_path)
    described = json.loads((tmp_path / "SNAPSHOT.json").read_text())
    printed = json.loads((TINY / "SNAPSHOT.json").read_text())
    assert {**described, **printed} == described


def test_only_the_dumps_of_the_newest_snapshot_are_written(tmp_path: Path) -> None:
    load(TINY)
    load(TINY_NEXT / "methods.json", snapshot="2025-09-01", archive="corrigenda-tiny")
    counts = export_archive(tmp_path)
    assert counts == {"methods.json": 3}
    assert canonical_records(tmp_path) == {
        DumpKind.METHODS: canonical_records(TINY_NEXT / "methods.json")[DumpKind.METHODS]
    }


def test_unreadable_records_stand_in_their_places_as_they_were(tmp_path: Path) -> None:
    odd = [b'{"name": }', {"name": "b"}, b'{"name":   "\xff"}', {"name": "a"}]
    load(write_dumps(tmp_path / "in", {DumpKind.METHODS: odd}))
    assert list(dump_records(DumpKind.METHODS)) == [odd[0], b'{"name":"b"}', odd[2], b'{"name":"a"}']


def test_an_export_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(TINY)
    export_archive(tmp_path)
    before = (tmp_path / "papers-with-abstracts.json").read_bytes()

    def broken(*_: object) -> object:
        yield b"{}"
        raise OSError("no space left on device")

    monkeypatch.setattr(exporting, "dump_records", broken)
    with pytest.raises(OSError, match="no space"):
        export_archive(tmp_path)
    assert (tmp_path / "papers-with-abstracts.json").read_bytes() == before


def test_an_empty_archive_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(NothingToExport):
        export_archive(tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load(TINY)
    call_command("export_archive", str(tmp_path))
    assert f"{tmp_path / 'papers-with-abstracts.json'}: 6 records" in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_all_files_show_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that is committed while the files are written is in none of them."""
    load(TINY)
    records = exporting.dump_records
    other = connection.copy()

    def meanwhile(dump: DumpKind, *rest: Any) -> object:
        if dump == DumpKind.TABLES:
            with other.cursor() as cursor:
                cursor.execute("ALTER TABLE archive_codelink DISABLE TRIGGER USER")
                cursor.execute("UPDATE archive_codelink SET paper_title = 'written meanwhile'")
        return records(dump, *rest)

    monkeypatch.setattr(exporting, "dump_records", meanwhile)
    try:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE archive_codelink DISABLE TRIGGER USER")
        export_archive(tmp_path)
    finally:
        other.close()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE archive_codelink ENABLE TRIGGER USER")
        cursor.execute("SELECT count(*) FROM archive_codelink WHERE paper_title = 'written meanwhile'")
        assert cursor.fetchone() == (6,)
    assert canonical_records(tmp_path) == canonical_records(TINY)
