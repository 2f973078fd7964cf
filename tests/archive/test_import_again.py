"""Importing into an archive that holds something: the same again, a later snapshot, one more file, some dumps only."""

from __future__ import annotations

import copy
import datetime
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from archive.importers.dump_files import DumpKind
from archive.models import (
    CodeLink,
    Dataset,
    ImportRun,
    Leaderboard,
    LeaderboardMetric,
    Paper,
    Record,
    RecordKind,
    Result,
    TaskNode,
    UnreadableRecord,
)
from tests.archive.dumps import (
    TINY,
    TINY_NEXT,
    canonical_records,
    exported,
    faults,
    load,
    values,
    write_dumps,
)
from tests.archive.test_import_lossless import tuples

pytestmark = pytest.mark.django_db

NEXT = datetime.date(2025, 9, 1)
COCO = "sota/object-detection-on-coco"
ATTENTION = "paper/attention-is-all-you-need"


def only(folder: Path, *kinds: DumpKind, of: Path = TINY, to: Path) -> Path:
    """Some of the dumps of a folder, in a folder of their own."""
    to.mkdir()
    for kind in kinds:
        shutil.copy(of / f"{kind.file_name}.json", to)
    shutil.copy(of / "SNAPSHOT.json", to)
    return to


def trees(*roots: Any) -> dict[DumpKind, list[Any]]:
    return {DumpKind.TABLES: list(roots)}


def row(model: str, value: str = "1") -> dict[str, Any]:
    return {"model_name": model, "paper_url": "", "metrics": {"A": value}}


def table(*rows: Any, name: str = "D", slug: str | None = None, **more: Any) -> dict[str, Any]:
    links = [{"title": "t", "url": f"https://paperswithcode.com/sota/{slug}"}] if slug else []
    sota = {"metrics": ["A"], "rows": list(rows)}
    return {"dataset": name, "description": "", "dataset_links": links, "sota": sota, **more}


def task(name: str, *tables: Any, subtasks: Any = (), **more: Any) -> dict[str, Any]:
    return {"task": name, "datasets": list(tables), "subtasks": list(subtasks), **more}


def test_the_same_again_writes_nothing_but_the_run() -> None:
    load(TINY)
    before = tuples()
    summary = load(TINY)
    assert tuples() == before
    assert summary.dropped == 0 and not any(summary.relinked.values())
    assert {kind: set(counts) for kind, counts in summary.counts.items()} == {
        kind: {"unchanged"} for kind in ("paper", "dataset", "method", "task", "leaderboard", "result", "code")
    }
    assert ImportRun.objects.count() == 2
    assert faults() == []


class TestLater:
    """tiny, and then tiny-next, which is of a later day."""

    def test_what_changed_is_written_and_counted(self) -> None:
        load(TINY)
        revisions = dict(Record.objects.values_list("key", "revision"))
        summary = load(TINY_NEXT)
        counts = summary.counts
        assert counts["paper"] == {"added": 1, "changed": 1, "unchanged": 4}
        assert counts["dataset"] == {"added": 1, "changed": 1, "unchanged": 2}
        assert counts["result"]["added"] == 2
        moved = {key for key, revision in Record.objects.values_list("key", "revision") if revision}
        assert {ATTENTION, "dataset/salicon", "method/resnet"} <= moved
        assert not {"dataset/mmdialog", "paper/salicon-saliency-in-context"} & moved
        assert set(revisions.values()) == {0}
        attention = Paper.objects.get(record__key=ATTENTION)
        assert (attention.abstract or "").startswith("Attention alone, without recurrence")
        names = attention.authorships.order_by("position").values_list("author__name", flat=True)
        assert "Aidan Gomez" in names and "Aidan N. Gomez" not in names
        assert Dataset.objects.get(record__key="dataset/salicon").license_name == "CC BY-NC 4.0"

    def test_what_is_missing_is_marked_and_stays(self) -> None:
        load(TINY)
        held = set(Record.objects.values_list("key", flat=True))
        summary = load(TINY_NEXT)
        dropped = dict(Record.objects.exclude(dropped_in=None).values_list("key", "dropped_in"))
        assert set(dropped.values()) == {NEXT} and len(dropped) == summary.dropped == 13
        assert {"dataset/skyline-booking-555-0143", "paper/salicon-saliency-in-context"} <= set(dropped)
        assert held <= set(Record.objects.values_list("key", flat=True))
        # A row that is gone has no place, and the others close up.
        gone = Result.objects.filter(record__dropped_in=NEXT)
        assert gone.exists() and set(gone.values_list("position", flat=True)) == {None}
        for board in Leaderboard.objects.filter(record__dropped_in=None):
            placed = board.results.exclude(position=None).order_by("position")
            assert list(placed.values_list("position", flat=True)) == list(range(1, board.row_count + 1))

    def test_the_export_is_the_later_input_and_verification_is_content(self, tmp_path: Path) -> None:
        load(TINY)
        load(TINY_NEXT)
        assert exported(tmp_path / "out") == canonical_records(TINY_NEXT)
        assert faults() == []

    def test_keys_and_numbers_stay(self) -> None:
        load(TINY)
        before = dict(Record.objects.values_list("id", "key"))
        load(TINY_NEXT)
        assert before.items() <= dict(Record.objects.values_list("id", "key")).items()

    def test_the_later_one_again_leaves_the_dropped_ones_dropped(self, tmp_path: Path) -> None:
        """The same snapshot adds and updates; it gives no place to rows that the snapshot dropped."""
        load(TINY)
        load(TINY_NEXT)
        before = tuples()
        load(TINY_NEXT)
        assert tuples() == before
        assert not Result.objects.exclude(position=None).exclude(record__dropped_in=None).exists()
        assert exported(tmp_path / "out") == canonical_records(TINY_NEXT)
        assert faults() == []

    def test_what_is_back_in_a_third_snapshot_is_no_longer_dropped(self, tmp_path: Path) -> None:
        load(TINY)
        first = dict(Record.objects.values_list("key", "id"))
        load(TINY_NEXT)
        summary = load(TINY, snapshot="2025-10-01")
        still = Record.objects.filter(key__in=first).exclude(dropped_in=None).values_list("key", flat=True)
        # The second snapshot alone described this task, which the others only name.
        assert list(still) == ["task/image-classification"]
        assert first.items() <= dict(Record.objects.values_list("key", "id")).items()
        new = set(Record.objects.exclude(key__in=first).exclude(digest=None).values_list("dropped_in", flat=True))
        assert new == {datetime.date(2025, 10, 1)} and summary.dropped > 0
        placed = Result.objects.filter(leaderboard__record__key=COCO).order_by("position")
        assert list(placed.exclude(position=None).values_list("number", "position")) == [(n, n) for n in (1, 2, 3, 4)]
        assert exported(tmp_path / "out") == canonical_records(TINY)
        assert faults() == []

    def test_unreadable_records_are_those_of_the_newest_dump(self, tmp_path: Path) -> None:
        old: dict[DumpKind, list[Any]] = {DumpKind.METHODS: [b'{"name": }', {"name": "m"}], DumpKind.PAPERS: [b"3"]}
        load(write_dumps(tmp_path / "a", old, "2025-08-01"))
        later = write_dumps(tmp_path / "b", {DumpKind.METHODS: [{"name": "m"}, b"null"]}, "2025-08-02")
        load(later)
        found = UnreadableRecord.objects.values_list("dump", "ordinal", "source")
        assert {(dump, ordinal, bytes(source)) for dump, ordinal, source in found} == {
            ("methods", 1, b"null"),
            ("papers", 0, b"3"),
        }
        assert exported(tmp_path / "out") == canonical_records(later)


class TestOneMoreFile:
    """The same date: records are added or updated, and nothing is marked."""

    def test_dumps_that_come_one_by_one_are_the_same_archive(self, tmp_path: Path) -> None:
        for number, kind in enumerate(("links", "papers", "tables", "methods", "datasets")):
            load(only(TINY, DumpKind(kind), to=tmp_path / f"part{number}"))
        assert exported(tmp_path / "out") == canonical_records(TINY)
        assert faults() == []
        # Relations are found whatever came first.
        assert CodeLink.objects.filter(paper=None).count() == 0
        assert Result.objects.exclude(paper=None).count() == 8
        assert Leaderboard.objects.exclude(dataset=None).count() == 3
        assert Dataset.objects.get(record__key="dataset/mmdialog").introduced_by is not None

    def test_a_smaller_file_marks_nothing(self, tmp_path: Path) -> None:
        load(TINY)
        some: dict[DumpKind, list[Any]] = {DumpKind.PAPERS: values(DumpKind.PAPERS)[:1], DumpKind.METHODS: []}
        summary = load(write_dumps(tmp_path / "some", some, archive="corrigenda-tiny"))
        assert summary.dropped == 0 and not Record.objects.exclude(dropped_in=None).exists()
        assert exported(tmp_path / "out") == canonical_records(TINY)

    def test_a_changed_record_is_updated(self, tmp_path: Path) -> None:
        load(TINY)
        changed = {**values(DumpKind.PAPERS)[1], "title": "Attention"}
        load(write_dumps(tmp_path / "changed", {DumpKind.PAPERS: [changed]}, archive="corrigenda-tiny"))
        assert Paper.objects.get(record__key=ATTENTION).title == "Attention"
        assert Record.objects.get(key=ATTENTION).name == "Attention"
        assert faults() == []

    def test_trees_of_other_names_stay_as_they_were_imported(self, tmp_path: Path) -> None:
        """They share a task, a table and rows with the new dump, which tells all three otherwise."""
        shared = table(row("m"), row("n", "2"), slug="shared")
        first = task("X", shared, subtasks=[task("S", table(row("o"), name="E"), description="first words")])
        load(write_dumps(tmp_path / "a", trees(first)))
        retold = table(row("n", "3"), row("p", "4"), slug="shared", description="told otherwise")
        second = task("Y", retold, subtasks=[task("S", table(row("q"), name="E"), description="other words")])
        load(write_dumps(tmp_path / "b", trees(second)))
        assert faults() == []
        (out,) = exported(tmp_path / "out").values()
        expected = [*canonical_records(tmp_path / "a").values(), *canonical_records(tmp_path / "b").values()]
        assert sorted(out) == sorted(record for records in expected for record in records)
        # The record itself is what the newer file says of it; rows it lacks stand behind its own.
        board = Leaderboard.objects.get(record__key="sota/shared")
        assert (board.description, board.row_count) == ("told otherwise", 3)
        placed = board.results.order_by("position").values_list("model_name", "position", "number")
        assert list(placed) == [("n", 1, 2), ("p", 2, 3), ("m", 3, 1)]

    def test_trees_of_the_same_name_are_replaced_and_rows_they_lack_stand_last(self, tmp_path: Path) -> None:
        load(write_dumps(tmp_path / "a", trees(task("X", table(row("l"), row("m"), row("n"), slug="s")))))
        newer = trees(task("X", table(row("o"), row("n"), slug="s")))
        load(write_dumps(tmp_path / "b", newer))
        placed = Result.objects.order_by("position").values_list("model_name", flat=True)
        assert list(placed) == ["o", "n", "l", "m"]
        assert exported(tmp_path / "out") == canonical_records(tmp_path / "b")
        before = tuples()
        load(tmp_path / "b")
        assert tuples() == before
        assert faults() == []

    def test_a_later_snapshot_that_comes_in_two_imports_marks_by_dump(self, tmp_path: Path) -> None:
        load(TINY)
        load(only(TINY, DumpKind.LINKS, of=TINY_NEXT, to=tmp_path / "links"))
        assert not Record.objects.exclude(dropped_in=None).exclude(kind=RecordKind.CODE).exists()
        rest = [kind for kind in DumpKind if kind != DumpKind.LINKS]
        load(only(TINY, *rest, of=TINY_NEXT, to=tmp_path / "rest"))
        assert Record.objects.exclude(dropped_in=None).count() == 13
        assert exported(tmp_path / "out") == canonical_records(TINY_NEXT)
        assert faults() == []


def test_a_part_of_the_dumps_is_an_archive_too(tmp_path: Path) -> None:
    for kind in DumpKind:
        folder = only(TINY, kind, to=tmp_path / kind)
        load(folder, archive="x")
    load(only(TINY, DumpKind.LINKS, of=TINY_NEXT, to=tmp_path / "later"), archive="x")
    assert faults() == []


def test_a_leaderboard_follows_its_task(tmp_path: Path) -> None:
    shared = table(row("m"), slug="s")
    load(write_dumps(tmp_path / "a", trees(task("X", shared), task("Y")), "2025-08-01"))
    load(write_dumps(tmp_path / "b", trees(task("X"), task("Y", shared)), "2025-08-02"))
    board = Leaderboard.objects.get()
    assert board.task.name == "Y"
    assert board.record.ordinal == 1
    assert faults() == []


def test_metrics_follow_the_list(tmp_path: Path) -> None:
    def with_metrics(*names: str) -> dict[DumpKind, list[Any]]:
        changed = copy.deepcopy(table(row("m"), slug="s"))
        changed["sota"]["metrics"] = list(names)
        return trees(task("X", changed))

    load(write_dumps(tmp_path / "a", with_metrics("A", "B", "C"), "2025-08-01"))
    load(write_dumps(tmp_path / "b", with_metrics("C", "A"), "2025-08-02"))
    placed = dict(LeaderboardMetric.objects.values_list("name", "position"))
    assert placed == {"C": 0, "A": 1, "B": None}
    assert exported(tmp_path / "out") == canonical_records(tmp_path / "b")
    assert faults() == []


def test_the_tree_is_written_only_when_it_moved(tmp_path: Path) -> None:
    load(TINY)
    nodes = set(TaskNode.objects.values_list("id", flat=True))
    load(TINY, snapshot="2025-10-01")
    assert set(TaskNode.objects.values_list("id", flat=True)) == nodes
    roots = json.loads((TINY / "evaluation-tables.json").read_text())
    load(write_dumps(tmp_path / "in", trees(*reversed(roots)), "2025-11-01", archive="corrigenda-tiny"))
    assert not set(TaskNode.objects.values_list("id", flat=True)) & nodes
    assert [record["task"] for record in roots[::-1]] == list(
        TaskNode.objects.filter(parent=None).order_by("position").values_list("name__name", flat=True)
    )
    assert faults() == []
