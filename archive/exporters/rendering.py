"""Every dump record again, from the database alone: columns and lists, and then what `extra` says of the rest.

All functions stream; call them inside a transaction, else the database keeps the whole result for the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, NamedTuple

from django.db import connection

from archive.canonical import canonical_parsed, parse_exact
from archive.exporters.states import Bases, State
from archive.importers.code_links import CodeLinkValues
from archive.importers.datasets import DatasetValues, LoaderValues
from archive.importers.dump_files import DumpKind
from archive.importers.methods import MethodValues
from archive.importers.papers import PaperValues
from archive.importers.residue import restore


class BrokenRecord(Exception):
    """A record can not be put together again, since what the database holds of it was altered."""


class Rendered(NamedTuple):
    """A dump record as the database has it: its key, its place in the dump, the digest taken at import, its value.

    The value is an exception where the record could not be put together: one altered cell keeps nobody from
    reading the others.
    """

    key: str
    ordinal: int
    digest: bytes
    value: dict[str, Any] | Exception
    sealed: bool = False

    def canonical(self) -> bytes:
        """The record's canonical form. Raises BrokenRecord."""
        try:
            return canonical_parsed(self.value)
        except (TypeError, ValueError) as error:
            raise BrokenRecord(f"{self.key} can not be put together: {self.value!r}") from error


def put_together(
    bases: Bases, record: int, key: str, ordinal: int, digest: bytes, extra: str, read: Callable[[], Any]
) -> Rendered:
    """A record from what `read` makes of its columns, the snapshot's values of corrected cells, and `extra`."""
    value: dict[str, Any] | Exception
    try:
        values = read()
        bases.put_back(record, values)
        bases.take_off(record, values)
        value = restore(values.as_dump(), extra, bases.without_oddities(record))
    except Exception as error:  # there is no telling what an altered cell leads to
        value = error
    return Rendered(key, ordinal, bytes(digest), value, record in bases.sealed)


_RECORD = "r.id, r.key, r.ordinal, r.digest, r.extra"

# What a snapshot export holds: all that its own dump gave, quarantined or not; a dropped record is of an older one.
_WHERE = "r.dump = '{dump}' AND r.dropped_in IS {{dropped}} {{public}} ORDER BY r.ordinal, r.id"

PUBLIC = "AND r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL"
"""The condition on a record `r` that the current state shows."""


def _list(select: str, table: str, owner: str, join: str = "") -> str:
    return f"""ARRAY(SELECT {select} FROM {table} l {join} WHERE l.{owner} = r.id ORDER BY l.position)"""


_PAPERS = f"""
    SELECT {_RECORD}, p.title, p.abstract, p.short_abstract, p.arxiv_id, p.nips_id, p.openreview_id, p.url_abs,
      p.url_pdf, pr.name, p.date, p.date_precision, p.conference_url_abs, p.conference_url_pdf, p.conference,
      p.reproduces_paper,
      {_list("t.name", "archive_authorship", "paper_id", "JOIN archive_author t ON t.id = l.author_id")},
      {_list("t.name", "archive_papertask", "paper_id", "JOIN archive_taskname t ON t.id = l.name_id")},
      {_list("t.content", "archive_papermethod", "paper_id", "JOIN archive_printedmethod t ON t.id = l.printed_id")}
    FROM archive_record r JOIN archive_paper p ON p.record_id = r.id
    LEFT JOIN archive_proceeding pr ON pr.id = p.proceeding_id
    WHERE {_WHERE.format(dump=DumpKind.PAPERS)}
"""

_DATASETS = f"""
    SELECT {_RECORD}, d.name, d.full_name, d.homepage, d.description, d.short_description, d.parent_dataset, d.image,
      d.audio, d.thumbnail, d.default_image, d.verified_image, d.default_youtube_link, d.paper_title, d.paper_url,
      d.introduced_date, d.introduced_date_precision, d.warning, d.num_papers, d.mention_count, d.license_name,
      d.license_url, d.verified_name, d.verified_paper_title, d.verified_paper_url,
      {_list("t.name", "archive_datasetmodality", "dataset_id", "JOIN archive_modality t ON t.id = l.modality_id")},
      {_list("t.name", "archive_datasetlanguage", "dataset_id", "JOIN archive_language t ON t.id = l.language_id")},
      {_list("l.name", "archive_datasetvariant", "dataset_id")},
      (SELECT coalesce(json_agg(json_build_array(n.name, substr(tr.key, 6)) ORDER BY l.position), '[]')
         FROM archive_datasettask l JOIN archive_taskname n ON n.id = l.name_id
         JOIN archive_record tr ON tr.id = l.task_id WHERE l.dataset_id = r.id)::text,
      (SELECT coalesce(json_agg(json_build_array(l.repo, l.url, l.frameworks) ORDER BY l.position), '[]')
         FROM archive_dataloader l WHERE l.dataset_id = r.id)::text
    FROM archive_record r JOIN archive_dataset d ON d.record_id = r.id
    WHERE {_WHERE.format(dump=DumpKind.DATASETS)}
"""

_METHODS = f"""
    SELECT {_RECORD}, m.name, m.full_name, m.description, m.paper_title, m.paper_url, m.introduced_year, m.source_url,
      m.source_title, m.code_snippet_url, m.num_papers,
      (SELECT coalesce(json_agg(json_build_array(c.name, c.area_id, c.area) ORDER BY l.position), '[]')
         FROM archive_collectionmembership l JOIN archive_collection c ON c.id = l.collection_id
         WHERE l.method_id = r.id)::text
    FROM archive_record r JOIN archive_method m ON m.record_id = r.id
    WHERE {_WHERE.format(dump=DumpKind.METHODS)}
"""

_LINKS = f"""
    SELECT {_RECORD}, l.paper_url, l.paper_title, l.paper_arxiv_id, l.paper_url_abs, l.paper_url_pdf, l.repo_url,
      l.is_official, l.mentioned_in_paper, l.mentioned_in_github, f.name
    FROM archive_record r JOIN archive_codelink l ON l.record_id = r.id
    LEFT JOIN archive_framework f ON f.id = l.framework_id
    WHERE {_WHERE.format(dump=DumpKind.LINKS)}
"""


def _paper(slug: str, columns: list[Any]) -> PaperValues:
    *plain, printed = columns
    return PaperValues(slug, *[*plain, [parse_exact(content) for content in printed]])


def _dataset(slug: str, columns: list[Any]) -> DatasetValues:
    *plain, tasks, loaders = columns
    pairs = [(name, task) for name, task in parse_exact(tasks)]
    return DatasetValues(slug, *[*plain, pairs, [LoaderValues(*loader) for loader in parse_exact(loaders)]])


def _method(slug: str, columns: list[Any]) -> MethodValues:
    *plain, collections = columns
    return MethodValues(slug, *[*plain, [(name, key, area) for name, key, area in parse_exact(collections)]])


def _link(_slug: str, columns: list[Any]) -> CodeLinkValues:
    return CodeLinkValues(*columns)


_FLAT: dict[DumpKind, tuple[str, Callable[[str, list[Any]], Any]]] = {
    DumpKind.PAPERS: (_PAPERS, _paper),
    DumpKind.DATASETS: (_DATASETS, _dataset),
    DumpKind.METHODS: (_METHODS, _method),
    DumpKind.LINKS: (_LINKS, _link),
}


def flat_records(
    dump: DumpKind, state: State = State.SNAPSHOT, *, dropped: bool = False
) -> Generator[Rendered, None, None]:
    """The readable records of any dump but the evaluation tables, in archive order. Two queries, one streamed.

    The current state leaves out what is quarantined, withdrawn or merged away. `dropped` gives those that the newest
    snapshot no longer holds, instead of those that it holds.
    """
    statement, render = _FLAT[dump]
    bases = Bases(state)
    with connection.chunked_cursor() as cursor:
        public = PUBLIC if state == State.CURRENT else ""
        cursor.execute(statement.replace("{public}", public).replace("{dropped}", "NOT NULL" if dropped else "NULL"))
        for record, key, ordinal, digest, extra, *columns in cursor:
            read = partial(render, key.partition("/")[2], columns)
            yield put_together(bases, record, key, ordinal, digest, extra, read)


def unreadable_records(dump: DumpKind) -> Iterator[tuple[int, bytes, bytes]]:
    """Ordinal, bytes and digest of the records of a dump that could not be read, in archive order. One query."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT ordinal, source, digest FROM archive_unreadablerecord WHERE dump = %s ORDER BY ordinal, id",
            [str(dump)],
        )
        for ordinal, source, digest in cursor:
            yield ordinal, bytes(source), bytes(digest)
