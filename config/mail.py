"""Through which server e-mail goes out, read from one address."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

SCHEMES = ("smtp", "smtps")


def from_url(url: str) -> dict[str, Any]:
    """Django's settings for ``smtp://user:password@host:587`` (STARTTLS where there is a password) or ``smtps://…``."""
    parts = urlsplit(url)
    secure = parts.scheme == "smtps"
    return {
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or (465 if secure else 587 if parts.password else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": secure,
        "EMAIL_USE_TLS": bool(parts.password) and not secure,
    }
