"""The page of one row of a leaderboard, through the reader's door."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.importers.run import Source, import_archive
from archive.models import Record, Result
from tests.archive import boards
from tests.archive.conftest import Importing
from tests.archive.dumps_of_boards import odd_boards
from tests.archive.test_views_leaderboard import BOASTS, RANKS, json_of, text_of

pytestmark = pytest.mark.django_db


def shared_rows(count: int) -> list[boards.Value]:
    """A task with a leaderboard per dataset, each with a row of the same model and paper."""
    rows = [
        boards.row("Twin", {"A": f"{k}"}, paper_title="Twins", paper_url="https://paperswithcode.com/paper/twins")
        for k in range(count)
    ]
    others = [boards.row(f"Other {k}", {"A": "1"}) for k in range(4)]
    tables = [boards.table(f"Set {k:03}", ["A"], [row, *others], f"set-{k:03}") for k, row in enumerate(rows)]
    return [boards.task("Twin task", tables)]


@pytest.fixture(scope="class")
def odd_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Rows with everything that one can have, and that it should not."""
    with imported(boards.write(tmp_path_factory.mktemp("odd") / "dumps", *odd_boards())):
        yield


@pytest.fixture(scope="class")
def twin_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """60 leaderboards with a row of one model and one paper each."""
    folder = tmp_path_factory.mktemp("twins") / "dumps"
    with imported(boards.write(folder, shared_rows(60), [], [boards.paper("twins", "Twins")])):
        yield


@pytest.mark.usefixtures("odd_archive")
class TestRow:
    """What a row says."""

    def test_place_values_and_what_it_lacks(self, client: Client) -> None:
        page = json_of(client, "/sota/odd/row/4")
        assert (page["rank"], page["rows"], page["rank_at_snapshot"]) == (4, 5, "#4 of 5")
        assert page["metrics"] == {"<b>F1</b>": "3", "Only in a row": ""}
        assert [metric["name"] for metric in page["metrics_of_leaderboard"]] == [
            "Accuracy",
            "<b>F1</b>",
            "Only in a row",
        ]
        assert page["model"] is None or page["model"] == ""
        assert page["absent"]["model"]["reason"] == page["absent"]["paper"]["reason"] == "not-in-archive"
        text = text_of(client.get("/sota/odd/row/4").content.decode())
        assert "A row without a model name #4 of 5 at the snapshot of 28 July 2025" in text
        assert "Accuracy not given in this row" in text
        assert "Only in a row empty text" in text

    def test_caveat(self, client: Client) -> None:
        assert json_of(client, "/sota/odd/row/1")["rank_note"] == RANKS
        html = client.get("/sota/odd/row/1").content.decode().replace("&#x27;", "'")
        assert RANKS in text_of(html)

    def test_neighbours(self, client: Client) -> None:
        page = json_of(client, "/sota/odd/row/3")
        assert [row["rank"] for row in page["above"]] == [1, 2]
        assert [row["rank"] for row in page["below"]] == [4, 5]
        assert json_of(client, "/sota/odd/row/1")["above"] == []
        assert json_of(client, "/sota/odd/row/5")["below"] == []

    def test_a_neighbour_set_aside_leaves_a_gap(self, client: Client) -> None:
        Record.objects.filter(key="sota/odd/row/2").update(quarantined="telephone")
        assert [row["rank_at_snapshot"] for row in json_of(client, "/sota/odd/row/3")["above"]] == ["#1 of 5"]

    def test_citation(self, client: Client) -> None:
        page = json_of(client, "/sota/odd/row/2")
        assert page["citation"].endswith(
            "(val): Accuracy 92.5, <b>F1</b> -14.96. Odd task on Odd set, "
            "#2 of 5 at the snapshot of 2025-07-28, not a current standing. "
            "Paper: Nobody has this <i>one</i>. Made-up archive. /sota/odd/row/2"
        )
        html = client.get("/sota/odd/row/2").content.decode()
        assert "#2 of 5 at the snapshot of 2025-07-28, not a current standing" in html
        assert "http://testserver/sota/odd/row/2" in html
        assert page["how_to_cite"] in text_of(html.replace("&#x27;", "'"))

    def test_paper_that_no_record_matches_is_printed(self, client: Client) -> None:
        page = json_of(client, "/sota/odd/row/2")
        assert (page["paper"], page["paper_url"]) == (None, "https://example.org/nobody")
        assert page["absent"]["paper"]["reason"] == "not-matched"
        assert (
            'href="https://example.org/nobody" rel="nofollow ugc noreferrer"'
            in client.get("/sota/odd/row/2").content.decode()
        )

    def test_an_old_address_that_leads_nowhere_here_is_no_link(self, client: Client) -> None:
        Record.objects.filter(key="paper/a-paper").update(withdrawn=True)
        html = client.get("/sota/odd/row/1").content.decode()
        assert 'href="/paper/a-paper"' not in html
        assert "https://paperswithcode.com/paper/a-paper" in html
        assert json_of(client, "/sota/odd/row/1")["absent"]["paper"]["reason"] == "withheld"

    def test_links_are_all_there_and_safe(self, client: Client) -> None:
        page = json_of(client, "/sota/odd/row/1")
        html = client.get("/sota/odd/row/1").content.decode()
        assert page["code_links"][0] == {"title": "bad", "url": "javascript:alert(1)"}
        assert 'href="javascript:' not in html
        for link in [*page["code_links"][1:], *page["model_links"]]:
            assert f'href="{link["url"]}"' in html

    def test_script_and_length(self, client: Client) -> None:
        for number in range(1, 6):
            html = client.get(f"/sota/odd/row/{number}").content.decode()
            assert "<script>alert" not in html
            assert html.count("<h1") == 1
            assert BOASTS.findall(text_of(html)) == []

    def test_it_leads_to_its_line_in_the_table(self, client: Client) -> None:
        assert 'href="/sota/odd#row-3"' in client.get("/sota/odd/row/3").content.decode()
        assert '<tr id="row-3">' in client.get("/sota/odd").content.decode()

    @pytest.mark.parametrize("number", ["0", "01", "6", "x", "-1"])
    def test_only_a_given_number_is_an_address(self, client: Client, number: str) -> None:
        assert client.get(f"/sota/odd/row/{number}").status_code == 404

    def test_states(self, client: Client) -> None:
        Record.objects.filter(key="sota/odd/row/1").update(quarantined="telephone")
        assert json_of(client, "/sota/odd/row/1")["metrics"] is None
        Record.objects.filter(key="sota/odd/row/1").update(quarantined="", withdrawn=True)
        assert client.get("/sota/odd/row/1").status_code == 410


@pytest.mark.usefixtures("twin_archive")
class TestCompany:
    """Rows that share a model's name or a paper."""

    def test_lists_are_capped_and_say_so(self, client: Client) -> None:
        page = json_of(client, "/sota/set-007/row/1")
        for key in ("same_model", "same_paper"):
            assert page[key]["total"] == 59
            assert len(page[key]["shown"]) == 50
            assert page[key]["shown"][0]["row"] == "/sota/set-000/row/1"
            assert "/sota/set-007/row/1" not in [row["row"] for row in page[key]["shown"]]
        assert page["same_model"]["shown"][3]["metrics"] == {"A": "3"}
        assert page["same_model"]["shown"][3]["rank_at_snapshot"] == "#1 of 5"
        text = text_of(client.get("/sota/set-007/row/1").content.decode())
        assert "The first 50 of 59 rows with the same model name" in text
        assert "The first 50 of 59 rows of the same paper" in text

    def test_rows_set_aside_are_not_company(self, client: Client) -> None:
        Record.objects.filter(key="sota/set-000/row/1").update(withdrawn=True)
        Record.objects.filter(key="sota/set-001").update(quarantined="telephone")
        page = json_of(client, "/sota/set-007/row/1")
        assert page["same_model"]["total"] == page["same_paper"]["total"] == 57

    def test_a_name_that_only_sorts_alike_is_another(self, client: Client) -> None:
        Result.objects.filter(record__key="sota/set-000/row/1").update(model_name="TWIN")
        page = json_of(client, "/sota/set-007/row/1")
        assert (page["same_model"]["total"], page["same_paper"]["total"]) == (58, 59)

    @pytest.mark.parametrize(
        ("address", "queries"),
        [
            ("/sota/set-007/row/1", 9),
            ("/sota/set-007/row/1.json", 9),
            ("/sota/set-007/row/3", 8),  # without a paper
        ],
    )
    def test_queries(
        self, client: Client, address: str, queries: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(queries):
            assert client.get(address).status_code == 200


def test_a_row_that_a_later_snapshot_lacks(client: Client, tmp_path: Path) -> None:
    def tasks(*models: str) -> list[boards.Value]:
        rows: list[Any] = [boards.row(model, {"A": "1"}) for model in models]
        return [boards.task("T", [boards.table("D", ["A"], rows, "t-on-d")])]

    for name, snapshot, content in [
        ("first", "2025-07-28", tasks("One", "Two", "Three")),
        ("next", "2025-09-01", tasks("New", "Three", "One")),
    ]:
        folder = boards.write(tmp_path / name, content, snapshot=snapshot)
        import_archive([folder], Source.beside([folder]))

    gone = json_of(client, "/sota/t-on-d/row/2")
    assert (gone["model"], gone["rank"], gone["rank_at_snapshot"]) == ("Two", None, None)
    assert gone["absent"]["rank"] == {"reason": "no-rank", "sentence": "No rank: the row is not in the snapshot."}
    assert gone["record"]["dropped_in"] == "2025-09-01"
    assert (gone["above"], gone["below"]) == ([], [])
    assert "not in the newest snapshot" in gone["citation"]
    html = client.get("/sota/t-on-d/row/2").content.decode()
    assert "No rank: the row is not in the snapshot." in text_of(html)
    assert re.search(r"#\d+ of \d+", text_of(html)) is None

    board = json_of(client, "/sota/t-on-d")
    assert [(row["number"], row["model"], row["rank_at_snapshot"]) for row in board["results"]] == [
        (4, "New", "#1 of 3"),
        (3, "Three", "#2 of 3"),
        (1, "One", "#3 of 3"),
        (2, "Two", None),
    ]
