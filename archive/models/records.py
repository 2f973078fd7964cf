"""The spine: everything with an address is a Record; each kind's own table shares its primary key."""

from __future__ import annotations

from django.db import connection, models
from django.db.models import Q, Value
from django.db.models.functions import Now


class RecordKind(models.TextChoices):
    """The closed list of things that have an address of their own and can be reported and corrected."""

    PAPER = "paper"
    DATASET = "dataset"
    TASK = "task"
    METHOD = "method"
    LEADERBOARD = "leaderboard"
    RESULT = "result"
    CODE = "code"


# What each kind's key, which is its path, looks like. One segment is anything but a slash: slugs are data.
KEY_PATTERNS = {
    RecordKind.PAPER: r"^paper/[^/]+$",
    RecordKind.DATASET: r"^dataset/[^/]+$",
    RecordKind.TASK: r"^task/[^/]+$",
    RecordKind.METHOD: r"^method/[^/]+$",
    RecordKind.LEADERBOARD: r"^sota/[^/]+$",
    RecordKind.RESULT: r"^sota/[^/]+/row/[1-9][0-9]*$",
    RecordKind.CODE: r"^paper/[^/]+/code/[1-9][0-9]*$",
}


class DatePrecision(models.TextChoices):
    """How much of a stored date is known; a year alone is stored as its first of January."""

    DAY = "day"
    YEAR = "year"


class RecordQuerySet(models.QuerySet["Record"]):
    """Questions about sets of records."""

    def public(self) -> RecordQuerySet:
        """Those that lists, search, feeds and the sitemap may show: not quarantined, withdrawn or merged away."""
        return self.filter(quarantined="", withdrawn=False, merged_into=None)

    def quarantined(self) -> RecordQuerySet:
        """Those that an import's rules set aside, in archive order."""
        return self.exclude(quarantined="").order_by("kind", "ordinal", "id")


class Record(models.Model):
    """One addressable thing of the archive: its public key, its name, and where in the dumps it came from.

    Written by importers. The key is given once, is the record's path, and never changes or is reused.
    """

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=12, choices=RecordKind)
    key = models.CharField(max_length=260, unique=True, db_collation="C")
    name = models.TextField(help_text="The name shown, verbatim.")
    sort_key = models.CharField(
        max_length=100,
        db_collation="C",
        help_text="The name normalised for sorting, the same on every server.",
    )
    identity = models.BinaryField(
        max_length=16,
        help_text="16-byte digest of what the dump knows the record by; a re-import finds it so.",
    )
    dump = models.CharField(max_length=8, help_text="The dump that gave the record.")
    ordinal = models.IntegerField(help_text="0-based position of the record, or of its top-level task, there.")
    digest = models.BinaryField(
        max_length=32, null=True, help_text="sha256 of the record's canonical form; null if only mentioned."
    )
    extra = models.TextField(
        blank=True,
        help_text="Canonical JSON of what the columns do not say of the dump record; '' if nothing.",
    )
    revision = models.IntegerField(default=0, help_text="Counts the changes of this record after its first import.")
    quarantined = models.CharField(
        max_length=60, blank=True, help_text="The rule that set the record aside; '' if none."
    )
    dropped_in = models.DateField(null=True, help_text="The first snapshot that no longer holds the record.")
    withdrawn = models.BooleanField(default=False, help_text="Withdrawn by a decision: its page is a tombstone.")
    merged_into = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="merged", help_text="The record that took its place."
    )

    objects = RecordQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="archive_record_kind_is_known", condition=Q(kind__in=RecordKind.values)),
            models.CheckConstraint(
                name="archive_record_key_is_the_path_of_its_kind",
                condition=Q(
                    *(Q(kind=kind, key__regex=pattern) for kind, pattern in KEY_PATTERNS.items()),
                    _connector=Q.OR,
                ),
            ),
            models.CheckConstraint(name="archive_record_ordinal_not_negative", condition=Q(ordinal__gte=0)),
            models.CheckConstraint(
                name="archive_record_not_merged_into_itself", condition=~Q(merged_into=models.F("id"))
            ),
            models.CheckConstraint(name="archive_record_revision_not_negative", condition=Q(revision__gte=0)),
            # Target of the composite foreign keys that hold each detail row to a record of its kind.
            models.UniqueConstraint(name="archive_record_id_and_kind", fields=["id", "kind"]),
            models.UniqueConstraint(name="archive_record_identity_once", fields=["identity"]),
        )
        indexes = (
            models.Index(name="archive_record_by_name", fields=["kind", "sort_key", "id"]),
            models.Index(name="archive_record_in_order", fields=["kind", "ordinal", "id"]),
            models.Index(name="archive_record_set_aside", fields=["kind", "ordinal"], condition=~Q(quarantined="")),
            # Few: lists leave them out by this instead of looking at each record for being public.
            models.Index(
                name="archive_record_hidden",
                fields=["kind", "id"],
                condition=~Q(quarantined="", withdrawn=False, merged_into=None),
            ),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def path(self) -> str:
        """The record's address on this site, with its leading slash."""
        return "/" + self.key

    @property
    def slug(self) -> str:
        """The last segment of the key."""
        return self.key.rsplit("/", 1)[1]


def kind_column(kind: RecordKind) -> models.GeneratedField:
    """A constant column; with record_id it makes the composite foreign key to (Record.id, Record.kind)."""
    return models.GeneratedField(
        expression=Value(str(kind)), output_field=models.CharField(max_length=12), db_persist=True
    )


class DetailBase(models.Model):
    """A kind's own table: it shares the Record's primary key.

    The foreign key itself is the composite one of the guard migration, which also holds the kind.
    """

    record = models.OneToOneField(
        Record, primary_key=True, on_delete=models.PROTECT, db_constraint=False, related_name="%(class)s"
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}"


def year_only_is_first_of_january(name: str, date: str, precision: str) -> models.CheckConstraint:
    """A named constraint: a date and its precision go together, and a bare year is stored as -01-01."""
    return models.CheckConstraint(
        name=name,
        condition=(
            Q(**{f"{date}__isnull": True, precision: ""})
            | Q(**{f"{date}__isnull": False, precision: DatePrecision.DAY})
            | Q(**{f"{date}__isnull": False, f"{date}__month": 1, f"{date}__day": 1, precision: DatePrecision.YEAR})
        ),
    )


class Base(models.Model):
    """The newest snapshot's value of a cell that a decision has changed. Written when a cell is first corrected and by
    every import after; undoing to the snapshot gives this value, and the snapshot's export prints it."""

    pk = models.CompositePrimaryKey("record", "field")
    record = models.ForeignKey(Record, on_delete=models.PROTECT, related_name="bases", db_index=False)
    field = models.CharField(max_length=200, help_text="The cell's name, as in the list of correctable fields.")
    value = models.JSONField(help_text="The snapshot's value; JSON null where the archive gives none.")
    sealed = models.BooleanField(default=False, help_text="The value is sealed, and null here.")

    def __str__(self) -> str:
        return f"{self.record_id}.{self.field}"


class SiteVersion(models.Model):
    """One row: the public version of the site, which everything that a cache holds is a function of.

    It moves with an import, a decision, and a change of an open report that is counted in public.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    version = models.BigIntegerField(default=1)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.CheckConstraint(name="archive_siteversion_is_one_row", condition=Q(id=1)),)

    def __str__(self) -> str:
        return str(self.version)

    @classmethod
    def bump(cls) -> None:
        """Move the version on, in the caller's transaction, which holds the row until it ends. One statement."""
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO archive_siteversion (id, version) VALUES (1, 1) ON CONFLICT (id) "
                "DO UPDATE SET version = archive_siteversion.version + 1, changed_at = now()"
            )
