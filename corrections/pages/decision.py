"""One entry of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from archive.pages.base import Crumb, Page, Provenance, described, documented
from corrections.models import Decision, EntryKind, Outcome, Report, Reporter
from corrections.pages.entries import EntryShown, ReportClosed, entry_fields, in_order, url_of

MOST_CHANGES = 2_000
"""Changes that one page shows. A decision needs two readers from 21 records on; more than this nobody has made."""

CREDITED = (Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_CHANGES)


@documented
class SourceRead:
    """The source that was read, and the place in it."""

    url: str = described("Its address; empty where the outcome needs no source.")
    version: str = described("Which version of it.")
    page: str = described("The page.")
    table: str = described("The table or figure.")
    row: str = described("The row or line.")
    quote: str | None = described("What stands there, word for word; null if it is sealed.")
    reading: str | None = described("What the reader read there, in the reader's words; null if it is sealed.")

    @property
    def place(self) -> list[tuple[str, str]]:
        """The parts of the place that are named, with their names."""
        parts = (("version", self.version), ("page", self.page), ("table", self.table), ("row", self.row))
        return [(name, text) for name, text in parts if text]


@documented
class DecisionPage(Page):
    """`/corrections/<number>`: one entry of the log, with everything it says, for ever."""

    section: ClassVar = "/corrections"

    entry: EntryShown = described("The entry.")
    source_read: SourceRead | None = described("The source that the reader read; null where none is named.")
    tried: str = described("What was tried, where nothing could be verified.")
    uncovered: bool = described("Whether the reader saw the proposed value before reading the source.")
    duplicate_of: int | None = described("Number of the decision that says the same; null if none.")
    reverted_by: int | None = described("Number of the decision that reverted this one; null if none.")
    reports: Sequence[ReportClosed] = described("The reports it closed, at most 100; reports_closed counts all.")
    credited: Sequence[str] = described("Names of reporters who wished to be named, of an accepted correction.")
    facts: Mapping[str, Any] | None = described("Of an import: archive, snapshot, digests, cells rebased; else null.")
    digest: str = described("Hexadecimal sha256 of the entry, which names the one before.")
    previous_digest: str = described("The digest of the entry before; zeros for the first.")
    previous_url: str | None = described("Address of the entry before; null for the first.")
    next_url: str | None = described("Address of the entry after; null for the newest.")

    @property
    def heading(self) -> str:
        """What the entry is, with its number."""
        names = {EntryKind.DECISION: "Decision", EntryKind.IMPORT: "Import", EntryKind.SEAL: "Seal"}
        return f"{names[EntryKind(self.entry.kind)]} #{self.entry.number}"

    @property
    def facts_listed(self) -> list[tuple[str, str]]:
        """The facts of an import, one a line, each under the way to it."""
        return list(_flat(self.facts or {}, ()))

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The log, then this entry."""
        return (Crumb(name="Corrections", url="/corrections"),)


def build(entry: Decision) -> DecisionPage:
    """The page of an entry. At most seven queries."""
    provenance = Provenance.current()
    changes = list(in_order().filter(decision=entry)[:MOST_CHANGES])
    reverted_by = Decision.objects.filter(reverts=entry).order_by("number").values_list("number", flat=True).first()
    has_next = Decision.objects.filter(number=entry.number + 1).exists()
    closed = Report.objects.filter(decision=entry).select_related("record").order_by("id")[:100]
    return DecisionPage(
        url=url_of(entry.number),
        source=provenance.source,
        provenance=provenance,
        entry=EntryShown(**entry_fields(entry, changes, len(changes)), answers=[]),
        source_read=_source(entry),
        tried=entry.tried,
        uncovered=entry.uncovered,
        duplicate_of=entry.duplicate_of_decision_id,
        reverted_by=reverted_by,
        reports=[ReportClosed.of(report) for report in closed],
        credited=_credited(entry),
        facts=entry.facts,
        digest=bytes(entry.digest).hex(),
        previous_digest=bytes(entry.previous_digest).hex(),
        previous_url=url_of(entry.number - 1) if entry.number > 1 else None,
        next_url=url_of(entry.number + 1) if has_next else None,
    )


def _source(entry: Decision) -> SourceRead | None:
    if not entry.source_url:
        return None
    return SourceRead(
        url=entry.source_url,
        version=entry.source_version,
        page=entry.source_page,
        table=entry.source_table,
        row=entry.source_row,
        quote=entry.quote,
        reading=entry.reading,
    )


def _credited(entry: Decision) -> list[str]:
    """Names of those whose report was accepted, from the table that can be erased. A reviewer has read each of them."""
    if entry.outcome not in CREDITED:
        return []
    reporters = Reporter.objects.filter(reports__decision=entry).exclude(name="").order_by("id")
    return list(dict.fromkeys(reporters.values_list("name", flat=True)[:50]))


def _flat(facts: Any, way: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(facts, Mapping):
        for name, held in facts.items():
            yield from _flat(held, (*way, str(name)))
    elif isinstance(facts, list):
        words = [" ".join(map(str, held.values())) if isinstance(held, Mapping) else str(held) for held in facts]
        yield " · ".join(way), "\n".join(words) or "none"
    else:
        yield " · ".join(way), str(facts)
