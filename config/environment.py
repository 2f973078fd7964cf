"""Typed readers of environment variables.

Each reader notes the variable in ``VARIABLES`` with its meaning, so that the table in ``docs/settings.md`` is
written from the same lines that read. An empty value counts as not set. Every reader raises
``ImproperlyConfigured`` for a value it does not understand; none of them guesses.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

Default = TypeVar("Default", bound=Path | None)

WORDS = {
    "on": True,
    "yes": True,
    "true": True,
    "1": True,
    "off": False,
    "no": False,
    "false": False,
    "0": False,
}


@dataclass(frozen=True)
class Variable:
    """One environment variable: the kind of value it takes, its default as people read it, its meaning."""

    name: str
    kind: str
    default: str
    meaning: str


VARIABLES: dict[str, Variable] = {}


def text(name: str, default: str = "", *, shown: str = "", meaning: str) -> str:
    """Give the variable as it stands. ``shown`` words a default that has no fixed value."""
    return _raw(name, "text", shown or default, meaning) or default


def word(name: str, default: str, choices: Sequence[str], *, meaning: str) -> str:
    """Give one of ``choices``."""
    value = _raw(name, " or ".join(choices), default, meaning) or default
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes one of: {', '.join(choices)}.")
    return value


def flag(name: str, default: bool, *, shown: str = "", meaning: str) -> bool:
    """Give True for on, yes, true or 1, False for off, no, false or 0 (in any case)."""
    value = _raw(name, "on or off", shown or ("on" if default else "off"), meaning)
    if value is None:
        return default
    try:
        return WORDS[value.lower()]
    except KeyError:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes one of: {', '.join(WORDS)}.") from None


def integer(name: str, default: int, *, least: int, most: int, shown: str = "", meaning: str) -> int:
    """Give a whole number between ``least`` and ``most``, both included."""
    value = _raw(name, f"number, {least} to {most}", shown or str(default), meaning)
    if value is None:
        return default
    if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes a whole number from {least} to {most}.")
    return int(value)


def names(name: str, default: Sequence[str] = (), *, meaning: str) -> list[str]:
    """Give the parts between commas, without the spaces around them and without empty ones."""
    value = _raw(name, "list, commas between", ", ".join(default), meaning)
    if value is None:
        return list(default)
    return [part for part in map(str.strip, value.split(",")) if part]


def url(name: str, schemes: Sequence[str], *, shown: str = "", meaning: str) -> str | None:
    """Give an address with one of ``schemes``, or None. Errors never repeat it: it may hold a password."""
    value = _raw(name, "address", shown, meaning)
    if value is None:
        return None
    if urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must begin with one of: {', '.join(f'{s}://' for s in schemes)}.")
    return value


def folder(name: str, default: Default, *, base: Path, shown: str, meaning: str) -> Path | Default:
    """Give an absolute path; a relative one is taken from ``base``, ``~`` is the user's home."""
    value = _raw(name, "folder", shown, meaning)
    if value is None:
        return default
    return (base / Path(value).expanduser()).resolve()


def table() -> str:
    """Give the Markdown table of every variable read so far, in the order of reading."""
    rows = ["| variable | takes | default | what it does |", "|---|---|---|---|"]
    for v in VARIABLES.values():
        rows.append(f"| `{v.name}` | {v.kind} | {v.default or 'none'} | {v.meaning} |")
    return "\n".join(rows) + "\n"


def _raw(name: str, kind: str, default: str, meaning: str) -> str | None:
    VARIABLES[name] = Variable(name, kind, default, meaning)
    return os.environ.get(name, "").strip() or None
