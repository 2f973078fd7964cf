"""methods: a dump record to values, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from archive.importers import fields
from archive.importers.addressed import AddressedWriter, Described, describe_named
from archive.importers.addressed import identify as identify_addressed
from archive.importers.dump_files import DumpKind
from archive.importers.names import Collections
from archive.importers.reading import Identified, RawRecord
from archive.importers.session import Seen, Session
from archive.importers.slugs import slug_in
from archive.models import CollectionMembership, Method, RecordKind

KIND = RecordKind.METHOD

LONGEST_NAME = 200
"""Characters that a collection's name, and each name of its area, may have."""

PAGE = "https://paperswithcode.com/method/"


@dataclass(slots=True)
class MethodValues:
    """What the columns and lists of one method hold. `collections` are (name, area id, area) triples."""

    slug: str | None
    name: str | None
    full_name: str | None
    description: str | None
    paper_title: str | None
    paper_url: str | None
    introduced_year: int | None
    source_url: str | None
    source_title: str | None
    code_snippet_url: str | None
    num_papers: int | None
    collections: list[tuple[str, str, str]]

    def as_dump(self) -> dict[str, Any]:
        """The record in the final dump's form."""
        return {
            "url": f"{PAGE}{self.slug}",
            "name": self.name,
            "full_name": self.full_name,
            "description": self.description,
            "paper": fields.link_dump(self.paper_title, self.paper_url),
            "introduced_year": self.introduced_year,
            "source_url": self.source_url,
            "source_title": self.source_title,
            "code_snippet_url": self.code_snippet_url,
            "num_papers": self.num_papers,
            "collections": [
                {"collection": name, "area_id": area_id, "area": area} for name, area_id, area in self.collections
            ],
        }


def _collections(raw: fields.Raw) -> list[tuple[str, str, str]]:
    triples = []
    for item in fields.items(raw, "collections"):
        name, area_id, area = item.get("collection"), item.get("area_id"), item.get("area")
        if not (isinstance(name, str) and isinstance(area_id, str) and isinstance(area, str)):
            continue
        # One index entry has to hold all three. What is longer is vandalism, and comes back from `extra`.
        if max(map(len, (name, area_id, area))) <= LONGEST_NAME:
            triples.append((name, area_id, area))
    return triples


def parse(raw: fields.Raw) -> MethodValues:
    """Read one record of any era. Never raises; `slug` is None where the record has no address of the old site."""
    text = fields.text
    paper_title, paper_url = fields.link(raw, "paper")
    return MethodValues(
        slug=slug_in(text(raw, "url"), "method"),
        name=text(raw, "name"),
        full_name=text(raw, "full_name"),
        description=text(raw, "description"),
        paper_title=paper_title,
        paper_url=paper_url,
        introduced_year=fields.integer(raw, "introduced_year"),
        source_url=text(raw, "source_url"),
        source_title=text(raw, "source_title"),
        code_snippet_url=text(raw, "code_snippet_url"),
        num_papers=fields.integer(raw, "num_papers"),
        collections=_collections(raw),
    )


def identify(raw: RawRecord) -> Identified:
    """How a record is known. Never raises, no query."""
    return identify_addressed(raw, KIND, slug_in(fields.text(raw.value or {}, "url"), "method"), ("url", "name"))


def describe(raw: RawRecord) -> Described:
    """What can be said of a record by itself. Never raises, no query."""
    return describe_named(raw, KIND, parse(raw.value or {}))


class MethodWriter(AddressedWriter):
    """Takes the records of the dump one by one."""

    kind = KIND
    dump = DumpKind.METHODS
    address = "url"
    page = PAGE

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.collections = Collections(session.bulk)

    def write(self, seen: Seen, values: MethodValues) -> None:
        """Write the rows of one record, the spine's apart."""
        session = self.session
        rows = session.bulk.rows
        rows(CollectionMembership).extend(
            (seen.id, i, self.collections(triple)) for i, triple in enumerate(values.collections)
        )
        rows(Method).append(
            (
                seen.id,
                values.name,
                values.full_name,
                values.description,
                values.paper_title,
                values.paper_url,
                None,
                values.introduced_year,
                values.source_url,
                values.source_title,
                values.code_snippet_url,
                values.num_papers,
            )
        )
