"""manage.py erase_reporter: forget a person, and leave reports and log as they are."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Q

from corrections.models import Reporter
from corrections.notices import erase_reporters


class Command(BaseCommand):
    """Erase name and e-mail address of whoever gave them, and the notices that wait."""

    help = "Erase a reporter's name and e-mail address, by address or by name. Reports and log stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take an address, a name, or both."""
        parser.add_argument("--email", default="", help="the e-mail address that was given, in any case")
        parser.add_argument("--name", default="", help="the name that was given, exactly")

    def handle(self, *, email: str, name: str, **_: Any) -> None:
        """Erase, and say how many rows that were. Never repeats what it erased."""
        wanted = Q(pk__in=[])
        if email:
            wanted |= Q(email__iexact=email)
        if name:
            wanted |= Q(name=name)
        self.stdout.write(f"{erase_reporters(Reporter.objects.filter(wanted))} erased.")
