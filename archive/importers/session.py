"""One import in progress: which records the archive knows already, which of them changed, and what is new."""

from __future__ import annotations

import hashlib
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from archive.importers.bulk import Bulk, Ids, columns
from archive.importers.dump_files import DumpKind
from archive.importers.names import Terms
from archive.importers.reading import RawRecord
from archive.importers.slugs import author_slug, sort_key
from archive.importers.spam import spam_reason
from archive.importers.task_names import Tasks
from archive.models import (
    Area,
    Author,
    Framework,
    Language,
    Modality,
    Proceeding,
    Record,
    RecordKind,
    UnreadableRecord,
)


def identity_of(kind: RecordKind, *parts: str | bytes) -> bytes:
    """The 16 bytes by which a re-import finds a record: what the dump knows it by, digested."""
    hasher = hashlib.blake2b(kind.encode(), digest_size=16)
    for part in parts:
        hasher.update(b"\x1f")
        hasher.update(part if isinstance(part, bytes) else part.encode())
    return hasher.digest()


class Known(NamedTuple):
    """A record that the archive holds already."""

    id: int
    digest: bytes | None
    ordinal: int
    dropped: bool


class Seen(NamedTuple):
    """A record met in this import. `same` says that it stands in the archive exactly as it is in the dump."""

    id: int
    identity: bytes
    new: bool
    same: bool


@dataclass
class Places:
    """Where things stand now that stood elsewhere. Plain numbers, since a later snapshot may move all records."""

    ids: array[int] = field(default_factory=lambda: array("q"))
    places: array[int] = field(default_factory=lambda: array("i"))

    def put(self, key: int, place: int) -> None:
        """Say where something stands."""
        self.ids.append(key)
        self.places.append(place)


@dataclass
class Session:
    """What the importers of the single dumps share. `first` is true while the archive is empty."""

    bulk: Bulk
    first: bool
    superseded: frozenset[DumpKind] = frozenset()
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    seen_ids: array[int] = field(default_factory=lambda: array("q"))
    moved: Places = field(default_factory=Places)
    papers: dict[bytes, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """How long each part of the import took, in their order."""

    def __post_init__(self) -> None:
        self.next_record = Ids(Record)
        self.next_unreadable = Ids(UnreadableRecord)
        self.authors = Terms(Author, self.bulk, author_slug)
        self.areas = Terms(Area, self.bulk)
        self.modalities = Terms(Modality, self.bulk)
        self.languages = Terms(Language, self.bulk)
        self.frameworks = Terms(Framework, self.bulk)
        self.proceedings = Terms(Proceeding, self.bulk)
        self.tasks = Tasks(self)
        self._known: dict[RecordKind, dict[bytes, Known]] = {}
        self._ids: dict[RecordKind, dict[bytes, int]] = {RecordKind.PAPER: self.papers}
        self._claimed: dict[RecordKind, set[str]] = {}
        # Where to go on for what was met or minted before: a thousand of the same are not tried a thousand times.
        self._occurrences: dict[bytes, int] = {}
        self._numbers: dict[tuple[RecordKind, str], int] = {}

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Note how long a part of the import takes."""
        started = time.perf_counter()
        yield
        self.seconds[part] = time.perf_counter() - started

    def supersedes(self, dump: DumpKind) -> bool:
        """Whether this import brings a later snapshot of a dump, so that what it lacks is dropped."""
        return dump in self.superseded

    def known(self, kind: RecordKind) -> dict[bytes, Known]:
        """The archive's records of a kind, by identity. One query at the first call, none into an empty archive."""
        if kind not in self._known:
            rows = (
                ()
                if self.first
                else Record.objects.filter(kind=kind)
                .values_list("identity", "id", "digest", "ordinal", "dropped_in")
                .iterator(chunk_size=10_000)
            )
            self._known[kind] = {
                bytes(identity): Known(key, bytes(digest) if digest else None, ordinal, dropped is not None)
                for identity, key, digest, ordinal, dropped in rows
            }
        return self._known[kind]

    def forget(self, kind: RecordKind) -> None:
        """Let go of what `known` holds of a kind, when its dump is done."""
        self._known.pop(kind, None)
        if kind == RecordKind.PAPER:
            self.authors.complete()
        else:  # papers are what code links belong to
            self._ids.pop(kind, None)

    def met(self, kind: RecordKind, identity: bytes) -> bool:
        """Whether this import has met the identity already."""
        return identity in self._ids.get(kind, ())

    def see(self, kind: RecordKind, identity: bytes, digest: bytes | None, ordinal: int) -> Seen:
        """Note that the dump holds a record. The same identity met again gets an occurrence number of its own."""
        ids = self._ids.setdefault(kind, {})
        base = identity
        while identity in ids:
            self._occurrences[base] = self._occurrences.get(base, 1) + 1
            identity = identity_of(kind, base, str(self._occurrences[base]))
        known = self.known(kind).get(identity)
        counts = self._counts(kind)
        if known is None:
            key = ids[identity] = self.next_record()
            counts["added"] += 1
            return Seen(key, identity, new=True, same=False)
        ids[identity] = known.id
        self.seen_ids.append(known.id)
        same = known.digest == digest
        counts["unchanged" if same else "changed"] += 1
        if same and known.ordinal != ordinal:
            self.moved.put(known.id, ordinal)
        return Seen(known.id, identity, new=False, same=same)

    def claim_key(self, seen: Seen, kind: RecordKind, prefix: str, slug: str) -> str:
        """A key for a new record: `prefix/slug`, or the first free of `prefix/slug-1` and so on.

        An address of the old site wins over minted slugs, which come last. On a re-import, one query per try.
        """
        ids, claimed = self._ids.setdefault(kind, {}), self._claimed.setdefault(kind, set())
        its_own = identity_of(kind, slug) == seen.identity
        number = 0 if its_own else self._numbers.get((kind, slug), 0)
        free = f"{slug}-{number}" if number else slug
        while True:
            addressed = identity_of(kind, free)
            key = f"{prefix}/{free}"
            if addressed == seen.identity and self.first:
                return key
            taken = key in claimed or (addressed in ids and addressed != seen.identity)
            if not taken and (self.first or not Record.objects.filter(key=key).exists()):
                claimed.add(key)
                return key
            number = self._numbers[kind, slug] = number + 1
            free = f"{slug}-{number}"

    def key_of(self, seen: Seen) -> str:
        """The key that a known record was given. One query."""
        return Record.objects.values_list("key", flat=True).get(pk=seen.id)

    def reserve(self, kind: RecordKind, slug: str) -> None:
        """Keep a slug that the dump gives to a record still to come from being minted for another."""
        self._ids.setdefault(kind, {}).setdefault(identity_of(kind, slug), 0)

    def see_task(self, task: int, identity: bytes, digest: bytes, ordinal: int) -> Seen:
        """`see` for a task, whose key was given when its name was first met."""
        if task in self.tasks.mentions:
            self._counts(RecordKind.TASK)["added"] += 1
            return Seen(task, identity, new=True, same=False)
        known = self.known(RecordKind.TASK)[identity]
        self.seen_ids.append(task)
        same = known.digest == digest
        self._counts(RecordKind.TASK)["unchanged" if same else "changed"] += 1
        if same and known.ordinal != ordinal:
            self.moved.put(task, ordinal)
        return Seen(task, identity, new=False, same=same)

    def count(self, kind: RecordKind, seen: Seen, *, same: bool) -> None:
        """Count a record whose comparison was made elsewhere."""
        if not seen.new:
            self.seen_ids.append(seen.id)
        self._counts(kind)["added" if seen.new else "unchanged" if same else "changed"] += 1

    def _counts(self, kind: str) -> Counter[str]:
        return self.counts.setdefault(str(kind), Counter())

    def add_record(
        self,
        seen: Seen,
        kind: RecordKind,
        *,
        key: str,
        named: str,
        dump: DumpKind,
        ordinal: int,
        digest: bytes | None,
        extra: str = "",
        quarantined: str = "",
    ) -> None:
        """Write the spine's row of a new or changed record, which is called what `name_columns` made of its name."""
        before = columns(seen.id, kind, key)
        after = columns(seen.identity, dump, ordinal, digest, extra, 0, quarantined, None, False, None)
        self.bulk.lines(Record).append(f"{before}\t{named}\t{after}\n")

    def quarantine(self, dump: DumpKind, raw: RawRecord) -> None:
        """Keep the bytes of a record that could not be read."""
        self._counts("unreadable")["added"] += 1
        self.bulk.rows(UnreadableRecord).append(
            (self.next_unreadable(), str(dump), raw.ordinal, raw.source, raw.digest, raw.problem.sentence)
        )


def name_columns(name: str) -> str:
    """The columns of a record's name and of what it is sorted by."""
    return columns(name, sort_key(name))


def spam_rule(kind: RecordKind, **texts: str | None) -> str:
    """The id of the rule that calls a record spam, or ""."""
    return spam_reason(str(kind), texts) or ""
