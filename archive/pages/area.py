"""An area: its tasks by name, and those that most papers name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.db.models import F

from archive.models import Area, Task, TaskArea
from archive.pages.base import Crumb, Page, Provenance, described, documented, public
from archive.pages.task_lists import PAPERS_COUNTED, CountedTask, Place, counted, stretch, with_counts

TASKS_ON_A_PAGE = 200
MOST_NAMED = 12


@documented
class TasksOfLetter:
    """Tasks whose names begin alike."""

    letter: str = described("The first letter of their names as they are sorted, 0–9 for digits, # for the rest.")
    tasks: Sequence[CountedTask] = described("The tasks by name.")


@documented
class AreaPage(Page):
    """`/area/<slug>`: one area, 200 tasks on a page."""

    section = "/tasks"

    name: str = described("The area's name, as printed.")
    total: int = described("Number of tasks that the archive puts in it: top-level ones, as a rule.")
    most_named: Sequence[CountedTask] = described("The 12 tasks of the area that most papers name, on every page.")
    letters: Sequence[TasksOfLetter] = described("Its tasks by name, those of this page.")
    previous_url: str | None = described("Address of the page before; null on the first.")
    next_url: str | None = described("Address of the page after; null on the last.")
    papers_note: str = described("What is counted as a paper.", default=PAPERS_COUNTED)

    @property
    def heading(self) -> str:
        """The area's name."""
        return self.name

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Tasks, then this area."""
        return (Crumb(name="Tasks", url="/tasks"),)

    @property
    def is_first(self) -> bool:
        """Whether it is the first page of the list, which shows the tasks that most papers name."""
        return self.previous_url is None


def build(area: Area, after: str | None = None, before: str | None = None) -> AreaPage:
    """The page after or before a task, named by its slug; the first where there is none. At most 5 queries."""
    url = f"/area/{area.slug}"
    place = Place.of(after, before)
    provenance = Provenance.current()
    tasks = Task.objects.filter(pk__in=TaskArea.objects.filter(area=area).values("task"))
    within = with_counts(tasks, papers=True)
    shown = stretch(within, url, place, TASKS_ON_A_PAGE)
    most = within.filter(public(), paper_count__gt=0).select_related("record")
    return AreaPage(
        url=f"{url}{place.parameter if place else ''}",
        source=provenance.source,
        provenance=provenance,
        name=area.name,
        total=tasks.filter(public()).count(),
        most_named=[
            counted(task)
            for task in most.order_by(F("paper_count").desc(), "record__sort_key", "record_id")[:MOST_NAMED]
        ],
        letters=[
            TasksOfLetter(letter=letter, tasks=[counted(task) for task in tasks])
            for letter, tasks in groupby(shown.tasks, key=_letter)
        ],
        previous_url=shown.previous_url,
        next_url=shown.next_url,
    )


def _letter(task: Any) -> str:
    first = task.record.sort_key[:1]
    if first.isdigit():
        return "0–9"
    return str(first.upper()) if first.isalpha() else "#"
