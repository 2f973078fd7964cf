"""Every address by its name: it answers, as a page with one heading and as JSON, and its JSON is the page's object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from pytest_django import DjangoDbBlocker

from archive.importers.run import Source, import_archive
from archive.models import Area, Author, Collection, Language, Modality, Record

DEMO = Path(__file__).parent.parent / "demo"

# Addresses that need what the demo has no fixed example of, or that only take what is sent to them; each has tests of
# its own. A new name that is in neither list fails.
ELSEWHERE = {
    "archive:sitemap-records",
    "corrections:decision",
    "corrections:decision-json",
    "corrections:confirm",
    "corrections:unsubscribe",
    "corrections:status",
}


def names() -> list[str]:
    """Every name of both apps' addresses."""
    found = set()
    for namespace in ("archive", "corrections"):
        _, resolver = get_resolver().namespace_dict[namespace]
        for pattern in resolver.url_patterns:
            if isinstance(pattern, URLPattern) and pattern.name:
                found.add(f"{namespace}:{pattern.name}")
    return sorted(found)


def arguments(name: str, parameters: set[str]) -> dict[str, object] | None:
    """Something of the demo to put into the address of a name; None where nothing fits."""
    if not parameters:
        return {}
    if parameters == {"key"}:
        return {"key": "dataset/convai2"}
    if parameters == {"slug", "number"}:
        kind = "code" if "code" in name else "result"
        key = Record.objects.public().filter(kind=kind).order_by("id")[0].key
        return {"slug": key.split("/")[1], "number": int(key.rsplit("/", 1)[1])}
    if parameters == {"facet", "slug"}:
        return {"facet": "modality", "slug": Modality.objects.order_by("id")[0].slug}
    if parameters != {"slug"}:
        return None
    word = name.partition(":")[2].removesuffix("-json").removesuffix("-csv")
    terms: dict[str, Any] = {
        "author": Author,
        "area": Area,
        "collection": Collection,
        "modality": Modality,
        "language": Language,
    }
    for part, model in terms.items():
        if part in word:
            return {"slug": model._default_manager.order_by("id")[0].slug}
    for kind in ("dataset", "paper", "method", "leaderboard", "task"):
        if word == kind or (kind == "task" and "task" in word):
            return {"slug": Record.objects.public().filter(kind=kind).exclude(digest=None).order_by("id")[0].slug}
    return None


@pytest.fixture(scope="module")
def demo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The demo archive, taken back at the end of the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        import_archive([DEMO], Source.beside([DEMO]))
        yield
        transaction.set_rollback(True)


@pytest.mark.django_db
@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("name", names())
def test_answers(client: Client, name: str) -> None:
    if name in ELSEWHERE:
        pytest.skip("tested with what it needs")
    namespace, _, short = name.partition(":")
    possibilities = get_resolver().namespace_dict[namespace][1].reverse_dict.getlist(short)
    parameters = set(possibilities[0][0][0][1])
    filled = arguments(name, parameters)
    assert filled is not None, f"nothing to put into {parameters}: say it in ELSEWHERE or in arguments()"
    answer = client.get(reverse(name, kwargs=filled))
    assert answer.status_code in (200, 302), answer.status_code
    if answer.status_code == 302:
        return
    kind = answer["Content-Type"]
    if kind.startswith("text/html"):
        html = answer.content.decode()
        assert len(re.findall(r"<h1[ >]", html)) == 1 and '<html lang="en"' in html
        assert 'href="#' in html and "<main" in html and "<title>" in html
    elif name.endswith("-json"):
        assert kind.startswith("application/json") and answer.json()
    elif name != "corrections:changes":  # whose log is empty here
        assert b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]
