"""Names that many records share, each stored once as printed: authors, areas, modalities, languages and so on."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import MD5


class TermQuerySet(models.QuerySet["Term"]):
    """Questions about sets of terms."""

    def by_name(self) -> TermQuerySet:
        """In the order of the normalised name."""
        return self.order_by("sort_key", "id")


class Term(models.Model):
    """A printed name with an address. Two spellings are two terms: nothing here guesses that they mean the same."""

    name = models.TextField(help_text="As printed.")
    slug = models.CharField(max_length=80, unique=True, db_collation="C")
    sort_key = models.CharField(max_length=100, db_collation="C")

    objects = TermQuerySet.as_manager()

    class Meta:
        abstract = True
        constraints = (
            # By digest, since vandalised names can be longer than an index entry may be.
            models.UniqueConstraint(MD5("name"), name="archive_%(class)s_name_once"),
            models.CheckConstraint(name="archive_%(class)s_has_a_slug", condition=~models.Q(slug="")),
        )
        indexes = (models.Index(name="archive_%(class)s_sorted", fields=["sort_key", "id"]),)

    def __str__(self) -> str:
        return self.name


class Author(Term):
    """A name printed in an author list. A name is not a person: namesakes share it, and one person may have several."""


class Area(Term):
    """A category of tasks, such as Computer Vision."""


class Modality(Term):
    """What kind of data a dataset holds, such as Texts."""


class Language(Term):
    """A human language of a dataset."""


class Framework(Term):
    """The framework that the archive names for a repository: pytorch, tf, none, and so on."""


class Proceeding(Term):
    """Where a paper appeared, as the archive prints it: "NeurIPS 2018 12"."""
