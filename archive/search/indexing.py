"""The index: made anew after a first import, brought up to date after every other and after a decision.

Everything is set-based SQL over the archive's own tables, in the caller's transaction. The guard on the tables asks
for an import or a decision in it, so a page can not write here by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.backends.utils import CursorWrapper

from archive.importers.bulk import without_indexes
from archive.models import RecordKind, SearchDocument, SearchName, SearchText, SearchWord

KINDS = (RecordKind.PAPER, RecordKind.DATASET, RecordKind.TASK, RecordKind.METHOD, RecordKind.LEADERBOARD)
"""Kinds that are found as such. A row is found on its leaderboard and paper, a code link on its paper."""

TEXT_INDEXED = 500
"""Characters from the beginning of an abstract or description. Half of the time that an index takes goes here."""

MANY = 20_000
"""Stale records from which on the list of words is counted anew rather than added to."""

_TABLES = [model._meta.db_table for model in (SearchDocument, SearchText, SearchName, SearchWord)]

_PUBLIC = "r.quarantined = '' AND NOT r.withdrawn AND r.merged_into_id IS NULL"

_STALE = f"""
    SELECT r.id FROM archive_record r LEFT JOIN archive_searchdocument d ON d.record_id = r.id
    WHERE r.kind = ANY(%s) AND CASE WHEN {_PUBLIC} THEN d.revision IS DISTINCT FROM r.revision
                                    ELSE d.record_id IS NOT NULL END
"""

# What a record is counted by: a paper by repositories, rows, and what uses the datasets and methods it introduced; a
# dataset or method by the archive's own count of papers, a task by the papers that name it, a leaderboard by its rows.
_POPULARITY = """
    CREATE TEMP TABLE search_popularity ON COMMIT DROP AS
    SELECT record_id, ln(1 + sum(n)::float8) AS popularity FROM (
      SELECT paper_id AS record_id, count(*) AS n FROM archive_codelink {paper} GROUP BY 1
      UNION ALL SELECT paper_id, count(*) FROM archive_result {paper} GROUP BY 1
      UNION ALL SELECT introduced_by_id, num_papers FROM archive_dataset {introduced}
      UNION ALL SELECT introduced_by_id, num_papers FROM archive_method {introduced}
      UNION ALL SELECT record_id, num_papers FROM archive_dataset {record}
      UNION ALL SELECT record_id, num_papers FROM archive_method {record}
      UNION ALL SELECT record_id, row_count FROM archive_leaderboard {record}
      UNION ALL SELECT n.task_id, count(*) FROM archive_papertask p JOIN archive_taskname n ON n.id = p.name_id
                {task} GROUP BY 1
    ) counted WHERE n > 0 AND record_id IS NOT NULL GROUP BY 1
"""

# By record: its title or name, its other names, its authors, its text.
_PARTS = {
    RecordKind.PAPER: """
        SELECT p.record_id, p.title AS title, NULL AS others, p.abstract AS text,
          (SELECT string_agg(a.name, ' ') FROM archive_authorship s JOIN archive_author a ON a.id = s.author_id
           WHERE s.paper_id = p.record_id) AS authors
        FROM archive_paper p""",
    RecordKind.DATASET: """
        SELECT d.record_id, d.name, concat_ws(' ', d.full_name,
            (SELECT string_agg(v.name, ' ') FROM archive_datasetvariant v WHERE v.dataset_id = d.record_id)),
          d.description, NULL FROM archive_dataset d""",
    RecordKind.METHOD: "SELECT record_id, name, full_name, description, NULL FROM archive_method",
    RecordKind.TASK: """
        SELECT t.record_id, t.name, concat_ws(' ',
            (SELECT string_agg(n.name, ' ') FROM archive_taskname n WHERE n.task_id = t.record_id),
            (SELECT string_agg(s.name, ' ') FROM archive_tasksynonym s WHERE s.task_id = t.record_id)),
          t.description, NULL FROM archive_task t""",
    RecordKind.LEADERBOARD: "SELECT record_id, NULL, NULL, description, NULL FROM archive_leaderboard",
}

# One pass over the texts makes both rows of a record. The title is the record's own name where its kind has none.
_DOCUMENTS = """
    WITH made AS (
      SELECT r.id, r.kind, r.revision, coalesce(popular.popularity, 0) AS popularity,
        archive_search_words(left(coalesce(part.title, r.name), 1000)) AS title,
        coalesce(archive_search_words(left(part.others, 4000)), '') AS others,
        coalesce(to_tsvector('public.corrigenda', archive_search_spaced(left(part.authors, 10000))), '') AS authors,
        coalesce(to_tsvector('public.corrigenda_text', replace(left(part.text, {characters}), '-', ' ')), '') AS text
      FROM archive_record r JOIN ({parts}) part (record_id, title, others, text, authors) ON part.record_id = r.id
      {popularity} JOIN search_popularity popular ON popular.record_id = r.id
      WHERE r.kind = '{kind}' AND {public} AND {only}
      {order}
    ), documents AS (
      INSERT INTO archive_searchdocument (record_id, kind, revision, popularity, span, words)
      SELECT id, kind, revision, popularity, length(title),
        setweight(title, 'A') || setweight(others, 'B') || setweight(authors, 'C') FROM made
    )
    INSERT INTO archive_searchtext (record_id, kind, popularity, words)
    SELECT id, kind, popularity, strip(title || others || authors || text) FROM made
"""

_NAMES = {
    RecordKind.PAPER: r"""
        SELECT r.id, r.name, 0 FROM archive_record r WHERE {here}
        UNION ALL
        SELECT r.id, substring(r.name from '^\s*([^\s:]{{2,30}})\s*:'), 2 FROM archive_record r
        WHERE {here} AND r.name LIKE '%:%'""",
    RecordKind.DATASET: """
        SELECT r.id, r.name, 0 FROM archive_record r WHERE {here}
        UNION ALL SELECT r.id, d.full_name, 1 FROM archive_record r JOIN archive_dataset d ON d.record_id = r.id
                  WHERE {here}
        UNION ALL SELECT r.id, v.name, 1 FROM archive_record r JOIN archive_datasetvariant v ON v.dataset_id = r.id
                  WHERE {here}
        UNION ALL SELECT r.id, substring(d.full_name from '[(]([^\\s()]{{2,20}})[)]'), 2
                  FROM archive_record r JOIN archive_dataset d ON d.record_id = r.id WHERE {here}""",
    RecordKind.METHOD: """
        SELECT r.id, r.name, 0 FROM archive_record r WHERE {here}
        UNION ALL SELECT r.id, m.full_name, 1 FROM archive_record r JOIN archive_method m ON m.record_id = r.id
                  WHERE {here}
        UNION ALL SELECT r.id, substring(m.full_name from '[(]([^\\s()]{{2,20}})[)]'), 2
                  FROM archive_record r JOIN archive_method m ON m.record_id = r.id WHERE {here}""",
    RecordKind.TASK: """
        SELECT r.id, r.name, 0 FROM archive_record r WHERE {here}
        UNION ALL SELECT r.id, n.name, 1 FROM archive_record r JOIN archive_taskname n ON n.task_id = r.id WHERE {here}
        UNION ALL SELECT r.id, s.name, 1 FROM archive_record r JOIN archive_tasksynonym s ON s.task_id = r.id
                  WHERE {here}
        UNION ALL SELECT r.id, substring(r.name from '[(]([^\\s()]{{2,20}})[)]'), 2 FROM archive_record r
                  WHERE {here}""",
    RecordKind.LEADERBOARD: "SELECT r.id, r.name, 0 FROM archive_record r WHERE {here}",
}

_INSERT_NAMES = """
    INSERT INTO archive_searchname (record_id, key, kind, rank, popularity)
    SELECT id, key, '{kind}', min(rank), min(coalesce(popular.popularity, 0))
    FROM (SELECT id, archive_search_key(left(name, 1000)) AS key, rank
          FROM ({names}) named (id, name, rank) WHERE name <> '') keyed
    LEFT JOIN search_popularity popular ON popular.record_id = keyed.id
    WHERE key <> '' GROUP BY id, key
"""

_WORDS = """
    INSERT INTO archive_searchword (word, frequency)
    SELECT word, ndoc FROM ts_stat(%s, 'ab') WHERE length(word) BETWEEN 2 AND 60
"""

_TAKE_WORDS = """
    UPDATE archive_searchword SET frequency = frequency - gone.ndoc FROM ts_stat(%s, 'ab') gone
    WHERE archive_searchword.word = gone.word RETURNING archive_searchword.word
"""
_ADD_WORDS = _WORDS + "ON CONFLICT (word) DO UPDATE SET frequency = archive_searchword.frequency + EXCLUDED.frequency"


def reindex(*, everything: bool) -> int:
    """Bring the index up to date at the end of an import; gives the number of records indexed anew.

    With `everything`, or where nothing is indexed yet, all of it is made anew, tables emptied first: only the owner
    may, and readers wait. Otherwise records are indexed whose revision or state differs from what is indexed: a
    re-import that changes nothing costs two queries.
    """
    with connection.cursor() as cursor:
        if everything or not SearchDocument.objects.exists():
            return _make_anew(cursor)
        cursor.execute(_STALE, [list(KINDS)])
        stale = [key for (key,) in cursor.fetchall()]
        if stale:
            _index(cursor, stale)
        if len(stale) >= MANY:
            _clean_up(cursor)
        return len(stale)


def refresh(record_ids: Sequence[int]) -> None:
    """Index these records anew, or take them out if they are no longer public. For a decision, as the web role.

    Other kinds than those searched are passed over. About 20 statements, a few milliseconds each for a few records.
    """
    if record_ids:
        with connection.cursor() as cursor:
            _index(cursor, record_ids)


def _make_anew(cursor: CursorWrapper) -> int:
    cursor.execute("SET LOCAL work_mem = '256MB'")
    cursor.execute(f"TRUNCATE {', '.join(_TABLES)}")
    cursor.execute(_POPULARITY.format(paper="", introduced="", record="", task=""))
    cursor.execute("CREATE UNIQUE INDEX ON search_popularity (record_id)")
    cursor.execute("ANALYZE search_popularity")
    made = 0
    with without_indexes(_TABLES):
        # In the order of popularity, so that a search that looks at the first so many sees the most popular.
        for kind in (*(kind for kind in KINDS if kind != RecordKind.PAPER), RecordKind.PAPER):
            made += _insert(cursor, kind, popularity="", order="ORDER BY popular.popularity DESC, r.id")
            unpopular = "popular.record_id IS NULL"
            made += _insert(cursor, kind, popularity="LEFT", only=unpopular)
            _insert_names(cursor, kind)
        cursor.execute(_WORDS, ["SELECT words FROM archive_searchdocument"])
    cursor.execute(f"ANALYZE {', '.join(_TABLES)}, archive_author")
    cursor.execute("DROP TABLE search_popularity")
    return made


def _index(cursor: CursorWrapper, ids: Sequence[int]) -> None:
    cursor.execute("CREATE TEMP TABLE search_stale (id bigint PRIMARY KEY) ON COMMIT DROP")
    cursor.execute("INSERT INTO search_stale SELECT DISTINCT unnest(%s::bigint[])", [list(ids)])
    cursor.execute("ANALYZE search_stale")
    among = "IN (SELECT id FROM search_stale)"
    cursor.execute(
        _POPULARITY.format(
            paper=f"WHERE paper_id {among}",
            introduced=f"WHERE introduced_by_id {among}",
            record=f"WHERE record_id {among}",
            task=f"WHERE n.task_id {among}",
        )
    )
    # A word that no document has any more would still be proposed in place of a mistyped one.
    documents = f"SELECT words FROM archive_searchdocument WHERE record_id {among}"
    cursor.execute(_TAKE_WORDS, [documents])
    words = [word for (word,) in cursor.fetchall()]
    for table in ("archive_searchdocument", "archive_searchtext", "archive_searchname"):
        cursor.execute(f"DELETE FROM {table} WHERE record_id {among}")
    for kind in KINDS:
        _insert(cursor, kind, popularity="LEFT", only=f"r.id {among}")
        _insert_names(cursor, kind, only=f"r.id {among}")
    cursor.execute(_ADD_WORDS, [documents])
    cursor.execute("DELETE FROM archive_searchword WHERE word = ANY(%s) AND frequency < 1", [words])
    cursor.execute("DROP TABLE search_stale, search_popularity")


def _insert(cursor: CursorWrapper, kind: RecordKind, *, popularity: str, only: str = "true", order: str = "") -> int:
    statement = _DOCUMENTS.format(
        characters=TEXT_INDEXED,
        parts=_PARTS[kind],
        popularity=popularity,
        kind=kind,
        public=_PUBLIC,
        only=only,
        order=order,
    )
    cursor.execute(statement)
    return cursor.rowcount


def _insert_names(cursor: CursorWrapper, kind: RecordKind, only: str = "true") -> None:
    here = f"r.kind = '{kind}' AND {_PUBLIC} AND {only}"
    cursor.execute(_INSERT_NAMES.format(kind=kind, names=_NAMES[kind].format(here=here)))


def _clean_up(cursor: CursorWrapper) -> None:
    """Leave no long list of pending entries to those who search, and let the planner know the new rows."""
    cursor.execute(
        "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
        "JOIN pg_am ON pg_am.oid = relam WHERE amname = 'gin' AND indrelid = ANY(%s::regclass[])",
        [_TABLES],
    )
    for (index,) in cursor.fetchall():
        cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])
    cursor.execute(f"ANALYZE {', '.join(_TABLES)}")
