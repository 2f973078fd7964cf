"""Where the system's Chromium is; none is ever downloaded."""

from __future__ import annotations

import shutil


def chromium() -> str | None:
    """Give the path of the first of Chromium's usual names that is installed, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
