"""manage.py read_ahead: the second process of an import of large dumps."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from archive.importers.ahead import read_ahead


class Command(BaseCommand):
    """Started by import_archive alone; asks the database nothing."""

    help = "Read dumps for import_archive, which starts this by itself."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("dumps", help="JSON: kind and paths of each dump, in order")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write what is read to standard output, for as long as anybody takes it."""
        try:
            read_ahead(options["dumps"], sys.stdout.buffer)
        except BrokenPipeError:
            os._exit(1)  # the import has ended, and there is nothing to be said about it
