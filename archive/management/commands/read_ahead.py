"""manage.py read_ahead: the second process of an import of large dumps."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from archive.importers.ahead import NoRoom, read_ahead


class Command(BaseCommand):
    """Started by import_archive alone; asks the database nothing."""

    help = "Read dumps for import_archive, which starts this by itself."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("importing", type=int, help="the number of the process that imports")
        parser.add_argument("dumps", help="JSON: kind and paths of each dump, in order")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write what is read to standard output, buffered whatever the environment says of it."""
        try:
            with open(sys.stdout.fileno(), "wb", closefd=False) as out:
                read_ahead(options["importing"], options["dumps"], out)
        except NoRoom as error:
            raise CommandError(str(error)) from error
