"""Search: one list over all kinds, each result with the words that matched."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef

from archive.models import Author, Authorship, Record, RecordKind
from archive.pages.base import Page, Provenance, described, documented, public
from archive.pages.listing import beginning
from archive.search.excerpts import excerpt, marks, pieces
from archive.search.finding import AT_ONCE, AUTHOR, LISTED, Found, Hit, Match, find
from archive.search.indexing import KINDS
from archive.search.names import alike
from archive.search.query import LONGEST, Query, parse
from archive.search.statements import COUNTED

RESULTS_ON_A_PAGE = 20
LAST_PAGE = LISTED // RESULTS_ON_A_PAGE
AUTHORS_SHOWN = 4
TEXT_READ = 1_000
"""Characters of a text in which the words are looked for, to show a piece of it."""

TABS = {
    RecordKind.PAPER: ("paper", "Papers"),
    RecordKind.DATASET: ("dataset", "Datasets"),
    RecordKind.TASK: ("task", "Tasks"),
    RecordKind.METHOD: ("method", "Methods"),
    RecordKind.LEADERBOARD: ("leaderboard", "Leaderboards"),
    AUTHOR: ("author", "Authors"),
}
MATCHED_BY = {
    Match.NAME: "name",
    Match.OTHER_NAME: "other name",
    Match.ACRONYM: "acronym",
    Match.AUTHOR_NAME: "author's name",
    Match.NAME_BEGINS: "beginning of a name",
    Match.TITLE: "words of the title",
    Match.OTHER_WORDS: "words of other names and authors",
    Match.TEXT: "words of the text",
}


@documented
class SearchTab:
    """The results of one kind."""

    kind: str | None = described("paper, dataset, task, method, leaderboard or author; null for all of them.")
    label: str = described("The kind in words.")
    url: str = described("Address of the search among this kind.")
    results: int = described(f"How many match, counted up to {COUNTED:,}.")
    results_are_more: bool = described("Whether there are more than that.")
    chosen: bool = described("Whether these are the results shown.")


@documented
class Replacement:
    """A word that no title or name has, and the words searched for beside it."""

    typed: str = described("The word, as it is compared: lower case, without accents.")
    searched: Sequence[str] = described("Words that one slip of the fingers makes of it, the most frequent first.")


@documented
class NamedRecord:
    """A record by its name."""

    kind: str = described("paper, dataset, task, method or leaderboard.")
    name: str = described("Its name.")
    url: str = described("Address on this site.")


@documented
class WaysOut:
    """A search with one restriction less."""

    words: str = described("What it drops, in words.")
    url: str = described("Address of that search.")


@documented
class SearchResult:
    """A record that was found, or a name of the author lists. A name is not a person."""

    kind: str = described("paper, dataset, task, method, leaderboard or author.")
    url: str = described("Address on this site.")
    name: str = described("Its name or title, as printed.")
    name_marks: Sequence[Sequence[int]] = described(
        "Where the name has words searched for: pairs of begin and end, in characters from 0."
    )
    matched_by: str = described("What matched: " + ", ".join(MATCHED_BY.values()) + ".")
    full_name: str | None = described("A dataset's or method's long name; null if it has none or the same.")
    authors: Sequence[str] = described(f"A paper's first {AUTHORS_SHOWN} authors, as printed; empty for other kinds.")
    more_authors: bool = described("Whether the paper has more authors than these.")
    date: datetime.date | None = described("A paper's date in the archive; null for other kinds.")
    date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    papers: int | None = described(
        "Of a dataset or method: the archive's own count of papers. Of an author: papers here that print the name."
    )
    rows: int | None = described("Of a leaderboard: rows in the newest snapshot.")
    excerpt: str | None = described("A piece of its text, without Markdown's marks; null if it has none.")
    excerpt_marks: Sequence[Sequence[int]] = described("Where the excerpt has words searched for.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")

    @property
    def name_pieces(self) -> list[tuple[str, bool]]:
        """The name in pieces, each with whether it is marked."""
        return pieces(self.name, [(start, end) for start, end in self.name_marks])

    @property
    def excerpt_pieces(self) -> list[tuple[str, bool]]:
        """The excerpt in pieces, each with whether it is marked."""
        return pieces(self.excerpt or "", [(start, end) for start, end in self.excerpt_marks])


@documented
class SearchPage(Page):
    """`/search`: what the archive holds for `?q=`, among all kinds or those of `?kind=`, a page at a time (`?page=`).

    Words are found in any case, without their accents, with or without hyphens, singular or plural; `"in quotes"` in a
    row; not with `-`. Names come first, then titles, then other names and authors, then texts; within each, by
    popularity. A quarantined, withdrawn or merged record is not found. Rows and code links are not results of their
    own: they are on the pages of their leaderboard and paper. An arXiv id, a DOI, the address of a paper, of a
    repository or of a page of the old site is answered by 303 to the record it names.
    `/search/suggest.json?q=` gives names for a beginning: `{"query", "suggestions": [{"kind", "name", "url"}]}`.
    """

    query: str = described(f"What was searched for, blanks tidied, cut after {LONGEST} characters.")
    kind: str | None = described("The kind that the results are restricted to; null if to none.")
    tabs: Sequence[SearchTab] = described("All kinds, then each kind, with the number of results.")
    mended: Sequence[Replacement] = described("Words that were taken for mistyped, since no title or name has them.")
    all_but_one: bool = described("Whether results lack one of the words, since nothing has all of them.")
    results: Sequence[SearchResult] = described(f"At most {RESULTS_ON_A_PAGE} results, the nearest first.")
    listed: int = described(f"Results on all pages of this search: at most {LISTED}.")
    number: int = described("Number of this page, from 1.")
    explanation: str | None = described("Why there is no result; null if there is one.")
    ways_out: Sequence[WaysOut] = described("Of a search without results: the same with one restriction less.")
    alike: Sequence[NamedRecord] = described("Of a search without results: names that share much with it.")
    previous_url: str | None = described("Address of the page before; null on the first.")
    next_url: str | None = described("Address of the page after; null on the last.")

    @property
    def heading(self) -> str:
        """What was asked for."""
        return f"Search: {self.query}" if self.query else "Search"

    @property
    def indexable(self) -> bool:
        """The box is for search engines, results are not."""
        return not self.query and self.kind is None and self.number == 1

    @property
    def first(self) -> int:
        """The place of this page's first result among all, from 1."""
        return (self.number - 1) * RESULTS_ON_A_PAGE + 1

    @property
    def shown(self) -> str:
        """Which of the results are shown, in words."""
        last = self.first + len(self.results) - 1
        return f"{self.first}–{last} of {'the first ' if self.cut else ''}{self.listed}"

    @property
    def cut(self) -> bool:
        """Whether there are more results than are listed."""
        chosen = next(tab for tab in self.tabs if tab.chosen)
        return chosen.results_are_more or chosen.results > self.listed


def address(query: str, kind: str | None = None, number: int = 1) -> str:
    """The address of a page of a search."""
    parameters = {"q": query, "kind": kind or "", "page": number if number > 1 else ""}
    said = {name: value for name, value in parameters.items() if value}
    return f"/search?{urlencode(said)}" if said else "/search"


def build(typed: str, kind: str | None = None, number: int = 1, named: Sequence[Record] | None = None) -> SearchPage:
    """The page of a search. At most 12 queries. `kind` and `number` are taken as valid: see `asked`.

    `named` are the records that an identifier leads to, which are then the results; None if it was none.
    """
    query = parse(typed)
    provenance = Provenance.current()
    first = (number - 1) * RESULTS_ON_A_PAGE
    most = AT_ONCE if first + RESULTS_ON_A_PAGE < AT_ONCE else LISTED
    found = find(query, kind, most) if named is None else _of_records(named)
    results = _results(found.hits[first : first + RESULTS_ON_A_PAGE], found.marked)
    nothing = not found.hits
    last = first + RESULTS_ON_A_PAGE >= len(found.hits) or number >= LAST_PAGE
    return SearchPage(
        url=address(query.text, kind, number),
        source=provenance.source,
        provenance=provenance,
        query=query.text,
        kind=kind,
        tabs=_tabs(query.text, kind, found),
        mended=[Replacement(typed=typed, searched=searched) for typed, searched in found.mended.items()],
        all_but_one=found.all_but_one and not nothing,
        results=results,
        listed=len(found.hits) if len(found.hits) < most else _listed(found, kind),
        number=number,
        explanation=_explanation(query, kind, identifier=named is not None) if nothing else None,
        ways_out=_ways_out(query, kind, found) if nothing else [],
        alike=[NamedRecord(**vars(name)) for name in alike(query.text)] if nothing and not found.counts else [],
        previous_url=address(query.text, kind, number - 1) if number > 1 else None,
        next_url=None if last else address(query.text, kind, number + 1),
    )


def asked(kind: str, page: str) -> tuple[str | None, int]:
    """The kind and the page number of an address; what is not understood counts as not asked."""
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 4 else 1
    return (kind if kind in TABS else None), min(max(number, 1), LAST_PAGE)


def _listed(found: Found, kind: str | None) -> int:
    numbers = [number for key, number in found.counts.items() if kind in (None, key)]
    return min(LISTED, max(sum(numbers), len(found.hits)))


def _of_records(records: Sequence[Record]) -> Found:
    hits = [Hit(record.pk, record.kind, Match.NAME) for record in records]
    return Found(hits=hits, counts={kind: sum(hit.kind == kind for hit in hits) for kind in {hit.kind for hit in hits}})


def _tabs(query: str, kind: str | None, found: Found) -> list[SearchTab]:
    counts = found.counts.values()
    more = any(number > COUNTED for number in counts)
    tabs: list[tuple[str, str | None, int, bool]] = [("All", None, sum(min(n, COUNTED) for n in counts), more)]
    for value, (_, label) in TABS.items():
        number = found.counts.get(value, 0)
        tabs.append((label, str(value), min(number, COUNTED), number > COUNTED))
    return [
        SearchTab(
            kind=value,
            label=label,
            url=address(query, value),
            results=number,
            results_are_more=more,
            chosen=value == kind,
        )
        for label, value, number, more in tabs
    ]


def _explanation(query: Query, kind: str | None, *, identifier: bool) -> str:
    if not query.text:
        return "Type a name, words of a title, an author, or an arXiv id."
    if identifier:
        return "This is an identifier or an address, and the archive has no public record under it."
    if not query.wanted:
        left_out = "Only what is to be left out was given" if query.excluded else "There is no letter or digit in it"
        return f"{left_out}: there is nothing to search for."
    words = [f"“{'-'.join(parts)}”" for parts in query.words]
    phrases = [f"“{' '.join(parts)}” in a row" for parts in query.phrases]
    excluded = ", ".join(f"“{' '.join(parts)}”" for parts in query.excluded)
    what = " and ".join([*words, *phrases]) + (f", without {excluded}" if excluded else "")
    where = TABS[kind][1].lower() if kind else "papers, datasets, tasks, methods, leaderboards and authors"
    return f"Searched the names, titles, authors and texts of {where} for {what}. Nothing there matches."


def _ways_out(query: Query, kind: str | None, found: Found) -> list[WaysOut]:
    ways = []
    elsewhere = sum(found.counts.values())
    if kind and elsewhere:
        number = f"{min(elsewhere, COUNTED):,}{'+' if elsewhere > COUNTED else ''}"
        label = TABS[kind][1].lower()
        ways.append(WaysOut(words=f"Search all kinds, not only {label} ({number})", url=address(query.text)))
    if query.excluded and query.wanted:
        ways.append(WaysOut(words="Leave nothing out", url=address(query.without(excluded=True), kind)))
    if query.phrases:
        ways.append(
            WaysOut(words="Search the words of the phrase anywhere", url=address(query.without(phrases=True), kind))
        )
    return ways


def _results(hits: Sequence[Hit], words: set[str]) -> list[SearchResult]:
    """The results of some hits in their order. One query for records, one for authors."""
    records = _records([hit.id for hit in hits if hit.kind != AUTHOR])
    authors = _authors([hit.id for hit in hits if hit.kind == AUTHOR])
    results = []
    for hit in hits:
        row = (authors if hit.kind == AUTHOR else records).get(hit.id)
        if row is not None:
            results.append(_result(hit, row, words))
    return results


def _records(ids: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    if not ids:
        return {}
    names = Authorship.objects.filter(paper=OuterRef("pk")).order_by("position").values("author__name")
    rows = (
        Record.objects.public()
        .filter(pk__in=ids, kind__in=KINDS)
        .values(
            *("pk", "key", "name", "dropped_in", "paper__date", "paper__date_precision", "paper__abstract"),
            *("dataset__full_name", "dataset__num_papers", "dataset__description"),
            *("method__full_name", "method__num_papers", "method__description"),
            *("task__description", "leaderboard__row_count", "leaderboard__description"),
            authors=ArraySubquery(names[: AUTHORS_SHOWN + 1]),
        )
    )
    return {row["pk"]: row for row in rows}


def _authors(ids: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    if not ids:
        return {}
    papers = Count("authorships", filter=public("authorships__paper__record__"))
    rows = Author.objects.filter(pk__in=ids).annotate(papers=papers).values("pk", "name", "slug", "papers")
    return {row["pk"]: row for row in rows}


def _result(hit: Hit, row: Mapping[str, Any], words: set[str]) -> SearchResult:
    kind = hit.kind
    name = row["name"] or row.get("key") or ""
    text = next((row[key] for key in row if key.endswith(("abstract", "__description")) and row[key]), None)
    plain = beginning(text, TEXT_READ)
    piece = excerpt(plain, words) if plain else None
    full_name = row.get(f"{kind}__full_name")
    authors = row.get("authors") or []
    return SearchResult(
        kind=kind,
        url=f"/author/{row['slug']}" if kind == AUTHOR else f"/{row['key']}",
        name=name,
        name_marks=marks(name, words),
        matched_by=MATCHED_BY[hit.match],
        full_name=full_name if full_name and full_name != name else None,
        authors=authors[:AUTHORS_SHOWN],
        more_authors=len(authors) > AUTHORS_SHOWN,
        date=row.get("paper__date"),
        date_precision=row.get("paper__date_precision") or None,
        papers=row["papers"] if kind == AUTHOR else row.get(f"{kind}__num_papers"),
        rows=row.get("leaderboard__row_count"),
        excerpt=piece,
        excerpt_marks=marks(piece, words) if piece else [],
        dropped_in=row.get("dropped_in"),
    )
