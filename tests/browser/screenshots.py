"""Pictures of the site: every kind of page, with the records that have most to show, in four looks.

    python -m tests.browser.screenshots http://127.0.0.1:8000 FOLDER

Writes FOLDER/<page>-<look>.png. Pages that answer anything but 200 are named and make the exit code 1.
"""

from __future__ import annotations

import re
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import chromium

FIXED = (
    "/",
    "/datasets",
    "/papers",
    "/tasks",
    "/methods",
    "/sota",
    "/search?q=imagenet",
    "/corrections",
    "/styleguide",
)
RECORDS = (
    ("/datasets?sort=papers", "/dataset/"),
    ("/paper/attention-is-all-you-need", None),
    ("/papers", "/paper/"),
    ("/tasks", "/task/"),
    ("/tasks", "/area/"),
    ("/methods?sort=papers", "/method/"),
    ("/sota?sort=rows", "/sota/"),
)
"""Where a record is found, and how its address begins; None for the address itself."""
PATIENCE = 120_000  # milliseconds: long pages on a busy machine
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "wide-dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
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
    """Give the fixed pages, a record of each kind, a row of its leaderboard, an author of its paper, and its report."""
    found = list(FIXED)
    for address, prefix in RECORDS:
        response = page.goto(site + address)
        if prefix is None:
            if response is not None and response.ok:
                found.append(address)
        elif link := first(page, prefix):
            found.append(link)
    for address in list(found):
        for within, prefix in (("/sota/", "/sota/"), ("/paper/", "/author/")):
            if address.startswith(within):
                page.goto(site + address)
                link = first(page, prefix if prefix != within else f"{address}/row/")
                found += [link, f"/report{link}"] if link and "/row/" in link else [link] if link else []
    return list(dict.fromkeys(found))


def first(page: Page, prefix: str) -> str | None:
    """The first link of the page's content that begins so."""
    link = page.locator(f"main a[href^='{prefix}']").first
    return str(link.get_attribute("href")) if link.count() else None


def take(browser: Browser, site: str, folder: Path) -> list[str]:
    """Take every picture; give the addresses that did not answer 200."""
    faults = []
    with browser.new_context() as context:
        wanted = addresses(context.new_page(), site)
    for look, options in LOOKS.items():
        with browser.new_context(**options) as context:
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            for address in wanted:
                response = page.goto(site + address)
                if response is None or response.status != 200:
                    faults.append(f"{address} ({response.status if response else 'no answer'})")
                name = re.sub(r"\W+", "-", address.strip("/")) or "front"
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
