"""The sitemap: an index, one map of the site's own pages, and maps of records by stretches of their keys.

Nothing is counted and nothing is sorted but by primary key: a map looks at `STRETCH` records at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from django.db import connection
from django.db.models import QuerySet
from django.utils.encoding import iri_to_uri

from archive.facets import hidden
from archive.models import Area, Collection, DatasetTask, Language, Modality, Record, RecordKind, SiteVersion

STRETCH = 40_000
"""Records that a map may hold; the protocol allows 50,000 addresses."""

KINDS = (
    RecordKind.PAPER,
    RecordKind.DATASET,
    RecordKind.TASK,
    RecordKind.METHOD,
    RecordKind.LEADERBOARD,
    RecordKind.RESULT,
)
"""Kinds with a page of their own; code links stand on their papers' pages."""

PAGES = (
    "/",
    "/datasets",
    "/papers",
    "/tasks",
    "/methods",
    "/sota",
    "/corrections",
    "/corrections/policy",
    "/about",
    "/counts",
    "/privacy",
)
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def index(site: str) -> str:
    """The index: the map of pages, and each stretch that holds something. Two queries."""
    changed = SiteVersion.objects.values_list("changed_at", flat=True).first()
    when = f"<lastmod>{changed:%Y-%m-%dT%H:%M:%SZ}</lastmod>" if changed else ""
    names = ["pages", *(f"records-{number}" for number in stretches())]
    entries = (f"<sitemap><loc>{escape(site)}/sitemap/{name}.xml</loc>{when}</sitemap>" for name in names)
    return _document("sitemapindex", entries)


def stretches() -> list[int]:
    """The numbers of the stretches with a record to list. One query, that looks into each until it finds one."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT n FROM generate_series(0, (SELECT max(id) FROM archive_record) / %(stretch)s) n
            WHERE EXISTS (
              SELECT FROM archive_record
              WHERE id >= n * %(stretch)s AND id < (n + 1) * %(stretch)s AND kind = ANY(%(kinds)s)
                AND quarantined = '' AND NOT withdrawn AND merged_into_id IS NULL
            )
            ORDER BY n
            """,
            {"stretch": STRETCH, "kinds": [str(kind) for kind in KINDS]},
        )
        return [number for (number,) in cursor.fetchall()]


def records(site: str, number: int) -> str | None:
    """The map of one stretch, None if it holds nothing. One query."""
    keys = list(_of(number).order_by("pk").values_list("key", flat=True))
    return _document("urlset", (_entry(site, f"/{key}") for key in keys)) if keys else None


def pages(site: str) -> str:
    """The map of the site's own pages and of those of shared names. Five queries."""
    tasks = DatasetTask.objects.exclude(task__in=hidden(RecordKind.TASK)).values_list("task__record__key", flat=True)
    addresses = [
        *PAGES,
        *(f"/area/{slug}" for slug in _slugs(Area)),
        *(f"/datasets/modality/{slug}" for slug in _slugs(Modality)),
        *(f"/datasets/language/{slug}" for slug in _slugs(Language)),
        *(f"/methods/collection/{slug}" for slug in _slugs(Collection)),
        *(f"/datasets/{key}" for key in tasks.order_by("task__record__key").distinct()),
    ]
    return _document("urlset", (_entry(site, address) for address in addresses[:STRETCH]))


def _of(number: int) -> QuerySet[Record]:
    first = number * STRETCH
    return Record.objects.public().filter(kind__in=KINDS, pk__gte=first, pk__lt=first + STRETCH)


def _slugs(model: type[Area] | type[Modality] | type[Language] | type[Collection]) -> Iterator[str]:
    return model._default_manager.order_by("slug").values_list("slug", flat=True).iterator()


def _entry(site: str, address: str) -> str:
    return f"<url><loc>{escape(site + (iri_to_uri(address) or ''))}</loc></url>"


def _document(root: str, entries: Iterable[str]) -> str:
    inner = "\n".join(entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_NAMESPACE}">\n{inner}\n</{root}>\n'
