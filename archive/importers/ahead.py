"""Reading ahead: large dumps are read, parsed and described by a second process while this one writes what it has.

    python manage.py read_ahead '[["papers", ["papers-with-abstracts.json"]]]'

writes to standard output, each pickled and after its length: the parts of each dump, and a `Whole` after its last; a
BrokenDump in place of what can not be read. It ends when nobody reads on. Small dumps are read where they are written,
since a process takes a second to start; so is what the archive holds already, since most of it needs no describing.
"""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Full, Queue
from typing import Any, BinaryIO, NamedTuple, Protocol

from django.conf import settings

from archive.importers import code_links, datasets, methods, papers
from archive.importers.dump_files import DumpFile, DumpKind
from archive.importers.reading import BrokenDump, DumpError, Given, RawRecord

IMPORTERS: dict[DumpKind, Any] = {
    DumpKind.DATASETS: datasets,
    DumpKind.METHODS: methods,
    DumpKind.PAPERS: papers,
    DumpKind.LINKS: code_links,
}
"""Modules, each with `identify` and `describe` for a readable record."""

LARGE = 64 << 20
"""Bytes of dumps from which a second process reads them."""

PART = 200
"""Records handed over at once."""

PARTS_AHEAD = 200
"""Parts that may wait to be written: 160 MB of papers."""

_PIPE = 1 << 20
_SIZE = struct.Struct("!Q")


class ReaderLost(DumpError):
    """The process that reads ahead is gone; nothing is imported."""


class Part(NamedTuple):
    """Some records of a dump, and how much of it is read.

    An unreadable record is raw; of any other there is how it is known, and a `Lazy` of what else is said of it.
    """

    records: list[Any]
    position: int


class Whole(NamedTuple):
    """A dump is at its end: SHA-256 of each of its files, by name."""

    sha256: dict[str, bytes]


class Reading(Protocol):
    """Where an import gets the parts of its dumps from."""

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """The parts of a dump in order, then a `Whole`. Raises BrokenDump."""
        ...


class Here:
    """Dumps read in this process."""

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """As `Reading` says."""
        importer = IMPORTERS[dump.kind]
        records: list[Any] = []
        for raw in dump.records():
            records.append(raw if raw.problem else (importer.identify(raw), partial(importer.describe, raw)))
            if len(records) == PART:
                yield Part(records, dump.position)
                records = []
        yield Part(records, dump.position)
        yield Whole(dump.sha256())


def _worked_out(part: Part) -> Part:
    return Part([r if isinstance(r, RawRecord) else (r[0], r[1]()) for r in part.records], part.position)


def _lazy(record: Any) -> Any:
    return record if isinstance(record, RawRecord) else (record[0], partial(_as_it_is, record[1]))


def _as_it_is(given: Given) -> Given:
    return given


class Ahead:
    """Dumps read by a second process, to be asked for in the order it was given them."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._parts: Queue[bytes] = Queue(PARTS_AHEAD)
        self._ended = threading.Event()
        # A thread takes what the process has ready, so that it does not wait while this one writes.
        self._fetching = threading.Thread(target=self._fetch, daemon=True)
        self._fetching.start()

    def parts(self, dump: DumpFile) -> Iterator[Part | Whole]:
        """As `Reading` says. Raises ReaderLost if the process has ended too early."""
        while pickled := self._parts.get():
            part = pickle.loads(pickled)
            if isinstance(part, BrokenDump):
                raise part
            if isinstance(part, Whole):
                yield part
                return
            yield Part([_lazy(record) for record in part.records], part.position)
        raise ReaderLost(f"The process that reads the dumps ended with {self._process.wait()}.")

    def end(self) -> None:
        """Leave what is still to be read."""
        self._ended.set()
        self._process.kill()
        self._fetching.join()

    def _fetch(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        pickled = b"x"
        while pickled:
            size = pipe.read(_SIZE.size)
            pickled = pipe.read(*_SIZE.unpack(size)) if len(size) == _SIZE.size else b""
            while not self._ended.is_set():
                with suppress(Full):
                    self._parts.put(pickled, timeout=0.1)
                    break


@contextmanager
def reading(dumps: Sequence[DumpFile], *, first: bool) -> Iterator[Reading]:
    """The place where these dumps are read, in this order: a process that ends with the context, if they are large.

    `first` says that the archive holds none of it.
    """
    if not first or sum(dump.size for dump in dumps) < LARGE:
        yield Here()
        return
    wanted = json.dumps([(dump.kind, [str(path) for path in dump.paths]) for dump in dumps])
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "read_ahead", wanted]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        bufsize=_PIPE,
        pipesize=_PIPE,
        start_new_session=True,  # an interrupt is for the import, at whose end this ends
    ) as process:
        ahead = Ahead(process)
        try:
            yield ahead
        finally:
            ahead.end()


def read_ahead(wanted: str, out: BinaryIO) -> None:
    """Write the parts of the dumps wanted, as `reading` names them. What the second process does."""
    try:
        for kind, paths in json.loads(wanted):
            for part in Here().parts(DumpFile(DumpKind(kind), [Path(path) for path in paths])):
                _hand_over(part if isinstance(part, Whole) else _worked_out(part), out)
    except BrokenDump as broken:
        _hand_over(broken, out)


def _hand_over(part: Part | Whole | BrokenDump, out: BinaryIO) -> None:
    pickled = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
    out.write(_SIZE.pack(len(pickled)) + pickled)
    out.flush()
