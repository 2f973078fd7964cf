"""Whole dumps for tests: written to a folder, imported, exported, and compared record for record."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from archive.exporters.dumps import export_archive
from archive.importers.dump_files import DumpKind, find_dumps
from archive.importers.run import Source, Summary, import_archive
from archive.verification import Fault, verify

DATA = Path(__file__).parents[1] / "data"
TINY = DATA / "tiny"
TINY_NEXT = DATA / "tiny-next"

Records = Sequence[Any]
"""The records of a dump: values that JSON can say, or bytes that stand in the file as they are."""


def write_dumps(
    folder: Path, dumps: Mapping[DumpKind, Records], snapshot: str = "2025-07-28", archive: str = "made-up"
) -> Path:
    """Write dumps and their SNAPSHOT.json into a folder, which is made. Gives the folder."""
    folder.mkdir(parents=True)
    for kind, records in dumps.items():
        lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
        (folder / f"{kind.file_name}.json").write_bytes(b"[" + b",\n".join(lines) + b"]")
    (folder / "SNAPSHOT.json").write_text(json.dumps({"archive": archive, "snapshot": snapshot}))
    return folder


def load(*paths: Path, snapshot: str | None = None, archive: str | None = None) -> Summary:
    """Import, as `manage.py import_archive` would, and have the database check what it defers to the commit."""
    source = Source.beside(paths)
    if snapshot:
        source = replace(source, snapshot=datetime.date.fromisoformat(snapshot))
    if archive:
        source = replace(source, archive=archive)
    summary = import_archive(paths, source)
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return summary


def canonical_records(*paths: Path) -> dict[DumpKind, list[bytes]]:
    """What stands in the dumps of a folder: each record's canonical form, or its bytes where it has none."""
    return {kind: [raw.canonical for raw in dump.records()] for kind, dump in find_dumps(paths).items()}


def exported(folder: Path) -> dict[DumpKind, list[bytes]]:
    """Export the archive into a folder, and read what it wrote."""
    export_archive(folder)
    return canonical_records(folder)


def faults() -> list[Fault]:
    """What verification finds."""
    return verify()


@contextmanager
def taken_back() -> Iterator[None]:
    """A transaction that leaves nothing behind."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def values(dump: DumpKind, folder: Path = TINY) -> list[dict[str, Any]]:
    """The records of a dump in a test folder, parsed."""
    parsed: list[dict[str, Any]] = json.loads((folder / f"{dump.file_name}.json").read_text())
    return parsed
