"""Everything that the site shows to the public, fetched as a crawler would, and more: all faces of every record."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from archive.models import Record

NOT_PUBLIC = ("/admin", "/static", "/report/status", "/report/challenge")
FACES = ("", ".json", ".csv")
ABOUT = ("/history", "/history.json", "/corrections.atom")
_LINK = re.compile(r'(?:href|src|action)="([^"]+)"|<loc>([^<]+)</loc>')


def everything(client: Client, *words: str) -> dict[str, str]:
    """By address: what stands there, of every address that is known or linked to, and of searches for some words.

    The words are searched for mistyped and begun as well. Links that combine two parameters are not followed.
    """
    found: dict[str, str] = {}
    waiting = [*_known(), *_of_records(), *_searches(words)]
    while waiting:
        address = waiting.pop()
        if address in found or address.startswith(NOT_PUBLIC):
            continue
        answer: Any = client.get(address)
        assert answer.status_code < 500, address
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[address] = f"{answer.headers}\n\n{body.decode()}" if b"\0" not in body else ""
        waiting += _links(address, found[address])
    return found


def _known() -> Iterator[str]:
    """The addresses that have a name and need nothing to be filled in."""
    for namespace in ("archive", "corrections"):
        _, resolver = get_resolver().namespace_dict[namespace]
        for pattern in resolver.url_patterns:
            if isinstance(pattern, URLPattern) and not pattern.pattern.converters:
                yield reverse(f"{namespace}:{pattern.name}")


def _of_records() -> Iterator[str]:
    views = ("", "?view=snapshot", f"?as_of={datetime.datetime.now(datetime.UTC).date()}")
    for key in Record.objects.values_list("key", flat=True):
        yield from (f"/{key}{face}{view}" for face in FACES for view in views)
        yield from (f"/{key}{face}" for face in ABOUT)
        yield f"/report/{key}"


def _searches(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        for typed in (word, word[:-2], word[:4], word[:-3] + word[-2:]):
            yield from (f"/{face}?q={quote(typed)}" for face in ("search", "search.json", "search/suggest.json"))


def _links(address: str, body: str) -> Iterator[str]:
    for link in (unescape(href or loc) for href, loc in _LINK.findall(body)):
        parts = urlsplit(urljoin(f"http://testserver{address}", link))
        if parts.netloc == "testserver" and "&" not in parts.query:
            yield parts.path + (f"?{parts.query}" if parts.query else "")
