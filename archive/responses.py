"""Answers: a page as HTML or as JSON, and one shape for every refusal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

import orjson
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.encoding import iri_to_uri
from django.utils.http import quote_etag

from archive.pages.base import Page, RecordPage
from archive.pages.documented import to_json
from archive.pages.view import AS_OF, NotHeldThen, View

JSON = "application/json"

# What is counted publicly has to show from the minute it is known: kept by anyone, asked about each time.
CACHE_CONTROL = "public, no-cache"

ERROR_WORDS = {
    400: "The request can not be understood.",
    403: "This is not allowed.",
    404: "There is no such page.",
    405: "This address is for reading: only GET and HEAD are answered.",
    410: "This page has been withdrawn.",
    500: "Something went wrong here; it has been noted.",
}


class Gone(Exception):
    """The record at this address was withdrawn; the message says so. Answered with 410.

    `decision` is the number of the decision that withdrew it; None where the log has none.
    """

    def __init__(self, message: str, decision: int | None = None) -> None:
        self.decision = decision
        super().__init__(message)


class Moved(Exception):
    """What was at this address is at another one of this site, which is the argument. Answered with 301."""


def wants_json(request: HttpRequest) -> bool:
    """Whether the address is a JSON twin. No slug holds a dot, so the ending says it."""
    return request.path_info.endswith(".json")


def respond(request: HttpRequest, page: Page, template: str) -> HttpResponse:
    """Answer with a page: as JSON at the `.json` address, else by its template, which gets it as `page`.

    Names the other face in a Link header, carries an ETag of the content, and answers 304 where that is known.
    """
    if wants_json(request):
        response = _json(to_json(page))
        response["Link"] = f'<{iri_to_uri(page.canonical_url)}>; rel="canonical"'
    else:
        if isinstance(page, RecordPage) and page.record.quarantined:
            template = "archive/quarantined_record.html"
        response = render(request, template, {"page": page})
        response["Link"] = f'<{iri_to_uri(page.json_url)}>; rel="alternate"; type="{JSON}"'
    if not page.indexable:
        response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = CACHE_CONTROL
    etag = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    response["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


def refuse(request: HttpRequest, status: int, message: str = "", decision: int | None = None) -> HttpResponse:
    """Answer with an error: `{"error": {"status", "message"}}` at a `.json` address, else a page that says it.

    With the number of the decision that is the reason, where there is one.
    """
    message = message or ERROR_WORDS[status]
    reason = {} if decision is None else {"decision": decision}
    if wants_json(request):
        response = _json({"error": {"status": status, "message": message, **reason}}, status=status)
    else:
        response = render(request, f"{status}.html", {"message": message, **reason}, status=status)
    response["Cache-Control"] = "no-store" if status >= 500 else CACHE_CONTROL
    return response


NO_DATES = "Records and leaderboards can be read as of a date (as_of); lists, search and the API can not."


def reading(view: Callable[..., HttpResponseBase], *, dated: bool = False) -> Callable[..., HttpResponseBase]:
    """Make a view that only reads: other methods get 405; Http404, Gone and Moved become answers of the page's form.

    One that is `dated` gets the `View` that the address asks for as `view`; others refuse `?as_of=`. BadRequest becomes
    400 with its message.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            response = refuse(request, 405)
            response["Allow"] = "GET, HEAD"
            return response
        try:
            if dated:
                kwargs["view"] = View.asked(request.GET)
            elif AS_OF in request.GET:
                raise BadRequest(NO_DATES)
            return view(request, *args, **kwargs)
        except BadRequest as error:
            return refuse(request, 400, str(error))
        except (Http404, NotHeldThen) as error:
            return refuse(request, 404, str(error))
        except Gone as error:
            return refuse(request, 410, str(error), error.decision)
        except Moved as error:
            return HttpResponsePermanentRedirect(str(error) + (".json" if wants_json(request) else ""))

    return answer


def _json(content: Any, status: int = 200) -> HttpResponse:
    response = HttpResponse(orjson.dumps(content), content_type=JSON, status=status)
    response["Access-Control-Allow-Origin"] = "*"  # public data; nothing here depends on who asks
    return response
