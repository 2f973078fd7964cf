"""The chain: what an entry's digest covers, and how an entry is put at the end of it.

A digest covers every value that may have to be sealed one day only as sha256(salt ‖ canonical value). Salts and values
lie beside it; a seal removes them, and the chain still holds.
"""

from __future__ import annotations

import datetime
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from archive.canonical import canonical, digest
from archive.models import ImportedFile, ImportRun
from corrections.models import Change, Decision

LOCK = 0x4C4F4721  # "LOG!"
GENESIS = bytes(32)
"""What the first entry names as the digest of the one before."""


@dataclass(frozen=True)
class Salted:
    """A value under a random salt: what is stored beside the chain, and the digest that is in it."""

    value: Any
    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, value: Any) -> Salted:
        """A value under a new salt of 16 random bytes."""
        salt = secrets.token_bytes(16)
        return cls(value, salt, salted_digest(salt, value))


def salted_digest(salt: bytes, value: Any) -> bytes:
    """sha256(salt ‖ canonical JSON of the value), 32 bytes."""
    return hashlib.sha256(salt + canonical(value)).digest()


TEXTS = ("reason", "quote", "reading")
"""The texts of an entry that a seal may have to remove; each is a column, with its salt and digest beside it."""


def set_texts(entry: Decision, *, reason: str, quote: str = "", reading: str = "") -> None:
    """Put an entry's texts, each under a new salt, into its columns. No query."""
    for name, text in zip(TEXTS, (reason, quote, reading), strict=True):
        salted = Salted.of(text)
        setattr(entry, name, salted.value)
        setattr(entry, f"{name}_salt", salted.salt)
        setattr(entry, f"{name}_digest", salted.digest)


@dataclass(frozen=True)
class Link:
    """A change as the chain knows it: by public key, never by a database id."""

    record: str
    field: str
    before: bytes
    after: bytes


def isoformat(moment: datetime.datetime) -> str:
    """A moment as the log writes it: UTC, microseconds, Z."""
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def entry_digest(entry: Decision, links: Sequence[Link]) -> bytes:
    """The digest of an entry, 32 bytes. No query. Links are covered in the order of their keys and fields."""
    covered: dict[str, Any] = {
        "number": entry.number,
        "kind": str(entry.kind),
        "outcome": str(entry.outcome),
        "side": str(entry.side),
        "at": isoformat(entry.at),
        "reader": entry.reader,
        "second_reader": entry.second_reader,
        "source": {
            "url": entry.source_url,
            "version": entry.source_version,
            "page": entry.source_page,
            "table": entry.source_table,
            "row": entry.source_row,
        },
        "quote": bytes(entry.quote_digest).hex(),
        "reading": bytes(entry.reading_digest).hex(),
        "reason": bytes(entry.reason_digest).hex(),
        "tried": entry.tried,
        "uncovered": entry.uncovered,
        "reverts": entry.reverts_id,
        "duplicate_of": entry.duplicate_of_decision_id,
        "facts": entry.facts,
        "reports_closed": entry.reports_closed,
        "changes": [
            {"record": link.record, "field": link.field, "before": link.before.hex(), "after": link.after.hex()}
            for link in sorted(links, key=lambda link: (link.record, link.field))
        ],
        "previous": bytes(entry.previous_digest).hex(),
    }
    return digest(covered)


def starting_point(run: ImportRun) -> dict[str, Any]:
    """What the log starts from, or goes on from: the archive, its snapshot, and the digests of the dumps. One query."""
    files = ImportedFile.objects.filter(run=run).order_by("dump")
    return {
        "archive": run.archive,
        "snapshot": run.snapshot.isoformat(),
        "dumps": {file.dump: dict(zip(file.names, file.sha256, strict=True)) for file in files},
    }


def take_turn() -> tuple[int, bytes]:
    """Wait for the end of the chain, and give the next number and the digest to name. Held until the transaction ends.

    Two statements, so that in READ COMMITTED the second sees what whoever held the lock before has committed.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    last = Decision.objects.order_by("-number").values_list("number", "digest").first()
    return (last[0] + 1, bytes(last[1])) if last else (1, GENESIS)


def links_of(entry: Decision) -> list[Link]:
    """The changes of a stored entry as the chain knows them. One query."""
    changes = Change.objects.filter(decision=entry).values_list("record__key", "field", "before_digest", "after_digest")
    return [Link(record, field, bytes(before), bytes(after)) for record, field, before, after in changes]
