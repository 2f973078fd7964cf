"""The repositories of a paper, as its page lists them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.db.models import F

from archive.models import CodeLink, Paper
from archive.pages.base import described, documented, public
from archive.pages.boards import ADDED_BY
from archive.pages.standing import Standings


@documented
class CodeOfPaper:
    """A repository that the archive lists for a paper, with the archive's flags, which are frozen."""

    key: str = described("Public key of the record of this link between paper and repository.")
    url: str | None = described("The repository's address, as printed.")
    repository: str | None = described("The same address normalised, which near-duplicate spellings share.")
    title: str = described("The repository in short: owner/name where its host has these, else the address.")
    is_official: bool | None = described("The archive's flag: the authors' own code. Null if it gives none.")
    mentioned_in_paper: bool | None = described("The archive's flag: the paper names the repository.")
    mentioned_in_github: bool | None = described("The archive's flag: the repository names the paper.")
    framework: str | None = described("The framework that the archive names, as printed, `none` included.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds the link; null if none.")
    added_by: int | None = described(ADDED_BY)
    open_reports: int = described("Number of open reports on this link, from the minute they are filed.")

    @property
    def anchor(self) -> str:
        """The link's place on the page of its paper."""
        return f"code-{self.key.rpartition('/')[2]}"


def links_of(paper: Paper) -> list[CodeLink]:
    """The public links of a paper: those that the archive calls official first, else in archive order. One query."""
    links = CodeLink.objects.filter(public(), paper=paper).select_related("record", "repository", "framework")
    return list(links.order_by(F("is_official").desc(nulls_last=True), "number"))


def code(links: Sequence[CodeLink], standing: Standings) -> list[CodeOfPaper]:
    """The links as the page lists them. No query."""
    return [
        CodeOfPaper(
            key=link.record.key,
            url=link.repo_url,
            repository=link.repository.url if link.repository else None,
            title=_short(link),
            is_official=link.is_official,
            mentioned_in_paper=link.mentioned_in_paper,
            mentioned_in_github=link.mentioned_in_github,
            framework=link.framework.name if link.framework else None,
            dropped_in=link.record.dropped_in,
            added_by=standing.added_by(link.pk),
            open_reports=standing.open_reports(link.pk),
        )
        for link in links
    ]


def _short(link: CodeLink) -> str:
    """owner/name as printed where the host has both, else the address."""
    printed = (link.repo_url or "").strip()
    if link.repository and link.repository.owner:
        parts = urlsplit(printed).path.strip("/").split("/")
        return f"{parts[0]}/{parts[1].removesuffix('.git')}"
    return printed.removeprefix("https://").removeprefix("http://")
