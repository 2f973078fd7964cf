"""Pages of records in their views: what stands now, the snapshot, and the end of a day, in real transactions."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive.models import Dataset
from archive.pages.view import View
from corrections.correctable import Value
from corrections.decisions import Addition, decide, revert
from corrections.models import Decision
from corrections.sealing import seal
from corrections.withholding import withhold
from tests.corrections.rulings import accepted, wanting

BOARD = "sota/machine-translation-on-wmt2014-english-german"
ROW = f"{BOARD}/row/2"
DATASET = "dataset/wmt-2014"
PAPER = "paper/attention-is-all-you-need"
TASK = "task/object-detection"
METHOD = "method/resnet"
BLEU = "metrics.BLEU score"

NOW = datetime.datetime.now(datetime.UTC)
DAYS = [(NOW + datetime.timedelta(days=days)).date() for days in range(12)]
"""Days from the import on; a test moves the clock, so that none of them is in the future."""

Clock = Callable[[int], None]


@pytest.fixture
def on_day(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the clock to noon, so many days after the import."""

    def set_to(days: int) -> None:
        noon = datetime.datetime.combine(DAYS[days], datetime.time(12), datetime.UTC)
        monkeypatch.setattr("django.utils.timezone.now", lambda: noon)

    return set_to


def page(client: Client, key: str, view: str = "") -> Any:
    """The JSON of a page."""
    response = client.get(f"/{key}.json{view}")
    assert response.status_code == 200, response.content
    return response.json()


def queries(client: Client, key: str, view: str = "") -> int:
    """The number of queries that the JSON of a page costs."""
    with CaptureQueriesContext(connection) as asked:
        page(client, key, view)
    return len(asked)


def text(client: Client, key: str, view: str = "") -> str:
    """The HTML of a page."""
    response = client.get(f"/{key}{view}")
    assert response.status_code == 200, response.content
    return response.content.decode()


def table(client: Client, view: str = "") -> list[dict[str, str]]:
    """The CSV of the leaderboard."""
    content = b"".join(client.get(f"/{BOARD}.csv{view}").streaming_content)  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(content.decode())))


def correct(reader: User, key: str, field: str, value: Value) -> Decision:
    """Decide that a field has a value."""
    return decide(accepted(wanting(key, field, value)), reader)


def as_of(days: int) -> str:
    """The view of a day."""
    return f"?as_of={DAYS[days]}"


def ranks(board: Any) -> list[tuple[str, str | None]]:
    """By row: its rank in words."""
    return [(row["row"], row["rank_at_snapshot"]) for row in board["results"]]


class TestCorrectedRow:
    """A value of a row corrected on day 2 and again on day 4."""

    @pytest.fixture
    def numbers(self, renu: User, on_day: Clock) -> list[int]:
        made = []
        for day, value in ((2, "27.1"), (4, "27.5")):
            on_day(day)
            made.append(correct(renu, ROW, BLEU, value).number)
        on_day(6)
        return made

    @pytest.mark.parametrize(
        ("view", "value"),
        [("", "27.5"), ("?view=snapshot", "27.3"), (as_of(1), "27.3"), (as_of(3), "27.1"), (as_of(4), "27.5")],
    )
    def test_json_csv_and_pages_agree(self, client: Client, numbers: list[int], view: str, value: str) -> None:
        before = {key: page(client, key, view) for key in (BOARD, ROW, PAPER)}
        assert before[BOARD]["results"][1]["metrics"]["BLEU score"] == value
        assert before[ROW]["metrics"]["BLEU score"] == value
        assert f"BLEU score {value}" in before[ROW]["citation"]
        result = next(row for row in before[PAPER]["results"] if row["row"] == f"/{ROW}")
        assert result["metrics"]["BLEU score"] == value
        assert table(client, view)[1]["BLEU score"] == value
        assert f"<bdi>{value}</bdi>" in text(client, BOARD, view)
        assert f'<bdi class="verbatim">{value}</bdi>' in text(client, ROW, view)

    def test_ranks_never_move(self, client: Client, numbers: list[int]) -> None:
        expected = [(f"/{BOARD}/row/{number}", f"#{number} of 3") for number in (1, 2, 3)]
        for view in ("", "?view=snapshot", as_of(1), as_of(3), as_of(5)):
            assert ranks(page(client, BOARD, view)) == expected
            assert [line["rank_at_snapshot"] for line in table(client, view)] == ["1", "2", "3"]

    def test_corrections_are_those_of_the_view(self, client: Client, numbers: list[int]) -> None:
        first, second = numbers
        found = {
            view: [tuple(cell[key] for key in ("snapshot", "current", "decision")) for cell in told["corrections"]]
            for view in ("", "?view=snapshot", as_of(1), as_of(3))
            for told in [page(client, ROW, view)]
        }
        assert found[""] == found["?view=snapshot"] == [("27.3", "27.5", second)]
        assert found[as_of(1)] == []
        assert found[as_of(3)] == [("27.3", "27.1", first)]

    def test_pages_tell_both_values(self, client: Client, numbers: list[int]) -> None:
        assert "corrected since by" in text(client, ROW, "?view=snapshot")
        assert "the snapshot says" in text(client, ROW, as_of(3)).replace("\n", " ")
        assert "corrected by" not in text(client, ROW, as_of(1))

    def test_csv_tells_both_values(self, client: Client, numbers: list[int]) -> None:
        line = table(client)[1]
        assert (line["BLEU score (snapshot)"], line["BLEU score decision"]) == ("27.3", str(numbers[1]))
        assert "BLEU score (snapshot)" not in table(client, as_of(1))[1]
        assert table(client, "?view=snapshot")[1]["note"].endswith("; values without corrections")
        assert table(client, as_of(3))[1]["note"].endswith(f"; values of {DAYS[3]}")

    def test_a_reverted_value_stood_until_then(
        self, client: Client, numbers: list[int], renu: User, on_day: Clock
    ) -> None:
        on_day(7)
        revert(numbers[1], "The table has another.", renu)
        on_day(8)
        values = [page(client, ROW, view)["metrics"]["BLEU score"] for view in ("", as_of(6), as_of(7))]
        assert values == ["27.1", "27.5", "27.1"]

    def test_notes_on_the_order_are_of_the_view(self, client: Client, renu: User, on_day: Clock) -> None:
        on_day(2)
        correct(renu, ROW, BLEU, "28.4")
        on_day(3)
        assert [note["kind"] for note in page(client, BOARD)["order_notes"]].count("ties") == 1
        assert "ties" not in [note["kind"] for note in page(client, BOARD, "?view=snapshot")["order_notes"]]

    def test_a_value_that_the_snapshot_does_not_have(self, client: Client, renu: User, on_day: Clock) -> None:
        on_day(2)
        correct(renu, ROW, "metrics.Number of Params", "65M")
        on_day(3)
        assert page(client, ROW)["metrics"]["Number of Params"] == "65M"
        assert "Number of Params" not in page(client, ROW, as_of(1))["metrics"]
        assert page(client, BOARD, as_of(1))["results"][1]["metrics"] == {"BLEU score": "27.3"}


class TestTheFrame:
    """What a page in a view says of itself."""

    @pytest.fixture(autouse=True)
    def later(self, tiny: None, on_day: Clock) -> None:
        on_day(3)

    def test_every_kind_of_record(self, client: Client) -> None:
        for key in (BOARD, ROW, DATASET, PAPER, TASK, METHOD):
            assert page(client, key)["view"] is None
            for view, name, day in (("?view=snapshot", "snapshot", None), (as_of(1), "as-of", str(DAYS[1]))):
                told = page(client, key, view)
                assert told["url"] == f"/{key}{view}"
                assert (told["view"]["name"], told["view"]["as_of"]) == (name, day)
                html = text(client, key, view)
                assert told["view"]["sentence"] in html
                assert told["view"]["note"] in html
                assert f'<link rel="canonical" href="http://testserver/{key}">' in html
                assert '<meta name="robots" content="noindex">' in html
                response = client.get(f"/{key}.json{view}")
                assert response["X-Robots-Tag"] == "noindex"
                assert response["Link"] == f'</{key}>; rel="canonical"'
                assert client.get(f"/{key}{view}")["Link"].startswith(f"</{key}.json{view}>")

    def test_the_sentence_of_the_snapshot(self, client: Client) -> None:
        sentence = page(client, DATASET, "?view=snapshot")["view"]["sentence"]
        assert sentence.startswith("This is the snapshot of 2025-07-28, without corrections.")

    def test_the_csv_of_a_view(self, client: Client) -> None:
        response = client.get(f"/{BOARD}.csv?view=snapshot")
        assert response["Link"] == f'</{BOARD}>; rel="canonical"'
        assert response["X-Robots-Tag"] == "noindex"
        assert f'href="/{BOARD}.csv?view=snapshot"' in text(client, BOARD, "?view=snapshot")

    def test_what_can_not_be_asked(self, client: Client) -> None:
        for asked, words in (
            (f"as_of={DAYS[4]}", "in the future"),
            ("as_of=2026-02-30", "YYYY-MM-DD"),
            ("as_of=20260201", "YYYY-MM-DD"),
            ("as_of=", "YYYY-MM-DD"),
            ("view=other", "view=snapshot"),
            (f"view=snapshot&as_of={DAYS[1]}", "not for both"),
        ):
            assert client.get(f"/{DATASET}?{asked}").status_code == 400
            assert client.get(f"/{BOARD}.csv?{asked}").status_code == 400
            response = client.get(f"/{DATASET}.json?{asked}")
            assert response.status_code == 400
            assert words in response.json()["error"]["message"]

    def test_lists_have_no_dates(self, client: Client) -> None:
        lists = (
            "/datasets",
            "/papers",
            "/sota",
            "/methods",
            "/tasks",
            "/search",
            "/corrections",
            f"/{DATASET}/history",
        )
        for address in lists:
            assert client.get(f"{address}?as_of={DAYS[1]}").status_code == 400
            response = client.get(f"{address}.json?as_of={DAYS[1]}")
            assert response.status_code == 400
            assert "as_of" in response.json()["error"]["message"]

    def test_a_day_before_anything_was_imported(self, client: Client) -> None:
        response = client.get(f"/{DATASET}.json?as_of=2025-07-28")
        assert response.status_code == 404
        assert "corrigenda-tiny 2025-07-28" in response.json()["error"]["message"]

    def test_a_day_before_the_newest_import_names_the_bundle(self, client: Client) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO archive_importrun (archive, title, licence, snapshot, at, summary) "
                "VALUES ('corrigenda-tiny', 'Tiny', 'CC BY-SA 4.0', '2025-08-28', %s, '{}')",
                [NOW + datetime.timedelta(days=2)],
            )
        response = client.get(f"/{DATASET}.json{as_of(1)}")
        assert response.status_code == 404
        assert "bundle of corrigenda-tiny 2025-07-28" in response.json()["error"]["message"]
        assert client.get(f"/{DATASET}.json{as_of(2)}").status_code == 200


SHAPES: list[tuple[str, str, Value, Callable[[Any], Any]]] = [
    (DATASET, "name", "WMT14", lambda told: told["name"]),
    (DATASET, "introduced_date", "2014-06-26", lambda told: told["introduced_date"]),
    (DATASET, "languages", ["English"], lambda told: told["languages"]),
    (DATASET, "modalities", ["Texts", "Speech"], lambda told: told["modalities"]),
    (DATASET, "tasks", [], lambda told: told["tasks"]),
    (DATASET, "variants", ["WMT"], lambda told: told["variants"]),
    (DATASET, "license_name", "CC0", lambda told: told["license"]["name"]),
    ("dataset/salicon", "tasks", ["Machine Translation"], lambda told: told["tasks"]),
    (PAPER, "title", "Attention", lambda told: told["title"]),
    (PAPER, "authors", ["Ashish Vaswani", "A. New Name"], lambda told: told["authors"]),
    (PAPER, "tasks", ["Object Detection"], lambda told: told["tasks"]),
    (PAPER, "proceeding", "A Workshop", lambda told: told["proceeding"]),
    (PAPER, "date", "2017", lambda told: (told["date"], told["date_precision"])),
    (TASK, "areas", ["Robots"], lambda told: told["areas"]),
    (TASK, "synonyms", ["Detecting"], lambda told: told["synonyms"]),
    (TASK, "name", "Detection of objects", lambda told: told["name"]),
    (METHOD, "introduced_year", 2016, lambda told: told["introduced_year"]),
    (METHOD, "source_title", "A book", lambda told: told["source_link"]["title"]),
    (BOARD, "dataset_name", "WMT14 en-de", lambda told: (told["dataset_variant"], told["order_notes"])),
    (ROW, "model_name", "Base", lambda told: (told["model"], told["citation"].split(":")[0])),
    (ROW, "paper", "paper/long-short-term-memory", lambda told: told["paper"]),
    (ROW, "uses_additional_data", True, lambda told: told["uses_additional_data"]),
]


def test_every_shape_of_value_is_as_it_was(client: Client, renu: User, on_day: Clock) -> None:
    keys = dict.fromkeys(key for key, *_ in SHAPES)
    before = {key: page(client, key) for key in keys}
    on_day(2)
    for key, field, value, _ in SHAPES:
        correct(renu, key, field, value)
    on_day(4)
    views = ("", "?view=snapshot", as_of(1), as_of(2))
    now, snapshot, first, second = ({key: page(client, key, view) for key in keys} for view in views)
    for key, field, _, shown in SHAPES:
        assert shown(now[key]) != shown(before[key]), (key, field)
        assert shown(snapshot[key]) == shown(first[key]) == shown(before[key]), (key, field)
        assert shown(second[key]) == shown(now[key]), (key, field)


def test_a_view_costs_no_more_queries(client: Client, renu: User, on_day: Clock) -> None:
    on_day(2)
    for key, field, value, _ in SHAPES:
        correct(renu, key, field, value)
    on_day(4)
    for key in dict.fromkeys(key for key, *_ in SHAPES):
        assert len({queries(client, key, view) for view in ("", "?view=snapshot", as_of(1))}) == 1, key
        assert text(client, key, "?view=snapshot")


def test_the_snapshot_is_what_it_was_before_many_corrections(client: Client, renu: User, on_day: Clock) -> None:
    """The whole JSON of pages is the same again, but for what tells of the corrections."""
    told = {"url", "view", "corrections", "record", "open_reports"}
    keys = [BOARD, ROW, DATASET, PAPER, "task/machine-translation"]
    before = {key: {name: value for name, value in page(client, key).items() if name not in told} for key in keys}
    on_day(2)
    for key, field, value in [
        (ROW, BLEU, "1"),
        (ROW, "model_name", "Other"),
        (f"{BOARD}/row/1", BLEU, "2"),
        (f"{BOARD}/row/1", "paper", "paper/long-short-term-memory"),
        (DATASET, "description", "Other."),
        (PAPER, "abstract", None),
        (PAPER, "authors", ["Nobody"]),
    ]:
        correct(renu, key, field, value)
    on_day(3)
    for key in keys:
        now = page(client, key)
        assert {name: value for name, value in now.items() if name not in told} != before[key]
        for view in ("?view=snapshot", as_of(1)):
            then = page(client, key, view)
            left_out = {"paper_matched_by", "papers_with_a_benchmark_row", "same_paper"}
            if key == PAPER:  # which rows a list has is told of now, as the page says
                left_out.add("results")
            for name in set(before[key]) - left_out:
                assert then[name] == before[key][name], (key, view, name)


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


def test_a_view_says_how_it_is_asked_for() -> None:
    assert View.asked({}).of("/x") == "/x"
    assert View.asked({"view": "snapshot"}).of("/x?before=y") == "/x?before=y&view=snapshot"
