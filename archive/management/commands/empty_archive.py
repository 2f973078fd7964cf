"""manage.py empty_archive: the way from the demo to a real archive."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from archive.importers.run import Source, archive_tables, run_of
from archive.models import ImportedFile, ImportRun


class Command(BaseCommand):
    """Empties every table of the archive, as the owner and through the guard."""

    help = "Remove every record, report and decision, so that another archive can be imported."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("--yes", action="store_true", help="required: there is no way back")

    def handle(self, *args: Any, **options: Any) -> None:
        """Truncate, in one transaction."""
        newest = ImportRun.objects.newest()
        if newest is None:
            self.stdout.write("The archive is empty already.")
            return
        if not options["yes"]:
            raise CommandError(f"This removes the archive “{newest.archive}” ({newest.snapshot}). Say --yes to do it.")
        tables = [*archive_tables(), ImportedFile._meta.db_table, ImportRun._meta.db_table]
        with run_of(Source(archive=newest.archive, snapshot=newest.snapshot)), connection.cursor() as cursor:
            # The log goes with the archive that it is about; only the owner can take its guards off.
            cursor.execute(
                "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname = tgrelid::regclass || %s",
                ["_guard"],
            )
            guards = [(table, name) for table, name in cursor.fetchall() if table.startswith("corrections_")]
            for table, name in guards:
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
            cursor.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY CASCADE")
            for table, name in guards:
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER {name}")
        self.stdout.write(f"Removed the archive “{newest.archive}” ({newest.snapshot}).")
