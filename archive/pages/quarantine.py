"""What is set aside: records that a rule or a decision calls spam, and dump records that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Length
from django.http import Http404

from archive.models import Record, RecordKind, UnreadableRecord
from archive.pages.base import KIND_NAMES, Page, Provenance, described, documented, quarantine_sentence

SIZE = 100
UNREADABLE_SHOWN = 200
ABOUT = (
    "These records are kept as the archive has them, but are left out of lists, search, feeds and the sitemap. "
    "A rule may be wrong: a record that is set aside keeps its address, where its content is behind a click."
)


@documented
class ReasonSetAside:
    """A reason for setting records of one kind aside."""

    rule: str = described("The rule's name.")
    sentence: str = described("The reason in words.")
    kind: str = described("The kind of record: paper, dataset, task, method, leaderboard, result or code.")
    records: int = described("How many records of that kind are set aside for it.")


@documented
class RecordSetAside:
    """A record that is set aside. Its name is given, nothing else of it."""

    record: str = described("Address on this site of the record.")
    kind: str = described("The kind of record.")
    name: str = described("Its name, verbatim.")
    rule: str = described("The rule's name.")
    sentence: str = described("The reason in words.")

    @property
    def kind_name(self) -> str:
        """The kind in the words of a reader."""
        return KIND_NAMES[RecordKind(self.kind)]


@documented
class UnreadableInDump:
    """A record of a dump that could not be read; it is kept, and exported, as its very bytes."""

    dump: str = described("The dump: papers, datasets, methods, tables or links.")
    ordinal: int = described("0-based position in that dump.")
    problem: str = described("Why it could not be read.")
    size: int = described("Number of its bytes.")
    sha256: str = described("Hexadecimal sha256 of its bytes.")


@documented
class QuarantinePage(Page):
    """`/quarantine`: records that are set aside, 100 on a page, by kind and then in archive order. `after` is the key
    of the record that the page comes after."""

    about: str = described("What being set aside means.", default=ABOUT)
    reasons: Sequence[ReasonSetAside] = described("How many records are set aside, by reason and kind.")
    records: Sequence[RecordSetAside] = described("The records of this page.")
    next_url: str | None = described("Address of the page after; null on the last.")
    unreadable: Sequence[UnreadableInDump] = described(
        "On the first page, records that could not be read, by dump and position; at most 200 are given."
    )
    unreadable_in_all: int = described("How many records could not be read.")
    after: str | None = described("The key of the record that the page comes after; null on the first.")

    @property
    def heading(self) -> str:
        """The page's title."""
        return "Set aside"

    @property
    def indexable(self) -> bool:
        """Not for search engines: spam wants to be listed."""
        return False

    @property
    def total(self) -> int:
        """How many records are set aside."""
        return sum(reason.records for reason in self.reasons)


def build(after: str | None = None) -> QuarantinePage:
    """The page after a record, the first without. At most six queries. Raises Http404 where no record has that key."""
    provenance = Provenance.current()
    records = list(_after(after)[: SIZE + 1])
    measured = UnreadableRecord.objects.annotate(size=Length("source")).defer("source")
    unreadable = measured.order_by("dump", "ordinal", "id")
    return QuarantinePage(
        url=f"/quarantine?after={after}" if after else "/quarantine",
        source=provenance.source,
        provenance=provenance,
        reasons=_reasons(),
        records=[
            RecordSetAside(
                record=record.path,
                kind=record.kind,
                name=record.name,
                rule=record.quarantined,
                sentence=quarantine_sentence(record.quarantined),
            )
            for record in records[:SIZE]
        ],
        next_url=f"/quarantine?after={records[SIZE - 1].key}" if len(records) > SIZE else None,
        unreadable=[] if after else [_unreadable(record) for record in unreadable[:UNREADABLE_SHOWN]],
        unreadable_in_all=UnreadableRecord.objects.count(),
        after=after,
    )


def _after(key: str | None) -> QuerySet[Record]:
    records = (
        Record.objects.filter(withdrawn=False, merged_into=None)
        .quarantined()
        .only("key", "kind", "name", "quarantined")
    )
    if key is None:
        return records
    place = Record.objects.filter(key=key).values_list("kind", "ordinal", "id").first()
    if place is None:
        raise Http404(f"There is no record at /{key} to go on from.")
    kind, ordinal, number = place
    later = Q(ordinal__gt=ordinal) | Q(ordinal=ordinal, id__gt=number)
    return records.filter(Q(kind__gt=kind) | Q(kind=kind) & later)


def _reasons() -> list[ReasonSetAside]:
    counted = (
        Record.objects.filter(withdrawn=False, merged_into=None)
        .exclude(quarantined="")
        .values_list("kind", "quarantined")
        .annotate(n=Count("id"))
        .order_by("kind", "-n", "quarantined")
    )
    return [
        ReasonSetAside(rule=rule, sentence=quarantine_sentence(rule), kind=kind, records=number)
        for kind, rule, number in counted
    ]


def _unreadable(record: Any) -> UnreadableInDump:
    return UnreadableInDump(
        dump=record.dump,
        ordinal=record.ordinal,
        problem=record.problem,
        size=record.size,
        sha256=bytes(record.digest).hex(),
    )
