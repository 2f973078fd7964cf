"""manage.py audit: what somebody has to look at, for a nightly job."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from corrections.models import Notice
from corrections.proposals import expire
from corrections.verification import verify_log
from corrections.withholding import unconfirmed


class Command(BaseCommand):
    """Exit codes: 0 nothing to look at, 1 something is."""

    help = "End lapsed proposals, prove the log, and list withholdings that nobody confirmed and notices that died."

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and say what was found."""
        if lapsed := expire():
            self.stdout.write(f"{lapsed:,} proposals found no second reader in time; their reports are open again.")
        alarms = [f"{fault.check}: {fault.subject}: {fault.problem}" for fault in verify_log()]
        alarms += [
            f"#{entry.number} withholds a text, and nobody confirmed it in a week"
            for entry in unconfirmed(overdue=True)
        ]
        dead = Notice.objects.exclude(dead_because="").count()
        if dead:
            alarms.append(f"{dead:,} notices could not be sent")
        for alarm in alarms:
            self.stderr.write(alarm)
        if alarms:
            sys.exit(1)
        self.stdout.write("Nothing to look at.")
