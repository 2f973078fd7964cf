"""The palette's contrast, and that the style sheets stay what they are: five files, one list of colours, no script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.palette import colours, contrast

CSS = Path(__file__).parent.parent.parent / "archive" / "static" / "archive" / "css"
TEMPLATES = Path(__file__).parent.parent.parent / "templates"
SHEETS = ("tokens", "base", "layout", "components", "print")

TOKENS = (CSS / "tokens.css").read_text()


def colour(token: str, scheme: int) -> str:
    return colours()[token][scheme]


def test_contrast_is_computed_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert round(contrast("#1d1b18", "#fbfaf7"), 1) == 16.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "sunk"])
@pytest.mark.parametrize(
    ("token", "least"),
    [
        ("ink", 7),
        ("quiet", 4.5),
        ("link", 4.5),
        ("visited", 4.5),
        ("corrected", 4.5),
        ("withheld", 4.5),
        ("control", 3),
        ("series", 3),
    ],
)
def test_contrast(token: str, ground: str, least: float, scheme: int) -> None:
    assert contrast(colour(token, scheme), colour(ground, scheme)) >= least


def test_browsers_without_light_dark_get_the_light_colours() -> None:
    plain = dict(re.findall(r"--([\w-]+): (#\w{6});", TOKENS))
    assert plain == {token: light for token, (light, _) in colours().items()}
    assert len(plain) == TOKENS.count(": light-dark(#") - 1  # one asks whether there is such a thing


def test_colours_are_named_once() -> None:
    for sheet in SHEETS[1:4]:
        assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(", (CSS / f"{sheet}.css").read_text()) == []


def test_every_token_that_is_used_exists() -> None:
    text = "".join((CSS / f"{sheet}.css").read_text() for sheet in SHEETS)
    assert set(re.findall(r"var\(--([\w-]+)", text)) <= set(re.findall(r"--([\w-]+):", TOKENS))


def test_the_sheets_are_five_and_all_in_layers() -> None:
    assert {path.stem for path in CSS.glob("*.css")} == set(SHEETS)
    layers = [
        layer for sheet in SHEETS for layer in re.findall(r"^@layer (\w+) \{", (CSS / f"{sheet}.css").read_text(), re.M)
    ]
    assert layers == ["reset", "tokens", "base", "layout", "components", "print"]
    assert f"@layer {', '.join(layers)};" in TOKENS


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_templates_hold_no_script_and_no_style(path: Path) -> None:
    """The Content-Security-Policy would refuse them."""
    text = path.read_text()
    assert (
        re.findall(r"<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=|\stype=.application/ld\+json)", text)
        == []
    )


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestStyleguide:
    def test_it_tells_the_contrasts_that_are_computed(self, client: Client) -> None:
        page = client.get("/styleguide.json").json()
        names = {each["name"] for each in page["colours"]}
        assert names == set(colours()) - {"paper", "sunk", "hairline"}
        ink = next(each for each in page["colours"] if each["name"] == "ink")
        assert [shade["contrast"] for shade in ink["shades"]] == [14.9, 13.6]

    def test_it_shows_each_component_with_real_data(self, client: Client) -> None:
        html = client.get("/styleguide").content.decode()
        example = client.get("/styleguide.json").json()["example"]
        row = client.get(f"{example}.json").json()["results"][0]
        assert row["rank_at_snapshot"] in html and f'href="{row["row"]}"' in html
        for part in (
            "notice--withheld",
            "corrected__was",
            "absence",
            "chip",
            "fold",
            "search-form",
            "chart--time",
            "swatch--ink",
        ):
            assert part in html, part
        for name in colours().keys() - {"paper", "sunk", "hairline"}:
            assert f".swatch--{name} {{ background: var(--{name}); }}" in (CSS / "components.css").read_text()

    def test_queries(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_max_num_queries(12):
            assert client.get("/styleguide").status_code == 200

    def test_it_is_not_for_search_engines(self, client: Client) -> None:
        assert client.get("/styleguide")["X-Robots-Tag"] == "noindex"
        assert "/styleguide" not in client.get("/sitemap/pages.xml").content.decode()
