"""Adding a code link or a row at the desk: the form, its preview, the decision, and what is refused."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from archive.models import CodeLink, Record, Result
from corrections.cells import read_cell
from corrections.decisions import Addition, decide
from corrections.desk.adding import cells_of
from corrections.models import Decision, ReaderName, ReasonText, Report, ReportState
from corrections.verification import verify_all
from tests.corrections.desk.acting import ACCEPT, SOURCE, address, hidden, report, text_of
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import first
from tests.corrections.test_races import at_once

LINK = {
    "cell-repo_url": "https://github.com/Some/Where",
    "cell-framework": "jax",
    "cell-is_official": "true",
    "cell-mentioned_in_paper": "false",
    "cell-mentioned_in_github": "",
}


def form_of(key: str) -> str:
    """The address of the form."""
    return f"/admin/desk/add/{key}"


def said(client: Client, key: str, cells: dict[str, str], **other: Any) -> dict[str, Any]:
    """What the form sends along, with everything that a decision says."""
    return {**hidden(client.get(form_of(key))), **ACCEPT, **cells, **other}


@pytest.fixture
def board(tiny: None) -> Record:
    """A leaderboard with metrics."""
    return Record.objects.filter(kind="leaderboard", leaderboard__metrics__position=0).order_by("id")[0]


def row(board: Record) -> dict[str, str]:
    """A whole row of it, a value of each metric."""
    metrics = [cell.name for cell in cells_of(board) if cell.name.startswith("metric-")]
    return {
        "cell-model_name": "New model",
        "cell-paper": f"/{first('paper')}",
        "cell-paper_title": "As printed",
        "cell-paper_date": "2021",
        "cell-uses_additional_data": "true",
        **{name: f"{place}.50" for place, name in enumerate(metrics, start=12)},
    }


class TestCodeLink:
    def test_is_added_by_an_accepted_decision(self, at_desk: Client, as_web: None) -> None:
        paper = first("paper")
        answer = at_desk.post(form_of(paper), said(at_desk, paper, LINK))
        assert (answer.status_code, answer["Location"]) == (303, address(paper))
        link = CodeLink.objects.latest("record_id")
        cells = {name: read_cell(link.record, name.removeprefix("cell-")) for name in LINK}
        assert list(cells.values()) == ["https://github.com/Some/Where", "jax", True, False, None]
        decision = Decision.objects.get()
        assert (decision.outcome, decision.side, decision.reader) == ("accepted", "archive", "Renu R.")
        assert (decision.source_url, decision.source_table) == (SOURCE["url"], "2")
        assert (decision.reading, decision.reason) == (ACCEPT["reading"], ACCEPT["reason"])
        assert link.record.key in text_of(at_desk.get(answer["Location"])) and verify_all() == []

    def test_of_what_is_there_already_is_looked_at_first(self, at_desk: Client) -> None:
        there = CodeLink.objects.exclude(repository=None).exclude(paper=None).order_by("record_id")[0]
        assert there.repo_url and there.paper
        paper = there.paper.record.key
        again = {**LINK, "cell-repo_url": f"{there.repo_url}.git"}
        answer = at_desk.post(form_of(paper), said(at_desk, paper, again))
        assert answer.status_code == 422 and there.record.key in text_of(answer)
        assert not Decision.objects.exists()
        unseen = said(at_desk, paper, again, all_the_same="on")
        assert at_desk.post(form_of(paper), unseen).status_code == 422
        assert at_desk.post(form_of(paper), {**unseen, **hidden(answer)}).status_code == 303

    def test_closes_the_ticked_reports_alone(self, at_desk: Client, renu: User) -> None:
        paper = first("paper")
        asks, other = report(paper, kind="other"), report(paper)
        own = report(paper, filed_by=renu.pk)
        page = at_desk.get(form_of(paper))
        assert "3 reports on the record as a whole" in text_of(page) and hidden(page)["reports"] == []
        sent = said(at_desk, paper, LINK, reports=[asks.pk, own.pk], note="Thank you.")
        assert at_desk.post(form_of(paper), sent).status_code == 303
        states = dict(Report.objects.values_list("pk", "state"))
        open_ = ReportState.OPEN
        assert states == {asks.pk: ReportState.DECIDED, other.pk: open_, own.pk: open_}
        assert Report.objects.get(pk=asks.pk).note == "Thank you."

    def test_a_report_decided_meanwhile_is_told(self, at_desk: Client, otto: User) -> None:
        paper = first("paper")
        asks = report(paper, kind="other")
        sent = said(at_desk, paper, LINK, reports=[asks.pk], reason="My long reason.")
        decide(accepted(wanting(first("dataset"), "homepage", "https://example.org/n"), reports=[asks.pk]), otto)
        answer = at_desk.post(form_of(paper), sent)
        assert answer.status_code == 409 and "Somebody was first" in text_of(answer)
        assert "My long reason." in text_of(answer) and Decision.objects.count() == 1

    def test_two_readers_at_once_add_it_once(self, at_desk: Client, at_desk_too: Client) -> None:
        """Nor do two of whom each has looked at what was there before."""
        paper = first("paper")
        for already in range(2):
            forms: list[tuple[Client, dict[str, Any]]] = []
            for client in (at_desk, at_desk_too):
                sent = said(client, paper, LINK, reason=f"Reason {len(forms)}.")
                if already:
                    sent |= {**hidden(client.post(form_of(paper), sent)), "all_the_same": "on"}
                forms.append((client, sent))
            answers: list[Any] = at_once(*[lambda c=c, d=d: c.post(form_of(paper), d) for c, d in forms])
            statuses = [getattr(answer, "status_code", answer) for answer in answers]
            # One whose form was read after the other's decision is told by the form.
            assert sorted(map(str, statuses)) in (["303", "409"], ["303", "422"]), statuses
            (loser,) = [place for place, status in enumerate(statuses) if status != 303]
            told, made = text_of(answers[loser]), Decision.objects.latest("number")
            assert f"Reason {loser}." in told and f"{paper}/code/" in told
            assert statuses[loser] == 422 or f"Decision #{made.number} added one like it already" in told
            assert made.number == already + 1
        assert verify_all() == []

    def test_one_added_meanwhile_is_told_with_its_decision(
        self, at_desk: Client, otto: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As to the second of two at once, between whose form and decision the first's decision fell."""
        paper = first("paper")
        sent = said(at_desk, paper, LINK, reason="My long reason.")
        link = Addition(paper, {"repo_url": LINK["cell-repo_url"]})

        def second(*args: Any, **kwargs: Any) -> Decision:
            decide(accepted(additions=[link]), otto)
            return decide(*args, **kwargs)

        monkeypatch.setattr("corrections.desk.views.add.decide", second)
        answer = at_desk.post(form_of(paper), sent)
        told = text_of(answer)
        assert answer.status_code == 409 and "Somebody was first" in told and "My long reason." in told
        assert "Decision #1 added one like it already" in told and "by Otto R." in told
        assert Decision.objects.count() == 1


class TestRow:
    def test_is_added_with_its_values(self, at_desk: Client, board: Record, as_web: None) -> None:
        typed = row(board)
        assert at_desk.post(form_of(board.key), said(at_desk, board.key, typed)).status_code == 303
        added = Result.objects.latest("record_id")
        assert added.position is None and added.record.name == "New model"
        held = [read_cell(added.record, cell.field.name) for cell in cells_of(board)]
        assert held == ["New model", first("paper"), "As printed", "2021", True, *list(typed.values())[5:]]
        assert Decision.objects.get().outcome == "accepted" and verify_all() == []

    def test_leaves_out_what_was_left_empty(self, at_desk: Client, board: Record) -> None:
        metric = next(cell.name for cell in cells_of(board) if cell.name.startswith("metric-"))
        typed = {"cell-model_name": "New", metric: "1,5 %"}
        assert at_desk.post(form_of(board.key), said(at_desk, board.key, typed)).status_code == 303
        changed = set(Decision.objects.get().changes.values_list("field", flat=True))
        assert len(changed) == 3 and {"exists", "model_name"} < changed
        assert Result.objects.latest("record_id").uses_additional_data is False

    def test_of_a_model_that_has_one_is_looked_at_first(self, at_desk: Client, board: Record) -> None:
        there = Result.objects.filter(leaderboard=board.pk, model_name__isnull=False).order_by("number")[0]
        assert there.model_name
        typed = {**row(board), "cell-model_name": there.model_name.upper()}
        answer = at_desk.post(form_of(board.key), said(at_desk, board.key, typed))
        assert answer.status_code == 422 and there.record.key in text_of(answer)
        ticked = {**said(at_desk, board.key, typed, all_the_same="on"), **hidden(answer)}
        assert at_desk.post(form_of(board.key), ticked).status_code == 303


def test_a_preview_says_what_is_added_and_adds_nothing(at_desk: Client, board: Record) -> None:
    before = Record.objects.count()
    answer = at_desk.post(form_of(board.key), said(at_desk, board.key, row(board), act="preview"))
    told = text_of(answer)
    count = Result.objects.filter(leaderboard=board.pk).count()
    assert answer.status_code == 200 and f"/{board.key}/row/{count + 1}" in told
    assert "Nothing is decided yet" in told and "12.50" in told and ACCEPT["reason"] in told and "no rank" in told
    assert not Decision.objects.exists() and Record.objects.count() == before
    assert at_desk.post(form_of(board.key), {**said(at_desk, board.key, row(board)), **hidden(answer)})["Location"]
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"cell-model_name": ""}, "cell-model_name"),
        ({"cell-model_name": " \u200b"}, "cell-model_name"),
        ({"cell-paper": "/paper/no-such-one"}, "cell-paper"),
        ({"cell-paper_date": "May 2021"}, "cell-paper_date"),
        ({"cell-paper_title": "x" * 1_001}, "cell-paper_title"),
        ({"cell-uses_additional_data": "perhaps"}, "cell-uses_additional_data"),
        ({"source_url": "ftp://x"}, "source_url"),
        ({"source_table": "", "source_row": ""}, "source_table"),
        ({"reading": " "}, "reading"),
        ({"side": ""}, "side"),
        ({"reason": " "}, "reason"),
        ({"reason": "bad\x07bell"}, "reason"),
        ({"seen": "e30:1t:abc"}, "__all__"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(
    at_desk: Client, board: Record, wrong: dict[str, str], field: str
) -> None:
    sent = {**said(at_desk, board.key, row(board)), **wrong}
    for act in ("decide", "preview"):
        answer = at_desk.post(form_of(board.key), {**sent, "act": act})
        form = answer.context["form"]
        assert answer.status_code == 422 and set(form.errors) == {field}, form.errors
        assert {name: form[name].value() for name in row(board)} == {n: sent[n] for n in row(board)}
        assert form["reason"].value() == sent["reason"]
        assert hidden(answer)["idempotency_key"] == sent["idempotency_key"]
    assert not Decision.objects.exists()


def test_a_row_needs_a_value(at_desk: Client, board: Record) -> None:
    typed = {"cell-model_name": "New"}
    answer = at_desk.post(form_of(board.key), said(at_desk, board.key, typed))
    assert answer.status_code == 422 and "at least one value" in text_of(answer)


def test_a_double_click_is_one_addition(at_desk: Client) -> None:
    paper = first("paper")
    sent, before = said(at_desk, paper, LINK), CodeLink.objects.count()
    answers = at_once(*[lambda: at_desk.post(form_of(paper), sent)] * 2)
    assert [getattr(answer, "status_code", answer) for answer in answers] == [303, 303]
    assert at_desk.post(form_of(paper), sent).status_code == 303
    assert CodeLink.objects.count() == before + 1 and Decision.objects.count() == 1
    assert "already; nothing further was done" in text_of(at_desk.get(address(paper)))


@pytest.mark.parametrize("key", ["", "x", None])
def test_a_form_without_its_key_adds_nothing(at_desk: Client, key: str | None) -> None:
    paper = first("paper")
    sent = said(at_desk, paper, LINK)
    sent = {**sent, "idempotency_key": key} if key is not None else {k: v for k, v in sent.items() if k[0] != "i"}
    answer = at_desk.post(form_of(paper), sent)
    assert answer.status_code == 409 and "lost its key" in text_of(answer)
    assert uuid.UUID(hidden(answer)["idempotency_key"]) and not Decision.objects.exists()


def test_nothing_is_added_to_what_was_withdrawn_meanwhile(at_desk: Client, renu: User, otto: User) -> None:
    paper = first("paper")
    sent = said(at_desk, paper, LINK, reason="My long reason.")
    decide(accepted(wanting(paper, "withdrawn", True)), renu, second_reader=otto)
    answer = at_desk.post(form_of(paper), sent)
    assert answer.status_code == 409 and "My long reason." in text_of(answer) and "withdrawn" in text_of(answer)
    assert at_desk.get(form_of(paper)).status_code == 404 and Decision.objects.count() == 1


def test_a_reader_without_a_name_is_told_and_keeps_what_they_typed(at_desk: Client) -> None:
    paper = first("paper")
    sent = said(at_desk, paper, LINK)
    ReaderName.objects.all().delete()
    answer = at_desk.post(form_of(paper), sent)
    assert answer.status_code == 409 and "Choose the public name" in text_of(answer)
    assert answer.context["form"]["cell-framework"].value() == "jax"


def test_a_reusable_reason_stands_in_where_none_is_typed(at_desk: Client) -> None:
    reason = ReasonText.objects.create(title="Theirs", text="The authors’ own repository.")
    paper = first("paper")
    at_desk.post(form_of(paper), said(at_desk, paper, LINK, reason="", reason_text=str(reason.pk)))
    assert Decision.objects.get().reason == reason.text


class TestWayIn:
    def test_is_on_the_case_of_a_paper_a_leaderboard_and_a_row(self, at_desk: Client, board: Record) -> None:
        paper, result = first("paper"), Result.objects.filter(leaderboard=board.pk).order_by("number")[0]
        for key, to in ((paper, paper), (board.key, board.key), (result.record.key, board.key)):
            assert f'href="{form_of(to)}"' in at_desk.get(address(key)).content.decode(), key
        assert "/admin/desk/add/" not in at_desk.get(address(first("dataset"))).content.decode()

    def test_is_on_the_queue_and_asks_for_the_record(self, at_desk: Client, board: Record) -> None:
        assert 'href="/admin/desk/add/"' in at_desk.get("/admin/desk/").content.decode()
        assert at_desk.get("/admin/desk/add/").status_code == 200
        for typed in (board.key, f"/{board.key}", f"https://archive.example/{board.key}?as_of=2025-07-28"):
            assert at_desk.get("/admin/desk/add/", {"to": typed})["Location"] == form_of(board.key), typed
        for typed in (first("dataset"), "paper/no-such-one", "<script>alert(1)</script>"):
            answer = at_desk.get("/admin/desk/add/", {"to": typed})
            assert answer.status_code == 404 and "There is no paper or leaderboard" in text_of(answer)
            assert "<script>alert" not in answer.content.decode()

    def test_other_records_and_buttons_are_refused(self, at_desk: Client) -> None:
        paper = first("paper")
        for key in (first("dataset"), "paper/no-such-one"):
            assert at_desk.get(form_of(key)).status_code == 404
            assert at_desk.post(form_of(key), {**ACCEPT, **LINK}).status_code == 404
        assert at_desk.post(form_of(paper), said(at_desk, paper, LINK, act="explode")).status_code == 400
        assert not Decision.objects.exists()

    def test_is_for_reviewers(self, renu: User, niko: User) -> None:
        paper, forged = first("paper"), Client(enforce_csrf_checks=True)
        forged.force_login(renu)
        nobody = Client()
        nobody.force_login(niko)
        for url in ("/admin/desk/add/", form_of(paper)):
            assert Client().get(url)["Location"].startswith("/admin/login/?next=")
            assert nobody.get(url).status_code == nobody.post(url, {**ACCEPT, **LINK}).status_code == 403
        assert forged.post(form_of(paper), {**ACCEPT, **LINK}).status_code == 403
        assert record(paper).revision == 0

    def test_pages_are_kept_by_no_cache_and_have_no_styles_of_their_own(self, at_desk: Client, board: Record) -> None:
        for url in ("/admin/desk/add/", form_of(board.key), form_of(first("paper"))):
            answer = at_desk.get(url)
            assert answer.status_code == 200 and answer["Cache-Control"] == "private, no-store"
            assert "<style" not in answer.content.decode() and "style=" not in answer.content.decode()
