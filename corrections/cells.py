"""Cells: a field of a record, read as the database's own triggers read it, and written by decisions and replays."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

from django.db import connection

from archive.importers.code_links import repository_of
from archive.importers.metric_values import parse_metric
from archive.importers.slugs import author_slug, slug_of, sort_key
from archive.importers.tables import board_name
from archive.models import (
    Area,
    Author,
    Authorship,
    CodeLink,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    DatasetVariant,
    Framework,
    Language,
    Leaderboard,
    LeaderboardMetric,
    Method,
    Modality,
    Paper,
    PaperTask,
    Proceeding,
    Record,
    RecordKind,
    Repository,
    Result,
    ResultMetric,
    Task,
    TaskArea,
    TaskName,
    TaskSynonym,
)
from archive.models.leaderboards import Matched
from archive.models.records import DatePrecision
from archive.models.vocabularies import Term
from corrections.correctable import METRIC, Field, Invalid, Shape, Value, field_of

DETAILS: dict[RecordKind, type[Any]] = {
    RecordKind.PAPER: Paper,
    RecordKind.DATASET: Dataset,
    RecordKind.TASK: Task,
    RecordKind.METHOD: Method,
    RecordKind.LEADERBOARD: Leaderboard,
    RecordKind.RESULT: Result,
    RecordKind.CODE: CodeLink,
}

TERMS: dict[str, type[Term]] = {"proceeding": Proceeding, "framework": Framework}

NAMED_BY: dict[RecordKind, str] = {
    RecordKind.PAPER: "title",
    RecordKind.DATASET: "name",
    RecordKind.TASK: "name",
    RecordKind.METHOD: "name",
    RecordKind.LEADERBOARD: "dataset_name",
    RecordKind.RESULT: "model_name",
    RecordKind.CODE: "repo_url",
}
"""The field whose value is also the record's name on the spine, or a part of it."""


def read_cell(record: Record, field: str) -> Value:
    """The cell's current value. One query, by the same function that the log's triggers use."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT corrections_cell(%s, %s)::text", [record.pk, field])
        return json.loads(cursor.fetchone()[0])


def write_cell(record: Record, name: str, value: Value) -> None:
    """Set a cell to a validated value, with the columns that follow from it, in a decision's or import's transaction.

    Raises Invalid for a record or task that does not exist. Costs two queries, for lists two more per name.
    """
    field = field_of(record, name)
    if field.shape == Shape.OPERATION:
        _operate(record, field, value)
    elif name.startswith(METRIC):
        _write_metric(record, name.removeprefix(METRIC), value)
    elif field.shape == Shape.NAMES:
        LISTS[field.table](record.pk, value)
    else:
        kind = RecordKind(record.kind)
        DETAILS[kind].objects.filter(pk=record.pk).update(**_columns(field, value))
        if NAMED_BY.get(kind) == name:
            called = _board_name(record.pk, value) if kind == RecordKind.LEADERBOARD else value or ""
            Record.objects.filter(pk=record.pk).update(name=called, sort_key=sort_key(called))


def _board_name(board: int, dataset: str | None) -> str:
    """The name of a leaderboard, of the task's first name and the dataset's. One query."""
    task = TaskName.objects.filter(task__leaderboards=board).order_by("pk").values_list("name", flat=True).first()
    return board_name(task or "", dataset)


def _columns(field: Field, value: Value) -> dict[str, Any]:
    match field.shape:
        case Shape.DATE:
            day, precision = parse_date(value)
            return {field.name: day, f"{field.name}_precision": precision}
        case Shape.TERM:
            return {field.name: term(TERMS[field.name], value)}
        case Shape.RECORD:
            paper = paper_of(value)
            return {"paper": paper, "paper_matched": Matched.DECISION if paper else ""}
        case _ if field.name == "repo_url":
            return {"repo_url": value, "repository": _repository(value)}
        case _:
            return {field.name: value}


def parse_date(value: str | None) -> tuple[datetime.date | None, str]:
    """A cell's date as the two columns that hold it."""
    if value is None:
        return None, ""
    if len(value) == 4:
        return datetime.date(int(value), 1, 1), DatePrecision.YEAR
    return datetime.date.fromisoformat(value), DatePrecision.DAY


def paper_of(key: str | None) -> Paper | None:
    """The paper with a public key. Raises Invalid if there is none."""
    if key is None:
        return None
    paper = Paper.objects.filter(record__key=key).first()
    if paper is None:
        raise Invalid(f"There is no paper at /{key}.")
    return paper


def term(model: type[Term], name: str | None, slug: Callable[[str], str] = slug_of) -> Any:
    """The term of that spelling, made when it is new; None for None."""
    if name is None:
        return None
    manager = model._default_manager
    found = manager.filter(name=name).first()
    if found is None:
        base, number = slug(name), 0
        free = base
        while manager.filter(slug=free).exists():
            number += 1
            free = f"{base}-{number}"
        found = manager.create(name=name, slug=free, sort_key=sort_key(name))
    return found


def _repository(url: str | None) -> Repository | None:
    address = repository_of(url)
    if address is None:
        return None
    found = Repository.objects.filter(url=address.url).first()
    return found or Repository.objects.create(
        url=address.url, host=address.host, owner=address.owner, name=address.name
    )


def _write_metric(record: Record, name: str, value: str | None) -> None:
    result = Result.objects.get(pk=record.pk)
    metric = LeaderboardMetric.objects.filter(leaderboard=result.leaderboard_id, name=name).order_by("position").first()
    if metric is None:
        raise Invalid(f"The leaderboard has no metric “{name}”.")
    stored = ResultMetric.objects.filter(result=result, metric=metric)
    if value is None:
        stored.delete()
        return
    parsed = parse_metric(value)
    number = float(parsed) if parsed is not None else None
    if not stored.update(value=value, number=number):
        ResultMetric.objects.create(result=result, metric=metric, value=value, number=number)


def _operate(record: Record, field: Field, value: Value) -> None:
    rows = Record.objects.filter(pk=record.pk)
    match field.name:
        case "withdrawn":
            rows.update(withdrawn=value)
        case "quarantined":
            rows.update(quarantined=value)
        case "merged_into":
            target = Record.objects.filter(key=value).first() if value is not None else None
            if value is not None and target is None:
                raise Invalid(f"There is no record at /{value}.")
            rows.update(merged_into=target)
        case _:
            raise Invalid("Records are made and unmade by their own acts, not by setting a cell.")


def _terms(
    model: type[Any], owner: str, attribute: str, terms: type[Term], slug: Callable[[str], str] = slug_of
) -> Any:
    def write(record: int, names: list[str]) -> None:
        model.objects.filter(**{owner: record}).delete()
        model.objects.bulk_create(
            model(**{owner: record, "position": place, attribute: term(terms, name, slug)})
            for place, name in enumerate(names)
        )

    return write


def _texts(model: type[Any], owner: str) -> Any:
    def write(record: int, names: list[str]) -> None:
        model.objects.filter(**{owner: record}).delete()
        model.objects.bulk_create(model(**{owner: record, "position": i, "name": n}) for i, n in enumerate(names))

    return write


def _task_name(name: str) -> TaskName:
    found = TaskName.objects.filter(name=name).first()
    if found is None:
        raise Invalid(f"The archive knows no task named “{name}”.")
    return found


def _paper_tasks(record: int, names: list[str]) -> None:
    found = [_task_name(name) for name in names]
    PaperTask.objects.filter(paper_id=record).delete()
    PaperTask.objects.bulk_create(PaperTask(paper_id=record, position=i, name=n) for i, n in enumerate(found))


def _dataset_tasks(record: int, names: list[str]) -> None:
    found = []
    for text in names:
        name, arrow, key = text.partition(" → ")
        task_name = _task_name(name)
        task = Task.objects.filter(record__key=key).first() if arrow else task_name.task
        if task is None:
            raise Invalid(f"There is no task at /{key}.")
        found.append((task_name, task))
    DatasetTask.objects.filter(dataset_id=record).delete()
    DatasetTask.objects.bulk_create(
        DatasetTask(dataset_id=record, position=i, name=name, task=task) for i, (name, task) in enumerate(found)
    )


LISTS: dict[str, Callable[[int, list[str]], None]] = {
    "archive_authorship": _terms(Authorship, "paper_id", "author", Author, author_slug),
    "archive_papertask": _paper_tasks,
    "archive_datasetmodality": _terms(DatasetModality, "dataset_id", "modality", Modality),
    "archive_datasetlanguage": _terms(DatasetLanguage, "dataset_id", "language", Language),
    "archive_datasettask": _dataset_tasks,
    "archive_datasetvariant": _texts(DatasetVariant, "dataset_id"),
    "archive_taskarea": _terms(TaskArea, "task_id", "area", Area),
    "archive_tasksynonym": _texts(TaskSynonym, "task_id"),
}
