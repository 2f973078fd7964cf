"""A case: a record and a field (or the record as a whole), with what is known, said and decided of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from archive.models import Base, Record
from corrections.cells import read_cell
from corrections.correctable import Field, Value, reportable
from corrections.models import Change, Decision, Report

MOST_SHOWN = 10
"""Open reports and earlier decisions that a case shows; it says how many more there are."""


class Choice(NamedTuple):
    """A field that can be reported, and its value."""

    field: Field
    now: Value


@dataclass(frozen=True)
class Case:
    """What the archive says, what the snapshot said, what is open, and what was decided before."""

    now: Value
    snapshot: Value
    is_corrected: bool
    open_reports: Sequence[Report]
    open_number: int
    decisions: Sequence[Decision]
    fields: Sequence[Choice]


def of(record: Record, field: Field | None) -> Case:
    """The case of a field, or of the whole record without one. At most 8 queries."""
    name = field.name if field else ""
    now = read_cell(record, name) if field else None
    base = Base.objects.filter(record=record, field=name).first()
    counted = Report.objects.counted().filter(record=record, field=name)
    open_reports = list(counted.order_by("id")[: MOST_SHOWN + 1])
    return Case(
        now=now,
        snapshot=base.value if base else now,
        is_corrected=base is not None and base.value != now,
        open_reports=open_reports[:MOST_SHOWN],
        open_number=len(open_reports) if len(open_reports) <= MOST_SHOWN else counted.count(),
        decisions=_decisions(record, name),
        fields=[] if field else _choices(record),
    )


def _choices(record: Record) -> list[Choice]:
    """What can be reported of a record, each with its value. Two queries at most."""
    fields = reportable(record)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT corrections_cell(%s, name)::text"
            " FROM unnest(%s::text[]) WITH ORDINALITY AS t (name, place) ORDER BY place",
            [record.pk, [field.name for field in fields]],
        )
        return [Choice(field, json.loads(held)) for field, (held,) in zip(fields, cursor.fetchall(), strict=True)]


def _decisions(record: Record, name: str) -> list[Decision]:
    """The newest decisions that changed the cell or answered a report on it; of "" those on any cell. Three queries."""
    cell = {"record": record, "field": name} if name else {"record": record}
    newest: set[int] = set()
    for found in (Change.objects.filter(**cell), Report.objects.filter(**cell, decision__isnull=False)):
        newest |= set(found.order_by("-decision").values_list("decision", flat=True)[:MOST_SHOWN])
    return list(Decision.objects.filter(pk__in=newest).newest_first()[:MOST_SHOWN])
