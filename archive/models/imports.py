"""What was imported, when, from which files; and the dump records that could not be read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now

models.BinaryField.register_lookup(Length)


class ImportRunQuerySet(models.QuerySet["ImportRun"]):
    """Questions about sets of import runs."""

    def newest(self) -> ImportRun | None:
        """The run that made the archive what it is, or None while it is empty. One query."""
        return self.order_by("-id").first()


class ImportRun(models.Model):
    """One import. The guard on the archive's tables asks for this row in the very transaction that writes them.

    Beside these columns the table has `xid xid8 DEFAULT pg_current_xact_id()`, which only the database fills.
    """

    archive = models.CharField(max_length=60, help_text="Name of the archive, such as pwc-archive.")
    title = models.CharField(max_length=120, help_text="How pages name the source.")
    licence = models.CharField(max_length=60)
    snapshot = models.DateField(help_text="The day on which the archive was frozen.")
    at = models.DateTimeField(db_default=Now())
    summary = models.JSONField(default=dict, help_text="Counts by kind: added, changed, unchanged, dropped.")

    objects = ImportRunQuerySet.as_manager()

    class Meta:
        constraints = (models.CheckConstraint(name="archive_importrun_is_named", condition=~Q(archive="")),)

    def __str__(self) -> str:
        return f"{self.archive} {self.snapshot:%Y-%m-%d}"


class ImportedFile(models.Model):
    """One dump of a run: the files it came in, their digests, and the day they were retrieved."""

    run = models.ForeignKey(ImportRun, on_delete=models.PROTECT, related_name="files")
    dump = models.CharField(max_length=8)
    names = models.JSONField(help_text="File names, in order; Parquet comes in shards.")
    sha256 = models.JSONField(help_text="Hexadecimal sha256 of each file, in the order of names.")
    size = models.BigIntegerField(help_text="Bytes of all files together.")
    records = models.IntegerField(help_text="Records in the dump, unreadable ones included.")
    retrieved = models.DateField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="archive_importedfile_once_a_run", fields=["run", "dump"]),
            models.CheckConstraint(name="archive_importedfile_counts", condition=Q(records__gte=0) & Q(size__gte=0)),
        )

    def __str__(self) -> str:
        return f"{self.dump} of run {self.run_id}"


class UnreadableRecord(models.Model):
    """A dump record that no parser can take (a NUL, a lone surrogate, broken JSON): kept as its very bytes."""

    dump = models.CharField(max_length=8)
    ordinal = models.IntegerField(help_text="0-based position in the dump.")
    source = models.BinaryField(help_text="The bytes as they stood in the dump.")
    digest = models.BinaryField(max_length=32, help_text="sha256 of the bytes.")
    problem = models.CharField(max_length=200, help_text="Why it could not be read.")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="archive_unreadable_once", fields=["dump", "ordinal", "digest"]),
            models.CheckConstraint(name="archive_unreadable_says_why", condition=~Q(problem="")),
        )

    def __str__(self) -> str:
        return f"{self.dump}[{self.ordinal}]: {self.problem}"
