"""The lists of datasets."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Subquery

from archive.models import Dataset, DatasetLanguage, DatasetModality, Leaderboard
from archive.pages.base import Crumb, Provenance, described, documented, public
from archive.pages.listing import BY_NAME, Asked, ListPage, Sort, beginning

SIZE = 50
MOST = 20_000
"""Datasets that are counted: more than there are."""

SORTS = {
    "name": BY_NAME,
    "newest": Sort("Newest", (F("introduced_date").desc(nulls_last=True), F("record__sort_key"), F("pk"))),
    "papers": Sort(
        "Papers, by the archive’s count", (F("num_papers").desc(nulls_last=True), F("record__sort_key"), F("pk"))
    ),
}
TITLES = {
    "modality": "Datasets with the modality {}",
    "task": "Datasets for {}",
    "language": "Datasets in {}",
}


@documented
class DatasetInList:
    """A dataset, as lists show it."""

    dataset: str = described("Address on this site of the dataset.")
    name: str = described("Its name, as printed.")
    full_name: str | None = described("Its long name, as printed, where it has one.")
    beginning: str | None = described("The first words of its description, without marks; null if there is none.")
    introduced_date: datetime.date | None = described("When it was introduced, as printed; null if not given.")
    introduced_date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    num_papers_in_archive: int | None = described("The archive's own count of papers that use it; null if not given.")
    licence: str | None = described("The name of the data's licence, as printed; null if none is given.")
    modalities: Sequence[str] = described("Names of its modalities, in the order printed.")
    languages: Sequence[str] = described("Names of its languages, in the order printed, at most five.")
    leaderboards: int = described("How many leaderboards it has.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")


@documented
class DatasetsPage(ListPage):
    """`/datasets`: datasets, narrowed by any facets. The same list with one facet in the path is at
    `/datasets/modality/<slug>`, `/datasets/task/<slug>` and `/datasets/language/<slug>`."""

    section = "/datasets"

    of: Mapping[str, str] | None = described(
        "The facet that the path says, as {parameter, value, name, url}; null on the list of all. "
        "`url` is the address of the task, null of the others."
    )
    datasets: Sequence[DatasetInList] = described("The datasets of this page, in the order asked.")
    first_number: int = described("The first one's place in the list, from 1.")

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Above a list with a facet in its path: the list of all."""
        return (Crumb(name="Datasets", url="/datasets"),) if self.of else ()

    @property
    def entries(self) -> Sequence[DatasetInList]:
        """The datasets."""
        return self.datasets


def build(asked: Asked) -> DatasetsPage:
    """The page of what is asked. Queries: five at most, and one for each facet with a chosen value."""
    provenance = Provenance.current()
    frame = asked.frame(MOST)
    return DatasetsPage(
        **frame,
        **asked.numbered(frame["total"], SIZE),
        source=provenance.source,
        provenance=provenance,
        title=_title(asked),
        of=_of(asked),
        first_number=(asked.number - 1) * SIZE + 1,
        datasets=[_listed(dataset) for dataset in _page(asked)],
    )


def _title(asked: Asked) -> str:
    return next((TITLES[name].format(_fixed_name(asked, name)) for name in asked.facets.fixed), "Datasets")


def _fixed_name(asked: Asked, name: str) -> str:
    return asked.facets.known[name][asked.facets.fixed[name]].name


def _of(asked: Asked) -> dict[str, str] | None:
    for name, value in asked.facets.fixed.items():
        url = {"url": f"/task/{value}"} if name == "task" else {}
        return {"parameter": name, "value": value, "name": _fixed_name(asked, name), **url}
    return None


def _page(asked: Asked) -> Sequence[Any]:
    """Two queries: the datasets, with what is told of them in a list."""
    boards = Leaderboard.objects.filter(public(), dataset=OuterRef("pk")).order_by()
    modalities = DatasetModality.objects.filter(dataset=OuterRef("pk")).order_by("position")
    languages = DatasetLanguage.objects.filter(dataset=OuterRef("pk")).order_by("position")
    details = Dataset.objects.select_related("record").annotate(
        boards=Subquery(boards.values("dataset").annotate(n=Count("pk")).values("n")),
        modality_names=ArraySubquery(modalities.values("modality__name")[:10]),
        language_names=ArraySubquery(languages.values("language__name")[:5]),
    )
    return asked.page_of(SIZE, details)


def _listed(dataset: Any) -> DatasetInList:
    return DatasetInList(
        dataset=dataset.record.path,
        name=dataset.record.name,
        full_name=dataset.full_name if dataset.full_name != dataset.record.name else None,
        beginning=beginning(dataset.description),
        introduced_date=dataset.introduced_date,
        introduced_date_precision=dataset.introduced_date_precision or None,
        num_papers_in_archive=dataset.num_papers,
        licence=dataset.license_name or None,
        modalities=dataset.modality_names,
        languages=dataset.language_names,
        leaderboards=dataset.boards or 0,
        dropped_in=dataset.record.dropped_in,
    )
