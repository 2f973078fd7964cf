"""The leaderboard page, its JSON and its CSV, through the reader's door."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from archive.exporters.leaderboard_csv import safe
from archive.models import Leaderboard, Record, Result, ResultMetric
from tests.archive import boards
from tests.archive.conftest import Importing
from tests.archive.dumps_of_boards import HOSTILE, big_board, odd_boards

pytestmark = pytest.mark.django_db

RANKS = (
    "Ranks are positions in the archive's leaderboards as they stood at the 2025-07-28 snapshot. "
    "Results published since then are not among these rows, so a rank here is not a current standing."
)
BOASTS = re.compile(r"\b(sota|best|state[ -]of[ -]the[ -]art)\b", re.IGNORECASE)


def text_of(html: str) -> str:
    """What a reader sees of a page but for addresses, blanks drawn together."""
    seen = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    return " ".join(word for word in strip_tags(seen).split() if "sota/" not in word)


def json_of(client: Client, address: str) -> dict[str, Any]:
    page: dict[str, Any] = client.get(f"{address}.json").json()
    return page


def rows_of_csv(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(f"{address}.csv")
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


@pytest.fixture(scope="class")
def odd_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Leaderboards with everything that a table can have, and that it should not."""
    with imported(boards.write(tmp_path_factory.mktemp("odd") / "dumps", *odd_boards())):
        yield


@pytest.fixture(scope="class")
def big_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A leaderboard of 900 rows and 40 metrics."""
    with imported(boards.write(tmp_path_factory.mktemp("big") / "dumps", *big_board())):
        yield


@pytest.mark.usefixtures("seed_archive")
class TestSeed:
    """What the seed documents show of leaderboards."""

    def test_ranks_of_the_paper(self, client: Client) -> None:
        board = Result.objects.get(model_name="Divter").leaderboard.record.path
        ranked = {row["model"]: row["rank_at_snapshot"] for row in json_of(client, board)["results"]}
        assert (ranked["Divter"], ranked["DE++"]) == ("#2 of 4", "#3 of 4")

    def test_values_are_verbatim_texts(self, client: Client) -> None:
        (row,) = json_of(client, "/sota/visual-dialog-on-convai2")["results"]
        assert row["metrics"] == {"BLEU-4": "1.1", "F1": "18.4", "ROUGE-L": "22.6"}
        assert row["model"] == "Multi-Modal BlenderBot"


@pytest.mark.usefixtures("tiny_archive")
class TestRanksAndOrder:
    """Ranks are positions at the snapshot, told with what they are not; nothing re-ranks a row."""

    ADDRESS = "/sota/object-detection-on-coco"

    def test_rows_come_by_position_and_not_by_value(self, client: Client) -> None:
        board = Leaderboard.objects.get(record__key=self.ADDRESS[1:])
        rows = list(board.results.order_by("position"))
        last = len(rows)
        Result.objects.filter(pk=rows[0].pk).update(position=last + 1)
        ranked = [row["model"] for row in json_of(client, self.ADDRESS)["results"]]
        assert ranked == [row.model_name for row in [*rows[1:], rows[0]]]

    def test_a_value_that_would_win_moves_no_row_and_no_rank(self, client: Client) -> None:
        before = json_of(client, self.ADDRESS)["results"]
        own = ResultMetric.objects.filter(result__leaderboard__record__key=self.ADDRESS[1:], metric__position=0)
        last = own.latest("result__position")
        own.filter(result=last.result_id).update(value="9999", number=9999)
        after = json_of(client, self.ADDRESS)
        ranks = [(row["row"], row["rank_at_snapshot"]) for row in after["results"]]
        assert ranks == [(row["row"], row["rank_at_snapshot"]) for row in before]
        assert "against-direction" in [note["kind"] for note in after["order_notes"]]

    def test_every_face_gives_the_same_rank(self, client: Client) -> None:
        page = json_of(client, self.ADDRESS)
        html = client.get(self.ADDRESS).content.decode()
        shown = re.findall(r'<td class="board__rank">(#\d+ of \d+)</td>', html)
        lines = rows_of_csv(client, self.ADDRESS)
        in_csv = [f"#{line['rank_at_snapshot']} of {line['rows_at_snapshot']}" for line in lines]
        own = [json_of(client, row["row"])["rank_at_snapshot"] for row in page["results"]]
        assert (
            [row["rank_at_snapshot"] for row in page["results"]]
            == shown
            == in_csv
            == own
            == [f"#{k} of {page['row_count']}" for k in range(1, page["row_count"] + 1)]
        )
        assert len(shown) >= 4

    def test_no_rank_without_its_caveat(self, client: Client) -> None:
        assert RANKS in text_of(client.get(self.ADDRESS).content.decode().replace("&#x27;", "'"))
        assert json_of(client, self.ADDRESS)["rank_note"] == RANKS
        assert "Rank at snapshot" in client.get(self.ADDRESS).content.decode()
        for row in rows_of_csv(client, self.ADDRESS):
            assert row["note"] == "positions at the snapshot of 2025-07-28, not a current standing"

    def test_the_note_on_order_is_the_archive_s_own(self, client: Client) -> None:
        sentence = "rows are the archive's own order at snapshot; nothing here re-ranks them"
        assert json_of(client, self.ADDRESS)["note"] == sentence

    @pytest.mark.parametrize("kind", ["quarantined", "withdrawn"])
    def test_a_row_set_aside_leaves_the_other_ranks_alone(self, client: Client, kind: str) -> None:
        before = json_of(client, self.ADDRESS)
        gone = before["results"][1]["row"][1:]
        change: dict[str, Any] = {"quarantined": "telephone"} if kind == "quarantined" else {"withdrawn": True}
        Record.objects.filter(key=gone).update(**change)
        after = json_of(client, self.ADDRESS)
        kept = [row["rank_at_snapshot"] for row in before["results"] if row["row"][1:] != gone]
        assert [row["rank_at_snapshot"] for row in after["results"]] == kept
        assert (after["row_count"], after["rows_not_shown"]) == (before["row_count"], 1)
        assert "1 of them is set aside or withdrawn" in text_of(client.get(self.ADDRESS).content.decode())

    def test_no_row_is_called_what_only_a_current_one_could_be(self, client: Client) -> None:
        for board in Leaderboard.objects.select_related("record"):
            assert BOASTS.findall(text_of(client.get(board.record.path).content.decode())) == []


@pytest.mark.usefixtures("tiny_archive")
class TestDropped:
    """A row that a later snapshot lacks."""

    def test_a_dropped_row_comes_last_without_a_rank(self, client: Client) -> None:
        board = Leaderboard.objects.get(record__key="sota/object-detection-on-coco")
        rows = list(board.results.order_by("position"))
        Result.objects.filter(pk=rows[0].pk).update(position=None)
        Record.objects.filter(pk=rows[0].pk).update(dropped_in="2025-09-01")
        last = json_of(client, "/sota/object-detection-on-coco")["results"][-1]
        assert (last["row"], last["rank"], last["rank_at_snapshot"]) == (f"/{rows[0].record.key}", None, None)
        assert last["absent"]["rank"] == {
            "reason": "no-rank",
            "sentence": "No rank: the row is not in the snapshot.",
        }
        assert last["dropped_in"] == "2025-09-01"
        assert "none: not in the snapshot of 1 September 2025" in text_of(
            client.get("/sota/object-detection-on-coco").content.decode()
        )
        line = rows_of_csv(client, "/sota/object-detection-on-coco")[-1]
        assert (line["rank_at_snapshot"], line["rows_at_snapshot"], line["dropped_in"]) == ("", "", "2025-09-01")


@pytest.mark.usefixtures("odd_archive")
class TestOddBoards:
    """Hostile and poor content."""

    def test_script_is_text(self, client: Client) -> None:
        html = client.get("/sota/odd").content.decode()
        assert "<script>alert" not in html
        assert "<img" not in html
        assert 'href="javascript:' not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html

    def test_names_of_other_scripts_keep_to_themselves(self, client: Client) -> None:
        html = client.get("/sota/odd").content.decode()
        assert f'dir="auto">{HOSTILE["rtl"]} (val)</a>' in html

    def test_values_are_what_the_dump_has(self, client: Client) -> None:
        results = json_of(client, "/sota/odd")["results"]
        assert [row["metrics"] for row in results][:3] == [
            {"Accuracy": "92.5%", "<b>F1</b>": "−14.96"},
            {"Accuracy": "92.5", "<b>F1</b>": "-14.96"},
            {"Accuracy": '=HYPERLINK("http://x.example")', "<b>F1</b>": " 1 \r\n2 "},
        ]
        assert "<bdi>92.5%</bdi>" in client.get("/sota/odd").content.decode()

    def test_notes(self, client: Client) -> None:
        kinds = [note["kind"] for note in json_of(client, "/sota/odd")["order_notes"]]
        assert kinds == [
            "ties",
            "no-first-metric",
            "not-a-number",
            "mixed-notation",
            "mixed-splits",
            "mixed-training-data",
        ]
        html = client.get("/sota/odd").content.decode()
        assert re.findall(r'data-note="([a-z-]+)"', html) == kinds

    def test_directions_are_told_with_where_they_are_known_from(self, client: Client) -> None:
        accuracy, f1 = json_of(client, "/sota/odd")["metrics"][:2]
        assert accuracy["direction"] == f1["direction"] == "higher"
        assert accuracy["known_from"] in ("a table of known metrics", "the metric’s name")
        assert "higher is better" in client.get("/sota/odd").content.decode()

    def test_the_chart_shows_the_metric_asked_for(self, client: Client) -> None:
        assert json_of(client, "/sota/odd")["metric_over_time"]["metric"] == "Accuracy"
        response = client.get("/sota/odd?metric=%3Cb%3EF1%3C/b%3E&view=snapshot")
        page = response.context["page"]
        assert page.metric_over_time.metric == "<b>F1</b>"
        assert page.canonical_url == "/sota/odd"
        assert page.csv_url == "/sota/odd.csv?view=snapshot"
        assert page.json_url == "/sota/odd.json?metric=%3Cb%3EF1%3C%2Fb%3E&view=snapshot"
        assert client.get(page.json_url).json()["metric_over_time"]["metric"] == "<b>F1</b>"
        chosen = {name: (url, shown) for name, url, shown in page.metric_choices}
        assert chosen["Accuracy"] == ("?view=snapshot&metric=Accuracy", False)
        assert chosen["<b>F1</b>"][1]
        html = response.content.decode()
        assert 'href="?view=snapshot&amp;metric=Accuracy#over-time"' in html

    @pytest.mark.parametrize("address", ["/sota/odd?metric=nobody", "/sota/odd.json?metric="])
    def test_a_metric_that_is_not_there_is_told(self, client: Client, address: str) -> None:
        response = client.get(address)
        assert response.status_code == 400
        assert "has no metric" in response.content.decode()

    def test_metrics_that_only_rows_use_come_behind_the_list(self, client: Client) -> None:
        metrics = json_of(client, "/sota/odd")["metrics"]
        assert [(metric["name"], metric["in_archive_list"]) for metric in metrics] == [
            ("Accuracy", True),
            ("<b>F1</b>", True),
            ("Only in a row", False),
        ]

    def test_papers_are_linked_or_printed(self, client: Client) -> None:
        rows = json_of(client, "/sota/odd")["results"]
        assert (rows[0]["paper"], rows[0]["paper_title"]) == ("/paper/a-paper", "A paper")
        assert (rows[1]["paper"], rows[1]["absent"]["paper"]["reason"]) == (None, "not-matched")
        assert rows[1]["paper_date_precision"] == "year"
        assert (rows[2]["paper"], rows[2]["absent"]["paper"]["reason"]) == (None, "not-in-archive")

    def test_a_paper_that_is_set_aside_is_printed_only(self, client: Client) -> None:
        Record.objects.filter(key="paper/a-paper").update(quarantined="telephone")
        row = json_of(client, "/sota/odd")["results"][0]
        assert (row["paper"], row["paper_title"]) == (None, "A paper")
        assert row["absent"]["paper"]["reason"] == "quarantined"
        assert 'href="/paper/a-paper"' not in client.get("/sota/odd").content.decode()

    def test_many_links_are_cut_in_the_table_and_whole_in_the_json(self, client: Client) -> None:
        row = json_of(client, "/sota/odd")["results"][0]
        assert [len(row["code_links"]), len(row["model_links"])] == [4, 1]
        assert "3 more links of" in text_of(client.get("/sota/odd").content.decode())

    def test_a_dataset_without_a_name_and_a_task_without_one(self, client: Client) -> None:
        nameless = Leaderboard.objects.get(task__name="")
        page = json_of(client, nameless.record.path)
        assert page["name"] == "A task without a name on a dataset without a name"
        assert page["absent"]["dataset"]["reason"] == page["absent"]["dataset_variant"]["reason"] == "not-in-archive"
        assert page["absent"]["results"]["sentence"] == "The archive gives no row."
        html = client.get(nameless.record.path).content.decode()
        assert "<h1" in html and "The archive gives no row." in html

    def test_dataset_and_relatives(self, client: Client) -> None:
        page = json_of(client, "/sota/odd")
        assert page["dataset"] == {"name": "Odd set", "url": "/dataset/odd-set", "matched_by": "name"}
        assert [part["dataset_variant"] for part in page["subdatasets"]] == ["Odd set (French)"]
        part = json_of(client, page["subdatasets"][0]["leaderboard"])
        assert part["parent"]["leaderboard"] == "/sota/odd"
        assert [board["leaderboard"] for board in page["same_dataset"]["shown"]] == ["/sota/other-task-on-odd-set"]
        assert page["same_task"]["total"] == 26
        assert len(page["same_task"]["shown"]) == 20
        assert "The first 20 of 26 in archive order" in text_of(client.get("/sota/odd").content.decode())
        assert page["dataset_citations"] == [{"title": "Cited", "url": "https://example.org/cited"}]

    def test_a_dataset_that_is_set_aside_is_printed_only(self, client: Client) -> None:
        Record.objects.filter(key="dataset/odd-set").update(withdrawn=True)
        page = json_of(client, "/sota/odd")
        assert (page["dataset"], page["dataset_variant"]) == (None, "Odd set")
        assert page["absent"]["dataset"]["reason"] == "quarantined"
        assert "/dataset/odd-set" not in client.get("/sota/odd").content.decode()

    def test_the_description_is_markdown(self, client: Client) -> None:
        page = json_of(client, "/sota/odd")
        assert page["description_markdown"] == "On **odd** things.\r\n\r\nMore."
        assert "<strong>odd</strong>" in client.get("/sota/odd").content.decode()

    def test_every_cell_has_its_head(self, client: Client) -> None:
        html = client.get("/sota/odd").content.decode()
        table = html[html.index('<table class="board">') : html.index("</table>")]
        heads = table[: table.index("</thead>")].count("<th ")
        for line in re.findall(r"<tr id=.*?</tr>", table, re.DOTALL):
            assert line.count("<td") + line.count("<th") == heads
        assert table.count("<caption") == 1
        assert re.search(r'role="region" aria-labelledby="results-caption" tabindex="0"', html)

    def test_set_aside_it_shows_nothing_outside_its_fold(self, client: Client) -> None:
        Record.objects.filter(key="sota/odd").update(quarantined="telephone")
        assert json_of(client, "/sota/odd")["results"] is None
        assert client.get("/sota/odd").status_code == 200
        assert client.get("/sota/odd.csv").status_code == 404

    def test_withdrawn_and_merged(self, client: Client) -> None:
        target = Record.objects.get(key="sota/other-task-on-odd-set")
        Record.objects.filter(key="sota/odd").update(merged_into=target)
        for ending in ("", ".json", ".csv"):
            response = client.get(f"/sota/odd{ending}")
            assert (response.status_code, response["Location"]) == (301, f"/{target.key}{ending}")
        Record.objects.filter(key="sota/odd").update(merged_into=None, withdrawn=True)
        assert [client.get(f"/sota/odd{ending}").status_code for ending in ("", ".json", ".csv")] == [410] * 3

    def test_a_merged_row_s_paper_is_not_linked(self, client: Client) -> None:
        target = Record.objects.get(key="paper/another-paper")
        Record.objects.filter(key="paper/a-paper").update(merged_into=target)
        assert json_of(client, "/sota/odd")["results"][0]["paper"] is None


@pytest.mark.usefixtures("odd_archive")
class TestCsv:
    """The rows for a spreadsheet."""

    def test_head_and_name(self, client: Client) -> None:
        response = client.get("/sota/odd.csv")
        content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        assert response["Content-Disposition"] == 'attachment; filename="odd.csv"'
        assert content.split(b"\r\n", 1)[0].decode() == (
            "rank_at_snapshot,rows_at_snapshot,model,paper_title,paper,paper_url,paper_date,"
            "Accuracy,<b>F1</b>,Only in a row,"
            "uses_additional_data,open_reports,row,dropped_in,added_by_decision,snapshot,archive,licence,note"
        )
        assert content.endswith(b"\r\n")

    def test_lines(self, client: Client) -> None:
        first, second, third, *_ = rows_of_csv(client, "/sota/odd")
        assert (first["rank_at_snapshot"], first["rows_at_snapshot"], first["Accuracy"]) == ("1", "5", "92.5%")
        assert (first["<b>F1</b>"], second["<b>F1</b>"]) == ("−14.96", "-14.96")
        assert third["Accuracy"] == '\'=HYPERLINK("http://x.example")'
        assert third["<b>F1</b>"] == " 1 \r\n2 "
        assert first["paper"] == "http://testserver/paper/a-paper"
        assert first["row"] == "http://testserver/sota/odd/row/1"
        assert (second["paper"], second["paper_date"]) == ("", "2020")
        assert [first["uses_additional_data"], second["uses_additional_data"]] == ["true", "false"]
        assert {row["snapshot"] for row in (first, second)} == {"2025-07-28"}
        assert (first["archive"], first["licence"]) == ("Made-up archive", "CC BY-SA 4.0")

    @pytest.mark.parametrize(
        "cell",
        ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-x", "+", "-1|cmd", "--1", "-1e", "＝1"],
    )
    def test_formulas_get_an_apostrophe(self, cell: str) -> None:
        assert safe(cell) == f"'{cell}"

    @pytest.mark.parametrize(
        "cell", ["-14.96", "\u221214.96", "+1.2", "-", "-1,234.5", "-.5", "-1e-5", "-3%", "1=1", "", "a@b", "'x"]
    )
    def test_numbers_and_texts_stay(self, cell: str) -> None:
        assert safe(cell) == cell

    def test_a_metric_s_name_is_no_formula_either(self, client: Client) -> None:
        response = client.get("/sota/formulas.csv")
        content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
        assert b",'=A1,'@B,uses_additional_data" in content

    @pytest.mark.parametrize(("method", "status"), [("post", 405), ("head", 200)])
    def test_methods(self, client: Client, method: str, status: int) -> None:
        assert getattr(client, method)("/sota/odd.csv").status_code == status

    def test_no_such_leaderboard(self, client: Client) -> None:
        assert client.get("/sota/nothing.csv").status_code == 404


@pytest.mark.usefixtures("odd_archive", "db")
class TestCounts:
    """A page is made in a fixed number of queries."""

    @pytest.mark.parametrize("address", ["/sota/odd", "/sota/odd.json", "/sota/odd.csv"])
    def test_small(self, client: Client, address: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(10):
            assert client.get(address).status_code == 200


@pytest.mark.usefixtures("big_archive")
class TestBig:
    """900 rows of 40 metrics: whole, in as many queries as a small one."""

    @pytest.mark.parametrize("address", ["/sota/big", "/sota/big.json", "/sota/big.csv"])
    def test_queries_and_time(
        self, client: Client, address: str, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        start = time.process_time()
        with django_assert_num_queries(10):
            response = client.get(address)
            size = len(response.getvalue())
        assert size > 100_000
        assert time.process_time() - start < 3  # seconds; under one on an idle machine, see the benchmarks

    def test_all_of_it_is_there(self, client: Client) -> None:
        page = json_of(client, "/sota/big")
        assert len(page["results"]) == page["row_count"] == 900
        assert len(page["metrics"]) == 40
        assert client.get("/sota/big").content.count(b'<td class="number">') == 36_000
        assert len(rows_of_csv(client, "/sota/big")) == 900
