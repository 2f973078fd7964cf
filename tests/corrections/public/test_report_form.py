"""The report form, through the visitor's door."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import altcha
import pytest
from django.contrib.auth.models import User
from django.test import Client

from archive.models import Result, SiteVersion
from corrections import proof
from corrections.cells import read_cell
from corrections.decisions import decide
from corrections.models import Filing, Report, Reporter, ReportState, Switch, UsedChallenge
from tests.corrections.public.conftest import BOARD, DATASET, PAPER, filed, the_report
from tests.corrections.rulings import accepted, record, wanting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tiny_archive")]

SOURCE = {"source_url": "https://arxiv.org/abs/1706.03762v7", "source_table": "2", "source_row": "Transformer (big)"}


def solved() -> str:
    """The proof of work that a browser would find, for a fresh challenge."""
    challenge = altcha.Challenge.from_dict(proof.challenge())
    solution = altcha.solve_challenge(challenge)
    assert solution is not None
    return altcha.Payload(challenge, solution).to_base64()


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Challenges that cost nothing."""
    monkeypatch.setattr(proof, "COST", 1)


def address(key: str, field: str = "") -> str:
    return f"/report/{key}?field={field}" if field else f"/report/{key}"


def typed(key: str, field: str = "", **more: str) -> dict[str, str]:
    """What a browser sends of the form as it came, but for what is given."""
    now = read_cell(record(key), field) if field else None
    return {"kind": "wrong-value", "value_seen": json.dumps(now), "agree": "on", "altcha": solved(), **SOURCE, **more}


def text_of(response: Any) -> str:
    """The page's words, white space levelled."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


class TestForm:
    """What the form says before anything is sent."""

    @pytest.mark.parametrize("key", [DATASET, PAPER, BOARD, f"{BOARD}/row/1", f"{PAPER}/code/1"])
    def test_every_kind_of_record_has_one_with_its_fields(self, amina: Client, key: str) -> None:
        response = amina.get(address(key))
        assert response.status_code == 200
        fields = re.findall(r'<a href="\?field=([^"]+)"', response.content.decode())
        assert fields
        for field in fields:
            assert amina.get(address(key, html.unescape(field))).status_code == 200, field

    def test_shows_what_the_archive_says_and_what_happens_next(self, amina: Client) -> None:
        words = text_of(amina.get(address(DATASET, "name")))
        assert "What the archive says Name WMT 2014" in words
        assert "A person checks every report against the paper or source before anything changes." in words
        assert "under CC BY-SA 4.0" in words

    def test_carries_the_value_that_the_visitor_saw(self, amina: Client) -> None:
        page = amina.get(address(DATASET, "description")).content.decode()
        seen = re.search(r'name="value_seen" value="([^"]*)"', page)
        assert seen and json.loads(html.unescape(seen[1])) == read_cell(record(DATASET), "description")

    def test_begins_a_long_proposal_with_the_present_text_and_a_short_one_empty(self, amina: Client) -> None:
        page = amina.get(address(DATASET, "variants")).content.decode()
        assert "WMT2014 English-German\nWMT2014 English-French </textarea>" in page
        assert re.search(
            r'<input type="url" name="proposed"[^>]*>', amina.get(address(DATASET, "homepage")).content.decode()
        )

    def test_shows_open_reports_by_kind_and_age_only(self, amina: Client) -> None:
        filed(DATASET, "name", comment="A secret thought", name="Amina", email="amina@example.org")
        page = amina.get(address(DATASET, "name")).content.decode()
        assert "1 report on this field is open:" in page
        assert "secret" not in page and "amina@example.org" not in page

    def test_shows_what_was_decided_before(self, amina: Client, renu: User) -> None:
        decide(accepted(wanting(DATASET, "homepage", "https://example.org/")), renu)
        words = text_of(amina.get(address(DATASET, "homepage")))
        assert "Decided before: #1" in words
        assert "In the snapshot" in words

    @pytest.mark.parametrize("path", [address(DATASET), address(DATASET, "name"), "/report/challenge.json"])
    def test_no_cache_keeps_it(self, amina: Client, path: str) -> None:
        response = amina.get(path)
        assert response["Cache-Control"] == "private, no-store"
        assert "noindex" in response["X-Robots-Tag"]

    @pytest.mark.parametrize(
        "path", ["/report/dataset/none", address(DATASET, "nonsense"), address(DATASET, "withdrawn"), "/report/x/y"]
    )
    def test_there_is_none_of_nothing(self, amina: Client, path: str) -> None:
        assert amina.get(path).status_code == 404

    def test_of_a_merged_record_is_the_target_s(self, amina: Client) -> None:
        type(record(DATASET)).objects.filter(key=DATASET).update(merged_into=record("dataset/mmdialog"))
        response = amina.get(address(DATASET))
        assert (response.status_code, response["Location"]) == (303, "/report/dataset/mmdialog")

    def test_archive_pages_carry_no_token(self, amina: Client) -> None:
        for path in (f"/{DATASET}", f"/{BOARD}", "/corrections", "/corrections/open"):
            response = amina.get(path)
            assert "csrf" not in response.content.decode().lower()
            assert not response.cookies and "Set-Cookie" not in response

    def test_few_queries(self, amina: Client, django_assert_max_num_queries: Any) -> None:
        for path in (address(DATASET), address(f"{BOARD}/row/1"), address(DATASET, "name")):
            with django_assert_max_num_queries(12):
                amina.get(path)


class TestFiling:
    """What comes of sending it."""

    def test_leads_to_the_private_page(self, amina: Client) -> None:
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="WMT14"))
        assert response.status_code == 303
        assert re.fullmatch(r"/report/status/[\w-]{32}", response["Location"])
        report = the_report()
        assert (report.state, report.field, report.proposed) == (ReportState.OPEN, "name", "WMT14")
        assert report.value_seen == "WMT 2014"
        assert (report.source_url, report.source_table) == (SOURCE["source_url"], "2")

    def test_counts_at_once_on_page_and_json(self, amina: Client) -> None:
        version = SiteVersion.objects.get().version
        amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="WMT14"))
        assert amina.get(f"/{DATASET}.json").json()["open_reports"] == 1
        assert "1 open report on this record." in text_of(amina.get(f"/{DATASET}"))
        assert [r["field"] for r in amina.get("/corrections/open.json").json()["reports"]] == ["name"]
        assert SiteVersion.objects.get().version == version + 1

    def test_changes_nothing_else(self, amina: Client) -> None:
        before = amina.get(f"/{DATASET}.json").json()
        amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="WMT14"))
        after = amina.get(f"/{DATASET}.json").json()
        assert {key for key in after if after[key] != before[key]} == {"open_reports"}
        assert amina.get("/corrections.json").json()["entries"] == []

    @pytest.mark.parametrize(
        ("key", "field", "proposed", "stored"),
        [
            (PAPER, "abstract", "One line.\r\nAnother.", "One line.\nAnother."),
            (PAPER, "date", "2017-06-12", None),
            (PAPER, "date", "1999", "1999"),
            (DATASET, "languages", "English\r\nGerman \r\n\r\n", ["English", "German "]),
            (DATASET, "homepage", "https://example.org/wmt", "https://example.org/wmt"),
            (f"{BOARD}/row/1", "uses_additional_data", "true", True),
            (
                f"{BOARD}/row/1",
                "paper",
                "/paper/long-short-term-memory",
                "paper/long-short-term-memory",
            ),
            (f"{PAPER}/code/1", "framework", "jax", "jax"),
        ],
    )
    def test_every_shape_of_value(self, amina: Client, key: str, field: str, proposed: str, stored: Any) -> None:
        response = amina.post(address(key, field), typed(key, field, proposed=proposed))
        if stored is None:
            assert response.status_code == 422 and "This is the value that the archive has now." in text_of(response)
            return
        assert response.status_code == 303, text_of(response)
        assert the_report().proposed == stored

    def test_a_text_takes_the_line_ends_of_what_was_seen(self, amina: Client) -> None:
        now = read_cell(record(DATASET), "description")
        assert "\r\n" in now
        sent = now.replace("\r\n", "\n").replace("\n", "\r\n") + "\r\nMore."
        amina.post(address(DATASET, "description"), typed(DATASET, "description", proposed=sent))
        assert the_report().proposed == now + "\r\nMore."

    def test_a_duplicate_joins_what_is_open(self, amina: Client) -> None:
        first = filed(DATASET, "name").report
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", joins=str(first.pk), kind="other"))
        assert response.status_code == 303
        assert Report.objects.get(joins=first).comment == ""

    def test_a_duplicate_of_another_field_s_report_is_refused(self, amina: Client) -> None:
        filed(DATASET, "name")
        other = filed(DATASET, "homepage").report
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", joins=str(other.pk)))
        assert response.status_code == 422

    def test_a_dead_link_needs_no_words(self, amina: Client) -> None:
        response = amina.post(address(DATASET, "homepage"), typed(DATASET, "homepage", kind="dead-link", source_url=""))
        assert response.status_code == 303

    def test_the_sender_is_not_stored(self, amina: Client) -> None:
        amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="X"), REMOTE_ADDR="203.0.113.77")
        stored = " ".join(str(vars(row)) for model in (Report, Filing, Reporter) for row in model.objects.all())
        assert "203.0.113.77" not in stored

    def test_name_and_address_lie_apart(self, amina: Client, settings: Any) -> None:
        settings.EMAIL_URL = "smtp://localhost"
        amina.post(
            address(DATASET, "name"),
            typed(DATASET, "name", proposed="X", name="Amina Okafor", email="amina@example.org"),
        )
        reporter = the_report().reporter
        assert reporter and (reporter.name, reporter.email) == ("Amina Okafor", "amina@example.org")

    def test_no_address_is_asked_for_where_no_mail_is_sent(self, amina: Client, settings: Any) -> None:
        settings.EMAIL_URL, settings.DEBUG = None, False
        assert 'name="email"' not in amina.get(address(DATASET)).content.decode()


class TestRefused:
    """What is not taken: said at the field and above the form, with everything that was typed."""

    @pytest.mark.parametrize(
        ("field", "sent", "at", "words"),
        [
            ("name", {"proposed": "WMT 2014"}, "proposed", "This is the value that the archive has now."),
            ("variants", {}, "proposed", "This is the value that the archive has now."),
            ("name", {"proposed": "\u200b\u3164"}, "proposed", "it is made of invisible characters only"),
            ("name", {"proposed": "A\x00B"}, "proposed", "The character U+0000 can not be part of a text."),
            ("name", {"proposed": "A\x1bB"}, "proposed", "The character U+001B can not be part of a text."),
            ("name", {"proposed": "x" * 1_048_576}, "proposed", "the field holds at most 1,000"),
            ("homepage", {"proposed": "javascript:alert(1)"}, "proposed", "This is not a web address"),
            ("introduced_date", {"proposed": "May 2014"}, "proposed", "A date is a year (2019) or a day (2019-01-31)."),
            ("name", {"proposed": "X", "comment": "\u200b \u2800"}, "comment", "This shows nothing"),
            ("name", {"proposed": "X", "comment": "y" * 1_000_000}, "comment", "at most 5,000 are taken"),
            ("name", {"proposed": "X", "source_url": ""}, "source_url", "needs the source that says otherwise"),
            (
                "name",
                {"proposed": "X", "source_url": "https://me:pw@example.org/"},
                "source_url",
                "without a user name",
            ),
            ("name", {"proposed": "X", "source_url": "javascript:alert(1)"}, "source_url", "not a web address"),
            ("name", {"proposed": "X", "kind": ""}, "kind", "Choose what is wrong."),
            ("name", {"proposed": "X", "agree": ""}, "agree", "Without this the archive can not use"),
        ],
        ids=str,
    )
    def test_says_so_at_the_field(self, amina: Client, field: str, sent: dict[str, str], at: str, words: str) -> None:
        proposed = {"proposed": "WMT2014 English-German\r\nWMT2014 English-French "} if field == "variants" else {}
        response = amina.post(address(DATASET, field), typed(DATASET, field, source_page="p. 8", **proposed, **sent))
        page = response.content.decode()
        assert response.status_code == 422 and not Report.objects.exists()
        assert words in text_of(response)
        summary = page.partition('role="alert"')[2].partition("</ul>")[0]
        target = f"id_{at}_0" if at == "kind" else f"id_{at}"
        assert f'href="#{target}"' in summary
        assert f'id="{target}"' in page and f'id="id_{at}_error"' in page
        assert 'value="p. 8"' in page
        for value in sent.values():
            assert html.escape(value) in page

    def test_a_value_that_moved_meanwhile_is_seen_first(self, amina: Client, renu: User) -> None:
        sent = typed(DATASET, "homepage", proposed="https://example.org/mine")
        decide(accepted(wanting(DATASET, "homepage", "https://example.org/theirs")), renu)
        response = amina.post(address(DATASET, "homepage"), sent)
        assert response.status_code == 422 and "changed while you were writing" in text_of(response)
        page = response.content.decode()
        assert "https://example.org/theirs" in page and 'value="https://example.org/mine"' in page
        seen = re.search(r'name="value_seen" value="([^"]*)"', page)
        assert seen
        again = amina.post(address(DATASET, "homepage"), {**sent, "value_seen": html.unescape(seen[1])})
        assert again.status_code == 303

    def test_a_closed_intake_says_so_and_loses_nothing(self, amina: Client) -> None:
        Switch.objects.create(intake_open=False, message="Back on Monday.")
        assert "Back on Monday." in text_of(amina.get(address(DATASET)))
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="WMT14"))
        assert response.status_code == 422 and "Back on Monday." in text_of(response)
        assert 'value="WMT14"' in response.content.decode()

    def test_without_a_token_of_the_form(self) -> None:
        strict = Client(enforce_csrf_checks=True)
        assert strict.post(address(DATASET, "name"), typed(DATASET, "name", proposed="X")).status_code == 403


class TestHostile:
    """Stored verbatim, shown harmlessly."""

    def test_right_to_left_override_and_script(self, amina: Client) -> None:
        evil = "WMT \u202e4102<script>alert(1)</script>"
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed=evil, comment=evil))
        assert the_report().proposed == the_report().comment == evil
        page = amina.get(response["Location"]).content.decode()
        assert "\u202e" not in page and "<script>alert" not in page
        assert '<span class="unseen" title="right-to-left override">U+202E</span>' in page

    def test_is_marked_in_the_form_that_comes_back(self, amina: Client) -> None:
        evil = '"><img src=x onerror=alert(1)>'
        page = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed=evil, agree="")).content.decode()
        assert "<img" not in page and html.escape(evil) in page

    @pytest.mark.parametrize(
        "seen", ["", "null", "{", '"other"', "[" * 100_000], ids=["", "null", "{", "other", "deep"]
    )
    def test_a_forged_value_seen_is_not_believed(self, amina: Client, seen: str) -> None:
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="X", value_seen=seen))
        assert response.status_code == 422


class TestFloods:
    """Bots and floods are held for a look, and nothing is lost."""

    @pytest.mark.parametrize(
        ("sent", "because"),
        [
            ({"altcha": ""}, proof.NONE),
            ({"altcha": "nonsense"}, proof.WRONG),
            ({"altcha": "e30="}, proof.WRONG),
            ({"altcha": "A" * 100_000}, proof.WRONG),
            ({"subject": "Cheap flights"}, "the field that people do not see was filled in"),
        ],
        ids=["no script", "nonsense", "empty", "long", "trapped"],
    )
    def test_held(self, amina: Client, sent: dict[str, str], because: str) -> None:
        version = SiteVersion.objects.get().version
        response = amina.post(address(DATASET, "name"), typed(DATASET, "name", proposed="X", **sent))
        assert response.status_code == 303
        report = the_report()
        assert (report.state, report.held_because) == (ReportState.HELD, because)
        assert amina.get(f"/{DATASET}.json").json()["open_reports"] == 0
        assert amina.get("/corrections/open.json").json()["total"] == 0
        assert SiteVersion.objects.get().version == version
        assert "Held for a look" in text_of(amina.get(response["Location"]))

    def test_a_proof_holds_once(self, amina: Client) -> None:
        sent = typed(DATASET, "name", proposed="X")
        amina.post(address(DATASET, "name"), sent)
        amina.post(address(DATASET, "name"), {**sent, "proposed": "Y"})
        assert list(Report.objects.order_by("pk").values_list("held_because", flat=True)) == ["", proof.AGAIN]

    def test_a_refused_report_costs_no_proof(self, amina: Client) -> None:
        sent = typed(DATASET, "name", proposed="X")
        assert amina.post(address(DATASET, "name"), {**sent, "agree": ""}).status_code == 422
        assert amina.post(address(DATASET, "name"), {**sent, "source_url": "nonsense"}).status_code == 422
        assert not UsedChallenge.objects.exists()
        amina.post(address(DATASET, "name"), sent)
        assert the_report().state == ReportState.OPEN

    def test_a_proof_for_another_server_is_none(self, amina: Client, settings: Any) -> None:
        sent = typed(DATASET, "name", proposed="X")
        settings.SECRET_KEY = "another " * 10
        amina.post(address(DATASET, "name"), sent)
        assert the_report().held_because == proof.WRONG

    def test_above_the_limit_of_one_sender(self, amina: Client) -> None:
        for number in range(12):
            filed(DATASET, "name", proposed=f"X{number}", sender="198.51.100.9")
        states = Report.objects.order_by("pk").values_list("state", flat=True)
        assert list(states) == [ReportState.OPEN] * 10 + [ReportState.HELD] * 2

    def test_a_household_of_ipv6_is_one_sender(self, amina: Client) -> None:
        for number in (1, 2):
            sent = typed(DATASET, "name", proposed=f"X{number}")
            amina.post(address(DATASET, "name"), sent, REMOTE_ADDR=f"2001:db8:1:2::{number}")
        assert len(set(map(bytes, Filing.objects.values_list("sender", flat=True)))) == 1

    @pytest.mark.parametrize(("proxies", "senders"), [(0, 1), (1, 2), (2, 1)])
    def test_behind_proxies_the_address_is_the_one_they_saw(
        self, amina: Client, settings: Any, proxies: int, senders: int
    ) -> None:
        settings.TRUSTED_PROXIES = proxies
        for address_seen in ("203.0.113.1", "203.0.113.2"):
            sent = typed(DATASET, "name", proposed=f"X{address_seen}")
            forwarded = f"198.51.100.1, {address_seen}"
            amina.post(address(DATASET, "name"), sent, HTTP_X_FORWARDED_FOR=forwarded, REMOTE_ADDR="10.0.0.1")
        assert len(set(map(bytes, Filing.objects.values_list("sender", flat=True)))) == senders


def test_metrics_of_any_name_can_be_reported(amina: Client) -> None:
    row = Result.objects.filter(values__isnull=False).order_by("record_id")[0]
    value = row.values.select_related("metric").order_by("metric_id")[0]
    field = f"metrics.{value.metric.name}"
    response = amina.post(
        f"/report/{row.record.key}", typed(row.record.key, field, proposed="1.5"), QUERY_STRING=f"field={field}"
    )
    assert response.status_code == 303
    assert (the_report().field, the_report().value_seen) == (field, value.value)
