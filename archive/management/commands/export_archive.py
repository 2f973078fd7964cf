"""manage.py export_archive: the dumps again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from archive.exporters.dumps import NothingToExport, export_archive
from archive.exporters.states import State


class Command(BaseCommand):
    """Exit codes: 0 written, 1 nothing to export or the folder can not be written."""

    help = "Write the five dumps: the snapshot, record for record equal to what was imported, or as corrected since."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument(
            "--as", dest="state", type=State, choices=list(State), default=State.SNAPSHOT, help="which state to write"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Export, and say what was written."""
        try:
            counts = export_archive(options["folder"], options["state"])
        except (NothingToExport, OSError) as error:
            raise CommandError(str(error)) from error
        for name, records in counts.items():
            self.stdout.write(f"{options['folder'] / name}: {records:,} records")
