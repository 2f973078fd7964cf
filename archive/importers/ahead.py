"""Reading ahead: large dumps are read, parsed and described by a second process while this one writes what it has.

    python manage.py read_ahead 4711 '[["papers", ["papers-with-abstracts.json"]]]'

writes to standard output, for the import in process 4711, each pickled and after its length: the parts of each dump,
and a `Whole` after its last; a BrokenDump in place of what can not be read. What is not asked for yet waits in a file
without a name, so that this process never waits for the other. Small dumps are read where they are written, since a
process takes a second to start; so is what the archive holds already, since most of it needs no describing.
"""

from __future__ import annotations

import json
import os
import pickle
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, NamedTuple, Protocol

from django.conf import settings

from archive.importers import code_links, datasets, methods, papers, task_tree
from archive.importers.bulk import seldom_collecting
from archive.importers.dump_files import DumpFile, DumpKind
from archive.importers.reading import BrokenDump, DumpError, Identified, RawRecord

IMPORTERS: dict[DumpKind, Any] = {
    DumpKind.DATASETS: datasets,
    DumpKind.METHODS: methods,
    DumpKind.PAPERS: papers,
    DumpKind.TABLES: task_tree,
    DumpKind.LINKS: code_links,
}
"""Modules, each with `identify` and `describe` for a readable record. Tasks are read `Here` only."""

LARGE = 64 << 20
"""Bytes of dumps from which a second process reads them."""

PART = 200
"""Records handed over at once; of the tables one, since a task may hold a tenth of them all."""

PAUSE = 0.005
"""Seconds between two looks for the next part."""

_SIZE = struct.Struct("!Q")


class ReaderLost(DumpError):
    """The process that reads ahead is gone; nothing is imported."""


class NoRoom(DumpError):
    """What is read ahead can not be kept."""


class Part(NamedTuple):
    """Some records of a dump, how much of it is read, and what makes a description of what is said of a record.

    An unreadable record is raw; of any other there is how it is known, and what is said of it.
    """

    records: list[RawRecord | tuple[Identified, Any]]
    position: int
    describe: Callable[[Any], Any]


class Whole(NamedTuple):
    """A dump is at its end: SHA-256 of each of its files, by name."""

    sha256: dict[str, bytes]


class Reading(Protocol):
    """Where an import gets the parts of its dumps from."""

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """The parts of a dump in order, then a `Whole`. Raises BrokenDump."""
        ...


class Here:
    """Dumps read in this process, and described where somebody asks for it."""

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """As `Reading` says."""
        importer, size = IMPORTERS[dump.kind], 1 if dump.kind == DumpKind.TABLES else PART
        records: list[RawRecord | tuple[Identified, Any]] = []
        for raw in dump.records():
            records.append(raw if raw.problem else (importer.identify(raw), raw))
            if len(records) == size:
                yield Part(records, dump.position, importer.describe)
                records = []
        yield Part(records, dump.position, importer.describe)
        yield Whole(dump.sha256())


class Ahead:
    """Dumps read by a second process, to be asked for in the order it was given them."""

    def __init__(self, process: subprocess.Popen[bytes], written: BinaryIO) -> None:
        self._process, self._written = process, written
        self._at = 0

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """As `Reading` says. Raises ReaderLost if the process has ended too early."""
        while True:
            (size,) = _SIZE.unpack(self._next(_SIZE.size))
            part = pickle.loads(self._next(size))
            if isinstance(part, BrokenDump):
                raise part
            if isinstance(part, Whole):
                yield part
                return
            records, position = part
            yield Part(records, position, _as_it_is)

    def _next(self, size: int) -> bytes:
        while True:
            ended = self._process.poll()  # asked first: what it wrote before its end is there after it
            found = os.pread(self._written.fileno(), size, self._at)
            if len(found) == size:
                self._at += size
                return found
            if ended is not None:
                raise ReaderLost(f"The process that reads the dumps ended with {ended}.")
            time.sleep(PAUSE)


@contextmanager
def reading(dumps: Sequence[DumpFile], *, first: bool) -> Iterator[Reading]:
    """The place where these dumps are read, in this order: a process that ends with the context, if they are large.

    `first` says that the archive holds none of it.
    """
    if not first or sum(dump.size for dump in dumps) < LARGE:
        yield Here()
        return
    wanted = json.dumps([(dump.kind, [str(path) for path in dump.paths]) for dump in dumps])
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "read_ahead", str(os.getpid()), wanted]
    with (
        TemporaryFile() as written,
        # An interrupt is for the import, at whose end this ends.
        subprocess.Popen(command, stdout=written, start_new_session=True) as process,
    ):
        try:
            yield Ahead(process, written)
        finally:
            process.kill()


def read_ahead(importing: int, wanted: str, out: BinaryIO) -> None:
    """Write the parts of the dumps wanted, as `reading` names them, for the process that imports, while it is there.

    What the second process does. Raises NoRoom.
    """
    try:
        with seldom_collecting():
            for kind, paths in json.loads(wanted):
                for part in Here().parts(DumpFile(DumpKind(kind), [Path(path) for path in paths])):
                    if os.getppid() != importing:
                        return  # killed, since it would have ended this one
                    _hand_over(part if isinstance(part, Whole) else _described(part), out)
    except BrokenDump as broken:
        _hand_over(broken, out)


def _described(part: Part) -> tuple[list[Any], int]:
    """A part as it is handed over, with nothing left to describe."""
    records, position, describe = part
    return [r if isinstance(r, RawRecord) else (r[0], tuple(describe(r[1]))) for r in records], position


def _as_it_is(described: Any) -> Any:
    return described


def _hand_over(part: Whole | BrokenDump | tuple[list[Any], int], out: BinaryIO) -> None:
    pickled = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
    try:
        out.write(_SIZE.pack(len(pickled)) + pickled)
        out.flush()
    except OSError as error:
        raise NoRoom(f"{error}. What is read ahead is kept in the folder for temporary files: see TMPDIR.") from error
