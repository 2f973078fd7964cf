"""What the importers of papers, datasets and methods share: their records carry an address of the old site, or wait."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from archive.importers import fields
from archive.importers.dump_files import DumpKind
from archive.importers.reading import Identified, RawRecord
from archive.importers.residue import printed_otherwise, residue_of
from archive.importers.session import Seen, Session, identity_of, name_columns, spam_rule
from archive.importers.slugs import slug_of
from archive.models import RecordKind


class Values(Protocol):
    """What is asked of the values of a record."""

    slug: str | None

    def as_dump(self) -> dict[str, Any]: ...


class Described(NamedTuple):
    """What else can be said of a record by itself."""

    rows: Any
    """What its writer makes rows of."""
    named: str
    """The columns of its name and of what it is sorted by."""
    extra: str
    """What the rows do not say of it under its slug."""
    quarantined: str


def identify(raw: RawRecord, kind: RecordKind, slug: str | None, known_by: Sequence[str]) -> Identified:
    """How a record is known: by the slug of its address, or else by the first of the fields `known_by` that it has.

    The last of these is its name.
    """
    if slug is not None:
        return raw.ordinal, raw.digest, identity_of(kind, slug), slug, True
    texts = [fields.text(raw.value or {}, field) for field in known_by]
    what = next((text for text in texts if text), raw.canonical)
    identity = identity_of(kind, "no address", what)
    return raw.ordinal, raw.digest, identity, slug_of(texts[-1] or "unnamed"), False


class NamedValues(Values, Protocol):
    """What is asked of a dataset's or a method's values."""

    name: str | None
    full_name: str | None
    description: str | None


def describe_named(raw: RawRecord, kind: RecordKind, values: NamedValues) -> Described:
    """Describe a dataset or a method."""
    return Described(
        values,
        name_columns(values.name or values.full_name or ""),
        residue_of(raw, values.as_dump()),
        spam_rule(kind, name=values.name, full_name=values.full_name, description=values.description),
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
        self._waiting: list[tuple[Identified, Callable[[Any], Described], Any]] = []

    def take(self, record: Identified, describe: Callable[[Any], Described], said: Any) -> None:
        """Write one record if it is new or changed.

        `describe` makes a `Described`, or as plain a tuple, of what is said of it.
        """
        _, _, identity, _, addressed = record
        if not addressed or self.session.met(self.kind, identity):
            self._waiting.append((record, describe, said))
        else:
            self._place(record, describe, said)

    def finish(self) -> None:
        """Write the records that waited, in archive order, under minted keys."""
        for record, describe, said in self._waiting:
            self._place(record, describe, said)
        self._waiting.clear()

    def _place(self, record: Identified, describe: Callable[[Any], Described], said: Any) -> None:
        session, kind = self.session, self.kind
        ordinal, digest, identity, slug, addressed = record
        seen = session.see(kind, identity, digest, ordinal)
        if seen.same:
            return
        key = session.claim_key(seen, kind, str(kind), slug) if seen.new else session.key_of(seen)
        rows, named, extra, quarantined = describe(said)
        if addressed and key.partition("/")[2] != slug:
            extra = printed_otherwise(extra, self.address, f"{self.page}{slug}")
        session.add_record(
            seen,
            kind,
            key=key,
            named=named,
            dump=self.dump,
            ordinal=ordinal,
            digest=digest,
            extra=extra,
            quarantined=quarantined,
        )
        self.write(seen, rows)

    @abstractmethod
    def write(self, seen: Seen, rows: Any) -> None:
        """Write the rows of one record, the spine's apart."""
