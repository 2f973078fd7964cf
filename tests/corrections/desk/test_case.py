"""A case: what the page shows, and what its buttons do."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corrections.cells import read_cell
from corrections.models import Decision, Outcome, Report, ReportState
from tests.corrections.desk.acting import ACCEPT, accept, address, hidden, opened, report, text_of
from tests.corrections.rulings import record
from tests.corrections.test_decide import a_metric, first


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
