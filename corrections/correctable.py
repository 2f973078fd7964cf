"""The closed list of what can be reported and corrected: the fields of each kind, their values, and where they lie.

The database holds the same list in `corrections_field`, which its triggers read; a test compares the two.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from archive.importers.fields import ISO_DATE
from archive.models import LeaderboardMetric, Record, RecordKind, Result

Value = Any
"""A JSON value: text, list of texts, number, true, false or None."""

METRIC = "metrics."
"""Prefix of the fields of a result row that hold its metric values: `metrics.F1`."""


class Shape(StrEnum):
    """What kind of value a field holds, which decides the widget, the validator and the writer."""

    LINE = "line"
    TEXT = "text"
    URL = "url"
    DATE = "date"
    YEAR = "year"
    FLAG = "flag"
    NAMES = "names"
    TERM = "term"
    RECORD = "record"
    OPERATION = "operation"


class Invalid(ValueError):
    """A value that its field can not hold; the message says why, for the person who typed it."""


@dataclass(frozen=True)
class Field:
    """One correctable field: its name in reports and changes, its label, its shape, and its place in the database."""

    name: str
    label: str
    shape: Shape
    table: str
    columns: tuple[str, ...]
    select: str
    """SQL that gives the cell's value as jsonb, the record's id being $1."""

    kept_because: str = ""
    """Why the cell can not be left empty, in a sentence; "" if it can."""


def _column(table: str, name: str, label: str, shape: Shape, kept_because: str = "") -> Field:
    select = f"SELECT to_jsonb({name}) FROM {table} WHERE record_id = $1"
    return Field(name, label, shape, table, (name,), select, kept_because)


def _date(table: str, name: str, label: str) -> Field:
    precision = f"{name}_precision"
    select = (
        f"SELECT to_jsonb(to_char({name}, CASE {precision} WHEN 'year' THEN 'YYYY' ELSE 'YYYY-MM-DD' END)) "
        f"FROM {table} WHERE record_id = $1"
    )
    return Field(name, label, Shape.DATE, table, (name, precision), select)


def _term(table: str, name: str, label: str) -> Field:
    select = (
        f"SELECT to_jsonb(t.name) FROM {table} d JOIN archive_{name} t ON t.id = d.{name}_id WHERE d.record_id = $1"
    )
    return Field(name, label, Shape.TERM, table, (f"{name}_id",), select)


def _names(name: str, label: str, table: str, owner: str, term: str | None = None, key: str = "") -> Field:
    join = f" JOIN {term} t ON t.id = l.{key}" if term else ""
    value = "t.name" if term else "l.name"
    select = f"SELECT coalesce(jsonb_agg({value} ORDER BY l.position), '[]') FROM {table} l{join} WHERE l.{owner} = $1"
    return Field(name, label, Shape.NAMES, table, (), select)


WITHDRAWN = Field(
    "withdrawn",
    "Withdrawn",
    Shape.OPERATION,
    "archive_record",
    ("withdrawn",),
    "SELECT to_jsonb(withdrawn) FROM archive_record WHERE id = $1",
)
MERGED_INTO = Field(
    "merged_into",
    "Merged into",
    Shape.OPERATION,
    "archive_record",
    ("merged_into_id",),
    "SELECT to_jsonb(m.key) FROM archive_record r JOIN archive_record m ON m.id = r.merged_into_id WHERE r.id = $1",
)
QUARANTINED = Field(
    "quarantined",
    "Quarantined",
    Shape.OPERATION,
    "archive_record",
    ("quarantined",),
    "SELECT to_jsonb(quarantined) FROM archive_record WHERE id = $1",
)
EXISTS = Field(
    "exists",
    "Exists",
    Shape.OPERATION,
    "archive_record",
    ("id",),
    "SELECT to_jsonb(EXISTS (SELECT FROM archive_record WHERE id = $1))",
)
OPERATIONS = (WITHDRAWN, MERGED_INTO, QUARANTINED, EXISTS)
NEEDS_SECOND_READER = frozenset({WITHDRAWN.name, MERGED_INTO.name})
MOST_RECORDS_ALONE = 20
"""A decision that changes more records than this needs a second reader."""
PRINTED_TITLES = ("paper_title", "source_title")
"""Fields of rows and methods that print a paper's title: they go with one that is withheld, however many they are."""

_P, _D, _T, _M = "archive_paper", "archive_dataset", "archive_task", "archive_method"
_R, _C, _L = "archive_result", "archive_codelink", "archive_leaderboard"

FIELDS: dict[RecordKind, tuple[Field, ...]] = {
    RecordKind.PAPER: (
        _column(_P, "title", "Title", Shape.LINE),
        _names("authors", "Authors", "archive_authorship", "paper_id", "archive_author", "author_id"),
        _column(_P, "abstract", "Abstract", Shape.TEXT),
        _date(_P, "date", "Date"),
        _term(_P, "proceeding", "Proceeding"),
        _column(_P, "arxiv_id", "arXiv id", Shape.LINE),
        _column(_P, "url_abs", "Address of the paper", Shape.URL),
        _column(_P, "url_pdf", "Address of the PDF", Shape.URL),
        _names("tasks", "Tasks", "archive_papertask", "paper_id", "archive_taskname", "name_id"),
    ),
    RecordKind.DATASET: (
        _column(_D, "name", "Name", Shape.LINE),
        _column(_D, "full_name", "Full name", Shape.LINE),
        _column(_D, "description", "Description", Shape.TEXT),
        _column(_D, "homepage", "Homepage", Shape.URL),
        _date(_D, "introduced_date", "Introduced"),
        _column(_D, "license_name", "Licence", Shape.LINE),
        _column(_D, "license_url", "Address of the licence", Shape.URL),
        _names("modalities", "Modalities", "archive_datasetmodality", "dataset_id", "archive_modality", "modality_id"),
        _names("languages", "Languages", "archive_datasetlanguage", "dataset_id", "archive_language", "language_id"),
        Field(
            "tasks",
            "Tasks",
            Shape.NAMES,
            "archive_datasettask",
            (),
            # A name alone tells its task, but where the dataset's own link led to another.
            "SELECT coalesce(jsonb_agg(CASE WHEN t.task_id = l.task_id THEN t.name ELSE t.name || ' → ' || r.key END "
            "ORDER BY l.position), '[]') FROM archive_datasettask l JOIN archive_taskname t ON t.id = l.name_id "
            "JOIN archive_record r ON r.id = l.task_id WHERE l.dataset_id = $1",
        ),
        _names("variants", "Variants", "archive_datasetvariant", "dataset_id"),
    ),
    RecordKind.TASK: (
        _column(
            *(_T, "name", "Name", Shape.LINE),
            kept_because="A task keeps its name, which papers, datasets and leaderboards print too: correct it.",
        ),
        _column(_T, "description", "Description", Shape.TEXT),
        _names("areas", "Areas", "archive_taskarea", "task_id", "archive_area", "area_id"),
        _names("synonyms", "Synonyms", "archive_tasksynonym", "task_id"),
    ),
    RecordKind.METHOD: (
        _column(_M, "name", "Name", Shape.LINE),
        _column(_M, "full_name", "Full name", Shape.LINE),
        _column(_M, "description", "Description", Shape.TEXT),
        _column(_M, "introduced_year", "Introduced", Shape.YEAR),
        _column(_M, "source_title", "Source", Shape.LINE),
        _column(_M, "source_url", "Address of the source", Shape.URL),
        _column(_M, "code_snippet_url", "Code snippet", Shape.URL),
    ),
    RecordKind.LEADERBOARD: (
        _column(_L, "dataset_name", "Dataset as printed", Shape.LINE),
        _column(_L, "description", "Description", Shape.TEXT),
    ),
    RecordKind.RESULT: (
        _column(_R, "model_name", "Model", Shape.LINE),
        Field(
            "paper",
            "Paper",
            Shape.RECORD,
            _R,
            ("paper_id", "paper_matched"),
            f"SELECT to_jsonb(p.key) FROM {_R} d JOIN archive_record p ON p.id = d.paper_id WHERE d.record_id = $1",
        ),
        _column(_R, "paper_title", "Title of the paper as printed", Shape.LINE),
        _date(_R, "paper_date", "Date of the paper"),
        _column(_R, "uses_additional_data", "Uses extra training data", Shape.FLAG),
    ),
    RecordKind.CODE: (
        Field(
            "repo_url",
            "Address of the repository",
            Shape.URL,
            _C,
            ("repo_url", "repository_id"),
            f"SELECT to_jsonb(repo_url) FROM {_C} WHERE record_id = $1",
        ),
        _column(_C, "is_official", "Official", Shape.FLAG),
        _column(_C, "mentioned_in_paper", "Mentioned in the paper", Shape.FLAG),
        _column(_C, "mentioned_in_github", "Mentions the paper", Shape.FLAG),
        _term(_C, "framework", "Framework"),
    ),
}


def field_of(record: Record, name: str) -> Field:
    """The field of that name on a record, operations and metrics included. Raises Invalid for any other name.

    Costs a query for a metric, none else.
    """
    kind = RecordKind(record.kind)
    for field in (*FIELDS[kind], *OPERATIONS):
        if field.name == name:
            return field
    if kind == RecordKind.RESULT and name.startswith(METRIC):
        metric = name.removeprefix(METRIC)
        leaderboard = Result.objects.values("leaderboard_id").filter(pk=record.pk)
        if LeaderboardMetric.objects.filter(leaderboard__in=leaderboard, name=metric).exists():
            return Field(name, metric, Shape.LINE, "archive_resultmetric", (), "")
    raise Invalid(f"“{name}” is not a field of this record that can be corrected.")


def reportable(record: Record) -> list[Field]:
    """The fields that a reader may report on, metrics included, operations not. One query for a result row."""
    fields = list(FIELDS[RecordKind(record.kind)])
    if record.kind == RecordKind.RESULT:
        leaderboard = Result.objects.values("leaderboard_id").filter(pk=record.pk)
        metrics = LeaderboardMetric.objects.filter(leaderboard__in=leaderboard).order_by("position", "id")
        names = dict.fromkeys(metrics.values_list("name", flat=True))
        fields += [Field(METRIC + name, name, Shape.LINE, "archive_resultmetric", (), "") for name in names]
    return fields


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_YEAR = re.compile(r"\d{4}\Z")
LONGEST = {Shape.LINE: 1_000, Shape.TEXT: 100_000, Shape.URL: 2_000, Shape.TERM: 300, Shape.RECORD: 300}


def control_problem(text: str) -> str:
    """Names the first control character that no text may hold; "" if there is none. Tab, LF and CR may be there."""
    control = _CONTROL.search(text)
    return f"The character U+{ord(control[0]):04X} can not be part of a text." if control else ""


def is_web_address(text: str) -> bool:
    """Whether a text is an address that can be opened: http or https, a host, no user name, no blank.

    Raises ValueError for a host that can not be read, such as a broken IPv6 one.
    """
    parts = urlsplit(text)
    fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    return fine and not re.search(r"\s", text)


def _text(value: Value, longest: int) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise Invalid("This field holds a text.")
    if problem := control_problem(value):
        raise Invalid(problem)
    if len(value) > longest:
        raise Invalid(f"The text has {len(value):,} characters; the field holds at most {longest:,}.")
    return value


def nothing_in(field: Field) -> list[str] | None:
    """What a cell of the field holds when it holds nothing."""
    return [] if field.shape == Shape.NAMES else None


def validate(field: Field, value: Value) -> Value:
    """The value as the field stores it; empty text becomes None. Raises Invalid, saying what is wrong. No query."""
    stored = _stored(field, value)
    if stored is None and field.kept_because:
        raise Invalid(field.kept_because)
    return stored


def _stored(field: Field, value: Value) -> Value:
    match field.shape:
        case Shape.LINE | Shape.TEXT | Shape.TERM | Shape.RECORD:
            text = _text(value, LONGEST[field.shape])
            if text is not None and field.shape != Shape.TEXT and ("\n" in text or "\r" in text):
                raise Invalid("This field holds a single line.")
            return text
        case Shape.URL:
            return _url(_text(value, LONGEST[Shape.URL]))
        case Shape.DATE:
            return _date_value(_text(value, 10))
        case Shape.YEAR:
            if value is None or value == "":
                return None
            if not _YEAR.match(str(value)):
                raise Invalid("A year has four digits.")
            return int(value)
        case Shape.FLAG:
            if value not in (True, False):
                raise Invalid("This field is either yes or no.")
            return value
        case Shape.NAMES:
            if not isinstance(value, list):
                raise Invalid("This field is a list of names.")
            names = [_text(name, 500) for name in value]
            if None in names:
                raise Invalid("A name in the list is empty.")
            return names
        case _:
            return value


def _url(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        fine = is_web_address(text)
    except ValueError as error:
        raise Invalid("This is not a web address.") from error
    if not fine:
        raise Invalid("This is not a web address: http:// or https://, a host, no user name.")
    return text


def _date_value(text: str | None) -> str | None:
    if text is None:
        return None
    if _YEAR.match(text) and text != "0000":
        return text
    try:
        if not ISO_DATE.match(text):
            raise ValueError
        day = datetime.date.fromisoformat(text)
    except ValueError as error:
        raise Invalid("A date is a year (2019) or a day (2019-01-31).") from error
    return day.isoformat()
