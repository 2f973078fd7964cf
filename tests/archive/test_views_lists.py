"""The lists, through the reader's door."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from archive.filters import PaperFilters
from archive.models import Paper, Record, RecordKind
from archive.pages import datasets as datasets_page
from archive.pages import papers as papers_page
from archive.pages.listing import Asked, beginning
from tests.archive.conftest import Importing
from tests.demo_archive import DEMO

pytestmark = pytest.mark.django_db

LISTS = {"/datasets": "datasets", "/papers": "papers", "/sota": "leaderboards", "/methods": "methods"}
KEYS = {"/datasets": "dataset", "/papers": "paper", "/sota": "leaderboard", "/methods": "method"}
FIXED = ["/datasets/modality/texts", "/datasets/task/visual-dialogue", "/datasets/language/english"]


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    with imported(DEMO):
        yield


def json_of(client: Client, address: str) -> Any:
    path, _, query = address.partition("?")
    response = client.get(f"{path}.json?{query}" if query else f"{path}.json")
    assert response.status_code == 200, (address, response)
    return response.json()


class Form(HTMLParser):
    """The filters' form as a browser without scripts sees it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside = False
        self.action = ""
        self.boxes: list[tuple[str, str, bool]] = []
        self.fields: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = attributes.get("class") == "facets__form"
            if self.inside:
                assert attributes["method"] == "get"
                self.action = attributes["action"]
        elif tag == "input" and self.inside and attributes["type"] == "checkbox":
            self.boxes.append((attributes["name"], attributes["value"], "checked" in attributes))
        elif tag == "input" and self.inside:
            self.fields.append((attributes["name"], attributes.get("value", "")))

    def sent(self, *further: tuple[str, str]) -> str:
        """The address that the form's button asks for, further boxes ticked."""
        ticked = [(name, value) for name, value, checked in self.boxes if checked]
        for box in further:
            assert box in [(name, value) for name, value, _ in self.boxes]
        return f"{self.action}?{urlencode([*self.fields, *ticked, *further])}"


@pytest.mark.usefixtures("demo_archive")
class TestLists:
    @pytest.mark.parametrize("address", LISTS)
    def test_pages_together_hold_each_public_record_once(self, client: Client, address: str) -> None:
        shown = Record.objects.public().filter(kind=KEYS[address]).values_list("key", flat=True)
        assert sorted(self.walk(client, address)) == sorted(f"/{key}" for key in shown)

    def walk(self, client: Client, address: str) -> list[str]:
        found = []
        while address:
            page = json_of(client, address)
            path = address.partition("?")[0]
            found += [item[KEYS[path]] for item in page[LISTS[path]]]
            address = page["next_url"]
        return found

    @pytest.mark.parametrize(
        "address", ["/papers", "/papers?sort=name", "/papers?code=yes", "/papers?code=no&sort=name"]
    )
    def test_pages_of_papers_lead_back_as_they_came(self, client: Client, address: str, monkeypatch: Any) -> None:
        monkeypatch.setattr(papers_page, "SIZE", 25)
        undated = list(Paper.objects.order_by("pk").values_list("pk", flat=True)[:20])
        Paper.objects.filter(pk__in=undated).update(date=None, date_precision="")
        forward, backward = [], []
        page: Any = {"next_url": address}
        while page["next_url"]:
            page = json_of(client, page["next_url"])
            forward.append([paper["paper"] for paper in page["papers"]])
        while True:
            backward.append([paper["paper"] for paper in page["papers"]])
            if not page["previous_url"]:
                break
            page = json_of(client, page["previous_url"])
        assert len(forward) > 3
        assert backward[::-1] == forward
        found = [paper for page in forward for paper in page]
        assert len(set(found)) == len(found)

    def test_order_of_papers(self, client: Client) -> None:
        found = self.walk(client, "/papers")
        dates = dict(Paper.objects.values_list("record__key", "date"))
        times = [dates[path[1:]] for path in found]
        dated = [time for time in times if time]
        assert times == dated + [None] * (len(times) - len(dated))
        assert dated == sorted(dated, reverse=True)

    def test_order_by_name(self, client: Client) -> None:
        names = dict(Record.objects.values_list("key", "sort_key"))
        for address in ("/papers?sort=name", "/datasets", "/methods", "/sota"):
            found = [names[path[1:]] for path in self.walk(client, address)]
            assert found == sorted(found, key=lambda name: name.encode())

    @pytest.mark.parametrize("address", LISTS)
    def test_none_is_ordered_by_a_metric(self, client: Client, address: str) -> None:
        offered = {sort["value"] for sort in json_of(client, address)["sorts"]}
        assert offered <= {"name", "newest", "papers", "rows"}
        for other in ("f1", "accuracy", "value", "-date", "popularity"):
            assert client.get(address, {"sort": other}).headers["Location"] == address

    def test_hidden_records_are_absent(self, client: Client) -> None:
        hidden = ["dataset/skyline-flight-change-555-0117", "method/situs-slot-contoh-555"]
        Record.objects.filter(key="dataset/glue").update(withdrawn=True)
        assert "/dataset/glue" not in self.walk(client, "/datasets")
        for key in hidden:
            assert Record.objects.get(key=key).quarantined
            assert key not in client.get(f"/{key.partition('/')[0]}s").content.decode()

    @pytest.mark.parametrize("path", FIXED)
    def test_a_facet_in_the_path_is_the_same_list(self, client: Client, path: str) -> None:
        _, _, facet, value = path.split("/")
        here, there = json_of(client, path), json_of(client, f"/datasets?{facet}={value}")
        assert here["datasets"] == there["datasets"] != []
        assert here["total"] == there["total"]
        assert facet not in [listed["parameter"] for listed in here["facets"]]
        assert here["of"]["value"] == value
        assert here["title"] != there["title"]
        assert [listed for listed in there["facets"] if listed["parameter"] != facet] == [
            {**listed, "values": [{**v, "url": there_url(v["url"], facet, value)} for v in listed["values"]]}
            for listed in here["facets"]
        ]

    def test_a_facet_in_the_path_that_is_none(self, client: Client) -> None:
        for path in ("/datasets/modality/nope", "/datasets/task/nope", "/datasets/licence/mit"):
            for ending in ("", ".json"):
                assert client.get(path + ending).status_code == 404

    def test_a_task_that_was_merged_or_withdrawn(self, client: Client) -> None:
        task = Record.objects.get(key="task/visual-dialogue")
        other = Record.objects.get(key="task/question-answering")
        Record.objects.filter(pk=task.pk).update(merged_into=other)
        for ending in ("", ".json"):
            response = client.get(f"/datasets/task/visual-dialogue{ending}")
            assert response.status_code == 301
            assert response.headers["Location"] == f"/datasets/task/question-answering{ending}"
        Record.objects.filter(pk=task.pk).update(merged_into=None, withdrawn=True)
        assert client.get("/datasets/task/visual-dialogue").status_code == 410

    def test_beyond_the_last_page(self, client: Client) -> None:
        assert client.get("/datasets?page=2").status_code == 200
        assert client.get("/datasets?page=3").status_code == 404
        assert client.get("/papers?after=no-such-paper").status_code == 404

    def test_the_form_needs_no_script(self, client: Client) -> None:
        """Ticking boxes one after the other gives the list that its address says."""
        address = "/datasets"
        for box in [("modality", "texts"), ("modality", "images"), ("language", "english"), ("leaderboard", "yes")]:
            form = Form(client.get(address).content.decode())
            response = client.get(form.sent(box), follow=True)
            address = response.redirect_chain[-1][0] if response.redirect_chain else form.sent(box)
            assert box in parse_qsl(address.partition("?")[2])
        assert address == "/datasets?language=english&leaderboard=yes&modality=images&modality=texts"
        form = Form(client.get(address + "&sort=papers").content.decode())
        assert ("sort", "papers") in form.fields
        assert sorted((name, value) for name, value, checked in form.boxes if checked) == sorted(
            parse_qsl(address.partition("?")[2])
        )
        found = json_of(client, address)["datasets"]
        assert found
        assert all({"Texts", "Images"} & set(dataset["modalities"]) for dataset in found)
        assert all("English" in dataset["languages"] and dataset["leaderboards"] for dataset in found)

    @pytest.mark.parametrize("most", [0, 3_000])
    def test_the_form_keeps_what_is_chosen_even_where_nothing_remains(
        self, client: Client, monkeypatch: Any, most: int
    ) -> None:
        monkeypatch.setattr(papers_page, "MOST", most)
        asked = "proceeding=cvpr-2018-6&task=nope&task=speech-recognition&year=1999"
        form = Form(client.get(f"/papers?{asked}").content.decode())
        response = client.get(form.sent(), follow=True)
        assert (response.redirect_chain or [(form.sent(), 0)])[-1][0] == f"/papers?{asked}"

    def test_chosen_values_come_off_by_their_links(self, client: Client) -> None:
        page = json_of(client, "/datasets?modality=texts&year=2019&year=2020")
        assert [(chosen["name"], chosen["without_url"]) for chosen in page["chosen"]] == [
            ("Texts", "/datasets?year=2019&year=2020"),
            ("2019", "/datasets?modality=texts&year=2020"),
            ("2020", "/datasets?modality=texts&year=2019"),
        ]
        html = client.get("/datasets?modality=texts&year=2019&year=2020").content.decode()
        for chosen in page["chosen"]:
            assert f'href="{chosen["without_url"].replace("&", "&amp;")}"' in html

    def test_an_unknown_value_is_named_and_can_be_dropped(self, client: Client) -> None:
        html = client.get("/papers?task=nope&year=2019").content.decode()
        assert "The archive knows nothing called “nope” under “Task”" in " ".join(html.split())
        page = json_of(client, "/papers?task=nope&year=2019")
        assert (page["total"], page["papers"]) == (0, [])
        task, year = page["chosen"]
        assert (task["known"], task["without_url"]) == (False, "/papers?year=2019")
        assert task["records_without_facet"] == json_of(client, "/papers?year=2019")["total"] > 0
        assert year["records_without_facet"] == 0

    def test_an_empty_list_says_which_filter_to_drop(self, client: Client) -> None:
        html = " ".join(client.get("/datasets?language=english&modality=point-cloud").content.decode().split())
        for facet, address in (
            ("Modality", "/datasets?language=english"),
            ("Language", "/datasets?modality=point-cloud"),
        ):
            assert f'<a href="{address}" rel="nofollow">Drop the filter “{facet}”</a>' in html
            assert f"there are {json_of(client, address)['total']}" in html or "there is 1" in html

    def test_what_search_engines_may_list(self, client: Client) -> None:
        listed = ["/datasets", "/papers", "/sota", "/methods", *FIXED, "/papers?year=2019", "/sota?area=speech"]
        not_listed = [
            "/datasets?modality=texts&year=2019",
            "/datasets?modality=images&modality=texts",
            "/datasets/modality/texts?year=2019",
            "/datasets?sort=newest",
            "/datasets?page=2",
        ]
        for address in listed + not_listed:
            response = client.get(address)
            assert response.status_code == 200
            assert ("X-Robots-Tag" in response.headers) == (address in not_listed), address
            canonical = address.replace("&", "&amp;")
            assert f'<link rel="canonical" href="http://testserver{canonical}">' in response.content.decode()

    def test_long_lists_say_that_they_are_not_counted(self, client: Client, monkeypatch: Any) -> None:
        monkeypatch.setattr(papers_page, "MOST", 100)
        page = json_of(client, "/papers")
        assert (page["total"], page["total_is_exact"]) == (100, False)
        assert all(value["records"] is None for facet in page["facets"] for value in facet["values"])
        assert all(facet["values"] for facet in page["facets"])
        html = " ".join(client.get("/papers").content.decode().split())
        assert "More than 100 papers" in html
        assert "there are no numbers until 100 or fewer are left" in html
        narrow = json_of(client, "/papers?year=2019")
        assert narrow["total_is_exact"]
        assert [value["records"] is None for facet in narrow["facets"] for value in facet["values"]].count(False)

    def test_empty_archive(self, client: Client) -> None:
        Record.objects.update(withdrawn=True)
        for address in LISTS:
            page = json_of(client, address)
            assert (page["total"], page["next_url"], page[LISTS[address]]) == (0, None, [])
            assert client.get(address).status_code == 200


def there_url(url: str, facet: str, value: str) -> str:
    """The address of the same choice with the path's facet in the query."""
    pairs = parse_qsl(url.partition("?")[2])
    return f"/datasets?{urlencode(sorted([*pairs, (facet, value)]))}"


@pytest.mark.usefixtures("demo_archive")
class TestQueries:
    """At most twelve, whatever is asked, and as many for a few records as for many."""

    EVERYTHING = {
        "/datasets": "language=english&leaderboard=yes&licence=MIT&modality=texts&task=question-answering&year=2019",
        "/papers": "code=yes&framework=pytorch&proceeding=cvpr-2018-6&results=yes&task=image-classification&year=2018",
        "/sota": "area=computer-vision&task=image-classification",
        "/methods": "collection=attention-mechanisms",
    }

    def number(self, client: Client, address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    @pytest.mark.parametrize(("address", "number"), [("/datasets", 4), ("/papers", 4), ("/sota", 5), ("/methods", 5)])
    def test_number_of_queries(self, client: Client, address: str, number: int, monkeypatch: Any) -> None:
        assert self.number(client, address) == number
        for page in (datasets_page, papers_page):
            monkeypatch.setattr(page, "SIZE", 5)
        assert self.number(client, address) == number

    @pytest.mark.parametrize("address", EVERYTHING)
    def test_with_every_facet(self, client: Client, address: str) -> None:
        assert self.number(client, f"{address}?{self.EVERYTHING[address]}") <= 12

    def test_the_most_that_a_page_can_need(self, client: Client, monkeypatch: Any) -> None:
        monkeypatch.setattr(papers_page, "MOST", 0)
        monkeypatch.setattr(papers_page, "SIZE", 1)
        asked = "code=no&code=yes&framework=none&framework=pytorch&results=yes&year=2018"
        (first,) = json_of(client, f"/papers?{asked}")["papers"]
        after = first["paper"].rpartition("/")[2]
        assert self.number(client, f"/papers?after={after}&{asked}") <= 12


@pytest.mark.usefixtures("demo_archive")
class TestHostile:
    """Anything may stand in an address."""

    OF_DATASETS = ("modality", "task", "language", "licence", "year", "leaderboard")
    OF_OTHERS = ("proceeding", "code", "results", "framework", "area", "collection")
    FACETS = (*OF_DATASETS, *OF_OTHERS)
    OTHERS = ("sort", "page", "after", "before")
    VALUES = [
        "\x00",
        "a\x00b",
        "'; DROP TABLE archive_record; --",
        "1 OR 1=1",
        "%",
        "_",
        "../../etc/passwd",
        "<script>alert(1)</script>",
        "{{ 7*7 }}",
        "\u202e\u05d0",
        "9" * 5_000,
        "x" * 1_000_000,
        "-1",
        "1e309",
        "NaN",
        "None",
        "[]",
    ]

    def refused(self, client: Client, address: str, parameters: list[tuple[str, str]]) -> None:
        response = client.get(f"{address}?{urlencode(parameters)}", follow=True)
        assert response.status_code in (200, 404), (address, [(name, value[:20]) for name, value in parameters])
        assert b"<script>alert" not in response.content
        assert len(response.content) < 400_000

    @pytest.mark.parametrize("address", [*LISTS, "/datasets/modality/texts"])
    def test_any_value_of_all_facets_at_once(self, client: Client, address: str) -> None:
        for value in self.VALUES:
            self.refused(client, address, [(name, value) for name in self.FACETS])

    @pytest.mark.parametrize("address", LISTS)
    def test_any_value_of_one_parameter(self, client: Client, address: str) -> None:
        for name in self.FACETS + self.OTHERS:
            self.refused(client, address, [(name, "a'\x00;--")])
        for name in self.OTHERS:
            for value in self.VALUES[::3]:
                self.refused(client, address, [(name, value)])

    def test_parameters_that_are_none(self, client: Client) -> None:
        for name in ("task[]", "task__in", "id", "pk__gt", "record__quarantined", "q", "__proto__"):
            assert client.get(f"/papers?{urlencode({name: 'x'})}").headers["Location"] == "/papers"

    def test_broken_encodings(self, client: Client) -> None:
        for query in ("modality=%ff%fe", "modality=%ED%A0%80", "&&&=&=", "modality", "%00=%00", "page=2&page=1"):
            assert client.get(f"/datasets?{query}", follow=True).status_code == 200

    def test_many_values(self, client: Client) -> None:
        query = urlencode([("task", f"task-{number}") for number in range(900)])
        response = client.get(f"/papers?{query}", follow=True)
        assert response.status_code == 200
        assert len(response.redirect_chain) == 1

    def test_slugs_in_the_path(self, client: Client) -> None:
        for value in self.VALUES[:9]:
            assert client.get(f"/datasets/modality/{quote(value, safe='')}").status_code in (301, 404)

    def test_names_of_the_archive_are_escaped(self, client: Client) -> None:
        hostile = "<script>alert(1)</script>"
        Record.objects.filter(key="dataset/glue").update(name=hostile)
        Paper.objects.filter(record__kind=RecordKind.PAPER).update(title=hostile)
        for address in ("/datasets?licence=Various", "/papers"):
            assert hostile not in client.get(address).content.decode()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["task", "year", "code", "sort", "after", "before", "page", "x"]),
            st.one_of(st.text(max_size=12), st.sampled_from(["2019", "yes", "name", "newest", "a-paper"])),
        ),
        max_size=6,
    )
)
def test_an_address_is_settled_by_one_step(pairs: list[tuple[str, str]]) -> None:
    """The address that a question is sent to is sent nowhere else. Of facets that need no look-up."""

    class Filters(PaperFilters):
        task = framework = proceeding = None  # type: ignore[assignment]

    def settled(query: str) -> str:
        asked = Asked.of(QueryDict(query), "/papers", Filters, papers_page.SORTS, places=papers_page.PLACES)
        return asked.url.partition("?")[2]

    once = settled(urlencode(pairs, errors="replace"))
    assert settled(once) == once


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, None),
        ("", None),
        ("**Bold** and [linked](https://x.y/z) `code`.\r\n\r\nNext", "Bold and linked code. Next"),
        ("# Heading\n* one\n* two", "Heading one two"),
        ("<p>In <b>HTML</b></p>", "In HTML"),
        ("![](https://x.y/z.png)", None),
        ("word " * 100, "word " * 43 + "word …"),
        ("x" * 500, "x" * 220 + " …"),
    ],
)
def test_beginning(text: str | None, words: str | None) -> None:
    assert beginning(text) == words
