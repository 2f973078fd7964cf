"""An import as a whole: what it may be, in what order the dumps are read, and the one transaction that writes them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Max

from archive.importers import ahead
from archive.importers.applying import (
    apply_staged,
    mark_dropped,
    move,
    replace_tree,
    replace_unreadable,
    unmark_seen,
)
from archive.importers.bulk import Bulk, seldom_collecting, without_indexes
from archive.importers.code_links import CodeLinkWriter
from archive.importers.datasets import DatasetWriter
from archive.importers.dump_files import DumpFile, DumpKind, find_dumps
from archive.importers.linking import relink
from archive.importers.methods import MethodWriter
from archive.importers.papers import PaperWriter
from archive.importers.reading import RawRecord
from archive.importers.session import Places, Session
from archive.importers.task_tree import TaskTreeWriter, write_mentioned_tasks
from archive.models import ImportedFile, ImportRun, RecordKind, SiteVersion
from archive.search.indexing import reindex

LOCK = 0x434F5252  # "CORR": one import at a time

APPLYING = 0x494D5054  # "IMPT": exclusive for the transaction of an import, shared by decisions, which wait for it

ORDER = (DumpKind.DATASETS, DumpKind.METHODS, DumpKind.TABLES, DumpKind.PAPERS, DumpKind.LINKS)
"""Datasets first, since their links give the slugs of tasks that all else names only; links after their papers."""

PAPERS_RETRIEVED_LATER = datetime.timedelta(days=1)
"""The final papers dump was retrieved a day after the other four."""

Progress = Callable[[DumpFile, int, int], None]
"""Called now and then with the dump being read, and the bytes and records read of it."""

Closing = Callable[[ImportRun, Session], None]
"""Called at the end of an import, in its transaction: the log of decisions puts standing corrections back."""


class ImportRefused(Exception):
    """The import may not be made; the message says why and what to do instead. Nothing was changed."""


@dataclass(frozen=True)
class Source:
    """What the dumps are a snapshot of."""

    archive: str = "pwc-archive"
    title: str = "pwc-archive (Hugging Face), CC BY-SA 4.0"
    licence: str = "CC BY-SA 4.0"
    snapshot: datetime.date = datetime.date(2025, 7, 28)
    retrieved: Mapping[str, datetime.date] = field(default_factory=dict)

    @classmethod
    def beside(cls, paths: Sequence[Path]) -> Source:
        """The source that a SNAPSHOT.json in one of the folders describes, else the Papers with Code archive.

        Raises ImportRefused if that file can not be understood.
        """
        for folder in (path for path in paths if path.is_dir()):
            described = folder / "SNAPSHOT.json"
            if described.exists():
                try:
                    return cls._from(json.loads(described.read_text()))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise ImportRefused(f"{described} can not be understood: {error}") from error
        return cls()

    @classmethod
    def _from(cls, text: dict[str, Any]) -> Source:
        retrieved = {name: datetime.date.fromisoformat(day) for name, day in text.get("retrieved", {}).items()}
        default = cls()
        return cls(
            archive=text.get("archive", default.archive),
            title=text.get("title", text.get("archive", default.title)),
            licence=text.get("licence", default.licence),
            snapshot=datetime.date.fromisoformat(text["snapshot"]),
            retrieved=retrieved,
        )

    def retrieved_on(self, dump: DumpFile) -> datetime.date:
        """The day a dump was retrieved: as told by file or dump name, else the snapshot's; papers a day later."""
        for name in (*dump.names, dump.kind.file_name, str(dump.kind)):
            if name in self.retrieved:
                return self.retrieved[name]
        return self.snapshot + (PAPERS_RETRIEVED_LATER if dump.kind == DumpKind.PAPERS else datetime.timedelta())


@dataclass
class Summary:
    """What an import did: counts by kind of record, relations found anew, seconds that each part of it took."""

    first: bool
    counts: dict[str, dict[str, int]]
    dropped: int
    relinked: dict[str, int]
    seconds: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """As it is stored with the run: what the same dumps always give."""
        return {
            "first": self.first,
            "counts": self.counts,
            "dropped": self.dropped,
            "relinked": self.relinked,
        }


def import_archive(
    paths: Sequence[Path], source: Source, progress: Progress | None = None, closing: Closing | None = None
) -> Summary:
    """Import the dumps found under `paths`, all or nothing.

    Into an empty archive: COPY, then indexes and foreign keys, in one transaction. Otherwise rows are staged first,
    with the archive untouched and served, and applied in one transaction. Raises ImportRefused, DumpError.
    """
    dumps = find_dumps(paths)
    with seldom_collecting(), _alone():
        current = ImportRun.objects.newest()
        _may(source, current)
        first = current is None
        session = Session(Bulk(staged=not first), first, superseded=_superseded(dumps, source))
        if first:
            return _first_import(session, dumps, source, progress)
        return _re_import(session, dumps, source, progress, closing)


def _lock(cursor: Any, function: str) -> None:
    cursor.execute(f"SELECT {function}(%s)", [LOCK])
    if not cursor.fetchone()[0]:
        raise ImportRefused("Another import is running; wait until it has ended.")


@contextmanager
def _alone() -> Iterator[None]:
    with connection.cursor() as cursor:
        _lock(cursor, "pg_try_advisory_lock")
        try:
            yield
        finally:
            if connection.connection and not connection.connection.closed:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def _may(source: Source, current: ImportRun | None) -> None:
    if current is None:
        return
    if current.archive != source.archive:
        raise ImportRefused(
            f"The database holds the archive “{current.archive}”, these dumps are of “{source.archive}”. "
            "To start anew: manage.py empty_archive --yes"
        )
    if source.snapshot < current.snapshot:
        raise ImportRefused(
            f"The database holds the snapshot of {current.snapshot}; an earlier one ({source.snapshot}) can not "
            "follow it."
        )


def _superseded(dumps: Iterable[DumpKind], source: Source) -> frozenset[DumpKind]:
    """The dumps of which the archive holds an earlier snapshot than the one to be imported. One query."""
    newest = dict(ImportedFile.objects.values_list("dump").annotate(Max("run__snapshot")))
    return frozenset(kind for kind in dumps if str(kind) in newest and newest[str(kind)] < source.snapshot)


def archive_tables() -> list[str]:
    """All tables of the archive but those that record the imports themselves."""
    bookkeeping = {ImportRun, ImportedFile, SiteVersion}
    return [m._meta.db_table for m in apps.get_app_config("archive").get_models() if m not in bookkeeping]


@contextmanager
def run_of(source: Source) -> Iterator[ImportRun]:
    """The transaction of an import: the guard lets it write, since the run's own row is part of it.

    Raises ImportRefused while another connection imports, so that nothing is emptied or written beside it.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            _lock(cursor, "pg_try_advisory_xact_lock")
            cursor.execute("SET LOCAL corrigenda.mode = 'import'")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [APPLYING])
        yield ImportRun.objects.create(
            archive=source.archive, title=source.title, licence=source.licence, snapshot=source.snapshot
        )


def _first_import(
    session: Session, dumps: Mapping[DumpKind, DumpFile], source: Source, progress: Progress | None
) -> Summary:
    with run_of(source) as run:
        with session.timed("indexes"), without_indexes(archive_tables()), session.timed("reading"):
            reading = _read(session, dumps, progress)
            session.bulk.flush()
        session.seconds["indexes"] -= session.seconds["reading"]
        with session.timed("relations"):
            _analyze()
            relinked = relink(first=True)
        with session.timed("search"):
            reindex(everything=True)
        return _close(run, session, dumps, source, reading, dropped=0, relinked=relinked)


def _re_import(
    session: Session,
    dumps: Mapping[DumpKind, DumpFile],
    source: Source,
    progress: Progress | None,
    closing: Closing | None,
) -> Summary:
    try:
        with session.timed("reading"):
            reading = _read(session, dumps, progress)
            session.bulk.flush()
        with session.timed("applying"), run_of(source) as run:
            apply_staged(session.bulk)
            if reading.tree is not None:
                if reading.tree.tree_changed:
                    replace_tree(session.bulk)
                move(session, reading.tree.boards.repositioned)
            else:
                move(session, Places())
            replace_unreadable(session.bulk, session.superseded)
            unmark_seen(session)
            dropped = mark_dropped(session, source.snapshot) if session.superseded else 0
            relinked = relink()
            summary = _close(run, session, dumps, source, reading, dropped=dropped, relinked=relinked)
            if closing is not None:
                closing(run, session)
            reindex(everything=False)
        return summary
    finally:
        session.bulk.drop_stages()


@dataclass
class Reading:
    """What was read: the number of records by dump, and the writer of the task tree if that was among them."""

    records: dict[DumpKind, int] = field(default_factory=dict)
    sha256: dict[DumpKind, list[str]] = field(default_factory=dict)
    tree: TaskTreeWriter | None = None


def _read(session: Session, dumps: Mapping[DumpKind, DumpFile], progress: Progress | None) -> Reading:
    found = Reading()
    ordered = [dumps[kind] for kind in ORDER if kind in dumps]
    others = [dump for dump in ordered if dump.kind not in (DumpKind.DATASETS, DumpKind.TABLES)]
    with ahead.reading(others, first=session.first) as reading:
        for dump in ordered:
            if dump.kind == DumpKind.TABLES:
                # Hardly one of its records stands by itself, so there is nothing to describe of them ahead.
                found.tree = TaskTreeWriter(session)
                _survey(found.tree, dump)
                taken = _take(session, dump, ahead.Here().parts(dump), found.tree, progress)
            else:
                # Datasets come first and would only be waited for: meanwhile what follows is read ahead.
                place = ahead.Here() if dump.kind == DumpKind.DATASETS else reading
                taken = _take(session, dump, place.parts(dump), WRITERS[dump.kind](session), progress)
            found.records[dump.kind], found.sha256[dump.kind] = taken
            session.forget(FORGET[dump.kind])
    write_mentioned_tasks(session, set(found.tree.described) if found.tree is not None else set())
    return found


def _survey(tree: TaskTreeWriter, dump: DumpFile) -> None:
    for raw in dump.records():
        if not raw.problem:
            tree.survey(raw)
    tree.surveyed()


WRITERS = {
    DumpKind.DATASETS: DatasetWriter,
    DumpKind.METHODS: MethodWriter,
    DumpKind.PAPERS: PaperWriter,
    DumpKind.LINKS: CodeLinkWriter,
}

FORGET = {
    DumpKind.DATASETS: RecordKind.DATASET,
    DumpKind.METHODS: RecordKind.METHOD,
    DumpKind.PAPERS: RecordKind.PAPER,
    DumpKind.TABLES: RecordKind.RESULT,
    DumpKind.LINKS: RecordKind.CODE,
}


def _take(
    session: Session,
    dump: DumpFile,
    parts: Iterator[ahead.Part | ahead.Whole],
    writer: Any,
    progress: Progress | None,
) -> tuple[int, list[str]]:
    """Hand every record of a dump to its writer. Gives their number, unreadable ones too, and the checksums."""
    kind, records, sha256 = str(dump.kind), 0, list[str]()
    for part in parts:
        if isinstance(part, ahead.Whole):
            sha256 = [checksum.hex() for checksum in part.sha256.values()]
            break
        for record in part.records:
            if isinstance(record, RawRecord):
                session.quarantine(dump.kind, record)
            else:
                known, said = record
                session.tasks.at(kind, known[0])
                writer.take(known, part.describe, said)
        records += len(part.records)
        session.bulk.flush_if_full()
        if progress:
            progress(dump, part.position, records)
    writer.finish()
    session.bulk.flush()
    return records, sha256


def _analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE " + ", ".join(archive_tables()))


def _close(
    run: ImportRun,
    session: Session,
    dumps: Mapping[DumpKind, DumpFile],
    source: Source,
    reading: Reading,
    *,
    dropped: int,
    relinked: dict[str, int],
) -> Summary:
    """Complete the run's own row, and note its files."""
    counts = {kind: dict(counter) for kind, counter in session.counts.items()}
    summary = Summary(session.first, counts, dropped, relinked, session.seconds)
    run.summary = summary.as_json()
    run.save(update_fields=["summary"])
    SiteVersion.bump()
    for dump in dumps.values():
        ImportedFile.objects.create(
            run=run,
            dump=str(dump.kind),
            names=list(dump.names),
            sha256=reading.sha256[dump.kind],
            size=dump.size,
            records=reading.records[dump.kind],
            retrieved=source.retrieved_on(dump),
        )
    return summary
