"""The five dumps written again, record for record what was imported."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection, transaction

from archive.exporters.rendering import flat_records, unreadable_records
from archive.exporters.states import State
from archive.exporters.task_tree import TaskTree
from archive.importers.dump_files import DumpKind
from archive.models import ImportedFile, ImportRun


class NothingToExport(Exception):
    """The archive is empty."""


@contextmanager
def one_moment() -> Iterator[None]:
    """A read-only transaction in which every query sees the archive as it was at the first."""
    with transaction.atomic():
        if not connection.savepoint_ids:  # nested in another transaction, that one decides what is seen
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def dump_records(dump: DumpKind, state: State = State.SNAPSHOT) -> Iterator[bytes]:
    """Every record of a dump in archive order: canonical JSON, or the very bytes of one that could not be read.

    The current state has no unreadable records, which nobody can have corrected.
    """
    rendered = TaskTree(state).roots() if dump == DumpKind.TABLES else flat_records(dump, state)
    with closing(rendered):  # so that a broken record leaves no cursor open
        readable = ((record.ordinal, record.canonical()) for record in rendered)
        if state == State.CURRENT:
            yield from (record for _, record in readable)
            return
        unreadable = ((ordinal, source) for ordinal, source, _ in unreadable_records(dump))
        for _, record in heapq.merge(readable, unreadable, key=lambda pair: pair[0]):
            yield record


def export_archive(folder: Path, state: State = State.SNAPSHOT) -> dict[str, int]:
    """Write the dumps of the newest snapshot, or as corrected since, and a SNAPSHOT.json into `folder`, which is made.

    Gives the number of records by file name. A file appears under its name only when it is complete.
    Raises NothingToExport for an empty archive, BrokenRecord for an altered one, OSError as writing does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    with one_moment():
        newest = ImportRun.objects.newest()
        if newest is None:
            raise NothingToExport("The archive is empty.")
        imported = ImportedFile.objects.order_by("run_id").filter(run__snapshot=newest.snapshot)
        retrieved = {f"{DumpKind(file.dump).file_name}.json": file.retrieved.isoformat() for file in imported}
        for dump in (DumpKind(name) for name in dict.fromkeys(file.dump for file in imported)):
            name = f"{dump.file_name}.json"
            counts[name] = _write(folder / name, dump_records(dump, state))
        described = {
            "archive": newest.archive,
            "title": newest.title,
            "licence": newest.licence,
            "snapshot": newest.snapshot.isoformat(),
            "state": str(state),
            "retrieved": retrieved,
        }
        (folder / "SNAPSHOT.json").write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n")
    return counts


def _write(path: Path, records: Iterator[bytes]) -> int:
    count = 0
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(b"[")
        for count, record in enumerate(records, start=1):
            file.write(b"\n" if count == 1 else b",\n")
            file.write(record)
        file.write(b"\n]\n")
    partial.rename(path)
    return count
