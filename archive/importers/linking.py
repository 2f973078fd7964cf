"""Relations that the dumps only print, found by set-based SQL over the whole archive, and written where they moved.

Run at the end of every import, so that a paper that arrives later is linked from rows that did not change. Ties go to
the first record in archive order; a title that two papers share links neither. Quarantined records are not linked to,
but by a code link that names the record's own page.
"""

from __future__ import annotations

from django.db import connection

# The slug in an old address of a paper.
_SLUG = r"substring({column} from '^https?://(?:www\.)?paperswithcode\.com/paper/([^/?#]+)/?$')"

# An arXiv id in an address, without its version.
_ARXIV = r"regexp_replace(substring({column} from 'arxiv\.org/(?:abs|pdf)/(.+?)(?:\.pdf)?/?$'), 'v[0-9]+$', '')"


def _introduced_by(table: str) -> str:
    slug = _SLUG.format(column="t.paper_url")
    return f"""
    UPDATE {table} target SET introduced_by_id = found.paper
    FROM (SELECT t.record_id, p.id AS paper FROM {table} t
          LEFT JOIN archive_record p ON p.key = 'paper/' || {slug} AND p.kind = 'paper' AND p.quarantined = '') found
    WHERE found.record_id = target.record_id AND target.introduced_by_id IS DISTINCT FROM found.paper
    """


DATASETS = """
    WITH names AS (
      SELECT btrim(d.name) AS name, 'name' AS matched, r.id, r.ordinal FROM archive_dataset d
      JOIN archive_record r ON r.id = d.record_id WHERE r.quarantined = '' AND btrim(d.name) <> ''
      UNION ALL
      SELECT btrim(v.name), 'variant', r.id, r.ordinal FROM archive_datasetvariant v
      JOIN archive_record r ON r.id = v.dataset_id WHERE r.quarantined = '' AND btrim(v.name) <> ''
    ), best AS (SELECT DISTINCT ON (name) name, matched, id FROM names ORDER BY name, matched, ordinal, id)
    UPDATE archive_leaderboard target SET dataset_id = found.id, dataset_matched = coalesce(found.matched, '')
    FROM (SELECT l.record_id, best.id, best.matched FROM archive_leaderboard l
          LEFT JOIN best ON best.name = btrim(l.dataset_name)) found
    WHERE found.record_id = target.record_id
      AND (target.dataset_id IS DISTINCT FROM found.id OR target.dataset_matched <> coalesce(found.matched, ''))
"""


def _papers(table: str, *, url: str, arxiv: str, title: str, matched: bool, only: str = "true") -> str:
    """Match by address, then by arXiv id without version, then by title; `matched` also stores by which.

    What prints a title that is sealed stays with its paper: it can not be matched any more.
    """
    said = ", paper_matched = coalesce(found.matched, '')" if matched else ""
    said_moved = " OR target.paper_matched <> coalesce(found.matched, '')" if matched else ""
    return f"""
    WITH wanted AS MATERIALIZED (
      SELECT t.record_id, {url} AS url, {arxiv} AS arxiv, {title} AS title FROM {table} t WHERE {only}
    ), papers AS (
      SELECT p.record_id, p.url_abs, p.arxiv_id, p.title, r.ordinal FROM archive_paper p
      JOIN archive_record r ON r.id = p.record_id WHERE r.quarantined = ''
    ), by_url AS (
      SELECT DISTINCT ON (w.url) w.url, p.record_id FROM (SELECT DISTINCT url FROM wanted WHERE url <> '') w
      JOIN papers p ON p.url_abs = w.url ORDER BY w.url, p.ordinal, p.record_id
    ), by_arxiv AS (
      SELECT DISTINCT ON (w.arxiv) w.arxiv, p.record_id FROM (SELECT DISTINCT arxiv FROM wanted WHERE arxiv <> '') w
      JOIN papers p ON p.arxiv_id = w.arxiv ORDER BY w.arxiv, p.ordinal, p.record_id
    ), by_title AS (
      SELECT w.title, min(p.record_id) AS record_id FROM
        (SELECT DISTINCT lower(btrim(title)) AS title FROM wanted WHERE btrim(title) <> '') w
      JOIN papers p ON lower(btrim(p.title)) = w.title GROUP BY w.title HAVING count(*) = 1
    )
    UPDATE {table} target SET paper_id = found.paper{said}
    FROM (SELECT w.record_id, coalesce(u.record_id, a.record_id, t.record_id) AS paper,
                 CASE WHEN u.record_id IS NOT NULL THEN 'url' WHEN a.record_id IS NOT NULL THEN 'arxiv'
                      WHEN t.record_id IS NOT NULL THEN 'title' END AS matched
          FROM wanted w LEFT JOIN by_url u ON u.url = w.url LEFT JOIN by_arxiv a ON a.arxiv = w.arxiv
          LEFT JOIN by_title t ON t.title = lower(btrim(w.title))) found
    WHERE found.record_id = target.record_id
      AND (target.paper_id IS DISTINCT FROM found.paper{said_moved})
      AND (found.paper IS NOT NULL OR NOT EXISTS (
        SELECT FROM archive_base b WHERE b.record_id = target.record_id AND b.field = 'paper_title' AND b.sealed))
    """


# Links name the paper's page of the old site; the importer used it already. What is left is matched like a row.
CODE_LINKS = """
    UPDATE archive_codelink target SET paper_id = p.id FROM archive_record p
    WHERE p.key = 'paper/' || substring(target.paper_url from '/paper/([^/?#]+)/?$') AND p.kind = 'paper'
      AND target.paper_id IS DISTINCT FROM p.id AND p.quarantined = ''
"""

# The papers' copies name no address: the full name decides, with the name where several share it; else the name.
PRINTED_METHODS = """
    WITH methods AS (
      SELECT m.record_id, m.name, m.full_name, r.ordinal FROM archive_method m
      JOIN archive_record r ON r.id = m.record_id WHERE r.quarantined = ''
    ), candidates AS (
      SELECT p.id, CASE WHEN m.name = p.name THEN 1 ELSE 2 END AS rank, m.ordinal, m.record_id
      FROM archive_printedmethod p JOIN methods m ON m.full_name = p.full_name
      UNION ALL
      SELECT p.id, 3, m.ordinal, m.record_id FROM archive_printedmethod p JOIN methods m ON m.name = p.name
    ), best AS (SELECT DISTINCT ON (id) id, record_id FROM candidates ORDER BY id, rank, ordinal, record_id)
    UPDATE archive_printedmethod target SET method_id = found.method
    FROM (SELECT p.id, best.record_id AS method FROM archive_printedmethod p LEFT JOIN best ON best.id = p.id) found
    WHERE found.id = target.id AND target.method_id IS DISTINCT FROM found.method
"""

STATEMENTS = {
    "dataset -> paper": _introduced_by("archive_dataset"),
    "method -> paper": _introduced_by("archive_method"),
    "leaderboard -> dataset": DATASETS,
    "row -> paper": _papers(
        "archive_result",
        url="t.paper_url",
        arxiv=_ARXIV.format(column="t.paper_url"),
        title="t.paper_title",
        matched=True,
    ),
    "code link -> paper": CODE_LINKS,
    "code link without page -> paper": _papers(
        "archive_codelink",
        url="t.paper_url_abs",
        arxiv="t.paper_arxiv_id",
        title="t.paper_title",
        matched=False,
        only="t.paper_url IS NULL",
    ),
    "printed method -> method": PRINTED_METHODS,
}


def relink(*, first: bool = False) -> dict[str, int]:
    """Bring every printed relation up to date. Gives the number of relations that moved, by statement.

    In a `first` import a link that the importer matched has its paper, since the slug of an old address is the key of
    the first paper that has it: there only links without a paper are looked at.
    """
    moved = {}
    with connection.cursor() as cursor:
        for what, statement in STATEMENTS.items():
            if first and statement is CODE_LINKS:
                statement += " AND target.paper_id IS NULL"
            cursor.execute(statement)
            moved[what] = cursor.rowcount
    return moved
