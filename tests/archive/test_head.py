"""What machines are told in a page's head, and that nothing the archive prints can break out of it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from archive.models import Dataset, Paper, Record

STATIC = Path(__file__).parent.parent.parent / "archive" / "static" / "archive"
BREAKING = '</script><script>alert("x")</script> \u2028 & <b>'


class Head(HTMLParser):
    """The elements of a head, and its blocks of data."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.meta: list[tuple[str, str]] = []
        self.links: list[dict[str, str | None]] = []
        self.scripts: list[str | None] = []
        self.data: list[Any] = []
        self._in_data = False
        self.feed(html.partition("<body")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "meta":
            self.meta.append((found.get("name") or found.get("property") or "", found.get("content") or ""))
        if tag == "link":
            self.links.append(found)
        if tag == "script":
            self.scripts.append(found.get("type"))
        self._in_data = found.get("type") == "application/ld+json"

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data.append(json.loads(data))
            self._in_data = False

    def named(self, name: str) -> list[str]:
        return [content for each, content in self.meta if each == name]

    def about(self, kind: str) -> dict[str, Any]:
        (found,) = (thing for thing in self.data if thing["@type"] == kind)
        return dict(found)


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestHead:
    def head(self, client: Client, address: str) -> Head:
        return Head(client.get(address).content.decode())

    def test_a_dataset_in_the_words_of_schema_org(self, client: Client) -> None:
        page = client.get("/dataset/wmt-2014.json").json()
        thing = self.head(client, "/dataset/wmt-2014").about("Dataset")
        assert thing["@context"] == "https://schema.org"
        assert thing["url"] == "http://testserver/dataset/wmt-2014"
        assert thing["name"] == page["name"]
        assert thing["sdLicense"] == "https://creativecommons.org/licenses/by-sa/4.0/"
        assert thing["sdDatePublished"] == page["source"]["snapshot"]
        assert "distribution" not in thing
        assert "contentUrl" not in json.dumps(thing)

    def test_the_datas_licence_is_its_own(self, client: Client) -> None:
        dataset = Dataset.objects.get(record__key="dataset/wmt-2014")
        for name, url, expected in (
            ("MIT", "https://opensource.org/license/mit", "https://opensource.org/license/mit"),
            ("Custom", None, "Custom"),
            ("Custom", "javascript:alert(1)", "Custom"),
            (None, None, None),
        ):
            Dataset.objects.filter(pk=dataset.pk).update(license_name=name, license_url=url)
            thing = self.head(client, "/dataset/wmt-2014").about("Dataset")
            assert thing.get("license") == expected
            assert thing["sdLicense"] == "https://creativecommons.org/licenses/by-sa/4.0/"

    def test_a_paper_has_its_authors_one_by_one_in_order(self, client: Client) -> None:
        page = client.get("/paper/attention-is-all-you-need.json").json()
        names = [author["name"] for author in page["authors"]]
        head = self.head(client, "/paper/attention-is-all-you-need")
        assert len(names) > 1
        assert head.named("citation_author") == names
        assert [author["name"] for author in head.about("ScholarlyArticle")["author"]] == names
        assert head.named("citation_title") == [page["title"]]
        assert head.named("citation_publication_date") == [page["date"].replace("-", "/")]
        assert head.named("citation_pdf_url") == [f"https://arxiv.org/pdf/{page['arxiv_id']}"]
        assert head.named("og:type") == ["article"]

    def test_of_a_year_only_the_year_is_told(self, client: Client) -> None:
        Paper.objects.filter(record__key="paper/attention-is-all-you-need").update(
            date="2017-01-01", date_precision="year"
        )
        head = self.head(client, "/paper/attention-is-all-you-need")
        assert head.named("citation_publication_date") == ["2017"]
        assert head.about("ScholarlyArticle")["datePublished"] == "2017"

    def test_crumbs(self, client: Client) -> None:
        steps = self.head(client, "/dataset/wmt-2014").about("BreadcrumbList")["itemListElement"]
        assert [(step["position"], step["name"], step.get("item")) for step in steps] == [
            (1, "Datasets", "http://testserver/datasets"),
            (2, "WMT 2014", None),
        ]

    def test_the_front_page_says_how_to_search(self, client: Client) -> None:
        thing = self.head(client, "/").about("WebSite")
        assert thing["potentialAction"]["target"]["urlTemplate"] == "http://testserver/search?q={q}"

    def test_text_of_the_archive_can_not_end_the_block(self, client: Client) -> None:
        Paper.objects.filter(record__key="paper/attention-is-all-you-need").update(title=BREAKING, abstract=BREAKING)
        html = client.get("/paper/attention-is-all-you-need").content.decode()
        head = Head(html)
        assert head.about("ScholarlyArticle")["headline"] == BREAKING
        assert set(head.scripts) == {"application/ld+json", "module"}
        assert "<script>alert" not in html
        assert "\u2028" not in "".join(re.findall(r"<script[^>]*>(.*?)</script>", html, re.S))
        assert head.named("citation_title") == [BREAKING]

    def test_what_is_set_aside_is_not_told(self, client: Client) -> None:
        Record.objects.filter(key="dataset/wmt-2014").update(quarantined="telephone")
        head = self.head(client, "/dataset/wmt-2014")
        assert (head.data, head.named("og:title"), head.named("description")) == ([], [], [])
        assert head.named("robots") == ["noindex"]

    def test_another_view_is_told_to_nobody_but_leads_to_the_current_one(self, client: Client) -> None:
        head = self.head(client, "/dataset/wmt-2014?view=snapshot")
        assert head.data == []
        canonical = [link["href"] for link in head.links if link["rel"] == "canonical"]
        assert canonical == ["http://testserver/dataset/wmt-2014"]

    @pytest.mark.parametrize(
        "address",
        ["/", "/datasets", "/dataset/wmt-2014", "/paper/attention-is-all-you-need", "/sota", "/tasks", "/about"],
    )
    def test_every_page_has_a_description_a_card_and_its_alternates(self, client: Client, address: str) -> None:
        head = self.head(client, address)
        (description,) = head.named("description")
        assert 20 < len(description) <= 330
        assert head.named("og:description") == [description]
        assert head.named("og:url") == [f"http://testserver{address}"]
        (card,) = head.named("og:image")
        assert card.startswith("http://testserver/static/archive/card")
        kinds = {link["rel"] for link in head.links}
        assert {"canonical", "alternate", "icon", "apple-touch-icon", "manifest", "search", "preload"} <= kinds

    def test_an_error_has_the_signs_but_says_nothing(self, client: Client) -> None:
        head = self.head(client, "/dataset/none")
        assert (head.data, head.named("og:title")) == ([], [])
        assert "icon" in {link["rel"] for link in head.links}

    def test_the_icon_is_where_browsers_look_for_it(self, client: Client) -> None:
        response = client.get("/favicon.ico")
        assert response.status_code == 302
        assert response["Location"].startswith("/static/archive/favicon")


def test_the_manifest_names_files_that_exist() -> None:
    manifest = json.loads((STATIC / "site.webmanifest").read_text())
    assert all((STATIC / icon["src"]).exists() for icon in manifest["icons"])


def test_fonts_are_few_and_free() -> None:
    fonts = list((STATIC / "fonts").glob("*.woff2"))
    assert sum(font.stat().st_size for font in fonts) <= 200_000
    assert "SIL OPEN FONT LICENSE" in (STATIC / "fonts" / "OFL.txt").read_text()
    assert {font.name for font in fonts} == set(
        re.findall(r"fonts/([\w-]+\.woff2)", (STATIC / "css" / "tokens.css").read_text())
    )
