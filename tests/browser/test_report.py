"""The way of a report in Chromium: from a page to the form, the private page, an addition, a withdrawal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.importers.run import Source, import_archive
from corrections.decisions import decide
from corrections.models import Report, ReportState
from tests import people
from tests.corrections.rulings import accepted, wanting
from tests.database import web_role

TINY = Path(__file__).parent.parent / "data" / "tiny"
BOARD = "sota/machine-translation-on-wmt2014-english-french"
DATASET = "dataset/wmt-2014"


@pytest.fixture
def site(transactional_db: None, live_server: LiveServer) -> Iterator[str]:
    """The tiny archive, served as the web role."""
    import_archive([TINY], Source.beside([TINY]))
    with web_role():
        yield live_server.url


def send(page: Page) -> None:
    page.get_by_label("may be used under CC BY-SA 4.0").check()
    page.get_by_role("button", name="Send the report").click()


def test_from_a_row_to_the_private_page_and_back(site: str, page: Page) -> None:
    page.goto(f"{site}/{BOARD}")
    page.locator("#row-1").get_by_role("link", name=re.compile("^report")).click()
    page.get_by_role("link", name="Model", exact=True).click()
    expect(page.locator("h1")).to_have_text("Report a problem or propose a change")
    expect(page.get_by_text("Ready to be sent.")).to_be_visible()

    page.get_by_label("It should be").fill("Transformer (huge)")
    send(page)
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    summary.get_by_role("link", name=re.compile("needs the source")).click()
    expect(page.get_by_label("Address of the source")).to_be_focused()
    expect(page.get_by_label("It should be")).to_have_value("Transformer (huge)")

    page.get_by_label("Address of the source").fill("https://arxiv.org/abs/1706.03762v7")
    page.get_by_label("Table or figure").fill("2")
    expect(page.get_by_text("Ready to be sent.")).to_be_visible()
    send(page)
    expect(page.locator("h1")).to_have_text("Your report")
    expect(page.get_by_role("heading", name="Open")).to_be_visible()
    private = page.url

    page.get_by_label("Add to your report").fill("Also in the abstract.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Also in the abstract.")).to_be_visible()
    assert Report.objects.get().state == ReportState.OPEN

    page.goto(f"{site}/{BOARD}")
    expect(page.locator("#row-1")).to_contain_text("1 open")
    page.goto(private)
    page.get_by_role("button", name="Withdraw the report").click()
    expect(page.get_by_role("heading", name="Withdrawn by you")).to_be_visible()
    page.goto(f"{site}/corrections/open")
    expect(page.get_by_text("Nothing is open.")).to_be_visible()


def test_without_script_it_is_held(site: str, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site}/report/{DATASET}?field=homepage")
        expect(page.get_by_text("Without JavaScript the report is held")).to_be_visible()
        page.get_by_label("A link is dead").check()
        send(page)
        expect(page.get_by_role("heading", name="Held for a look")).to_be_visible()
    assert Report.objects.get().held_because == "no proof of work"


def test_both_values_are_on_the_page_after_a_decision_and_the_feed_tells(site: str, page: Page) -> None:
    report = page.request.get(f"{site}/{DATASET}.json").json()
    old = report["homepage"]
    decide(accepted(wanting(DATASET, "homepage", "https://example.org/wmt")), people.renu())
    page.goto(f"{site}/{DATASET}")
    homepage = page.locator("dd", has=page.get_by_role("link", name="https://example.org/wmt"))
    expect(homepage).to_contain_text(f"corrected by #1; the snapshot says {old or 'nothing'}")
    homepage.get_by_role("link", name="#1").click()
    expect(page.locator("h1")).to_have_text("Decision #1")
    assert "https://example.org/wmt" in page.request.get(f"{site}/corrections.atom").text()


@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_of_ours_is_wider_than_the_screen(site: str, browser: Browser, width: int) -> None:
    hostile = "x" * 500 + "\u202e" + " <b>" * 50
    decide(accepted(wanting(DATASET, "name", hostile[:900]), reason=hostile), people.renu())
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        for path in (
            *("/corrections", "/corrections/1", "/corrections/open", "/corrections/policy", "/corrections/figures"),
            *(f"/{DATASET}/history", f"/report/{DATASET}", f"/report/{DATASET}?field=name"),
        ):
            page.goto(site + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
