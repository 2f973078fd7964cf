"""The whole way in Chromium: a stranger's report, a reviewer's decision, both values everywhere, and the way back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from corrections.models import Decision, Report, ReportState
from tests import people
from tests.browser.test_desk import press, sign_in
from tests.browser.test_report import BOARD, send, site
from tests.corrections.rulings import record

__all__ = ["site"]  # the fixture

NEW = "Transformer (huge)"


def test_report_decide_see_both_values_revert(site: str, page: Page) -> None:
    page.set_default_timeout(10_000)
    people.renu()
    old = record(f"{BOARD}/row/1").name

    page.goto(f"{site}/{BOARD}")
    page.locator("#row-1").get_by_role("link", name=re.compile("^report")).click()
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_label("It should be").fill(NEW)
    page.get_by_label("Address of the source").fill("https://arxiv.org/abs/1706.03762v7")
    page.get_by_label("Table or figure").fill("2")
    expect(page.get_by_text("Ready to be sent.")).to_be_visible()
    send(page)
    private = page.url
    assert page.request.get(f"{site}/{BOARD}/row/1.json").json()["open_reports"] == 1

    sign_in(page, site)
    page.goto(f"{site}/admin/desk/{BOARD}/row/1?field=model_name")
    page.get_by_role("button", name=re.compile("Claim")).first.click()
    press(page, "a")
    page.get_by_label("Which side was wrong").select_option("archive")
    page.get_by_label("Your own reading").fill(NEW)
    page.get_by_label("Public reason").fill("Table 2 of the paper names the model so.")
    press(page, "Control+Enter")
    expect(page.locator(".messagelist")).to_contain_text("Decision #1 is made")
    assert Report.objects.get().state == ReportState.DECIDED

    page.goto(f"{site}/{BOARD}")
    expect(page.locator("#row-1")).to_contain_text(NEW)
    expect(page.locator("#row-1")).to_contain_text(old)
    row = page.request.get(f"{site}/{BOARD}/row/1.json").json()
    assert row["corrections"] == [
        {**row["corrections"][0], "field": "model_name", "snapshot": old, "current": NEW, "decision": 1}
    ]
    assert NEW in page.request.get(f"{site}/{BOARD}.csv").text()
    assert "Table 2 of the paper names the model so." in page.request.get(f"{site}/corrections.atom").text()
    page.goto(private)
    expect(page.get_by_text("Table 2 of the paper names the model so.")).to_be_visible()

    page.goto(f"{site}/admin/desk/decisions/1/")
    page.get_by_label(re.compile("reason", re.IGNORECASE)).first.fill("The paper was misread.")
    page.get_by_role("button", name=re.compile("Revert|Undo")).first.click()
    assert Decision.objects.get(number=2).reverts_id == 1
    page.goto(f"{site}/{BOARD}")
    expect(page.locator("#row-1")).to_contain_text(old)
    expect(page.locator("#row-1")).not_to_contain_text(NEW)
