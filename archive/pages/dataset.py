"""A dataset: what the archive says of it, its leaderboards, and the papers with a row on one of them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery

from archive.models import (
    Authorship,
    CodeLink,
    DataLoader,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
    Language,
    Leaderboard,
    LeaderboardMetric,
    Modality,
    Paper,
    Record,
    Result,
    ResultMetric,
    TaskName,
)
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    Source,
    described,
    documented,
    missing,
    public,
)
from archive.pages.standing import Standings
from archive.pages.view import CURRENT, View

PAPERS_SHOWN = 100
ARCHIVE_ORDER = "rows are the archive's own order at snapshot; nothing here re-ranks them"
OTHER_FIELDS = (
    "short_description",
    "parent_dataset",
    "mention_count",
    "verified_name",
    "verified_paper_title",
    "verified_paper_url",
    "image",
    "audio",
    "thumbnail",
    "default_image",
    "verified_image",
    "default_youtube_link",
)
PAPERS_NOTE = (
    "The archive never published its papers-using-dataset list; "
    "these are papers with a leaderboard row on this dataset's benchmarks."
)


@documented
class IntroducedBy:
    """The publication that introduced a dataset, as the archive says. `paper` or `url` is set, or neither."""

    paper: str | None = described("Address on this site of the paper; null if the archive holds no such paper.")
    title: str | None = described("The publication's title, as printed with the dataset.")
    first_author: str | None = described("The first name in the paper's author list, as printed.")
    url: str | None = described("Address elsewhere, as printed, of a publication that is not among the papers here.")


@documented
class DataLicense:
    """The licence of the data itself, in the archive's words. Not the licence of the archive."""

    name: str | None = described("The licence's name, free text.")
    url: str | None = described("An address given for it.")


@documented
class Facet:
    """A property that datasets share, with the list of all that have it."""

    name: str = described("As printed.")
    url: str = described("Address on this site of the list of datasets with it.")


@documented
class TaskOfDataset:
    """A task that the archive lists with a dataset."""

    name: str = described("The task's name, as printed with the dataset.")
    url: str = described("Address on this site of the task.")
    datasets_with_task: str = described("Address on this site of the list of datasets with the task.")


@documented
class Loader:
    """A way to load a dataset. Old and new addresses of one loader stand side by side, as in the archive."""

    repo: str | None = described("Address of the repository that has the loader.")
    url: str | None = described("Address of the loader.")
    frameworks: Sequence[str] = described("The frameworks it serves, as printed.")


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


@documented
class DatasetPage(RecordPage):
    """`/dataset/<slug>`: one dataset."""

    section = "/datasets"

    name: str | None = described("The dataset's name, as printed.")
    full_name: str | None = described("Its long name, as printed.")
    description_markdown: str | None = described(
        "The description, verbatim Markdown. Pages rewrite its links to the old site, on display only."
    )
    description_withheld: str | None = described("Why the description is not given; null if it is not withheld.")
    homepage: str | None = described("The dataset's own page elsewhere, as printed.")
    introduced_date: datetime.date | None = described("When it was introduced, as printed.")
    introduced_date_precision: str | None = described(
        "day, or year for a first of January, which the archive uses where only the year is known; null without a date."
    )
    introduced_date_note: str | None = described("Why the date is doubtful, in a sentence; null if nothing is noted.")
    introduced_by: IntroducedBy = described("The publication that introduced it.")
    license: DataLicense = described("The licence of the data, as the archive words it.")
    modalities: Sequence[Facet] = described("Kinds of data in it, in the order printed.")
    tasks: Sequence[TaskOfDataset] = described("Tasks listed with it, in the order printed.")
    languages: Sequence[Facet] = described("Human languages of it, in the order printed.")
    variants: Sequence[str] = described("Names under which leaderboards refer to it, in the order printed.")
    data_loaders: Sequence[Loader] = described("Ways to load it, in the order printed, not de-duplicated.")
    num_papers_in_archive: int | None = described(
        "The archive's own count of papers that use it, never recomputed; no list stands behind it."
    )
    source: Source = described("The archive the page is made from, and the day it was frozen.")
    benchmarks: Sequence[Benchmark] = described("Its leaderboards, in the archive's order.")
    papers_with_a_benchmark_row: Sequence[PaperWithRow] = described(
        "Papers with a row on one of these leaderboards, newest first."
    )
    syntology_totals: Mapping[str, Any] | None = described(
        "Run evidence of these papers, summed; null while there is none."
    )
    papers_note: str = described("Why that list differs from num_papers_in_archive.", default=PAPERS_NOTE)
    warning: str | None = described("A warning that the archive prints with the dataset; null if it prints none.")
    other_fields: Mapping[str, str | int] = described(
        "Further fields that the archive fills, by its own names, as printed. Media lay on a site that is closed."
    )

    @property
    def heading(self) -> str:
        """The dataset's name, its long one if it has no other."""
        return self.name or self.full_name or self.record.key

    @property
    def papers_shown(self) -> Sequence[PaperWithRow]:
        """The papers that the HTML page lists; the JSON has all."""
        return self.papers_with_a_benchmark_row[:PAPERS_SHOWN]

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Datasets, then this one."""
        return (Crumb(name="Datasets", url="/datasets"),)


def build(record: Record, view: View = CURRENT) -> DatasetPage:
    """The page of a dataset's record in a view. 10 queries, however much the dataset has."""
    dataset = (
        Dataset.objects.select_related("introduced_by__record")
        .annotate(
            printed_variants=ArraySubquery(
                DatasetVariant.objects.filter(dataset=OuterRef("pk")).order_by("position").values("name")
            ),
            first_author=Subquery(
                Authorship.objects.filter(paper=OuterRef("introduced_by"))
                .order_by("position")
                .values("author__name")[:1]
            ),
        )
        .get(pk=record.pk)
    )
    provenance = Provenance.current()
    boards = _boards(dataset)
    rows = _first_rows(boards)
    standing = Standings.on_page(record, [row.pk for row in rows], view)
    standing.put(dataset)
    content: dict[str, Any] = {
        "name": dataset.name,
        "full_name": dataset.full_name,
        "description_markdown": dataset.description,
        "homepage": dataset.homepage,
        "introduced_date": dataset.introduced_date,
        "introduced_by": _introduced_by(dataset, dataset.first_author),
        "license": DataLicense(name=dataset.license_name, url=dataset.license_url),
        "modalities": _modalities(dataset, standing),
        "tasks": _tasks(dataset, standing),
        "languages": _languages(dataset, standing),
        "variants": standing.names("variants", dataset.printed_variants),
        "data_loaders": _loaders(dataset),
        "num_papers_in_archive": dataset.num_papers,
        "benchmarks": _benchmarks(boards, rows, standing),
        "papers_with_a_benchmark_row": _papers(dataset),
        "warning": dataset.warning,
        "other_fields": {name: value for name in OTHER_FIELDS if (value := getattr(dataset, name))},
    }
    return DatasetPage(
        **standing.frame(provenance),
        **content,
        description_withheld=standing.withheld("description"),
        introduced_date_precision=dataset.introduced_date_precision or None,
        introduced_date_note=_date_note(dataset.introduced_date, provenance.source.snapshot),
        syntology_totals=None,
        absent={**_absent(content), **standing.hidden(KEYS)},
    )


KEYS = {"description": "description_markdown", "license_name": "license.name", "license_url": "license.url"}
"""The keys of fields that the page does not show under their own name."""


def _introduced_by(dataset: Dataset, first_author: str | None) -> IntroducedBy:
    paper = dataset.introduced_by
    return IntroducedBy(
        paper=paper.record.path if paper else None,
        title=dataset.paper_title or (paper.title if paper else None),
        first_author=first_author,
        url=None if paper else dataset.paper_url,
    )


def _modalities(dataset: Dataset, standing: Standings) -> list[Facet]:
    found = DatasetModality.objects.filter(dataset=dataset).order_by("position")
    current = found.values_list("modality__name", "modality__slug")
    pairs = standing.linked("modalities", current, Modality.objects.values_list("name", "slug"))
    return [Facet(name=name, url=f"/datasets/modality/{slug}") for name, slug in pairs]


def _languages(dataset: Dataset, standing: Standings) -> list[Facet]:
    found = DatasetLanguage.objects.filter(dataset=dataset).order_by("position")
    current = found.values_list("language__name", "language__slug")
    pairs = standing.linked("languages", current, Language.objects.values_list("name", "slug"))
    return [Facet(name=name, url=f"/datasets/language/{slug}") for name, slug in pairs]


def _tasks(dataset: Dataset, standing: Standings) -> list[TaskOfDataset]:
    found = DatasetTask.objects.filter(dataset=dataset).order_by("position")
    current = found.values_list("name__name", "task__record__key")
    pairs = standing.linked("tasks", current, TaskName.objects.values_list("name", "task__record__key"))
    return [TaskOfDataset(name=name, url=f"/{key}", datasets_with_task=f"/datasets/{key}") for name, key in pairs]


def _loaders(dataset: Dataset) -> list[Loader]:
    found = DataLoader.objects.filter(dataset=dataset).order_by("position")
    return [Loader(repo=loader.repo, url=loader.url, frameworks=loader.frameworks) for loader in found]


def _boards(dataset: Dataset) -> list[Any]:
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


def _first_rows(boards: Sequence[Any]) -> list[Result]:
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


def _benchmarks(boards: Sequence[Any], rows: Sequence[Result], standing: Standings) -> list[Benchmark]:
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


def _papers(dataset: Dataset) -> list[PaperWithRow]:
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


def _date_note(introduced: datetime.date | None, snapshot: datetime.date | None) -> str | None:
    if introduced and snapshot and introduced > snapshot:
        return f"This date is later than the snapshot of {snapshot.isoformat()}: it can not be right."
    return None


def _absent(content: Mapping[str, Any]) -> dict[str, Absent]:
    """Why keys are empty: by the archive's silence, unless there is more to say."""
    absent = missing(content, leave_out=("other_fields", "warning"))
    by, licence = content["introduced_by"], content["license"]
    absent |= missing({f"license.{key}": value for key, value in vars(licence).items()})
    if not by.paper:
        named = by.url or by.title
        reason = Absence.NOT_MATCHED if named else Absence.NOT_IN_ARCHIVE
        absent["introduced_by.paper"] = Absent.because(reason)
    if not content["benchmarks"]:
        absent["benchmarks"] = Absent.because(Absence.NOT_IN_ARCHIVE, "The archive has no leaderboard on this dataset.")
    if not content["papers_with_a_benchmark_row"]:
        absent["papers_with_a_benchmark_row"] = Absent.because(
            Absence.NOT_IN_ARCHIVE, "No leaderboard row on this dataset names a paper of the archive."
        )
    return {**absent, "syntology_totals": Absent.because(Absence.NOT_RUN)}
