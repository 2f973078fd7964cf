"""Tasks, the names they are printed under, and the tree of the evaluation tables as it was nested in the dump."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5

from archive.models.records import DetailBase, RecordKind, kind_column
from archive.models.vocabularies import Area


class Task(DetailBase):
    """A task, such as Visual Dialog: its own fields, without its place in the tree."""

    kind = kind_column(RecordKind.TASK)
    name = models.TextField()
    description = models.TextField(null=True)
    source_title = models.TextField(null=True, help_text="Title of the task's source link.")
    source_url = models.TextField(null=True)


class TaskName(models.Model):
    """A name under which a task is printed somewhere in the dumps. Papers know tasks by name only."""

    name = models.TextField()
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="names")

    class Meta:
        constraints = (models.UniqueConstraint(MD5("name"), name="archive_taskname_once"),)

    def __str__(self) -> str:
        return self.name


class TaskArea(models.Model):
    """A category of a task, in the order printed."""

    pk = models.CompositePrimaryKey("task", "position")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="areas", db_index=False)
    position = models.SmallIntegerField()
    area = models.ForeignKey(Area, on_delete=models.PROTECT, related_name="tasks")

    def __str__(self) -> str:
        return f"{self.task_id}: area {self.area_id}"


class TaskSynonym(models.Model):
    """Another name that the archive gives for a task, in the order printed."""

    pk = models.CompositePrimaryKey("task", "position")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="synonyms", db_index=False)
    position = models.SmallIntegerField()
    name = models.TextField()

    def __str__(self) -> str:
        return self.name


class TaskNode(models.Model):
    """One occurrence of a task in the tree of the evaluation tables. The nesting, repeats included, is data.

    The task graph has cycles and several parents; this table is a forest, so walking down from a root always ends.
    """

    id = models.BigAutoField(primary_key=True)
    name = models.ForeignKey(TaskName, on_delete=models.PROTECT, related_name="nodes")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    root = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="descendants")
    position = models.IntegerField(help_text="Place among its siblings; of a root, its ordinal in the dump.")
    digest = models.BinaryField(
        max_length=32,
        null=True,
        help_text="Of a root: sha256 of the whole top-level record's canonical form.",
    )
    extra = models.TextField(blank=True, help_text="How this occurrence's own fields differ from the task's.")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="archive_tasknode_place_once", fields=["parent", "position"]),
            models.CheckConstraint(
                name="archive_tasknode_root_has_the_digest",
                condition=Q(parent__isnull=True, root__isnull=True, digest__isnull=False)
                | Q(parent__isnull=False, root__isnull=False, digest__isnull=True),
            ),
        )

    def __str__(self) -> str:
        return f"node {self.pk} at {self.position}"


class TaskTable(models.Model):
    """One occurrence of a leaderboard in the tree: under a node, or under another table (a subdataset)."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(TaskNode, on_delete=models.PROTECT, related_name="tables")
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="children")
    position = models.IntegerField(help_text="Place among the tables of its node, or of its parent table.")
    leaderboard = models.ForeignKey("archive.Leaderboard", on_delete=models.PROTECT, related_name="occurrences")
    rows = ArrayField(
        models.BigIntegerField(),
        null=True,
        help_text="The rows printed here, if not the leaderboard's own list.",
    )
    extra = models.TextField(blank=True, help_text="How this occurrence differs from the leaderboard's own fields.")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="archive_tasktable_place_once",
                fields=["node", "parent", "position"],
                nulls_distinct=False,
            ),
        )

    def __str__(self) -> str:
        return f"table {self.pk} at {self.position}"
