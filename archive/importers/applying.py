"""The staged rows of a re-import into the archive: one short transaction in which only what differs is written."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from django.db import connection, models
from django.db.backends.utils import CursorWrapper

from archive.importers.bulk import Bulk, columns_of
from archive.importers.dump_files import DumpKind
from archive.importers.session import Places, Session
from archive.models import (
    Authorship,
    CollectionMembership,
    DataLoader,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
    PaperMethod,
    PaperTask,
    Record,
    ResultMetric,
    TaskArea,
    TaskNode,
    TaskSynonym,
    TaskTable,
    UnreadableRecord,
)

OWNED: dict[type[models.Model], str] = {
    Authorship: "paper_id",
    PaperTask: "paper_id",
    PaperMethod: "paper_id",
    DatasetModality: "dataset_id",
    DatasetLanguage: "dataset_id",
    DatasetTask: "dataset_id",
    DatasetVariant: "dataset_id",
    DataLoader: "dataset_id",
    CollectionMembership: "method_id",
    TaskArea: "task_id",
    TaskSynonym: "task_id",
    ResultMetric: "result_id",
}
"""Lists that belong to a record, by the column that says to which: a changed record gets its list anew."""

KEPT: dict[type[models.Model], set[str]] = {Record: {"key", "identity", "revision", "withdrawn", "merged_into_id"}}
"""Columns that an import never overwrites."""


def apply_staged(bulk: Bulk) -> None:
    """Merge all staged tables but the tree's, foreign keys being checked at commit. Needs the import's transaction."""
    staged = set(bulk.models) - {TaskNode, TaskTable, UnreadableRecord}
    with connection.cursor() as cursor:
        if Record in staged:
            cursor.execute("CREATE INDEX ON stage_archive_record (id)")
            cursor.execute("ANALYZE stage_archive_record")
            for model, owner in OWNED.items():
                cursor.execute(
                    f"DELETE FROM {model._meta.db_table} WHERE {owner} IN (SELECT id FROM stage_archive_record)"
                )
        for model in staged:
            _merge(cursor, model)


def _merge(cursor: CursorWrapper, model: type[models.Model]) -> None:
    table, columns = model._meta.db_table, columns_of(model)
    names = ", ".join(columns)
    statement = f"INSERT INTO {table} ({names}) SELECT {names} FROM stage_{table}"
    if model not in OWNED:
        key = model._meta.pk.column
        kept = KEPT.get(model, set()) | {key}
        news = [f"{name} = EXCLUDED.{name}" for name in columns if name not in kept]
        if model is Record:
            news.append("revision = archive_record.revision + 1")
        statement += f" ON CONFLICT ({key}) DO UPDATE SET {', '.join(news)}"
    cursor.execute(statement)


def replace_tree(bulk: Bulk) -> None:
    """Put the staged tree, which is the whole of it, in place of the old."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM archive_tasktable")
        cursor.execute("DELETE FROM archive_tasknode")
        for model in (TaskNode, TaskTable):
            if model in bulk.models:
                table, names = model._meta.db_table, ", ".join(columns_of(model))
                cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM stage_{table}")


def replace_unreadable(bulk: Bulk, superseded: Iterable[DumpKind]) -> None:
    """The unreadable records: those of superseded dumps all anew, others added to those there are."""
    table = UnreadableRecord._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE dump = ANY(%s)", [[str(dump) for dump in superseded]])
        if UnreadableRecord in bulk.models:
            names = ", ".join(columns_of(UnreadableRecord))
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM stage_{table} ON CONFLICT DO NOTHING")


def move(session: Session, repositioned: Places) -> None:
    """Records that stand elsewhere in the dump than before, and rows elsewhere in their leaderboard."""
    for table, key, column, moved in (
        ("archive_record", "id", "ordinal", session.moved),
        ("archive_result", "record_id", "position", repositioned),
    ):
        if moved.ids:
            with connection.cursor() as cursor:
                cursor.execute(
                    f"UPDATE {table} target SET {column} = moved.place "
                    f"FROM unnest(%s::bigint[], %s::int[]) AS moved (id, place) WHERE target.{key} = moved.id",
                    [moved.ids.tolist(), moved.places.tolist()],
                )


def mark_dropped(session: Session, snapshot: datetime.date) -> int:
    """Mark what a later snapshot lacks, of the dumps that it brings. Gives the number of records marked.

    Rows that stay marked lose their places, so the marks of those that are back go first: see `unmark_seen`.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE seen (id bigint PRIMARY KEY) ON COMMIT DROP")
        with cursor.copy("COPY seen FROM STDIN") as copy:
            for key in session.seen_ids:
                copy.write_row((key,))
        if Record in session.bulk.models:
            cursor.execute("INSERT INTO seen SELECT id FROM stage_archive_record ON CONFLICT DO NOTHING")
        cursor.execute(
            """
            UPDATE archive_record r SET dropped_in = %s
            WHERE dump = ANY(%s) AND digest IS NOT NULL AND dropped_in IS NULL
              AND NOT EXISTS (SELECT FROM seen WHERE seen.id = r.id)
            """,
            [snapshot, [str(dump) for dump in session.superseded]],
        )
        dropped = cursor.rowcount
        cursor.execute("DROP TABLE seen")
        cursor.execute(
            "UPDATE archive_result SET position = NULL FROM archive_record r "
            "WHERE r.id = record_id AND r.dropped_in IS NOT NULL AND position IS NOT NULL"
        )
    return dropped


def unmark_seen(session: Session) -> None:
    """Records that the dump holds again are no longer dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE archive_record SET dropped_in = NULL WHERE dropped_in IS NOT NULL AND id = ANY(%s)",
            [session.seen_ids.tolist()],
        )
