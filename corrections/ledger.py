"""The log as a whole: what an import does to standing corrections, the log as lines, and the lines as a log again.

Everything here speaks of records by public key, never by a database id.
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from archive.canonical import canonical, parse_exact
from archive.importers.run import Source, run_of
from archive.importers.session import Session
from archive.models import Base, ImportRun, Record
from archive.search.indexing import reindex
from corrections.additions import add_bare
from corrections.cells import read_cell, write_cell
from corrections.chain import TEXTS, entry_digest, isoformat, set_texts, starting_point, take_turn
from corrections.correctable import EXISTS, Value, field_of, nothing_in
from corrections.decisions import as_json
from corrections.models import Change, Decision, EntryKind, Outcome, ReportKind
from corrections.submissions import Draft, file_report

Line = dict[str, Any]


class ReplayRefused(Exception):
    """The lines can not become the log of this database; the message says why. Nothing was changed."""


# An import over standing corrections


def rebase(run: ImportRun, session: Session) -> None:
    """Put standing corrections back over freshly imported values, and make the import an entry of the log.

    The importer has written the new snapshot's values. For each corrected cell of a record that it wrote, that value
    is the new base, and the cell gets its last decided value again. Idempotent; does nothing while the log is empty.
    A cell of which the new snapshot says something new, other than the decision, is reported for another look. What is
    withheld is taken off again, and its base stays sealed.
    """
    if not Decision.objects.exists():
        return
    rebased = []
    written = _written(session)
    for change in _last_changes().order_by("record__key", "field"):
        record, now = change.record, read_cell(change.record, change.field)
        if change.sealed_by_id is not None:
            _keep_off(change, now)
            continue
        if record.pk not in written and now == change.after:
            continue
        base = Base.objects.get(record=record, field=change.field)
        if now != change.after:
            write_cell(record, change.field, change.after)
        if base.value != now:
            Base.objects.filter(record=record, field=change.field).update(value=as_json(now))
            rebased.append({"record": record.key, "field": change.field})
            if now != change.after:
                _report_disagreement(run, change, now)
    _enter_import(run, rebased)


def _last_changes() -> QuerySet[Change]:
    """The last change of each cell, with its record and decision."""
    return Change.objects.filter(next=None).exclude(field=EXISTS.name).select_related("record", "decision")


def _keep_off(change: Change, now: Value) -> None:
    """Empty a cell again whose last, sealed change withheld what stood there. What another one set is in no log."""
    if change.decision.outcome != Outcome.WITHHELD:
        return
    nothing = nothing_in(field_of(change.record, change.field))
    if now != nothing:
        write_cell(change.record, change.field, nothing)


def _written(session: Session) -> set[int]:
    """The records whose rows this import wrote anew. One query."""
    if Record not in session.bulk.models:
        return set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM stage_archive_record")
        return {row[0] for row in cursor.fetchall()}


def _report_disagreement(run: ImportRun, change: Change, now: Value) -> None:
    told = f"The snapshot of {run.snapshot} has another value here than before and than decision #{change.decision_id}."
    draft = Draft(
        change.record.key, ReportKind.OTHER, change.field, value_seen=change.after, comment=told, proposed=now
    )
    file_report(draft, sender="import")


def _enter_import(run: ImportRun, rebased: list[Line]) -> None:
    number, previous = take_turn()
    entry = Decision(
        number=number,
        kind=EntryKind.IMPORT,
        at=timezone.now(),
        reader="import",
        facts={**starting_point(run), "rebased": rebased},
        previous_digest=previous,
    )
    set_texts(entry, reason=f"Import of {run.title}, snapshot of {run.snapshot}.")
    entry.digest = entry_digest(entry, [])
    entry.save(force_insert=True)


# The log as lines


def lines(after: int = 0) -> Iterator[bytes]:
    """The log as JSON lines, oldest first, from the entry after a number on. Streams; two queries per 200 entries."""
    entries = Decision.objects.filter(number__gt=after).order_by("number")
    for entry in entries.prefetch_related("changes__record").iterator(chunk_size=200):
        yield canonical(line_of(entry)) + b"\n"


def line_of(entry: Decision) -> Line:
    """One entry as its line: everything that its digest covers, and beside it the texts, values and salts."""
    return {
        "number": entry.number,
        "kind": entry.kind,
        "outcome": entry.outcome,
        "side": entry.side,
        "at": isoformat(entry.at),
        "reader": entry.reader,
        "second_reader": entry.second_reader,
        "source": {name: getattr(entry, f"source_{name}") for name in ("url", "version", "page", "table", "row")},
        **{name: _salted(entry, name) for name in TEXTS},
        "tried": entry.tried,
        "uncovered": entry.uncovered,
        "reverts": entry.reverts_id,
        "duplicate_of": entry.duplicate_of_decision_id,
        "facts": entry.facts,
        "reports_closed": entry.reports_closed,
        "sealed_by": entry.sealed_by_id,
        "changes": [
            {
                "record": change.record.key,
                "field": change.field,
                "before": _salted(change, "before"),
                "after": _salted(change, "after"),
                "sealed_by": change.sealed_by_id,
            }
            for change in sorted(entry.changes.all(), key=lambda change: (change.record.key, change.field))
        ],
        "previous": bytes(entry.previous_digest).hex(),
        "digest": bytes(entry.digest).hex(),
    }


def _salted(row: Decision | Change, name: str) -> Line:
    salt = getattr(row, f"{name}_salt")
    told = {"digest": bytes(getattr(row, f"{name}_digest")).hex()}
    if salt is None:
        return told
    return {**told, "value": getattr(row, name), "salt": base64.b64encode(bytes(salt)).decode()}


# The lines as a log again


def replay(log: Iterable[bytes]) -> int:
    """Make these lines the log of a database whose own log is empty, and set every cell to its last value.

    As the owner, in one transaction. Gives the number of entries. Raises ReplayRefused if the log is not empty, or a
    line does not fit; verify the archive afterwards.
    """
    if Decision.objects.exists():
        raise ReplayRefused("The log of this database is not empty.")
    newest = ImportRun.objects.newest()
    if newest is None:
        raise ReplayRefused("The archive is empty: import the dumps first.")
    source = Source(newest.archive, newest.title, newest.licence, newest.snapshot)
    count = 0
    with run_of(source):
        for raw in log:
            line = parse_exact(raw)
            try:
                _replay_entry(line)
            except (KeyError, TypeError, ValueError, Record.DoesNotExist) as error:
                raise ReplayRefused(f"Entry {line.get('number')}: {error!r}") from error
            count += 1
        _set_last_values()
        reindex(everything=False)
    return count


def _replay_entry(line: Line) -> None:
    entry = Decision(
        number=line["number"],
        kind=line["kind"],
        outcome=line["outcome"],
        side=line["side"],
        at=datetime.datetime.fromisoformat(line["at"]),
        reader=line["reader"],
        second_reader=line["second_reader"],
        # No account stands behind a replayed name; the database only asks that there were two.
        reader_id=-1,
        second_reader_id=-2 if line["second_reader"] else None,
        **{f"source_{name}": text for name, text in line["source"].items()},
        tried=line["tried"],
        uncovered=line["uncovered"],
        reverts_id=line["reverts"],
        duplicate_of_decision_id=line["duplicate_of"],
        facts=line["facts"],
        reports_closed=line["reports_closed"],
        sealed_by_id=line["sealed_by"],
        previous_digest=bytes.fromhex(line["previous"]),
        digest=bytes.fromhex(line["digest"]),
    )
    for name in TEXTS:
        entry_value, salt, checksum = _unsalted(line[name])
        setattr(entry, name, entry_value)
        setattr(entry, f"{name}_salt", salt)
        setattr(entry, f"{name}_digest", checksum)
    entry.save(force_insert=True)
    for told in sorted(line["changes"], key=lambda told: told["field"] != EXISTS.name):
        _replay_change(entry, told)


def _unsalted(told: Line) -> tuple[Value, bytes | None, bytes]:
    checksum = bytes.fromhex(told["digest"])
    return (told["value"], base64.b64decode(told["salt"]), checksum) if "salt" in told else (None, None, checksum)


def _replay_change(entry: Decision, told: Line) -> None:
    if told["field"] == EXISTS.name:
        add_bare(told["record"])
    record = Record.objects.get(key=told["record"])
    before, before_salt, before_digest = _unsalted(told["before"])
    after, after_salt, after_digest = _unsalted(told["after"])
    sealed = told["sealed_by"]
    Change.objects.create(
        decision=entry,
        record=record,
        field=told["field"],
        before=None if sealed else as_json(before),
        before_salt=before_salt,
        before_digest=before_digest,
        after=None if sealed else as_json(after),
        after_salt=after_salt,
        after_digest=after_digest,
        previous=Change.objects.filter(record=record, field=told["field"], next=None).first(),
        sealed_by_id=sealed,
    )


def _set_last_values() -> None:
    """Each corrected cell: what it holds now is its base, what the last change says is its value. Of a sealed cell the
    base is sealed."""
    for change in _last_changes():
        base = read_cell(change.record, change.field)
        first = Change.objects.get(record=change.record, field=change.field, previous=None)
        sealed = first.sealed_by_id is not None
        value = as_json(None if sealed else base)
        Base.objects.create(record=change.record, field=change.field, value=value, sealed=sealed)
        if change.sealed_by_id is not None:
            _keep_off(change, base)
        elif base != change.after:
            write_cell(change.record, change.field, change.after)
    for record in Record.objects.filter(pk__in=Change.objects.values("record")):
        changes = Change.objects.filter(record=record)
        revision = changes.values("decision").distinct().count() - changes.filter(field=EXISTS.name).count()
        Record.objects.filter(pk=record.pk).update(revision=revision)
