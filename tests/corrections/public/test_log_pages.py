"""The public log: pages, JSON, CSV and Atom, whatever was typed."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from archive.models import Record
from corrections.decisions import Ruling, decide, revert
from corrections.models import Change, Outcome, Report
from corrections.pages import history, log, open_reports
from corrections.sealing import seal
from tests import people
from tests.corrections.public.conftest import BOARD, DATASET, PAPER, filed
from tests.corrections.public.test_report_form import text_of
from tests.corrections.rulings import accepted, wanting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tiny_archive")]

ROW = f"{BOARD}/row/1"
ATOM = "{http://www.w3.org/2005/Atom}"
EVIL = '=HYPERLINK("x")\u202e<script>alert(1)</script>]]>&'


@pytest.fixture
def decisions(renu: User, otto: User) -> None:
    """Five: a homepage, a model's name, a report that can not be verified, the name put back, a list."""
    decide(accepted(wanting(DATASET, "homepage", "https://example.org/a")), renu)
    decide(accepted(wanting(ROW, "model_name", EVIL), reason=f"The paper says {EVIL}"), otto)
    report = filed(PAPER, "title", name="Amina Okafor", email="amina@example.org", comment="Private words").report
    decide(Ruling(Outcome.CANNOT_VERIFY, "The link is closed.", reports=[report.pk], tried="Asked the authors."), renu)
    revert(2, "It was misread.", renu)
    decide(accepted(wanting(DATASET, "languages", ["English", "Klingon"])), otto)


def numbers(client: Client, query: str = "") -> list[int]:
    return [entry["number"] for entry in client.get(f"/corrections.json{query}").json()["entries"]]


class TestFront:
    """The newest decisions on the front page."""

    def test_nothing_decided_is_said(self, client: Client) -> None:
        assert client.get("/index.json").json()["newest_decisions"] == []
        assert "Nothing has been decided yet" in client.get("/").content.decode()

    @pytest.mark.usefixtures("decisions")
    def test_the_newest_refusals_too_as_the_log_has_them(self, client: Client) -> None:
        newest = client.get("/index.json").json()["newest_decisions"]
        assert newest == client.get("/corrections.json").json()["entries"][:3]
        assert [entry["outcome"] for entry in newest] == ["accepted", "reverted", "cannot-verify"]
        html = client.get("/").content.decode()
        assert all(f'href="/corrections/{entry["number"]}"' in html for entry in newest)
        assert "<script>alert" not in html

    @pytest.mark.parametrize("address", ["/", "/index.json"])
    def test_queries(self, client: Client, renu: User, address: str, django_assert_num_queries: Any) -> None:
        def asks(number: int) -> None:
            with django_assert_num_queries(number):
                assert client.get(address).status_code == 200

        asks(7)
        decide(accepted(wanting(DATASET, "homepage", "https://example.org/a")), renu)
        asks(8)
        for field in ("title", "abstract", "date"):
            report = filed(PAPER, field).report.pk
            decide(Ruling(Outcome.CANNOT_VERIFY, "The link is closed.", reports=[report], tried="Asked."), renu)
            asks(9)

    @pytest.mark.usefixtures("decisions")
    def test_spam_is_not_announced(self, client: Client, renu: User) -> None:
        decide(
            Ruling(Outcome.SPAM, "An advertisement.", reports=[filed(PAPER, "title", comment="Buy").report.pk]), renu
        )
        assert client.get("/index.json").json()["newest_decisions"][0]["outcome"] == "accepted"


@pytest.mark.usefixtures("decisions")
class TestLog:
    def test_newest_first_refusals_and_reversals_too(self, client: Client) -> None:
        page = client.get("/corrections.json").json()
        assert [(e["number"], e["outcome"]) for e in page["entries"]] == [
            (5, "accepted"),
            (4, "reverted"),
            (3, "cannot-verify"),
            (2, "accepted"),
            (1, "accepted"),
        ]
        assert page["total"] == 5
        assert page["entries"][2]["answers"][0]["record"] == PAPER
        assert all(entry["at"].endswith("+00:00") for entry in page["entries"])

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("?outcome=cannot-verify", [3]),
            ("?outcome=nonsense", []),
            ("?kind=import", []),
            ("?kind=decision", [5, 4, 3, 2, 1]),
            ("?side=archive", [5, 2, 1]),
            (f"?record={DATASET}", [5, 1]),
            (f"?record=/{PAPER}/", [3]),
            (f"?record={BOARD}", [4, 2]),
            ("?record=nothing/here", []),
            ("?reviewer=otto+r.", [5, 2]),
            ("?q=LINK+closed", [3]),
            ("?q=50%25_", []),
            ("?since=2000-01-01&until=9999-12-31", [5, 4, 3, 2, 1]),
            ("?since=9999-12-31", []),
            ("?until=2000-01-01", []),
            ("?since=yesterday", []),
            ("?q=%00", []),
            ("?outcome=accepted&reviewer=Renu+R.", [1]),
            ("?before=3", [2, 1]),
        ],
    )
    def test_filters(self, client: Client, query: str, expected: list[int]) -> None:
        assert numbers(client, query) == expected
        assert client.get(f"/corrections{query}").status_code == 200

    @pytest.mark.parametrize("before", ["x", "-1", "1e3", "9" * 30, "٣"])
    def test_a_place_that_is_none(self, client: Client, before: str) -> None:
        assert client.get("/corrections", {"before": before}).status_code == 404

    def test_pages_stay_as_they_are_while_decisions_arrive(
        self, client: Client, renu: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(log, "ON_A_PAGE", 2)
        first = client.get("/corrections.json").json()
        decide(accepted(wanting(DATASET, "homepage", "https://example.org/b")), renu)
        second = client.get(first["next_url"].replace("/corrections?", "/corrections.json?")).json()
        third = client.get(second["next_url"].replace("/corrections?", "/corrections.json?")).json()
        seen = [entry["number"] for page in (first, second, third) for entry in page["entries"]]
        assert seen == [5, 4, 3, 2, 1] and third["next_url"] is None

    def test_queries(self, client: Client, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(5):
            client.get("/corrections")

    def test_nobody_is_named_who_reported(self, client: Client) -> None:
        for address in ("/corrections", "/corrections.json", "/corrections.csv", "/corrections.atom", "/corrections/3"):
            response = client.get(address)
            content = b"".join(response) if response.streaming else response.content
            for private in (b"Amina", b"amina@example.org", b"Private words", b"192.0.2.1"):
                assert private not in content, address


@pytest.mark.usefixtures("decisions")
class TestDecision:
    def test_says_everything(self, client: Client) -> None:
        page = client.get("/corrections/1.json").json()
        (change,) = page["entry"]["changes"]
        assert (change["field"], change["after"]) == ("homepage", "https://example.org/a")
        assert page["source_read"]["table"] == "2"
        assert (page["previous_url"], page["next_url"]) == (None, "/corrections/2")
        assert page["digest"] == client.get("/corrections/2.json").json()["previous_digest"]
        words = text_of(client.get("/corrections/1"))
        for said in ("Decision #1", "The archive was wrong", "The paper's table has this value.", "row Divter"):
            assert said in words

    def test_names_what_it_reverts_and_what_reverted_it(self, client: Client) -> None:
        assert client.get("/corrections/2.json").json()["reverted_by"] == 4
        assert client.get("/corrections/4.json").json()["entry"]["reverts"] == 2
        assert "Reverted by decision #4 ." in text_of(client.get("/corrections/2"))

    def test_tells_what_was_tried_and_what_was_reported(self, client: Client) -> None:
        page = client.get("/corrections/3.json").json()
        assert page["tried"] == "Asked the authors."
        assert [(r["record"], r["field"]) for r in page["reports"]] == [(PAPER, "title")]
        assert page["credited"] == []

    def test_shows_hostile_text_harmlessly(self, client: Client) -> None:
        for address in ("/corrections", "/corrections/2", f"/{ROW}/history", f"/{BOARD}/history"):
            page = client.get(address).content.decode()
            assert "\u202e" not in page and "<script>alert" not in page and "U+202E" in page

    @pytest.mark.parametrize("number", ["0", "6", "9" * 30, "x"])
    def test_no_such_entry(self, client: Client, number: str) -> None:
        assert client.get(f"/corrections/{number}").status_code == 404

    def test_a_sealed_value_is_a_digest(self, client: Client) -> None:
        change = Change.objects.get(decision=1)
        digest = bytes(change.after_digest).hex()
        seal(1, "A name.", people.edda(), cells=[(DATASET, "homepage")])
        page = client.get("/corrections/1.json").json()
        (shown,) = page["entry"]["changes"]
        assert (shown["before"], shown["after"], shown["sealed"]["reason"]) == (None, None, "withheld")
        html = client.get("/corrections/1").content.decode()
        assert digest in html and "https://example.org/a" not in html.partition("The source")[0]

        row = next(row for row in TestCsv().rows(client) if row["number"] == "1")
        assert (row["after"], row["sealed"]) == ("", "sealed")
        ElementTree.fromstring(client.get("/corrections.atom").content)
        (cell,) = [c for c in client.get(f"/{DATASET}.json").json()["corrections"] if c["field"] == "homepage"]
        assert cell["snapshot"] is None and cell["sealed"]["reason"] == "withheld"

    def test_a_sealed_reason_is_gone_everywhere(self, client: Client) -> None:
        seal(3, "A name.", people.edda())
        for address in ("/corrections", "/corrections.json", "/corrections/3", "/corrections.atom", "/corrections.csv"):
            response = client.get(address)
            content = b"".join(response) if response.streaming else response.content
            assert b"The link is closed." not in content, address
        assert "Sealed by entry #6; its digest stays in the log." in text_of(client.get("/corrections/3"))

    def test_queries(self, client: Client, django_assert_max_num_queries: Any) -> None:
        with django_assert_max_num_queries(8):
            client.get("/corrections/1")


@pytest.mark.usefixtures("decisions")
class TestCsv:
    def rows(self, client: Client, query: str = "") -> list[dict[str, str]]:
        text = b"".join(client.get(f"/corrections.csv{query}")).decode()
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def test_one_line_a_cell(self, client: Client) -> None:
        rows = self.rows(client)
        assert [(row["number"], row["record"], row["field"]) for row in rows] == [
            ("5", DATASET, "languages"),
            ("4", ROW, "model_name"),
            ("3", PAPER, "title"),
            ("2", ROW, "model_name"),
            ("1", DATASET, "homepage"),
        ]

    def test_formulas_are_text_and_numbers_stay_numbers(self, client: Client, renu: User) -> None:
        decide(accepted(wanting(ROW, "model_name", "-14.96"), reason="+1-cmd"), renu)
        rows = self.rows(client)
        assert (rows[0]["after"], rows[0]["reason"]) == ("-14.96", "'+1-cmd")
        assert rows[4]["after"] == "'" + EVIL

    def test_has_the_filters_of_the_page(self, client: Client) -> None:
        assert [row["number"] for row in self.rows(client, "?outcome=cannot-verify")] == ["3"]

    def test_streams_whole(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("corrections.table.AT_ONCE", 2)
        assert len(self.rows(client)) == 5


@pytest.mark.usefixtures("decisions")
class TestFeeds:
    def feed(self, client: Client, address: str) -> ElementTree.Element:
        response = client.get(address)
        assert response.status_code == 200 and response["Content-Type"].startswith("application/atom+xml")
        return ElementTree.fromstring(response.content)

    def test_has_every_decision(self, client: Client) -> None:
        feed = self.feed(client, "/corrections.atom")
        ids = [entry.findtext(f"{ATOM}id") for entry in feed.iter(f"{ATOM}entry")]
        assert ids == [f"http://testserver/corrections/{number}" for number in (5, 4, 3, 2, 1)]
        assert all(str(entry.findtext(f"{ATOM}updated")).endswith("+00:00") for entry in feed.iter(f"{ATOM}entry"))

    def test_stays_xml_whatever_was_typed(self, client: Client, renu: User) -> None:
        for number, character in enumerate("\x7f\x85\u2028\u202e\u2066\ufdd0\ufffe\uffff\U000e0041"):
            decide(accepted(wanting(ROW, "model_name", f"{number}{character}&<"), reason=f"a{character}b"), renu)
        feed = self.feed(client, "/corrections.atom")
        texts = "".join(feed.itertext())
        assert not set("\u202e\u2066\ufffe\uffff") & set(texts)
        assert "[U+202E]" in texts

    @pytest.mark.parametrize(
        ("key", "expected"), [(DATASET, ["5", "4", "2", "1"]), (BOARD, ["4", "2"]), (PAPER, None)], ids=str
    )
    def test_of_a_record_with_what_hangs_on_it(self, client: Client, key: str, expected: list[str] | None) -> None:
        feed = self.feed(client, f"/{key}/corrections.atom")
        found = [str(entry.findtext(f"{ATOM}id")).rpartition("/")[2] for entry in feed.iter(f"{ATOM}entry")]
        row_s_paper = Record.objects.get(key=ROW).result.paper
        if expected is None:
            expected = ["4", "2"] if row_s_paper and row_s_paper.record.key == key else []
        assert found == expected

    def test_of_nothing_else(self, client: Client) -> None:
        assert client.get("/task/machine-translation/corrections.atom").status_code == 404
        assert client.get("/dataset/none/corrections.atom").status_code == 404

    def test_an_open_report_is_in_no_feed(self, client: Client) -> None:
        before = client.get("/corrections.atom").content
        filed(DATASET, "name", comment="Look at me")
        assert client.get("/corrections.atom").content == before


class TestHistory:
    def test_has_both_values_of_every_change(self, client: Client, decisions: None) -> None:
        page = client.get(f"/{ROW}/history.json").json()
        assert [item["decision"] for item in page["changes"]] == [4, 2]
        assert page["changes"][0]["change"]["before"] == EVIL == page["changes"][1]["change"]["after"]

    def test_of_a_leaderboard_has_its_rows(self, client: Client, decisions: None) -> None:
        page = client.get(f"/{BOARD}/history.json").json()
        assert [item["change"]["record"] for item in page["changes"]] == [ROW, ROW]

    def test_goes_on_where_it_stopped(self, client: Client, decisions: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(history, "ON_A_PAGE", 1)
        first = client.get(f"/{ROW}/history.json").json()
        second = client.get(first["next_url"].replace("/history?", "/history.json?")).json()
        assert [item["decision"] for item in (*first["changes"], *second["changes"])] == [4, 2]
        assert second["next_url"] is None

    @pytest.mark.parametrize("key", [DATASET, PAPER, BOARD, ROW, f"{PAPER}/code/1"])
    def test_of_every_kind(self, client: Client, key: str) -> None:
        assert "Nothing was changed: this is what the snapshot says." in text_of(client.get(f"/{key}/history"))

    @pytest.mark.parametrize("state", [{"withdrawn": True}, {"quarantined": "telephone-and-service"}], ids=str)
    def test_stays_when_the_record_goes(self, client: Client, state: dict[str, Any]) -> None:
        Record.objects.filter(key=DATASET).update(**state)
        response = client.get(f"/{DATASET}/history")
        assert response.status_code == 200 and response["X-Robots-Tag"] == "noindex"
        assert "WMT 2014" not in text_of(response)

    def test_of_nothing(self, client: Client) -> None:
        assert client.get("/dataset/none/history").status_code == 404


class TestOpen:
    def test_is_oldest_first_without_texts(self, client: Client) -> None:
        filed(DATASET, "name", comment="Secret", name="Amina")
        filed(f"{BOARD}", comment="Secret", sender="192.0.2.2")
        page = client.get("/corrections/open.json").json()
        assert [(r["record"], r["field"], r["kind"]) for r in page["reports"]] == [
            (DATASET, "name", "other"),
            (BOARD, "", "other"),
        ]
        assert set(page["reports"][0]) == {
            *("record", "field", "label", "kind", "kind_in_words", "state", "state_in_words", "filed_at")
        }
        html = client.get("/corrections/open").content.decode()
        assert "Secret" not in html and "Amina" not in html and "today" in html

    def test_goes_on_where_it_stopped(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(3):
            filed(DATASET, "name", sender=f"192.0.2.{number}")
        monkeypatch.setattr(open_reports, "ON_A_PAGE", 2)
        first = client.get("/corrections/open.json").json()
        second = client.get(first["next_url"].replace("/open?", "/open.json?")).json()
        assert (len(first["reports"]), len(second["reports"]), second["next_url"]) == (2, 1, None)

    def test_queries(self, client: Client, django_assert_num_queries: Any) -> None:
        filed(DATASET, "name")
        with django_assert_num_queries(3):
            client.get("/corrections/open")


class TestFigures:
    def test_of_nothing_are_no_numbers(self, client: Client) -> None:
        page = client.get("/corrections/figures.json").json()
        assert page["figures"][0]["value"] is None
        assert [waiting["reports"] for waiting in page["backlog"]] == [0] * 5
        assert "nothing to count from yet" in text_of(client.get("/corrections/figures"))

    @pytest.mark.parametrize(("days", "place"), [(0, 0), (1, 1), (6, 1), (7, 2), (29, 2), (30, 3), (89, 3), (400, 4)])
    def test_backlog_by_age(self, client: Client, days: int, place: int) -> None:
        filed(DATASET, "name")
        with_age(days)
        backlog = client.get("/corrections/figures.json").json()["backlog"]
        assert [waiting["reports"] for waiting in backlog] == [int(n == place) for n in range(5)]

    def test_days_outcomes_and_reversals(self, client: Client, decisions: None) -> None:
        for number, days in enumerate((1, 2, 3, 4, 100)):
            report = filed(DATASET, "name", sender=f"192.0.2.{number}").report
            with_age(days, report.pk)
            decide(Ruling(Outcome.OUT_OF_SCOPE, "No.", reports=[report.pk]), people_named("renu"))
        report = filed(DATASET, "name", sender="192.0.2.9").report
        with_age(300, report.pk)
        decide(Ruling(Outcome.SPAM, "Spam.", reports=[report.pk]), people_named("renu"))
        page = client.get("/corrections/figures.json").json()
        figures = {figure["name"]: figure for figure in page["figures"]}
        assert figures["Half are decided within"]["value"] == pytest.approx(2.5, abs=0.01)
        assert figures["Nine in ten are decided within"]["value"] == pytest.approx(52, abs=0.01)
        assert "of the 6 reports" in figures["Half are decided within"]["definition"]
        assert figures["Decisions that changed something"]["value"] == 3
        assert figures["Of these, reverted"]["value"] == 1
        outcomes = {row["outcome"]: (row["decisions"], row["reports"]) for row in page["outcomes"]}
        assert (outcomes["accepted"], outcomes["out-of-scope"], outcomes["spam"]) == ((3, 0), (5, 5), (1, 1))
        assert set(outcomes) == set(Outcome.values)

    def test_queries(self, client: Client, django_assert_max_num_queries: Any) -> None:
        with django_assert_max_num_queries(9):
            client.get("/corrections/figures")


def with_age(days: float, pk: int | None = None) -> None:
    """Make reports older than they are."""
    reports = Report.objects.filter(pk=pk) if pk else Report.objects.all()
    reports.update(filed_at=timezone.now() - timedelta(days=days))


def people_named(name: str) -> User:
    return User.objects.get(username=name)


def test_the_policy_says_what_is_promised(client: Client) -> None:
    words = text_of(client.get("/corrections/policy"))
    for said in ("Nobody decides their own report.", "What an owner of the database can still do", "Seals"):
        assert said in words
    html = client.get("/corrections/policy").content.decode()
    assert '<h2 id="seals">Seals</h2>' in html and html.count("<h2") == 8
    assert client.get("/corrections/policy.json").json()["policy_markdown"].startswith("# How corrections are decided")


@pytest.mark.parametrize("path", ["", "/1", "/open", "/policy", "/figures"])
def test_pages_have_twins_and_are_read_only(client: Client, decisions: None, path: str) -> None:
    response = client.get(f"/corrections{path}")
    assert f'</corrections{path}.json>; rel="alternate"' in response["Link"]
    assert response["Cache-Control"] == "public, no-cache"
    plain = client.get(f"/corrections{path}.json")
    assert plain["Access-Control-Allow-Origin"] == "*" and json.loads(plain.content)["provenance"]["licence"]
    assert client.post(f"/corrections{path}").status_code == 405
    html = response.content.decode()
    assert len(re.findall("<h1", html)) == 1 and "<style" not in html and " style=" not in html
