"""The machine's doors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from unittest import mock
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive import sitemaps
from archive.models import ImportRun, Record
from tests.archive.conftest import Importing
from tests.archive.test_views_site import hide_some
from tests.demo_archive import DEMO

pytestmark = pytest.mark.django_db

SITE = "http://testserver"
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    with imported(DEMO):
        yield


def places(client: Client, address: str, root: str, entry: str) -> list[str]:
    """The addresses that a map names; what it may hold is checked by the protocol's rules."""
    response = client.get(address)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/xml; charset=utf-8"
    assert len(response.content) < 50_000_000
    tree = ElementTree.fromstring(response.content)
    assert tree.tag == NAMESPACE + root
    assert {child.tag for child in tree} == {NAMESPACE + entry}
    found = [child.findtext(NAMESPACE + "loc") for child in tree]
    assert 0 < len(found) <= 50_000
    assert len(found) == len(set(found))
    assert all(place and place.startswith(SITE + "/") for place in found)
    return [str(place).removeprefix(SITE) for place in found]


@pytest.mark.usefixtures("demo_archive")
class TestSitemap:
    def maps(self, client: Client) -> list[str]:
        return places(client, "/sitemap.xml", "sitemapindex", "sitemap")

    @pytest.mark.parametrize("stretch", [97, 400, 40_000])
    def test_records_are_all_public_ones_with_a_page(self, client: Client, stretch: int, monkeypatch: Any) -> None:
        hide_some()
        monkeypatch.setattr(sitemaps, "STRETCH", stretch)
        maps = self.maps(client)
        found = [place for one in maps if "records" in one for place in places(client, one, "urlset", "url")]
        shown = Record.objects.public().exclude(kind="code").values_list("key", flat=True)
        assert sorted(found) == sorted(f"/{key}" for key in shown)

    def test_pages_answer(self, client: Client) -> None:
        found = places(client, "/sitemap/pages.xml", "urlset", "url")
        assert {"/", "/datasets", "/datasets/modality/texts", "/datasets/task/visual-dialogue", "/area/speech"} < set(
            found
        )
        for place in [*found[:20], *found[20::15]]:
            response = client.get(place)
            assert response.status_code == 200, place
            assert "X-Robots-Tag" not in response.headers

    def test_a_stretch_without_records(self, client: Client) -> None:
        beyond = Record.objects.latest("id").pk // sitemaps.STRETCH + 1
        assert client.get(f"/sitemap/records-{beyond}.xml").status_code == 404
        assert client.get("/sitemap/records-99999999999999999999.xml").status_code == 404

    def test_names_are_escaped(self, client: Client) -> None:
        stretch = Record.objects.get(key="dataset/glue").pk // sitemaps.STRETCH
        Record.objects.filter(key="dataset/glue").update(key="dataset/a&b'\"<ü>")
        assert "/dataset/a&b'%22%3C%C3%BC%3E" in places(client, f"/sitemap/records-{stretch}.xml", "urlset", "url")

    def test_number_of_queries(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(sitemaps, "STRETCH", 50)
        for address, number in (("/sitemap.xml", 2), ("/sitemap/records-1.xml", 1), ("/sitemap/pages.xml", 5)):
            with django_assert_num_queries(number):
                client.get(address)

    def test_is_asked_for_again_only_when_it_changes(self, client: Client) -> None:
        first = client.get("/sitemap.xml")
        assert client.get("/sitemap.xml", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


@pytest.mark.usefixtures("demo_archive")
class TestWords:
    def test_robots(self, client: Client) -> None:
        response = client.get("/robots.txt")
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        robots = RobotFileParser()
        robots.parse(response.content.decode().splitlines())
        for allowed in (
            "/",
            "/datasets",
            "/paper/x",
            "/sota/x/row/1",
            "/index.json",
            "/sitemap.xml",
            "/corrections",
            "/search",
        ):
            assert robots.can_fetch("AnyBot", SITE + allowed), allowed
        for closed in (
            "/admin/",
            "/search?q=x",
            "/search.json?q=x",
            "/search/suggest.json?q=x",
            "/quarantine",
            "/report/paper/x",
        ):
            assert not robots.can_fetch("AnyBot", SITE + closed), closed
        assert robots.site_maps() == [f"{SITE}/sitemap.xml"]

    def test_llms(self, client: Client) -> None:
        response = client.get("/llms.txt")
        assert response.headers["Content-Type"] == "text/markdown; charset=utf-8"
        text = response.content.decode()
        assert re.match(r"# Corrigenda\n\n> [^\n]+\n\n", text)
        links = re.findall(r"\]\((\S+?)\)", text)
        assert len(links) > 10
        for link in links:
            assert link.startswith(SITE + "/")
            if "/search" not in link:
                assert client.get(link.removeprefix(SITE)).status_code == 200, link

    def test_opensearch(self, client: Client) -> None:
        tree = ElementTree.fromstring(client.get("/opensearch.xml").content)
        name = "{http://a9.com/-/spec/opensearch/1.1/}"
        assert tree.tag == f"{name}OpenSearchDescription"
        assert len(tree.findtext(f"{name}ShortName") or "x" * 17) <= 16
        templates = [url.attrib["template"] for url in tree.findall(f"{name}Url")]
        assert templates[0] == SITE + "/search?q={searchTerms}"


class TestHealth:
    def test_alive_without_a_query(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(0):
            response = client.get("/healthz")
        assert (response.status_code, response.content) == (200, b"ok\n")
        assert response.headers["Cache-Control"] == "no-store"

    def test_not_ready_while_nothing_is_imported(self, client: Client) -> None:
        response = client.get("/readyz")
        assert (response.status_code, response.content) == (503, b"no archive is imported\n")

    def test_ready(self, client: Client) -> None:
        ImportRun.objects.create(archive="a", title="a", licence="a", snapshot="2025-07-28")
        assert client.get("/readyz").status_code == 200

    def test_not_ready_without_the_database(self, client: Client) -> None:
        broken = mock.Mock(side_effect=OperationalError("gone"))
        with mock.patch.object(ImportRun.objects, "exists", broken), mock.patch("archive.views.machine.connection"):
            response = client.get("/readyz")
        assert (response.status_code, response.content) == (503, b"the database does not answer\n")

    def test_only_reading(self, client: Client) -> None:
        for address in ("/healthz", "/readyz", "/robots.txt", "/sitemap.xml", "/datasets", "/"):
            assert client.post(address).status_code == 405
