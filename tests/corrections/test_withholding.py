"""Withholding a text at once, its confirmation, and the alarm."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from corrections.cells import read_cell
from corrections.decisions import Refused, decide
from corrections.ledger import lines
from corrections.models import Decision, EntryKind
from corrections.verification import verify_all
from corrections.withholding import confirm, unconfirmed, withhold
from tests import people
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import first


def test_takes_the_text_off_everywhere_and_says_why(edda: User, as_web: None) -> None:
    key = first("dataset")
    text = read_cell(record(key), "description")
    decision = withhold(key, "description", "The rights holder asks for it.", edda)
    assert read_cell(record(key), "description") is None
    assert [entry.kind for entry in Decision.objects.order_by("number")] == [EntryKind.DECISION, EntryKind.SEAL]
    assert text[:40] not in b"".join(lines()).decode()
    assert list(unconfirmed()) == [decision] and verify_all() == []


def test_another_editor_confirms(edda: User) -> None:
    other = people._staff("Emil", "Editors")
    number = withhold(first("dataset"), "description", "Rights.", edda).number
    with pytest.raises(Refused, match="their own"):
        confirm(number, "Rights indeed.", edda)
    confirm(number, "Rights indeed.", other)
    assert not unconfirmed().exists() and verify_all() == []


def test_only_editors(renu: User) -> None:
    with pytest.raises(Refused, match="editor"):
        withhold(first("dataset"), "description", "Rights.", renu)


def test_the_audit_alarms_after_a_week(edda: User, monkeypatch: pytest.MonkeyPatch) -> None:
    withhold(first("dataset"), "description", "Rights.", edda)
    call_command("audit")
    later = timezone.now() + timedelta(days=8)
    monkeypatch.setattr("corrections.withholding.timezone.now", lambda: later)
    with pytest.raises(SystemExit):
        call_command("audit")


def test_the_audit_alarms_when_a_cell_is_not_what_the_log_says(renu: User) -> None:
    key = first("paper")
    decide(accepted(wanting(key, "title", "Decided")), renu)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE archive_paper DISABLE TRIGGER USER")
        cursor.execute("UPDATE archive_paper SET title = 'Slipped'")
        cursor.execute("ALTER TABLE archive_paper ENABLE TRIGGER USER")
    with pytest.raises(SystemExit):
        call_command("audit")
