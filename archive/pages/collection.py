"""A collection of methods in one of the methods' own areas."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from archive.models import Collection, Method, Record
from archive.pages.base import Absence, Absent, Crumb, Page, Provenance, Source, described, documented, public
from archive.pages.method import CollectionOfMethod

METHODS_ON_A_PAGE = 200
NAMESAKES_SHOWN = 20


@documented
class MethodOfCollection:
    """A method in a collection."""

    method: str = described("Address on this site of the method.")
    name: str | None = described("The method's name, as printed.")
    full_name: str | None = described("Its long name, as printed.")
    introduced_year: int | None = described("The year of introduction; null if the archive does not know it.")
    num_papers_in_archive: int | None = described("The archive's own count of papers, never recomputed.")


@documented
class CollectionPage(Page):
    """`/methods/collection/<slug>`: one collection of methods, 200 of them on a page.

    `?after=<slug of a method>` gives the methods that come after that one in the list.
    """

    section = "/methods"

    name: str = described("The collection's name, as printed.")
    area: str | None = described("The name of its area, as printed.")
    area_id: str | None = described("The area's slug in the archive, as printed.")
    methods_count: int = described("Number of public methods in it.")
    methods: Sequence[MethodOfCollection] = described("The methods of this page, by name.")
    next_url: str | None = described("Address on this site of the next page; null on the last.")
    namesakes: Sequence[CollectionOfMethod] = described(
        f"Other collections of the same name, each in an area of its own, at most {NAMESAKES_SHOWN}."
    )
    source: Source = described("The archive the page is made from, and the day it was frozen.")

    @property
    def heading(self) -> str:
        """The collection's name, or that it has none."""
        return self.name.strip() or "(a collection without a name)"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Methods, then this collection."""
        return (Crumb(name="Methods", url="/methods"),)

    @property
    def first_url(self) -> str | None:
        """The address of the first page of the list; None on it."""
        first, _, continues = self.url.partition("?")
        return first if continues else None


def build(collection: Collection, after: Record | None = None) -> CollectionPage | None:
    """The page of a collection from the method after a given one on; None where it has no public method. 4 queries."""
    path = f"/methods/collection/{collection.slug}"
    inside = Method.objects.filter(public(), pk__in=collection.members.values("method"))
    count = inside.count()
    if not count:
        return None
    provenance = Provenance.current()
    listed = inside.select_related("record").order_by("record__sort_key", "record_id")
    if after:
        same = Q(record__sort_key=after.sort_key, record_id__gt=after.pk)
        listed = listed.filter(Q(record__sort_key__gt=after.sort_key) | same)
    found = list(listed[: METHODS_ON_A_PAGE + 1])
    shown = found[:METHODS_ON_A_PAGE]
    namesakes = Collection.objects.filter(name=collection.name).exclude(pk=collection.pk).order_by("pk")
    return CollectionPage(
        url=f"{path}?after={after.slug}" if after else path,
        source=provenance.source,
        provenance=provenance,
        name=collection.name,
        area=collection.area or None,
        area_id=collection.area_id or None,
        methods_count=count,
        methods=[
            MethodOfCollection(
                method=method.record.path,
                name=method.name,
                full_name=method.full_name,
                introduced_year=method.known_year,
                num_papers_in_archive=method.num_papers,
            )
            for method in shown
        ],
        next_url=f"{path}?after={shown[-1].record.slug}" if len(found) > len(shown) else None,
        namesakes=[
            CollectionOfMethod(name=each.name, area=each.area, url=f"/methods/collection/{each.slug}")
            for each in namesakes[:NAMESAKES_SHOWN]
        ],
        absent={
            key: Absent.because(Absence.NOT_IN_ARCHIVE) for key in ("area", "area_id") if not getattr(collection, key)
        },
    )
