"""papers-with-abstracts: a dump record to values, and back."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from archive.importers import fields
from archive.importers.addressed import AddressedWriter, Described
from archive.importers.addressed import identify as identify_addressed
from archive.importers.bulk import columns
from archive.importers.dump_files import DumpKind
from archive.importers.names import MethodCopy, PrintedMethods
from archive.importers.reading import Identified, RawRecord
from archive.importers.residue import residue_of
from archive.importers.session import Seen, Session, name_columns, spam_rule
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


PaperRows = tuple[str, str | None, str, list[str], list[str], list[MethodCopy]]
"""The rows of one paper but for the keys that an import gives: the columns before its proceeding, that, and the columns
after it; authors, tasks and methods. Plain, since it goes from one process to another."""


def identify(raw: RawRecord) -> Identified:
    """How a record is known. Never raises, no query."""
    slug = slug_in(fields.text(raw.value or {}, "paper_url"), "paper")
    return identify_addressed(raw, KIND, slug, ("paper_url", "url_abs", "title"))


def describe(raw: RawRecord) -> Described:
    """What can be said of a record by itself. Never raises, no query."""
    values = parse(raw.value or {})
    rows: PaperRows = (
        columns(
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
        columns(
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
    return Described(rows, name_columns(values.title or ""), extra, spam_rule(KIND, title=values.title))


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
        session, lines, paper = self.session, self.session.bulk.lines, seen.id
        before, printed, after, authors, tasks, methods = values
        proceeding = columns(session.proceedings(printed) if printed else None)
        lines(Paper).append(f"{paper}\t{before}\t{proceeding}\t{after}\n")
        lines(Authorship).extend([f"{paper}\t{i}\t{session.authors(name)}\n" for i, name in enumerate(authors)])
        lines(PaperTask).extend([f"{paper}\t{i}\t{session.tasks.named(name)}\n" for i, name in enumerate(tasks)])
        lines(PaperMethod).extend([f"{paper}\t{i}\t{self.printed_methods(copy)}\n" for i, copy in enumerate(methods)])
