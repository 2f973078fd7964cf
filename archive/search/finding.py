"""Asking the index: names first, then titles, then authors, then text; and again with words mended if that fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from django.db import connection, transaction

from archive.search import statements
from archive.search.indexing import KINDS
from archive.search.query import Parts, Query, all_of, any_of, in_a_row
from archive.search.statements import COUNTED
from archive.search.vocabulary import forms_of, near_and_beyond

FEW = 10
"""Results below which words are completed and mended too."""


LISTED = 500
"""Records that a result lists at most, over all its pages."""

AT_ONCE = 100
"""Of these, those that are found out for its first pages."""

AUTHOR = "author"
AUTHORS_AMONG_ALL = 3


class Match(IntEnum):
    """By what a record was found, nearest first."""

    NAME = 0
    OTHER_NAME = 1
    ACRONYM = 2
    AUTHOR_NAME = 3
    NAME_BEGINS = 4
    TITLE = 5
    OTHER_WORDS = 6
    TEXT = 7


@dataclass(frozen=True)
class Hit:
    """A record that was found; `author` for a name of the author lists, whose id is another."""

    id: int
    kind: str
    match: Match


@dataclass
class Found:
    """What a search gives: hits in their order, how many there are by kind, and with which words."""

    hits: list[Hit] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    mended: dict[str, list[str]] = field(default_factory=dict)
    all_but_one: bool = False
    marked: set[str] = field(default_factory=set)
    searched: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Terms:
    """The words of one attempt as tsqueries. `alternatives`: forms of each word, one of which must be there."""

    alternatives: tuple[tuple[str, ...], ...]
    phrases: tuple[Parts, ...]
    excluded: tuple[Parts, ...]
    all_but_one: bool = False

    def wanted(self, label: str = "") -> str:
        """What must be there; `label` restricts it to parts of a document, such as ":A"."""
        terms = [self._one(forms, label) for forms in self.alternatives]
        if not self.all_but_one:
            return all_of(terms)
        return " | ".join(f"({all_of(terms[:left] + terms[left + 1 :])})" for left in range(len(terms)))

    @staticmethod
    def _one(forms: tuple[str, ...], label: str) -> str:
        """A form with blanks in it stands for parts of a word, all of which must be there."""
        single = [form for form in forms if " " not in form]
        several = [f"({all_of(any_of([part], label) for part in form.split())})" for form in forms if " " in form]
        terms = [term for term in (any_of(single, label), *several) if term]
        return f"({' | '.join(terms)})" if len(terms) > 1 else "".join(terms)

    @property
    def words(self) -> str:
        """For titles, names and authors."""
        return self._but(self.wanted(), (in_a_row(parts) for parts in self.phrases), self.excluded)

    @property
    def apart(self) -> str:
        """The same without regard to phrases; for texts, of which no positions are kept."""
        return self._but(self.wanted(), (), (parts for parts in self.excluded if len(parts) == 1))

    @property
    def in_texts(self) -> list[tuple[Parts, bool]]:
        """Phrases, which `apart` leaves to be looked for: each with whether it has to be there or not."""
        return [(parts, True) for parts in self.phrases] + [(parts, False) for parts in self.excluded if len(parts) > 1]

    @staticmethod
    def _but(wanted: str, phrases: Iterable[str], excluded: Iterable[Parts]) -> str:
        terms = [f"({wanted})" if wanted else "", *phrases, *(f"!{in_a_row(parts)}" for parts in excluded)]
        return all_of(terms)

    @property
    def size(self) -> int:
        """Number of words."""
        return max(1, sum(1 for _ in self.alternatives))


def find(query: Query, kind: str | None = None, most: int = AT_ONCE) -> Found:
    """Search for a query, among all kinds or one of them (a RecordKind, or "author"). At most 10 statements.

    Gives at most `most` hits. Bounded whatever is typed: see the numbers in `statements`.
    """
    if not query.wanted:
        return Found()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statements.SETTINGS)
        search = _Search(cursor, query, kind, most)
        search.run()
        return search.found


class _Search:
    """One search: a first attempt with the words as they are, and others where it finds little."""

    def __init__(self, cursor: Any, query: Query, kind: str | None, most: int) -> None:
        self.cursor, self.query, self.kind, self.most = cursor, query, kind, most
        self.kinds = [str(known) for known in KINDS if kind in (None, known)]
        self.words = forms_of(query.parts)
        self.found = Found()
        self._seen: set[tuple[bool, int]] = set()

    def run(self) -> None:
        """Search for the words; complete the last and mend unknown ones; if need be, let one be missing."""
        query = self.query
        terms = Terms(tuple(map(self._forms, query.wanted)), query.phrases, query.excluded)
        begins = "" if query.phrases or query.excluded else "".join(self._compared(query.wanted))
        self._attempt(terms, names=[query.name] if query.name else [], begins=begins, authors=True)
        if len(self.found.hits) < FEW:
            wider = self._widened(terms)
            if not self.found.hits and len(terms.alternatives) > 2 and not query.phrases:
                self._attempt(Terms(wider.alternatives, (), query.excluded, all_but_one=True))
                self.found.all_but_one = bool(self.found.hits)

    def _compared(self, wanted: Iterable[Parts]) -> list[str]:
        return [self.words[part].word for parts in wanted for part in parts]

    def _forms(self, parts: Parts) -> tuple[str, ...]:
        """What may stand in the index for a word: its forms, or its parts one by one, or joined."""
        if len(parts) > 1:
            return " ".join(self._compared([parts])), self.words["".join(parts)].word
        word = self.words[parts[0]]
        return word.forms if word.word in word.forms else (word.word, *word.forms)

    def _widened(self, terms: Terms) -> Terms:
        """The terms with more forms of their words, searched for if there are any."""
        compared = [self._compared([parts]) for parts in self.query.wanted]
        known = {word.word for word in self.words.values() if word.forms}
        strange = [part for parts in compared if "".join(parts) not in known for part in parts if part not in known]
        served = any(hit.match not in (Match.NAME_BEGINS, Match.TEXT) for hit in self.found.hits)
        last = compared[-1][-1] if len(compared[-1]) == 1 and not self.query.phrases else ""
        near, completions = near_and_beyond([] if served else list(dict.fromkeys(strange)), last)
        wider = tuple(
            tuple(dict.fromkeys((*forms, *_mended(parts, near), *(completions if parts is compared[-1] else ()))))
            for parts, forms in zip(compared, terms.alternatives, strict=True)
        )
        if wider == terms.alternatives:
            return terms
        self.found.mended = near
        whole = [part for parts in compared for part in parts]
        names = list(dict.fromkeys("".join(name.split()) for name in _mended(whole, near)))
        widened = Terms(wider, terms.phrases, terms.excluded)
        self._attempt(widened, names=names)
        return widened

    def _attempt(self, terms: Terms, *, names: Sequence[str] = (), begins: str = "", authors: bool = False) -> None:
        """Search once; what is found beyond the hits of earlier attempts comes after them."""
        found = self.found
        found.marked.update(part for forms in terms.alternatives for form in forms for part in form.split())
        hits, only_named = self._names_and_titles(terms, names, begins)
        named, counts = self._authors(terms) if authors else ([], {})
        texts, text_counts = self._texts(terms)
        counts |= text_counts
        for kind in only_named:
            counts[kind] = counts.get(kind, 0) + 1
        for kind, number in counts.items():
            found.counts[kind] = max(number, found.counts.get(kind, 0))
        for hit in sorted([*hits, *named, *texts], key=lambda hit: hit.match):
            place = (hit.kind == AUTHOR, hit.id)
            if self.kind in (None, hit.kind) and place not in self._seen and len(found.hits) < self.most:
                self._seen.add(place)
                found.hits.append(hit)
        for kind in {hit.kind for hit in found.hits}:
            shown = sum(hit.kind == kind for hit in found.hits)
            found.counts[kind] = max(shown, found.counts.get(kind, 0))

    def _names_and_titles(self, terms: Terms, names: Sequence[str], begins: str) -> tuple[list[Hit], list[str]]:
        """The hits, and the kinds of those that have the name but not the words: "image net" for ImageNet."""
        parts = [statements.DOCUMENTS_WITH_PHRASES if terms.in_texts else statements.DOCUMENTS]
        if len(begins) > 1:
            parts.append(statements.NAME_BEGINS)
        if names:
            parts.append(statements.NAMES)
        self.cursor.execute(
            f"SELECT record_id, kind, match, there FROM ({' UNION ALL '.join(reversed(parts))}) "
            "AS found (record_id, kind, match, score, there) ORDER BY match, score DESC, record_id",
            {
                "names": list(names),
                "kinds": self.kinds,
                "begins": begins + "%",
                "titles": terms.wanted(":A"),
                "in_a_row": in_a_row([part for forms in terms.alternatives for part in forms[0].split()]),
                "words": terms.words,
                "apart": terms.apart,
                "texts": terms.apart,
                "wanted": terms.wanted(),
                "size": len(terms.alternatives),
                "ranked": statements.RANKED,
                "tried": statements.TRIED,
                "most": self.most,
            },
        )
        best: dict[int, Hit] = {}
        only_named: dict[int, str] = {}
        for record, kind, match, there in self.cursor.fetchall():
            best.setdefault(record, Hit(record, kind, Match(match)))
            if not there:
                only_named[record] = kind
        return list(best.values()), list(only_named.values())

    def _texts(self, terms: Terms) -> tuple[list[Hit], dict[str, int]]:
        """The most popular records that have the words anywhere, and how many there are of each kind."""
        parameters: dict[str, Any] = {
            "texts": terms.apart,
            "wanted": terms.wanted(),
            "kinds": self.kinds,
            "counted": COUNTED + 1,
            "checked": statements.CHECKED,
            "most": self.most,
        }
        conditions = []
        for number, (parts, wanted) in enumerate(terms.in_texts):
            row = r"\y" + r"\W+".join(part.lower() for part in parts) + r"\y"
            parameters |= {f"query{number}": in_a_row(parts), f"text{number}": row}
            condition = statements.IN_A_ROW % (f"%(query{number})s", f"%(text{number})s")
            conditions.append(condition if wanted else f"NOT {condition}")
        statement = statements.TEXTS
        if conditions:
            statement = statements.CHECKED_TEXTS.format(check=" AND ".join(conditions))
        self.cursor.execute(statement, parameters)
        rows = self.cursor.fetchall()
        counts: dict[str, int] = {}
        for record, kind, _, number in rows:
            if conditions or record is None:
                counts[kind] = counts.get(kind, 0) + (number or 1)
        rows = sorted((row for row in rows if row[0] is not None), key=lambda row: (-row[2], row[0]))
        return [Hit(record, kind, Match.TEXT) for record, kind, _, _ in rows], counts

    def _authors(self, terms: Terms) -> tuple[list[Hit], dict[str, int]]:
        """Names of authors that have all words, and their number; among all kinds only those that have no other."""
        by_papers = self.kind == AUTHOR
        self.cursor.execute(
            statements.AUTHORS,
            {
                "wanted": terms.words,
                "size": sum(len(forms[0].split()) for forms in terms.alternatives),
                "by_papers": by_papers,
                "counted": COUNTED + 1,
                "most": self.most if by_papers else AUTHORS_AMONG_ALL,
            },
        )
        rows = self.cursor.fetchall()
        counts = {AUTHOR: rows[0][0]} if rows[0][0] else {}
        return [Hit(author, AUTHOR, Match.AUTHOR_NAME) for _, author in rows if author], counts


def _mended(parts: Sequence[str], near: dict[str, list[str]]) -> list[str]:
    """The forms of a word with one of its parts mended: the parts with blanks between them, and joined."""
    forms = []
    for place, part in enumerate(parts):
        for word in near.get(part, ()):
            mended = [*parts[:place], word, *parts[place + 1 :]]
            forms += [" ".join(mended), "".join(mended)]
    return forms
