"""Methods, their collections, and the copies of methods that papers carry."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from archive.models.records import DetailBase, RecordKind, kind_column


class Method(DetailBase):
    """A method, such as Softmax. The year 2000 is the archive's placeholder for "unknown" and is kept as printed."""

    kind = kind_column(RecordKind.METHOD)
    name = models.TextField(null=True)
    full_name = models.TextField(null=True)
    description = models.TextField(null=True)
    paper_title = models.TextField(null=True, help_text="Title of the paper that introduced it, as printed here.")
    paper_url = models.TextField(null=True, help_text="Address of that paper, as printed here.")
    introduced_by = models.ForeignKey(
        "archive.Paper", null=True, on_delete=models.PROTECT, related_name="introduced_methods"
    )
    introduced_year = models.IntegerField(null=True)
    source_url = models.TextField(null=True)
    source_title = models.TextField(null=True)
    code_snippet_url = models.TextField(null=True)
    num_papers = models.IntegerField(null=True, help_text="The archive's own count; no list stands behind it.")

    PLACEHOLDER_YEAR = 2000

    @property
    def known_year(self) -> int | None:
        """The year of introduction, or None where the archive gives none or its placeholder. No query."""
        return None if self.introduced_year == self.PLACEHOLDER_YEAR else self.introduced_year


class Collection(models.Model):
    """A group of methods, such as Output Functions, in one of the methods' own areas."""

    name = models.TextField()
    area_id = models.TextField(help_text="The area's slug in the archive; may be empty.")
    area = models.TextField(help_text="The area's name; may be empty.")
    slug = models.CharField(max_length=80, unique=True, db_collation="C")
    sort_key = models.CharField(max_length=100, db_collation="C")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="archive_collection_once", fields=["name", "area_id", "area"]),
            models.CheckConstraint(name="archive_collection_has_a_slug", condition=~Q(slug="")),
        )

    def __str__(self) -> str:
        return self.name


class CollectionMembership(models.Model):
    """A method's place in a collection, in the order printed in the method's record."""

    pk = models.CompositePrimaryKey("method", "position")
    method = models.ForeignKey(Method, on_delete=models.PROTECT, related_name="collections", db_index=False)
    position = models.SmallIntegerField()
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="members")

    def __str__(self) -> str:
        return f"{self.method_id}: collection {self.collection_id}"


class PrintedMethod(models.Model):
    """A copy of a method as papers' records print it, stored once however many papers carry it.

    Such a copy names no address; `method` is the record it was matched with, by full name and then by name.
    """

    digest = models.BinaryField(max_length=32, unique=True, help_text="sha256 of the canonical form.")
    content = models.TextField(help_text="The copy, as canonical JSON.")
    name = models.TextField(null=True)
    full_name = models.TextField(null=True)
    method = models.ForeignKey(Method, null=True, on_delete=models.PROTECT, related_name="printed_copies")

    def __str__(self) -> str:
        return self.name or self.full_name or f"printed method {self.pk}"
