"""Which database a process talks to, and as whom.

A process has exactly one identity. The *owner* makes and fills the tables; the *web* role owns nothing and
can do only what a migration granted to it. ``manage.py`` picks by command, ``wsgi.py`` is always *web*.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from config.embedded.server import EmbeddedServer


class Role(StrEnum):
    """The two identities a process can have."""

    OWNER = "owner"
    WEB = "web"


# The closed list of commands that make tables, or fill those that the web role may not write.
OWNER_COMMANDS = frozenset(
    {
        "createcachetable",
        "dbshell",
        "empty_archive",
        "flush",
        "import_archive",
        "loaddata",
        "makemigrations",
        "migrate",
        "remove_stale_contenttypes",
        "replay_changes",
        "showmigrations",
        "sqlmigrate",
        "squashmigrations",
        "test",
    }
)


def role_of(argv: Sequence[str]) -> Role:
    """Give the role for a command line as ``manage.py`` gets it."""
    return Role.OWNER if len(argv) > 1 and argv[1] in OWNER_COMMANDS else Role.WEB


def from_urls(role: Role, web_url: str, owner_url: str | None) -> dict[str, Any]:
    """Give Django's entry for a server named by address; without ``owner_url`` both roles are one user."""
    import dj_database_url

    url = owner_url or web_url if role is Role.OWNER else web_url
    return {**dj_database_url.parse(url), **_PERSISTENT}


def from_embedded(role: Role, server: EmbeddedServer) -> dict[str, Any]:
    """Give Django's entry for the embedded server; nothing is started."""
    return {
        "ENGINE": "config.embedded",
        "NAME": server.DATABASE,
        "USER": server.OWNER if role is Role.OWNER else server.WEB,
        "HOST": str(server.socket),
        **_PERSISTENT,
    }


def user_of(url: str) -> str:
    """Give the user that an address names, '' when it names none."""
    import dj_database_url

    return str(dj_database_url.parse(url).get("USER", ""))


# A connection for each request would cost half the throughput; one that died meanwhile is replaced.
_PERSISTENT = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
