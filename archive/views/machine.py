"""The machine's doors: what monitors, crawlers, browsers and language models ask for."""

from __future__ import annotations

import hashlib

from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from archive import sitemaps
from archive.models import ImportRun
from archive.responses import CACHE_CONTROL

ROBOTS = """\
User-agent: *
Disallow: /admin/
Disallow: /report/
Disallow: /search?q=
Disallow: /search/
Disallow: /search.json
Disallow: /quarantine
Allow: /

Sitemap: {site}/sitemap.xml
"""


def site_of(request: HttpRequest) -> str:
    """Scheme and host, as the request names them: `ALLOWED_HOSTS` has checked the host."""
    return f"{request.scheme}://{request.get_host()}"


def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers. No query."""
    return _state("ok", 200)


def readyz(request: HttpRequest) -> HttpResponse:
    """200 when pages can be served: the database answers, and an archive is imported. Else 503. One query."""
    try:
        imported = ImportRun.objects.exists()
    except DatabaseError:
        connection.close()
        return _state("the database does not answer", 503)
    return _state("ready", 200) if imported else _state("no archive is imported", 503)


def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers may fetch."""
    return _text(request, ROBOTS.format(site=site_of(request)), "text/plain")


def llms(request: HttpRequest) -> HttpResponse:
    """What a language model should know before it reads this site, in Markdown."""
    return _text(request, render_to_string("archive/llms.txt", {"site": site_of(request)}), "text/markdown")


def opensearch(request: HttpRequest) -> HttpResponse:
    """How browsers search here from their own box."""
    content = render_to_string("archive/opensearch.xml", {"site": site_of(request)})
    return _text(request, content, "application/opensearchdescription+xml")


def favicon(request: HttpRequest) -> HttpResponse:
    """Where the icon is, for those who ask without reading a page. No query."""
    response = HttpResponseRedirect(static("archive/favicon.ico"))
    response["Cache-Control"] = "public, max-age=86400"
    return response


def sitemap(request: HttpRequest) -> HttpResponse:
    """The index of the sitemap."""
    return _text(request, sitemaps.index(site_of(request)), "application/xml")


def sitemap_of_pages(request: HttpRequest) -> HttpResponse:
    """The map of the site's own pages."""
    return _text(request, sitemaps.pages(site_of(request)), "application/xml")


def sitemap_of_records(request: HttpRequest, number: int) -> HttpResponse:
    """The map of one stretch of records."""
    content = sitemaps.records(site_of(request), number)
    if content is None:
        raise Http404("The sitemap has no such part.")
    return _text(request, content, "application/xml")


def _state(words: str, status: int) -> HttpResponse:
    response = HttpResponse(f"{words}\n", status=status, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response


def _text(request: HttpRequest, content: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Cache-Control"] = CACHE_CONTROL
    etag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    response["ETag"] = etag
    found = get_conditional_response(request, etag=etag, response=response)
    return found if isinstance(found, HttpResponse) else response
