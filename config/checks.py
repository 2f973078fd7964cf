"""Deployment checks: what Django's own ``check --deploy`` can not know."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.security, deploy=True)
def separate_roles(**_: Any) -> list[CheckMessage]:
    """Warn when the web process could do what only the owner of the tables should."""
    if settings.EMBEDDED_SERVER is not None:
        return [
            Warning(
                "The embedded PostgreSQL is meant for development and first steps.",
                hint="Set DATABASE_URL and DATABASE_OWNER_URL.",
                id="corrigenda.W001",
            )
        ]
    if settings.WEB_ROLE == settings.OWNER_ROLE:
        return [
            Warning(
                f"The web process connects as {settings.WEB_ROLE!r}, who also owns the tables:"
                " a fault in it could switch off the guards on the archive.",
                hint="Name the owner by DATABASE_OWNER_URL and a user who owns nothing by DATABASE_URL.",
                id="corrigenda.W002",
            )
        ]
    return []
