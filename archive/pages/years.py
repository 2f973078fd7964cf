"""Papers counted by year: what a task's and a method's page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db.models import Count, QuerySet
from django.db.models.functions import ExtractYear

from archive.facets import hidden
from archive.models import Paper, RecordKind
from archive.pages.base import described, documented


@documented
class YearOfPapers:
    """How many papers are of one year."""

    year: int | None = described("The year; null for papers without a date.")
    papers: int = described("Number of public papers.")


def by_year(papers: QuerySet[Paper]) -> list[YearOfPapers]:
    """The public ones of these papers by year, newest first, undated ones last. One query.

    `papers` may not name a paper twice.
    """
    listed = papers.exclude(pk__in=hidden(RecordKind.PAPER)).order_by()
    counted = listed.values_list(ExtractYear("date")).annotate(number=Count("pk"))
    years = [YearOfPapers(year=year, papers=number) for year, number in counted]
    return sorted(years, key=lambda each: each.year or 0, reverse=True)


def in_years(years: Sequence[YearOfPapers]) -> Mapping[int, int]:
    """The same as numbers by year, undated ones left out. No query."""
    return {each.year: each.papers for each in years if each.year is not None}
