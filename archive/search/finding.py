"""Asking the index: names first, then titles, then authors, then text; and again with words mended if that fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from django.db import connection, transaction

from archive.models import RecordKind
from archive.search.indexing import KINDS, TEXT_INDEXED
from archive.search.query import Parts, Query, all_of, any_of, in_a_row
from archive.search.vocabulary import Word, forms_of, near_and_beyond

RANKED = 2_000
"""Titles of a kind that are looked at in ranking, the most popular first."""

LISTED = 500
"""Records that a result lists at most, over all its pages."""

COUNTED = 1_000
"""Counts are exact up to here."""

CHECKED = 300
"""Papers, and as many other records, whose text is read for a phrase."""

FILLED = 100
"""Records of a kind that are listed for their text among all kinds."""

FEW = 10
"""Results below which words are completed and mended too."""

OTHERS = tuple(kind for kind in KINDS if kind != RecordKind.PAPER)


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
    def texts(self) -> str:
        """For texts, of which no positions are kept: phrases are left to `in_texts`."""
        return self._but(self.wanted(), (), (parts for parts in self.excluded if len(parts) == 1))

    @property
    def in_texts(self) -> list[tuple[Parts, bool]]:
        """Phrases that `texts` leaves to be looked for, each with whether it has to be there or not."""
        return [(parts, True) for parts in self.phrases] + [(parts, False) for parts in self.excluded if len(parts) > 1]

    @staticmethod
    def _but(wanted: str, phrases: Iterable[str], excluded: Iterable[Parts]) -> str:
        terms = [f"({wanted})" if wanted else "", *phrases, *(f"!{in_a_row(parts)}" for parts in excluded)]
        return all_of(terms)

    @property
    def size(self) -> int:
        """Number of words."""
        return max(1, sum(1 for _ in self.alternatives))


# Rows of a bitmap or table come in the order in which they lie, the most popular first: LIMIT takes these.
_NAMES = """
    (SELECT record_id, kind, rank::int AS match, popularity::float8 AS score FROM archive_searchname
     WHERE key = ANY(ARRAY(SELECT archive_search_key(k) FROM unnest(%(names)s::text[]) k)) AND kind = ANY(%(kinds)s)
     ORDER BY rank, popularity DESC, record_id LIMIT 60)
"""
_NAME_BEGINS = """
    (SELECT record_id, kind, 4, popularity FROM archive_searchname
     WHERE kind <> 'paper' AND key LIKE %(begins)s AND kind = ANY(%(kinds)s)
     ORDER BY popularity DESC, record_id LIMIT 12)
"""
_DOCUMENTS = """
    (SELECT record_id, kind, CASE WHEN words @@ to_tsquery('corrigenda', %(titles)s) THEN 5 ELSE 6 END,
       least(span, %(size)s)::float8 / greatest(span, %(size)s) + 0.1 * popularity
         + CASE WHEN words @@ to_tsquery('corrigenda', %(in_a_row)s) THEN 0.5 ELSE 0 END
     FROM (
       (SELECT * FROM archive_searchdocument
        WHERE kind = 'paper' AND 'paper' = ANY(%(kinds)s) AND words @@ to_tsquery('corrigenda', %(words)s)
        LIMIT %(ranked)s)
       UNION ALL
       (SELECT * FROM archive_searchdocument
        WHERE kind <> 'paper' AND kind = ANY(%(kinds)s) AND words @@ to_tsquery('corrigenda', %(words)s)
        LIMIT %(ranked)s)
     ) looked_at ORDER BY 3, 4 DESC, record_id LIMIT %(listed)s)
"""

_TEXTS = """
    SELECT record_id, '{kind}', popularity, total FROM (
      SELECT record_id, popularity, count(*) OVER () AS total, row_number() OVER () AS place FROM (
        SELECT record_id, popularity FROM archive_searchtext
        WHERE kind {among} 'paper' AND kind = '{kind}' AND words @@ to_tsquery('corrigenda_text', %(texts)s)
        LIMIT %(counted)s
      ) looked_at
    ) numbered WHERE place <= %(filled)s
"""
_ALL_TEXTS = " UNION ALL ".join(
    f"({_TEXTS.format(kind=kind, among='=' if kind == RecordKind.PAPER else '<>')})" for kind in KINDS
)

# Texts are indexed without positions, which would make them twice as large: phrases are looked for in the text itself.
_CHECKED_TEXTS = f"""
    SELECT t.record_id, t.kind, t.popularity, 0 FROM (
      (SELECT * FROM archive_searchtext
       WHERE kind = 'paper' AND words @@ to_tsquery('corrigenda_text', %(texts)s) LIMIT %(checked)s)
      UNION ALL
      (SELECT * FROM archive_searchtext
       WHERE kind <> 'paper' AND words @@ to_tsquery('corrigenda_text', %(texts)s) LIMIT %(checked)s)
    ) t JOIN archive_searchdocument d ON d.record_id = t.record_id
    LEFT JOIN archive_paper p ON p.record_id = t.record_id
    LEFT JOIN archive_dataset s ON s.record_id = t.record_id
    LEFT JOIN archive_method m ON m.record_id = t.record_id
    LEFT JOIN archive_task k ON k.record_id = t.record_id
    CROSS JOIN LATERAL (
      SELECT lower(left(coalesce(p.abstract, s.description, m.description, k.description, ''), {TEXT_INDEXED})) AS text
    ) beginning
    WHERE {{check}}
"""
_IN_A_ROW = "(d.words @@ to_tsquery('corrigenda', %s) OR beginning.text ~ %s)"

# A name of which every word was typed, in whatever order, is the name that was meant.
_AUTHOR_WORDS = "to_tsvector('public.corrigenda', archive_search_spaced(name))"
_AUTHORS = f"""
    WITH named AS MATERIALIZED (
      SELECT id, name FROM archive_author WHERE {_AUTHOR_WORDS} @@ to_tsquery('corrigenda', %(wanted)s)
      LIMIT %(counted)s
    ), hits AS MATERIALIZED (
      SELECT id, name FROM named WHERE (
        SELECT true FROM archive_authorship s JOIN archive_record r ON r.id = s.paper_id
        WHERE s.author_id = named.id AND r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL LIMIT 1)
    ), ranked AS (
      SELECT id, length({_AUTHOR_WORDS}) <= %(size)s AS whole, CASE WHEN %(by_papers)s THEN
        (SELECT count(*) FROM archive_authorship WHERE author_id = hits.id) END AS papers FROM hits
    )
    SELECT counted.number, listed.id FROM (SELECT count(*) AS number FROM hits) counted LEFT JOIN LATERAL (
      SELECT id FROM ranked WHERE whole OR %(by_papers)s
      ORDER BY whole DESC, papers DESC NULLS LAST, id LIMIT %(listed)s
    ) listed ON true
"""
AUTHOR = "author"
AUTHORS_AMONG_ALL = 3


def find(query: Query, kind: str | None = None) -> Found:
    """Search for a query, among all kinds or one of them (a RecordKind, or "author"). At most 9 queries.

    Bounded whatever is typed: at most RANKED titles are ranked, COUNTED counted, CHECKED read for a phrase.
    """
    if not query.wanted:
        return Found()
    with transaction.atomic(), connection.cursor() as cursor:
        # Bitmaps whole, rows in the order in which they lie, for these statements only.
        cursor.execute(
            "SELECT set_config('work_mem', '32MB', true), set_config('synchronize_seqscans', 'off', true), "
            "set_config('max_parallel_workers_per_gather', '0', true)"
        )
        words = forms_of(query.parts)
        terms = Terms(tuple(_forms(parts, words) for parts in query.wanted), query.phrases, query.excluded)
        found = Found(searched=[words[part].word for part in query.parts if part in words])
        _attempt(cursor, found, terms, kind, names=[query.name], begins=query.name)
        if len(found.hits) < FEW:
            _widen(cursor, found, query, terms, words, kind)
        return found


def _forms(parts: Parts, words: dict[str, Word]) -> tuple[str, ...]:
    """What may stand in the index for a word: its forms, or its parts one by one, or joined."""
    if len(parts) == 1:
        word = words[parts[0]]
        return word.forms if word.word in word.forms else (word.word, *word.forms)
    return " ".join(words[part].word for part in parts), words["".join(parts)].word


def _widen(cursor: Any, found: Found, query: Query, terms: Terms, words: dict[str, Word], kind: str | None) -> None:
    """Complete the last word and mend unknown ones; if still nothing is found, let one word be missing."""
    compared = [tuple(words[part].word for part in parts) for parts in query.wanted]
    known = {word.word for word in words.values() if word.forms}
    strange = [part for parts in compared if "".join(parts) not in known for part in parts if part not in known]
    served = any(hit.match not in (Match.NAME_BEGINS, Match.TEXT) for hit in found.hits)
    last = compared[-1][-1] if len(compared[-1]) == 1 and not query.phrases else ""
    near, completions = near_and_beyond([] if served else list(dict.fromkeys(strange)), last)
    wider = [
        (*forms, *_mended(parts, near), *(completions if place == len(compared) - 1 else ()))
        for place, (parts, forms) in enumerate(zip(compared, terms.alternatives, strict=True))
    ]
    alternatives = tuple(tuple(dict.fromkeys(forms)) for forms in wider)
    if alternatives != terms.alternatives:
        found.mended = near
        whole = [part for parts in compared for part in parts]
        names = ["".join(parts.split()) for parts in _mended(whole, near) if " " in parts or len(whole) == 1]
        _attempt(cursor, found, Terms(alternatives, terms.phrases, terms.excluded), kind, names=names)
    if not found.hits and len(alternatives) > 2 and not query.phrases:
        found.all_but_one = True
        _attempt(cursor, found, Terms(alternatives, (), terms.excluded, all_but_one=True), kind, names=[])


def _mended(parts: Sequence[str], near: dict[str, list[str]]) -> list[str]:
    """The forms of a word with one of its parts mended: the parts with blanks between them, and joined."""
    forms = []
    for place, part in enumerate(parts):
        for word in near.get(part, ()):
            mended = [*parts[:place], word, *parts[place + 1 :]]
            forms += [" ".join(mended), "".join(mended)]
    return forms


def _attempt(
    cursor: Any, found: Found, terms: Terms, kind: str | None, *, names: Sequence[str], begins: str = ""
) -> None:
    """One search; what it finds beyond the hits of earlier attempts comes after them."""
    found.marked.update(part for forms in terms.alternatives for form in forms for part in form.split())
    seen = {(hit.kind == AUTHOR, hit.id) for hit in found.hits}
    hits = _names_and_titles(cursor, terms, [kind] if kind in KINDS else list(KINDS), names, begins)
    authors, authors_counted = _authors(cursor, terms, by_papers=kind == AUTHOR)
    counts, texts = _texts(cursor, terms, hits, LISTED if kind else FILLED)
    for hit in hits:
        counts.setdefault(hit.kind, 0)
    if authors_counted:
        counts[AUTHOR] = authors_counted
    found.counts = {key: max(number, found.counts.get(key, 0)) for key, number in (found.counts | counts).items()}
    ordered = [*hits, *authors, *texts]
    ordered.sort(key=lambda hit: hit.match)
    for hit in ordered:
        if kind in (None, hit.kind) and (hit.kind == AUTHOR, hit.id) not in seen and len(found.hits) < LISTED:
            seen.add((hit.kind == AUTHOR, hit.id))
            found.hits.append(hit)
    for key in {hit.kind for hit in found.hits}:
        found.counts[key] = max(found.counts.get(key, 0), sum(hit.kind == key for hit in found.hits))


def _names_and_titles(cursor: Any, terms: Terms, kinds: list[str], names: Sequence[str], begins: str) -> list[Hit]:
    parts = [_DOCUMENTS]
    if names:
        parts.append(_NAMES)
    key = "".join(terms.alternatives[-1][0].split()) if len(terms.alternatives) == 1 else ""
    if begins and len(key) > 1:
        parts.append(_NAME_BEGINS)
    first = [forms[0].split() for forms in terms.alternatives]
    cursor.execute(
        f"SELECT record_id, kind, match FROM ({' UNION ALL '.join(reversed(parts))}) "
        "AS found (record_id, kind, match, score) ORDER BY match, score DESC, record_id",
        {
            "names": list(names),
            "kinds": [str(kind) for kind in kinds],
            "begins": key + "%",
            "titles": terms.wanted(":A"),
            "in_a_row": in_a_row([part for parts in first for part in parts]),
            "words": terms.words,
            "size": terms.size,
            "ranked": RANKED,
            "listed": LISTED,
        },
    )
    best: dict[int, Hit] = {}
    for record, kind, match in cursor.fetchall():
        best.setdefault(record, Hit(record, kind, Match(match)))
    return list(best.values())


def _texts(cursor: Any, terms: Terms, hits: Sequence[Hit], filled: int) -> tuple[dict[str, int], list[Hit]]:
    """How many records have the words anywhere, and the most popular of them."""
    parameters: dict[str, Any] = {
        "texts": terms.texts,
        "counted": COUNTED + 1,
        "filled": filled,
        "checked": CHECKED,
    }
    conditions = []
    for number, (parts, wanted) in enumerate(terms.in_texts):
        parameters |= {f"query{number}": in_a_row(parts), f"text{number}": r"\y" + r"\W+".join(parts).lower() + r"\y"}
        condition = _IN_A_ROW % (f"%(query{number})s", f"%(text{number})s")
        conditions.append(condition if wanted else f"NOT {condition}")
    check = bool(conditions)
    cursor.execute(_CHECKED_TEXTS.format(check=" AND ".join(conditions)) if check else _ALL_TEXTS, parameters)
    rows = cursor.fetchall()
    counts: dict[str, int] = {}
    for _, kind, _, total in rows:
        counts[kind] = counts.get(kind, 0) + 1 if check else total
    rows.sort(key=lambda row: -row[2])
    # Names that are compared without blanks may not have the words: "image net" for ImageNet.
    complete = {kind for kind, number in counts.items() if number <= filled} | (set(KINDS) - set(counts))
    there = {row[0] for row in rows}
    for hit in hits:
        if hit.kind in complete and hit.id not in there and hit.match <= Match.NAME_BEGINS:
            counts[hit.kind] = counts.get(hit.kind, 0) + 1
    return counts, [Hit(record, kind, Match.TEXT) for record, kind, _, _ in rows]


def _authors(cursor: Any, terms: Terms, *, by_papers: bool) -> tuple[list[Hit], int]:
    """Names of authors that have all words; without `by_papers` those of which nothing is missing, and the count."""
    cursor.execute(
        _AUTHORS,
        {
            "wanted": terms.words,
            "size": sum(len(forms[0].split()) for forms in terms.alternatives),
            "by_papers": by_papers,
            "counted": COUNTED + 1,
            "listed": LISTED if by_papers else AUTHORS_AMONG_ALL,
        },
    )
    rows = cursor.fetchall()
    return [Hit(author, AUTHOR, Match.AUTHOR_NAME) for _, author in rows if author], rows[0][0]
