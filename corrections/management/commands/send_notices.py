"""manage.py send_notices: the e-mails that wait to be sent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corrections import notices


class Command(BaseCommand):
    """Send what is due, and list what failed for good. Run it every minute or so; several at once do no harm."""

    help = "Send e-mails to reporters that are due; list those that failed for good (exit code 1 while there are any)."

    def handle(self, *args: Any, **options: Any) -> None:
        """Send. Raises CommandError where no mail server is set, and while dead notices are there."""
        if not notices.sends_mail():
            waiting = notices.due().count()
            raise CommandError(f"EMAIL_URL is not set, so nothing is sent; {waiting} notices wait.")
        done = notices.send_due()
        self.stdout.write(f"{done.sent} sent, {done.failed} failed, {done.dead} of these for good.")
        if dead := list(notices.listed_dead()):
            raise CommandError("Not sent, and not tried again:\n" + "\n".join(dead))
