"""What PostgreSQL refuses by itself, tried by raw SQL as the web role after a real decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from corrections.correctable import FIELDS, OPERATIONS
from corrections.decisions import decide
from corrections.log_triggers import DERIVED, LISTS, field_rows
from corrections.submissions import Draft, file_report
from tests.corrections.rulings import accepted, wanting
from tests.corrections.test_decide import a_metric, first

PAPER = "(SELECT min(record_id) FROM archive_paper)"

# A complete decision, as `decide` would write it, but for what each test leaves out or adds.
DECISION = """
    INSERT INTO corrections_decision (number, kind, outcome, side, at, reader, reader_id, second_reader,
      source_url, source_version, source_page, source_table, source_row, quote, quote_digest, reading, reading_digest,
      reason, reason_digest, tried, uncovered, reports_closed, previous_digest, digest)
    SELECT number + 1, 'decision', 'accepted', 'archive', now(), 'Mallory', 77, '',
      'https://x.example', '', '', '2', '', '', digest, 'so', digest, 'because', digest, '', false, 0, digest, digest
    FROM corrections_decision ORDER BY number DESC LIMIT 1;
"""
MODE = "SET LOCAL corrigenda.mode = 'decision';"
WITHHELD = DECISION.replace("'accepted'", "'withheld'")
CONFIRMATION = WITHHELD.replace("(number,", "(duplicate_of_decision_id, number,").replace(
    "SELECT number + 1", "SELECT 1, number + 1"
)
"""A decision that confirms the first one, as if that were a withholding."""


def change(field: str, before: str, after: str, record: str = PAPER) -> str:
    """SQL that logs a change for the newest decision."""
    return f"""
    INSERT INTO corrections_change (decision_id, record_id, field, before, before_salt, before_digest, after,
      after_salt, after_digest)
    SELECT max(number), {record}, '{field}', {before}, 'x', sha256('x'), {after}, 'x', sha256('x')
    FROM corrections_decision;
    """


def emptied(table: str, column: str) -> str:
    """SQL that logs for the newest decision that a column of every row is emptied, and empties it."""
    return f"""
    INSERT INTO corrections_change (decision_id, record_id, field, before, before_salt, before_digest, after,
      after_salt, after_digest)
    SELECT (SELECT max(number) FROM corrections_decision), record_id, '{column}', to_jsonb({column}), 'x',
      sha256('x'), 'null', 'x', sha256('x') FROM {table} WHERE {column} IS NOT NULL;
    UPDATE {table} SET {column} = NULL;
    """


MINE = "to_jsonb(text $$Mine$$)"
TITLE = f"(SELECT to_jsonb(title) FROM archive_paper WHERE record_id = {PAPER})"
NOTHING = "'null'"
TASK = "(SELECT min(record_id) FROM archive_task)"
TASK_NAME = f"(SELECT to_jsonb(name) FROM archive_task WHERE record_id = {TASK})"
SET_TITLE = f"UPDATE archive_paper SET title = 'Mine' WHERE record_id = {PAPER};"

ATTEMPTS = {
    "rewrite a reason": "UPDATE corrections_decision SET reason = 'x'",
    "rewrite a digest": "UPDATE corrections_decision SET digest = sha256('x')",
    "seal without a seal": "UPDATE corrections_decision SET reason = NULL, reason_salt = NULL, sealed_by_id = 1",
    "rewrite a change": "UPDATE corrections_change SET after = '\"x\"'",
    "delete a decision": "DELETE FROM corrections_decision",
    "delete a change": "DELETE FROM corrections_change",
    "truncate the log": "TRUNCATE corrections_decision CASCADE",
    "truncate the changes": "TRUNCATE corrections_change",
    "write a cell with the mode alone": f"{MODE} {SET_TITLE}",
    "write a cell with an old decision": f"{MODE} {SET_TITLE}",
    "a decision with a cell and no change": f"{MODE} {DECISION} {SET_TITLE}",
    "a change that was not applied": f"{MODE} {DECISION} {change('title', TITLE, MINE)}",
    "a change that lies about before": f"{MODE} {DECISION} {change('title', 'to_jsonb(1)', 'to_jsonb(2)')}",
    "a change of nothing": f"{MODE} {DECISION} {change('title', TITLE, TITLE)}",
    "a change of another column too": f"{MODE} {DECISION} {change('title', TITLE, MINE)} "
    f"UPDATE archive_paper SET title = 'Mine', abstract = 'Mine' WHERE record_id = {PAPER};",
    "a change of another record": f"{MODE} {DECISION} {change('title', TITLE, MINE)} "
    "UPDATE archive_paper SET title = 'Mine';",
    "a field that is none": f"{MODE} {DECISION} {change('digest', 'to_jsonb(1)', 'to_jsonb(2)')}",
    "accepted without a change": DECISION,
    "a number left out": DECISION.replace("number + 1", "number + 2"),
    "a number taken": DECISION.replace("number + 1", "number"),
    "another previous digest": DECISION.replace("0, digest, digest", "0, sha256('x'), digest"),
    "no reason": DECISION.replace("'because'", "' '"),
    "no source": DECISION.replace("https://x.example", ""),
    "no place": DECISION.replace("'', '', '2', ''", "'', '', '', ''"),
    "no reading": DECISION.replace("'so'", "''"),
    "no side": DECISION.replace("'archive', now()", "'', now()"),
    "no reader": DECISION.replace("'Mallory'", "''"),
    "an unknown outcome": DECISION.replace("'accepted'", "'praised'"),
    "two readers in one": DECISION.replace(
        "reader_id, second_reader", "reader_id, second_reader_id, second_reader"
    ).replace("77, ''", "77, 77, 'Mallory'"),
    "an import made up": DECISION.replace("'decision', 'accepted'", "'import', ''"),
    "withdrawn by one reader": f"{MODE} {DECISION} {change('withdrawn', 'to_jsonb(false)', 'to_jsonb(true)')} "
    f"UPDATE archive_record SET withdrawn = true WHERE id = {PAPER};",
    "authors in another order": f"{MODE} {DECISION} DELETE FROM archive_authorship WHERE paper_id = {PAPER};",
    "a metric value": f"{MODE} {DECISION} UPDATE archive_resultmetric SET value = '100';",
    "a snapshot rank": f"{MODE} {DECISION} UPDATE archive_result SET position = NULL;",
    "a key": f"{MODE} {DECISION} UPDATE archive_record SET key = 'paper/mine' WHERE id = {PAPER};",
    "a digest of a record": f"{MODE} {DECISION} UPDATE archive_record SET digest = sha256('x');",
    "a task without a name": f"{MODE} {DECISION} {change('name', TASK_NAME, NOTHING, TASK)} "
    f"UPDATE archive_task SET name = NULL WHERE record_id = {TASK};",
    "a withholding that leaves something": f"{MODE} {WITHHELD} {change('title', TITLE, MINE)} {SET_TITLE}",
    "many records emptied by one reader": f"{MODE} {WITHHELD} {emptied('archive_paper', 'url_abs')} "
    f"{emptied('archive_result', 'model_name')} {emptied('archive_codelink', 'repo_url')}",
    "a withholding confirmed twice": CONFIRMATION + CONFIRMATION,
    "a record made up": f"{MODE} {DECISION} DELETE FROM archive_codelink;",
    "a base": f"{MODE} {DECISION} UPDATE archive_base SET value = '1';",
    "the tree": f"{MODE} {DECISION} DELETE FROM archive_tasktable;",
    "an author renamed": f"{MODE} {DECISION} UPDATE archive_author SET name = 'Mine';",
    "the list of fields": "INSERT INTO corrections_field VALUES ('paper', 'digest', 'archive_paper', '{}', 'SELECT 1')",
}


@pytest.mark.parametrize("what", ATTEMPTS)
def test_is_refused(renu: User, as_web: None, what: str) -> None:
    decide(accepted(wanting(*a_metric(), "1")), renu)
    with pytest.raises(DatabaseError) as refusal, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ATTEMPTS[what])
    assert getattr(refusal.value.__cause__, "sqlstate", None) in {"23514", "42501", "23505", "23502", "23503"}


def test_the_attempts_would_succeed_if_they_were_whole(renu: User, as_web: None) -> None:
    """Else the list above could be refused for the wrong reason."""
    decide(accepted(wanting(*a_metric(), "1")), renu)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"{MODE} {DECISION} {change('title', TITLE, MINE)} {SET_TITLE} {CONFIRMATION}")
        cursor.execute(f"{WITHHELD} {emptied('archive_paper', 'url_abs')}")


@pytest.mark.parametrize("fork", ["first", "second"])
def test_no_forks(renu: User, as_web: None, fork: str) -> None:
    key, field = a_metric()
    decide(accepted(wanting(key, field, "1")), renu)
    decide(accepted(wanting(key, field, "2")), renu)
    previous = "NULL" if fork == "first" else "(SELECT min(id) FROM corrections_change)"
    statement = f"""
      INSERT INTO corrections_change (decision_id, record_id, field, before, before_salt, before_digest, after,
        after_salt, after_digest, previous_id)
      SELECT (SELECT max(number) FROM corrections_decision), record_id, field, after, 'x', sha256('x'), '"3"', 'x',
        sha256('x'), {previous} FROM corrections_change ORDER BY id DESC LIMIT 1;
    """
    with pytest.raises(DatabaseError, match="does not follow"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"{MODE} {DECISION} {statement}")


@pytest.mark.parametrize("decider", ["reader", "second"])
def test_nobody_decides_their_own_report(renu: User, otto: User, decider: str) -> None:
    filed_by = renu if decider == "reader" else otto
    report = file_report(
        Draft(first("method"), "other", comment="Mine."), sender="192.0.2.1", filed_by=filed_by.pk
    ).report
    ruling = accepted(wanting(first("method"), "withdrawn", True), reports=[report.pk])
    with pytest.raises(Exception, match="report of their own"):
        decide(ruling, renu, second_reader=otto)


def test_the_database_has_the_list_of_correctable_fields(tiny: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT kind, name, tbl, columns, selects FROM corrections_field ORDER BY 1, 2")
        assert cursor.fetchall() == sorted(field_rows())


def test_every_column_of_a_guarded_table_is_correctable_derived_or_refused(tiny: None) -> None:
    """The triggers' arguments and the list of fields name only columns that exist, and no column twice."""
    columns: Callable[[str], set[str]] = lambda table: {  # noqa: E731
        column.name for column in connection.introspection.get_table_description(connection.cursor(), table)
    }
    for table, derived in DERIVED.items():
        named = [c for fields in FIELDS.values() for f in fields if f.table == table for c in f.columns]
        named += [c for f in OPERATIONS if f.table == table for c in f.columns]
        assert set(named) | set(derived) <= columns(table)
        assert len(named) == len(set(named)) and not set(named) & set(derived)
    for table, (owner, _) in LISTS.items():
        assert owner in columns(table)
