"""Each named constraint of the archive, refused by PostgreSQL itself, to the owner in the middle of an import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from archive.models.records import RecordKind


def run(*statements: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def refused_by(case: Case) -> str | None:
    """The name of the constraint that refuses the last statement, at once or at the commit; None if none does."""
    *before, last = [
        step.statement() if isinstance(step, Copy) else step for step in (case if isinstance(case, tuple) else (case,))
    ]
    with transaction.atomic():
        run("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED", *before)
        try:
            with transaction.atomic():
                run(last, "SET CONSTRAINTS ALL IMMEDIATE")
        except DatabaseError as error:
            cause = error.__cause__
            assert isinstance(cause, psycopg.errors.IntegrityError), error
            return cause.diag.constraint_name
        finally:
            transaction.set_rollback(True)
    return None


def one(table: str, change: str, where: str = "true", key: str = "record_id") -> str:
    """A statement that changes one row."""
    return f"UPDATE {table} SET {change} WHERE {key} = (SELECT min({key}) FROM {table} WHERE {where})"


@dataclass(frozen=True)
class Copy:
    """A statement that adds a row like the first one of a table, but for some columns."""

    table: str
    changed: Mapping[str, str] = field(default_factory=dict)

    def statement(self) -> str:
        """The INSERT, written for the columns that the table has."""
        columns = run(
            "SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attgenerated = ''"
            f" AND attrelid = '{self.table}'::regclass AND (attname <> 'id' OR {'id' in self.changed})"
        )
        names = [f'"{name}"' for (name,) in columns]
        values = [self.changed.get(str(name), f'"{name}"') for (name,) in columns]
        return f"INSERT INTO {self.table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {self.table} LIMIT 1"


Case = str | Copy | tuple[str | Copy, ...]


TERMS = ("area", "author", "framework", "language", "modality", "proceeding")
DATES = {
    "archive_paper_date_has_precision": ("archive_paper", "date", "date_precision"),
    "archive_dataset_date_has_precision": ("archive_dataset", "introduced_date", "introduced_date_precision"),
    "archive_result_date_has_precision": ("archive_result", "paper_date", "paper_date_precision"),
}
A_KEY = "archive_record_key_is_the_path_of_its_kind"
WITHOUT_KEY = f"ALTER TABLE archive_record DROP CONSTRAINT {A_KEY}"
ROOT = "parent_id IS NULL"
NODE = "parent_id IS NOT NULL"
SHA = r"'\x" + 32 * "00" + "'"

# Constraint -> statements, each of which it alone refuses. A tuple's first statements prepare, the last is refused.
CASES: dict[str, list[Case]] = {
    "archive_record_kind_is_known": [
        (WITHOUT_KEY, one("archive_record", "kind = 'book'", key="id")),
        (WITHOUT_KEY, one("archive_record", "kind = ''", key="id")),
    ],
    A_KEY: [
        one("archive_record", "kind = 'book'", key="id"),
        one("archive_record", "kind = 'method'", "kind = 'dataset'", key="id"),
        *(
            one("archive_record", f"key = '{key}'", f"kind = '{kind}'", key="id")
            for kind, keys in {
                RecordKind.PAPER: ["", "paper/", "paper/a/b", "/paper/a", "papers/a", "method/a", "paper/a/code/1"],
                RecordKind.DATASET: ["dataset/", "dataset/a/b", "dataset"],
                RecordKind.TASK: ["task/", "task/a/b", "area/a"],
                RecordKind.METHOD: ["method/", "method/a/b", "methods/a"],
                RecordKind.LEADERBOARD: ["sota/", "sota/a/row/1", "leaderboard/a"],
                RecordKind.RESULT: ["sota/a", "sota/a/row/0", "sota/a/row/01", "sota/a/row/1a", "sota/a/row/-1"],
                RecordKind.CODE: ["paper/a", "paper/a/code/0", "paper/a/code/", "paper//code/1", "code/1"],
            }.items()
            for key in keys
        ),
    ],
    "archive_record_digest_is_sha256": [
        one("archive_record", r"digest = '\x00'", key="id"),
        one("archive_record", "digest = ''", key="id"),
        one("archive_record", rf"digest = '\x{33 * '00'}'", key="id"),
    ],
    "archive_record_digest_unless_task": [one("archive_record", "digest = NULL", "kind <> 'task'", key="id")],
    "archive_record_identity_is_16_bytes": [
        one("archive_record", r"identity = '\x00'", key="id"),
        one("archive_record", f"identity = {SHA}", key="id"),
    ],
    "archive_record_ordinal_not_negative": [one("archive_record", "ordinal = -1", key="id")],
    "archive_record_revision_not_negative": [one("archive_record", "revision = -1", key="id")],
    "archive_record_not_merged_into_itself": [one("archive_record", "merged_into_id = id", key="id")],
    "archive_record_identity_once": [r"UPDATE archive_record SET identity = decode(repeat('00', 16), 'hex')"],
    "archive_record_key_key": ["UPDATE archive_record SET key = 'paper/a' WHERE kind = 'paper'"],
    "archive_record_id_and_kind": [
        # Behind the primary key, which would speak first.
        (
            "ALTER TABLE archive_record DROP CONSTRAINT archive_record_pkey CASCADE",
            "UPDATE archive_record SET id = 1 WHERE kind = 'paper'",
        )
    ],
    **{
        name: [
            one(table, f"{date} = NULL, {precision} = 'day'"),
            one(table, f"{date} = '2020-05-05', {precision} = ''"),
            one(table, f"{date} = '2020-05-05', {precision} = 'year'"),
            one(table, f"{date} = '2020-01-02', {precision} = 'year'"),
            one(table, f"{date} = '2020-02-01', {precision} = 'year'"),
            one(table, f"{date} = '2020-01-01', {precision} = 'era'"),
        ]
        for name, (table, date, precision) in DATES.items()
    },
    **{f"archive_{term}_has_a_slug": [one(f"archive_{term}", "slug = ''", key="id")] for term in TERMS},
    **{f"archive_{term}_slug_key": [Copy(f"archive_{term}", {"name": "'another'"})] for term in TERMS},
    **{f"archive_{term}_name_once": [Copy(f"archive_{term}", {"slug": "'another'"})] for term in TERMS},
    "archive_collection_has_a_slug": [one("archive_collection", "slug = ''", key="id")],
    "archive_collection_slug_key": [Copy("archive_collection", {"name": "'another'"})],
    "archive_collection_once": [Copy("archive_collection", {"slug": "'another'"})],
    "archive_taskname_once": [Copy("archive_taskname")],
    "archive_repository_once": [Copy("archive_repository")],
    "archive_printedmethod_digest_key": [Copy("archive_printedmethod")],
    "archive_codelink_number_from_one": [one("archive_codelink", "number = 0")],
    "archive_importedfile_counts": [
        Copy("archive_importedfile", {"dump": "'other'", "records": "-1"}),
        Copy("archive_importedfile", {"dump": "'other'", "size": "-1"}),
    ],
    "archive_importedfile_once_a_run": [Copy("archive_importedfile")],
    "archive_importrun_is_named": [Copy("archive_importrun", {"archive": "''"})],
    "archive_leaderboard_counts_rows": [one("archive_leaderboard", "row_count = -1")],
    "archive_leaderboard_says_how_matched": [
        one("archive_leaderboard", "dataset_matched = ''", "dataset_id IS NOT NULL"),
        one("archive_leaderboard", "dataset_matched = 'url'", "dataset_id IS NOT NULL"),
        one("archive_leaderboard", "dataset_matched = 'name'", "dataset_id IS NULL"),
    ],
    "archive_leaderboardmetric_direction_known": [
        one("archive_leaderboardmetric", "direction = 'up'", key="id"),
        one("archive_leaderboardmetric", "direction = ''", key="id"),
    ],
    "archive_leaderboardmetric_once": [
        Copy("archive_leaderboardmetric"),
        (
            "UPDATE archive_leaderboardmetric SET position = NULL",
            Copy("archive_leaderboardmetric", {"position": "NULL"}),
        ),
    ],
    "archive_result_number_from_one": [one("archive_result", "number = 0")],
    "archive_result_position_from_one": [one("archive_result", "position = 0")],
    "archive_result_number_once": ["UPDATE archive_result SET number = 1"],
    "archive_result_place_once": ["UPDATE archive_result SET position = 1"],
    "archive_result_says_how_matched": [
        one("archive_result", "paper_matched = ''", "paper_id IS NOT NULL"),
        one("archive_result", "paper_matched = 'name'", "paper_id IS NOT NULL"),
        one("archive_result", "paper_matched = 'url'", "paper_id IS NULL"),
    ],
    "archive_siteversion_is_one_row": [Copy("archive_siteversion", {"id": "2"})],
    "archive_tasknode_root_has_the_digest": [
        one("archive_tasknode", "digest = NULL", ROOT, key="id"),
        one("archive_tasknode", f"digest = {SHA}", NODE, key="id"),
        one("archive_tasknode", "root_id = NULL", NODE, key="id"),
        one("archive_tasknode", "root_id = id", ROOT, key="id"),
    ],
    "archive_tasknode_place_once": [f"UPDATE archive_tasknode SET position = 0, parent_id = root_id WHERE {NODE}"],
    "archive_tasktable_place_once": ["UPDATE archive_tasktable SET position = 0", Copy("archive_tasktable")],
    "archive_unreadable_says_why": ["INSERT INTO archive_unreadablerecord (dump, ordinal, source, digest, problem) "
                                    f"VALUES ('papers', 1, 'x', {SHA}, '')"],
    "archive_unreadable_once": ["INSERT INTO archive_unreadablerecord (dump, ordinal, source, digest, problem) "
                                f"SELECT 'papers', 1, 'x', {SHA}, 'why' FROM generate_series(1, 2)"],
    **{
        f"archive_{table}_is_a_{kind}": [
            Copy(f"archive_{table}", {"record_id": record, "number": "99", "position": "NULL"})
            for record in (f"(SELECT min(id) FROM archive_record WHERE kind = '{other}')", "-1")
        ]
        for table, kind, other in (
            ("paper", "paper", "dataset"),
            ("dataset", "dataset", "paper"),
            ("task", "task", "paper"),
            ("method", "method", "paper"),
            ("leaderboard", "leaderboard", "paper"),
            ("result", "result", "paper"),
            ("codelink", "code", "paper"),
        )
    },
}  # fmt: skip


def named_constraints() -> set[str]:
    """The archive's checks and uniqueness, and the foreign keys that hold a row to a record of its kind."""
    found = run(
        """
        SELECT conname FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
        WHERE relnamespace = 'public'::regnamespace AND relname LIKE 'archive\\_%'
          AND (contype IN ('c', 'u', 'x') OR contype = 'f' AND conname LIKE '%\\_is\\_a\\_%')
        UNION SELECT i.relname FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_class t ON t.oid = indrelid
        WHERE indisunique AND NOT indisprimary AND t.relname LIKE 'archive\\_%'
        """
    )
    return {str(name) for (name,) in found}


@pytest.mark.usefixtures("db", "tiny_archive")
class TestConstraints:
    """In the middle of the import of the tiny archive, in which the guard is open."""

    @pytest.mark.parametrize("name", CASES)
    def test_the_database_refuses(self, name: str) -> None:
        for case in CASES[name]:
            assert refused_by(case) == name, case

    @pytest.mark.parametrize("name", DATES)
    def test_a_year_without_a_date_is_refused(self, name: str) -> None:
        table, date, precision = DATES[name]
        assert refused_by(one(table, f"{date} = NULL, {precision} = 'year'")) == name

    def test_every_named_constraint_has_a_case(self) -> None:
        assert named_constraints() == set(CASES)

    def test_what_is_allowed_is_allowed(self) -> None:
        """The statements above are refused for what they say, not for how they are made."""
        for allowed in (
            one("archive_record", "key = 'paper/a b'", "kind = 'paper'", key="id"),
            one("archive_record", "digest = NULL", "kind = 'task'", key="id"),
            *(
                one(table, f"{date} = '2020-01-01', {precision} = '{value}'")
                for table, date, precision in DATES.values()
                for value in ("day", "year")
            ),
            one("archive_result", "position = NULL"),
            # Every row one place on: the constraint looks when the transaction ends.
            "UPDATE archive_result SET position = position + 1",
            "INSERT INTO archive_area (name, slug, sort_key) VALUES ('', 'x', '')",
        ):
            assert refused_by(allowed) is None, allowed

    def test_every_reference_is_held_by_a_foreign_key(self) -> None:
        """A column that names a row elsewhere names one that is there, whatever wrote it; the search index apart."""
        unheld = run(
            """
            SELECT c.relname || '.' || attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname LIKE 'archive\\_%'
              AND relname NOT LIKE 'archive\\_search%'
              AND attname LIKE '%\\_id' AND atttypid = 'bigint'::regtype AND NOT EXISTS (
                SELECT FROM pg_constraint WHERE conrelid = attrelid AND contype = 'f' AND attnum = ANY(conkey)
                  AND convalidated)
            """
        )
        assert unheld == []
