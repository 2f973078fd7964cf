"""Pictures of the site: the lists, and the first record that each of them names, in four looks.

    python -m tests.browser.screenshots http://127.0.0.1:8000 FOLDER

Writes FOLDER/<page>-<look>.png. Pages that answer anything but 200 are named and make the exit code 1.
"""

from __future__ import annotations

import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import chromium

LISTS = {"/datasets": "/dataset/", "/papers": "/paper/", "/tasks": "/task/", "/methods": "/method/", "/sota": "/sota/"}
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "wide-dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 844}},
    "narrow-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


def wait_for(site: str, seconds: int = 60) -> None:
    """Return once something listens there; raises TimeoutError."""
    place = urlsplit(site)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection((place.hostname, place.port or 80), timeout=1):
            return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens at {site}")


def addresses(page: Page, site: str) -> list[str]:
    """Give the front page, each list, and the first record that each list links to."""
    found = ["/"]
    for address, prefix in LISTS.items():
        found.append(address)
        page.goto(site + address)
        link = page.locator(f"main a[href^='{prefix}']").first
        if link.count():
            found.append(str(link.get_attribute("href")))
    return found


def take(browser: Browser, site: str, folder: Path) -> list[str]:
    """Take every picture; give the addresses that did not answer 200."""
    faults = []
    with browser.new_context() as context:
        wanted = addresses(context.new_page(), site)
    for look, options in LOOKS.items():
        with browser.new_context(**options) as context:
            page = context.new_page()
            for address in wanted:
                response = page.goto(site + address)
                if response is None or response.status != 200:
                    faults.append(f"{address} ({response.status if response else 'no answer'})")
                name = address.strip("/").replace("/", "-") or "front"
                page.screenshot(path=folder / f"{name}-{look}.png", full_page=True)
    return faults


def main(site: str, folder: Path) -> int:
    """Take the pictures of ``site`` into ``folder`` and give the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    program = chromium()
    if program is None:
        print("No Chromium is installed.", file=sys.stderr)
        return 1
    wait_for(site)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        faults = take(browser, site, folder)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    for fault in sorted(set(faults)):
        print(f"not 200: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/"), Path(sys.argv[2])))
