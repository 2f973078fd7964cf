"""Every count that pages show of the archive as a whole: its exact definition and the SQL that gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection

from archive.models import RecordKind

PUBLIC = "not set aside, not withdrawn and not merged into another"


@dataclass(frozen=True)
class Definition:
    """One count: what it counts, in a sentence, and as one SELECT of one number."""

    label: str
    sentence: str
    sql: str


def _public(kind: RecordKind, table: str) -> str:
    """All of a kind but the hidden ones, of which an index has a list: far faster than looking at each record."""
    return (
        f"SELECT (SELECT count(*) FROM {table})\n"
        f"     - (SELECT count(*) FROM archive_record WHERE kind = '{kind}'\n"
        "        AND NOT (merged_into_id IS NULL AND quarantined = '' AND NOT withdrawn))"
    )


def _not_hidden(kind: RecordKind, column: str) -> str:
    return (
        f"{column} NOT IN (SELECT id FROM archive_record WHERE kind = '{kind}'\n"
        "         AND NOT (merged_into_id IS NULL AND quarantined = '' AND NOT withdrawn))"
    )


_DATASET = _not_hidden(RecordKind.DATASET, "record_id")
_PAPER = _not_hidden(RecordKind.PAPER, "record_id")
_METHOD = _not_hidden(RecordKind.METHOD, "record_id")
_BOARD = _not_hidden(RecordKind.LEADERBOARD, "record_id")
_ROW = _not_hidden(RecordKind.RESULT, "record_id")
_CODE = _not_hidden(RecordKind.CODE, "record_id")

HOLDINGS: Mapping[str, Definition] = {
    "datasets": Definition(
        "datasets",
        f"Dataset records that are {PUBLIC}, those that the newest snapshot no longer holds included.",
        _public(RecordKind.DATASET, "archive_dataset"),
    ),
    "papers": Definition(
        "papers",
        f"Paper records that are {PUBLIC}. Two records of one paper count twice.",
        _public(RecordKind.PAPER, "archive_paper"),
    ),
    "code_links": Definition(
        "code links",
        f"Links between a paper and a repository that are {PUBLIC}. One repository counts for each paper that it is "
        "linked with.",
        _public(RecordKind.CODE, "archive_codelink"),
    ),
    "tasks": Definition(
        "tasks",
        f"Task records that are {PUBLIC}: those of the evaluation tables, and those that only papers or datasets name.",
        _public(RecordKind.TASK, "archive_task"),
    ),
    "leaderboards": Definition(
        "leaderboards",
        f"Leaderboards that are {PUBLIC}: one task on one printed dataset name. A table that the dump repeats in "
        "several places of its tree counts once.",
        _public(RecordKind.LEADERBOARD, "archive_leaderboard"),
    ),
    "rows": Definition(
        "leaderboard rows",
        f"Rows of leaderboards that are {PUBLIC}, those that the newest snapshot no longer holds included.",
        _public(RecordKind.RESULT, "archive_result"),
    ),
    "methods": Definition(
        "methods",
        f"Method records that are {PUBLIC}.",
        _public(RecordKind.METHOD, "archive_method"),
    ),
}

FURTHER: Mapping[str, Definition] = {
    "values": Definition(
        "values in rows",
        "Cells of leaderboards: one row's value of one metric, whether or not a number can be read from it.",
        "SELECT count(*) FROM archive_resultmetric",
    ),
    "papers_with_code": Definition(
        "papers with code listed",
        "Papers that at least one public code link names.",
        f"SELECT count(DISTINCT paper_id) FROM archive_codelink\n  WHERE {_CODE}\n"
        f"    AND {_not_hidden(RecordKind.PAPER, 'paper_id')}",
    ),
    "papers_with_rows": Definition(
        "papers with a leaderboard row",
        "Papers that at least one public row of a public leaderboard was matched with.",
        f"SELECT count(DISTINCT paper_id) FROM archive_result\n  WHERE {_ROW}\n"
        f"    AND {_not_hidden(RecordKind.PAPER, 'paper_id')}\n"
        f"    AND {_not_hidden(RecordKind.LEADERBOARD, 'leaderboard_id')}",
    ),
    "repositories": Definition(
        "repositories",
        "Different normalised addresses in code links. Nobody has looked whether they still answer.",
        "SELECT count(*) FROM archive_repository",
    ),
    "authors": Definition(
        "printed names of authors",
        "Different spellings in author lists. A name is not a person: namesakes share one, and one person may have "
        "several.",
        "SELECT count(*) FROM archive_author",
    ),
    "areas": Definition("areas of tasks", "Categories that tasks are put in.", "SELECT count(*) FROM archive_area"),
    "modalities": Definition(
        "modalities", "Kinds of data that datasets name.", "SELECT count(*) FROM archive_modality"
    ),
    "languages": Definition(
        "languages", "Human languages that datasets name.", "SELECT count(*) FROM archive_language"
    ),
    "collections": Definition(
        "collections of methods", "Groups that methods are put in.", "SELECT count(*) FROM archive_collection"
    ),
    "proceedings": Definition(
        "proceedings",
        "Printed places of publication, each spelling for itself.",
        "SELECT count(*) FROM archive_proceeding",
    ),
}

UNKNOWN: Mapping[str, Definition] = {
    "datasets_without_licence": Definition(
        "datasets of which no licence is given",
        "Public datasets whose licence name is null or empty. “Unknown”, where the archive prints that, is a name.",
        "SELECT count(*) FROM archive_dataset\n  WHERE (license_name IS NULL OR license_name = '')\n"
        f"    AND {_DATASET}",
    ),
    "datasets_without_date": Definition(
        "datasets of which no date is given",
        "Public datasets without a date of introduction.",
        f"SELECT count(*) FROM archive_dataset\n  WHERE introduced_date IS NULL\n    AND {_DATASET}",
    ),
    "papers_without_date": Definition(
        "papers of which no date is given",
        "Public papers without a date.",
        f"SELECT count(*) FROM archive_paper\n  WHERE date IS NULL\n    AND {_PAPER}",
    ),
    "methods_without_year": Definition(
        "methods of which no year is known",
        "Public methods whose year of introduction is null, or 2000, which the archive gives where it knows none.",
        "SELECT count(*) FROM archive_method\n  WHERE (introduced_year IS NULL OR introduced_year = 2000)\n"
        f"    AND {_METHOD}",
    ),
    "rows_without_paper": Definition(
        "leaderboard rows whose paper is not among the papers here",
        "Public rows that were matched with no paper record, by address, arXiv id or title; rows that print no paper "
        "included.",
        f"SELECT count(*) FROM archive_result\n  WHERE paper_id IS NULL\n    AND {_ROW}",
    ),
    "leaderboards_without_dataset": Definition(
        "leaderboards whose dataset is not among the datasets here",
        "Public leaderboards whose printed dataset name is neither the name nor a variant of one dataset record.",
        f"SELECT count(*) FROM archive_leaderboard\n  WHERE dataset_id IS NULL\n    AND {_BOARD}",
    ),
    "metrics_without_direction": Definition(
        "metrics of which nobody knows whether more is better",
        "Metrics of leaderboards, each counted once for each leaderboard, whose direction is neither in a table of "
        "known metrics, nor told by the name, nor by the order of the rows.",
        "SELECT count(*) FROM archive_leaderboardmetric WHERE direction = 'unknown'",
    ),
}

SET_ASIDE: Mapping[str, Definition] = {
    "quarantined": Definition(
        "records set aside",
        "Records that a rule or a decision calls spam, and that are neither withdrawn nor merged.",
        "SELECT count(*) FROM archive_record\n"
        "  WHERE NOT quarantined = '' AND NOT withdrawn AND merged_into_id IS NULL",
    ),
    "unreadable": Definition(
        "records that could not be read",
        "Records of the dumps that no reader can take, kept as their bytes.",
        "SELECT count(*) FROM archive_unreadablerecord",
    ),
}


def count(definitions: Mapping[str, Definition]) -> dict[str, int]:
    """The counts, by key. One statement: with 576,000 papers 30 ms of one core for `HOLDINGS`, 0.3 s for all."""
    parts = [f"SELECT '{key}', ({definition.sql})" for key, definition in definitions.items()]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return dict(cursor.fetchall())


def everything() -> Iterable[tuple[str, Mapping[str, Definition]]]:
    """All definitions, by the heading they are shown under."""
    return (
        ("What the archive holds", HOLDINGS),
        ("More of it", FURTHER),
        ("What is not known", UNKNOWN),
        ("What is set aside", SET_ASIDE),
    )
