"""``manage.py database``: the embedded PostgreSQL."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.embedded.server import EmbeddedServer, ServerError


class Command(BaseCommand):
    """Start, stop, ask after or remove the embedded server, or print its address."""

    help = "The embedded PostgreSQL: start, stop, ask whether it runs (exit code 3: no), print its address, remove it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the action, and for ``url`` the role."""
        parser.add_argument("action", choices=["start", "stop", "status", "url", "remove"])
        parser.add_argument("--yes", action="store_true", help="needed for remove: there is no way back")
        parser.add_argument("--role", choices=["web", "owner"], default="web", help="whose address (default: web)")

    def handle(self, *, action: str, role: str, yes: bool, **_: Any) -> None:
        """Do it; raises CommandError when DATABASE_URL names a server, or the server's words."""
        server: EmbeddedServer | None = settings.EMBEDDED_SERVER
        if server is None:
            raise CommandError("DATABASE_URL is set, so the embedded server is not used.")
        try:
            if action == "start":
                server.ensure_running()
                self.stdout.write(f"The embedded PostgreSQL in {server.folder} is running.")
            elif action == "stop":
                stopped = server.stop()
                self.stdout.write("Stopped." if stopped else "It was not running.")
            elif action == "remove":
                if not yes:
                    raise CommandError(f"This deletes the database in {server.folder}. Say --yes to do it.")
                server.remove()
                self.stdout.write("Removed.")
            elif action == "url":
                self.stdout.write(server.url(server.OWNER if role == "owner" else server.WEB))
            elif server.running():
                self.stdout.write(f"running in {server.folder}, log in {server.log}")
            else:
                self.stdout.write("stopped")
                raise SystemExit(3)
        except (ServerError, OSError) as error:  # OSError: the data is another user's
            raise CommandError(str(error)) from error
