"""manage.py document_json: docs/json.md from the page classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from archive.pages.documentation import document

TARGET = Path("docs/json.md")


class Command(BaseCommand):
    """Needs no database."""

    help = f"Write {TARGET}, the description of every page's JSON, from the page classes."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file and say so."""
        (settings.BASE_DIR / TARGET).write_text(document())
        self.stdout.write(f"Wrote {TARGET}.")
