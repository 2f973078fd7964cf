"""Fixtures for tests that drive Chromium: the system's own, nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.chromium import chromium

PATIENCE = 60_000  # milliseconds: a busy machine is not a fault
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the browser, so that it can be left out by ``-m 'not browser'``."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skipped where there is none, unless CORRIGENDA_REQUIRE_BROWSER is set."""
    program = chromium()
    if program is None:
        if os.environ.get("CORRIGENDA_REQUIRE_BROWSER"):
            pytest.fail("CORRIGENDA_REQUIRE_BROWSER is set and there is no Chromium")
        pytest.skip("no Chromium is installed")
    # Playwright's event loop runs in the test's thread, where Django would otherwise refuse every query.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with its own profile; the test fails on an uncaught error or a breach of the content policy."""
    faults: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            faults.append(message.text)

    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", listen)
        page.on("pageerror", lambda error: faults.append(str(error)))
        yield page
    assert not faults, faults
