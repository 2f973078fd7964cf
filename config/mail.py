"""Through which server e-mail goes out, read from one address."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import django

SCHEMES = ("smtp", "smtps")

TIMEOUT = 20
"""Seconds that a mail server may take to answer."""

_FORMER = {"username": "HOST_USER", "password": "HOST_PASSWORD"}
"""Options that had another name before Django 6.1."""


def settings_for(url: str | None) -> dict[str, Any]:
    """Django's settings for ``smtp://user:password@host:587`` (STARTTLS where there is a password) or ``smtps://…``.

    Without an address mail is printed. Django 6.1 has one setting for all of it, and warns of the others.
    """
    backend = f"django.core.mail.backends.{'smtp' if url else 'console'}.EmailBackend"
    options = _options(url) if url else {}
    if django.VERSION >= (6, 1):
        return {"MAILERS": {"default": {"BACKEND": backend, "OPTIONS": options}}}
    former = {f"EMAIL_{_FORMER.get(name, name.upper())}": value for name, value in options.items()}
    return {"EMAIL_BACKEND": backend, **former}


def _options(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    secure = parts.scheme == "smtps"
    return {
        "host": parts.hostname or "localhost",
        "port": parts.port or (465 if secure else 587 if parts.password else 25),
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_ssl": secure,
        "use_tls": bool(parts.password) and not secure,
        "timeout": TIMEOUT,
    }
