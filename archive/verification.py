"""The archive, proved from the database alone: every record hashes to the digest taken when it was imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from django.db import connection

from archive.canonical import digest
from archive.exporters.dumps import one_moment
from archive.exporters.rendering import BrokenRecord, Rendered, flat_records, unreadable_records
from archive.exporters.task_tree import TaskTree
from archive.importers.dump_files import DumpKind
from archive.importers.metric_values import parse_metric
from archive.models import ImportedFile, ImportRun, ResultMetric


class Fault(NamedTuple):
    """Something that is not as it was imported: which check found it, on what, and what is wrong."""

    check: str
    subject: str
    problem: str


class Checked(NamedTuple):
    """How many things a check looked at, the faults it found, and how many hold a sealed value, which is neither."""

    check: str
    looked_at: int
    faults: list[Fault]
    sealed: int = 0


# Each query gives (subject, what is wrong) and nothing on a sound archive.
SUMS = {
    "rank counts": """
        SELECT r.key, format('row_count says %s, there are %s rows', l.row_count, count(w.position))
        FROM archive_leaderboard l JOIN archive_record r ON r.id = l.record_id
        LEFT JOIN archive_result w ON w.leaderboard_id = l.record_id
        WHERE r.dropped_in IS NULL GROUP BY r.key, l.row_count HAVING count(w.position) <> l.row_count
    """,
    "positions": """
        SELECT r.key, format('positions run to %s over %s rows', max(w.position), count(w.position))
        FROM archive_result w JOIN archive_record r ON r.id = w.leaderboard_id
        GROUP BY r.key HAVING max(w.position) <> count(w.position)
    """,
    "spine": """
        SELECT r.key, 'the record has no row of its kind' FROM archive_record r
        LEFT JOIN archive_paper p ON p.record_id = r.id LEFT JOIN archive_dataset d ON d.record_id = r.id
        LEFT JOIN archive_task t ON t.record_id = r.id LEFT JOIN archive_method m ON m.record_id = r.id
        LEFT JOIN archive_leaderboard l ON l.record_id = r.id LEFT JOIN archive_result w ON w.record_id = r.id
        LEFT JOIN archive_codelink c ON c.record_id = r.id
        WHERE num_nonnulls(p.record_id, d.record_id, t.record_id, m.record_id, l.record_id, w.record_id,
                           c.record_id) <> 1
    """,
    "keys of rows": """
        SELECT r.key, 'the key does not name the leaderboard and the number' FROM archive_result w
        JOIN archive_record r ON r.id = w.record_id JOIN archive_record l ON l.id = w.leaderboard_id
        WHERE r.key <> l.key || '/row/' || w.number
    """,
    "keys of code links": """
        SELECT r.key, 'the key does not name the number' FROM archive_codelink c
        JOIN archive_record r ON r.id = c.record_id WHERE r.key NOT LIKE 'paper/%/code/' || c.number
    """,
    # A leaderboard's name is made of two, and cut at both ends; a decision moves name and cell together.
    "names shown": """
        SELECT r.key, format('the name shown is %L, the record says %L', r.name, said.name) FROM archive_record r
        LEFT JOIN archive_paper p ON p.record_id = r.id LEFT JOIN archive_dataset d ON d.record_id = r.id
        LEFT JOIN archive_task t ON t.record_id = r.id LEFT JOIN archive_method m ON m.record_id = r.id
        LEFT JOIN archive_leaderboard l ON l.record_id = r.id LEFT JOIN archive_result w ON w.record_id = r.id
        LEFT JOIN archive_codelink c ON c.record_id = r.id
        CROSS JOIN LATERAL (SELECT coalesce(CASE r.kind
          WHEN 'paper' THEN p.title WHEN 'task' THEN t.name WHEN 'result' THEN w.model_name WHEN 'code' THEN c.repo_url
          WHEN 'dataset' THEN coalesce(d.name, d.full_name) WHEN 'method' THEN coalesce(m.name, m.full_name)
          WHEN 'leaderboard' THEN concat(
            (SELECT n.name FROM archive_taskname n WHERE n.task_id = l.task_id ORDER BY n.id LIMIT 1),
            ' on ', l.dataset_name) END, '') AS name) said
        WHERE (r.name <> said.name AND r.kind <> 'leaderboard' OR strpos(said.name, r.name) = 0)
          AND NOT EXISTS (SELECT FROM archive_base b WHERE b.record_id = r.id)
    """,
}


def _digests(check: str, records: Iterable[Rendered]) -> Checked:
    faults, count, sealed = [], 0, 0
    for record in records:
        count += 1
        if record.sealed:
            sealed += 1
            continue
        try:
            sound = digest(record.canonical()) == record.digest
        except BrokenRecord as error:
            faults.append(Fault(check, record.key, str(error)))
            continue
        if not sound:
            faults.append(Fault(check, record.key, "what the database holds does not hash to the digest of its import"))
    return Checked(check, count, faults, sealed)


def _unreadable(dump: DumpKind) -> Checked:
    check, faults, count = f"{dump}: unreadable records", [], 0
    for ordinal, source, expected in unreadable_records(dump):
        count += 1
        if digest(source) != expected:
            faults.append(Fault(check, f"{dump}[{ordinal}]", "the bytes do not hash to the digest of their import"))
    return Checked(check, count, faults)


def _record_counts(dump: DumpKind, found: int) -> Checked:
    """The number of records against the number read from the file; only where one file alone made the snapshot."""
    check = f"{dump}: number of records"
    newest = ImportRun.objects.newest()
    if newest is None:
        return Checked(check, 0, [])
    files = ImportedFile.objects.filter(dump=str(dump), run__snapshot=newest.snapshot)
    expected = {(tuple(file.sha256), file.records) for file in files}
    if len(expected) != 1:
        return Checked(check, 0, [])
    ((_, records),) = expected
    problem = f"the file held {records} records, the archive gives {found}"
    return Checked(check, 1, [] if records == found else [Fault(check, str(dump), problem)])


def _numbers() -> Checked:
    """The number beside each metric value is the one that is read from it."""
    check, faults, count = "numbers beside values", [], 0
    values = ResultMetric.objects.values_list("result__record__key", "metric__name", "value", "number")
    for key, metric, value, number in values.iterator(chunk_size=10_000):
        count += 1
        read = parse_metric(value)
        if (None if read is None else float(read)) != number:
            faults.append(Fault(check, key, f"{metric}: {value!r} reads as {read}, not {number}"))
    return Checked(check, count, faults)


def _sums() -> Iterator[Checked]:
    for check, statement in SUMS.items():
        with connection.cursor() as cursor:
            cursor.execute(statement)
            yield Checked(check, 1, [Fault(check, subject, problem) for subject, problem in cursor.fetchall()])


def verify(tell: Callable[[Checked], None] = lambda checked: None) -> list[Fault]:
    """Check everything that can be told from the database alone; `tell` hears of each check as it ends.

    Reads the whole archive once, streaming, in one read-only moment. Gives every fault, named.
    """
    faults: list[Fault] = []

    def note(checked: Checked) -> Checked:
        tell(checked)
        faults.extend(checked.faults)
        return checked

    with one_moment():
        for dump in (kind for kind in DumpKind if kind != DumpKind.TABLES):
            readable = note(_digests(f"{dump}: digests", flat_records(dump)))
            unreadable = note(_unreadable(dump))
            note(_record_counts(dump, readable.looked_at + unreadable.looked_at))
            note(_digests(f"{dump}: digests of dropped records", flat_records(dump, dropped=True)))
        tree = TaskTree()
        roots = note(_digests("tables: digests of whole trees", tree.roots()))
        note(_digests("tables: digests of tasks", tree.tasks.values()))
        note(_digests("tables: digests of leaderboards", tree.boards.values()))
        note(_digests("tables: digests of rows", tree.rows.values()))
        unreadable = note(_unreadable(DumpKind.TABLES))
        note(_record_counts(DumpKind.TABLES, roots.looked_at + unreadable.looked_at))
        note(_numbers())
        for checked in _sums():
            note(checked)
    return faults
