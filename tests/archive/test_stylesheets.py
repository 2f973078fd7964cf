"""The palette's contrast, and that the style sheets stay what they are: five files, one list of colours, no script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parent.parent.parent / "archive" / "static" / "archive" / "css"
TEMPLATES = Path(__file__).parent.parent.parent / "templates"
SHEETS = ("tokens", "base", "layout", "components", "print")

TOKENS = (CSS / "tokens.css").read_text()
PAIRS = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\);", TOKENS))


def luminance(colour: str) -> float:
    """WCAG's relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def colour(token: str, scheme: int) -> str:
    return PAIRS[token].split(", ")[scheme]


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
    assert plain == {token: pair.split(", ")[0] for token, pair in PAIRS.items()}


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
