"""The rules by which reports are decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from django.conf import settings

from archive.pages.base import Crumb, Page, Provenance, described, documented


@documented
class PolicyPage(Page):
    """`/corrections/policy`: what is decided how, what the database refuses, and what an owner can still do."""

    section: ClassVar = "/corrections"

    policy_markdown: str = described("The text, in Markdown; `docs/policy.md` of the program.")

    @property
    def heading(self) -> str:
        """The text's own title."""
        return self.policy_markdown.partition("\n")[0].removeprefix("# ")

    @property
    def opening(self) -> str:
        """The text between its title and its first heading."""
        return self.policy_markdown.partition("\n")[2].partition("\n## ")[0]

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Each heading with the text below it."""
        parts = (part.partition("\n") for part in self.policy_markdown.split("\n## ")[1:])
        return [(title, text) for title, _, text in parts]

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The log, then this text."""
        return (Crumb(name="Corrections", url="/corrections"),)


def build() -> PolicyPage:
    """The text as the program is delivered with it. One query."""
    provenance = Provenance.current()
    return PolicyPage(
        url="/corrections/policy",
        source=provenance.source,
        provenance=provenance,
        policy_markdown=(settings.BASE_DIR / "docs" / "policy.md").read_text(),
    )
