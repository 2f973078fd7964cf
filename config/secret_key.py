"""The secret key that is made when none is given."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key


def kept_secret_key(home: Path) -> str:
    """Give the key kept in ``home/secret-key`` (mode 0600), making it first if there is none.

    Two processes that start at once get the same key: the file appears whole, and the first one stays.
    Raises ImproperlyConfigured when the file can not be read or written, or is empty.
    """
    path = home / "secret-key"
    try:
        if not path.exists():
            home.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=home, prefix="secret-key.") as new:  # mode 0600
                new.write(get_random_secret_key())
                new.flush()
                with suppress(FileExistsError):
                    os.link(new.name, path)
        key = path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(f"Set SECRET_KEY, or CORRIGENDA_HOME to a folder of your own: {error}.") from error
    if not key:
        raise ImproperlyConfigured(f"{path} is empty: remove it.")
    return key
