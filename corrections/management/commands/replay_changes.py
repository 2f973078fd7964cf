"""manage.py replay_changes: the public log onto a fresh import of the same dumps."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corrections.ledger import ReplayRefused, replay


class Command(BaseCommand):
    """Exit codes: 0 replayed, 1 refused and nothing changed."""

    help = "Make the lines of a changes.jsonl the log of this database, whose own log has to be empty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("file", type=Path, metavar="CHANGES.JSONL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay, and say how much."""
        try:
            with options["file"].open("rb") as log:
                count = replay(log)
        except (ReplayRefused, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Replayed {count:,} entries. Now: manage.py verify_archive")
