"""Tasks in lists: what is counted of each, and pages of them by name, that run from one task to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from archive.models import Leaderboard, PaperTask, Record, RecordKind, Task, TaskNode
from archive.pages.base import described, documented, public

PAPERS_COUNTED = "Papers that are set aside are counted too, though not listed."


@documented
class CountedTask:
    """A task in a list, with what the archive has of it."""

    name: str = described("The task's name; empty if the archive's task has none.")
    url: str = described("Address on this site of the task.")
    leaderboards: int = described("Number of its own leaderboards, without those of its subtasks.")
    subtasks: int = described("Number of tasks printed directly below it anywhere in the tree.")
    papers: int | None = described(f"Number of papers that name it; null where they are not counted. {PAPERS_COUNTED}")


@dataclass(frozen=True)
class Place:
    """Where a page of a list begins or ends: at a task, in the order of names."""

    sort_key: str
    record: int
    slug: str
    backwards: bool
    """Whether the page ends before the task, rather than beginning after it."""

    @classmethod
    def of(cls, after: str | None, before: str | None) -> Place | None:
        """The place that an address names; None if it names none, or no task. One query if it names any."""
        slug = after or before
        if not slug:
            return None
        found = Record.objects.filter(kind=RecordKind.TASK, key=f"task/{slug}").values_list("sort_key", "id")
        return next((cls(sort_key, record, slug, backwards=not after) for sort_key, record in found), None)

    @property
    def parameter(self) -> str:
        """The place as an address says it."""
        return f"?{'before' if self.backwards else 'after'}={self.slug}"


@dataclass(frozen=True)
class Stretch:
    """One page of a list of tasks, and the addresses of its neighbours."""

    tasks: Sequence[Any]
    previous_url: str | None
    next_url: str | None


def stretch(tasks: QuerySet[Any], url: str, place: Place | None, most: int) -> Stretch:
    """The public ones of these tasks by name, at most `most` from a place on; `url` is the list's address. One query.

    Tasks come with their record.
    """
    tasks = tasks.filter(public()).select_related("record")
    order = ("record__sort_key", "record_id")
    if place and place.backwards:
        earlier = Q(record__sort_key=place.sort_key, record_id__lt=place.record)
        tasks = tasks.filter(Q(record__sort_key__lt=place.sort_key) | earlier).order_by(*(f"-{by}" for by in order))
    elif place:
        later = Q(record__sort_key=place.sort_key, record_id__gt=place.record)
        tasks = tasks.filter(Q(record__sort_key__gt=place.sort_key) | later).order_by(*order)
    else:
        tasks = tasks.order_by(*order)
    found = list(tasks[: most + 1])
    more, found = len(found) > most, found[:most]
    if place and place.backwards:
        found.reverse()
    if not found:
        return Stretch([], None, None)
    has_next = place.backwards if place and place.backwards else more
    has_previous = more if place and place.backwards else place is not None
    return Stretch(
        tasks=found,
        previous_url=f"{url}?before={found[0].record.slug}" if has_previous else None,
        next_url=f"{url}?after={found[-1].record.slug}" if has_next else None,
    )


def with_counts(tasks: QuerySet[Task], *, papers: bool) -> QuerySet[Any]:
    """These tasks with `board_count` and `subtask_count`, and `paper_count` if asked for: subqueries by index."""
    boards = Leaderboard.objects.filter(public(), task=OuterRef("pk")).order_by()
    below = TaskNode.objects.filter(parent__name__task=OuterRef("pk")).order_by()
    tasks = tasks.annotate(
        board_count=_count(boards.values("task").annotate(n=Count("pk"))),
        subtask_count=_count(below.values("parent__name__task").annotate(n=Count("name__task", distinct=True))),
    )
    if papers:
        naming = PaperTask.objects.filter(name__task=OuterRef("pk")).order_by()
        return tasks.annotate(
            paper_count=_count(naming.values("name__task").annotate(n=Count("paper_id", distinct=True)))
        )
    return tasks


def _count(counted: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(counted.values("n")), 0, output_field=IntegerField())


def counted(task: Any) -> CountedTask:
    """A task of `with_counts`, its record at hand. No query."""
    return CountedTask(
        name=task.name,
        url=task.record.path,
        leaderboards=task.board_count,
        subtasks=task.subtask_count,
        papers=getattr(task, "paper_count", None),
    )
