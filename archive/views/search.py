"""Search, and suggestions while one types."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse

from archive.pages import search as search_page
from archive.responses import respond, wants_json
from archive.search.addresses import lead_to
from archive.search.names import suggestions


class SeeOther(HttpResponseRedirect):
    """303: what was asked for is at that address."""

    status_code = 303


def search(request: HttpRequest) -> HttpResponse:
    """The results of a query; an identifier goes straight to its record."""
    typed = request.GET.get("q", "")
    named = lead_to(typed)
    if named and len(named) == 1:
        return SeeOther(named[0].path + (".json" if wants_json(request) else ""))
    kind, number = search_page.asked(request.GET.get("kind", ""), request.GET.get("page", ""))
    return respond(request, search_page.build(typed, kind, number, named), "archive/search.html")


def suggest(request: HttpRequest) -> HttpResponse:
    """Names that begin like `?q=`."""
    typed = request.GET.get("q", "")
    names = [asdict(name) for name in suggestions(typed)]
    response = JsonResponse({"query": typed[:100], "suggestions": names})
    response["Cache-Control"] = "public, max-age=300"
    response["X-Robots-Tag"] = "noindex"
    return response
