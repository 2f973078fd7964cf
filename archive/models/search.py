"""What search looks things up in: tables derived from the archive's own, made and kept by `archive.search.indexing`.

Nothing in them is data: everything can be made again from the other tables. Only public records are in them.
"""

from __future__ import annotations

from django.contrib.postgres.search import SearchVectorField
from django.db import models

from archive.models.records import Record, RecordKind


class SearchDocument(models.Model):
    """A record's titles, names and authors as words. Rows lie in the order of popularity after a first import."""

    record = models.OneToOneField(
        Record, primary_key=True, on_delete=models.PROTECT, db_constraint=False, related_name="search_document"
    )
    kind = models.CharField(max_length=12, choices=RecordKind)
    revision = models.IntegerField(help_text="The record's revision that this was made of.")
    popularity = models.FloatField(help_text="ln(1 + n): n papers, rows or repositories, by kind; see `indexing`.")
    span = models.SmallIntegerField(help_text="Distinct words of the title.")
    words = SearchVectorField(help_text="Weight A: name or title; B: other names; C: authors as printed.")

    def __str__(self) -> str:
        return f"words of record {self.record_id}"


class SearchText(models.Model):
    """The words of a record's title, names and authors, and of the beginning of its text; no positions."""

    record = models.OneToOneField(
        Record, primary_key=True, on_delete=models.PROTECT, db_constraint=False, related_name="search_text"
    )
    kind = models.CharField(max_length=12, choices=RecordKind)
    popularity = models.FloatField(help_text="As in SearchDocument.")
    words = SearchVectorField()

    def __str__(self) -> str:
        return f"text of record {self.record_id}"


class NameRank(models.IntegerChoices):
    """What a name is to its record: the smaller, the nearer."""

    OWN = 0, "its name or title"
    OTHER = 1, "another name: full name, variant, synonym"
    ACRONYM = 2, "an acronym in its title or full name"


class SearchName(models.Model):
    """A name of a record as it is compared: case, accents, blanks and punctuation taken off, 120 characters."""

    pk = models.CompositePrimaryKey("record", "key")
    record = models.ForeignKey(
        Record, on_delete=models.PROTECT, db_constraint=False, db_index=False, related_name="search_names"
    )
    key = models.CharField(max_length=120, db_collation="C")
    kind = models.CharField(max_length=12, choices=RecordKind)
    rank = models.SmallIntegerField(choices=NameRank)
    popularity = models.FloatField(help_text="As in SearchDocument.")

    class Meta:
        indexes = (
            models.Index(name="archive_searchname_key", fields=["key"]),
            models.Index(name="archive_searchname_short", fields=["key"], condition=~models.Q(kind=RecordKind.PAPER)),
        )

    def __str__(self) -> str:
        return f"{self.key} of record {self.record_id}"


class SearchWord(models.Model):
    """A word of titles and names, by which mistyped words are mended and beginnings of words completed."""

    word = models.CharField(max_length=60, primary_key=True, db_collation="C")
    frequency = models.IntegerField(help_text="Records with it in title or names when the list was last made anew.")

    def __str__(self) -> str:
        return self.word
