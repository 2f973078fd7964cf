"""What is forgotten, and that nothing else is; the outbox under two senders at once."""

from __future__ import annotations

import smtplib
import threading
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.utils import timezone

from corrections import notices
from corrections.chain import entry_digest, links_of
from corrections.decisions import Ruling, decide
from corrections.models import Decision, Filing, Notice, Outcome, Report, Reporter, UsedChallenge
from corrections.submissions import Draft, Filed, file_report
from tests.corrections.rulings import accepted, wanting

DATASET = "dataset/wmt-2014"


def filed(email: str = "", sender: str = "192.0.2.1", **draft: Any) -> Filed:
    given = {"kind": "other", "comment": "Words.", **draft}
    return file_report(Draft(DATASET, email=email, **given), sender=sender)


def run(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue().strip()


class TestErase:
    @pytest.mark.parametrize("arguments", [["--email", "AMINA@example.org"], ["--name", "Amina"]], ids=str)
    def test_leaves_report_log_and_chain(self, renu: User, as_web: None, arguments: list[str]) -> None:
        report = filed("amina@example.org", name="Amina").report
        other = filed("rosa@example.org", name="Rosa").report
        decide(accepted(wanting(DATASET, "homepage", "https://example.org/"), reports=[report.pk]), renu)
        assert run("erase_reporter", *arguments) == "1 erased."
        report.refresh_from_db()
        assert report.reporter is None and report.comment == "Words."
        assert Reporter.objects.get().reports.get() == other
        entry = Decision.objects.get()
        assert entry_digest(entry, links_of(entry)) == bytes(entry.digest)
        with connection.cursor() as cursor:
            cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'corrections\\_%'")
            for (table,) in cursor.fetchall():
                cursor.execute(f"SELECT to_jsonb(t)::text FROM {table} t")
                assert not any("amina" in row.lower() for (row,) in cursor.fetchall()), table

    def test_of_nobody(self, as_web: None) -> None:
        assert run("erase_reporter", "--email", "x@example.org") == "0 erased."
        assert run("erase_reporter") == "0 erased."


class TestPurge:
    def test_forgets_what_is_due_and_nothing_else(self, renu: User, as_web: None) -> None:
        now = timezone.now()
        old = filed("old@example.org").report
        filed("open@example.org")
        fresh = filed("fresh@example.org").report
        spam = filed(kind="wrong-value", source={"url": "https://example.org"}, comment="Buy!").report
        decide(Ruling(Outcome.OUT_OF_SCOPE, "No.", reports=[old.pk]), renu)
        decide(Ruling(Outcome.SPAM, "Spam.", reports=[spam.pk]), renu)
        Report.objects.exclude(pk=fresh.pk).update(filed_at=now - timedelta(days=500))
        Reporter.objects.exclude(email="fresh@example.org").update(created_at=now - timedelta(days=500))
        Reporter.objects.filter(email="open@example.org").update(confirmed_at=now)
        Filing.objects.filter(pk=Filing.objects.order_by("pk")[0].pk).update(at=now - timedelta(days=3))
        UsedChallenge.objects.create(digest=b"1" * 32, expires_at=now - timedelta(seconds=1))
        UsedChallenge.objects.create(digest=b"2" * 32, expires_at=now + timedelta(hours=1))
        assert run("purge_reports") == (
            "Forgotten: 0 people, 1 unconfirmed addresses, 1 senders, 1 challenges, 0 spam texts."
        )
        assert set(Reporter.objects.values_list("email", flat=True)) == {"", "open@example.org", "fresh@example.org"}
        spam.refresh_from_db()
        assert spam.comment == "Buy!"

    def test_people_and_spam_go_when_their_time_is_over(
        self, renu: User, as_web: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done, open_ = filed("done@example.org").report, filed("open@example.org").report
        spam = filed(kind="wrong-value", source={"url": "https://example.org"}, comment="Buy!").report
        decide(Ruling(Outcome.OUT_OF_SCOPE, "No.", reports=[done.pk]), renu)
        decide(Ruling(Outcome.SPAM, "Spam.", reports=[spam.pk]), renu)
        monkeypatch.setattr("corrections.retention.PEOPLE", -timedelta(seconds=5))
        monkeypatch.setattr("corrections.retention.SPAM", -timedelta(seconds=5))
        told = run("purge_reports")
        assert "1 spam texts" in told
        spam.refresh_from_db()
        assert (spam.comment, spam.source_url, spam.proposed, spam.decision_id) == ("", "", None, 2)
        assert Report.objects.get(pk=open_.pk).reporter is not None
        assert run("purge_reports").endswith("0 spam texts.")


def refusing(*_: Any) -> int:
    """A mail server that refuses everything, repeating the address as such servers do."""
    raise smtplib.SMTPRecipientsRefused({"amina@example.org": (550, b"no such user amina@example.org")})


class TestOutbox:
    @pytest.fixture(autouse=True)
    def mail_server(self, settings: Any) -> None:
        settings.EMAIL_URL = "smtp://localhost"

    def test_two_senders_at_once_send_each_once(self, tiny: None, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(20):
            filed(f"r{number}@example.org", sender=f"192.0.2.{number}")
        begin = threading.Barrier(3)

        def send() -> None:
            begin.wait()
            notices.send_due()
            connection.close()

        threads = [threading.Thread(target=send) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(message.to[0] for message in mail.outbox) == sorted(f"r{n}@example.org" for n in range(20))
        assert not Notice.objects.filter(sent_at=None).exists()

    @pytest.mark.usefixtures("as_web")
    def test_tries_again_later_and_lists_what_failed_for_good(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(EmailBackend, "send_messages", refusing)
        filed("amina@example.org")
        attempts = len(notices.PAUSES) + 1
        for attempt in range(1, attempts):
            assert run("send_notices") == "0 sent, 1 failed, 0 of these for good."
            notice = Notice.objects.get()
            assert notice.attempts == attempt and notice.due_at > timezone.now()
            assert run("send_notices") == "0 sent, 0 failed, 0 of these for good."
            Notice.objects.update(due_at=F("made_at"))
        with pytest.raises(CommandError) as told:
            run("send_notices")
        assert f"SMTPRecipientsRefused at attempt {attempts}" in str(told.value)
        assert "amina" not in str(told.value) and "amina" not in Notice.objects.get().dead_because

    def test_without_a_mail_server_says_so(self, as_web: None, settings: Any) -> None:
        settings.EMAIL_URL, settings.DEBUG = None, False
        filed("amina@example.org")
        with pytest.raises(CommandError, match="EMAIL_URL is not set, so nothing is sent; 1 notices wait"):
            run("send_notices")
