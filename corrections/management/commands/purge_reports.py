"""manage.py purge_reports: forget what need not be kept any longer."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from corrections.retention import forget


class Command(BaseCommand):
    """Forget people whose reports are long closed, traces of senders, used challenges, texts of spam. Run it daily."""

    help = "Forget what need not be kept: people after a year, senders after two days, texts of spam after 90 days."

    def handle(self, *args: Any, **options: Any) -> None:
        """Forget, and say how much that was."""
        self.stdout.write(f"Forgotten: {forget()}.")
