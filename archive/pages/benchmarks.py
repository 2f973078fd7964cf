"""The leaderboards on a dataset, each with its first row, and the papers with a row on one of them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery

from archive.models import CodeLink, Dataset, Leaderboard, LeaderboardMetric, Paper, Result, ResultMetric
from archive.pages.base import described, documented, public
from archive.pages.standing import Standings

ARCHIVE_ORDER = "rows are the archive's own order at snapshot; nothing here re-ranks them"


@documented
class CodeReference:
    """A link to code printed in a leaderboard's row."""

    title: str | None = described("As printed, often owner/repository.")
    url: str | None = described("As printed.")


@documented
class FirstRow:
    """The first row of a leaderboard in the archive's order. Being first is no statement that it is best."""

    pk: int = described("Primary key of the row.", json=False)
    row: str = described("Address on this site of the row.")
    model: str | None = described("The model's name, as printed.")
    paper: str | None = described("Address on this site of the row's paper; null if it has none or none matched.")
    paper_title: str | None = described("The paper's title, as printed in the row.")
    metrics: Mapping[str, str] = described("By metric: the value, verbatim. A metric the row lacks is left out.")
    code_links: Sequence[CodeReference] = described("The links to code printed in the row.")


@documented
class Benchmark:
    """A leaderboard on a dataset: one task, under one of the dataset's printed names."""

    leaderboard: str = described("Address on this site of the leaderboard.")
    task: str = described("The task's name.")
    task_url: str = described("Address on this site of the task.")
    dataset_variant: str | None = described("The dataset's name as the leaderboard prints it, blanks included.")
    rows: int = described("Number of rows in the newest snapshot.")
    metrics: Sequence[str] = described("The metrics, in the archive's order.")
    first_row_in_archive_order: FirstRow | None = described("The first row; null if there is no row.")
    dropped_in: datetime.date | None = described("The first snapshot that no longer holds it; null if none.")
    note: str = described("What the order of rows means.", default=ARCHIVE_ORDER)


@documented
class PaperWithRow:
    """A paper with at least one row on a leaderboard of a dataset."""

    paper: str = described("Address on this site of the paper.")
    title: str | None = described("The paper's title.")
    date: datetime.date | None = described("The paper's date in the archive.")
    date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    rows_on_this_dataset: int = described("Number of its rows on leaderboards of this dataset.")
    code_links: int = described("Number of repositories that the archive lists for the paper.")
    syntology: Mapping[str, Any] | None = described(
        "Run evidence of the paper's code: counts, never a rate; null if there is none."
    )


def boards_on(dataset: Dataset) -> list[Any]:
    """The dataset's leaderboards, each with `first_row`, its key. One query."""
    rows = Result.objects.filter(public(), leaderboard=OuterRef("pk")).exclude(record__dump="decision")
    return list(
        Leaderboard.objects.filter(public(), dataset=dataset)
        .select_related("record", "task__record")
        .annotate(
            metric_names=ArraySubquery(
                LeaderboardMetric.objects.filter(leaderboard=OuterRef("pk"))
                .order_by(F("position").asc(nulls_last=True), "id")
                .values("name")
            ),
            first_row=Subquery(rows.in_archive_order().values("pk")[:1]),
        )
        .order_by("record__ordinal", "record_id")
    )


def first_rows(boards: Sequence[Any]) -> list[Result]:
    """Two queries: the rows, the values in them."""
    return list(
        Result.objects.filter(pk__in=[board.first_row for board in boards])
        .select_related("record", "paper__record")
        .prefetch_related(
            Prefetch(
                "values",
                ResultMetric.objects.select_related("metric").order_by(
                    F("metric__position").asc(nulls_last=True), "metric_id"
                ),
            )
        )
    )


def benchmarks(boards: Sequence[Any], rows: Sequence[Result], standing: Standings) -> list[Benchmark]:
    """Leaderboards of `boards_on` as the page shows them, with their `first_rows` as they stand in a view. No query."""
    first = {row.leaderboard_id: _first_row(standing.put(row), standing) for row in rows}
    return [
        Benchmark(
            leaderboard=board.record.path,
            task=board.task.name,
            task_url=board.task.record.path,
            dataset_variant=board.dataset_name,
            rows=board.row_count,
            metrics=board.metric_names,
            first_row_in_archive_order=first.get(board.pk),
            dropped_in=board.record.dropped_in,
        )
        for board in boards
    ]


def _first_row(row: Result, standing: Standings) -> FirstRow:
    return FirstRow(
        pk=row.pk,
        row=row.record.path,
        model=row.model_name,
        paper=row.paper.record.path if row.paper else None,
        paper_title=row.paper_title,
        metrics=standing.metrics(row.pk, {value.metric.name: value.value for value in row.values.all()}),
        code_links=[CodeReference(title=link.get("title"), url=link.get("url")) for link in row.code_links],
    )


def papers_with_a_row(dataset: Dataset) -> list[PaperWithRow]:
    """Papers with a row on one of the dataset's leaderboards, newest first, those without a date last. One query."""
    papers = (
        Paper.objects.filter(
            public(),
            public("results__leaderboard__record__"),
            results__leaderboard__dataset=dataset,
            results__position__isnull=False,
        )
        .select_related("record")
        .annotate(rows=Count("results"), repositories=Subquery(_count_of_code_links()))
        .order_by(F("date").desc(nulls_last=True), "record__key")
    )
    return [
        PaperWithRow(
            paper=paper.record.path,
            title=paper.title,
            date=paper.date,
            date_precision=paper.date_precision or None,
            rows_on_this_dataset=paper.rows,
            code_links=paper.repositories or 0,
            syntology=None,
        )
        for paper in papers
    ]


def _count_of_code_links() -> QuerySet[CodeLink, int]:
    links = CodeLink.objects.filter(paper=OuterRef("pk")).order_by()
    return links.values("paper").annotate(number=Count("pk")).values_list("number", flat=True)
