"""The words of titles and names: other forms of a word, what a mistyped word may have been, how a beginning goes on."""

from __future__ import annotations

import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import connection

LETTERS = string.ascii_lowercase + string.digits

SHORTEST_MENDED = 3
"""Letters of a word that is mended: almost anything is one letter away from two."""

MOST_MENDED = 4
"""Unknown words of one query that are mended."""

NEAR_WORDS = 8
COMPLETIONS = 12
SHORTEST_COMPLETED = 3

_FORMS = """
    WITH given AS (
      SELECT n, lower(unaccent(word)) AS word FROM unnest(%s::text[]) WITH ORDINALITY AS given (word, n)
    )
    SELECT given.word, ARRAY(
      SELECT v.word FROM archive_searchword v
      WHERE v.word = given.word OR length(given.word) > 3 AND v.word IN (
        given.word || 's', given.word || 'es', regexp_replace(given.word, 'y$', 'ies'),
        regexp_replace(given.word, 's$', ''), regexp_replace(given.word, 'es$', ''),
        regexp_replace(given.word, 'ies$', 'y'))
      ORDER BY v.word <> given.word, v.frequency DESC)
    FROM given ORDER BY n
"""


@dataclass(frozen=True)
class Word:
    """A word as it is compared, and its forms in titles and names: itself first, singular or plural. None: unknown."""

    word: str
    forms: tuple[str, ...]


def forms_of(words: Sequence[str]) -> dict[str, Word]:
    """By word as typed: how it is compared, and which forms of it titles and names have. One query, none of none."""
    if not words:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_FORMS, [list(words)])
        found = cursor.fetchall()
    return {typed: Word(word, tuple(forms)) for typed, (word, forms) in zip(words, found, strict=True)}


def near_and_beyond(unknown: Sequence[str], beginning: str) -> tuple[dict[str, list[str]], list[str]]:
    """Known words one slip away from each unknown word, and words that start with `beginning`, most frequent first.

    A slip is a letter more, fewer, other, or two letters in each other's place. One query.
    """
    slips = {word: slips_of(word) for word in unknown if len(word) >= SHORTEST_MENDED}
    slips = dict(list(slips.items())[:MOST_MENDED])
    begins = beginning + "%" if len(beginning) >= SHORTEST_COMPLETED else None
    if not slips and begins is None:
        return {}, []
    with connection.cursor() as cursor:
        cursor.execute(
            "(SELECT word, frequency FROM archive_searchword WHERE word = ANY(%s)) UNION ALL "
            "(SELECT word, -frequency FROM archive_searchword WHERE word LIKE %s ORDER BY frequency DESC LIMIT %s)",
            [list(set().union(*slips.values())), begins, COMPLETIONS],
        )
        found = cursor.fetchall()
    known = sorted((row for row in found if row[1] > 0), key=lambda row: (-row[1], row[0]))
    near = {typed: [word for word, _ in known if word in around][:NEAR_WORDS] for typed, around in slips.items()}
    return {typed: words for typed, words in near.items() if words}, [word for word, n in found if n < 0]


def slips_of(word: str) -> Collection[str]:
    """Every word that one slip of the fingers makes of a word, about 75 for each of its letters."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    fewer = {left + right[1:] for left, right in cuts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in LETTERS}
    more = {left + letter + right for left, right in cuts for letter in LETTERS}
    return (fewer | swapped | other | more) - {word}
