"""manage.py export_archive: the dumps again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from archive.exporters.dumps import NothingToExport, export_snapshot


class Command(BaseCommand):
    """Exit codes: 0 written, 1 nothing to export or the folder can not be written."""

    help = "Write the five dumps of the snapshot into a folder, record for record equal to what was imported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--as", dest="state", choices=["snapshot"], default="snapshot", help="which state to write")

    def handle(self, *args: Any, **options: Any) -> None:
        """Export, and say what was written."""
        try:
            counts = export_snapshot(options["folder"])
        except (NothingToExport, OSError) as error:
            raise CommandError(str(error)) from error
        for name, records in counts.items():
            self.stdout.write(f"{options['folder'] / name}: {records:,} records")
