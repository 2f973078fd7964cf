"""Identifiers that lead straight to a record: arXiv ids, DOIs, addresses of papers, repositories and the old site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from django.db import connection
from django.db.models import Value
from django.db.models.functions import MD5

from archive.importers.code_links import repository_of
from archive.markup import local_address
from archive.models import CodeLink, Record, Repository

_ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})"
_ARXIV = re.compile(
    rf"(?:arxiv:\s*|(?:https?://)?(?:[a-z]+\.)?(?:arxiv|ar5iv|ar5iv\.labs\.arxiv|alphaxiv)\.org/[a-z]+/"
    rf"|(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?10\.48550/arxiv\.)?"
    rf"(?P<id>{_ARXIV_ID})(?:v\d+)?(?:\.pdf)?/?(?:[?#].*)?\Z",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(?P<doi>10\.\d{4,9}/\S+)\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://)?(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?/\S*\Z", re.IGNORECASE)
_OUR_PATH = re.compile(r"/?((?:paper|dataset|task|method|sota)/[\w-]+)/?\Z")
LONGEST = 2_000
MOST = 50


def lead_to(typed: str) -> Sequence[Record] | None:
    """The public records that an identifier names: None where what was typed is none, empty where no record has it.

    An arXiv id or repository may lead to several papers. At most 3 queries.
    """
    typed = typed.strip().strip("<>")
    if not typed or len(typed) > LONGEST or re.search(r"[\s\x00]", re.sub(r"^(arxiv|doi):\s+", "", typed, flags=re.I)):
        return None
    if match := _ARXIV.match(typed):
        return _papers("arxiv_id", [match["id"]])
    if match := _DOI.match(typed):
        return _papers("url_abs", list(_doi_addresses(match["doi"].rstrip(".,;"))))
    if match := _OUR_PATH.match(typed):
        return _by_key(match[1])
    match = _ADDRESS.match(typed)
    if not match:
        return None
    url = typed if "://" in typed else f"https://{typed}"
    if path := local_address(url):
        return _by_key(path.lstrip("/"))
    found = _papers("url_abs", list(_spellings(url))) or _papers_with_repository(url)
    return found if found or "://" in typed else None


def _by_key(key: str) -> Sequence[Record]:
    """The record of a key, or the one that took its place."""
    record = Record.objects.select_related("merged_into").filter(key=unquote(key)).first()
    record = record.merged_into if record and record.merged_into else record
    return [record] if record and not record.quarantined and not record.withdrawn and not record.merged_into_id else []


def _papers(column: str, values: Sequence[str]) -> Sequence[Record]:
    """Papers by a column that is indexed by its digest."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT record_id FROM archive_paper WHERE {column} = ANY(%s) "
            f"AND md5({column}) = ANY(ARRAY(SELECT md5(v) FROM unnest(%s::text[]) v)) LIMIT %s",
            [list(values), list(values), MOST],
        )
        ids = [key for (key,) in cursor.fetchall()]
    return list(Record.objects.public().filter(pk__in=ids).order_by("ordinal")) if ids else []


def _doi_addresses(doi: str) -> Iterator[str]:
    for spelling in dict.fromkeys((doi, doi.lower(), doi.upper())):
        for host in ("doi.org", "dx.doi.org", "www.doi.org"):
            yield f"https://{host}/{spelling}"
            yield f"http://{host}/{spelling}"


def _spellings(url: str) -> Iterator[str]:
    """An address with and without its last slash, by http and https, with and without www."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    rest = parts.path + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.lower().removeprefix("www.")
    for scheme in ("https", "http"):
        for name in (host, f"www.{host}"):
            yield f"{scheme}://{name}{rest}"
            yield f"{scheme}://{name}{rest.rstrip('/') if rest.endswith('/') else rest + '/'}"


def _papers_with_repository(url: str) -> Sequence[Record]:
    address = repository_of(url)
    if address is None:
        return []
    repositories = Repository.objects.alias(digest=MD5("url")).filter(digest=MD5(Value(address.url)), url=address.url)
    links = CodeLink.objects.filter(
        repository__in=repositories, record__quarantined="", record__withdrawn=False, record__merged_into=None
    ).values("paper_id")
    return list(Record.objects.public().filter(pk__in=links).order_by("ordinal")[:MOST])
