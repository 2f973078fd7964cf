"""The site's own pages, and what it answers where there is none."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse

from archive.pages import about as about_page
from archive.pages import counts as counts_page
from archive.pages import home as home_page
from archive.pages import privacy as privacy_page
from archive.pages import quarantine as quarantine_page
from archive.pages import styleguide as styleguide_page
from archive.responses import refuse, respond

_KEY = re.compile(r"[\w-]+(?:/[\w-]+){1,3}")


def home(request: HttpRequest) -> HttpResponse:
    """The front page."""
    return respond(request, home_page.build(), "archive/home.html")


def about(request: HttpRequest) -> HttpResponse:
    """About the archive."""
    return respond(request, about_page.build(), "archive/about.html")


def counts(request: HttpRequest) -> HttpResponse:
    """The counts and their definitions."""
    return respond(request, counts_page.build(), "archive/counts.html")


def privacy(request: HttpRequest) -> HttpResponse:
    """What is stored about people."""
    return respond(request, privacy_page.build(), "archive/privacy.html")


def styleguide(request: HttpRequest) -> HttpResponse:
    """Colours, type and components."""
    return respond(request, styleguide_page.build(), "archive/styleguide.html")


def quarantine(request: HttpRequest) -> HttpResponse:
    """What is set aside."""
    after = request.GET.get("after", "")
    page = quarantine_page.build(after if _KEY.fullmatch(after) else None)
    return respond(request, page, "archive/quarantine.html")


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request can not be understood."""
    return refuse(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: not allowed."""
    return refuse(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: no such address."""
    return refuse(request, 404)


def failed(request: HttpRequest) -> HttpResponse:
    """500: an error of our own."""
    return refuse(request, 500)
