"""Verification: what an owner who takes the triggers off alters is found, and named."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from archive.exporters.dumps import export_archive
from archive.exporters.rendering import BrokenRecord
from archive.importers.dump_files import DumpKind
from archive.verification import Checked, verify
from tests.archive.dumps import TINY, TINY_NEXT, load, write_dumps

ATTENTION = "paper/attention-is-all-you-need"
LSTM = "paper/long-short-term-memory"
WMT = "dataset/wmt-2014"
COCO = "sota/object-detection-on-coco"


def of(key: str) -> str:
    """The id of a record, as SQL."""
    return f"(SELECT id FROM archive_record WHERE key = '{key}')"


def set_(table: str, key: str, change: str, column: str = "record_id") -> str:
    """A statement that alters the row or rows of a record."""
    return f"UPDATE archive_{table} SET {change} WHERE {column} = {of(key)}"


# What is altered -> the statements, and the record or dump that has to be named.
ALTERED: dict[str, tuple[str, str]] = {
    "a title": (set_("paper", ATTENTION, "title = title || '.'"), ATTENTION),
    "a title to none": (set_("paper", ATTENTION, "title = NULL"), ATTENTION),
    "a line break": (set_("dataset", WMT, r"description = replace(description, E'\r', '')"), WMT),
    "a date": (set_("paper", ATTENTION, "date = '2017-06-13'"), ATTENTION),
    "an author's place": (
        f"UPDATE archive_authorship SET position = CASE position WHEN 0 THEN 101 WHEN 1 THEN 100 END"
        f" WHERE paper_id = {of(ATTENTION)} AND position < 2",
        ATTENTION,
    ),
    "an author left out": (
        f"DELETE FROM archive_authorship WHERE paper_id = {of(ATTENTION)} AND position = 3",
        ATTENTION,
    ),
    "an author's name": ("UPDATE archive_author SET name = 'A. Vaswani' WHERE name = 'Ashish Vaswani'", ATTENTION),
    "a paper's task": (f"DELETE FROM archive_papertask WHERE paper_id = {of(ATTENTION)}", ATTENTION),
    "a printed method": ("UPDATE archive_printedmethod SET content = replace(content, 'ResNet', 'Resnet')", ATTENTION),
    "a printed method that is no JSON": ("UPDATE archive_printedmethod SET content = '{'", ATTENTION),
    "a paper's key": (set_("record", ATTENTION, "key = 'paper/attention'", "id"), "paper/attention"),
    "a dataset's variant": (set_("datasetvariant", "dataset/salicon", "name = 'x'", "dataset_id"), "dataset/salicon"),
    "a data loader": (
        set_("dataloader", WMT, "frameworks = '{tf}'", "dataset_id"),
        WMT,
    ),
    "a method's collection": (
        "UPDATE archive_collection SET area = 'General' WHERE name = 'Transformers'",
        "method/transformer",
    ),
    "a flag of a link": (set_("codelink", f"{ATTENTION}/code/1", "is_official = false"), f"{ATTENTION}/code/1"),
    "a link's number": (set_("codelink", f"{ATTENTION}/code/1", "number = 7"), f"{ATTENTION}/code/1"),
    "a metric value": (
        f"UPDATE archive_resultmetric SET value = '43.4', number = 43.4 WHERE result_id = {of(f'{COCO}/row/1')}",
        f"{COCO}/row/1",
    ),
    "only the number beside it": (
        f"UPDATE archive_resultmetric SET number = 43.4 WHERE result_id = {of(f'{COCO}/row/1')}",
        f"{COCO}/row/1",
    ),
    "a metric's name": ("UPDATE archive_leaderboardmetric SET name = 'AP' WHERE name = 'box AP'", COCO),
    "two rows' places": (
        f"UPDATE archive_result SET position = 3 - position WHERE leaderboard_id = {of(COCO)} AND position < 3",
        "task/object-detection",
    ),
    "a row's place": (set_("result", f"{COCO}/row/4", "position = 9"), COCO),
    "a row's place taken away": (set_("result", f"{COCO}/row/4", "position = NULL"), COCO),
    "a row's number": (set_("result", f"{COCO}/row/4", "number = 9"), f"{COCO}/row/4"),
    "a leaderboard's count": (set_("leaderboard", COCO, "row_count = 40"), COCO),
    "a task's text": (set_("task", "task/object-detection", "description = 'x'"), "task/object-detection"),
    "a task's synonym": ("DELETE FROM archive_tasksynonym", "task/saliency-prediction"),
    "the order of the tree": (
        "UPDATE archive_tasktable SET position = 7 WHERE id = (SELECT min(id) FROM archive_tasktable)",
        "task/object-detection",
    ),
    "a table left out of the tree": (
        "DELETE FROM archive_tasktable WHERE id = (SELECT min(id) FROM archive_tasktable)",
        "task/object-detection",
    ),
    "a whole tree": ("DELETE FROM archive_tasktable; DELETE FROM archive_tasknode", "tables"),
    "extra": (
        set_("record", LSTM, "extra = replace(extra, 'kept', 'found')", "id"),
        LSTM,
    ),
    "extra emptied": (set_("record", LSTM, "extra = ''", "id"), LSTM),
    "extra that is no JSON": (set_("record", ATTENTION, "extra = '{'", "id"), ATTENTION),
    "extra that is no object": (set_("record", COCO, "extra = '[3]'", "id"), COCO),
    "extra of a place in the tree": (
        """UPDATE archive_tasknode SET extra = '{"set":{"task":"x"}}' WHERE parent_id IS NULL AND position = 1""",
        "task/machine-translation",
    ),
    "a digest": (set_("record", ATTENTION, "digest = sha256('x')", "id"), ATTENTION),
    "a tree's digest": (
        "UPDATE archive_tasknode SET digest = sha256('x') WHERE position = 1 AND parent_id IS NULL",
        "task/machine-translation",
    ),
    "the name shown": (set_("record", ATTENTION, "name = 'Attention'", "id"), ATTENTION),
    "the name shown of a leaderboard": (set_("record", COCO, "name = 'Object Recognition'", "id"), COCO),
    "a row's key": (set_("record", f"{COCO}/row/4", f"key = '{COCO}/row/8'", "id"), f"{COCO}/row/8"),
    "a record gone from its table": (
        f"DELETE FROM archive_method WHERE record_id = {of('method/resnet')}",
        "method/resnet",
    ),
    "a record gone altogether": (
        f"DELETE FROM archive_collectionmembership WHERE method_id = {of('method/sky-line-refund-desk')};"
        f"DELETE FROM archive_method WHERE record_id = {of('method/sky-line-refund-desk')};"
        "DELETE FROM archive_record WHERE key = 'method/sky-line-refund-desk'",
        "methods",
    ),
    "a record marked as dropped": (set_("record", ATTENTION, "dropped_in = '2026-01-01'", "id"), "papers"),
    "a row gone altogether": (
        f"DELETE FROM archive_resultmetric WHERE result_id = {of(f'{COCO}/row/4')};"
        f"DELETE FROM archive_result WHERE record_id = {of(f'{COCO}/row/4')};"
        f"DELETE FROM archive_record WHERE key = '{COCO}/row/4'",
        COCO,
    ),
}


def alter(statements: str) -> None:
    """Do what no policy allows: with every trigger and foreign key off, as the owner of the tables can."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT DISTINCT relname FROM pg_class WHERE relname LIKE 'archive\\_%' AND relkind = 'r'")
        tables = [name for (name,) in cursor.fetchall()]
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            " WHERE contype = 'f' AND confrelid::regclass::text LIKE 'archive\\_%'"
        )
        for table, name in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statements)


@pytest.mark.usefixtures("db", "tiny_archive")
class TestAltered:
    @pytest.mark.parametrize("what", ALTERED)
    def test_is_found_and_named(self, what: str) -> None:
        statements, subject = ALTERED[what]
        alter(statements)
        found = verify()
        assert subject in {fault.subject for fault in found}, found
        assert all(fault.check and fault.problem for fault in found)

    def test_nothing_is_found_when_nothing_was_altered(self) -> None:
        alter("SELECT 1")
        told: list[Checked] = []
        assert verify(told.append) == []
        looked_at = {checked.check: checked.looked_at for checked in told}
        assert looked_at["papers: digests"] == 6
        assert looked_at["tables: digests of rows"] == 13
        assert looked_at["tables: digests of whole trees"] == 3
        assert looked_at["numbers beside values"] == 16

    def test_one_altered_record_is_one_fault(self) -> None:
        alter(ALTERED["a title"][0])
        assert [fault.check for fault in verify()] == ["papers: digests", "names shown"]

    def test_an_altered_record_can_not_be_exported_as_if_it_were_sound(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        alter(ALTERED["extra that is no JSON"][0])
        folder = tmp_path_factory.mktemp("out")
        with pytest.raises(BrokenRecord, match=ATTENTION):
            export_archive(folder)
        assert not (folder / "papers-with-abstracts.json").exists()

    def test_the_command_says_so_and_fails(self, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("verify_archive")
        assert "papers: digests" in capsys.readouterr().out
        alter(ALTERED["a metric value"][0])
        with pytest.raises(SystemExit) as ended:
            call_command("verify_archive")
        assert ended.value.code == 1
        said = capsys.readouterr()
        assert f"{COCO}/row/1: " in said.out
        assert "2 faults" in said.err


@pytest.mark.django_db
def test_dropped_records_are_verified_too(capsys: pytest.CaptureFixture[str]) -> None:
    load(TINY)
    load(TINY_NEXT)
    for statement, subject in (
        (set_("paper", "paper/salicon-saliency-in-context", "title = 'x'"), "paper/salicon-saliency-in-context"),
        (set_("result", f"{COCO}/row/3", "model_name = 'x'"), f"{COCO}/row/3"),
        (set_("leaderboard", "sota/object-detection-on", "description = 'x'"), "sota/object-detection-on"),
    ):
        alter(statement)
        assert subject in {fault.subject for fault in verify()}


@pytest.mark.django_db
def test_the_bytes_of_an_unreadable_record_are_verified(tmp_path: Any) -> None:
    load(write_dumps(tmp_path / "in", {DumpKind.METHODS: [b'{"name": }', {"name": "m"}]}))
    assert verify() == []
    alter("UPDATE archive_unreadablerecord SET source = source || 'x'")
    assert [fault.subject for fault in verify()] == ["methods[0]"]
    alter("DELETE FROM archive_unreadablerecord")
    assert [fault.subject for fault in verify()] == ["methods"]
