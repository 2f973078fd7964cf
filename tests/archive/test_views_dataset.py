"""The dataset page, through the reader's door."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.models import Dataset, DatasetLanguage, DatasetTask, Language, Leaderboard, Record, Result, TaskName
from archive.pages.base import Absence
from archive.pages.dataset import PAPERS_NOTE, PAPERS_SHOWN, DatasetPage
from archive.pages.documented import keys_of
from tests.archive.conftest import SEEDS

pytestmark = pytest.mark.django_db


def differences(expected: Any, actual: Any, place: str = "") -> list[str]:
    """Where `actual` lacks or changes something of `expected`; more keys may stand beside."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            difference
            for key, value in expected.items()
            for difference in (
                differences(value, actual[key], f"{place}.{key}") if key in actual else [f"{place}.{key} lacks"]
            )
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            difference
            for number, (one, other) in enumerate(zip(expected, actual, strict=True))
            for difference in differences(one, other, f"{place}[{number}]")
        ]
    return [] if type(expected) is type(actual) and expected == actual else [f"{place}: {actual!r}"]


@pytest.mark.usefixtures("seed_archive")
class TestSeed:
    """The record of the seed document."""

    @pytest.fixture
    def seed(self) -> dict[str, Any]:
        (path,) = SEEDS.glob("000_*.txt")
        seed: dict[str, Any] = json.loads(path.read_text())
        return seed

    def test_json_has_each_key_and_value_of_the_seed(self, client: Client, seed: dict[str, Any]) -> None:
        page = client.get("/dataset/convai2.json").json()
        assert page["syntology_totals"] is None  # until run evidence is imported
        del seed["syntology_totals"]
        assert differences(seed, page) == []

    def test_keys_come_in_the_order_of_the_seed(self, client: Client, seed: dict[str, Any]) -> None:
        page = client.get("/dataset/convai2.json").json()
        assert [key for key in page if key in seed] == list(seed)


def html_of(client: Client, slug: str) -> str:
    """The page's content without its frame, white space levelled."""
    response = client.get(f"/dataset/{slug}")
    assert response.status_code == 200
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return re.sub(r"\s+", " ", main)


@pytest.mark.usefixtures("tiny_archive")
class TestContent:
    """What the page says of the datasets of the tiny archive."""

    def test_values_are_verbatim(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        assert "\r\n\r\nImage Source: " in page["description_markdown"]
        assert page["variants"] == ["WMT2014 English-German", "WMT2014 English-French "]
        assert [board["dataset_variant"] for board in page["benchmarks"]] == page["variants"]
        assert len(page["data_loaders"]) == 2
        assert page["data_loaders"][0] == page["data_loaders"][1]

    def test_a_publication_elsewhere_is_named_by_its_address(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        assert page["introduced_by"] == {
            "paper": None,
            "title": "Findings of the 2014 Workshop on Statistical Machine Translation",
            "first_author": None,
            "url": "https://doi.org/10.3115/v1/W14-3302",
        }
        assert page["absent"]["introduced_by.paper"]["reason"] == Absence.NOT_MATCHED
        assert 'href="https://doi.org/10.3115/v1/W14-3302" rel="nofollow ugc noreferrer"' in html_of(client, "wmt-2014")

    def test_first_rows_are_first_in_archive_order(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        for board in page["benchmarks"]:
            first = Result.objects.get(leaderboard__record__key=board["leaderboard"][1:], position=1)
            assert board["first_row_in_archive_order"]["row"] == first.record.path
            assert board["note"] == "rows are the archive's own order at snapshot; nothing here re-ranks them"

    def test_rows_of_boards_are_rows_of_papers_and_rows_without(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        rows = sum(board["rows"] for board in page["benchmarks"])
        of_papers = sum(paper["rows_on_this_dataset"] for paper in page["papers_with_a_benchmark_row"])
        without = Result.objects.filter(leaderboard__dataset__record__key="dataset/wmt-2014", paper=None).count()
        assert (rows, of_papers, without) == (5, 4, 1)

    def test_values_of_the_first_row_are_texts(self, client: Client) -> None:
        (board,) = client.get("/dataset/salicon.json").json()["benchmarks"]
        assert board["first_row_in_archive_order"]["metrics"] == {"CC": "1.84±0.24", "NSS": "200%"}

    def test_name_and_address_of_a_task_are_data(self, client: Client) -> None:
        tasks = client.get("/dataset/salicon.json").json()["tasks"]
        assert [(task["name"], task["url"]) for task in tasks] == [
            ("Saliency Prediction", "/task/saliency-prediction-1"),
            ("Saliency Detection", "/task/saliency-prediction"),
        ]

    def test_links_of_the_description_lead_to_our_pages(self, client: Client) -> None:
        assert '<a href="/paper/salicon-saliency-in-context">the paper</a>' in html_of(client, "salicon")

    def test_the_page_says_why_the_numbers_differ(self, client: Client) -> None:
        html = html_of(client, "wmt-2014")
        assert f"The archive counts 186 papers. {PAPERS_NOTE}".replace("'", "&#x27;") in html
        assert "nothing here re-ranks them" in html

    def test_every_section_names_its_source(self, client: Client) -> None:
        sections = html_of(client, "wmt-2014").split("<section")[1:]
        told = ["Tiny archive · snapshot" in section for section in sections]
        assert told == [True] * 6 + [False]  # the last one is about the record itself
        assert 'aria-labelledby="origin"' in sections[-1]

    def test_a_year_alone_is_shown_as_a_year(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        assert (page["introduced_date"], page["introduced_date_precision"]) == ("2014-01-01", "year")
        assert '<time datetime="2014">2014</time>' in html_of(client, "wmt-2014")

    def test_a_date_after_the_snapshot_is_doubted(self, client: Client) -> None:
        Dataset.objects.filter(record__key="dataset/salicon").update(introduced_date=datetime.date(2025, 7, 29))
        note = client.get("/dataset/salicon.json").json()["introduced_date_note"]
        assert note == "This date is later than the snapshot of 2025-07-28: it can not be right."
        assert note in html_of(client, "salicon")

    def test_fields_without_a_place_of_their_own_are_kept(self, client: Client) -> None:
        media = "https://production-media.paperswithcode.com/thumbnails/dataset/x.jpg"
        Dataset.objects.filter(record__key="dataset/salicon").update(image=media, mention_count=0)
        assert client.get("/dataset/salicon.json").json()["other_fields"] == {"image": media}
        html = html_of(client, "salicon")
        assert media in html
        assert "<img" not in html
        assert f'href="{media}"' not in html

    def test_of_many_tasks_and_languages_some_are_folded_and_all_are_there(self, client: Client) -> None:
        dataset = Dataset.objects.get(record__key="dataset/salicon")
        name = TaskName.objects.select_related("task")[0]
        for position in range(2, 13):  # beside the two that it has
            DatasetTask.objects.create(dataset=dataset, position=position, task=name.task, name=name)
            assert ("The others of" in html_of(client, "salicon")) == (position >= 11)
        assert html_of(client, "salicon").count('<a class="aside" href="/datasets/task/') == 13
        for position in range(13):
            language = Language.objects.create(name=f"Language {position}", slug=f"language-{position}")
            DatasetLanguage.objects.create(dataset=dataset, position=position, language=language)
        html = html_of(client, "salicon")
        folds = re.findall(r"<summary>The others of 13</summary>(.*?)</details>", html, re.DOTALL)
        assert [fold.count("<li>") for fold in folds] == [5, 1]

    def test_an_address_that_is_none_is_no_link(self, client: Client) -> None:
        Dataset.objects.filter(record__key="dataset/salicon").update(homepage="javascript:alert(1)")
        html = html_of(client, "salicon")
        assert "<dd>javascript:alert(1) " in html and 'javascript:alert(1)"' not in html

    def test_only_the_newest_papers_are_listed_but_all_are_in_the_json(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert PAPERS_SHOWN == 100
        monkeypatch.setattr("archive.pages.dataset.PAPERS_SHOWN", 0)
        assert "0 newest of 1 papers with a leaderboard row; <a" in html_of(client, "salicon")
        assert len(client.get("/dataset/salicon.json").json()["papers_with_a_benchmark_row"]) == 1


@pytest.mark.usefixtures("tiny_archive")
class TestAbsence:
    """Null, empty, set aside, dropped, withdrawn and never there are different."""

    @pytest.mark.parametrize("slug", ["wmt-2014", "salicon", "mmdialog"])
    def test_what_is_null_or_empty_has_its_reason(self, client: Client, slug: str) -> None:
        page = client.get(f"/dataset/{slug}.json").json()
        says_nothing_by_itself = {
            "description_withheld",
            "introduced_date_note",
            "introduced_date_precision",
            "warning",
            "other_fields",
            "corrections",
            "view",
        }
        empty = {key for key, value in page.items() if value in (None, [], {}, "")} - {"absent"}
        assert empty - says_nothing_by_itself == {key for key in page["absent"] if "." not in key}

    def test_the_page_gives_the_same_reasons(self, client: Client) -> None:
        html = html_of(client, "mmdialog")
        for key, absent in client.get("/dataset/mmdialog.json").json()["absent"].items():
            if key not in ("full_name", "license.url", "syntology_totals"):
                assert f'<span class="absence" data-reason="{absent["reason"]}">{absent["sentence"]}' in html

    def test_a_record_that_is_set_aside(self, client: Client) -> None:
        address = "/dataset/skyline-booking-555-0143"
        response = client.get(address)
        assert response.status_code == 200
        assert response["X-Robots-Tag"] == client.get(f"{address}.json")["X-Robots-Tag"] == "noindex"
        html = response.content.decode()
        assert '<meta name="robots" content="noindex">' in html
        reason = "Its description gives a telephone number beside an offer of customer service or bookings."
        assert reason in html
        outside, _, folded = html.partition("<details")
        assert "<summary>" in folded
        for text in ("Skyline", "555-0143 for"):
            assert text in folded
            assert text not in outside.replace(address, "")
        assert PAPERS_NOTE[:30] not in html

    def test_the_json_of_a_record_that_is_set_aside_keeps_its_keys(self, client: Client) -> None:
        page = client.get("/dataset/skyline-booking-555-0143.json").json()
        assert list(page) == [key.name for key in keys_of(DatasetPage)]
        content = set(page) - {"url", "source", "provenance", "absent", "record", "view", "open_reports"}
        assert all(page[key] is None for key in content)
        assert set(page["absent"]) == content
        assert {absent["reason"] for absent in page["absent"].values()} == {"quarantined"}
        assert page["record"]["quarantined"]["reason"] == "quarantined"

    def test_a_dropped_record_keeps_its_content_and_says_so(self, client: Client) -> None:
        Record.objects.filter(key="dataset/salicon").update(dropped_in=datetime.date(2025, 8, 4))
        assert 'Not in the snapshot of <time datetime="2025-08-04">4 August 2025</time>.' in html_of(client, "salicon")
        page = client.get("/dataset/salicon.json").json()
        assert page["record"]["dropped_in"] == "2025-08-04"
        assert page["name"] == "SALICON"

    @pytest.mark.parametrize(
        "state", [{"quarantined": "telephone-and-service"}, {"withdrawn": True}], ids=["set aside", "withdrawn"]
    )
    def test_what_is_not_public_is_in_no_list(self, client: Client, state: dict[str, Any]) -> None:
        Record.objects.filter(key="sota/machine-translation-on-wmt2014-english-french").update(**state)
        page = client.get("/dataset/wmt-2014.json").json()
        assert [board["rows"] for board in page["benchmarks"]] == [3]
        assert sum(paper["rows_on_this_dataset"] for paper in page["papers_with_a_benchmark_row"]) < 4
        Record.objects.filter(key="paper/attention-is-all-you-need").update(**state)
        assert client.get("/dataset/wmt-2014.json").json()["papers_with_a_benchmark_row"] == []

    def test_a_dropped_leaderboard_is_listed_and_marked(self, client: Client) -> None:
        board = Leaderboard.objects.get(dataset__record__key="dataset/salicon")
        Record.objects.filter(pk=board.pk).update(dropped_in=datetime.date(2025, 8, 4))
        Result.objects.filter(leaderboard=board).update(position=None)
        page = client.get("/dataset/salicon.json").json()
        assert page["benchmarks"][0]["dropped_in"] == "2025-08-04"
        assert page["benchmarks"][0]["first_row_in_archive_order"]["model"] == "Invented example"
        assert page["papers_with_a_benchmark_row"] == []
        assert 'not in the snapshot of <time datetime="2025-08-04">' in html_of(client, "salicon")

    @pytest.mark.parametrize("ending", ["", ".json"])
    def test_withdrawn(self, client: Client, ending: str) -> None:
        Record.objects.filter(key="dataset/salicon").update(withdrawn=True)
        response = client.get(f"/dataset/salicon{ending}")
        assert response.status_code == 410
        assert "The dataset at /dataset/salicon was withdrawn by a decision." in response.content.decode()

    @pytest.mark.parametrize("ending", ["", ".json"])
    def test_merged(self, client: Client, ending: str) -> None:
        target = Record.objects.get(key="dataset/mmdialog")
        Record.objects.filter(key="dataset/salicon").update(merged_into=target)
        response = client.get(f"/dataset/salicon{ending}")
        assert (response.status_code, response["Location"]) == (301, f"/dataset/mmdialog{ending}")

    @pytest.mark.parametrize("slug", ["none", "é", "a.b", "SALICON"])
    def test_never_there(self, client: Client, slug: str) -> None:
        assert client.get(f"/dataset/{slug}").status_code == 404
        assert client.get(f"/dataset/{slug}.json").json()["error"]["status"] == 404


@pytest.mark.usefixtures("tiny_archive")
class TestQueries:
    """A fixed number, whatever the dataset has."""

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize(
        ("slug", "number"),
        [("wmt-2014", 12), ("salicon", 12), ("mmdialog", 10)],  # mmdialog has no leaderboard to look into
    )
    def test_number_of_queries(
        self,
        client: Client,
        slug: str,
        number: int,
        ending: str,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        with django_assert_num_queries(number):
            assert client.get(f"/dataset/{slug}{ending}").status_code == 200
