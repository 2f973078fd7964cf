"""Withholding at the desk: who may, what the form says first, what it does, and its confirmation by another."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from archive.models import Base, RecordKind
from corrections.cells import read_cell
from corrections.decisions import decide
from corrections.models import Decision, EntryKind, Outcome, ReaderName, Report, ReportState
from corrections.verification import verify_all
from corrections.withholding import unconfirmed
from corrections.withholding import withhold as withheld_by
from tests import people
from tests.corrections.desk.acting import address, hidden, report, text_of
from tests.corrections.desk.conftest import SignIn
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first
from tests.corrections.test_races import at_once

LIST = "/admin/desk/withheld/"


def form_of(key: str, field: str) -> str:
    """The address of the form."""
    return address(f"withhold/{key}", field)


@pytest.fixture
def editing(edda: User, sign_in: SignIn) -> Client:
    """Edda at the desk."""
    return sign_in(edda)


@pytest.fixture
def emil(tiny: None) -> User:
    """Another editor."""
    return people._staff("Emil", "Editors")


@pytest.fixture
def text(tiny: None) -> tuple[str, str]:
    """A dataset and its description, which is not short."""
    key = first("dataset")
    held = read_cell(record(key), "description")
    assert isinstance(held, str) and len(held) > 40
    return key, held


def sent(client: Client, key: str, field: str = "description", **other: Any) -> dict[str, Any]:
    """What the form sends along, with a reason."""
    return {**hidden(client.get(form_of(key, field))), "reason": "The rights holder asks for it.", **other}


def confirming(number: int, reason: str = "I have read the letter.") -> dict[str, Any]:
    """What the list's form for one withholding sends."""
    return {"number": number, f"confirm-{number}-reason": reason}


@pytest.mark.usefixtures("tiny")
class TestDoor:
    def test_only_editors_come_in(self, at_desk: Client, niko: User, sign_in: SignIn) -> None:
        key = first("dataset")
        for url in (form_of(key, "description"), LIST):
            for client in (at_desk, sign_in(niko)):
                assert client.get(url).status_code == 403, url
                assert client.post(url, {"reason": "Rights.", "number": 1}).status_code == 403, url
            assert Client().get(url)["Location"].startswith("/admin/login/?next=")
        assert not Decision.objects.exists()

    def test_a_forged_post_is_refused(self, edda: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(edda)
        for url in (form_of(first("dataset"), "description"), LIST):
            assert client.post(url, {"reason": "Rights."}).status_code == 403

    def test_the_way_in_is_shown_to_editors_on_texts_alone(self, at_desk: Client, editing: Client) -> None:
        key, (row, metric) = first("dataset"), a_metric()
        way, listed = f"/admin/desk/withhold/{key}?field=description", f'href="{LIST}"'
        assert way in editing.get(address(key, "description")).content.decode()
        assert way not in at_desk.get(address(key, "description")).content.decode()
        for other in (address(key), address(key, "introduced_date"), address(row, metric)):
            assert "/admin/desk/withhold/" not in editing.get(other).content.decode(), other
        assert listed in editing.get("/admin/desk/").content.decode()
        assert listed not in at_desk.get("/admin/desk/").content.decode()

    def test_what_holds_no_text_is_not_to_be_had(self, editing: Client) -> None:
        key, (row, metric), task = first("dataset"), a_metric(), first(RecordKind.TASK)
        assert read_cell(record(key), "full_name") is None
        no_texts = [("dataset/none", "description"), (key, "no_such"), (key, "full_name"), (key, "introduced_date")]
        for unknown in (*no_texts, (key, ""), (row, metric), (row, "uses_additional_data"), (task, "name")):
            assert editing.get(form_of(*unknown)).status_code == 404, unknown
        answer = editing.post(form_of(row, metric), sent(editing, key))
        assert answer.status_code == 409 and "There is no text" in text_of(answer)
        assert not Decision.objects.exists()


class TestWithhold:
    def test_get_says_what_will_happen_and_does_nothing(self, editing: Client, text: tuple[str, str]) -> None:
        key, held = text
        report(key, "description", "Another text.", kind="rights")
        answer = editing.get(form_of(key, "description"))
        told = text_of(answer)
        assert held.split()[0] in told and "can not be undone" in told and "1 report on this field" in told
        assert answer["Cache-Control"] == "private, no-store"
        assert "<style" not in answer.content.decode() and "style=" not in answer.content.decode()
        assert not Decision.objects.exists() and read_cell(record(key), "description") == held

    def test_the_text_goes_and_the_ticked_reports_with_it(
        self, editing: Client, text: tuple[str, str], as_web: None
    ) -> None:
        key, held = text
        one, two = report(key, "description", held + " More."), report(key, "description", kind="rights")
        other = report(key, "homepage", "https://example.org/")
        assert editing.post(form_of(key, "description"), sent(editing, key, reports=[one.pk])).status_code == 303
        assert [entry.kind for entry in Decision.objects.order_by("number")] == [EntryKind.DECISION, EntryKind.SEAL]
        decision = Decision.objects.get(number=1)
        assert (decision.outcome, decision.reader, decision.reports_closed) == (Outcome.WITHHELD, "Edda R.", 1)
        assert decision.reason == "The rights holder asks for it."
        assert read_cell(record(key), "description") is None
        assert Base.objects.get(record__key=key, field="description").value is None
        states = dict(Report.objects.values_list("pk", "state"))
        assert states == {one.pk: ReportState.DECIDED, two.pk: ReportState.OPEN, other.pk: ReportState.OPEN}
        one.refresh_from_db()
        assert one.proposed is None and verify_all() == []
        page = editing.get(LIST)
        assert "#1" in text_of(page) and "You withheld it" in text_of(page) and held[:40] not in page.content.decode()

    def test_more_reports_than_are_shown_are_closed_too(self, editing: Client, text: tuple[str, str]) -> None:
        key, _ = text
        model = report(key, "description", kind="rights")
        Report.objects.bulk_create(
            Report(record=model.record, field="description", kind="rights", token_digest=b"%032d" % i)
            for i in range(120)
        )
        page = editing.get(form_of(key, "description"))
        assert "close the other 21" in text_of(page)
        editing.post(form_of(key, "description"), sent(editing, key, rest="on"))
        assert Decision.objects.get(number=1).reports_closed == 121

    def test_a_list_of_names_goes_too(self, editing: Client) -> None:
        key = first("paper")
        assert editing.post(form_of(key, "authors"), sent(editing, key, "authors")).status_code == 303
        assert read_cell(record(key), "authors") == []

    def test_the_copies_of_a_title_are_told_of_and_go_along(self, editing: Client) -> None:
        key = "paper/attention-is-all-you-need"
        assert "So are 5 further fields" in text_of(editing.get(form_of(key, "title")))
        assert editing.post(form_of(key, "title"), sent(editing, key, "title")).status_code == 303
        assert Decision.objects.get(number=1).changes.count() == 6
        listed = text_of(editing.get(LIST))
        assert f"Title of {key}" in listed and "and 1 more" in listed

    @pytest.mark.parametrize("reason", ["", " \n ", "bad\x07bell", "x" * 5_001])
    def test_a_reason_that_can_not_stand_is_told_and_kept(
        self, editing: Client, text: tuple[str, str], reason: str
    ) -> None:
        key, held = text
        answer = editing.post(form_of(key, "description"), sent(editing, key, reason=reason))
        assert answer.status_code == 422 and not Decision.objects.exists()
        assert answer.context["form"]["reason"].value() == reason
        assert read_cell(record(key), "description") == held

    @pytest.mark.parametrize("seen", ["", "e30:1t:abc"])
    def test_a_form_that_remembers_nothing_of_ours_does_nothing(
        self, editing: Client, text: tuple[str, str], seen: str
    ) -> None:
        key, _ = text
        answer = editing.post(form_of(key, "description"), sent(editing, key, seen=seen))
        assert answer.status_code == 422 and not Decision.objects.exists()

    def test_a_text_that_was_changed_meanwhile_is_looked_at_first(
        self, editing: Client, text: tuple[str, str], renu: User
    ) -> None:
        key, _ = text
        data = sent(editing, key, reason="My long reason.")
        decide(accepted(wanting(key, "description", "A text without the name.")), renu)
        answer = editing.post(form_of(key, "description"), data)
        told = text_of(answer)
        assert answer.status_code == 409 and "What moved" in told and "A text without the name." in told
        assert "My long reason." in told and read_cell(record(key), "description") == "A text without the name."
        assert editing.post(form_of(key, "description"), {**data, **hidden(answer)}).status_code == 303

    def test_a_report_decided_meanwhile_is_told(self, editing: Client, text: tuple[str, str], renu: User) -> None:
        key, held = text
        filed = report(key, "description", kind="rights")
        data = sent(editing, key, reason="My long reason.")
        decide(accepted(wanting(key, "homepage", "https://example.org/new"), reports=[filed.pk]), renu)
        answer = editing.post(form_of(key, "description"), data)
        assert answer.status_code == 409 and "Somebody was first" in text_of(answer)
        assert "My long reason." in text_of(answer) and read_cell(record(key), "description") == held

    def test_a_report_of_ones_own_is_not_closed(self, editing: Client, edda: User, text: tuple[str, str]) -> None:
        key, _ = text
        own = report(key, "description", kind="rights", filed_by=edda.pk)
        assert editing.post(form_of(key, "description"), sent(editing, key, reports=[own.pk])).status_code == 303
        own.refresh_from_db()
        assert own.state == ReportState.OPEN and Decision.objects.get(number=1).reports_closed == 0

    def test_a_double_click_is_one_withholding(self, editing: Client, text: tuple[str, str]) -> None:
        key, _ = text
        data = sent(editing, key)
        answers = at_once(*[lambda: editing.post(form_of(key, "description"), data)] * 2)
        assert [getattr(answer, "status_code", answer) for answer in answers] == [303, 303]
        assert editing.post(form_of(key, "description"), data).status_code == 303
        assert Decision.objects.decisions().count() == 1
        assert "withheld already, by #1" in text_of(editing.get(LIST))

    def test_two_editors_at_once_withhold_once(
        self, editing: Client, emil: User, sign_in: SignIn, text: tuple[str, str]
    ) -> None:
        key, _ = text
        other = sign_in(emil)
        forms = [(editing, sent(editing, key, reason="Edda’s.")), (other, sent(other, key, reason="Emil’s."))]
        answers = at_once(*[lambda c=c, d=d: c.post(form_of(key, "description"), d) for c, d in forms])
        statuses = [getattr(answer, "status_code", answer) for answer in answers]
        assert sorted(map(str, statuses)) == ["303", "409"], statuses
        loser = statuses.index(409)
        assert ("Edda’s.", "Emil’s.")[loser] in text_of(answers[loser])
        assert Decision.objects.decisions().count() == 1

    def test_an_editor_without_a_public_name_chooses_one_first(self, editing: Client, edda: User) -> None:
        ReaderName.objects.filter(user=edda).delete()
        key = first("dataset")
        answer = editing.post(form_of(key, "description"), sent(editing, key))
        assert answer.status_code == 409 and "Choose the public name" in text_of(answer)
        assert "The rights holder asks for it." in text_of(answer) and not Decision.objects.exists()


class TestConfirm:
    @pytest.fixture(autouse=True)
    def number(self, edda: User, text: tuple[str, str]) -> int:
        """The number of Edda's withholding."""
        return withheld_by(text[0], "description", "Rights.", edda).number

    def test_another_editor_confirms(self, emil: User, sign_in: SignIn, number: int, as_web: None) -> None:
        client = sign_in(emil)
        assert "Withheld, to be confirmed: 1" in text_of(client.get("/admin/desk/"))
        assert f"Confirm #{number}" in text_of(client.get(LIST))
        for _ in range(2):
            assert client.post(LIST, confirming(number)).status_code == 303
        confirmed = Decision.objects.get(duplicate_of_decision=number)
        assert (confirmed.reader, confirmed.reason) == ("Emil R.", "I have read the letter.")
        assert not unconfirmed().exists() and verify_all() == []
        assert "Nothing that was withheld waits" in text_of(client.get(LIST))

    def test_a_double_click_confirms_once(self, emil: User, sign_in: SignIn, number: int) -> None:
        client = sign_in(emil)
        answers = at_once(*[lambda: client.post(LIST, confirming(number))] * 2)
        assert [getattr(answer, "status_code", answer) for answer in answers] == [303, 303]
        assert Decision.objects.filter(duplicate_of_decision=number).count() == 1

    def test_nobody_confirms_their_own(self, editing: Client, number: int) -> None:
        assert f"Confirm #{number}" not in text_of(editing.get(LIST))
        answer = editing.post(LIST, confirming(number))
        assert answer.status_code == 409 and "of their own" in text_of(answer)
        assert unconfirmed().exists()

    def test_a_confirmation_says_why_and_errors_keep_what_was_typed(
        self, emil: User, sign_in: SignIn, number: int
    ) -> None:
        client = sign_in(emil)
        assert client.post(LIST, confirming(number, " ")).status_code == 422
        ReaderName.objects.filter(user=emil).delete()
        answer = client.post(LIST, confirming(number, "My long reason."))
        assert answer.status_code == 409 and "My long reason." in text_of(answer)
        for odd in ("x", "", "999", "9" * 30):
            assert client.post(LIST, {"number": odd, f"confirm-{odd}-reason": "Yes."}).status_code in (409, 422)
        assert unconfirmed().exists()

    def test_overdue_ones_are_marked(
        self, emil: User, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        client = sign_in(emil)
        assert "overdue" not in text_of(client.get(LIST)) + text_of(client.get("/admin/desk/"))
        later = timezone.now() + timedelta(days=8)
        monkeypatch.setattr("corrections.desk.withholdings.timezone.now", lambda: later)
        assert "overdue: unconfirmed for 8 days" in text_of(client.get(LIST))
        assert "1 overdue" in text_of(client.get("/admin/desk/"))

    def test_its_form_leads_to_the_list(self, editing: Client, text: tuple[str, str], number: int) -> None:
        answer = editing.get(form_of(text[0], "description"))
        assert answer.status_code == 303 and answer["Location"] == LIST

    def test_the_list_costs_the_same_whatever_its_length(self, emil: User, edda: User, sign_in: SignIn) -> None:
        client, counts = sign_in(emil), []
        for more in ((), ("paper", "method")):
            for kind in more:
                withheld_by(first(kind), "title" if kind == "paper" else "description", "Rights.", edda)
            with CaptureQueriesContext(connection) as queries:
                assert client.get(LIST).status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1] <= 12
