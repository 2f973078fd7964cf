"""The queue: cases, their order and counts, filters, pages, and what 10,000 open reports cost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from archive.models import Record
from corrections.desk import claims
from corrections.models import Decision, Report, ReportState
from tests.corrections.desk.acting import address, report
from tests.corrections.test_decide import a_metric, first

DESK = "/admin/desk/"


def cases_on(client: Client, query: str = "") -> list[Any]:
    """The cases of the page that the desk shows."""
    answer = client.get(DESK + query)
    assert answer.status_code == 200
    return list(answer.context["queue"].cases)


def names(client: Client, query: str = "") -> list[tuple[str, str]]:
    """Record and field of each case shown."""
    return [(case.record.key, case.field) for case in cases_on(client, query)]


@pytest.fixture
def filled(renu: User) -> dict[str, tuple[str, str]]:
    """Six cases of different kinds, by name."""
    row, metric = a_metric()
    data, paper, method = first("dataset"), first("paper"), first("method")
    report(row, metric, "1")
    report(row, metric, "2", sender="192.0.2.2")
    report(data, "homepage", comment="Dead.", kind="dead-link", source={})
    report(data, "license_name", "MIT", source={"url": "https://example.org/licence", "quote": "MIT"})
    report(paper, "title", "Another", hold_because="no proof of work")
    report(method, comment="Buy pills.", source={})
    Report.objects.filter(field="homepage").update(filed_at=timezone.now() - timedelta(days=40))
    return {
        "row": (row, metric),
        "dead": (data, "homepage"),
        "licence": (data, "license_name"),
        "held": (paper, "title"),
        "spam": (method, ""),
    }


def test_reports_on_one_cell_are_one_case_and_the_oldest_comes_first(
    at_desk: Client, filled: dict[str, tuple[str, str]]
) -> None:
    assert names(at_desk) == [filled[name] for name in ("row", "dead", "licence", "held", "spam")]
    assert [case.reports for case in cases_on(at_desk)] == [2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?kind=dead-link", ["dead"]),
        ("?state=held", ["held"]),
        ("?state=open", ["row", "dead", "licence", "spam"]),
        ("?record_kind=dataset", ["dead", "licence"]),
        ("?evidence=none", ["dead", "spam"]),
        ("?evidence=quote", ["licence"]),
        ("?evidence=source", ["row", "licence", "held"]),
        ("?age=30", ["dead"]),
        ("?q=homepage", ["dead"]),
        ("?q=METHOD/", ["spam"]),
        ("?words=pills", ["spam"]),
        ("?words=licence", ["licence"]),
        ("?claimed=mine", []),
        ("?claimed=free&kind=wrong-value&evidence=quote", ["licence"]),
        ("?kind=nonsense", []),
        ("?q=%00", []),
        ("?after=999999999999999999999999", ["row", "dead", "licence", "held", "spam"]),
    ],
)
def test_filters(at_desk: Client, filled: dict[str, tuple[str, str]], query: str, expected: list[str]) -> None:
    assert names(at_desk, query) == [filled[name] for name in expected]


def test_claimed_cases_are_told_apart(
    at_desk: Client, renu: User, otto: User, filled: dict[str, tuple[str, str]]
) -> None:
    for name, who in (("row", renu), ("dead", otto)):
        key, field = filled[name]
        claims.claim(Record.objects.get(key=key), field, who)
    assert names(at_desk, "?claimed=mine") == [filled["row"]]
    assert names(at_desk, "?claimed=others") == [filled["dead"]]
    assert "Otto R." in at_desk.get(DESK).content.decode()


def test_decided_and_withdrawn_reports_are_no_cases(at_desk: Client, filled: dict[str, tuple[str, str]]) -> None:
    Report.objects.filter(field="homepage").update(state=ReportState.WITHDRAWN)
    assert filled["dead"] not in names(at_desk)


def flood(count: int) -> None:
    """So many open reports, two on each cell, made in one statement."""
    records = list(Record.objects.order_by("id")[:50])
    Report.objects.bulk_create(
        Report(
            record=records[i // 2 % len(records)],
            field=f"field-{i // 2 // len(records)}",
            kind="other",
            comment="cheap pills",
            token_digest=b"%032d" % i,
        )
        for i in range(count)
    )


@pytest.mark.slow
def test_ten_thousand_open_reports_cost_no_more_queries_than_ten(at_desk: Client) -> None:
    flood(10)
    with CaptureQueriesContext(
        connection,
    ) as few:
        assert at_desk.get(DESK).context["queue"].total == 5
    Report.objects.all().delete()
    flood(10_000)
    with CaptureQueriesContext(connection) as many:
        page = at_desk.get(DESK).context["queue"]
    assert (page.total, page.reports, len(page.cases)) == (5_000, 10_000, 50)
    assert len(many) == len(few) <= 11
    with CaptureQueriesContext(connection) as narrowed:
        at_desk.get(f"{DESK}?words=pills&state=open&claimed=free&evidence=none&q=field")
    assert len(narrowed) <= 11


@pytest.mark.slow
def test_pages_go_through_all_cases_once_while_others_are_decided(at_desk: Client) -> None:
    flood(400)
    seen: list[tuple[str, str]] = []
    query = ""
    while True:
        page = at_desk.get(DESK + query).context["queue"]
        seen += [(case.record.key, case.field) for case in page.cases]
        Report.objects.filter(pk=page.cases[0].first).update(state=ReportState.WITHDRAWN)
        if page.next_url is None:
            break
        query = page.next_url
    assert len(seen) == len(set(seen)) == 200


class TestSpam:
    def test_one_decision_closes_the_ticked_reports_and_counts_them(self, at_desk: Client) -> None:
        flood(120)
        honest = report(first("dataset"), "homepage", "https://example.org/")
        page = at_desk.get(f"{DESK}spam/?words=pills")
        reports = page.context["batch"].reports
        assert len(reports) == 120 and honest not in reports
        data = {"reports": [r.pk for r in reports], "reason": "", "idempotency_key": page.context["key"]}
        for _ in range(2):
            assert at_desk.post(f"{DESK}spam/?words=pills", data).status_code == 303
        decision = Decision.objects.get()
        assert (decision.outcome, decision.reports_closed) == ("spam", 120)
        assert decision.reason == "Spam: 120 reports closed together." and not decision.changes.exists()
        assert list(Report.objects.undecided()) == [honest]

    def test_only_ticked_cases_and_only_what_is_listed(self, at_desk: Client, renu: User) -> None:
        report(first("dataset"), "homepage", "https://example.org/", filed_by=renu.pk)
        flood(40)
        case = cases_on(at_desk)[-1]
        batch = at_desk.get(f"{DESK}spam/?case={case.first}").context["batch"]
        assert {(r.record_id, r.field) for r in batch.reports} == {(case.record.pk, case.field)}
        assert len(at_desk.get(f"{DESK}spam/").context["batch"].reports) == 40

    def test_a_report_decided_meanwhile_is_told_and_none_is_closed(self, at_desk: Client) -> None:
        flood(4)
        page = at_desk.get(f"{DESK}spam/")
        pks = [r.pk for r in page.context["batch"].reports]
        Report.objects.filter(pk=pks[0]).update(state=ReportState.WITHDRAWN)
        answer = at_desk.post(f"{DESK}spam/", {"reports": pks, "idempotency_key": page.context["key"]})
        assert answer.status_code == 409 and not Decision.objects.exists()

    def test_looking_closes_nothing_and_ticking_nothing_is_told(self, at_desk: Client) -> None:
        flood(4)
        at_desk.get(f"{DESK}spam/")
        assert at_desk.post(f"{DESK}spam/", {}).status_code == 422
        assert Report.objects.undecided().count() == 4


def test_after_a_decision_the_next_case_keeps_the_filters(
    at_desk: Client, otto: User, filled: dict[str, tuple[str, str]]
) -> None:
    key, field = filled["licence"]
    claims.claim(Record.objects.get(key=key), field, otto)
    from django.test import RequestFactory

    from corrections.desk.queue import next_address

    request = RequestFactory().get(DESK)
    request.user = otto
    other = User.objects.get(username="renu")
    assert (
        next_address(request, other, 0, "record_kind=dataset")
        == address(*filled["dead"]) + "&back=record_kind%3Ddataset"
    )
    first_of = {case.field: case.first for case in cases_on(at_desk)}
    after_dead = next_address(request, other, first_of["homepage"], "record_kind=dataset")
    assert after_dead == address(*filled["dead"]) + "&back=record_kind%3Ddataset"
