"""The desk by keyboard alone: from the queue to the next case, in Chromium, as the web role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.importers.run import Source, import_archive
from corrections.cells import read_cell
from corrections.models import Claim, Decision, ReasonText
from tests import people
from tests.corrections.desk.acting import address, report
from tests.corrections.rulings import record
from tests.corrections.test_decide import a_metric, first
from tests.database import web_role

TINY = Path(__file__).parent.parent / "data" / "tiny"


@pytest.fixture
def cases(transactional_db: None) -> Iterator[list[tuple[str, str]]]:
    """A number and then a name to decide, and Renu to decide them."""
    import_archive([TINY], Source.beside([TINY]))
    people.renu()
    ReasonText.objects.create(title="Other version", text="The value is of another version of the paper.")
    row, field = a_metric()
    data = first("dataset")
    with web_role():
        report(row, field, "12.5")
        report(data, "homepage", "https://example.org/")
        yield [(row, field), (data, "homepage")]


def press(page: Page, *keys: str) -> None:
    """Press keys once the page listens to them."""
    expect(page.locator("#desk-keys")).to_have_attribute("data-ready", "")
    for key in keys:
        page.keyboard.press(key)


def sign_in(page: Page, site: str) -> None:
    page.goto(f"{site}/admin/desk/")
    page.fill("[name=username]", "renu")
    page.fill("[name=password]", "Renu-password")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Review desk")


def test_claim_read_decide_and_on_to_the_next_case_by_keyboard(
    live_server: LiveServer, page: Page, cases: list[tuple[str, str]]
) -> None:
    (key, field), (after, _) = cases
    sign_in(page, live_server.url)
    press(page, "j", "j", "k", "Enter")
    expect(page.locator(".desk-bar")).to_contain_text("Nobody has claimed")
    press(page, "c")
    expect(page.locator(".desk-bar")).to_contain_text("You have this case")
    assert Claim.objects.get().field == field
    expect(page.get_by_text("12.5", exact=True)).to_have_count(0)
    page.get_by_label("Your own reading").focus()
    page.keyboard.type("12.5")
    press(page, "Control+Enter")
    expect(page.locator(".notice--corrected")).to_contain_text("Recorded before you saw the proposal: 12.5")
    press(page, "a")
    expect(page.get_by_label("Value to set")).to_be_focused()
    expect(page.get_by_label("Value to set")).to_have_value("12.5")
    page.get_by_label("Which side was wrong").focus()
    page.keyboard.type("The archive")
    page.get_by_label("A reusable reason").focus()
    page.keyboard.type("Other")
    expect(page.get_by_label("Public reason")).to_have_value("The value is of another version of the paper.")
    press(page, "Control+Enter")
    expect(page.locator(".messagelist")).to_contain_text("Decision #1 is made: Accepted")
    expect(page.locator("h1")).to_have_text("Homepage")
    assert after in page.url
    decision = Decision.objects.get()
    assert read_cell(record(key), field) == "12.5" and decision.uncovered is False
    assert not Claim.objects.exists()


def test_refusing_listing_the_keys_and_an_error_that_keeps_everything(
    live_server: LiveServer, page: Page, cases: list[tuple[str, str]]
) -> None:
    sign_in(page, live_server.url)
    page.goto(live_server.url + address(*cases[1]))
    press(page, "?")
    expect(page.get_by_text("next and previous case, or section of a case")).to_be_visible()
    press(page, "r")
    expect(page.get_by_label("Public reason")).to_be_focused()
    page.keyboard.type("jkcar? are letters here")
    expect(page.get_by_label("Value to set")).to_be_hidden()
    press(page, "Control+Enter")
    expect(page.locator(".error-summary")).to_be_focused()
    expect(page.get_by_label("Public reason")).to_have_value("jkcar? are letters here")
    expect(page.get_by_label("No change")).to_be_checked()
    assert not Decision.objects.exists()
