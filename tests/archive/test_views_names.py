"""The pages of authors, methods and collections, and the lists in them, through the reader's door."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.importers.dump_files import DumpKind
from archive.models import Author, Collection, Record
from archive.pages.author import COUNTED, NAME_NOTE
from archive.pages.collection import METHODS_ON_A_PAGE
from archive.pages.newest import END_OF_LIST, PAPERS_ON_A_PAGE
from tests.archive.conftest import Importing
from tests.archive.dump_records import RTL, SCRIPT, SITE, code, method, paper, printed_method
from tests.archive.dumps import write_dumps

pytestmark = pytest.mark.django_db

ADA, OTHER, MANY = "Ada Lovelace", "ADA  Lovelace", 120
COLLECTIONS = [
    {"collection": "Blocks", "area_id": "general", "area": "General"},
    {"collection": "Blocks", "area_id": "graphs", "area": "Graphs"},
    {"collection": "Blocks", "area_id": "", "area": ""},
]
DUMPS: dict[DumpKind, list[Any]] = {
    DumpKind.PAPERS: [
        # Two of each day, so that a page ends within a day; the last ten have no date.
        *(
            paper(
                f"paper-{n}",
                date=f"20{10 + n // 24}-{n // 2 % 12 + 1:02}-05" if n < MANY - 10 else None,
                authors=[ADA, ADA],
                methods=[printed_method("Block"), printed_method("Block", description="another copy")],
            )
            for n in range(MANY)
        ),
        paper("alone", authors=[OTHER, SCRIPT, "李", RTL], date="2019-01-01", methods=[printed_method(SCRIPT)]),
    ],
    DumpKind.LINKS: [code("paper-3", f"https://github.com/a/b{n}") for n in range(3)],
    DumpKind.METHODS: [
        method("block", name="Block", full_name="Block", num_papers=7, introduced_year=2015, collections=COLLECTIONS),
        method(
            "hostile",
            name=SCRIPT,
            full_name=SCRIPT,
            description=SCRIPT + "x " * 500_000,
            paper={"title": SCRIPT, "url": "javascript:alert(1)"},
            source_url="javascript:alert(1)",
            source_title=RTL,
            code_snippet_url=SCRIPT,
            num_papers=None,
            collections=[{"collection": SCRIPT, "area_id": SCRIPT, "area": SCRIPT}],
        ),
        method("old", name="Old", paper={"title": "Alone", "url": f"{SITE}/paper/alone"}, collections=COLLECTIONS[:1]),
        *(method(f"m-{n:03}", name=f"m {n:03}", collections=COLLECTIONS[1:2]) for n in range(METHODS_ON_A_PAGE + 3)),
    ],
}


@pytest.fixture(scope="class")
def names_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with imported(write_dumps(tmp_path_factory.mktemp("names") / "dumps", DUMPS)):
        yield


def walk(client: Client, url: str | None, key: str) -> list[dict[str, Any]]:
    """What all pages of a list hold, from its first page on by `next_url`."""
    found: list[dict[str, Any]] = []
    while url:
        path, _, query = url.partition("?")
        page = client.get(f"{path}.json?{query}").json()
        assert page["url"] == url
        found += page[key]
        url = page["next_url"]
    return found


NEWEST_FIRST = [f"/paper/paper-{n + m}" for n in range(MANY - 12, -1, -2) for m in (0, 1)] + [
    f"/paper/paper-{n}" for n in range(MANY - 10, MANY)
]


@pytest.mark.usefixtures("names_archive")
class TestAuthor:
    """A name and its papers."""

    def test_papers_are_newest_first_each_once_over_all_pages(self, client: Client) -> None:
        papers = walk(client, "/author/ada-lovelace", "papers")
        assert [paper["paper"] for paper in papers] == NEWEST_FIRST

    def test_a_page_has_fifty_and_leads_on(self, client: Client) -> None:
        page = client.get("/author/ada-lovelace.json").json()
        assert len(page["papers"]) == PAPERS_ON_A_PAGE
        last = page["papers"][-1]["paper"].removeprefix("/paper/")
        assert page["next_url"] == f"/author/ada-lovelace?before={last}"
        html = client.get("/author/ada-lovelace").content.decode()
        assert f'rel="next" href="{page["next_url"]}#papers"' in html
        second = client.get(page["next_url"]).content.decode()
        assert 'rel="first" href="/author/ada-lovelace#papers"' in second
        assert f'href="/author/ada-lovelace.json?before={last}"' in second

    def test_a_place_stays_when_its_paper_is_set_aside(self, client: Client) -> None:
        first = client.get("/author/ada-lovelace.json").json()
        before = client.get(f"/author/ada-lovelace.json?{first['next_url'].partition('?')[2]}").json()
        Record.objects.filter(key=first["papers"][-1]["paper"].lstrip("/")).update(withdrawn=True)
        after = client.get(f"/author/ada-lovelace.json?{first['next_url'].partition('?')[2]}").json()
        assert after["papers"] == before["papers"]

    def test_a_place_that_is_none_is_refused(self, client: Client) -> None:
        assert client.get("/author/ada-lovelace?before=nothing-here").status_code == 400
        answer = client.get("/author/ada-lovelace.json?before=nothing-here")
        assert (answer.status_code, answer.json()["error"]["status"]) == (400, 400)

    def test_spellings_are_kept_apart_and_name_each_other(self, client: Client) -> None:
        other = Author.objects.get(name=OTHER)
        page = client.get("/author/ada-lovelace.json").json()
        assert page["name"] == ADA and page["name_note"] == NAME_NOTE
        assert page["other_spellings"] == [{"name": OTHER, "url": f"/author/{other.slug}"}]
        html = client.get(f"/author/{other.slug}").content.decode()
        assert "A name is not a person: " in html and f'href="/author/ada-lovelace" dir="auto">{ADA}</a>' in html

    def test_papers_are_counted_once_and_up_to_a_thousand(self, client: Client) -> None:
        page = client.get("/author/ada-lovelace.json").json()
        assert (page["papers_count"], page["papers_count_is_a_minimum"]) == (MANY, False)
        with patch("archive.pages.author.COUNTED", 100):
            page = client.get("/author/ada-lovelace.json").json()
            assert (page["papers_count"], page["papers_count_is_a_minimum"]) == (100, True)
            assert "100+ papers print this name." in client.get("/author/ada-lovelace").content.decode()
        assert COUNTED == 1_000

    def test_a_name_with_one_paper_may_be_indexed(self, client: Client) -> None:
        response = client.get("/author/a-" + "x" * 10)
        assert response.status_code == 404
        response = client.get(f"/author/{Author.objects.get(name=OTHER).slug}")
        assert "X-Robots-Tag" not in response and "1 paper prints this name." in response.content.decode()

    def test_a_name_of_hidden_papers_only_is_not_here(self, client: Client) -> None:
        path = f"/author/{Author.objects.get(name=OTHER).slug}"
        assert client.get(path).status_code == 200
        Record.objects.filter(key="paper/alone").update(withdrawn=True)
        assert client.get(path).status_code == 404

    def test_hostile_names(self, client: Client) -> None:
        for name in (SCRIPT, RTL, "李"):
            html = client.get(f"/author/{Author.objects.get(name=name).slug}").content.decode()
            assert "<script" not in html.partition("<body")[2] and '<h1 dir="auto">' in html

    def test_repositories_are_counted(self, client: Client) -> None:
        papers = {each["paper"]: each["code_links"] for each in walk(client, "/author/ada-lovelace", "papers")}
        assert papers["/paper/paper-3"] == 3 and sum(papers.values()) == 3

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize(("name", "number"), [(ADA, 5), (OTHER, 6)])
    def test_number_of_queries(
        self, client: Client, name: str, number: int, ending: str, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        """One more where dated papers do not fill the page."""
        path = f"/author/{Author.objects.get(name=name).slug}{ending}"
        with django_assert_num_queries(number):
            assert client.get(path).status_code == 200


@pytest.mark.usefixtures("names_archive")
class TestMethod:
    """A method and the papers that print it."""

    def test_papers_that_print_any_of_its_copies(self, client: Client) -> None:
        papers = walk(client, "/method/block", "papers")
        assert [paper["paper"] for paper in papers] == NEWEST_FIRST

    def test_years_add_up(self, client: Client) -> None:
        page = client.get("/method/block.json").json()
        assert page["papers_by_year"] == [
            {"year": 2014, "papers": 14},
            *({"year": year, "papers": 24} for year in (2013, 2012, 2011, 2010)),
            {"year": None, "papers": 10},
        ]
        assert page["papers_count"] == sum(each["papers"] for each in page["papers_by_year"]) == MANY

    def test_the_archives_own_count_is_kept_beside(self, client: Client) -> None:
        assert client.get("/method/block.json").json()["num_papers_in_archive"] == 7
        html = client.get("/method/block").content.decode()
        assert "The archive counts 7 papers." in html and "120 papers print the method." in html
        assert "kept as printed" in html

    def test_the_placeholder_year_is_unknown(self, client: Client) -> None:
        known, placeholder = (client.get(f"/method/{slug}.json").json() for slug in ("block", "old"))
        assert known["introduced_year"] == known["introduced_year_in_archive"] == 2015
        assert (placeholder["introduced_year"], placeholder["introduced_year_in_archive"]) == (None, 2000)
        assert placeholder["absent"]["introduced_year"]["reason"] == "unknown"
        assert placeholder["absent"]["introduced_year"]["sentence"] in client.get("/method/old").content.decode()

    def test_introduced_by_a_paper_of_the_archive(self, client: Client) -> None:
        assert client.get("/method/old.json").json()["introduced_by"] == {
            "paper": "/paper/alone",
            "title": "Alone",
            "url": None,
        }
        Record.objects.filter(key="paper/alone").update(withdrawn=True)
        assert client.get("/method/old.json").json()["introduced_by"]["paper"] is None

    def test_nobody_prints_it(self, client: Client) -> None:
        page = client.get("/method/m-000.json").json()
        assert page["papers"] == [] == page["papers_by_year"]
        assert page["absent"]["papers"]["sentence"] in unescape(client.get("/method/m-000").content.decode())

    def test_a_page_behind_the_end_says_so(self, client: Client) -> None:
        for path in ("/method/block", "/author/ada-lovelace"):
            page = client.get(f"{path}.json?before=paper-{MANY - 1}").json()
            assert page["papers"] == [] and page["absent"]["papers"]["sentence"] == END_OF_LIST
            assert END_OF_LIST in client.get(f"{path}?before=paper-{MANY - 1}").content.decode()

    def test_hidden_papers_are_in_no_list_and_no_count(self, client: Client) -> None:
        Record.objects.filter(key="paper/paper-0").update(quarantined="x")
        page = client.get("/method/block.json").json()
        assert page["papers_count"] == MANY - 1
        assert "/paper/paper-0" not in [paper["paper"] for paper in walk(client, "/method/block", "papers")]

    def test_only_the_first_page_is_for_search_engines(self, client: Client) -> None:
        assert "X-Robots-Tag" not in client.get("/method/block")
        assert client.get("/method/block?before=paper-5")["X-Robots-Tag"] == "noindex"

    def test_hostile(self, client: Client) -> None:
        html = client.get("/method/hostile").content.decode()
        assert "<script" not in html.partition("<body")[2] and "<img" not in html
        assert 'href="javascript' not in html
        page = client.get("/method/hostile.json").json()
        assert page["description_markdown"] == SCRIPT + "x " * 500_000
        assert page["absent"]["introduced_by.paper"]["reason"] == "not-matched"
        assert page["absent"]["num_papers_in_archive"]["reason"] == "not-in-archive"

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize(("slug", "number"), [("block", 8), ("hostile", 9)])
    def test_number_of_queries(
        self, client: Client, slug: str, number: int, ending: str, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        """One more where dated papers do not fill the page."""
        with django_assert_num_queries(number):
            assert client.get(f"/method/{slug}{ending}").status_code == 200


@pytest.mark.usefixtures("names_archive")
class TestCollection:
    """A collection of methods."""

    def path(self, area: str) -> str:
        return f"/methods/collection/{Collection.objects.get(name='Blocks', area=area).slug}"

    def test_one_name_in_several_areas(self, client: Client) -> None:
        pages = [client.get(f"{self.path(area)}.json").json() for area in ("General", "Graphs", "")]
        assert len({page["url"] for page in pages}) == 3
        assert [page["area"] for page in pages] == ["General", "Graphs", None]
        assert [each["area"] for each in pages[0]["namesakes"]] == ["Graphs", ""]
        assert [page["methods_count"] for page in pages] == [2, METHODS_ON_A_PAGE + 4, 1]
        assert pages[2]["absent"]["area"]["reason"] == "not-in-archive"

    def test_the_method_names_all_of_them(self, client: Client) -> None:
        collections = client.get("/method/block.json").json()["collections"]
        assert [each["area"] for each in collections] == ["General", "Graphs", ""]
        for each in collections:
            assert client.get(each["url"]).status_code == 200

    def test_methods_by_name_each_once_over_all_pages(self, client: Client) -> None:
        methods = walk(client, self.path("Graphs"), "methods")
        names = [each["name"] for each in methods]
        assert names == ["Block", *(f"m {n:03}" for n in range(METHODS_ON_A_PAGE + 3))]
        html = client.get(self.path("Graphs")).content.decode()
        assert "204 methods by name, 200 on a page" in html and 'rel="next"' in html

    def test_a_place_that_is_none_is_refused(self, client: Client) -> None:
        assert client.get(f"{self.path('Graphs')}?after=nothing").status_code == 400

    def test_hidden_methods_are_absent(self, client: Client) -> None:
        path = self.path("")
        Record.objects.filter(key="method/block").update(quarantined="x")
        assert client.get(path).status_code == 404
        assert [each["name"] for each in client.get(f"{self.path('General')}.json").json()["methods"]] == ["Old"]

    def test_hostile(self, client: Client) -> None:
        html = client.get(f"/methods/collection/{Collection.objects.get(name=SCRIPT).slug}").content.decode()
        assert "<script" not in html.partition("<body")[2] and "<img" not in html

    def test_there_is_none(self, client: Client) -> None:
        assert client.get("/methods/collection/none").status_code == 404

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize("area", ["General", "Graphs"])
    def test_number_of_queries(
        self, client: Client, area: str, ending: str, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        path = self.path(area)
        with django_assert_num_queries(5):
            assert client.get(f"{path}{ending}").status_code == 200
