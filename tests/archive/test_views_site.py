"""The site's own pages: the front, counts, what is set aside, about, privacy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.models import (
    Area,
    Author,
    Collection,
    Dataset,
    ImportedFile,
    Language,
    Leaderboard,
    LeaderboardMetric,
    Method,
    Modality,
    Paper,
    Proceeding,
    Record,
    Repository,
    Result,
    ResultMetric,
    UnreadableRecord,
)
from archive.pages import quarantine as quarantine_page
from archive.pages.counted import everything
from tests.archive.conftest import Importing
from tests.archive.test_frame import Outline
from tests.demo_archive import DEMO

pytestmark = pytest.mark.django_db

PAGES = ["/", "/about", "/counts", "/privacy", "/quarantine"]


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    with imported(DEMO):
        yield


def json_of(client: Client, address: str) -> Any:
    path, _, query = address.partition("?")
    response = client.get(f"{'/index' if path == '/' else path}.json?{query}")
    assert response.status_code == 200
    return response.json()


def hide_some() -> None:
    """Of every kind: one set aside, one withdrawn, one merged."""
    for kind in ("paper", "dataset", "task", "method", "leaderboard", "result", "code"):
        first, second, third = Record.objects.filter(kind=kind, quarantined="").order_by("-pk")[:3]
        Record.objects.filter(pk=first.pk).update(quarantined="gambling")
        Record.objects.filter(pk=second.pk).update(withdrawn=True)
        Record.objects.filter(pk=third.pk).update(merged_into=first)


def by_loops() -> dict[str, int]:
    """Every count, by plain loops."""
    shown = {r.pk: r.kind for r in Record.objects.all() if not (r.quarantined or r.withdrawn or r.merged_into_id)}
    kinds = list(shown.values())
    rows = [row for row in Result.objects.all() if row.pk in shown]
    datasets = [dataset for dataset in Dataset.objects.all() if dataset.pk in shown]
    papers = [paper for paper in Paper.objects.prefetch_related("code_links") if paper.pk in shown]
    methods = [method for method in Method.objects.all() if method.pk in shown]
    boards = [board for board in Leaderboard.objects.all() if board.pk in shown]
    return {
        "datasets": kinds.count("dataset"),
        "papers": kinds.count("paper"),
        "code_links": kinds.count("code"),
        "tasks": kinds.count("task"),
        "leaderboards": kinds.count("leaderboard"),
        "rows": kinds.count("result"),
        "methods": kinds.count("method"),
        "values": len(ResultMetric.objects.all()),
        "papers_with_code": sum(any(link.pk in shown for link in paper.code_links.all()) for paper in papers),
        "papers_with_rows": len({r.paper_id for r in rows if r.paper_id in shown and r.leaderboard_id in shown}),
        "repositories": len(Repository.objects.all()),
        "authors": len(Author.objects.all()),
        "areas": len(Area.objects.all()),
        "modalities": len(Modality.objects.all()),
        "languages": len(Language.objects.all()),
        "collections": len(Collection.objects.all()),
        "proceedings": len(Proceeding.objects.all()),
        "datasets_without_licence": sum(not dataset.license_name for dataset in datasets),
        "datasets_without_date": sum(dataset.introduced_date is None for dataset in datasets),
        "papers_without_date": sum(paper.date is None for paper in papers),
        "methods_without_year": sum(method.introduced_year in (None, 2000) for method in methods),
        "rows_without_paper": sum(row.paper_id is None for row in rows),
        "leaderboards_without_dataset": sum(board.dataset_id is None for board in boards),
        "metrics_without_direction": sum(metric.direction == "unknown" for metric in LeaderboardMetric.objects.all()),
        "quarantined": sum(
            bool(r.quarantined) and not r.withdrawn and r.merged_into_id is None for r in Record.objects.all()
        ),
        "unreadable": len(UnreadableRecord.objects.all()),
    }


@pytest.mark.usefixtures("demo_archive")
class TestCounts:
    def test_every_count_is_what_its_definition_says(self, client: Client) -> None:
        hide_some()
        found = {one["key"]: one["number"] for group in json_of(client, "/counts")["groups"] for one in group["counts"]}
        assert found == by_loops()

    def test_the_query_shown_gives_the_number_shown(self, client: Client) -> None:
        for group in json_of(client, "/counts")["groups"]:
            for one in group["counts"]:
                with connection.cursor() as cursor:
                    cursor.execute(one["sql"])
                    assert cursor.fetchall() == [(one["number"],)]

    def test_the_front_page_shows_the_same_counts(self, client: Client) -> None:
        hide_some()
        defined = {
            one["key"]: one["number"] for group in json_of(client, "/counts")["groups"] for one in group["counts"]
        }
        page = json_of(client, "/")
        for one in page["counts"] + page["not_known"]:
            assert one["number"] == defined[one["key"]]

    def test_each_count_leads_to_its_definition(self, client: Client) -> None:
        definitions = {
            element["id"] for _, element in Outline(self.html(client, "/counts")).elements if "id" in element
        }
        anchors = re.findall(r'href="/counts#(\w+)"', self.html(client, "/"))
        assert len(anchors) > 10
        assert set(anchors) <= definitions

    def html(self, client: Client, address: str) -> str:
        return client.get(address).content.decode()

    def test_each_count_leads_to_a_list_of_that_many(self, client: Client) -> None:
        totals = {"datasets": "/datasets", "papers": "/papers", "leaderboards": "/sota", "methods": "/methods"}
        counts = {one["key"]: one for one in json_of(client, "/")["counts"]}
        for key, address in totals.items():
            assert counts[key]["url"] == address
            assert counts[key]["number"] == json_of(client, address)["total"]
        for one in counts.values():
            assert client.get(one["url"]).status_code == 200

    def test_definitions_are_sentences(self) -> None:
        for _, group in everything():
            for definition in group.values():
                assert definition.sentence.endswith(".")
                assert definition.sql.startswith("SELECT")

    def test_ways_in_have_as_many_as_their_lists(self, client: Client) -> None:
        hide_some()
        page = json_of(client, "/")
        assert page["areas"] and page["modalities"]
        for way in page["modalities"]:
            assert json_of(client, way["url"])["total"] == way["number"]
        for way in page["areas"]:
            assert json_of(client, way["url"])["total"] == way["number"]


@pytest.mark.usefixtures("demo_archive")
class TestQuarantine:
    def test_all_that_is_set_aside_is_listed_once(self, client: Client, monkeypatch: Any) -> None:
        hide_some()
        monkeypatch.setattr(quarantine_page, "SIZE", 4)
        found, address = [], "/quarantine"
        while address:
            page = json_of(client, address)
            found += [record["record"] for record in page["records"]]
            assert all(record["sentence"].endswith(".") for record in page["records"])
            address = page["next_url"]
        expected = [
            f"/{r.key}" for r in Record.objects.all() if r.quarantined and not r.withdrawn and not r.merged_into_id
        ]
        assert sorted(found) == sorted(expected)
        assert len(found) > 8
        assert sum(reason["records"] for reason in page["reasons"]) == len(found)

    def test_is_not_for_search_engines_and_passes_nothing_on(self, client: Client) -> None:
        response = client.get("/quarantine")
        assert response.headers["X-Robots-Tag"] == "noindex"
        links = re.findall(r'<a [^>]*href="/(?:dataset|method|paper)/[^>]*>', response.content.decode())
        assert len(links) == 6
        assert all('rel="nofollow"' in link for link in links)

    def test_shows_no_more_than_the_name(self, client: Client) -> None:
        record = Record.objects.get(key="method/situs-slot-contoh-555")
        Method.objects.filter(pk=record.pk).update(description="Come and play at the CASINO")
        Record.objects.filter(pk=record.pk).update(name="<b>Slot</b> " + "x" * 5_000)
        html = client.get("/quarantine").content.decode()
        assert "CASINO" not in html
        assert "&lt;b&gt;Slot&lt;/b&gt;" in html
        assert "x" * 121 not in html

    def test_unreadable_records(self, client: Client) -> None:
        for number in range(3):
            UnreadableRecord.objects.create(
                dump="papers",
                ordinal=number,
                source=b"\x00{" * 10,
                digest=bytes([number]) * 32,
                problem="It has a NUL.",
            )
        page = json_of(client, "/quarantine")
        assert page["unreadable_in_all"] == 3
        assert page["unreadable"][1] == {
            "dump": "papers",
            "ordinal": 1,
            "problem": "It has a NUL.",
            "size": 20,
            "sha256": "01" * 32,
        }
        assert "It has a NUL." in client.get("/quarantine").content.decode()

    @pytest.mark.parametrize("after", ["paper/none", "paper/no/such/record"])
    def test_a_place_that_is_none(self, client: Client, after: str) -> None:
        assert client.get(f"/quarantine?after={after}").status_code == 404

    @pytest.mark.parametrize("after", ["", "'", "\x00", "x" * 100_000, "//", "paper"])
    def test_what_is_no_key_begins_at_the_beginning(self, client: Client, after: str) -> None:
        response = client.get("/quarantine", {"after": after})
        assert response.status_code == 200
        assert response.content == client.get("/quarantine").content


@pytest.mark.usefixtures("demo_archive")
class TestPages:
    def test_about_names_every_file_with_its_date_and_digest(self, client: Client) -> None:
        html = client.get("/about").content.decode()
        files = list(ImportedFile.objects.all())
        assert len(files) == 5
        for file in files:
            assert file.sha256[0] in html
            assert f'<time datetime="{file.retrieved}">' in html
        assert "a rank here is not a current standing" in html

    @pytest.mark.parametrize(
        ("address", "number"), [("/", 7), ("/about", 1), ("/counts", 2), ("/privacy", 1), ("/quarantine", 5)]
    )
    def test_number_of_queries(
        self, client: Client, address: str, number: int, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(number):
            assert client.get(address).status_code == 200

    @pytest.mark.parametrize("address", [*PAGES, "/datasets", "/papers", "/methods", "/sota", "/datasets?task=nope"])
    def test_outline(self, client: Client, address: str) -> None:
        outline = Outline(client.get(address).content.decode())
        levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
        ids = [element["id"] for _, element in outline.elements if "id" in element]
        assert len(ids) == len(set(ids))
        values = {e[key] for _, e in outline.elements for key in ("aria-labelledby", "for") if e.get(key)}
        named = {name for value in values for name in str(value).split()}
        assert named <= set(ids)
        navigations = [element.get("aria-label") for element in outline.all("nav")]
        assert len(navigations) == len(set(navigations))
        assert not [element for _, element in outline.elements if "style" in element]

    @pytest.mark.parametrize("address", [*PAGES, "/datasets", "/papers", "/methods", "/sota"])
    def test_links_within_the_site_lead_somewhere(self, client: Client, address: str) -> None:
        links = {
            str(link["href"]).partition("#")[0]
            for link in Outline(client.get(address).content.decode()).all("a")
            if str(link.get("href", "")).startswith("/")
        }
        assert len(links) > 5
        for link in sorted(links)[:40]:
            assert client.get(link).status_code in (200, 301), link

    def test_reading_sets_no_cookie(self, client: Client) -> None:
        for address in [*PAGES, "/datasets", "/papers", "/dataset/glue"]:
            assert not client.get(address).cookies


class TestEmpty:
    @pytest.mark.parametrize("address", [*PAGES, "/datasets", "/papers", "/methods", "/sota"])
    def test_pages_stand_while_nothing_is_imported(self, client: Client, address: str) -> None:
        assert client.get(address).status_code == 200
        json_of(client, address)
