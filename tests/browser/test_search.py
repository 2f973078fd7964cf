"""Finding things in Chromium by keyboard: the combobox of suggestions, and facets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.importers.run import Source, import_archive
from tests.browser.conftest import PATIENCE
from tests.browser.test_accessibility import faults, tab_to
from tests.database import web_role

TINY = Path(__file__).parent.parent / "data" / "tiny"


@pytest.fixture
def site(transactional_db: None, live_server: LiveServer) -> Iterator[str]:
    """The tiny archive, served as the web role."""
    import_archive([TINY], Source.beside([TINY]))
    with web_role():
        yield live_server.url


@pytest.fixture
def field(site: str, page: Page) -> Locator:
    """The search field of the front page, with suggestions for "sal" below it."""
    page.goto(site)
    field = page.get_by_role("combobox", name="Search papers, datasets, methods, tasks and leaderboards")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.press_sequentially("sal", delay=20)
    expect(field).to_have_attribute("aria-expanded", "true")
    return field


def options(page: Page) -> Locator:
    """The suggestions in sight."""
    return page.get_by_role("option")


def in_focus(page: Page, field: Locator) -> str | None:
    """The words of the suggestion that a screen reader is told to be on; None if it is on the field."""
    marked = field.get_attribute("aria-activedescendant")
    if marked is None:
        assert page.locator("[role=option][aria-selected=true]").count() == 0
        return None
    option = page.locator(f"#{marked}")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(page.locator("[role=option][aria-selected=true]")).to_have_count(1)
    return option.text_content()


def test_suggestions_open_are_announced_and_without_fault(page: Page, field: Locator) -> None:
    listed = page.get_by_role("listbox", name="Suggestions")
    expect(listed).to_be_visible()
    assert field.get_attribute("aria-controls") == listed.get_attribute("id")
    count = options(page).count()
    assert count >= 3
    expect(page.get_by_role("status").filter(has_text="suggestions")).to_have_text(
        f"{count} suggestions, use the arrow keys"
    )
    assert field.get_attribute("aria-autocomplete") == "list"
    assert faults(page) == []


def test_arrows_go_round_and_leave_what_was_typed(page: Page, field: Locator) -> None:
    names = options(page).all_text_contents()
    seen = []
    for _ in range(len(names) + 1):
        field.press("ArrowDown")
        seen.append(in_focus(page, field))
    assert seen == [*names, None]
    field.press("ArrowUp")
    assert in_focus(page, field) == names[-1]
    expect(field).to_have_value("sal")
    expect(field).to_be_focused()


def test_enter_goes_to_the_record(page: Page, field: Locator) -> None:
    salicon = options(page).all_text_contents().index("SALICON dataset")
    for _ in range(salicon + 1):
        field.press("ArrowDown")
    field.press("Enter")
    page.wait_for_url("**/dataset/salicon")


def test_enter_without_a_choice_searches(page: Page, field: Locator) -> None:
    field.press("Enter")
    page.wait_for_url("**/search?q=sal")


def test_escape_and_leaving_close_it(page: Page, field: Locator) -> None:
    field.press("ArrowDown")
    field.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(options(page)).to_have_count(0)
    assert in_focus(page, field) is None
    expect(field).to_have_value("sal")
    field.press("ArrowDown")  # asks again
    expect(options(page).first).to_be_visible()
    field.press("Tab")
    expect(options(page)).to_have_count(0)


def test_a_click_goes_to_the_record(page: Page, field: Locator) -> None:
    options(page).filter(has_text="SALICON dataset").click()
    page.wait_for_url("**/dataset/salicon")


def test_one_small_request_for_what_was_typed_in_one_go(site: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "suggest" in request.url else None)
    page.goto(site)
    field = page.get_by_role("combobox", name=re.compile("^Search papers"))
    with page.expect_response("**/search/suggest.json?q=salicon") as answer:
        field.press_sequentially("salicon")
    assert len(answer.value.body()) < 2_000
    assert len([url for url in asked if "suggest.json" in url]) <= 2  # a slow machine pauses between two keys


def test_without_script_it_is_a_form(site: str, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(site)
        field = page.get_by_label("Search papers, datasets, methods, tasks and leaderboards")
        assert field.get_attribute("role") is None
        field.fill("salicon")
        field.press("Enter")
        page.wait_for_url("**/search?q=salicon")
        expect(page.locator('main a[href="/dataset/salicon"]')).to_be_visible()


def test_facets_by_keyboard(site: str, page: Page) -> None:
    page.goto(f"{site}/datasets")
    tab_to(page, 'input[type="checkbox"][value="texts"]')
    page.keyboard.press("Space")
    tab_to(page, 'main button[type="submit"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/datasets?*texts*")
    expect(page.locator('main a[href="/dataset/mmdialog"]').first).to_be_visible()
    expect(page.locator('main a[href="/dataset/salicon"]')).to_have_count(0)
    tab_to(page, ".chip__off")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/datasets(?!.*texts)"))
    expect(page.locator('main a[href="/dataset/salicon"]').first).to_be_visible()
