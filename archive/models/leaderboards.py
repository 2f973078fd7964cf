"""Leaderboards, their metrics, their result rows and the values in them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5

from archive.models.datasets import Dataset
from archive.models.papers import Paper
from archive.models.records import (
    DatePrecision,
    DetailBase,
    RecordKind,
    kind_column,
    year_only_is_first_of_january,
)
from archive.models.tasks import Task


class Matched(models.TextChoices):
    """By what a printed reference was matched with a record."""

    URL = "url", "its address"
    ARXIV = "arxiv", "its arXiv id"
    TITLE = "title", "its title"
    NAME = "name", "its name"
    VARIANT = "variant", "one of its variants"
    DECISION = "decided", "a decision"


class Direction(models.TextChoices):
    """Which values of a metric are better. Told on pages; rows are never re-ranked by it."""

    HIGHER = "higher", "higher is better"
    LOWER = "lower", "lower is better"
    UNKNOWN = "unknown", "direction unknown"


class Leaderboard(DetailBase):
    """One table of the evaluation tables: a task on a dataset, under the dataset's printed name."""

    kind = kind_column(RecordKind.LEADERBOARD)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="leaderboards")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="subdatasets")
    dataset_name = models.TextField(null=True, help_text="As printed; may have stray blanks, may be missing.")
    dataset = models.ForeignKey(Dataset, null=True, on_delete=models.PROTECT, related_name="leaderboards")
    dataset_matched = models.CharField(max_length=7, choices=Matched, blank=True)
    description = models.TextField(null=True)
    links = models.JSONField(help_text="The table's links, [{title, url}], as printed.")
    citations = models.JSONField(help_text="The table's citations, [{title, url}], as printed.")
    row_count = models.IntegerField(help_text="Rows in the newest snapshot: the N of a rank.")

    class Meta:
        constraints = (
            models.CheckConstraint(name="archive_leaderboard_counts_rows", condition=Q(row_count__gte=0)),
            models.CheckConstraint(
                name="archive_leaderboard_says_how_matched",
                condition=Q(dataset__isnull=True, dataset_matched="")
                | Q(dataset__isnull=False, dataset_matched__in=[Matched.NAME, Matched.VARIANT]),
            ),
        )
        indexes = (models.Index(MD5("dataset_name"), name="archive_leaderboard_by_name"),)


class LeaderboardMetric(models.Model):
    """A metric of a leaderboard. `position` is its place in the archive's list; null if only rows use it."""

    id = models.BigAutoField(primary_key=True)
    leaderboard = models.ForeignKey(Leaderboard, on_delete=models.PROTECT, related_name="metrics")
    position = models.SmallIntegerField(null=True)
    name = models.TextField()
    direction = models.CharField(max_length=7, choices=Direction)
    direction_source = models.CharField(max_length=12, help_text="Where the direction is known from.")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                "leaderboard",
                MD5("name"),
                "position",
                name="archive_leaderboardmetric_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="archive_leaderboardmetric_direction_known", condition=Q(direction__in=Direction.values)
            ),
        )

    def __str__(self) -> str:
        return self.name


class ResultQuerySet(models.QuerySet["Result"]):
    """Questions about sets of rows."""

    def in_archive_order(self) -> ResultQuerySet:
        """The order of the snapshot; rows that it does not hold come last, by number. Never by value."""
        return self.order_by(models.F("position").asc(nulls_last=True), "number")


class Result(DetailBase):
    """One row of a leaderboard. `number` is its address for ever, `position` its place in the newest snapshot."""

    kind = kind_column(RecordKind.RESULT)
    leaderboard = models.ForeignKey(Leaderboard, on_delete=models.PROTECT, related_name="results", db_index=False)
    number = models.IntegerField(help_text="Given once, in archive order at first import; never reused.")
    position = models.IntegerField(null=True, help_text="1-based place in the newest snapshot; null if not in it.")
    model_name = models.TextField(null=True)
    paper_title = models.TextField(null=True, help_text="As printed in the row.")
    paper_url = models.TextField(null=True, help_text="As printed in the row: the paper's own address, not ours.")
    paper_date = models.DateField(null=True)
    paper_date_precision = models.CharField(max_length=4, choices=DatePrecision, blank=True)
    paper = models.ForeignKey(Paper, null=True, on_delete=models.PROTECT, related_name="results")
    paper_matched = models.CharField(max_length=7, choices=Matched, blank=True)
    code_links = models.JSONField(help_text="[{title, url}], as printed.")
    model_links = models.JSONField(help_text="[{title, url}], as printed.")
    uses_additional_data = models.BooleanField()

    objects = ResultQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="archive_result_number_once", fields=["leaderboard", "number"]),
            models.UniqueConstraint(
                name="archive_result_place_once",
                fields=["leaderboard", "position"],
                deferrable=models.Deferrable.DEFERRED,
            ),
            models.CheckConstraint(name="archive_result_number_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(name="archive_result_position_from_one", condition=Q(position__gte=1)),
            models.CheckConstraint(
                name="archive_result_says_how_matched",
                condition=Q(paper__isnull=True, paper_matched="")
                | Q(
                    paper__isnull=False, paper_matched__in=[Matched.URL, Matched.ARXIV, Matched.TITLE, Matched.DECISION]
                ),
            ),
            year_only_is_first_of_january("archive_result_date_has_precision", "paper_date", "paper_date_precision"),
        )
        indexes = (
            # What filters of papers ask, answered by the index alone.
            models.Index(name="archive_result_by_paper", fields=["paper"], include=["record", "leaderboard"]),
        )


class ResultMetric(models.Model):
    """A value in a row, verbatim, with the number parsed from it beside it where one can be told for certain."""

    pk = models.CompositePrimaryKey("result", "metric")
    result = models.ForeignKey(Result, on_delete=models.PROTECT, related_name="values", db_index=False)
    metric = models.ForeignKey(LeaderboardMetric, on_delete=models.PROTECT, related_name="values")
    value = models.TextField()
    number = models.FloatField(null=True)

    def __str__(self) -> str:
        return self.value
