"""Names as one types them: what a beginning may become, and what looks like a name that nothing has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from archive.search.query import all_of, any_of, parse

SUGGESTED = 8
ALIKE = 5

# Names that begin like this; of papers only once enough is typed, since a short beginning has thousands. Then names
# of which a later word begins like this.
_SUGGESTIONS = """
    WITH typed AS (SELECT archive_search_key(%(text)s) AS key)
    SELECT r.kind, r.name, r.key FROM (
      (SELECT record_id, 0 AS part, key = (SELECT key FROM typed) AS whole, popularity FROM archive_searchname
       WHERE kind <> 'paper' AND key >= (SELECT key FROM typed) AND key < (SELECT key FROM typed) || %(last)s
       ORDER BY 3 DESC, rank, popularity DESC LIMIT %(enough)s)
      UNION ALL
      (SELECT record_id, 1, false, popularity FROM (
         SELECT record_id, popularity FROM archive_searchname
         WHERE %(long)s AND kind = 'paper' AND key >= (SELECT key FROM typed)
           AND key < (SELECT key FROM typed) || %(last)s LIMIT 2000
       ) papers ORDER BY popularity DESC LIMIT %(most)s)
      UNION ALL
      (SELECT record_id, 2, false, popularity FROM (
         SELECT record_id, popularity FROM archive_searchdocument
         WHERE kind <> 'paper' AND words @@ to_tsquery('corrigenda', %(words)s) LIMIT 500
       ) others ORDER BY popularity DESC LIMIT %(most)s)
    ) found JOIN archive_record r ON r.id = found.record_id
    WHERE r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL
    ORDER BY whole DESC, part, popularity DESC, r.id
"""
_LAST = "\U0010ffff"

_ALIKE = """
    SELECT r.kind, r.name, r.key FROM (
      SELECT record_id, max(similarity(key, typed)) AS near, max(popularity) AS popularity
      FROM archive_searchname, (SELECT archive_search_key(%s) AS typed) t
      WHERE kind <> 'paper' AND key %% typed GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT %s
    ) found JOIN archive_record r ON r.id = found.record_id
    WHERE r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL ORDER BY near DESC, popularity DESC
"""


@dataclass(frozen=True)
class Named:
    """A public record by its name."""

    kind: str
    name: str
    url: str


def suggestions(typed: str) -> list[Named]:
    """What a search could be for, from what is typed so far: at most SUGGESTED names. One query, none for nothing."""
    query = parse(typed)
    if not query.words or query.phrases or query.excluded:
        return []
    parts = [part for parts in query.words for part in parts]
    length = sum(map(len, parts))
    found = _named(
        _SUGGESTIONS,
        {
            "text": query.text,
            "last": _LAST,
            "long": length > 5,
            "enough": 2 * SUGGESTED,
            "most": SUGGESTED,
            "words": all_of([*(any_of([part]) for part in parts[:-1]), f"'{parts[-1]}':*"]) if length > 1 else "",
        },
    )
    return list(dict.fromkeys(found))[:SUGGESTED]


def alike(typed: str) -> list[Named]:
    """Names of datasets, tasks, methods and leaderboards that share much with what was typed, at most ALIKE.

    For a search that found nothing. One query, none for nothing.
    """
    query = parse(typed)
    return _named(_ALIKE, [query.text[:120], ALIKE]) if query.words else []


def _named(statement: str, parameters: Any) -> list[Named]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [Named(kind, name, f"/{key}") for kind, name, key in cursor.fetchall()]
