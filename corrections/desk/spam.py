"""Reports that are closed as spam together: by one decision, of which the log says the number only."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.http import urlencode

from corrections.desk import queue
from corrections.desk.filters import QueueFilter
from corrections.models import Report, ReportState

MOST = 500
"""Reports that one page lists and one decision closes; each of them is shown."""


@dataclass(frozen=True)
class Batch:
    """The reports to be looked at, of the ticked cases or of all that the filters leave."""

    reports: list[Report]
    more: bool
    back: str


def batch(request: HttpRequest, reader: User) -> Batch:
    """The held and open reports of those cases, none of the reader's own; the oldest first. Two queries."""
    filters = QueueFilter(request.GET, queryset=queue.all_cases(), request=request)
    narrowed = filters.qs if filters.is_valid() else queue.all_cases().none()
    ticked = [int(first) for first in request.GET.getlist("case") if first.isdecimal() and len(first) < 19]
    if ticked:
        narrowed = narrowed.filter(first__in=ticked)
    cases = {(row["record_id"], row["field"]) for row in narrowed[: MOST + 1]}
    found = (
        Report.objects.filter(
            state__in=[ReportState.HELD, ReportState.OPEN], record__in={record for record, _ in cases}
        )
        .exclude(filed_by_id=reader.pk)
        .select_related("record")
        .order_by("id")
    )
    reports = []
    for report in found.iterator(chunk_size=500):
        if (report.record_id, report.field) in cases:
            reports.append(report)
        if len(reports) > MOST:
            break
    return Batch(reports[:MOST], len(reports) > MOST, urlencode(filters.chosen))
