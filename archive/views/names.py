"""Pages of names that records share: authors, and collections of methods. And where a list in a page goes on."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse

from archive.models import Author, Collection, Record, RecordKind
from archive.pages import author as author_page
from archive.pages import collection as collection_page
from archive.pages.newest import Place
from archive.responses import respond


def place_in(request: HttpRequest) -> Place | None:
    """Where a list of papers goes on, by `?before=`; None for its beginning.

    Raises BadRequest where the address names no paper of the archive. One query, none without `?before=`.
    """
    slug = request.GET.get("before")
    if not slug:
        return None
    place = Place.after(slug)
    if place is None:
        raise BadRequest("“before” has to name a paper of the archive.")
    return place


def author(request: HttpRequest, slug: str) -> HttpResponse:
    """A name in author lists, and its papers."""
    name = Author.objects.filter(slug=slug).first()
    page = author_page.build(name, place_in(request)) if name else None
    if page is None:
        raise Http404(f"No paper of the archive prints an author with the address /author/{slug}.")
    return respond(request, page, "archive/author.html")


def collection(request: HttpRequest, slug: str) -> HttpResponse:
    """A collection of methods."""
    after = None
    if method := request.GET.get("after"):
        after = Record.objects.filter(kind=RecordKind.METHOD, key=f"method/{method}").first()
        if after is None:
            raise BadRequest("“after” has to name a method of the archive.")
    group = Collection.objects.filter(slug=slug).first()
    page = collection_page.build(group, after) if group else None
    if page is None:
        raise Http404(f"The archive has no collection of methods at /methods/collection/{slug}.")
    return respond(request, page, "archive/collection.html")
