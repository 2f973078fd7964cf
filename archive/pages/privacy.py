"""What is stored about people."""

from __future__ import annotations

from collections.abc import Sequence

from archive.pages.base import Page, Provenance, described, documented

STORED = (
    (
        "Readers",
        "Nothing. Reading sets no cookie, asks for no account, and loads nothing from other sites. The server’s own "
        "log of requests is up to whoever runs it.",
        "not at all",
    ),
    (
        "People who report something",
        "What the report says. Name and e-mail address only if they are given: they lie in one table apart from "
        "reports and log, and are never shown or published, but for a name that its owner wishes to be credited by.",
        "until they are erased, which can be done at any time on the report’s private page; report and decision stay",
    ),
    (
        "Senders of reports",
        "Against floods: a digest of the network address under a salt that changes daily. The address itself is stored "
        "nowhere.",
        "two days",
    ),
    (
        "People who decide",
        "An account with a password, a session cookie while they are signed in, and the public name that they chose "
        "for the log.",
        "as long as the account exists; the public name stays in the log",
    ),
    (
        "People whom the archive names",
        "Authors, as the dumps print them. Who has changed their name is named as they wish, on their word; who finds "
        "private data here reports it as a question of rights.",
        "as long as the archive exists, or until a decision",
    ),
)


@documented
class StoredAboutPeople:
    """What is stored about one group of people."""

    whom: str = described("The people.")
    what: str = described("What is stored, in sentences.")
    how_long: str = described("How long.")


@documented
class PrivacyPage(Page):
    """`/privacy`: what is stored about people, and for how long."""

    stored: Sequence[StoredAboutPeople] = described("By group of people.")

    @property
    def heading(self) -> str:
        """The page's title."""
        return "Privacy"


def build() -> PrivacyPage:
    """The page. One query."""
    provenance = Provenance.current()
    return PrivacyPage(
        url="/privacy",
        source=provenance.source,
        provenance=provenance,
        stored=[StoredAboutPeople(whom=whom, what=what, how_long=how_long) for whom, what, how_long in STORED],
    )
