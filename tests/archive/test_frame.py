"""The frame around every page, held on pages that exist: a dataset, one that is set aside, an error."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from django.test import Client

ADDRESSES = ["/dataset/wmt-2014", "/dataset/skyline-booking-555-0143", "/dataset/none"]


class Outline(HTMLParser):
    """What a reader's tools see of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag in tags]


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
@pytest.mark.parametrize("address", ADDRESSES)
class TestFrame:
    @pytest.fixture
    def html(self, client: Client, address: str) -> str:
        return client.get(address).content.decode()

    @pytest.fixture
    def outline(self, html: str) -> Outline:
        return Outline(html)

    def test_landmarks(self, outline: Outline) -> None:
        assert outline.all("html") == [{"lang": "en"}]
        assert len(outline.all("main")) == len(outline.all("footer")) == 1
        names = [nav.get("aria-label") for nav in outline.all("nav")]
        assert names[0] == "Site"
        assert len(names) == len(set(names))
        assert [form["role"] for form in outline.all("form")] == ["search"]

    def test_one_h1_and_no_level_left_out(self, outline: Outline) -> None:
        levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(later <= earlier + 1 for earlier, later in pairwise(levels))

    def test_the_skip_link_comes_first_and_leads_to_the_content(self, outline: Outline) -> None:
        assert outline.all("a")[0] == {"class": "skip-link", "href": "#content"}
        assert outline.all("main")[0]["id"] == "content"

    def test_ids_are_unique_and_those_named_exist(self, outline: Outline) -> None:
        ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        values = [attributes.get("aria-labelledby") or attributes.get("for") for _, attributes in outline.elements]
        assert {name for value in values for name in (value or "").split()} <= set(ids)

    def test_tables_have_captions_scopes_and_a_box_to_scroll(self, outline: Outline) -> None:
        assert len(outline.all("table")) == len(outline.all("caption"))
        assert all(cell.get("scope") in ("col", "row") for cell in outline.all("th"))
        boxes = [box for box in outline.all("div") if box.get("class") == "table-box"]
        assert len(boxes) == len(outline.all("table"))
        assert all(box["tabindex"] == "0" and box["role"] == "region" and box["aria-labelledby"] for box in boxes)

    def test_no_script_no_style_no_image(self, outline: Outline) -> None:
        assert outline.all("style", "img", "iframe") == []
        assert {script.get("type") for script in outline.all("script")} <= {"application/ld+json", "module"}
        assert [script["src"] for script in outline.all("script") if "src" in script] == [
            "/static/archive/js/suggest.js"
        ]
        assert not [attributes for _, attributes in outline.elements if "style" in attributes]

    def test_the_search_field_has_a_label(self, outline: Outline) -> None:
        (field,) = outline.all("input")
        assert [label["for"] for label in outline.all("label")] == [field["id"]]
        assert outline.all("form")[0] == {
            "class": "site-search",
            "role": "search",
            "action": "/search",
            "method": "get",
        }


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestWays:
    def test_crumbs_end_at_the_page(self, client: Client) -> None:
        html = client.get("/dataset/wmt-2014").content.decode()
        crumbs = html.partition('aria-label="You are here"')[2].partition("</nav>")[0]
        assert re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", crumbs)).strip(" >") == "Datasets WMT 2014"
        assert '<li aria-current="page">WMT 2014</li>' in crumbs
        assert '<a href="/datasets">Datasets</a>' in crumbs

    def test_the_section_is_marked(self, client: Client) -> None:
        html = client.get("/dataset/wmt-2014").content.decode()
        assert re.findall(r'<a href="([^"]+)" aria-current="true">', html) == ["/datasets"]

    def test_licence_and_snapshot_stand_in_the_footer(self, client: Client) -> None:
        footer = client.get("/dataset/wmt-2014").content.decode().partition("<footer")[2]
        assert '<a rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">CC BY-SA 4.0</a>' in footer
        assert '<time datetime="2025-07-28">28 July 2025</time>' in footer
        assert '<a href="/dataset/wmt-2014.json">as JSON</a>' in footer
