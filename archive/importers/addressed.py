"""What the importers of papers, datasets and methods share: their records carry an address of the old site, or wait."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from archive.importers import fields
from archive.importers.reading import RawRecord
from archive.importers.session import Seen, Session, identity_of
from archive.importers.slugs import slug_in, slug_of
from archive.models import RecordKind


class AddressedWriter(ABC):
    """Takes the records of one dump. Those without an address, and those that repeat one, wait until all others are in,
    so that no minted slug can take an address that the dump itself gives away."""

    kind: ClassVar[RecordKind]
    address: ClassVar[str]
    """The field that holds the old address."""
    names: ClassVar[tuple[str, ...]]
    """The fields that tell a record without an address from others, the best first; the last is its name."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._waiting: list[tuple[RawRecord, bytes, str]] = []

    def take(self, raw: RawRecord) -> None:
        """Write one readable record if it is new or changed."""
        slug = slug_in(fields.text(raw.value or {}, self.address), str(self.kind))
        if slug is None:
            self._waiting.append((raw, *self._without_address(raw)))
        elif self.session.met(self.kind, identity := identity_of(self.kind, slug)):
            self._waiting.append((raw, identity, slug))
        else:
            self._place(raw, identity, slug)

    def finish(self) -> None:
        """Write the records that waited, in archive order, under minted keys."""
        for raw, identity, slug in self._waiting:
            self._place(raw, identity, slug)
        self._waiting.clear()

    def _without_address(self, raw: RawRecord) -> tuple[bytes, str]:
        texts = [fields.text(raw.value or {}, name) for name in self.names]
        what = next((text for text in texts if text), raw.canonical)
        return identity_of(self.kind, "no address", what), slug_of(texts[-1] or "unnamed")

    def _place(self, raw: RawRecord, identity: bytes, slug: str) -> None:
        seen = self.session.see(self.kind, identity, raw.digest, raw.ordinal)
        if not seen.same:
            new = seen.new
            key = self.session.claim_key(seen, self.kind, str(self.kind), slug) if new else self.session.key_of(seen)
            self.write(seen, raw, key)

    @abstractmethod
    def write(self, seen: Seen, raw: RawRecord, key: str) -> None:
        """Write the rows of one record, its spine included."""
