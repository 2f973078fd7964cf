"""Repositories and the links between papers and code."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5

from archive.models.papers import Paper
from archive.models.records import DetailBase, RecordKind, kind_column
from archive.models.vocabularies import Framework


class Repository(models.Model):
    """A repository under its normalised address; near-duplicate spellings of the address share one."""

    url = models.TextField(help_text="Normalised: https, lower-case host and path, no trailing slash, no .git.")
    host = models.TextField()
    owner = models.TextField(null=True)
    name = models.TextField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(MD5("url"), name="archive_repository_once"),)

    def __str__(self) -> str:
        return self.url


class CodeLink(DetailBase):
    """A link between a paper and a repository, with the archive's own flags, which are frozen."""

    kind = kind_column(RecordKind.CODE)
    paper = models.ForeignKey(Paper, null=True, on_delete=models.PROTECT, related_name="code_links", db_index=False)
    number = models.IntegerField(help_text="Given once within the paper, in archive order; never reused.")
    repository = models.ForeignKey(Repository, null=True, on_delete=models.PROTECT, related_name="code_links")
    paper_url = models.TextField(null=True)
    paper_title = models.TextField(null=True)
    paper_arxiv_id = models.TextField(null=True)
    paper_url_abs = models.TextField(null=True)
    paper_url_pdf = models.TextField(null=True)
    repo_url = models.TextField(null=True, help_text="As printed.")
    is_official = models.BooleanField(null=True)
    mentioned_in_paper = models.BooleanField(null=True)
    mentioned_in_github = models.BooleanField(null=True)
    framework = models.ForeignKey(Framework, null=True, on_delete=models.PROTECT, related_name="code_links")

    class Meta:
        constraints = (models.CheckConstraint(name="archive_codelink_number_from_one", condition=Q(number__gte=1)),)
        indexes = (
            models.Index(name="archive_codelink_of_paper", fields=["paper", "number"]),
            # What filters of papers ask, answered by the index alone.
            models.Index(name="archive_codelink_by_paper", fields=["paper"], include=["record", "framework"]),
            models.Index(name="archive_codelink_by_framework", fields=["framework", "paper"], include=["record"]),
        )
