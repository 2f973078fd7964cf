"""Datasets and the lists printed with them."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from archive.models.records import (
    DatePrecision,
    DetailBase,
    RecordKind,
    kind_column,
    year_only_is_first_of_january,
)
from archive.models.tasks import Task, TaskName
from archive.models.vocabularies import Language, Modality


class Dataset(DetailBase):
    """A dataset as the archive describes it. Text is verbatim; null says that the archive gives nothing."""

    kind = kind_column(RecordKind.DATASET)
    name = models.TextField(null=True)
    full_name = models.TextField(null=True)
    homepage = models.TextField(null=True)
    description = models.TextField(null=True)
    short_description = models.TextField(null=True)
    parent_dataset = models.TextField(null=True)
    image = models.TextField(null=True)
    audio = models.TextField(null=True)
    thumbnail = models.TextField(null=True)
    default_image = models.TextField(null=True)
    verified_image = models.TextField(null=True)
    default_youtube_link = models.TextField(null=True)
    paper_title = models.TextField(null=True, help_text="Title of the paper that introduced it, as printed here.")
    paper_url = models.TextField(null=True, help_text="Address of that paper: the archive's own, or any other.")
    introduced_by = models.ForeignKey(
        "archive.Paper", null=True, on_delete=models.PROTECT, related_name="introduced_datasets"
    )
    introduced_date = models.DateField(null=True)
    introduced_date_precision = models.CharField(max_length=4, choices=DatePrecision, blank=True)
    warning = models.TextField(null=True)
    num_papers = models.IntegerField(null=True, help_text="The archive's own count; no list stands behind it.")
    mention_count = models.IntegerField(null=True)
    license_name = models.TextField(null=True)
    license_url = models.TextField(null=True)
    verified_name = models.TextField(null=True)
    verified_paper_title = models.TextField(null=True)
    verified_paper_url = models.TextField(null=True)

    class Meta:
        constraints = (
            year_only_is_first_of_january(
                "archive_dataset_date_has_precision", "introduced_date", "introduced_date_precision"
            ),
        )


class DatasetModality(models.Model):
    """A modality of a dataset, in the order printed."""

    pk = models.CompositePrimaryKey("dataset", "position")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="modalities", db_index=False)
    position = models.SmallIntegerField()
    modality = models.ForeignKey(Modality, on_delete=models.PROTECT, related_name="datasets")

    def __str__(self) -> str:
        return f"{self.dataset_id}: modality {self.modality_id}"


class DatasetLanguage(models.Model):
    """A language of a dataset, in the order printed."""

    pk = models.CompositePrimaryKey("dataset", "position")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="languages", db_index=False)
    position = models.SmallIntegerField()
    language = models.ForeignKey(Language, on_delete=models.PROTECT, related_name="datasets")

    def __str__(self) -> str:
        return f"{self.dataset_id}: language {self.language_id}"


class DatasetTask(models.Model):
    """A task of a dataset, in the order printed: the task that its address names, under the name printed here."""

    pk = models.CompositePrimaryKey("dataset", "position")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    position = models.SmallIntegerField()
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="datasets")
    name = models.ForeignKey(TaskName, on_delete=models.PROTECT, related_name="datasets")

    def __str__(self) -> str:
        return f"{self.dataset_id}: task {self.task_id}"


class DatasetVariant(models.Model):
    """A name under which leaderboards refer to a dataset, in the order printed."""

    pk = models.CompositePrimaryKey("dataset", "position")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="variants", db_index=False)
    position = models.SmallIntegerField()
    name = models.TextField()

    def __str__(self) -> str:
        return self.name


class DataLoader(models.Model):
    """A way to load a dataset, in the order printed. Old and new addresses of one loader stand side by side."""

    pk = models.CompositePrimaryKey("dataset", "position")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="data_loaders", db_index=False)
    position = models.SmallIntegerField()
    repo = models.TextField(null=True)
    url = models.TextField(null=True)
    frameworks = ArrayField(models.TextField())

    def __str__(self) -> str:
        return self.url or self.repo or f"{self.dataset_id}: loader {self.position}"
