"""Proposals and seals."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from archive.exporters.dumps import export_archive
from archive.models import Record
from corrections.cells import read_cell
from corrections.decisions import Refused, Ruling, Stale, decide
from corrections.ledger import lines
from corrections.models import Change, Decision, EntryKind, Proposal, Report, ReportKind, ReportState
from corrections.proposals import confirm, expire, propose, refuse, waiting
from corrections.sealing import seal
from corrections.submissions import Draft, file_report
from corrections.verification import verify_all
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first


def withdrawing(key: str) -> Ruling:
    """Report a record, and give the ruling that withdraws it."""
    report = file_report(Draft(key, ReportKind.NOT_HERE, comment="Advertising."), sender="192.0.2.1").report
    return accepted(wanting(key, "withdrawn", True), reports=[report.pk])


class TestProposal:
    def test_becomes_a_decision_when_another_confirms(self, renu: User, otto: User) -> None:
        key = first("method")
        proposal = propose(withdrawing(key), renu)
        assert Report.objects.get().state == ReportState.PROPOSED and not Decision.objects.exists()
        decision = confirm(proposal, otto)
        assert (decision.reader, decision.second_reader) == ("Renu R.", "Otto R.")
        assert record(key).withdrawn and Report.objects.get().decision == decision
        assert list(waiting()) == []

    def test_is_not_confirmed_by_its_own_author(self, renu: User) -> None:
        proposal = propose(withdrawing(first("method")), renu)
        with pytest.raises(Refused, match="another person"):
            confirm(proposal, renu)
        assert not Decision.objects.exists()

    def test_a_stale_one_is_refused_and_waits(self, renu: User, otto: User) -> None:
        key, field = a_metric()
        proposal = propose(accepted(wanting(key, field, "5"), wanting(first("method"), "withdrawn", True)), renu)
        decide(accepted(wanting(key, field, "1")), otto)
        with pytest.raises(Stale):
            confirm(proposal, otto)
        assert list(waiting()) == [proposal]

    def test_refused_reports_are_open_again(self, renu: User, otto: User) -> None:
        proposal = propose(withdrawing(first("method")), renu)
        refuse(proposal, otto, "It is a real method.")
        assert Report.objects.get().state == ReportState.OPEN
        with pytest.raises(Refused, match="refused by Otto"):
            confirm(proposal, otto)

    def test_ends_after_its_time(self, renu: User, otto: User) -> None:
        proposal = propose(withdrawing(first("method")), renu)
        Proposal.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        with pytest.raises(Refused, match="time is over"):
            confirm(proposal, otto)
        assert expire() == 1 and Report.objects.get().state == ReportState.OPEN


class TestSeal:
    def test_takes_a_cell_out_of_the_log_everywhere(self, renu: User, edda: User, tmp_path: Path) -> None:
        key = first("paper")
        old = read_cell(record(key), "authors")
        decide(accepted(wanting(key, "authors", ["New Name"])), renu)
        decide(accepted(wanting(key, "authors", ["New Name", "Another"])), renu)
        made = seal(1, "A name change.", edda, cells=[(key, "authors")])
        assert made.kind == EntryKind.SEAL and made.number == 3
        assert not Change.objects.filter(sealed_by=None).exists()
        log = b"".join(lines()).decode()
        assert old[0] not in log and "New Name" not in log
        assert read_cell(record(key), "authors") == ["New Name", "Another"]
        assert verify_all() == []
        export_archive(tmp_path)
        papers = json.loads((tmp_path / "papers-with-abstracts.json").read_text())
        assert [paper["authors"] for paper in papers if paper["paper_url"].endswith(key.partition("/")[2])] == [None]

    def test_takes_the_texts_of_a_decision_out(self, renu: User, edda: User) -> None:
        decide(accepted(wanting(*a_metric(), "1"), reason="Call Jane Doe."), renu)
        seal(1, "Personal data.", edda)
        entry = Decision.objects.get(number=1)
        assert (entry.reason, entry.quote, entry.reading, entry.sealed_by_id) == (None, None, None, 2)
        assert b"Jane Doe" not in b"".join(lines()) and verify_all() == []
        with pytest.raises(Refused, match="sealed already"):
            seal(1, "Again.", edda)

    def test_is_for_editors(self, renu: User) -> None:
        decide(accepted(wanting(*a_metric(), "1")), renu)
        with pytest.raises(Refused, match="editor"):
            seal(1, "Why not.", renu)

    def test_a_sealed_cell_can_be_decided_anew(self, renu: User, edda: User) -> None:
        key = first("paper")
        decide(accepted(wanting(key, "title", "One")), renu)
        seal(1, "Rights.", edda, cells=[(key, "title")])
        decide(accepted(wanting(key, "title", "Two")), renu)
        assert Record.objects.get(key=key).name == "Two" and verify_all() == []
