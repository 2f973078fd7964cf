"""The statements that search asks, and how much each may look at.

Rows of a bitmap or table come in the order in which they lie, the most popular first: LIMIT takes these.
"""

from __future__ import annotations

from archive.search.indexing import TEXT_INDEXED

RANKED = 1_000
"""Papers, and as many other records, whose title is looked at in ranking: the most popular ones."""

COUNTED = 1_000
"""Counts are exact up to here."""

CHECKED = 200
"""Papers, and as many other records, whose text is read for a phrase."""

TRIED = 4_000
"""Papers, and as many other records, with the words of a phrase in the title, in which the phrase is looked for."""

# For this transaction only: bitmaps whole, rows in the order in which they lie, and no guess that a few rows are met
# soon by reading a table from its beginning: for rare words that reads all of it.
SETTINGS = """
    SELECT set_config('work_mem', '32MB', true), set_config('enable_seqscan', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)
"""

# Words of texts that say something; if none is wanted, all words, which titles have: a query of what is left out alone
# would read the whole index.
_TEXTS = """CASE WHEN numnode(to_tsquery('corrigenda_text', %(wanted)s)) = 0
      THEN to_tsquery('corrigenda', %(texts)s) ELSE to_tsquery('corrigenda_text', %(texts)s) END"""

_THERE = f"""EXISTS (
      SELECT FROM archive_searchtext t WHERE t.record_id = named.record_id AND t.words @@ {_TEXTS})"""

# Each gives record, kind, match (a member of Match), score, and whether the record is also found by its text.
NAMES = f"""
    (SELECT named.*, {_THERE} FROM (
       SELECT record_id, kind, rank::int, popularity::float8 FROM archive_searchname
       WHERE key = ANY(ARRAY(SELECT archive_search_key(k) FROM unnest(%(names)s::text[]) k))
       ORDER BY rank, popularity DESC, record_id LIMIT 60
     ) named)
"""
# Many datasets have a variant "SST-2 …": the one that is named SST comes first.
NAME_BEGINS = f"""
    (SELECT named.*, {_THERE} FROM (
       SELECT record_id, kind, 4, popularity + CASE WHEN EXISTS (
           SELECT FROM archive_searchname own
           WHERE own.record_id = name.record_id AND own.rank = 0 AND starts_with(%(begins)s, own.key)
         ) THEN 100 ELSE 0 END
       FROM archive_searchname name
       WHERE kind <> 'paper' AND key LIKE %(begins)s ORDER BY 4 DESC, record_id LIMIT 12
     ) named)
"""
_DOCUMENTS = """
    (SELECT record_id, kind, CASE WHEN words @@ to_tsquery('corrigenda', %(titles)s) THEN 5 ELSE 6 END,
       least(span, %(size)s)::float8 / greatest(span, %(size)s) + 0.1 * popularity
         + CASE WHEN %(size)s > 1 AND words @@ to_tsquery('corrigenda', %(in_a_row)s) THEN 0.5 ELSE 0 END, true
     FROM (({papers}) UNION ALL ({others})) looked_at ORDER BY 3, 4 DESC, record_id LIMIT %(most)s)
"""
_LOOKED_AT = """
    SELECT * FROM archive_searchdocument
    WHERE kind {among} 'paper' AND kind = ANY(%(kinds)s) AND words @@ to_tsquery('corrigenda', %(words)s)
    LIMIT %(ranked)s
"""
# A phrase has to be looked for row by row: only in so many of those that have its words.
_LOOKED_AT_FOR_PHRASES = """
    SELECT * FROM (
      SELECT * FROM archive_searchdocument
      WHERE kind {among} 'paper' AND kind = ANY(%(kinds)s) AND words @@ to_tsquery('corrigenda', %(apart)s)
      LIMIT %(tried)s
    ) tried WHERE words @@ to_tsquery('corrigenda', %(words)s) LIMIT %(ranked)s
"""
DOCUMENTS = _DOCUMENTS.format(papers=_LOOKED_AT.format(among="="), others=_LOOKED_AT.format(among="<>"))
DOCUMENTS_WITH_PHRASES = _DOCUMENTS.format(
    papers=_LOOKED_AT_FOR_PHRASES.format(among="="), others=_LOOKED_AT_FOR_PHRASES.format(among="<>")
)

# Each gives record, kind, popularity, number: counts by kind without a record, and the most popular records.
TEXTS = f"""
    WITH papers AS MATERIALIZED (
      SELECT record_id, kind, popularity FROM archive_searchtext
      WHERE kind = 'paper' AND words @@ {_TEXTS} LIMIT %(counted)s
    ), others AS MATERIALIZED (
      SELECT record_id, kind, popularity FROM archive_searchtext WHERE kind <> 'paper' AND words @@ {_TEXTS}
    )
    SELECT NULL::bigint, kind, 0, count(*) FROM papers GROUP BY kind
    UNION ALL SELECT NULL, kind, 0, count(*) FROM others GROUP BY kind
    UNION ALL (SELECT record_id, kind, popularity, 0 FROM papers WHERE kind = ANY(%(kinds)s)
               ORDER BY popularity DESC, record_id LIMIT %(most)s)
    UNION ALL (SELECT record_id, kind, popularity, 0 FROM others WHERE kind = ANY(%(kinds)s)
               ORDER BY popularity DESC, record_id LIMIT %(most)s)
"""

# Texts are indexed without positions, which would make them twice as large: phrases are looked for in the text itself.
CHECKED_TEXTS = f"""
    SELECT t.record_id, t.kind, t.popularity, 0 FROM (
      (SELECT * FROM archive_searchtext WHERE kind = 'paper' AND words @@ {_TEXTS} LIMIT %(checked)s)
      UNION ALL
      (SELECT * FROM archive_searchtext WHERE kind <> 'paper' AND words @@ {_TEXTS} LIMIT %(checked)s)
    ) t JOIN archive_searchdocument d ON d.record_id = t.record_id
    LEFT JOIN archive_paper p ON p.record_id = t.record_id
    LEFT JOIN archive_dataset s ON s.record_id = t.record_id
    LEFT JOIN archive_method m ON m.record_id = t.record_id
    LEFT JOIN archive_task k ON k.record_id = t.record_id
    CROSS JOIN LATERAL (
      SELECT lower(left(coalesce(p.abstract, s.description, m.description, k.description, ''), {TEXT_INDEXED})) AS text
    ) beginning
    WHERE {{check}} ORDER BY t.popularity DESC, t.record_id
"""
IN_A_ROW = "(d.words @@ to_tsquery('corrigenda', %s) OR beginning.text ~ %s)"

# A name of which every word was typed, in whatever order, is the name that was meant.
_AUTHOR_WORDS = "to_tsvector('public.corrigenda', archive_search_spaced(name))"
AUTHORS = f"""
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
      ORDER BY whole DESC, papers DESC NULLS LAST, id LIMIT %(most)s
    ) listed ON true
"""
