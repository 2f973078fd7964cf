"""Search through the reader's door."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from archive.models import Record
from archive.search.indexing import refresh
from tests.archive.search.test_finding import HOSTILE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo_archive")]


def ask(client: Client, typed: str, ending: str = "", **more: str) -> Any:
    return client.get(f"/search{ending}?{urlencode({'q': typed, **more}, errors='surrogatepass')}")


def results(client: Client, typed: str, **more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(client, typed, ".json", **more).json()["results"]
    return found


class TestPage:
    """What it shows."""

    def test_both_faces_say_the_same(self, client: Client) -> None:
        page = ask(client, "imagenet").content.decode()
        for result in results(client, "imagenet"):
            assert f'href="{result["url"]}"' in page

    def test_matches_are_marked(self, client: Client) -> None:
        page = ask(client, "attention is all you need").content.decode()
        assert "<mark>Attention</mark> <mark>Is</mark> <mark>All</mark>" in page
        (first, *_) = results(client, "attention is all you need")
        assert [first["name"][start:end] for start, end in first["name_marks"]] == [
            "Attention",
            "Is",
            "All",
            "You",
            "Need",
        ]

    def test_archive_text_is_escaped(self, client: Client) -> None:
        Record.objects.filter(key="dataset/imagenet").update(name="<script>alert(1)</script> ImageNet")
        page = ask(client, "imagenet").content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page

    def test_what_was_typed_is_escaped(self, client: Client) -> None:
        page = ask(client, '"><img src=x onerror=alert(1)>').content.decode()
        assert "<img" not in page

    def test_tabs(self, client: Client) -> None:
        tabs = ask(client, "imagenet", ".json").json()["tabs"]
        assert [tab["kind"] for tab in tabs] == [None, "paper", "dataset", "task", "method", "leaderboard", "author"]
        assert tabs[0]["results"] == sum(tab["results"] for tab in tabs[1:])
        for tab in tabs[1:-1]:
            (mine,) = [t for t in client.get(tab["url"].replace("?", ".json?")).json()["tabs"] if t["chosen"]]
            assert mine == {**tab, "chosen": True}

    def test_pages_follow_each_other(self, client: Client) -> None:
        seen: list[str] = []
        url: str | None = "/search?q=image"
        while url:
            page = client.get(url.replace("search?", "search.json?")).json()
            seen += [result["url"] for result in page["results"]]
            url = page["next_url"]
        assert len(seen) == len(set(seen)) == page["listed"] > 40

    def test_zero_results_say_what_was_searched(self, client: Client) -> None:
        page = ask(client, "qqqzzz").content.decode()
        assert "“qqqzzz”" in page and "papers, datasets, tasks" in page

    def test_zero_results_say_which_filter_to_drop(self, client: Client) -> None:
        page = ask(client, "imagenet attention", ".json", kind="author").json()
        assert page["results"] == []
        (way,) = ask(client, "bert", ".json", kind="author").json()["ways_out"]
        assert way["url"] == "/search?q=bert"
        assert client.get(way["url"].replace("?", ".json?")).json()["results"]

    def test_a_phrase_and_an_exclusion_can_be_dropped(self, client: Client) -> None:
        page = ask(client, '"networks attention graph" -graph', ".json").json()
        assert [way["url"] for way in page["ways_out"]] == [
            "/search?q=%22networks+attention+graph%22",
            "/search?q=networks+attention+graph+-graph",
        ]

    def test_names_alike_are_offered(self, client: Client) -> None:
        page = ask(client, "citiscapess", ".json").json()
        assert page["alike"][0]["name"] == "Cityscapes"

    def test_it_is_not_for_search_engines(self, client: Client) -> None:
        assert ask(client, "imagenet")["X-Robots-Tag"] == "noindex"
        assert "X-Robots-Tag" not in client.get("/search")
        assert client.get("/search?kind=paper")["X-Robots-Tag"] == "noindex"

    def test_kinds_are_offered_where_there_is_one_to_go_to(self, client: Client) -> None:
        for query, offered in (("imagenet", True), ("zzqxv", False), ("zzqxv&kind=paper", True)):
            assert ('class="tabs"' in client.get(f"/search?q={query}").content.decode()) == offered

    def test_nothing_typed(self, client: Client) -> None:
        page = client.get("/search")
        assert page.status_code == 200
        assert "Type a name" in page.content.decode()


class TestIdentifiers:
    """They go straight to the record."""

    @pytest.mark.parametrize("ending", ["", ".json"])
    def test_see_other(self, client: Client, ending: str) -> None:
        response = ask(client, "arXiv:1706.03762v5", ending)
        assert (response.status_code, response["Location"]) == (303, f"/paper/attention-is-all-you-need{ending}")

    def test_several_papers_are_listed(self, client: Client) -> None:
        assert len(results(client, "https://github.com/huggingface/transformers")) > 1

    def test_none_is_told(self, client: Client) -> None:
        page = ask(client, "https://arxiv.org/abs/9999.99999", ".json").json()
        assert page["results"] == []
        assert "identifier" in page["explanation"]


class TestHidden:
    """What is set aside, withdrawn or merged away is not found."""

    @pytest.mark.parametrize("indexed_again", [True, False])
    @pytest.mark.parametrize("state", ["quarantined", "withdrawn", "merged"])
    def test_absent(self, client: Client, state: str, indexed_again: bool) -> None:
        record = Record.objects.get(key="dataset/imagenet")
        assert record.path in [result["url"] for result in results(client, "imagenet")]
        other = Record.objects.get(key="dataset/mnist")
        change: dict[str, dict[str, Any]] = {
            "quarantined": {"quarantined": "gambling"},
            "withdrawn": {"withdrawn": True},
            "merged": {"merged_into": other},
        }
        Record.objects.filter(pk=record.pk).update(**change[state])
        if indexed_again:
            refresh([record.pk])
        for typed in ("imagenet", "ILSVRC", "1.2 million training images"):
            assert record.path not in [result["url"] for result in results(client, typed)]


class TestSuggestions:
    """The small answer while one types."""

    def test_form(self, client: Client) -> None:
        answer = client.get("/search/suggest.json?q=imagen")
        assert answer.json()["query"] == "imagen"
        assert {"kind": "dataset", "name": "ImageNet", "url": "/dataset/imagenet"} in answer.json()["suggestions"]
        assert answer["Cache-Control"] == "public, max-age=300"

    def test_only_reading(self, client: Client) -> None:
        assert client.post("/search/suggest.json").status_code == 405


class TestBounds:
    """Hostile queries are answered; the number of queries is bounded."""

    @pytest.mark.parametrize("typed", [typed[:8_000] for typed in HOSTILE], ids=lambda typed: ascii(typed[:20]))
    def test_hostile_queries_are_answered(self, client: Client, typed: str) -> None:
        for ending in ("", ".json"):
            assert ask(client, typed, ending).status_code == 200
        assert ask(client, typed, "/suggest.json").status_code == 200

    @pytest.mark.parametrize(
        "typed",
        ["imagenet", "attention", "imagnet", "wang", '"image classification" -video', "qqq zzz xxx", "1706.03762"],
    )
    @pytest.mark.parametrize(
        "more", [{}, {"kind": "author"}, {"kind": "paper", "page": "2"}], ids=["all", "authors", "papers"]
    )
    def test_at_most_twelve_queries(self, client: Client, typed: str, more: dict[str, str]) -> None:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            ask(client, typed, ".json", **more)
        asked = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
        assert 0 < len(asked) <= 12, [sql[:60] for sql in asked]
