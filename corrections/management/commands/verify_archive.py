"""manage.py verify_archive: is the archive the snapshot plus the log, and nothing else?"""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from archive.verification import Checked
from corrections.verification import verify_all

SHOWN = 20


class Command(BaseCommand):
    """Exit codes: 0 all is as imported, 1 with each fault named."""

    help = "Re-derive every record and every entry of the log from the database, and compare them with their digests."

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, and say what was looked at."""
        faults = verify_all(self._tell)
        if faults:
            self.stderr.write(f"{len(faults):,} faults.")
            sys.exit(1)
        self.stdout.write("The archive is what was imported, and what the log says.")

    def _tell(self, checked: Checked) -> None:
        verdict = "sound" if not checked.faults else f"{len(checked.faults):,} faults"
        if checked.sealed:
            verdict += f", {checked.sealed:,} sealed"
        self.stdout.write(f"{checked.check:34} {checked.looked_at:>9,} looked at, {verdict}")
        for fault in checked.faults[:SHOWN]:
            self.stdout.write(f"    {fault.subject}: {fault.problem}")
        if len(checked.faults) > SHOWN:
            self.stdout.write(f"    and {len(checked.faults) - SHOWN:,} more")
