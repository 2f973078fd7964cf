"""The only birth of a decision: `decide`, and what is built on it. Nothing else writes the log.

One READ COMMITTED transaction in this order: keep imports out, lock the records in key order and then the reports,
compare every cell with the value the reader saw, take the turn at the end of the chain, write decision and changes,
set the cells, close the reports, move revisions, the search index and the public version, queue the notices.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import DatabaseError, connection, transaction
from django.db.models import F, JSONField
from django.db.models import Value as Literal
from django.utils import timezone

from archive.importers.run import APPLYING
from archive.models import Base, ImportRun, Record, RecordKind, SiteVersion
from archive.search.indexing import KINDS, refresh
from corrections.additions import add_bare, alike, next_key
from corrections.cells import NAMED_BY, read_cell, write_cell
from corrections.chain import Link, Salted, entry_digest, set_texts, starting_point, take_turn
from corrections.correctable import (
    EXISTS,
    FIELDS,
    METRIC,
    MOST_RECORDS_ALONE,
    NEEDS_SECOND_READER,
    PRINTED_TITLES,
    Field,
    Shape,
    Value,
    field_of,
    validate,
)
from corrections.models import COUNTED, Change, Decision, Notice, Outcome, ReaderName, Report, ReportState, Side

PATIENCE = "5s"
"""How long a decision waits for an import that is being applied."""


class Refused(Exception):
    """A decision that may not be made; the message says why, to whom it was refused. Nothing was changed."""


class Stale(Refused):
    """A cell does not hold what the reader saw. `moved` lists (record key, field, seen, now)."""

    def __init__(self, moved: list[tuple[str, str, Value, Value]]) -> None:
        self.moved = moved
        told = "; ".join(f"{key}, {name}: was {seen!r}, is {now!r}" for key, name, seen, now in moved)
        super().__init__(f"Changed since you opened it: {told}.")


class AlreadyDecided(Refused):
    """A report was decided meanwhile. `report` names it, `decision` the entry that closed it, if any."""

    def __init__(self, report: Report) -> None:
        self.report, self.decision = report, report.decision_id
        how = f"decided by #{report.decision_id}" if report.decision_id else str(report.get_state_display())
        super().__init__(f"Report {report.pk} is {how} already.")


class AlreadyThere(Refused):
    """There is one like it, at which the reader did not look. `decision` added it; None if no decision did."""

    def __init__(self, record: Record, decision: Decision | None) -> None:
        self.record, self.decision = record, decision
        told = f"Decision #{decision.number} added" if decision else "There is"
        super().__init__(f"{told} one like it already: /{record.key}. Look at it before you add another.")


class NeedsSecondReader(Refused):
    """The decision is of a kind that one person may only propose."""


class Busy(Refused):
    """An import is being applied; try again in a moment."""


@dataclass(frozen=True)
class Wanted:
    """One change as a reader wants it: the cell, the value the reader saw there, the value it shall have."""

    record: str
    field: str
    seen: Value
    value: Value


@dataclass(frozen=True)
class Addition:
    """A record to add below a paper or leaderboard: a code link, a result row, with the values of its cells."""

    parent: str
    values: dict[str, Value]
    looked_at: Sequence[str] = ()
    """Keys of the links or rows like it that the reader knows of: theirs is another one."""


@dataclass(frozen=True)
class Read:
    """The source that a reader read, where in it, and what it says."""

    url: str = ""
    version: str = ""
    page: str = ""
    table: str = ""
    row: str = ""
    quote: str = ""
    reading: str = ""


@dataclass(frozen=True)
class Ruling:
    """Everything that a decision says. `revisions` are those of the records as the reader saw them, by key."""

    outcome: Outcome
    reason: str
    changes: Sequence[Wanted] = ()
    additions: Sequence[Addition] = ()
    reports: Sequence[int] = ()
    side: Side | str = ""
    read: Read = field(default_factory=Read)
    tried: str = ""
    uncovered: bool = False
    duplicate_of_decision: int | None = None
    duplicate_of_report: int | None = None
    reverts: int | None = None
    revisions: dict[str, int] = field(default_factory=dict)
    note: str = ""

    @property
    def second_reader_because(self) -> str:
        """Why one reader is not enough; "" if one is. The second one of a withholding confirms it later."""
        heavy = {wanted.field for wanted in self.changes} & NEEDS_SECOND_READER
        if heavy:
            return f"It sets “{'”, “'.join(sorted(heavy))}”."
        counted = [w for w in self.changes if self.outcome != Outcome.WITHHELD or w.field not in PRINTED_TITLES]
        records = len({wanted.record for wanted in counted}) + len(self.additions)
        return f"It changes {records} records." if records > MOST_RECORDS_ALONE else ""


def public_name(user: AbstractBaseUser) -> str:
    """The name under which a member of staff appears in the log. Raises Refused until one is chosen. One query."""
    name = ReaderName.objects.filter(user_id=user.pk).values_list("name", flat=True).first()
    if name is None:
        raise Refused("Choose the public name under which your decisions appear, then decide.")
    return name


def decide(
    ruling: Ruling, reader: User, *, second_reader: User | None = None, idempotency_key: uuid.UUID | None = None
) -> Decision:
    """Make one decision, whole or not at all. The same idempotency key again gives the decision that it made.

    Raises Refused and its kinds, Invalid for a value that its field can not hold. Costs about 15 queries, some five
    for each change, and 20 to index the changed records anew.
    """
    if idempotency_key and (made := Decision.objects.filter(idempotency_key=idempotency_key).first()):
        return made
    _may(reader, second_reader, ruling)
    names = public_name(reader), public_name(second_reader) if second_reader else ""
    try:
        with transaction.atomic():
            _enter()
            if idempotency_key and (made := Decision.objects.filter(idempotency_key=idempotency_key).first()):
                return made
            records = _lock_records(ruling)
            reports = _lock_reports(ruling)
            wanted = _compare(ruling, records)
            return _write(ruling, reader, second_reader, names, wanted, records, reports, idempotency_key)
    except (AlreadyDecided, AlreadyThere, Stale):
        # Of two submits at once with one key, the second finds the first's work done when its turn comes.
        if idempotency_key and (made := Decision.objects.filter(idempotency_key=idempotency_key).first()):
            return made
        raise
    except DatabaseError as error:
        if (refusal := refused_by_database(error)) is not None:
            raise refusal from error
        raise


def refused_by_database(error: DatabaseError) -> Refused | None:
    """The refusal behind a database error, if it is one of the policy's rules and not a fault."""
    state = getattr(error.__cause__, "sqlstate", None)
    if state == "55P03":
        return Busy("An import is being applied. Try again in a moment; nothing was changed.")
    if state in ("23514", "42501", "23505"):
        return Refused(str(error).splitlines()[0])
    return None


def _may(reader: User, second_reader: User | None, ruling: Ruling) -> None:
    for user in filter(None, (reader, second_reader)):
        if not user.is_active or not user.has_perm("corrections.add_decision"):
            raise Refused(f"{user.get_username()} may not decide.")
    if second_reader is not None and second_reader.pk == reader.pk:
        raise Refused("The second reader has to be another person.")
    if second_reader is None and ruling.second_reader_because:
        raise NeedsSecondReader(f"A second reader is needed: {ruling.second_reader_because}")


def _enter() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL corrigenda.mode = 'decision'; SET LOCAL lock_timeout = '{PATIENCE}'")
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [APPLYING])


def _lock_records(ruling: Ruling) -> dict[str, Record]:
    parents = {addition.parent for addition in ruling.additions}
    keys = sorted({wanted.record for wanted in ruling.changes} | set(ruling.revisions) | parents)
    records = {r.key: r for r in Record.objects.filter(key__in=keys).order_by("key").select_for_update(of=("self",))}
    if missing := set(keys) - set(records):
        raise Refused(f"There is no record at /{min(missing)}.")
    moved = [
        (key, "revision", seen, records[key].revision)
        for key, seen in ruling.revisions.items()
        if records[key].revision != seen
    ]
    if moved:
        raise Stale(moved)
    return records


def _lock_reports(ruling: Ruling) -> list[Report]:
    reports = list(Report.objects.filter(pk__in=ruling.reports).order_by("pk").select_for_update(of=("self",)))
    if len(reports) != len(set(ruling.reports)):
        raise Refused("A report of this decision does not exist.")
    for report in reports:
        if report.state not in (ReportState.HELD, *COUNTED):
            raise AlreadyDecided(report)
    return reports


def _compare(ruling: Ruling, records: dict[str, Record]) -> list[tuple[Record, str, Value, Value]]:
    """Each change with its validated value, every cell holding what the reader saw."""
    wanted, moved = [], []
    for want in ruling.changes:
        record = records[want.record]
        cell_field = field_of(record, want.field)
        now, value = read_cell(record, want.field), validate(cell_field, want.value)
        if now != want.seen:
            moved.append((want.record, want.field, want.seen, now))
        elif now == value:
            raise Refused(f"{want.record}, {cell_field.label}: the value is the same as it is now.")
        wanted.append((record, want.field, now, value))
    if moved:
        raise Stale(moved)
    return wanted


def _write(
    ruling: Ruling,
    reader: User,
    second_reader: User | None,
    names: tuple[str, str],
    wanted: Sequence[tuple[Record, str, Value, Value]],
    records: dict[str, Record],
    reports: Sequence[Report],
    idempotency_key: uuid.UUID | None,
) -> Decision:
    salted = [(record, name, Salted.of(before), Salted.of(after)) for record, name, before, after in wanted]
    number, previous = take_turn()
    decision = Decision(
        number=number,
        outcome=ruling.outcome,
        side=ruling.side,
        at=timezone.now(),
        reader=names[0],
        reader_id=reader.pk,
        second_reader=names[1],
        second_reader_id=second_reader.pk if second_reader else None,
        source_url=ruling.read.url,
        source_version=ruling.read.version,
        source_page=ruling.read.page,
        source_table=ruling.read.table,
        source_row=ruling.read.row,
        tried=ruling.tried,
        uncovered=ruling.uncovered,
        duplicate_of_decision_id=ruling.duplicate_of_decision,
        duplicate_of_report_id=ruling.duplicate_of_report,
        reverts_id=ruling.reverts,
        reports_closed=len(reports),
        facts=_beginning() if number == 1 else None,
        idempotency_key=idempotency_key,
        previous_digest=previous,
    )
    set_texts(decision, reason=ruling.reason.strip(), quote=ruling.read.quote, reading=ruling.read.reading)
    added = [_planned(addition, records[addition.parent]) for addition in ruling.additions]
    links = [Link(record.key, name, before.digest, after.digest) for record, name, before, after in salted]
    links += [Link(key, name, before.digest, after.digest) for key, cells in added for name, before, after in cells]
    decision.digest = entry_digest(decision, links)
    decision.save(force_insert=True)
    for record, name, before, after in salted:
        _change(decision, record, name, before, after)
    for key, cells in added:
        record = add_bare(key)
        for name, before, after in cells:
            _change(decision, record, name, before, after)
    if changed := {record.pk: record for record, *_ in wanted}:
        Record.objects.filter(pk__in=changed).update(revision=F("revision") + 1)
        refresh([pk for pk, record in changed.items() if record.kind in KINDS])
    _close(decision, reports, ruling.note)
    SiteVersion.bump()
    return decision


def _beginning() -> dict[str, Any] | None:
    """The first entry names the dumps that the whole log starts from."""
    newest = ImportRun.objects.newest()
    return starting_point(newest) if newest else None


def as_json(value: Value) -> Any:
    """A value for a JSON column, None being JSON's null and not the absence of a value."""
    return Literal(value, JSONField())


def _change(decision: Decision, record: Record, name: str, before: Salted, after: Salted) -> None:
    Change.objects.create(
        decision=decision,
        record=record,
        field=name,
        before=as_json(before.value),
        before_salt=before.salt,
        before_digest=before.digest,
        after=as_json(after.value),
        after_salt=after.salt,
        after_digest=after.digest,
        previous=Change.objects.filter(record=record, field=name, next=None).first(),
    )
    if name != EXISTS.name:
        Base.objects.get_or_create(record=record, field=name, defaults={"value": as_json(before.value)})
        write_cell(record, name, after.value)


def _planned(addition: Addition, parent: Record) -> tuple[str, list[tuple[str, Salted, Salted]]]:
    """The key of an addition, and its changes: that it exists, and each cell from empty to its value."""
    key = next_key(parent)
    kind = RecordKind.CODE if parent.kind == RecordKind.PAPER else RecordKind.RESULT
    if not addition.values.get(NAMED_BY[kind]):
        raise Refused(f"/{key} needs a value for “{NAMED_BY[kind]}”.")
    # Asked here, the parent being locked: of two at once, the second sees what the first has added.
    if (there := alike(parent, addition.values).exclude(key__in=addition.looked_at).first()) is not None:
        raise AlreadyThere(there, Decision.objects.filter(changes__record=there, changes__field=EXISTS.name).first())
    cells = [(EXISTS.name, Salted.of(False), Salted.of(True))]
    for name, value in sorted(addition.values.items()):
        shape = Shape.LINE if name.startswith(METRIC) else next(f.shape for f in FIELDS[kind] if f.name == name)
        empty = False if name == "uses_additional_data" else None
        checked = validate(Field(name, name, shape, "", (), ""), value)
        if checked != empty:
            cells.append((name, Salted.of(empty), Salted.of(checked)))
    return key, cells


def _close(decision: Decision, reports: Sequence[Report], note: str) -> None:
    for report in reports:
        report.decision, report.state, report.note = decision, ReportState.DECIDED, note
        report.save(update_fields=["decision", "state", "note"])
    Notice.objects.bulk_create(
        Notice(reporter_id=report.reporter_id, report=report, what="decided", decision=decision)
        for report in reports
        if report.reporter_id is not None
    )


def revert(
    number: int,
    reason: str,
    reader: User,
    *,
    second_reader: User | None = None,
    idempotency_key: uuid.UUID | None = None,
) -> Decision:
    """Undo a decision by a new one: each cell it changed gets the value it had before.

    Raises Stale if a later decision changed such a cell, Refused if there is nothing to undo, and what `decide` raises.
    """
    reverted = Decision.objects.filter(pk=number).first()
    changes = Change.objects.filter(decision=reverted).select_related("record").order_by("record__key", "field")
    if reverted is None or not changes:
        raise Refused(f"#{number} changed nothing, so there is nothing to revert.")
    if any(change.sealed_by_id for change in changes):
        raise Refused(f"A value of #{number} is sealed; decide on the cell anew instead.")
    if any(change.field == EXISTS.name for change in changes):
        raise Refused(f"#{number} added a record, whose address stays for ever: withdraw the record instead.")
    wanted = [Wanted(c.record.key, c.field, seen=c.after, value=c.before) for c in changes]
    ruling = Ruling(Outcome.REVERTED, reason, changes=wanted, reverts=number)
    return decide(ruling, reader, second_reader=second_reader, idempotency_key=idempotency_key)
