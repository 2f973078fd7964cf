"""papers-with-abstracts: a dump record to values, and back."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, NamedTuple

from archive.importers import fields
from archive.importers.addressed import Addressed, AddressedWriter, Described
from archive.importers.addressed import identify as identify_addressed
from archive.importers.dump_files import DumpKind
from archive.importers.names import MethodCopy, PrintedMethods
from archive.importers.reading import RawRecord
from archive.importers.residue import residue_of
from archive.importers.session import Seen, Session, spam_rule
from archive.importers.slugs import slug_in
from archive.models import Authorship, Paper, PaperMethod, PaperTask, RecordKind

KIND = RecordKind.PAPER
PAGE = "https://paperswithcode.com/paper/"


@dataclass(slots=True)
class PaperValues:
    """What the columns and lists of one paper hold."""

    slug: str | None
    title: str | None
    abstract: str | None
    short_abstract: str | None
    arxiv_id: str | None
    nips_id: str | None
    openreview_id: str | None
    url_abs: str | None
    url_pdf: str | None
    proceeding: str | None
    date: datetime.date | None
    date_precision: str
    conference_url_abs: str | None
    conference_url_pdf: str | None
    conference: str | None
    reproduces_paper: str | None
    authors: list[str]
    tasks: list[str]
    methods: list[dict[str, Any]]

    def as_dump(self) -> dict[str, Any]:
        """The record in the final dump's form; abstract, date and the addresses are null where a dump may print ""."""
        return {
            "paper_url": f"{PAGE}{self.slug}",
            "arxiv_id": self.arxiv_id,
            "nips_id": self.nips_id,
            "openreview_id": self.openreview_id,
            "title": self.title,
            "abstract": self.abstract,
            "short_abstract": self.short_abstract,
            "url_abs": self.url_abs,
            "url_pdf": self.url_pdf,
            "proceeding": self.proceeding,
            "authors": self.authors,
            "tasks": self.tasks,
            "date": fields.isoformat(self.date),
            "conference_url_abs": self.conference_url_abs,
            "conference_url_pdf": self.conference_url_pdf,
            "conference": self.conference,
            "reproduces_paper": self.reproduces_paper,
            "methods": self.methods,
        }


def parse(raw: fields.Raw) -> PaperValues:
    """Read one record of any era. Never raises; `slug` is None where the record has no address of the old site."""
    text = fields.text
    date, precision = fields.date(raw, "date")
    return PaperValues(
        slug=slug_in(text(raw, "paper_url"), "paper"),
        title=text(raw, "title"),
        abstract=text(raw, "abstract"),
        short_abstract=text(raw, "short_abstract"),
        arxiv_id=text(raw, "arxiv_id"),
        nips_id=text(raw, "nips_id"),
        openreview_id=text(raw, "openreview_id"),
        url_abs=text(raw, "url_abs"),
        url_pdf=text(raw, "url_pdf"),
        proceeding=text(raw, "proceeding"),
        date=date,
        date_precision=precision,
        conference_url_abs=text(raw, "conference_url_abs"),
        conference_url_pdf=text(raw, "conference_url_pdf"),
        conference=text(raw, "conference"),
        reproduces_paper=text(raw, "reproduces_paper"),
        authors=fields.strings(raw, "authors"),
        tasks=fields.strings(raw, "tasks"),
        methods=fields.items(raw, "methods"),
    )


class PaperRows(NamedTuple):
    """The rows of one paper but for the keys that an import gives."""

    before: tuple[Any, ...]
    """The columns before its proceeding."""
    proceeding: str | None
    after: tuple[Any, ...]
    """The columns after it."""
    authors: list[str]
    tasks: list[str]
    methods: list[MethodCopy]


def identify(raw: RawRecord) -> Addressed:
    """How a record is known. Never raises, no query."""
    slug = slug_in(fields.text(raw.value or {}, "paper_url"), "paper")
    return identify_addressed(raw, KIND, slug, ("paper_url", "url_abs", "title"))


def describe(raw: RawRecord) -> Described:
    """What can be said of a record by itself. Never raises, no query."""
    values = parse(raw.value or {})
    rows = PaperRows(
        (
            values.title,
            values.abstract,
            values.short_abstract,
            values.arxiv_id,
            values.nips_id,
            values.openreview_id,
            values.url_abs,
            values.url_pdf,
        ),
        values.proceeding,
        (
            values.date,
            values.date_precision,
            values.conference_url_abs,
            values.conference_url_pdf,
            values.conference,
            values.reproduces_paper,
        ),
        values.authors,
        values.tasks,
        [MethodCopy.of(printed) for printed in values.methods],
    )
    extra = residue_of(raw, values.as_dump())
    return Described(rows, values.title or "", extra, spam_rule(KIND, title=values.title))


class PaperWriter(AddressedWriter):
    """Takes the records of the dump one by one."""

    kind = KIND
    dump = DumpKind.PAPERS
    address = "paper_url"
    page = PAGE

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.printed_methods = PrintedMethods(session.bulk)

    def write(self, seen: Seen, values: PaperRows) -> None:
        """Write the rows of one record, the spine's apart."""
        session, rows, paper = self.session, self.session.bulk.rows, seen.id
        proceeding = session.proceedings(values.proceeding) if values.proceeding else None
        rows(Paper).append((paper, *values.before, proceeding, *values.after))
        rows(Authorship).extend([(paper, i, session.authors(name)) for i, name in enumerate(values.authors)])
        rows(PaperTask).extend([(paper, i, session.tasks.named(name)) for i, name in enumerate(values.tasks)])
        rows(PaperMethod).extend([(paper, i, self.printed_methods(copy)) for i, copy in enumerate(values.methods)])
