"""Datasets counted by the year of their introduction, all of them and those of the largest modalities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Count, QuerySet
from django.db.models.functions import ExtractYear

from archive.facets import hidden
from archive.models import Dataset, RecordKind
from archive.pages.documented import described, documented

MODALITIES_SHOWN = 6
YEARS_NOTE = (
    "By the introduction date that the archive prints; datasets without one are not drawn. "
    "A dataset of two modalities counts in both."
)


@documented
class WayIn:
    """An area of tasks, or a modality of datasets."""

    name: str = described("As printed.")
    url: str = described("Address on this site of its page.")
    number: int = described("How many public tasks the area has, or how many public datasets the modality.")


@documented
class YearOfDatasets:
    """How many datasets are of one year."""

    year: int = described("The year.")
    datasets: int = described("Number of public datasets.")


@documented
class ModalityByYear:
    """The datasets of one modality by year."""

    name: str = described("The modality, as printed.")
    url: str = described("Address on this site of the list of its datasets.")
    years: Sequence[YearOfDatasets] = described("Oldest first; years without any are left out.")

    @property
    def in_years(self) -> Mapping[int, int]:
        """The same as numbers by year."""
        return in_years(self.years)


@documented
class DatasetsByYear:
    """Public datasets by the year in which the archive says that they were introduced."""

    years: Sequence[YearOfDatasets] = described("All of them, oldest first; years without any are left out.")
    modalities: Sequence[ModalityByYear] = described("The modalities with most datasets, at most 6, the largest first.")
    undated: int = described("Number of public datasets without a date.")
    note: str = described("What is counted.", default=YEARS_NOTE)

    @property
    def in_years(self) -> Mapping[int, int]:
        """All of them as numbers by year."""
        return in_years(self.years)

    @property
    def table(self) -> Sequence[tuple[int, Sequence[int]]]:
        """By year, newest first: how many in all, and how many of each modality."""
        columns = [self.in_years, *(each.in_years for each in self.modalities)]
        return [(year, [column.get(year, 0) for column in columns]) for year in sorted(self.in_years, reverse=True)]


def in_years(years: Sequence[YearOfDatasets]) -> Mapping[int, int]:
    """Numbers by year."""
    return {each.year: each.datasets for each in years}


def datasets_by_year(modalities: Sequence[WayIn]) -> DatasetsByYear:
    """The datasets by year, and those of the first of these modalities. Two queries."""
    datasets = Dataset.objects.exclude(pk__in=hidden(RecordKind.DATASET)).order_by()
    of_year = dict(_counted(datasets))
    largest = modalities[:MODALITIES_SHOWN]
    slugs = [way.url.rpartition("/")[2] for way in largest]
    of_both: dict[str, dict[int | None, int]] = {slug: {} for slug in slugs}
    named = datasets.filter(modalities__modality__slug__in=slugs)
    years = ExtractYear("introduced_date")
    for slug, year, number in named.values_list("modalities__modality__slug", years).annotate(n=_NUMBER):
        of_both[slug][year] = number
    return DatasetsByYear(
        years=_years(of_year),
        modalities=[
            ModalityByYear(name=way.name, url=way.url, years=_years(of_both[slug]))
            for way, slug in zip(largest, slugs, strict=True)
        ],
        undated=of_year.get(None, 0),
    )


_NUMBER = Count("pk", distinct=True)


def _counted(datasets: QuerySet[Dataset]) -> QuerySet[Dataset, tuple[int | None, int]]:
    return datasets.values_list(ExtractYear("introduced_date")).annotate(n=_NUMBER)


def _years(counts: Mapping[int | None, int]) -> list[YearOfDatasets]:
    dated = sorted((year, number) for year, number in counts.items() if year is not None)
    return [YearOfDatasets(year=year, datasets=number) for year, number in dated]
