"""manage.py import_archive: the dumps into the archive."""

from __future__ import annotations

import datetime
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from archive.importers.dump_files import DumpFile
from archive.importers.reading import DumpError
from archive.importers.run import ImportRefused, Source, Summary, import_archive
from archive.models import ImportRun
from corrections.ledger import rebase

REFUSED, UNREADABLE = 3, 4


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a date like 2025-07-28") from error


def _file_and_day(text: str) -> tuple[str, datetime.date]:
    name, separator, day = text.rpartition("=")
    if not separator:
        raise ArgumentTypeError(f"{text!r} is not FILE=DATE")
    return name, _day(day)


class Bar:
    """A progress bar per dump: bytes read, records, rate and time left."""

    def __init__(self, *, disable: bool | None) -> None:
        self._disable = disable
        self._bars: dict[str, tqdm[Any]] = {}

    def __call__(self, dump: DumpFile, position: int, records: int) -> None:
        """Move the bar of a dump to where its reader is."""
        bar = self._bars.get(dump.kind)
        if bar is None:
            bar = self._bars[dump.kind] = tqdm(
                total=dump.size, desc=f"{dump.kind:9}", unit="B", unit_scale=True, disable=self._disable
            )
        bar.update(position - bar.n)
        bar.set_postfix(records=f"{records:,}", refresh=False)

    def close(self) -> None:
        """Leave the bars as they are."""
        for bar in self._bars.values():
            bar.close()


class Command(BaseCommand):
    """Exit codes: 0 imported, 2 wrong arguments, 3 refused, 4 a dump is broken or missing; 3 and 4 changed nothing."""

    help = (
        "Import the dumps found in the given files and folders (.json, .json.gz, Parquet). The same snapshot again "
        "adds and updates records; a later one also marks what it lacks; an earlier one is refused. All or nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the command's words."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a dump, or a folder of dumps")
        parser.add_argument("--snapshot", type=_day, metavar="DATE", help="the day the archive was frozen")
        parser.add_argument(
            "--retrieved",
            type=_file_and_day,
            action="append",
            default=[],
            metavar="FILE=DATE",
            help="the day a file was retrieved; may be given for each file",
        )
        parser.add_argument("--if-empty", action="store_true", help="do nothing if the archive holds anything")
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what was done."""
        if options["if_empty"] and ImportRun.objects.exists():
            self.stdout.write("The archive is not empty: nothing imported.")
            return
        bar = Bar(disable=options["quiet"] or None)
        try:
            source = Source.beside(options["paths"])
            if options["snapshot"]:
                source = replace(source, snapshot=options["snapshot"])
            source = replace(source, retrieved={**source.retrieved, **dict(options["retrieved"])})
            summary = import_archive(options["paths"], source, bar, rebase)
        except ImportRefused as error:
            raise CommandError(str(error), returncode=REFUSED) from error
        except DumpError as error:
            raise CommandError(f"{error} Nothing was imported.", returncode=UNREADABLE) from error
        finally:
            bar.close()
        self._say(source, summary)

    def _say(self, source: Source, summary: Summary) -> None:
        self.stdout.write(f"{source.title}, snapshot of {source.snapshot}:")
        for kind, counts in summary.counts.items():
            told = ", ".join(f"{number:,} {what}" for what, number in counts.items())
            self.stdout.write(f"  {kind:12} {told}")
        if summary.dropped:
            self.stdout.write(f"  {summary.dropped:,} records of the archive are not in this snapshot and marked so.")
        took = ", ".join(f"{part} {seconds:.1f} s" for part, seconds in summary.seconds.items())
        self.stdout.write(f"  took: {took}")
