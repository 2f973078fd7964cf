"""Pages with values that nobody is shown, and with records that a decision added, in every view."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from archive.models import Dataset
from corrections.decisions import Addition, decide
from corrections.models import Decision
from corrections.sealing import seal
from corrections.withholding import withhold
from tests.corrections.reading import (
    BLEU,
    BOARD,
    DATASET,
    PAPER,
    ROW,
    TASK,
    Clock,
    as_of,
    correct,
    page,
    ranks,
    table,
    text,
)
from tests.corrections.rulings import accepted, wanting


class TestHidden:
    """Texts that nobody is shown, at any date."""

    TEXT = "Shared-task data for translation"

    @pytest.fixture
    def withheld(self, edda: User, on_day: Clock) -> Decision:
        on_day(2)
        made = withhold(DATASET, "description", "The rights holder asks for it.", edda)
        on_day(4)
        return made

    def test_withheld(self, client: Client, withheld: Decision) -> None:
        reason = f"Withheld by decision #{withheld.number}: The rights holder asks for it."
        for view in ("", "?view=snapshot", as_of(1), as_of(3)):
            told = page(client, DATASET, view)
            assert told["description_markdown"] is None
            assert told["description_withheld"] == reason
            assert told["absent"]["description_markdown"] == {"reason": "withheld", "sentence": reason}
            html = text(client, DATASET, view)
            assert f'<p class="notice notice--withheld">{reason}</p>' in html
            assert self.TEXT not in html

    def test_withheld_is_nowhere_in_search(self, client: Client, edda: User) -> None:
        description = Dataset.objects.get(record__key=DATASET).description
        assert description
        word = max((word for word in description.split() if word.isalpha()), key=len)
        before = client.get(f"/search.json?q={word}").content.decode()
        withhold(DATASET, "description", "Rights.", edda)
        after = client.get(f"/search.json?q={word}").content.decode()
        assert f"/{DATASET}" in before
        assert f"/{DATASET}" not in after

    def test_a_sealed_value_is_not_told_of_any_day(self, client: Client, edda: User, on_day: Clock) -> None:
        for day, name in ((2, "Old Name"), (4, "New Name")):
            on_day(day)
            number = correct(edda, PAPER, "authors", [name]).number
        seal(number, "A name change.", edda, cells=[(PAPER, "authors")])
        on_day(6)
        assert [author["name"] for author in page(client, PAPER)["authors"]] == ["New Name"]
        assert [author["name"] for author in page(client, PAPER, as_of(5))["authors"]] == ["New Name"]
        for view in ("?view=snapshot", as_of(1), as_of(3)):
            told = page(client, PAPER, view)
            assert told["authors"] == []
            assert told["absent"]["authors"]["reason"] == "withheld"
            assert "Sealed by decision" in told["absent"]["authors"]["sentence"]
            html = text(client, PAPER, view)
            assert "Old Name" not in html
            assert "Ashish Vaswani" not in html.split("<main")[1].split("</header>")[0]

    def test_a_sealed_name_of_a_task(self, client: Client, edda: User, on_day: Clock) -> None:
        on_day(2)
        number = correct(edda, TASK, "name", "Renamed").number
        seal(number, "Personal data.", edda, cells=[(TASK, "name")])
        assert page(client, TASK, "?view=snapshot")["name"] == ""
        assert "A task without a name" in text(client, TASK, "?view=snapshot")

    def test_a_withheld_text_of_a_leaderboard(self, client: Client, edda: User) -> None:
        correct(edda, BOARD, "description", "Somebody’s own text.")
        withhold(BOARD, "description", "Personal data.", edda)
        for view in ("", "?view=snapshot"):
            html = text(client, BOARD, view)
            assert "Somebody" not in html
            assert "Personal data." in html

    def test_a_withheld_cell_of_a_row(self, client: Client, edda: User) -> None:
        number = withhold(ROW, "model_name", "Personal data.", edda).number
        for view in ("", "?view=snapshot"):
            row = page(client, BOARD, view)["results"][1]
            assert row["model"] is None
            assert row["absent"]["model"]["reason"] == "withheld"
            assert f'not shown, see <a href="/corrections/{number}">' in text(client, BOARD, view)

    def test_a_withdrawn_record_stays_a_tombstone(self, client: Client, renu: User, otto: User, on_day: Clock) -> None:
        on_day(2)
        decide(accepted(wanting(ROW, "withdrawn", True)), renu, second_reader=otto)
        on_day(4)
        for view in ("", "?view=snapshot", as_of(1)):
            assert client.get(f"/{ROW}{view}").status_code == 410
            board = page(client, BOARD, view)
            assert ranks(board) == [(f"/{BOARD}/row/1", "#1 of 3"), (f"/{BOARD}/row/3", "#3 of 3")]
            assert board["rows_not_shown"] == 1
        assert "records that were withdrawn stay hidden" in page(client, BOARD, as_of(1))["view"]["note"]


class TestAdded:
    """A row and a code link that a decision added on day 2."""

    @pytest.fixture
    def number(self, renu: User, on_day: Clock) -> int:
        on_day(2)
        row = Addition(BOARD, {"model_name": "A new model", BLEU: "30.1", "paper": PAPER})
        link = Addition(PAPER, {"repo_url": "https://github.com/new/repository"})
        made = decide(accepted(additions=[row, link]), renu)
        on_day(4)
        return made.number

    @pytest.mark.parametrize("view", ["", as_of(2)])
    def test_comes_last_without_a_rank(self, client: Client, number: int, view: str) -> None:
        board = page(client, BOARD, view)
        assert ranks(board)[:3] == [(f"/{BOARD}/row/{row}", f"#{row} of 3") for row in (1, 2, 3)]
        last = board["results"][3]
        assert (last["model"], last["rank"], last["added_by"], last["rows"]) == ("A new model", None, number, 3)
        assert last["absent"]["rank"]["reason"] == "no-rank"
        assert f"added by decision #{number}" in last["absent"]["rank"]["sentence"]
        assert board["row_count"] == 3
        line = table(client, view)[3]
        assert (line["rank_at_snapshot"], line["added_by_decision"]) == ("", str(number))
        assert f'added by decision <a href="/corrections/{number}">#{number}</a>' in text(client, BOARD, view)

    def test_is_told_once_and_not_cell_by_cell(self, client: Client, number: int) -> None:
        told = page(client, BOARD)["corrections"]
        assert [(cell["record"], cell["field"], cell["snapshot"], cell["current"]) for cell in told] == [
            (f"{BOARD}/row/4", "exists", False, True)
        ]
        assert "BLEU score (snapshot)" not in table(client)[0]

    def test_its_own_page(self, client: Client, number: int) -> None:
        told = page(client, f"{BOARD}/row/4")
        assert (told["rank"], told["added_by"]) == (None, number)
        html = text(client, f"{BOARD}/row/4")
        assert f'<a href="/corrections/{number}">#{number}</a>' in html
        assert "no dump: added by a decision" in html

    def test_a_later_correction_of_it_is_one(self, client: Client, number: int, renu: User) -> None:
        later = correct(renu, f"{BOARD}/row/4", BLEU, "30.2").number
        told = [cell for cell in page(client, f"{BOARD}/row/4")["corrections"] if cell["field"] == BLEU]
        assert [(cell["snapshot"], cell["current"], cell["decision"]) for cell in told] == [(None, "30.2", later)]
        assert page(client, f"{BOARD}/row/4", as_of(3))["metrics"] == {"BLEU score": "30.1"}

    def test_on_the_page_of_its_paper(self, client: Client, number: int) -> None:
        told = page(client, PAPER)
        assert told["results"][-1]["added_by"] == number
        assert (told["code"][-1]["url"], told["code"][-1]["added_by"]) == ("https://github.com/new/repository", number)
        assert "added by decision" in text(client, PAPER)

    @pytest.mark.parametrize("view", ["?view=snapshot", as_of(1)])
    def test_is_absent_before(self, client: Client, number: int, view: str) -> None:
        assert len(page(client, BOARD, view)["results"]) == len(table(client, view)) == 3
        assert page(client, BOARD, view)["corrections"] == []
        told = page(client, PAPER, view)
        assert {each["added_by"] for each in (*told["results"], *told["code"])} == {None}
        assert f"/{BOARD}/row/4" not in text(client, BOARD, view)
        response = client.get(f"/{BOARD}/row/4.json{view}")
        assert response.status_code == 404
        assert f"added by decision #{number}" in response.json()["error"]["message"]


def test_an_idempotent_import_keeps_the_added_row_last(client: Client, renu: User) -> None:
    decide(accepted(additions=[Addition(BOARD, {"model_name": "A new model"})]), renu)
    call_command("import_archive", "tests/data/tiny", "--quiet")
    assert ranks(page(client, BOARD))[-1] == (f"/{BOARD}/row/4", None)
