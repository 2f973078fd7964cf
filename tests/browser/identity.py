"""Draws the site's signs that are no SVG, with the system's Chromium: icons and the social card.

    python -m tests.browser.identity

Writes them beside archive/static/archive/icon.svg. They are committed, so this is needed only when the mark, a colour
or the name changes.
"""

from __future__ import annotations

import base64
import struct
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import chromium

STATIC = Path(__file__).parent.parent.parent / "archive" / "static" / "archive"
MARK = (
    '<svg viewBox="0 0 32 32"><g fill="none" stroke-width="4"><path stroke="#1d1b18" d="M2 11H11M21 11H30"/>'
    '<path stroke="#8a5200" d="M7 28 L16 13 L25 28"/></g></svg>'
)
PAGE = """<!doctype html><style>
@font-face {{ font-family: Reading; font-weight: 200 900; src: url(data:font/woff2;base64,{serif}) }}
@font-face {{ font-family: Noting; font-weight: 200 900; src: url(data:font/woff2;base64,{sans}) }}
* {{ margin: 0; box-sizing: border-box }}
body {{ width: {width}px; height: {height}px; background: #fbfaf7; color: #1d1b18; font: 400 34px/1.35 Reading }}
.icon {{ padding: 16%; width: 100%; height: 100% }}
.card {{ padding: 84px 96px; height: 100%; border-bottom: 14px solid #8a5200; display: flex; flex-direction: column }}
.card svg {{ width: 92px; margin-left: -6px }}
h1 {{ font: 600 108px/1.1 Reading; letter-spacing: -0.02em; margin: 18px 0 22px }}
p {{ max-width: 27em }}
small {{ margin-top: auto; font: 400 26px Noting; color: #5c574f }}
</style>{body}"""
CARD = f"""<div class="card">{MARK}<h1>Corrigenda</h1>
<p>Machine-learning papers, datasets, benchmarks and code, frozen in July 2025 and corrected in public.</p>
<small>Every value with its source. Every correction with its reason.</small></div>"""


def drawn(page: Page, body: str, width: int, height: int) -> bytes:
    """A piece of HTML as a PNG of that size."""
    faces = {
        name: base64.b64encode((STATIC / "fonts" / f"source-{file}-latin.woff2").read_bytes()).decode()
        for name, file in (("serif", "serif-4"), ("sans", "sans-3"))
    }
    page.set_viewport_size({"width": width, "height": height})
    page.set_content(PAGE.format(body=body, width=width, height=height, **faces))
    page.evaluate("document.fonts.ready")
    return page.screenshot()


def ico(png: bytes, size: int) -> bytes:
    """A PNG in the frame that old browsers ask for."""
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, size, size, 0, 0, 1, 32, len(png), 22) + png


def main() -> int:
    """Draw everything; give the exit code."""
    program = chromium()
    if program is None:
        print("No Chromium is installed.", file=sys.stderr)
        return 1
    icon = f'<div class="icon">{MARK}</div>'
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        page = browser.new_page()
        (STATIC / "card.png").write_bytes(drawn(page, CARD, 1200, 630))
        (STATIC / "touch-icon.png").write_bytes(drawn(page, icon, 180, 180))
        (STATIC / "icon-512.png").write_bytes(drawn(page, icon, 512, 512))
        small = icon.replace('class="icon"', 'class="icon" style="padding: 6%"')
        (STATIC / "favicon.ico").write_bytes(ico(drawn(page, small, 32, 32), 32))
    return 0


if __name__ == "__main__":
    sys.exit(main())
