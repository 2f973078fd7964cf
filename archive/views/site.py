"""The site's own pages, and what it answers where there is none."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from archive.responses import refuse


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
