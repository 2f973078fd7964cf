"""What all pages share: the frame, where the data comes from, and why something is not there."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.db.models import Case, Exists, F, OuterRef, Q, When

from archive.importers.dump_files import DumpKind
from archive.importers.spam import rules
from archive.models import Base, ImportedFile, Record, RecordKind
from archive.pages.documented import described, documented
from archive.pages.view import State, ToldView

__all__ = [
    "Absence",
    "Absent",
    "CorrectedCell",
    "Crumb",
    "Page",
    "Provenance",
    "RecordPage",
    "RecordState",
    "Retrieved",
    "Source",
    "described",
    "documented",
    "missing",
    "public",
    "public_key",
    "title_is_sealed",
]


class Absence(StrEnum):
    """Why a value is not there: a closed list, each reason with the sentence that pages and JSON give for it.

    None of these means zero, or an empty text.
    """

    sentence: str

    def __new__(cls, value: str, sentence: str) -> Absence:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    NOT_IN_ARCHIVE = "not-in-archive", "The archive gives none."
    NOT_PUBLISHED = "not-published", "The archive never published it."
    NOT_MATCHED = "not-matched", "The archive names it, but holds no record that matches."
    UNKNOWN = "unknown", "Not known."
    WITHHELD = "withheld", "Withheld by a decision."
    QUARANTINED = "quarantined", "Set aside as spam or as unreadable."
    DROPPED = "dropped", "Not in the newest snapshot."
    NOT_PROBED = "not-probed", "Not probed."
    NOT_RUN = "not-run", "Not run. Nothing on this page verifies that the listed code works."
    NOT_ON_MAP = "not-on-map", "Not on the map of citations."
    NO_REFERENCE_LIST = "no-reference-list", "No reference list yet."
    NO_RANK = "no-rank", "No rank: the row is not in the snapshot."


@documented
class Absent:
    """Why one key of a page holds nothing."""

    reason: Absence = described("One of a closed list of reasons.")
    sentence: str = described("The reason in words.")

    @classmethod
    def because(cls, reason: Absence, sentence: str = "") -> Absent:
        """Give the reason in its own sentence, or in a more exact one."""
        return cls(reason=reason, sentence=sentence or reason.sentence)


def missing(content: Mapping[str, Any], leave_out: Sequence[str] = ()) -> dict[str, Absent]:
    """By key: that the archive gives none, for each value that is None, an empty text or an empty list."""
    reason = Absent.because(Absence.NOT_IN_ARCHIVE)
    return {
        key: reason for key, value in content.items() if key not in leave_out and (value is None or value in ("", []))
    }


@documented
class Source:
    """The archive, and the day it was frozen."""

    archive: str = described("The archive's title, with its licence.")
    snapshot: datetime.date | None = described("The day the archive was frozen; null while nothing is imported.")


@documented
class Retrieved:
    """One dump of the archive."""

    file: str = described("The dump's name on the old site, without its ending.")
    retrieved: datetime.date = described("The day the dump was retrieved.")
    sha256: Sequence[str] = described("Hexadecimal sha256 of the file, or of each of its parts in their order.")


LICENCES = {"CC BY-SA 4.0": "https://creativecommons.org/licenses/by-sa/4.0/"}


@documented
class Provenance:
    """Where the archive's statements come from, and under which licence they may be used."""

    source: Source = described("The archive and its snapshot.", json=False)
    archive_name: str | None = described("Short name of the archive.", key="archive")
    licence: str | None = described("Licence of the archive's text and data; a dataset's own licence is another.")
    licence_url: str | None = described("Address of that licence.")
    dumps: Mapping[str, Retrieved] = described(
        "By dump (papers, datasets, methods, tables, links): what was retrieved."
    )

    @classmethod
    def of_nothing(cls) -> Provenance:
        """While nothing is imported."""
        source = Source(archive="Nothing is imported yet", snapshot=None)
        return cls(source=source, archive_name=None, licence=None, licence_url=None, dumps={})

    @classmethod
    def current(cls) -> Provenance:
        """The provenance of what the archive holds now. One query.

        Each dump is the newest imported one: a run may bring only some of the five.
        """
        files = list(ImportedFile.objects.order_by("dump", "-run_id").distinct("dump").select_related("run"))
        if not files:
            return cls.of_nothing()
        run = max((file.run for file in files), key=lambda run: run.pk)
        return cls(
            source=Source(archive=run.title, snapshot=run.snapshot),
            archive_name=run.archive,
            licence=run.licence,
            licence_url=LICENCES.get(run.licence),
            dumps={
                file.dump: Retrieved(file=DumpKind(file.dump).file_name, retrieved=file.retrieved, sha256=file.sha256)
                for file in files
            },
        )


@documented
class Crumb:
    """One step of the way from the front page to a page."""

    name: str = described("The words of the step.")
    url: str = described("Its address on this site.")


@documented
class Page(ABC):
    """The frame of every page. Subclasses add what the page says.

    A subclass that repeats `source` or another inherited field gives that key its place in the JSON.
    """

    section: ClassVar[str] = ""
    """The address of the site's section that the page belongs to, marked in the navigation."""

    url: str = described("The page's address on this site, without the host.")
    source: Source = described("The archive the page is made from, and the day it was frozen.")
    provenance: Provenance = described("Licence of the archive, and each of its dumps with the day it was retrieved.")
    absent: Mapping[str, Absent] = described(
        "Why a key is null or empty, by key; `a.b` is key b inside key a.", default_factory=dict
    )

    @property
    @abstractmethod
    def heading(self) -> str:
        """The page's one h1, also the beginning of its title."""

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The steps above the page, the front page left out."""
        return ()

    @property
    def indexable(self) -> bool:
        """Whether search engines may list the page."""
        return True

    @property
    def canonical_url(self) -> str:
        """The address under which search engines may list what the page says."""
        return self.url

    @property
    def json_url(self) -> str:
        """The address of the page's JSON twin."""
        parts = urlsplit(self.url)
        return parts._replace(path=("/index" if parts.path == "/" else parts.path) + ".json").geturl()


@documented
class RecordState:
    """What the archive knows of a record as such: its key, where it came from, and whether it is set aside."""

    key: str = described("The record's public key, which is its path and never changes.")
    kind: str = described("paper, dataset, task, method, leaderboard, result or code.")
    revision: int = described("Counts the changes of the record since its first import.")
    dump: str = described(
        "The dump that gave the record: papers, datasets, methods, tables or links; decision where none did."
    )
    ordinal: int = described("0-based position in that dump of the record, or of the top-level task that holds it.")
    digest: str | None = described(
        "Hexadecimal sha256 of the record's canonical form; null for a task that is only named by other records."
    )
    quarantined: Absent | None = described("Why the record is set aside and its content not given; null if it is not.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds the record; null if none.")

    @classmethod
    def of(cls, record: Record) -> RecordState:
        """The state of a record. No query."""
        return cls(
            key=record.key,
            kind=record.kind,
            revision=record.revision,
            dump=record.dump,
            ordinal=record.ordinal,
            digest=bytes(record.digest).hex() if record.digest is not None else None,
            quarantined=Absent.because(Absence.QUARANTINED, quarantine_sentence(record.quarantined))
            if record.quarantined
            else None,
            dropped_in=record.dropped_in,
        )

    @property
    def kind_name(self) -> str:
        """The kind in the words of a reader."""
        return KIND_NAMES[RecordKind(self.kind)]


def public(prefix: str = "record__") -> Q:
    """The condition of `RecordQuerySet.public` across a relation, so that lists can be made from the kinds' tables."""
    return Q(**{f"{prefix}quarantined": "", f"{prefix}withdrawn": False, f"{prefix}merged_into": None})


def public_key(prefix: str) -> Case:
    """The key of a related record that pages may link to, else NULL, as an expression."""
    return Case(When(public(prefix), then=F(f"{prefix}key")))


def title_is_sealed(paper: str) -> Exists:
    """Whether the snapshot's title of a related paper is sealed, so that no copy of it is shown, as an expression."""
    return Exists(Base.objects.filter(record=OuterRef(paper), field="title", sealed=True))


KIND_NAMES = {
    RecordKind.PAPER: "paper",
    RecordKind.DATASET: "dataset",
    RecordKind.TASK: "task",
    RecordKind.METHOD: "method",
    RecordKind.LEADERBOARD: "leaderboard",
    RecordKind.RESULT: "result",
    RecordKind.CODE: "code link",
}


def quarantine_sentence(rule: str) -> str:
    """Why a record is set aside, in a sentence: the reason of the rule with that id."""
    known = rules().get(rule)
    return known.reason if known else Absence.QUARANTINED.sentence


@documented
class CorrectedCell:
    """A value that a decision changed: what the snapshot says, and what stands now."""

    record: str = described("Public key of the record whose value it is, the page's own or one that the page shows.")
    field: str = described("The field, as in the list of correctable fields.")
    snapshot: Any = described("The newest snapshot's value; null also stands for nothing there, and for a sealed one.")
    current: Any = described("The value that stands, or stood on the day asked for; null for nothing there.")
    decision: int = described("Number of the last decision on it; its address is /corrections/<number>.")
    sealed: Absent | None = described("That the snapshot's value is sealed; null if it is not.")
    hidden: Absent | None = described("Why the value that stands is shown to nobody; null if it is shown.")


@documented
class RecordPage(Page):
    """The page of one record."""

    FRAME: ClassVar = frozenset({"url", "source", "provenance", "absent", "record", "view", "open_reports"})

    record: RecordState = described("The record's key, its origin in the dumps, and its state.")
    view: ToldView | None = described(
        "That the plain keys hold other values than those that stand now, by ?view=snapshot or ?as_of=YYYY-MM-DD; "
        "null where they hold those.",
        default=None,
    )
    corrections: Sequence[CorrectedCell] = described(
        "Each value on the page that a decision changed: the plain keys hold the current ones, but in the view of the "
        "snapshot.",
        default_factory=list,
    )
    open_reports: int = described("Number of open reports on the record, from the minute they are filed.", default=0)
    open_by_field: Mapping[str, int] = described("The same by field.", json=False, default_factory=dict)

    @cached_property
    def corrected(self) -> Mapping[str, Mapping[str, CorrectedCell]]:
        """The corrected values by public key, then by field."""
        found: dict[str, dict[str, CorrectedCell]] = {}
        for cell in self.corrections:
            found.setdefault(cell.record, {})[cell.field] = cell
        return found

    @property
    def indexable(self) -> bool:
        """A record that is set aside is not for search engines, nor is what does not stand now."""
        return self.record.quarantined is None and self.view is None

    @property
    def in_snapshot(self) -> bool:
        """Whether the page shows the snapshot without corrections."""
        return self.view is not None and self.view.state == State.SNAPSHOT

    @property
    def canonical_url(self) -> str:
        """Of a page in another view: the address of what stands now."""
        return f"/{self.record.key}" if self.view else self.url

    @property
    def set_aside(self) -> list[tuple[str, str]]:
        """The texts of a record that is set aside, by key, to be shown as they are behind a click.

        Sentences of our own are fields with a default; they are left out.
        """
        given = [field.name for field in fields(self) if field.default is MISSING and field.name not in self.FRAME]
        return [(name, text) for name in given if isinstance(text := getattr(self, name), str)]

    def extend_json(self, plain: dict[str, Any]) -> dict[str, Any]:
        """Keep the keys of a record that is set aside, but not its content: null, with the reason."""
        if self.record.quarantined is None:
            return plain
        reason = {"reason": str(self.record.quarantined.reason), "sentence": self.record.quarantined.sentence}
        content = [key for key in plain if key not in self.FRAME]
        return {**plain, **dict.fromkeys(content), "absent": dict.fromkeys(content, reason)}
