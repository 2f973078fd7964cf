"""The admin in a browser, under the strict content policy and the web role."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.database import web_role


@pytest.mark.usefixtures("transactional_db")
def test_signing_in_works_with_style_and_without_a_breach(live_server: LiveServer, page: Page) -> None:
    User.objects.create_superuser("ada", password="lovelace-1843")
    with web_role():
        page.goto(f"{live_server.url}/admin/")
        page.fill("[name=username]", "ada")
        page.fill("[name=password]", "lovelace-1843")
        page.click("[type=submit]")
        expect(page.locator("#user-tools")).to_contain_text("ada")
    assert page.evaluate("getComputedStyle(document.querySelector('#header')).display") == "flex"


def test_inline_script_and_style_do_nothing(live_server: LiveServer, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{live_server.url}/admin/login/")
        page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend", '<p style="color: rgb(1, 2, 3)">');
        }""")
        assert page.evaluate("window.ran") is None
        assert page.evaluate("getComputedStyle(document.body.lastElementChild).color") != "rgb(1, 2, 3)"
