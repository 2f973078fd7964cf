"""A task: what the archive says of it, its places in the tree, its leaderboards, datasets and papers."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery, Value, Window
from django.db.models.functions import Concat, JSONObject

from archive.models import (
    Area,
    Dataset,
    DatasetTask,
    Leaderboard,
    Paper,
    PaperTask,
    Record,
    Task,
    TaskArea,
    TaskName,
    TaskNode,
    TaskSynonym,
)
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    described,
    documented,
    missing,
    public,
)
from archive.pages.benchmarks import ARCHIVE_ORDER, Benchmark
from archive.pages.boards import Named, PrintedLink, boards_with_rows
from archive.pages.standing import Standings
from archive.pages.task_lists import PAPERS_COUNTED, CountedTask, counted, with_counts
from archive.pages.view import CURRENT, View
from archive.pages.years import YearOfPapers, by_year, in_years

BOARDS_SHOWN = 100
RELATIVES_SHOWN = 200
DATASETS_SHOWN = 20
PAPERS_SHOWN = 20
NAMES_SHOWN = 100
NAMED_ONLY = "The archive only names this task: nothing in it describes it."


@documented
class DatasetOfTask:
    """A dataset that lists the task."""

    dataset: str = described("Address on this site of the dataset.")
    name: str = described("The dataset's name.")
    num_papers_in_archive: int | None = described("The archive's own count of papers that use it; no list behind it.")


@documented
class PaperOfTask:
    """A paper that names the task."""

    paper: str = described("Address on this site of the paper.")
    title: str | None = described("The paper's title, as printed.")
    date: datetime.date | None = described("The paper's date in the archive.")
    date_precision: str | None = described("day, or year where only the year is known; null without a date.")


@documented
class TaskPage(RecordPage):
    """`/task/<slug>`: one task."""

    section = "/tasks"

    name: str = described("The task's name, as printed; empty if the archive's task has none.")
    printed_names: Sequence[str] = described("Names under which the dumps print it, its own left out; at most 100.")
    named_only: bool = described("Whether other records name the task and nothing describes it.")
    description_markdown: str | None = described("The description, verbatim Markdown.")
    source_link: PrintedLink = described("The link printed as the description's source.")
    areas: Sequence[Named] = described("Its areas, in the order printed.")
    synonyms: Sequence[str] = described("Other names that the archive gives, in the order printed.")
    parents: Sequence[Named] = described("Tasks that it is printed below, anywhere in the tree; by name, at most 200.")
    children: Sequence[CountedTask] = described("Tasks printed directly below it; by name, at most 200.")
    children_total: int = described("How many there are.")
    benchmarks: Sequence[Benchmark] = described("Its leaderboards, in the archive's order; at most 100.")
    benchmarks_total: int = described("How many there are.")
    datasets: Sequence[DatasetOfTask] = described(
        "Datasets that list it, at most 20: those with most papers by the archive's own count first."
    )
    datasets_total: int = described("How many there are.")
    papers: Sequence[PaperOfTask] = described("The newest 20 papers that name it.")
    papers_total: int = described(f"Number of papers that name it. {PAPERS_COUNTED}")
    papers_by_year: Sequence[YearOfPapers] = described(
        "Public papers that name it by year, newest first, undated ones last."
    )
    note: str = described("What the order of a leaderboard's rows means.", default=ARCHIVE_ORDER)

    @property
    def heading(self) -> str:
        """The task's name."""
        return self.name.strip() or "A task without a name"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Tasks, the first area, then this one."""
        area = [Crumb(name=area.name, url=area.url) for area in self.areas[:1] if area.url]
        return (Crumb(name="Tasks", url="/tasks"), *area)

    @property
    def in_years(self) -> Mapping[int, int]:
        """Number of papers by year, those without a date left out."""
        return in_years(self.papers_by_year or ())

    @property
    def slug(self) -> str:
        """The last segment of its address."""
        return self.record.key.rpartition("/")[2]


def build(record: Record, view: View = CURRENT) -> TaskPage:
    """The page of a task's record in a view. 12 queries, two fewer without a leaderboard.

    The tree is asked one step each way.
    """
    names = TaskName.objects.filter(task=OuterRef("pk")).order_by("id")
    naming = PaperTask.objects.filter(name__task=OuterRef("pk")).order_by().values("name__task")
    papers = naming.annotate(n=Count("paper_id", distinct=True))
    synonyms = TaskSynonym.objects.filter(task=OuterRef("pk")).order_by("position")
    task: Any = Task.objects.annotate(
        all_names=ArraySubquery(names.values("name")[: NAMES_SHOWN + 1]),
        name_ids=ArraySubquery(names.values("id")),
        papers_total=Subquery(papers.values("n")),
        all_synonyms=ArraySubquery(synonyms.values("name")[:NAMES_SHOWN]),
        all_parents=_parents(),
    ).get(pk=record.pk)
    provenance = Provenance.current()
    children = _children(task)
    boards = boards_with_rows(Leaderboard.objects.filter(task=task), BOARDS_SHOWN)
    standing = Standings.on_page(record, boards.rows, view)
    standing.put(task)
    datasets = _datasets(task)
    content: dict[str, Any] = {
        "name": task.name,
        "description_markdown": task.description,
        "source_link": PrintedLink(title=task.source_title, url=task.source_url),
        "areas": _areas(task, standing),
        "synonyms": standing.names("synonyms", task.all_synonyms),
        "parents": [Named(**parent) for parent in task.all_parents],
        "children": [counted(child) for child in children],
        "benchmarks": boards.benchmarks(standing),
        "datasets": [
            DatasetOfTask(
                dataset=dataset.record.path,
                name=dataset.name or dataset.full_name or dataset.record.slug,
                num_papers_in_archive=dataset.num_papers,
            )
            for dataset in datasets
        ],
        "papers": _papers(task.name_ids),
        "papers_by_year": by_year(_naming(task.name_ids)),
    }
    return TaskPage(
        **standing.frame(provenance),
        **content,
        printed_names=[name for name in task.all_names if name != task.name][:NAMES_SHOWN],
        named_only=record.digest is None,
        children_total=_total(children),
        benchmarks_total=boards.total,
        datasets_total=_total(datasets),
        papers_total=task.papers_total or 0,
        absent={**_absent(content, named_only=record.digest is None), **standing.hidden(KEYS)},
    )


KEYS = {"description": "description_markdown"}
"""The keys of fields that the page does not show under their own name."""


def _total(found: Sequence[Any]) -> int:
    return found[0].total if found else 0


def _areas(task: Task, standing: Standings) -> list[Named]:
    current = TaskArea.objects.filter(task=task).order_by("position").values_list("area__name", "area__slug")
    found = standing.linked("areas", current, Area.objects.values_list("name", "slug"))
    return [Named(name=name, url=f"/area/{slug}") for name, slug in found]


def _parents() -> ArraySubquery:
    """Tasks that the outer one is printed below, by name: a list of {name, url}."""
    above = TaskNode.objects.filter(name__task=OuterRef(OuterRef("pk")), parent__isnull=False)
    found = Task.objects.filter(public(), pk__in=above.values("parent__name__task"))
    named = found.values(each=JSONObject(name="name", url=Concat(Value("/"), "record__key")))
    return ArraySubquery(named.order_by("record__sort_key", "record_id")[:RELATIVES_SHOWN])


def _children(task: Task) -> list[Any]:
    below = TaskNode.objects.filter(parent__name__task=task).values("name__task")
    found = Task.objects.filter(public(), pk__in=below).select_related("record").annotate(total=Window(Count("*")))
    return list(with_counts(found, papers=False).order_by("record__sort_key", "record_id")[:RELATIVES_SHOWN])


def _datasets(task: Task) -> list[Any]:
    found = Dataset.objects.filter(public(), pk__in=DatasetTask.objects.filter(task=task).values("dataset"))
    order = (F("num_papers").desc(nulls_last=True), "record__sort_key", "record_id")
    found = found.select_related("record").only("name", "full_name", "num_papers", "record__key")
    return list(found.annotate(total=Window(Count("*"))).order_by(*order)[:DATASETS_SHOWN])


def _naming(names: Sequence[int]) -> QuerySet[Paper]:
    return Paper.objects.filter(pk__in=PaperTask.objects.filter(name__in=names).values("paper"))


def _papers(names: Sequence[int]) -> list[PaperOfTask]:
    """The newest papers with one of these printed names; of one day, in archive order; those undated last. One query.

    Names are given by key, so that the statistics tell a name that many papers give, whose newest ones are found by
    date, from one that few give.
    """
    naming = PaperTask.objects.filter(paper=OuterRef("pk"), name__in=names)
    papers = Paper.objects.filter(Exists(naming), public())
    fields = ("record_id", "record__key", "title", "date", "date_precision")
    dated = papers.filter(date__isnull=False).order_by("-date", "record_id").values_list(*fields)
    undated = papers.filter(date__isnull=True).order_by("record_id").values_list(*fields)
    found: list[Any] = list(dated[:PAPERS_SHOWN].union(undated[:PAPERS_SHOWN], all=True))
    found.sort(key=lambda paper: (-(paper[3] or datetime.date.min).toordinal(), paper[0]))
    return [
        PaperOfTask(paper=f"/{key}", title=title, date=date, date_precision=precision or None)
        for _, key, title, date, precision in found[:PAPERS_SHOWN]
    ]


def _absent(content: Mapping[str, Any], *, named_only: bool) -> dict[str, Absent]:
    absent = missing(content)
    source = content["source_link"]
    absent |= missing({f"source_link.{key}": value for key, value in vars(source).items()})
    if named_only:
        absent["description_markdown"] = Absent.because(Absence.NOT_IN_ARCHIVE, NAMED_ONLY)
    for key, sentence in _NONE.items():
        if not content[key]:
            absent[key] = Absent.because(Absence.NOT_IN_ARCHIVE, sentence)
    return absent


_NONE = {
    "parents": "The archive prints it below no other task.",
    "children": "The archive prints no task below it.",
    "benchmarks": "The archive has no leaderboard of this task.",
    "datasets": "No dataset of the archive lists this task.",
    "papers": "No paper of the archive names this task.",
}
