"""manage.py make_demo_staff: one reviewer and one editor for the demo, and for nothing else."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from archive.models import ImportRun
from corrections.management.commands.make_staff import make_staff

DEMO = "corrigenda-demo"
STAFF = (("reviewer", "Reviewers", "Demo reviewer"), ("editor", "Editors", "Demo editor"))


class Command(BaseCommand):
    """Makes both accounts where only the demo was ever imported and nobody has an account; else does nothing."""

    help = "Make the demo's reviewer and editor with random passwords, printed once. Needs DEBUG."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make them, or say why not."""
        if not settings.DEBUG:
            self.stdout.write("Without DEBUG the demo gets no accounts; make_staff makes one.")
            return
        if ImportRun.objects.exclude(archive=DEMO).exists() or not ImportRun.objects.exists():
            return
        if User.objects.exists():
            self.stdout.write("The desk is at /admin/desk/; `manage.py changepassword NAME` gives a new password.")
            return
        self.stdout.write("The desk is at /admin/desk/. These passwords are shown this once:")
        for name, group, public_name in STAFF:
            self.stdout.write(f"  {name:10} {make_staff(name, group, public_name)}")
