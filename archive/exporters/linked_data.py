"""What a page says to machines that do not read it: JSON-LD in the words of schema.org, and a short description.

Only what the page says is said: a value that the archive does not give is left out, no distribution is invented, and
the data's own licence (`license`) stays apart from the archive's (`sdLicense`).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

from archive import markup
from archive.pages.base import Page, RecordPage
from archive.pages.dataset import DatasetPage
from archive.pages.home import HomePage
from archive.pages.leaderboard import LeaderboardPage
from archive.pages.method import MethodPage
from archive.pages.paper import PaperPage
from archive.pages.row import RowPage
from archive.pages.task import TaskPage

CONTEXT = "https://schema.org"
NAME = "Corrigenda"
LONGEST = 200
"""Characters of a description: more is cut off by whoever shows it."""

ABOUT = (
    "A public archive of machine-learning papers, datasets, benchmarks and code links, as Papers with Code had them "
    "when it was frozen, that can be corrected in public."
)
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`#>|]+|<[^>]*>")

Thing = dict[str, Any]


def json_ld(page: Page, site: str) -> list[Thing]:
    """What a page is about and where it stands; `site` is scheme and host. Nothing of a page that is not to be listed.

    No query.
    """
    if not page.indexable:
        return []
    things = [*_things(page, site), *([_crumbs(page, site)] if page.crumbs else [])]
    return [{"@context": CONTEXT, **thing} for thing in things]


@singledispatch
def _things(page: Page, site: str) -> list[Thing]:
    return []


@_things.register
def _home(page: HomePage, site: str) -> list[Thing]:
    target = {"@type": "EntryPoint", "urlTemplate": f"{site}/search?q={{q}}"}
    search = {"@type": "SearchAction", "target": target, "query-input": "required name=q"}
    return [{"@type": "WebSite", "name": NAME, "url": f"{site}/", "description": ABOUT, "potentialAction": search}]


@_things.register
def _dataset(page: DatasetPage, site: str) -> list[Thing]:
    licence, by = page.license, page.introduced_by
    return [
        _filled(
            {
                "@type": "Dataset",
                "@id": site + page.url,
                "url": site + page.url,
                "name": page.heading,
                "alternateName": [name for name in [page.full_name, *page.variants] if name and name != page.heading],
                "description": page.description_markdown or "",
                "license": licence.url if markup.is_outgoing(licence.url) else licence.name,
                "datePublished": _date(page.introduced_date, page.introduced_date_precision),
                "sameAs": page.homepage if markup.is_outgoing(page.homepage) else None,
                "keywords": [*(task.name for task in page.tasks), *(modality.name for modality in page.modalities)],
                "inLanguage": [language.name for language in page.languages],
                "citation": _filled(
                    {
                        "@type": "ScholarlyArticle",
                        "name": by.title,
                        "url": site + by.paper if by.paper else by.url if markup.is_outgoing(by.url) else None,
                    }
                )
                if by.title or by.paper
                else None,
                **_source(page),
            }
        )
    ]


@_things.register
def _paper(page: PaperPage, site: str) -> list[Thing]:
    addresses = (page.arxiv_url, page.url_abs)
    return [
        _filled(
            {
                "@type": "ScholarlyArticle",
                "@id": site + page.url,
                "url": site + page.url,
                "headline": page.heading,
                "name": page.heading,
                "author": [
                    {"@type": "Person", "name": author.name, "url": site + author.url} for author in page.authors
                ],
                "datePublished": _date(page.date, page.date_precision),
                "abstract": page.abstract,
                "identifier": f"arXiv:{page.arxiv_id}" if page.arxiv_id else None,
                "sameAs": list(dict.fromkeys(url for url in addresses if markup.is_outgoing(url))),
                "about": [task.name for task in page.tasks],
                **_source(page),
            }
        )
    ]


def _source(page: Page) -> Thing:
    """Whose words these are: what schema.org calls the structured data's own publisher and licence."""
    return {
        "sdLicense": page.provenance.licence_url or page.provenance.licence,
        "sdPublisher": {"@type": "Organization", "name": NAME},
        "sdDatePublished": page.source.snapshot.isoformat() if page.source.snapshot else None,
        "isBasedOn": {"@type": "CreativeWork", "name": page.source.archive},
    }


def _crumbs(page: Page, site: str) -> Thing:
    steps = [{"name": crumb.name, "item": site + crumb.url} for crumb in page.crumbs]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, **step}
            for place, step in enumerate([*steps, {"name": page.heading}], start=1)
        ],
    }


def _date(date: datetime.date | None, precision: str | None) -> str | None:
    if date is None:
        return None
    return str(date.year) if precision == "year" else date.isoformat()


def _filled(thing: Mapping[str, Any]) -> Thing:
    return {key: value for key, value in thing.items() if value not in (None, "", [], {})}


@singledispatch
def description(page: Page) -> str:
    """A page in a sentence or two, for lists of results and cards. No query."""
    return ABOUT


@description.register
def _of_home(page: HomePage) -> str:
    return page.what_this_is


@description.register(DatasetPage)
@description.register(MethodPage)
@description.register(TaskPage)
def _of_described(page: DatasetPage | MethodPage | TaskPage) -> str:
    return _short(page, page.description_markdown)


@description.register
def _of_paper(page: PaperPage) -> str:
    return _short(page, page.abstract)


@description.register
def _of_leaderboard(page: LeaderboardPage) -> str:
    rows = f"{page.row_count:,} row{'' if page.row_count == 1 else 's'}"
    return _cut(f"{page.name}: {rows} in the archive's own order{_frozen(page)}. Not a current standing.")


@description.register
def _of_row(page: RowPage) -> str:
    values = ", ".join(f"{name} {value}" for name, value in (page.metrics or {}).items())
    return _cut(f"{page.heading} on {page.leaderboard.name}{_frozen(page)}: {values or 'no values'}.")


def _short(page: RecordPage, text: str | None) -> str:
    if page.record.quarantined or not text or not text.strip():
        return _cut(f"{page.heading}, a {page.record.kind_name} of the archive{_frozen(page)}.")
    return _cut(_MARKS.sub(r"\1", text))


def _frozen(page: Page) -> str:
    return f", as frozen on {page.source.snapshot}" if page.source.snapshot else ""


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def citation_tags(page: PaperPage) -> Sequence[tuple[str, str]]:
    """The paper as Highwire tags, by which reference managers and Google Scholar read pages. No query."""
    date = page.date
    day = "" if date is None else f"{date.year}" if page.date_precision == "year" else f"{date:%Y/%m/%d}"
    pdf = page.arxiv_url.replace("/abs/", "/pdf/") if page.arxiv_url else page.url_pdf
    tags = [
        ("title", page.title),
        *(("author", author.name) for author in page.authors),
        ("publication_date", day),
        ("conference_title", page.proceeding),
        ("arxiv_id", page.arxiv_id),
        ("pdf_url", pdf if markup.is_outgoing(pdf) else None),
    ]
    return [(f"citation_{name}", content) for name, content in tags if content]
