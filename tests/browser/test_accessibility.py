"""axe on every kind of page in both schemes, a walk by keyboard, and what a narrow screen has to hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from archive.importers.run import Source, import_archive
from corrections.decisions import decide
from corrections.models import ReportKind
from corrections.submissions import Draft, file_report
from tests import people
from tests.browser.conftest import PATIENCE
from tests.corrections.rulings import accepted, wanting
from tests.database import web_role

TINY = Path(__file__).parent.parent / "data" / "tiny"
BOARD = "sota/machine-translation-on-wmt2014-english-french"
PAGES = (
    "/",
    "/datasets",
    "/datasets?modality=texts&language=none-such",
    "/dataset/wmt-2014",
    "/dataset/wmt-2014/history",
    "/dataset/wmt-2014?view=snapshot",
    "/papers",
    "/paper/attention-is-all-you-need",
    "/author/ashish-vaswani",
    "/tasks",
    "/task/machine-translation",
    "/area/natural-language-processing",
    "/methods",
    "/method/transformer",
    "/sota",
    f"/{BOARD}",
    f"/{BOARD}/row/1",
    "/search?q=translation",
    "/search?q=zzzzqqq",
    "/corrections",
    "/corrections/1",
    "/corrections/open",
    "/corrections/policy",
    "/corrections/figures",
    f"/report/{BOARD}/row/1",
    "/report/dataset/wmt-2014?field=homepage",
    "/about",
    "/counts",
    "/privacy",
    "/quarantine",
    "/styleguide",
    "/dataset/none",
)
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture
def site(transactional_db: None, live_server: LiveServer) -> Iterator[str]:
    """The tiny archive with a decision and an open report, served as the web role."""
    import_archive([TINY], Source.beside([TINY]))
    decide(accepted(wanting("dataset/wmt-2014", "homepage", "https://example.org/wmt")), people.renu())
    file_report(Draft(f"{BOARD}/row/1", ReportKind.OTHER, field="model_name", comment="A slip."), sender="192.0.2.1")
    with web_role():
        yield live_server.url


def faults(page: Page) -> list[str]:
    """What axe finds serious or critical on the page, and anything that widens it."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "runOnly": RULES}).response["violations"]
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [
        f"{fault['impact']}: {fault['id']} at {json.dumps([node['target'] for node in fault['nodes'][:3]])}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ] + ([f"{wider} px too wide"] if wider > 0 else [])


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 390), ("light", 320)], ids=["light", "dark", "400 percent"]
)
def test_axe_finds_nothing_serious_on_any_kind_of_page(site: str, browser: Browser, scheme: str, width: int) -> None:
    found: dict[str, list[str]] = {}
    breaches: list[str] = []
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with browser.new_context(**options) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: breaches.append(message.text) if message.type == "error" else None)
        for address in PAGES:
            page.goto(site + address)
            if wrong := faults(page):
                found[address] = wrong
    assert found == {}
    # The data blocks of JSON-LD are no scripts, so the strict policy has nothing to say of them.
    assert [text for text in breaches if "404" not in text] == []


def test_axe_sees_what_is_wrong(site: str, page: Page) -> None:
    page.goto(f"{site}/about")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"/x.png\">')")
    assert [fault.split()[1] for fault in faults(page)] == ["image-alt"]


def test_by_keyboard_from_the_front_page_to_the_report_of_a_row(site: str, page: Page) -> None:
    page.goto(site)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    field = page.get_by_label("Search papers, datasets, methods, tasks and leaderboards")
    expect(field).to_be_focused()
    page.keyboard.type("translation french")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=translation+french")
    tab_to(page, f'main a[href="/{BOARD}"]')
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{BOARD}")
    tab_to(page, ".board-box")
    scrolled = page.locator(".board-box").evaluate("box => getComputedStyle(box).outlineStyle")
    assert scrolled == "solid"
    tab_to(page, f'a[href="/{BOARD}/row/1"]')
    tab_to(page, f'a[href="/report/{BOARD}/row/1"]')
    page.keyboard.press("Enter")
    page.wait_for_url("**/report/**")
    expect(page.locator("h1")).to_be_visible()


def test_points_of_a_chart_are_reached_and_lead_to_their_rows(site: str, page: Page) -> None:
    page.goto(f"{site}/{BOARD}")
    tab_to(page, ".chart--time a")
    words = page.evaluate("document.activeElement.querySelector('title').textContent")
    assert "until then" in words
    expect(page.get_by_role("link", name=words)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{BOARD}/row/*")


def tab_to(page: Page, selector: str, most: int = 80) -> None:
    """Press Tab until what is in focus fits the selector; it has to be in sight then."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            break
    else:
        pytest.fail(f"{selector} is not reached by {most} tabs")
    page.wait_for_function(  # scrolling takes a frame
        "() => { const { top } = document.activeElement.getBoundingClientRect(); return top > -2 && top < innerHeight }"
    )


def test_forced_colours_keep_marks_and_borders(site: str, browser: Browser) -> None:
    with browser.new_context(forced_colors="active") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{site}/{BOARD}")
        point = page.locator(".chart__point").first
        fill, ground = point.evaluate(
            "p => [getComputedStyle(p).stroke, getComputedStyle(document.body).backgroundColor]"
        )
        assert fill != ground
        notice = page.locator(".notice").first
        assert notice.evaluate("n => getComputedStyle(n).borderInlineStartWidth") == "4px"


def test_a_printed_page_is_evidence(site: str, page: Page) -> None:
    page.goto(f"{site}/{BOARD}")
    page.emulate_media(media="print")
    expect(page.locator("footer")).to_contain_text(f"Printed from {site}/{BOARD}, archive as frozen on 2025-07-28")
    expect(page.locator(".site-header")).to_be_hidden()
    for fold in page.locator("main details").all():
        assert fold.evaluate("d => d.querySelector(':scope > :not(summary)').getBoundingClientRect().height") > 0
