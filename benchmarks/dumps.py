"""Writing one dump file: odd records at planned places, and what a later snapshot changes."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random
from typing import IO, Any

import orjson

from benchmarks import oddities
from benchmarks.words import seeded

Change = Callable[[dict[str, Any], Random], None]
"""Alters a record as a later snapshot may."""

CHANGED, ADDED, GONE = 0.02, 0.01, 0.005
"""Shares of a file's records that a later snapshot has altered, has new, and lacks."""


def as_json(record: object) -> bytes:
    """Compact JSON in ASCII, as Python's writer gives it; orjson for records that are ASCII anyway."""
    data = orjson.dumps(record)
    return data if data.isascii() else oddities.as_json(orjson.loads(data))


class Dump:
    """One JSON array on one line. Records are added in order; what was done to them is kept for the lists.

    `odd` and `fates` say by base ordinal (the place in the earlier snapshot) which records are spoiled and,
    in a later snapshot, "changed" or "gone"; `places` in the lists are ordinals of the file as written.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        seed: int,
        odd: dict[int, str],
        fates: dict[int, str],
        change: Change,
        gz: bool = False,
    ) -> None:
        self.name = name
        self._path = folder / (name + (".json.gz" if gz else ".json"))
        self._raw: IO[bytes] = self._path.open("wb", buffering=1 << 20)
        # No name and no time in the gzip header: the same seed must give the same bytes.
        self._out: Any = gzip.GzipFile("", "wb", 1, self._raw, mtime=0) if gz else self._raw
        self._odd, self._fates, self._change = odd, fates, change
        self._seed, self._changing = seed, seeded(seed, name, "change")
        self._previous = ""
        self.seen = self.written = 0
        self.odd: dict[str, list[int]] = {kind: [] for kind in oddities.kinds_of(name)}
        self.changed: list[int] = []
        self.added: list[int] = []
        self.gone: list[str] = []

    def add(self, record: dict[str, Any], *, added: bool = False, gone: bool = False) -> int | None:
        """Writes the record as its place demands; its ordinal in this file, or None if it is gone."""
        base = self.seen
        self.seen += 1
        # An odd record stays, and so does the one before it, whose identity a duplicate repeats.
        gone = gone and base not in self._odd and base + 1 not in self._odd
        fate = "gone" if gone else self._fates.get(base)
        identity = record[oddities.IDENTITY[self.name]]
        if fate == "gone":
            self.gone.append(identity)
            return None
        if fate == "changed":
            self._change(record, self._changing)
            self.changed.append(self.written)
        kind = None if added else self._odd.get(base)
        if kind:
            self.odd[kind].append(self.written)
            plain = orjson.loads(orjson.dumps(record))
            rng = seeded(self._seed, self.name, "spoil", str(base))
            return self.put(oddities.as_json(oddities.spoil(self.name, kind, plain, self._previous, rng)))
        if added:
            self.added.append(self.written)
        self._previous = identity
        return self.put(as_json(record))

    def put(self, data: bytes) -> int:
        """Writes one record's bytes as they are; its ordinal."""
        self._out.write(b", " if self.written else b"[")
        self._out.write(data)
        self.written += 1
        return self.written - 1

    def close(self) -> int:
        """Ends the array; the file's size in bytes."""
        self._out.write(b"]" if self.written else b"[]")
        if self._out is not self._raw:
            self._out.close()
        self._raw.close()
        return self._path.stat().st_size


def fates(places: Collection[int], total: int, rng: Random, *, lose: bool = True) -> dict[int, str]:
    """Which base ordinals, among `places`, a later snapshot has changed or (if it may `lose` any) lacks."""
    changed, gone = max(1, round(total * CHANGED)), max(1, round(total * GONE)) if lose else 0
    chosen = rng.sample(sorted(places), changed + gone)
    return {ordinal: "changed" if number < changed else "gone" for number, ordinal in enumerate(chosen)}
