"""All tasks: the areas, each with the tasks that have most leaderboards, and the tree from its top-level tasks on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from archive.models import Area, Leaderboard, Task, TaskArea, TaskNode
from archive.pages.base import Crumb, Page, Provenance, described, documented, public
from archive.pages.task_lists import Place, stretch

AREAS_SHOWN = 60
TOP_TASKS = 5
TREES_ON_A_PAGE = 50
DEEPEST = 8
LARGEST = 150
"""Tasks that are shown below one top-level task."""


@documented
class TopTask:
    """A task with many leaderboards. That is no statement that it matters more than others."""

    name: str = described("The task's name.")
    url: str = described("Address on this site of the task.")
    leaderboards: int = described("Number of its own leaderboards, without those of its subtasks.")


@documented
class AreaOfTasks:
    """An area, with the tasks that have most leaderboards."""

    name: str = described("As printed.")
    url: str = described("Address on this site of the area.")
    tasks: int = described("Number of tasks that the archive puts in it: top-level ones, as a rule.")
    top_tasks: Sequence[TopTask] = described("The 5 of them with most leaderboards of their own, if any.")


@documented
class TaskInTree:
    """A task at one place of the tree. The archive prints some tasks at several places; cycles it has cut itself."""

    name: str = described("The task's name, as printed at this place; empty if it has none.")
    url: str = described("Address on this site of the task.")
    leaderboards: int = described("Number of its own leaderboards, without those of its subtasks.")
    subtasks: Sequence[TaskInTree] = described("The tasks printed below it here, in the order printed.")
    not_shown: int = described("How many tasks printed below it here are left out, because the tree is too large.")


@documented
class TasksPage(Page):
    """`/tasks`: the areas, and the tree of tasks by name, 50 top-level tasks on a page."""

    section = "/tasks"

    areas: Sequence[AreaOfTasks] = described("The areas by name; at most 60.")
    tree: Sequence[TaskInTree] = described("Top-level tasks by name, with what is printed below them.")
    previous_url: str | None = described("Address of the page before; null on the first.")
    next_url: str | None = described("Address of the page after; null on the last.")

    @property
    def heading(self) -> str:
        """What it lists."""
        return "Tasks"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """None: it is a section."""
        return ()

    @property
    def is_first(self) -> bool:
        """Whether it is the first page of the list, which shows the areas."""
        return self.previous_url is None


def build(after: str | None = None, before: str | None = None) -> TasksPage:
    """The page after or before a task, named by its slug; the first where there is none. At most 7 queries."""
    place = Place.of(after, before)
    provenance = Provenance.current()
    tops = Task.objects.filter(pk__in=TaskNode.objects.filter(parent=None).values("name__task"))
    shown = stretch(tops, "/tasks", place, TREES_ON_A_PAGE)
    return TasksPage(
        url=f"/tasks{place.parameter if place else ''}",
        source=provenance.source,
        provenance=provenance,
        areas=_areas(),
        tree=_trees([task.pk for task in shown.tasks]),
        previous_url=shown.previous_url,
        next_url=shown.next_url,
    )


def _areas() -> list[AreaOfTasks]:
    """Two queries."""
    tasks = Count("tasks__task", filter=public("tasks__task__record__"), distinct=True)
    areas: list[Any] = list(Area.objects.annotate(task_count=tasks).filter(task_count__gt=0).by_name()[:AREAS_SHOWN])
    top: dict[int, dict[str, TopTask]] = {area.pk: {} for area in areas}
    for area, name, key, leaderboards in _top_tasks(list(top)):
        top[area][key] = TopTask(name=name, url=f"/{key}", leaderboards=leaderboards)
    return [
        AreaOfTasks(
            name=area.name, url=f"/area/{area.slug}", tasks=area.task_count, top_tasks=list(top[area.pk].values())
        )
        for area in areas
    ]


def _top_tasks(areas: Sequence[int]) -> QuerySet[TaskArea, tuple[int, str, str, int]]:
    """By area: its tasks with most leaderboards of their own, those without any left out."""
    boards = Leaderboard.objects.filter(public(), task=OuterRef("task")).order_by().values("task")
    first = Window(
        RowNumber(), partition_by=F("area"), order_by=[F("board_count").desc(), F("task__record__sort_key").asc()]
    )
    return (
        TaskArea.objects.filter(public("task__record__"), area__in=areas)
        .annotate(board_count=Subquery(boards.annotate(n=Count("pk")).values("n")))
        .filter(board_count__gt=0)
        .annotate(first=first)
        .filter(first__lte=TOP_TASKS)
        .order_by("area", "first")
        .values_list("area", "task__name", "task__record__key", "board_count")
    )


class _Node(NamedTuple):
    """An occurrence of a public task in the tree."""

    id: int
    parent: int | None
    task: int
    name: str
    key: str


def _trees(tasks: Sequence[int]) -> list[TaskInTree]:
    """The trees of top-level tasks, in their order. Two queries, none for no tasks.

    A task that stands at top level more than once is one tree with what is below any of them.
    """
    if not tasks:
        return []
    below: dict[int | None, list[_Node]] = {}
    nodes = [_Node(*values) for values in _nodes(tasks)]
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    counts = dict(
        Leaderboard.objects.filter(public(), task__in={node.task for node in nodes})
        .order_by()
        .values_list("task")
        .annotate(n=Count("pk"))
    )
    tops: dict[int, list[_Node]] = {task: [] for task in tasks}
    for node in below.get(None, ()):
        tops[node.task].append(node)
    return [_Tree(below, counts).of(occurrences, 1) for occurrences in tops.values()]


def _nodes(tasks: Sequence[int]) -> QuerySet[TaskNode, Any]:
    """The occurrences of public tasks in these trees, siblings in the order printed."""
    within = Q(parent=None, name__task__in=tasks) | Q(root__name__task__in=tasks)
    found = TaskNode.objects.filter(within, public("name__task__record__")).order_by("parent", "position", "id")
    return found.values_list("id", "parent", "name__task", "name__name", "name__task__record__key")


class _Tree:
    """One top-level task's tree, cut where it is too deep or too large."""

    def __init__(self, below: Mapping[int | None, Sequence[_Node]], counts: Mapping[int, int]) -> None:
        self._below, self._counts, self._left = below, counts, LARGEST

    def of(self, occurrences: Sequence[_Node], depth: int) -> TaskInTree:
        """The tree of a task that stands at these nodes beside each other."""
        first = occurrences[0]
        children: dict[int, list[_Node]] = {}
        for node in occurrences:
            for child in self._below.get(node.id, ()):
                children.setdefault(child.task, []).append(child)
        shown = []
        for nodes in children.values():
            if depth < DEEPEST and self._left > 0:
                self._left -= 1
                shown.append(self.of(nodes, depth + 1))
        return TaskInTree(
            name=first.name,
            url=f"/{first.key}",
            leaderboards=self._counts.get(first.task, 0),
            subtasks=shown,
            not_shown=len(children) - len(shown),
        )
