"""The tasks of one import, whatever names them: a dataset's link gives name and slug, all else gives the name only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from archive.importers.bulk import Ids
from archive.importers.slugs import Slugs, slug_of
from archive.models import Record, RecordKind, TaskName

if TYPE_CHECKING:
    from archive.importers.session import Session


class Mention(NamedTuple):
    """A task that nothing has described yet: where it was first named."""

    slug: str
    name: str
    dump: str
    ordinal: int


class Tasks:
    """Finds or makes the task behind a printed name or an address.

    Slugs come from addresses where one is known and are minted from the name where not, in archive order; a name
    belongs to the first task that it was printed for. Reads all task names once (two queries, some 5,000 rows).
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next_name = Ids(TaskName)
        tasks = Record.objects.filter(kind=RecordKind.TASK).values_list("key", "id")
        self.by_slug: dict[str, int] = {key.partition("/")[2]: task for key, task in tasks}
        self.slugs: dict[int, str] = {task: slug for slug, task in self.by_slug.items()}
        self._slugs = Slugs(self.by_slug)
        self._names: dict[str, tuple[int, int]] = {
            name: (key, task)
            for name, key, task in TaskName.objects.order_by("id").values_list("name", "id", "task_id")
        }
        self.mentions: dict[int, Mention] = {}
        self._first_names: dict[int, str] = {}
        for name, (_, task) in self._names.items():
            self._first_names.setdefault(task, name)
        self.dump, self.ordinal = "", 0

    def at(self, dump: str, ordinal: int) -> None:
        """Say which dump record is being read, for tasks that are first named there."""
        self.dump, self.ordinal = dump, ordinal

    def addressed(self, slug: str, name: str) -> tuple[int, int]:
        """The task with that slug, and the key of the name it is printed under here."""
        task = self.by_slug.get(slug)
        if task is None:
            task = self._make(self._slugs.claim(slug), name)
        return task, self._named(name, task)[0]

    def named(self, name: str) -> int:
        """The key of a printed task name; its task is made when nothing else knows the name."""
        return self._named(name, None)[0]

    def task_named(self, name: str) -> tuple[int, int]:
        """The key of a printed name, and the task that it belongs to."""
        return self._named(name, None)

    def name_of(self, task: int) -> str:
        """The first name that a task was printed under, "" if it never was."""
        return self._first_names.get(task, "")

    def _named(self, name: str, task: int | None) -> tuple[int, int]:
        known = self._names.get(name)
        if known is None:
            if task is None:
                task = self._make(self._slugs.claim(slug_of(name, "unnamed")), name)
            known = self._names[name] = (self._next_name(), task)
            self._first_names.setdefault(task, name)
            self._session.bulk.rows(TaskName).append((known[0], name, task))
        return known

    def _make(self, slug: str, name: str) -> int:
        task = self._session.next_record()
        self.by_slug[slug] = task
        self.slugs[task] = slug
        self.mentions[task] = Mention(slug, name, self.dump, self.ordinal)
        return task
