"""The queue: undecided reports grouped into cases, which are a record and a field; the oldest case first."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Min, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from archive.models import Record
from corrections.desk import claims
from corrections.desk.filters import QueueFilter
from corrections.models import Report, ReportKind, ReportState
from corrections.pages.entries import label_of

PER_PAGE = 50


def address_of(key: str, field: str, back: str = "") -> str:
    """The address of a case; `back` are the queue's filters, to go on by."""
    query = {"field": field} if field else {}
    if back:
        query["back"] = back
    address = reverse("desk:case", args=[key])
    return f"{address}?{urlencode(query)}" if query else address


@dataclass(frozen=True)
class QueuedCase:
    """A line of the queue: counts and kinds, never what a report says, so that no proposal is seen too early."""

    first: int
    record: Record
    field: str
    label: str
    address: str
    oldest: datetime.datetime
    kinds: list[str]
    reports: int
    with_source: int
    with_quote: int
    states: list[tuple[str, int]]
    claimed: claims.Claimed | None
    mine: bool
    own: bool


@dataclass(frozen=True)
class Queue:
    """A page of the queue."""

    cases: list[QueuedCase]
    total: int
    reports: int
    filters: QueueFilter
    back: str
    next_url: str | None
    is_first: bool


def all_cases(reader: User | None = None) -> QuerySet[Any]:
    """Every case with its counts, ordered by its first report. One grouped query over the undecided reports.

    With a reader, `own` counts those that they filed.
    """
    states = {
        state: Count("id", filter=Q(state=state))
        for state in (ReportState.HELD, ReportState.APPEALED, ReportState.PROPOSED)
    }
    own = {"own": Count("id", filter=Q(filed_by_id=reader.pk))} if reader else {}
    return (
        Report.objects.undecided()
        .values("record_id", "field")
        .annotate(
            first=Min("id"),
            oldest=Min("filed_at"),
            reports=Count("id"),
            kinds=ArrayAgg("kind", distinct=True),
            with_source=Count("id", filter=~Q(source_url="")),
            with_quote=Count("id", filter=~Q(source_quote="")),
            **{str(state): count for state, count in states.items()},
            **own,
        )
        .order_by("first")
    )


def page(request: HttpRequest, reader: User, after: int = 0) -> Queue:
    """A page of cases after the one whose first report has that id. Five queries."""
    filters = QueueFilter(request.GET, queryset=all_cases(reader), request=request)
    narrowed = filters.qs if filters.is_valid() else all_cases(reader).none()
    found = list(narrowed.filter(first__gt=after)[: PER_PAGE + 1])
    shown = found[:PER_PAGE]
    ids = [row["record_id"] for row in shown]
    records = Record.objects.in_bulk(ids)
    held = claims.live(ids)
    back = urlencode(filters.chosen)
    next_url = None
    if len(found) > PER_PAGE:
        next_url = "?" + urlencode({**filters.chosen, "after": shown[-1]["first"]})
    return Queue(
        cases=[_case(row, records[row["record_id"]], held, reader, back) for row in shown],
        total=narrowed.count(),
        reports=Report.objects.undecided().count(),
        filters=filters,
        back=back,
        next_url=next_url,
        is_first=after == 0,
    )


def _case(
    row: Mapping[str, Any],
    record: Record,
    held: Mapping[tuple[int, str], claims.Claimed],
    reader: User,
    back: str,
) -> QueuedCase:
    claimed = held.get((record.pk, row["field"]))
    words = {
        ReportState.HELD: "held for a look",
        ReportState.APPEALED: "appealed",
        ReportState.PROPOSED: "waiting for a second reader",
    }
    return QueuedCase(
        first=row["first"],
        record=record,
        field=row["field"],
        label=label_of(record.kind, row["field"]),
        address=address_of(record.key, row["field"], back),
        oldest=row["oldest"],
        kinds=[str(ReportKind(kind).label) for kind in row["kinds"]],
        reports=row["reports"],
        with_source=row["with_source"],
        with_quote=row["with_quote"],
        states=[(told, row[str(state)]) for state, told in words.items() if row[str(state)]],
        claimed=claimed,
        mine=claimed is not None and claimed.user_id == reader.pk,
        own=bool(row["own"]),
    )


def next_address(request: HttpRequest, reader: User, after: int, back: str) -> str | None:
    """The next case that nobody else has claimed and that does not wait for a second reader; None if there is none.

    The queue's filters hold on; after its end it begins anew. Three queries at most.
    """
    filters = QueueFilter(QueryDict(back), queryset=all_cases(), request=request)
    narrowed = filters.qs if filters.is_valid() else all_cases()
    for start in (after, 0):
        found = list(narrowed.filter(first__gt=start)[:20])
        held = claims.live([row["record_id"] for row in found])
        for row in found:
            claimed = held.get((row["record_id"], row["field"]))
            waits = row[str(ReportState.PROPOSED)] == row["reports"]
            if not waits and (claimed is None or claimed.user_id == reader.pk):
                key = Record.objects.values_list("key", flat=True).get(pk=row["record_id"])
                return address_of(key, row["field"], back)
        if start == 0:
            break
    return None
