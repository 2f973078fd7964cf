"""Pages of records in their views: what stands now, the snapshot, and the end of a day, in real transactions."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from archive.pages.view import View
from corrections.correctable import Value
from corrections.decisions import revert
from tests.corrections.reading import (
    BLEU,
    BOARD,
    DATASET,
    DAYS,
    METHOD,
    NOW,
    PAPER,
    ROW,
    TASK,
    Clock,
    as_of,
    correct,
    page,
    queries,
    ranks,
    table,
    text,
)


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


def test_a_view_says_how_it_is_asked_for() -> None:
    assert View.asked({}).of("/x") == "/x"
    assert View.asked({"view": "snapshot"}).of("/x?before=y") == "/x?before=y&view=snapshot"
