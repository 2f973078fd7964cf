"""Two readers on one case: at once, one after the other, an own report, an appeal, a proposal."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.models import User
from django.test import Client

from archive.models import Record
from corrections.cells import read_cell
from corrections.decisions import decide
from corrections.models import Decision, Proposal, Report, ReportState
from corrections.submissions import appeal
from tests.corrections.desk.acting import ACCEPT, accept, address, hidden, opened, report, text_of
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first
from tests.corrections.test_races import at_once


class TestTwoReaders:
    def test_the_second_gets_409_with_the_winner_and_their_own_words(
        self, at_desk: Client, at_desk_too: Client
    ) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        mine = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5"}
        theirs = {**opened(at_desk_too, key, field), **ACCEPT, "value": "13", "reason": "Otto’s long reason."}
        assert at_desk.post(address(key, field), mine).status_code == 303
        answer = at_desk_too.post(address(key, field), theirs)
        assert answer.status_code == 409 and Decision.objects.count() == 1
        told = text_of(answer)
        assert "Somebody was first" in told and "Renu R." in told and ACCEPT["reason"] in told
        assert "Otto’s long reason." in told

    def test_both_at_the_same_moment(self, at_desk: Client, at_desk_too: Client) -> None:
        key, field = a_metric()
        for race in range(10):
            report(key, field, f"{race}.5", sender=f"192.0.2.{race}")
            forms = [
                {**opened(client, key, field), **ACCEPT, "value": f"{race}.{n}", "reason": f"Reason of reader {n}."}
                for n, client in enumerate((at_desk, at_desk_too), start=1)
            ]
            answers = at_once(
                partial(at_desk.post, address(key, field), forms[0]),
                partial(at_desk_too.post, address(key, field), forms[1]),
            )
            statuses = [getattr(answer, "status_code", answer) for answer in answers]
            assert sorted(map(str, statuses)) == ["303", "409"], statuses
            loser = statuses.index(409)
            assert f"Reason of reader {loser + 1}." in text_of(answers[loser])
        assert Decision.objects.count() == 10

    def test_a_double_click_is_one_decision(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        data = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5"}
        answers = at_once(*[lambda: at_desk.post(address(key, field), data)] * 2)
        assert [getattr(answer, "status_code", answer) for answer in answers] == [303, 303]
        assert Decision.objects.count() == 1

    def test_the_same_form_twice_is_one_decision(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        data = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5"}
        answers = [at_desk.post(address(key, field), data) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [303, 303]
        assert Decision.objects.count() == 1
        assert "decided already, as #1" in text_of(at_desk.get("/admin/desk/"))

    def test_a_value_that_moved_since_the_page_was_opened_is_told(self, at_desk: Client, otto: User) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        old = read_cell(record(key), field)
        data = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5"}
        decide(accepted(wanting(key, field, "7.77")), otto)
        answer = at_desk.post(address(key, field), data)
        told = text_of(answer)
        assert answer.status_code == 409 and "What moved" in told and old in told and "7.77" in told
        assert ACCEPT["reason"] in told and read_cell(record(key), field) == "7.77"

    def test_another_field_that_moved_is_told_too(self, at_desk: Client, otto: User) -> None:
        key = first("dataset")
        report(key, "homepage", "https://example.org/")
        data = {**opened(at_desk, key, "homepage"), **ACCEPT, "value": "https://example.org/"}
        decide(accepted(wanting(key, "full_name", "Moved")), otto)
        answer = at_desk.post(address(key, "homepage"), data)
        assert answer.status_code == 409 and "The archive has moved" in text_of(answer)
        again = {**data, **{k: v for k, v in hidden(answer).items() if k == "seen"}}
        assert at_desk.post(address(key, "homepage"), again).status_code == 303

    def test_a_value_that_moved_since_the_report_needs_a_word_and_the_log_says_it(
        self, at_desk: Client, otto: User
    ) -> None:
        key, field = a_metric()
        old = read_cell(record(key), field)
        report(key, field, "12.5")
        decide(accepted(wanting(key, field, "7.77")), otto)
        page = text_of(at_desk.post(address(key, field), {"act": "uncover"}))
        assert "Value when filed changed since" in page and old in page and "7.77" in page and "12.5" in page
        assert accept(at_desk, key, field, "12.5").status_code == 422
        assert accept(at_desk, key, field, "12.5", confirm_moved="on").status_code == 303
        assert f"the archive had “{old}” here" in (Decision.objects.latest("number").reason or "")

    def test_nobody_decides_a_report_of_their_own(self, at_desk: Client, renu: User) -> None:
        key = first("dataset")
        report(key, "homepage", "https://example.org/", filed_by=renu.pk)
        page = at_desk.get(address(key, "homepage"))
        assert "Nobody decides a report of their own" in text_of(page) and 'value="decide"' not in page.content.decode()
        answer = accept(at_desk, key, "homepage", "https://example.org/")
        assert answer.status_code == 409 and not Decision.objects.exists()

    def test_an_appeal_goes_to_somebody_else(self, at_desk: Client, at_desk_too: Client) -> None:
        key = first("dataset")
        filed = report(key, "homepage", "https://example.org/")
        accept(at_desk, key, "homepage", "https://example.org/other")
        filed.refresh_from_db()
        appeal(filed, "It is the other one.")
        assert "an appeal against a decision of yours" in text_of(at_desk.get(address(key, "homepage")))
        refused = {"outcome": "no-change", "reports": [filed.pk]}
        accept(at_desk, key, "homepage", "", **refused)
        filed.refresh_from_db()
        assert filed.state == ReportState.APPEALED
        assert accept(at_desk_too, key, "homepage", "https://example.org/", confirm_moved="on").status_code == 303
        filed.refresh_from_db()
        assert filed.state == ReportState.DECIDED and filed.decision is not None
        assert filed.decision.reader == "Otto R."


class TestSecondReader:
    def test_withdrawing_is_offered_to_a_second_reader_and_confirmed(
        self, at_desk: Client, at_desk_too: Client
    ) -> None:
        key = Record.objects.filter(kind="dataset").order_by("-id").values_list("key", flat=True)[0]
        report(key)
        data = {**opened(at_desk, key), **ACCEPT, "operation": "withdraw"}
        answer = at_desk.post(address(key), data)
        assert answer.status_code == 409 and "Propose it to a second reader" in text_of(answer)
        assert at_desk.post(address(key), {**data, "act": "propose"}).status_code == 303
        proposal = Proposal.objects.get()
        assert Report.objects.get().state == ReportState.PROPOSED
        assert "waits for a second reader" in text_of(at_desk.get(address(key)))
        assert "1" in text_of(at_desk_too.get("/admin/desk/proposals/"))
        one = f"/admin/desk/proposals/{proposal.pk}/"
        assert at_desk.post(one, {"act": "confirm"}).status_code == 409
        assert not record(key).withdrawn
        assert at_desk_too.post(one, {"act": "confirm"}).status_code == 303
        assert record(key).withdrawn and Decision.objects.get().second_reader == "Otto R."
        assert at_desk_too.post(one, {"act": "confirm"}).status_code == 409
        assert Decision.objects.count() == 1

    def test_a_refused_proposal_opens_its_reports(self, at_desk: Client, at_desk_too: Client) -> None:
        key = first("method")
        report(key)
        at_desk.post(address(key), {**opened(at_desk, key), **ACCEPT, "operation": "withdraw", "act": "propose"})
        one = f"/admin/desk/proposals/{Proposal.objects.get().pk}/"
        assert at_desk_too.post(one, {"act": "refuse", "reason": " "}).status_code == 422
        assert at_desk_too.post(one, {"act": "refuse", "reason": "It is a real method."}).status_code == 303
        assert Report.objects.get().state == ReportState.OPEN and not Decision.objects.exists()
