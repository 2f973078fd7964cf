"""A case: what the page shows, and what its buttons do."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive.models import Record
from corrections.cells import read_cell
from corrections.decisions import decide
from corrections.models import Decision, Outcome, Proposal, Report, ReportState
from tests.corrections.desk.acting import ACCEPT, accept, address, hidden, opened, report
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first
from tests.corrections.test_races import at_once


def text_of(response: Any) -> str:
    """A page as one line of text without its tags."""
    page = response.content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


class TestDecide:
    def test_accepting_the_proposal_sets_it_closes_the_report_and_goes_on(self, at_desk: Client) -> None:
        key, field = a_metric()
        filed = report(key, field, "12.5")
        other = report(first("dataset"), "homepage", "https://example.org/")
        answer = accept(at_desk, key, field, "12.5")
        assert answer.status_code == 303
        assert answer["Location"] == address(other.record.key, "homepage")
        decision = Decision.objects.get()
        assert (decision.outcome, decision.reader, decision.reports_closed) == ("accepted", "Renu R.", 1)
        assert decision.source_url == ACCEPT["source_url"] and decision.reading == "12.5"
        assert read_cell(record(key), field) == "12.5"
        filed.refresh_from_db()
        assert filed.state == ReportState.DECIDED and filed.decision == decision
        assert "Decision #1 is made" in text_of(at_desk.get(answer["Location"]))

    def test_another_value_is_accepted_with_changes(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        accept(at_desk, key, field, "12.50")
        assert Decision.objects.get().outcome == Outcome.ACCEPTED_WITH_CHANGES

    @pytest.mark.parametrize(
        ("outcome", "more"),
        [
            ("no-change", {"side": "report"}),
            ("cannot-verify", {"tried": "The PDF, versions 1 to 3."}),
            ("out-of-scope", {}),
            ("spam", {"reason": ""}),
        ],
    )
    def test_other_outcomes_close_without_changing(self, at_desk: Client, outcome: str, more: dict[str, str]) -> None:
        key, field = a_metric()
        report(key, field, "12.5", kind="other")
        before = read_cell(record(key), field)
        data = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5", "outcome": outcome, **more}
        assert at_desk.post(address(key, field), data).status_code == 303
        assert Decision.objects.get().outcome == outcome and read_cell(record(key), field) == before
        assert Report.objects.get().state == ReportState.DECIDED

    def test_a_duplicate_names_a_decision_or_a_report_that_exists(self, at_desk: Client) -> None:
        key, field = a_metric()
        filed, other = report(key, field, "12.5"), report(first("dataset"))
        data = {**opened(at_desk, key, field), **ACCEPT, "value": "12.5", "outcome": "duplicate"}
        for wrong in ("", "#7", "7x", "report 999999", f"report {filed.pk}"):
            assert at_desk.post(address(key, field), {**data, "duplicate_of": wrong}).status_code == 422
        assert at_desk.post(address(key, field), {**data, "duplicate_of": f"Report {other.pk}"}).status_code == 303
        assert Decision.objects.get().duplicate_of_report == other

    def test_what_is_missing_is_said_at_its_field_and_nothing_typed_is_lost(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "12.5")
        data = {
            **opened(at_desk, key, field),
            "act": "decide",
            "outcome": "accepted",
            "value": "12.5",
            "note": "My own long note",
        }
        answer = at_desk.post(address(key, field), data)
        assert answer.status_code == 422 and not Decision.objects.exists()
        told = text_of(answer)
        for words in ("Name the source", "Say where in it", "Say what you read", "which side was wrong", "says why"):
            assert words in told
        assert "My own long note" in told
        assert hidden(answer)["idempotency_key"] == data["idempotency_key"]

    def test_only_the_ticked_reports_are_closed(self, at_desk: Client) -> None:
        key, field = a_metric()
        one, two = report(key, field, "12.5"), report(key, field, "13")
        accept(at_desk, key, field, "12.5", reports=[str(one.pk)])
        one.refresh_from_db()
        two.refresh_from_db()
        assert (one.state, two.state) == (ReportState.DECIDED, ReportState.OPEN)

    def test_five_hundred_reports_are_one_case_and_one_decision(self, at_desk: Client) -> None:
        key, field = a_metric()
        model = report(key, field, "12.5")
        Report.objects.bulk_create(
            Report(
                record=model.record,
                field=field,
                kind="other",
                value_seen=model.value_seen,
                proposed="12.5",
                token_digest=b"%032d" % i,
            )
            for i in range(499)
        )
        page = at_desk.post(address(key, field), {"act": "uncover"})
        assert "500 reports" in text_of(page) and "close the other 400" in text_of(page)
        at_desk.post(address(key, field), {**hidden(page), **ACCEPT, "value": "12.5", "rest": "on"})
        assert Decision.objects.get().reports_closed == 500
        assert not Report.objects.undecided().exists()

    def test_a_list_and_a_long_text_keep_their_form(self, at_desk: Client) -> None:
        key = first("paper")
        report(key, "authors", ["Ada Lovelace", "Grace Hopper"])
        report(key, "abstract", "One.\n\nTwo.")
        assert accept(at_desk, key, "authors", "Ada Lovelace\r\nGrace Hopper").status_code == 303
        assert accept(at_desk, key, "abstract", "One.\r\n\r\nTwo.").status_code == 303
        assert read_cell(record(key), "authors") == ["Ada Lovelace", "Grace Hopper"]
        assert set(Decision.objects.values_list("outcome", flat=True)) == {"accepted"}

    def test_a_cell_is_emptied_only_on_purpose(self, at_desk: Client) -> None:
        key = first("paper")
        report(key, "url_pdf", comment="It is dead.", kind="dead-link")
        assert accept(at_desk, key, "url_pdf", "").status_code == 422
        assert accept(at_desk, key, "url_pdf", "", empty="on").status_code == 303
        assert read_cell(record(key), "url_pdf") is None

    def test_a_case_can_be_opened_and_decided_without_a_report(self, at_desk: Client) -> None:
        key = first("dataset")
        assert accept(at_desk, key, "homepage", "https://example.org/").status_code == 303
        assert read_cell(record(key), "homepage") == "https://example.org/"


class TestFurtherCells:
    def test_one_decision_accepts_two_fields_of_three(self, at_desk: Client) -> None:
        key = first("dataset")
        reports = [
            report(key, "homepage", "https://example.org/"),
            report(key, "license_name", "MIT"),
            report(key, "full_name", "Another name"),
        ]
        data = opened(at_desk, key, "homepage")
        page = at_desk.get(address(key, "homepage")).content.decode()
        name = re.search(
            r'name="(also-[0-9a-f]+)"[^>]*>\s*</td>\s*<th scope="row"><label[^>]*><bdi[^>]*>Licence<', page
        )
        assert name is not None
        more = {"value": "https://example.org/", name[1]: "on", f"{name[1]}-value": "MIT"}
        assert at_desk.post(address(key, "homepage"), {**data, **ACCEPT, **more}).status_code == 303
        decision = Decision.objects.get()
        assert sorted(decision.changes.values_list("field", flat=True)) == ["homepage", "license_name"]
        states = list(Report.objects.order_by("id").values_list("state", flat=True))
        assert [r.pk for r in reports] == sorted(r.pk for r in reports)
        assert states == [ReportState.DECIDED, ReportState.DECIDED, ReportState.OPEN]

    def test_the_papers_other_rows_are_listed_each_with_its_own_value(self, at_desk: Client) -> None:
        from archive.models import Result

        row = next(
            r
            for r in Result.objects.select_related("record").order_by("record_id")
            if r.paper_id and Result.objects.filter(paper=r.paper_id).count() > 1
        )
        other = Result.objects.filter(paper=row.paper_id).exclude(pk=row.pk).order_by("record_id")[0]
        report(row.record.key, "model_name", "New model name")
        page = at_desk.get(address(row.record.key, "model_name")).content.decode()
        assert other.record.key in page
        from corrections.desk.case import further_name

        name = further_name(other.record.key, "model_name")
        data = opened(at_desk, row.record.key, "model_name")
        more = {"value": "New model name", name: "on", f"{name}-value": "New model name, too"}
        answer = at_desk.post(address(row.record.key, "model_name"), {**data, **ACCEPT, **more})
        assert answer.status_code == 303
        assert read_cell(other.record, "model_name") == "New model name, too"
        assert Decision.objects.get().changes.count() == 2


class TestCovered:
    def test_a_proposed_number_is_not_shown_before_a_reading(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(
            key,
            field,
            "98765.4",
            comment="It must be 98765.4",
            source={"url": "https://example.org/", "quote": "98765.4"},
        )
        page = at_desk.get(address(key, field)).content.decode()
        assert "98765.4" not in page and "Record my reading" in page and 'value="decide"' not in page
        queue = at_desk.get("/admin/desk/").content.decode()
        assert "98765.4" not in queue

    def test_a_recorded_reading_uncovers_and_the_decision_says_nothing(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "98765.4")
        page = at_desk.post(address(key, field), {"act": "read", "reading": "98765.4", "source_page": "6"})
        assert "98765.4" in page.content.decode() and 'value="6"' in page.content.decode()
        data = {**hidden(page), **ACCEPT, "value": "98765.4", "reading": "98765.4"}
        assert at_desk.post(address(key, field), data).status_code == 303
        assert Decision.objects.get().uncovered is False

    @pytest.mark.parametrize("how", ["uncover", "changed"])
    def test_looking_first_or_changing_the_reading_is_said(self, at_desk: Client, how: str) -> None:
        key, field = a_metric()
        report(key, field, "98765.4")
        act = {"act": "uncover"} if how == "uncover" else {"act": "read", "reading": "1"}
        page = at_desk.post(address(key, field), act)
        data = {**hidden(page), **ACCEPT, "value": "98765.4", "reading": "98765.4"}
        assert at_desk.post(address(key, field), data).status_code == 303
        assert Decision.objects.get().uncovered is True

    def test_a_reading_after_a_look_is_no_blind_one(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "98765.4")
        at_desk.post(address(key, field), {"act": "uncover"})
        page = at_desk.post(address(key, field), {"act": "read", "reading": "98765.4"})
        at_desk.post(address(key, field), {**hidden(page), **ACCEPT, "value": "98765.4", "reading": "98765.4"})
        assert Decision.objects.get().uncovered is True

    def test_it_can_not_be_decided_while_covered(self, at_desk: Client) -> None:
        key, field = a_metric()
        report(key, field, "98765.4")
        data = {**hidden(at_desk.get(address(key, field))), **ACCEPT, "value": "1"}
        assert at_desk.post(address(key, field), data).status_code == 409
        assert not Decision.objects.exists()

    def test_a_text_is_not_covered(self, at_desk: Client) -> None:
        key = first("dataset")
        report(key, "full_name", "Another full name")
        assert "Another full name" in at_desk.get(address(key, "full_name")).content.decode()


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
        from corrections.submissions import appeal

        key = first("dataset")
        filed = report(key, "homepage", "https://example.org/")
        accept(at_desk, key, "homepage", "https://example.org/other")
        filed.refresh_from_db()
        appeal(filed, "It is the other one.")
        assert "an appeal against a decision of yours" in text_of(at_desk.get(address(key, "homepage")))
        data = {**opened(at_desk, key, "homepage"), **ACCEPT, "value": "https://example.org/", "reports": [filed.pk]}
        data["confirm_moved"] = "on"
        at_desk_too.get(address(key, "homepage"))
        assert accept(at_desk_too, key, "homepage", "https://example.org/", confirm_moved="on").status_code == 303
        filed.refresh_from_db()
        assert filed.decision_id == 2


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


def test_a_preview_shows_both_values_and_decides_nothing(at_desk: Client) -> None:
    key, field = a_metric()
    old = read_cell(record(key), field)
    report(key, field, "12.5")
    answer = at_desk.post(
        address(key, field), {**opened(at_desk, key, field), **ACCEPT, "value": "12.5", "act": "preview"}
    )
    told = text_of(answer)
    assert answer.status_code == 200 and "Nothing is decided yet" in told and old in told and "12.5" in told
    assert "The row as it will be" in told and not Decision.objects.exists()


def test_a_reusable_reason_stands_in_where_none_is_typed(at_desk: Client) -> None:
    from corrections.models import ReasonText

    text = ReasonText.objects.create(title="Not ours", text="That is not for this archive to say.")
    key = first("dataset")
    report(key)
    data = {**opened(at_desk, key), "act": "decide", "outcome": "out-of-scope", "reason_text": str(text.pk)}
    assert at_desk.post(address(key), data).status_code == 303
    assert Decision.objects.get().reason == text.text


@pytest.mark.parametrize("tampered", ["", "x", "e30:1t:abc"])
def test_a_form_that_remembers_nothing_of_ours_decides_nothing(at_desk: Client, tampered: str) -> None:
    key = first("dataset")
    report(key, "homepage", "https://example.org/")
    answer = accept(at_desk, key, "homepage", "https://example.org/", seen=tampered)
    assert answer.status_code == 422 and not Decision.objects.exists()


def test_unknown_records_fields_and_buttons_are_refused(at_desk: Client) -> None:
    key = first("dataset")
    assert at_desk.get("/admin/desk/dataset/no-such-one").status_code == 404
    assert at_desk.get(address(key, "record_id")).status_code == 404
    assert at_desk.get(address(key, "withdrawn")).status_code == 404
    assert at_desk.post(address(key), {"act": "explode"}).status_code == 400


HOSTILE = "<script>alert(1)</script>\u202eevil\u200b\"'><img src=x onerror=alert(1)> {{ 7 }} =HYPERLINK(1)"


def test_hostile_texts_are_shown_harmlessly(at_desk: Client) -> None:
    key = first("dataset")
    filed = report(
        key,
        "full_name",
        HOSTILE,
        comment=HOSTILE,
        name=HOSTILE[:180],
        source={"url": 'https://x.example/"><script>', "quote": HOSTILE},
    )
    Report.objects.filter(pk=filed.pk).update(source_url="javascript:alert(1)", kind="other")
    for address_ in (
        address(key, "full_name"),
        "/admin/desk/",
        "/admin/desk/spam/",
        f"/admin/corrections/report/{filed.pk}/change/",
    ):
        page = at_desk.get(address_)
        body = page.content.decode()
        assert page.status_code == 200, address_
        assert "<script>alert" not in body and "<img src=x" not in body
        assert 'href="javascript:' not in body
    body = at_desk.get(address(key, "full_name")).content.decode()
    assert "\u202e" not in re.sub(r"<(input|textarea)[^>]*>[^<]*", "", body) and "U+202E" in body


@pytest.mark.parametrize("kind", ["row", "dataset"])
def test_a_case_costs_the_same_queries_whatever_its_reports(at_desk: Client, kind: str) -> None:
    key, field = a_metric() if kind == "row" else (first("dataset"), "homepage")
    model = report(key, field, "https://example.org/" if kind == "dataset" else "12.5")
    at_desk.post(address(key, field), {"act": "uncover"})
    counts = []
    for more in (0, 150):
        Report.objects.bulk_create(
            Report(record=model.record, field=field, kind="other", proposed=f"{i}", token_digest=b"%032d" % i)
            for i in range(more)
        )
        with CaptureQueriesContext(connection) as queries:
            assert at_desk.get(address(key, field)).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 22


def test_a_source_opens_without_telling_where_from(at_desk: Client) -> None:
    key, field = a_metric()
    report(key, field, "12.5")
    page = at_desk.get(address(key, field)).content.decode()
    link = re.search(r'<a[^>]*href="https://arxiv.org/abs/2211.05719v3"[^>]*>', page)
    assert link is not None
    words = re.findall(r'rel="([^"]*)"', link[0])[0].split()
    assert {"nofollow", "ugc", "noreferrer"} <= set(words)
