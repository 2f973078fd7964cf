"""datasets: a dump record to values, and back."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from archive.importers import fields
from archive.importers.addressed import AddressedWriter, Described, describe_named
from archive.importers.addressed import identify as identify_addressed
from archive.importers.dump_files import DumpKind
from archive.importers.reading import Identified, RawRecord
from archive.importers.session import Seen
from archive.importers.slugs import slug_in
from archive.models import (
    DataLoader,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
    RecordKind,
)

KIND = RecordKind.DATASET

PAGE = "https://paperswithcode.com/dataset/"
TASK_PAGE = "https://paperswithcode.com/task/"


@dataclass(slots=True)
class LoaderValues:
    """One data loader."""

    repo: str | None
    url: str | None
    frameworks: list[str]


@dataclass(slots=True)
class DatasetValues:
    """What the columns and lists of one dataset hold. `tasks` are (printed name, slug) pairs."""

    slug: str | None
    name: str | None
    full_name: str | None
    homepage: str | None
    description: str | None
    short_description: str | None
    parent_dataset: str | None
    image: str | None
    audio: str | None
    thumbnail: str | None
    default_image: str | None
    verified_image: str | None
    default_youtube_link: str | None
    paper_title: str | None
    paper_url: str | None
    introduced_date: datetime.date | None
    introduced_date_precision: str
    warning: str | None
    num_papers: int | None
    mention_count: int | None
    license_name: str | None
    license_url: str | None
    verified_name: str | None
    verified_paper_title: str | None
    verified_paper_url: str | None
    modalities: list[str]
    languages: list[str]
    variants: list[str]
    tasks: list[tuple[str, str]]
    data_loaders: list[LoaderValues]

    def as_dump(self) -> dict[str, Any]:
        """The record in the final dump's form."""
        return {
            "url": f"{PAGE}{self.slug}",
            "name": self.name,
            "full_name": self.full_name,
            "homepage": self.homepage,
            "description": self.description,
            "short_description": self.short_description,
            "parent_dataset": self.parent_dataset,
            "image": self.image,
            "audio": self.audio,
            "thumbnail": self.thumbnail,
            "default_image": self.default_image,
            "verified_image": self.verified_image,
            "default_youtube_link": self.default_youtube_link,
            "paper": fields.link_dump(self.paper_title, self.paper_url),
            "mention_count": self.mention_count,
            "introduced_date": fields.isoformat(self.introduced_date),
            "license_name": self.license_name,
            "license_url": self.license_url,
            "verified_name": self.verified_name,
            "verified_paper": fields.link_dump(self.verified_paper_title, self.verified_paper_url),
            "warning": self.warning,
            "modalities": self.modalities,
            "tasks": [{"task": name, "url": f"{TASK_PAGE}{slug}"} for name, slug in self.tasks],
            "languages": self.languages,
            "variants": self.variants,
            "num_papers": self.num_papers,
            "data_loaders": [
                {"url": loader.url, "repo": loader.repo, "frameworks": loader.frameworks}
                for loader in self.data_loaders
            ],
        }


def _tasks(raw: fields.Raw) -> list[tuple[str, str]]:
    pairs = []
    for item in fields.items(raw, "tasks"):
        name, slug = item.get("task"), slug_in(fields.text(item, "url"), "task")
        if isinstance(name, str) and slug is not None:
            pairs.append((name, slug))
    return pairs


def parse(raw: fields.Raw) -> DatasetValues:
    """Read one record of any era. Never raises; `slug` is None where the record has no address of the old site."""
    text = fields.text
    date, precision = fields.date(raw, "introduced_date")
    paper_title, paper_url = fields.link(raw, "paper")
    verified_title, verified_url = fields.link(raw, "verified_paper")
    return DatasetValues(
        slug=slug_in(text(raw, "url"), "dataset"),
        name=text(raw, "name"),
        full_name=text(raw, "full_name"),
        homepage=text(raw, "homepage"),
        description=text(raw, "description"),
        short_description=text(raw, "short_description"),
        parent_dataset=text(raw, "parent_dataset"),
        image=text(raw, "image"),
        audio=text(raw, "audio"),
        thumbnail=text(raw, "thumbnail"),
        default_image=text(raw, "default_image"),
        verified_image=text(raw, "verified_image"),
        default_youtube_link=text(raw, "default_youtube_link"),
        paper_title=paper_title,
        paper_url=paper_url,
        introduced_date=date,
        introduced_date_precision=precision,
        warning=text(raw, "warning"),
        num_papers=fields.integer(raw, "num_papers"),
        mention_count=fields.integer(raw, "mention_count"),
        license_name=text(raw, "license_name"),
        license_url=text(raw, "license_url"),
        verified_name=text(raw, "verified_name"),
        verified_paper_title=verified_title,
        verified_paper_url=verified_url,
        modalities=fields.strings(raw, "modalities"),
        languages=fields.strings(raw, "languages"),
        variants=fields.strings(raw, "variants"),
        tasks=_tasks(raw),
        data_loaders=[
            LoaderValues(fields.text(item, "repo"), fields.text(item, "url"), fields.strings(item, "frameworks"))
            for item in fields.items(raw, "data_loaders")
        ],
    )


def identify(raw: RawRecord) -> Identified:
    """How a record is known. Never raises, no query."""
    return identify_addressed(raw, KIND, slug_in(fields.text(raw.value or {}, "url"), "dataset"), ("url", "name"))


def describe(raw: RawRecord) -> Described:
    """What can be said of a record by itself. Never raises, no query."""
    return describe_named(raw, KIND, parse(raw.value or {}))


class DatasetWriter(AddressedWriter):
    """Takes the records of the dump one by one."""

    kind = KIND
    dump = DumpKind.DATASETS
    address = "url"
    page = PAGE

    def write(self, seen: Seen, values: DatasetValues) -> None:
        """Write the rows of one record, the spine's apart."""
        session = self.session
        self._write_lists(seen.id, values)
        session.bulk.rows(Dataset).append(
            (
                seen.id,
                values.name,
                values.full_name,
                values.homepage,
                values.description,
                values.short_description,
                values.parent_dataset,
                values.image,
                values.audio,
                values.thumbnail,
                values.default_image,
                values.verified_image,
                values.default_youtube_link,
                values.paper_title,
                values.paper_url,
                None,
                values.introduced_date,
                values.introduced_date_precision,
                values.warning,
                values.num_papers,
                values.mention_count,
                values.license_name,
                values.license_url,
                values.verified_name,
                values.verified_paper_title,
                values.verified_paper_url,
            )
        )

    def _write_lists(self, dataset: int, values: DatasetValues) -> None:
        session, rows = self.session, self.session.bulk.rows
        rows(DatasetModality).extend((dataset, i, session.modalities(n)) for i, n in enumerate(values.modalities))
        rows(DatasetLanguage).extend((dataset, i, session.languages(n)) for i, n in enumerate(values.languages))
        rows(DatasetVariant).extend((dataset, i, name) for i, name in enumerate(values.variants))
        rows(DatasetTask).extend(
            (dataset, i, *session.tasks.addressed(slug, name)) for i, (name, slug) in enumerate(values.tasks)
        )
        rows(DataLoader).extend(
            (dataset, i, loader.repo, loader.url, loader.frameworks) for i, loader in enumerate(values.data_loaders)
        )
