"""A dataset: what the archive says of it, its leaderboards, and the papers with a row on one of them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject

from archive.models import (
    Authorship,
    DataLoader,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
    Language,
    Modality,
    Record,
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
    title_is_sealed,
)
from archive.pages.benchmarks import Benchmark, PaperWithRow, benchmarks, boards_on, first_rows, papers_with_a_row
from archive.pages.similar import SIMILAR_NOTE, SimilarDataset, similar_to
from archive.pages.standing import COPY_SEALED, Standings
from archive.pages.view import CURRENT, View

PAPERS_SHOWN = 100
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
    similar_datasets: Sequence[SimilarDataset] = described("Datasets that share most with it, at most 8.")
    similar_note: str = described("What similar means here.", default=SIMILAR_NOTE)
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
    """The page of a dataset's record in a view. 10 queries, 8 without a leaderboard, however much the dataset has."""
    dataset = (
        Dataset.objects.select_related("introduced_by__record")
        .annotate(
            printed_variants=ArraySubquery(
                DatasetVariant.objects.filter(dataset=OuterRef("pk")).order_by("position").values("name")
            ),
            printed_loaders=ArraySubquery(
                DataLoader.objects.filter(dataset=OuterRef("pk"))
                .order_by("position")
                .values(loader=JSONObject(repo="repo", url="url", frameworks="frameworks"))
            ),
            first_author=Subquery(
                Authorship.objects.filter(paper=OuterRef("introduced_by"))
                .order_by("position")
                .values("author__name")[:1]
            ),
            title_sealed=title_is_sealed("introduced_by"),
        )
        .get(pk=record.pk)
    )
    provenance = Provenance.current()
    boards = boards_on(dataset)
    rows = first_rows(boards)
    standing = Standings.on_page(record, [row.pk for row in rows], view)
    standing.put(dataset)
    repeating = _repeating(dataset, standing)
    introduced_by = _introduced_by(dataset)
    content: dict[str, Any] = {
        "name": dataset.name,
        "full_name": dataset.full_name,
        "description_markdown": dataset.description,
        "homepage": dataset.homepage,
        "introduced_date": dataset.introduced_date,
        "introduced_by": introduced_by,
        "license": DataLicense(name=dataset.license_name, url=dataset.license_url),
        "modalities": _modalities(dataset, standing),
        "tasks": _tasks(dataset, standing),
        "languages": _languages(dataset, standing),
        "variants": standing.names("variants", dataset.printed_variants),
        "data_loaders": [Loader(**loader) for loader in dataset.printed_loaders],
        "num_papers_in_archive": dataset.num_papers,
        "benchmarks": benchmarks(boards, rows, standing),
        "papers_with_a_benchmark_row": papers_with_a_row(dataset),
        "similar_datasets": similar_to(dataset),
        "warning": dataset.warning,
        "other_fields": {
            name: value for name in OTHER_FIELDS if name not in repeating and (value := getattr(dataset, name))
        },
    }
    return DatasetPage(
        **standing.frame(provenance),
        **content,
        description_withheld=standing.withheld("description"),
        introduced_date_precision=dataset.introduced_date_precision or None,
        introduced_date_note=_date_note(dataset.introduced_date, provenance.source.snapshot),
        syntology_totals=None,
        absent={
            **_absent(content),
            **standing.hidden(KEYS),
            **{f"other_fields.{name}": why for name, why in repeating.items() if getattr(dataset, name)},
            **({"introduced_by.title": COPY_SEALED} if dataset.title_sealed and not introduced_by.title else {}),
        },
    )


KEYS = {"description": "description_markdown", "license_name": "license.name", "license_url": "license.url"}
"""The keys of fields that the page does not show under their own name."""


def _repeating(dataset: Any, standing: Standings) -> dict[str, Absent]:
    """The further fields that would repeat a text which is not shown, each with why."""
    description = standing.taken_off("description")
    return {
        **({"short_description": description} if description else {}),
        **({"verified_paper_title": COPY_SEALED} if dataset.title_sealed else {}),
    }


def _introduced_by(dataset: Any) -> IntroducedBy:
    paper = dataset.introduced_by
    printed = None if dataset.title_sealed else dataset.paper_title
    return IntroducedBy(
        paper=paper.record.path if paper else None,
        title=printed or (paper.title if paper else None),
        first_author=dataset.first_author,
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


def _date_note(introduced: datetime.date | None, snapshot: datetime.date | None) -> str | None:
    if introduced and snapshot and introduced > snapshot:
        return f"This date is later than the snapshot of {snapshot.isoformat()}: it can not be right."
    return None


def _absent(content: Mapping[str, Any]) -> dict[str, Absent]:
    """Why keys are empty: by the archive's silence, unless there is more to say."""
    absent = missing(content, leave_out=("other_fields", "similar_datasets", "warning"))
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
