"""What the importers of papers, datasets and methods share: their records carry an address of the old site, or wait."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from archive.importers import fields
from archive.importers.dump_files import DumpKind
from archive.importers.reading import RawRecord
from archive.importers.residue import printed_otherwise, residue_of
from archive.importers.session import Seen, Session, identity_of, spam_rule
from archive.importers.slugs import slug_of
from archive.models import RecordKind


class Values(Protocol):
    """What is asked of the values of a record."""

    slug: str | None

    def as_dump(self) -> dict[str, Any]: ...


class Prepared(NamedTuple):
    """What can be said of a readable record without knowing any other, or what the archive holds."""

    ordinal: int
    digest: bytes
    identity: bytes
    slug: str
    """The slug of its address, or of its name."""
    addressed: bool
    """Whether it has an address of the old site."""
    rows: Any
    """What its writer makes rows of."""
    name: str
    extra: str
    """What the values do not say of it under that slug."""
    quarantined: str


def prepare(
    raw: RawRecord,
    kind: RecordKind,
    values: Values,
    rows: Any,
    *,
    name: str,
    known_by: Sequence[str],
    quarantined: str,
) -> Prepared:
    """Prepare a record that its module has parsed, for its writer. No query: it may be done in a process of its own.

    `known_by` are the fields that tell a record without an address from others, the best first; the last is its name.
    """
    addressed = values.slug is not None
    if values.slug is not None:
        slug, identity = values.slug, identity_of(kind, values.slug)
    else:
        texts = [fields.text(raw.value or {}, field) for field in known_by]
        what = next((text for text in texts if text), raw.canonical)
        slug, identity = slug_of(texts[-1] or "unnamed"), identity_of(kind, "no address", what)
    extra = residue_of(raw, values.as_dump())
    return Prepared(raw.ordinal, raw.digest, identity, slug, addressed, rows, name, extra, quarantined)


class NamedValues(Values, Protocol):
    """What is asked of a dataset's or a method's values."""

    name: str | None
    full_name: str | None
    description: str | None


def prepare_named(raw: RawRecord, kind: RecordKind, values: NamedValues) -> Prepared:
    """Prepare a dataset or a method."""
    return prepare(
        raw,
        kind,
        values,
        values,
        name=values.name or values.full_name or "",
        known_by=("url", "name"),
        quarantined=spam_rule(kind, name=values.name, full_name=values.full_name, description=values.description),
    )


class AddressedWriter(ABC):
    """Takes the records of one dump. Those without an address, and those that repeat one, wait until all others are in,
    so that no minted slug can take an address that the dump itself gives away."""

    kind: ClassVar[RecordKind]
    dump: ClassVar[DumpKind]
    address: ClassVar[str]
    """The field that holds the old address."""
    page: ClassVar[str]
    """What comes before the slug in it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._waiting: list[Prepared] = []

    def take(self, record: Prepared) -> None:
        """Write one record if it is new or changed."""
        if not record.addressed or self.session.met(self.kind, record.identity):
            self._waiting.append(record)
        else:
            self._place(record)

    def finish(self) -> None:
        """Write the records that waited, in archive order, under minted keys."""
        for record in self._waiting:
            self._place(record)
        self._waiting.clear()

    def _place(self, record: Prepared) -> None:
        session, kind = self.session, self.kind
        seen = session.see(kind, record.identity, record.digest, record.ordinal)
        if seen.same:
            return
        key = session.claim_key(seen, kind, str(kind), record.slug) if seen.new else session.key_of(seen)
        extra = record.extra
        if record.addressed and key.partition("/")[2] != record.slug:
            extra = printed_otherwise(extra, self.address, f"{self.page}{record.slug}")
        session.add_record(
            seen,
            kind,
            key=key,
            name=record.name,
            dump=self.dump,
            ordinal=record.ordinal,
            digest=record.digest,
            extra=extra,
            quarantined=record.quarantined,
        )
        self.write(seen, record.rows)

    @abstractmethod
    def write(self, seen: Seen, rows: Any) -> None:
        """Write the rows of one record, the spine's apart."""
