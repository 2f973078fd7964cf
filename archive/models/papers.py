"""Papers, their author lists, and the tasks and methods printed with them."""

from __future__ import annotations

from django.db import models
from django.db.models import F
from django.db.models.functions import MD5

from archive.models.methods import PrintedMethod
from archive.models.records import (
    DatePrecision,
    DetailBase,
    RecordKind,
    kind_column,
    year_only_is_first_of_january,
)
from archive.models.tasks import TaskName
from archive.models.vocabularies import Author, Proceeding


class Paper(DetailBase):
    """A paper as the archive describes it. Text is verbatim; null says that the archive gives nothing."""

    kind = kind_column(RecordKind.PAPER)
    title = models.TextField(null=True)
    abstract = models.TextField(null=True)
    short_abstract = models.TextField(null=True)
    arxiv_id = models.TextField(null=True, help_text="Without version.")
    nips_id = models.TextField(null=True)
    openreview_id = models.TextField(null=True)
    url_abs = models.TextField(null=True)
    url_pdf = models.TextField(null=True)
    proceeding = models.ForeignKey(Proceeding, null=True, on_delete=models.PROTECT, related_name="papers")
    date = models.DateField(null=True)
    date_precision = models.CharField(max_length=4, choices=DatePrecision, blank=True)
    conference_url_abs = models.TextField(null=True)
    conference_url_pdf = models.TextField(null=True)
    conference = models.TextField(null=True, help_text="A slug of the conference version of the paper.")
    reproduces_paper = models.TextField(null=True)

    class Meta:
        constraints = (year_only_is_first_of_january("archive_paper_date_has_precision", "date", "date_precision"),)
        indexes = (
            models.Index(name="archive_paper_newest", fields=["-date", "record"]),
            # The order of lists, in which undated papers come last.
            models.Index(F("date").desc(nulls_last=True), "record", name="archive_paper_by_date"),
            # Digests, not the text itself: addresses and titles may be longer than an index entry can be.
            models.Index(MD5("url_abs"), name="archive_paper_by_url"),
            models.Index(MD5("arxiv_id"), name="archive_paper_by_arxiv_id"),
        )


class Authorship(models.Model):
    """A name in a paper's author list, in the order printed."""

    pk = models.CompositePrimaryKey("paper", "position")
    paper = models.ForeignKey(Paper, on_delete=models.PROTECT, related_name="authorships", db_index=False)
    position = models.SmallIntegerField()
    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="authorships", db_index=False)

    class Meta:
        indexes = (models.Index(name="archive_authorship_of_author", fields=["author", "paper"]),)

    def __str__(self) -> str:
        return f"{self.paper_id}: author {self.author_id}"


class PaperTask(models.Model):
    """A task named by a paper, in the order printed."""

    pk = models.CompositePrimaryKey("paper", "position")
    paper = models.ForeignKey(Paper, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    position = models.SmallIntegerField()
    name = models.ForeignKey(TaskName, on_delete=models.PROTECT, related_name="papers", db_index=False)

    class Meta:
        indexes = (models.Index(name="archive_papertask_of_name", fields=["name", "paper"]),)

    def __str__(self) -> str:
        return f"{self.paper_id}: task name {self.name_id}"


class PaperMethod(models.Model):
    """A method that the archive says a paper uses, as the paper's record prints it."""

    pk = models.CompositePrimaryKey("paper", "position")
    paper = models.ForeignKey(Paper, on_delete=models.PROTECT, related_name="methods", db_index=False)
    position = models.SmallIntegerField()
    printed = models.ForeignKey(PrintedMethod, on_delete=models.PROTECT, related_name="papers", db_index=False)

    class Meta:
        indexes = (models.Index(name="archive_papermethod_of_method", fields=["printed", "paper"]),)

    def __str__(self) -> str:
        return f"{self.paper_id}: printed method {self.printed_id}"
