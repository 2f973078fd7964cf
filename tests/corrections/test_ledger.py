"""Imports over standing corrections, the log as lines, its replay, and its proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from archive.exporters.dumps import export_archive
from archive.exporters.states import State
from archive.importers.run import Source, import_archive
from archive.models import Base, CodeLink, Record, Result
from corrections.cells import read_cell
from corrections.decisions import Addition, Refused, decide, revert
from corrections.ledger import ReplayRefused, lines, rebase, replay
from corrections.models import Change, Decision, EntryKind, Report
from corrections.verification import verify_all
from tests.corrections.conftest import TINY
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first

NEXT = TINY.parent / "tiny-next"


def again(folder: Path = TINY) -> None:
    """Import a folder over the archive, as the command does."""
    import_archive([folder], Source.beside([folder]), closing=rebase)


def dumps(folder: Path) -> dict[str, list[str]]:
    """The records of the dumps in a folder, each as canonical JSON."""
    return {
        path.name: [json.dumps(value, sort_keys=True) for value in json.loads(path.read_text())]
        for path in folder.glob("*.json")
        if path.name != "SNAPSHOT.json"
    }


def state() -> list[tuple[Any, ...]]:
    """What the archive holds, by public keys: every correctable cell and what decisions set on the spine."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.key, f.name, corrections_cell(r.id, f.name)::text FROM archive_record r "
            "JOIN corrections_field f ON f.kind = r.kind "
            "UNION ALL SELECT r.key, m.name, v.value FROM archive_resultmetric v JOIN archive_record r "
            "ON r.id = v.result_id JOIN archive_leaderboardmetric m ON m.id = v.metric_id "
            "UNION ALL SELECT r.key, b.field, b.value::text FROM archive_base b JOIN archive_record r "
            "ON r.id = b.record_id "
            "UNION ALL SELECT key, 'revision', revision::text FROM archive_record ORDER BY 1, 2, 3"
        )
        return cursor.fetchall()


def several(renu: User) -> None:
    """A log of six entries over several kinds of cells, one of them reverted."""
    key, field = a_metric()
    decide(accepted(wanting(key, field, "1"), wanting(first("paper"), "authors", ["Somebody Else"])), renu)
    decide(accepted(wanting(key, field, "2")), renu)
    decide(accepted(wanting(first("dataset"), "description", None)), renu)
    decide(accepted(wanting(first("dataset"), "tasks", [])), renu)
    decide(accepted(wanting(first("method"), "introduced_year", 1999)), renu)
    revert(4, "It was right.", renu)


def additions(renu: User) -> Decision:
    """A decision that adds a code link and a row."""
    board = Record.objects.filter(kind="leaderboard").order_by("id")[0]
    metric = board.leaderboard.metrics.order_by("position")[0].name
    link = Addition(
        first("paper"), {"repo_url": "https://github.com/Some/Where", "framework": "jax", "is_official": True}
    )
    row = Addition(board.key, {"model_name": "New", "paper": first("paper"), f"metrics.{metric}": "12.5"})
    return decide(accepted(additions=[link, row]), renu)


class TestAdditions:
    def test_have_an_address_and_no_rank(self, renu: User, as_web: None) -> None:
        decision = additions(renu)
        link = CodeLink.objects.select_related("repository", "paper").latest("record_id")
        row = Result.objects.latest("record_id")
        assert link.repository and link.repository.name == "where"
        assert link.record.key == f"{first('paper')}/code/{link.number}" and link.repository
        assert row.position is None and row.record.name == "New"
        assert row.paper and row.paper.record.key == first("paper")
        assert row.number == row.leaderboard.row_count + 1
        assert decision.changes.filter(field="exists").count() == 2

    def test_leave_the_snapshot_as_it_is_and_survive(self, renu: User, tmp_path: Path) -> None:
        additions(renu)
        was = state()
        export_archive(tmp_path)
        assert all(dumps(tmp_path)[name] == records for name, records in dumps(TINY).items())
        assert verify_all() == []
        again()
        assert state() == was and verify_all() == []

    def test_come_back_in_a_replay(self, renu: User) -> None:
        additions(renu)
        log, was = list(lines()), state()
        call_command("empty_archive", yes=True)
        import_archive([TINY], Source.beside([TINY]))
        replay(log)
        assert state() == was and list(lines()) == log and verify_all() == []

    def test_are_not_reverted_but_withdrawn(self, renu: User) -> None:
        with pytest.raises(Refused, match="withdraw"):
            revert(additions(renu).number, "No.", renu)

    def test_need_a_name(self, renu: User) -> None:
        with pytest.raises(Refused, match="repo_url"):
            decide(accepted(additions=[Addition(first("paper"), {"framework": "jax"})]), renu)


class TestStates:
    def test_the_snapshot_export_is_still_the_snapshot(self, renu: User, tmp_path: Path) -> None:
        several(renu)
        export_archive(tmp_path)
        for name, records in dumps(TINY).items():
            assert dumps(tmp_path)[name] == records
        assert verify_all() == []

    def test_the_current_export_has_the_decided_values(self, renu: User, tmp_path: Path) -> None:
        key = first("paper")
        decide(accepted(wanting(key, "title", "Decided title")), renu)
        export_archive(tmp_path, State.CURRENT)
        slug = key.partition("/")[2]
        papers = {
            p["paper_url"].rpartition("/")[2]: p
            for p in json.loads((tmp_path / "papers-with-abstracts.json").read_text())
        }
        assert papers[slug]["title"] == "Decided title"


class TestImport:
    def test_the_same_dump_keeps_what_was_decided(self, renu: User) -> None:
        several(renu)
        before = state()
        again()
        assert state() == before and verify_all() == []
        entry = Decision.objects.get(number=7)
        assert entry.kind == EntryKind.IMPORT and (entry.facts or {})["rebased"] == []

    def test_a_later_snapshot_rebases_and_reports(self, renu: User) -> None:
        """The corrected value of a changed row stands, its base is the new snapshot's, and people are told."""
        changed = self.changed_cell()
        decide(accepted(wanting(*changed, "99.9")), renu)
        again(NEXT)
        assert read_cell(record(changed[0]), changed[1]) == "99.9"
        base = Base.objects.get(record__key=changed[0], field=changed[1])
        assert base.value not in ("99.9", None)
        report = Report.objects.get()
        assert (report.record.key, report.field, report.proposed) == (*changed, base.value)
        assert verify_all() == []
        again(NEXT)
        assert Report.objects.count() == 1 and Change.objects.count() == 1

    @staticmethod
    def changed_cell() -> tuple[str, str]:
        """A metric cell of which the later snapshot says something else."""
        old = {(k, f): v for k, f, v in state() if k.startswith("sota/") and "/row/" in k}
        rows = {}
        for table in json.loads((NEXT / "evaluation-tables.json").read_text()):
            for dataset in table["datasets"]:
                for row in dataset["sota"]["rows"]:
                    rows[row["model_name"], row["paper_url"]] = row["metrics"]
        for item in Record.objects.filter(kind="result").select_related("result"):
            new = rows.get((item.result.model_name or "", item.result.paper_url or ""), {})
            for name, value in new.items():
                if old.get((item.key, name), value) != value:
                    return item.key, f"metrics.{name}"
        raise AssertionError("tiny-next changes no value")

    def test_the_first_entry_names_the_dumps(self, renu: User) -> None:
        decide(accepted(wanting(*a_metric(), "1")), renu)
        facts = Decision.objects.get(number=1).facts or {}
        assert facts["snapshot"] == "2025-07-28" and set(facts["dumps"]) == {
            "papers",
            "links",
            "tables",
            "methods",
            "datasets",
        }


class TestReplay:
    def test_gives_the_same_archive_on_a_fresh_import(self, renu: User) -> None:
        several(renu)
        log, was = list(lines()), state()
        call_command("empty_archive", yes=True)
        import_archive([TINY], Source.beside([TINY]))
        assert replay(log) == 6
        assert state() == was and list(lines()) == log and verify_all() == []

    def test_wants_an_empty_log(self, renu: User) -> None:
        several(renu)
        with pytest.raises(ReplayRefused, match="not empty"):
            replay(lines())

    @pytest.mark.parametrize("tamper", ["drop", "swap", "value"])
    def test_refuses_a_log_that_is_not_whole(self, renu: User, tamper: str) -> None:
        several(renu)
        log = list(lines())
        call_command("empty_archive", yes=True)
        import_archive([TINY], Source.beside([TINY]))
        if tamper == "drop":
            del log[2]
        elif tamper == "swap":
            log[1], log[2] = log[2], log[1]
        else:
            log[0] = log[0].replace(b'"value":"1"', b'"value":"7"')
            replay(log)
            assert {fault.check for fault in verify_all()} >= {"log: texts and values"}
            return
        with pytest.raises(Exception, match="can not follow"):
            replay(log)
        assert not Decision.objects.exists()

    def test_lines_after_a_number(self, renu: User) -> None:
        several(renu)
        assert [json.loads(line)["number"] for line in lines(after=4)] == [5, 6]


TAMPERED = {
    "a value": ("UPDATE archive_resultmetric SET value = '77' WHERE (result_id, metric_id) IN "
                "(SELECT result_id, metric_id FROM archive_resultmetric WHERE value = '2')", "log: corrected cells"),
    "a reason": ("UPDATE corrections_decision SET reason = 'Another.' WHERE number = 2", "log: texts and values"),
    "a reader": ("UPDATE corrections_decision SET reader = 'Nobody' WHERE number = 2", "log: chain of entries"),
    "a missing entry": ("DELETE FROM corrections_decision WHERE number = 5", "log: chain of entries"),
    "an order": ("UPDATE corrections_decision SET previous_digest = digest WHERE number = 3", "log: chain of entries"),
    "a base": ("UPDATE archive_base SET value = '\"0\"' WHERE field LIKE 'metrics.%'", "tables: digests of rows"),
    "a lost base": ("DELETE FROM archive_base WHERE field = 'authors'", "log: bases of corrected cells"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_found_and_named(renu: User, what: str) -> None:
    """By the owner, with every trigger off: the proof is the answer to what triggers can not stop."""
    several(renu)
    statement, check = TAMPERED[what]
    tables = ("archive_resultmetric", "archive_base", "corrections_decision", "corrections_change")
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        if what == "a missing entry":
            cursor.execute("DELETE FROM corrections_change WHERE decision_id = 5")
        cursor.execute(statement)
        assert cursor.rowcount
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    assert check in {fault.check for fault in verify_all()}
