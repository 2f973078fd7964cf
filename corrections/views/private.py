"""Answers that are for one person: kept by nobody, listed by nobody."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.csrf import csrf_exempt


class SeeOther(HttpResponseRedirect):
    """303: what was sent has been taken in; look there."""

    status_code = 303


def private(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view's answers private: no cache keeps them, no search engine lists them."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return answer


def unreferred(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view whose address is a secret: private, and the address is told to no other page.

    Such a page has no cookie's authority and so nothing that another site could make a browser do: whoever posts to it
    knows the secret. (With this policy browsers send `Origin: null`, which Django's own check would refuse.)
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Referrer-Policy"] = "no-referrer"
        return response

    return csrf_exempt(private(answer))
