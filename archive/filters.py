"""What narrows a list by its GET address, the same for the pages and for the API.

Several values of one facet are "or", facets are "and". A filter set says which records match; how many remain at
each value is counted by `archive.tallies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import django_filters  # type: ignore[import-untyped]
from django.db.models import QuerySet, Value

from archive.facets import FlagFacet, Known, LinkedFacet, TextFacet, YearFacet, hidden
from archive.models import (
    Area,
    CodeLink,
    Collection,
    CollectionMembership,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    Framework,
    Language,
    Leaderboard,
    Method,
    Modality,
    Paper,
    PaperTask,
    Proceeding,
    RecordKind,
    Result,
    Task,
    TaskArea,
)


class Facets(django_filters.FilterSet):
    """The facets of one list of public records.

    `fixed` gives facets the one value that the list's path says; the same parameter in `data` is then not looked at.
    Raises nothing on any data.
    """

    def __init__(
        self,
        data: Any = None,
        queryset: QuerySet[Any] | None = None,
        *,
        fixed: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        model = self._meta.model
        queryset = model._default_manager.exclude(pk__in=hidden(KINDS[model])) if queryset is None else queryset
        self.fixed = dict(fixed or {})
        super().__init__(data, queryset, **kwargs)
        for name, facet in self.filters.items():
            facet.name = name

    @cached_property
    def asked(self) -> Mapping[str, tuple[str, ...]]:
        """By facet, in the list's order: the values asked for; facets without any are left out."""
        asked = self.form.cleaned_data if self.is_valid() else {}
        values = {name: (self.fixed[name],) if name in self.fixed else asked.get(name, ()) for name in self.filters}
        return {name: taken for name, taken in values.items() if taken}

    @cached_property
    def known(self) -> Mapping[str, Mapping[str, Known]]:
        """By facet: what is known of the values asked for. One query, none where no facet has to ask."""
        found: dict[str, dict[str, Known]] = {}
        lookups = []
        for name, values in self.asked.items():
            facet = self.filters[name]
            known = facet.known(values)
            found[name] = {value: known[value] for value in values if value in known}
            lookup = facet.lookup([*values, *(spelt for value in values if (spelt := facet.spelt(value)))])
            if lookup is not None:
                lookups.append(lookup.annotate(facet=Value(name)))
        if lookups:
            for key, value, title, name in lookups[0].union(*lookups[1:], all=True):
                found[name][value] = Known(title or value, key)
        return found

    @cached_property
    def chosen(self) -> Mapping[str, tuple[str, ...]]:
        """The values asked for, those that were given by name as the addresses say them. The query of `known`."""
        chosen = {}
        for name, values in self.asked.items():
            known, spelt = self.known[name], self.filters[name].spelt
            settled = {other if value not in known and (other := spelt(value)) in known else value for value in values}
            chosen[name] = tuple(sorted(settled)) if name not in self.fixed else values
        return chosen

    def matching(self, without: str = "") -> QuerySet[Any]:
        """The public records that match, one facet left out of account if named. At most the query of `known`."""
        queryset = self.queryset.all()
        for name, values in self.chosen.items():
            if name != without:
                queryset = self.filters[name].filter(queryset, values)
        return queryset

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """What `qs` gives: the same as `matching`."""
        return self.matching()


_CODE = CodeLink.objects.exclude(pk__in=hidden(RecordKind.CODE))
_BOARDS = Leaderboard.objects.exclude(pk__in=hidden(RecordKind.LEADERBOARD))
_ROWS = Result.objects.exclude(pk__in=hidden(RecordKind.RESULT)).exclude(leaderboard__in=hidden(RecordKind.LEADERBOARD))


class DatasetFilters(Facets):
    """The facets of datasets."""

    modality = LinkedFacet("Modality", DatasetModality, "dataset", "modality", Modality)
    task = LinkedFacet("Task", DatasetTask, "dataset", "task", Task)
    language = LinkedFacet("Language", DatasetLanguage, "dataset", "language", Language)
    licence = TextFacet("Licence of the data, as printed", "license_name")
    year = YearFacet("Year introduced", "introduced_date")
    leaderboard = FlagFacet("Leaderboard", _BOARDS, "dataset", yes="With a leaderboard", no="Without a leaderboard")

    class Meta:
        model = Dataset
        fields: list[str] = []


class PaperFilters(Facets):
    """The facets of papers."""

    task = LinkedFacet("Task", PaperTask, "paper", "name__task", Task, offer=Leaderboard)
    year = YearFacet("Year", "date")
    proceeding = LinkedFacet("Proceeding", Paper, "pk", "proceeding", Proceeding, offer=Paper)
    code = FlagFacet("Code", _CODE, "paper", yes="With code listed", no="No code listed")
    results = FlagFacet("Results", _ROWS, "paper", yes="With a leaderboard row", no="Without a leaderboard row")
    framework = LinkedFacet("Framework of the code", CodeLink, "paper", "framework", Framework)

    class Meta:
        model = Paper
        fields: list[str] = []


class LeaderboardFilters(Facets):
    """The facets of leaderboards."""

    area = LinkedFacet("Area", TaskArea, "task__leaderboards", "area", Area)
    task = LinkedFacet("Task", Leaderboard, "pk", "task", Task)

    class Meta:
        model = Leaderboard
        fields: list[str] = []


class MethodFilters(Facets):
    """The facets of methods."""

    collection = LinkedFacet("Collection", CollectionMembership, "method", "collection", Collection)

    class Meta:
        model = Method
        fields: list[str] = []


KINDS: Mapping[Any, RecordKind] = {
    Dataset: RecordKind.DATASET,
    Paper: RecordKind.PAPER,
    Leaderboard: RecordKind.LEADERBOARD,
    Method: RecordKind.METHOD,
}
"""The kind of record that each list holds."""
