"""The private page of a report, and the links in e-mails: reading changes nothing, acts are posts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone

from corrections import notices
from corrections.decisions import Ruling, decide
from corrections.models import Notice, Outcome, Report, Reporter, ReportState
from corrections.submissions import Filed
from tests.corrections.public.conftest import DATASET, filed, the_report
from tests.corrections.public.test_report_form import text_of
from tests.corrections.rulings import accepted, wanting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tiny_archive")]


def page(filing: Filed) -> str:
    return f"/report/status/{filing.token}"


def refused(filing: Filed, reader: User, reason: str = "The paper says what the archive says.") -> None:
    decide(Ruling(Outcome.OUT_OF_SCOPE, reason, reports=[filing.report.pk], note="Thank you."), reader)


class TestPrivate:
    @pytest.mark.parametrize("path", ["", "confirm", "unsubscribe"])
    def test_is_kept_listed_and_referred_by_nobody(self, amina: Client, path: str) -> None:
        filing = filed(email="amina@example.org")
        reporter = filing.report.reporter
        assert reporter
        address = f"/report/{path}/{notices.token_for(reporter, path)}" if path else page(filing)
        response = amina.get(address)
        assert response.status_code == 200
        assert response["Cache-Control"] == "private, no-store"
        assert response["Referrer-Policy"] == "no-referrer"
        assert "noindex" in response["X-Robots-Tag"]
        assert '<meta name="robots" content="noindex">' in response.content.decode()

    @pytest.mark.parametrize("token", ["x", "a" * 32, "%00", "é"])
    def test_of_no_report(self, amina: Client, token: str) -> None:
        assert amina.get(f"/report/status/{token}").status_code == 404
        assert amina.get(f"/report/confirm/{token}").status_code == 404

    def test_the_token_is_not_stored(self, amina: Client) -> None:
        filing = filed()
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_jsonb(r)::text FROM corrections_report r")
            assert filing.token not in cursor.fetchone()[0]

    def test_works_without_a_cookie_under_its_own_policy(self) -> None:
        """A browser under `no-referrer` sends `Origin: null` and no cookie has to be there."""
        filing = filed()
        strict = Client(enforce_csrf_checks=True)
        response = strict.post(page(filing), {"act": "withdraw"}, HTTP_ORIGIN="null")
        assert response.status_code == 303 and the_report().state == ReportState.WITHDRAWN


class TestReading:
    @pytest.mark.parametrize("method", ["get", "head"])
    def test_does_nothing(self, amina: Client, method: str) -> None:
        filing = filed(email="amina@example.org")
        reporter = Reporter.objects.get()
        before = Report.objects.values().get(), Reporter.objects.values().get()
        for address in (
            f"{page(filing)}?act=withdraw&addition=x",
            f"/report/confirm/{notices.token_for(reporter, 'confirm')}",
            f"/report/unsubscribe/{notices.token_for(reporter, 'unsubscribe')}",
        ):
            assert getattr(amina, method)(address).status_code == 200
        assert (Report.objects.values().get(), Reporter.objects.values().get()) == before

    def test_tells_the_place_in_the_queue(self, amina: Client, renu: User) -> None:
        first, second = filed(), filed()
        assert "No undecided report was filed before it." in text_of(amina.get(page(first)))
        Report.objects.filter(pk=first.report.pk).update(filed_at=timezone.now() - timedelta(days=2))
        words = text_of(amina.get(page(second)))
        assert "1 undecided report was filed before it." in words and "None has been decided in the last year" in words
        refused(first, renu)
        words = text_of(amina.get(page(second)))
        assert "Of the 1 reports decided in the last year half took up to 2.0 days" in words

    def test_shows_decision_reason_and_note(self, amina: Client, renu: User) -> None:
        filing = filed()
        refused(filing, renu, "Not here\u202e.")
        response = amina.get(page(filing))
        words = text_of(response)
        assert "Out of scope" in words and "Not here U+202E ." in words and "Thank you." in words
        assert 'href="/corrections/1"' in response.content.decode()
        assert "Withdraw the report" not in words

    def test_queries(self, amina: Client, django_assert_max_num_queries: Any) -> None:
        filing = filed()
        with django_assert_max_num_queries(4):
            amina.get(page(filing))


class TestActs:
    def test_adding(self, amina: Client) -> None:
        filing = filed()
        for text in ("See also page 9.", "And 10."):
            assert amina.post(page(filing), {"act": "addition", "addition": text}).status_code == 303
        assert the_report().addition == "See also page 9.\n\nAnd 10."

    @pytest.mark.parametrize("text", ["", "\u200b", "a\x07", "x" * 5_001], ids=["empty", "unseen", "bell", "long"])
    def test_adding_what_is_refused_keeps_it(self, amina: Client, text: str) -> None:
        response = amina.post(page(filed()), {"act": "addition", "addition": text})
        assert response.status_code == 422 and 'id="id_addition_error"' in response.content.decode()
        assert the_report().addition == "" and text in response.content.decode()

    def test_withdrawing(self, amina: Client) -> None:
        filing = filed()
        assert amina.post(page(filing), {"act": "withdraw"}).status_code == 303
        assert the_report().state == ReportState.WITHDRAWN
        assert amina.get(f"/{DATASET}.json").json()["open_reports"] == 0
        assert amina.post(page(filing), {"act": "withdraw"}).status_code == 422

    def test_appealing_once(self, amina: Client, renu: User, otto: User) -> None:
        filing = filed()
        assert amina.post(page(filing), {"act": "appeal", "appeal": "No."}).status_code == 422
        refused(filing, renu)
        assert amina.post(page(filing), {"act": "appeal", "appeal": " "}).status_code == 422
        assert amina.post(page(filing), {"act": "appeal", "appeal": "It is in scope."}).status_code == 303
        assert the_report().state == ReportState.APPEALED
        assert amina.get(f"/{DATASET}.json").json()["open_reports"] == 1
        refused(filing, otto)
        assert amina.post(page(filing), {"act": "appeal", "appeal": "Still no."}).status_code == 422

    @pytest.mark.parametrize("act", ["", "decide", "__class__"])
    def test_anything_else(self, amina: Client, act: str) -> None:
        assert amina.post(page(filed()), {"act": act}).status_code == 422

    def test_erasing_oneself(self, amina: Client, renu: User) -> None:
        filing = filed(DATASET, "homepage", name="Amina Okafor", email="amina@example.org")
        ruling = accepted(wanting(DATASET, "homepage", "https://example.org/"), reports=[filing.report.pk])
        decide(ruling, renu)
        assert "Amina Okafor" in text_of(amina.get("/corrections/1"))
        assert amina.post(page(filing), {"act": "erase"}).status_code == 303
        assert not Reporter.objects.exists() and not Notice.objects.exists()
        assert "Amina" not in amina.get("/corrections/1").content.decode()
        assert the_report().state == ReportState.DECIDED


class TestMail:
    """An address gets one confirmation, and nothing else until its link is used."""

    @pytest.fixture
    def filing(self) -> Filed:
        return filed(name="Amina Okafor", email="amina@example.org", comment="My secret \u202e comment")

    def send(self) -> list[Any]:
        mail.outbox.clear()
        notices.send_due()
        return list(mail.outbox)

    def link(self, message: Any, what: str) -> str:
        (found,) = [line for line in message.body.splitlines() if f"/report/{what}/" in line]
        return str(found).removeprefix("http://localhost:8000")

    def test_one_confirmation(self, filing: Filed) -> None:
        (message,) = self.send()
        assert message.to == ["amina@example.org"]
        assert message.subject == "Corrigenda: Confirm your address"
        assert self.send() == []

    def test_repeats_nothing_of_the_reporter(self, filing: Filed) -> None:
        (message,) = self.send()
        told = f"{message.subject} {message.body} {message.extra_headers}"
        assert not any(word in told for word in ("secret", "Okafor", filing.token, "amina@"))

    def test_no_decision_is_told_before_the_link_is_used(self, filing: Filed, renu: User) -> None:
        self.send()
        refused(filing, renu)
        assert self.send() == []

    def test_told_once_after(self, amina: Client, filing: Filed, renu: User) -> None:
        (confirmation,) = self.send()
        address = self.link(confirmation, "confirm")
        assert "Shall we tell you" in text_of(amina.get(address))
        assert self.send() == []
        assert "Thank you" in text_of(amina.post(address))
        refused(filing, renu)
        (told,) = self.send()
        assert told.subject == "Corrigenda: Decision #1 on your report"
        assert "/corrections/1" in told.body and self.send() == []

    def test_unsubscribing(self, amina: Client, filing: Filed, renu: User) -> None:
        (confirmation,) = self.send()
        address = self.link(confirmation, "unsubscribe")
        assert Reporter.objects.get().email
        assert amina.post(address).status_code == 200
        assert Reporter.objects.get().email == ""
        assert amina.post(address).status_code == 404
        refused(filing, renu)
        assert self.send() == []

    def test_a_link_serves_one_purpose(self, amina: Client, filing: Filed) -> None:
        token = notices.token_for(Reporter.objects.get(), "unsubscribe")
        assert amina.post(f"/report/confirm/{token}").status_code == 404

    def test_an_old_confirmation_holds_no_more(
        self, amina: Client, filing: Filed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = self.link(self.send()[0], "confirm")
        monkeypatch.setattr(notices, "LINK_HOLDS", timedelta(seconds=-1))
        assert amina.post(address).status_code == 404
