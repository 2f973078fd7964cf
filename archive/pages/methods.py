"""The list of methods, with their areas and collections."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Q, Value
from django.db.models.functions import NullIf

from archive.facets import hidden
from archive.models import Collection, CollectionMembership, Method, RecordKind
from archive.pages.base import Provenance, described, documented
from archive.pages.listing import BY_NAME, Asked, ListPage, Sort, beginning

SIZE = 100
MOST = 20_000
"""Methods that are counted: more than there are."""

SORTS: Mapping[str, Sort] = {
    "name": BY_NAME,
    "newest": Sort(
        "Newest",
        (
            NullIf(F("introduced_year"), Value(Method.PLACEHOLDER_YEAR)).desc(nulls_last=True),
            F("record__sort_key"),
            F("pk"),
        ),
    ),
    "papers": Sort(
        "Papers, by the archive’s count", (F("num_papers").desc(nulls_last=True), F("record__sort_key"), F("pk"))
    ),
}


@documented
class CollectionOfArea:
    """A collection of methods."""

    name: str = described("As printed.")
    url: str = described("Address on this site of its methods.")
    methods: int = described("Number of methods in it.")


@documented
class AreaOfMethods:
    """An area of methods. These are the methods' own areas, not those of tasks."""

    name: str = described("As printed; empty where the archive names none.")
    collections: Sequence[CollectionOfArea] = described("Its collections by name; those without a method are left out.")


@documented
class MethodInList:
    """A method, as lists show it."""

    method: str = described("Address on this site of the method.")
    name: str = described("Its name, as printed.")
    full_name: str | None = described("Its long name, as printed, where it has another one.")
    beginning: str | None = described("The first words of its description, without marks; null if there is none.")
    introduced_year: int | None = described(
        "The year it was introduced; null if not given, and for 2000, by which the archive says that it is unknown."
    )
    num_papers_in_archive: int | None = described("The archive's own count of papers that use it; null if not given.")
    collections: Sequence[str] = described("Names of its collections, in the order printed, at most three.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")


@documented
class MethodsPage(ListPage):
    """`/methods`: methods by area and collection, and as a list."""

    section = "/methods"

    areas: Sequence[AreaOfMethods] = described(
        "The areas by name, with their collections; empty on pages that are narrowed or are not the first."
    )
    methods: Sequence[MethodInList] = described("The methods of this page, in the order asked.")

    @property
    def entries(self) -> Sequence[MethodInList]:
        """The methods."""
        return self.methods


def build(asked: Asked) -> MethodsPage:
    """The page of what is asked. Queries: six at most, and one for each facet with a chosen value."""
    provenance = Provenance.current()
    frame = asked.frame(MOST)
    return MethodsPage(
        **frame,
        **asked.numbered(frame["total"], SIZE),
        source=provenance.source,
        provenance=provenance,
        title="Methods",
        areas=[] if asked.place or asked.choice else _areas(),
        methods=[_listed(method) for method in _page(asked)],
    )


def _areas() -> list[AreaOfMethods]:
    shown = ~Q(members__method__in=hidden(RecordKind.METHOD))
    collections = (
        Collection.objects.annotate(number=Count("members__method", filter=shown, distinct=True))
        .filter(number__gt=0)
        .order_by("area", "sort_key", "id")
    )
    return [
        AreaOfMethods(
            name=area,
            collections=[
                CollectionOfArea(name=one.name, url=f"/methods/collection/{one.slug}", methods=one.number)
                for one in found
            ],
        )
        for area, found in groupby(collections, key=lambda collection: collection.area)
    ]


def _page(asked: Asked) -> Sequence[Any]:
    names = CollectionMembership.objects.filter(method=OuterRef("pk")).order_by("position").values("collection__name")
    return asked.page_of(
        SIZE, Method.objects.select_related("record").annotate(collection_names=ArraySubquery(names[:3]))
    )


def _listed(method: Any) -> MethodInList:
    return MethodInList(
        method=method.record.path,
        name=method.record.name,
        full_name=method.full_name if method.full_name != method.record.name else None,
        beginning=beginning(method.description),
        introduced_year=method.known_year,
        num_papers_in_archive=method.num_papers,
        collections=method.collection_names,
        dropped_in=method.record.dropped_in,
    )
