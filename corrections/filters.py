"""What narrows the log by its address."""

from __future__ import annotations

import datetime
from typing import Any

import django_filters  # type: ignore[import-untyped]
from django import forms
from django.db.models import Q, QuerySet

from archive.models import Record
from corrections.models import Change, Decision, EntryKind, Outcome, Report, Side

LONGEST = 200
"""Characters of a value in the address that are looked at."""


class LogFilter(django_filters.FilterSet):
    """Filters of the log; all of them together have to hold. A value that means nothing matches nothing."""

    q = django_filters.CharFilter(label="Words of the reason", method="in_reason", max_length=LONGEST)
    record = django_filters.CharFilter(label="Record", method="of_record", max_length=300)
    outcome = django_filters.ChoiceFilter(label="Outcome", choices=Outcome, empty_label="any")
    kind = django_filters.ChoiceFilter(label="Kind of entry", choices=EntryKind, empty_label="any")
    side = django_filters.ChoiceFilter(label="Which side was wrong", choices=Side, empty_label="any")
    reviewer = django_filters.CharFilter(label="Reviewer", method="by_reviewer", max_length=100)
    since = django_filters.DateFilter(
        label="From", method="from_day", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    until = django_filters.DateFilter(
        label="To", method="to_day", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    class Meta:
        model = Decision
        fields: list[str] = []

    def in_reason(self, entries: QuerySet[Decision], _: str, text: str) -> QuerySet[Decision]:
        """Every word is in the reason, in any case."""
        words = Q()
        for word in text.split()[:10]:
            words &= Q(reason__icontains=word)
        return entries.filter(words)

    def of_record(self, entries: QuerySet[Decision], _: str, key: str) -> QuerySet[Decision]:
        """Changed the record or what is below it, or answered a report on it."""
        key = key.strip().strip("/")
        records = Record.objects.filter(Q(key=key) | Q(key__startswith=f"{key}/")).values("pk")
        changed = Change.objects.filter(record__in=records).values("decision")
        answered = Report.objects.filter(record__in=records, decision__isnull=False).values("decision")
        return entries.filter(Q(pk__in=changed) | Q(pk__in=answered))

    def by_reviewer(self, entries: QuerySet[Decision], _: str, name: str) -> QuerySet[Decision]:
        """Decided by that public name, first or second."""
        return entries.filter(Q(reader__iexact=name.strip()) | Q(second_reader__iexact=name.strip()))

    def from_day(self, entries: QuerySet[Decision], _: str, day: datetime.date) -> QuerySet[Decision]:
        """On that day (UTC) or later."""
        return entries.filter(at__gte=_midnight(day))

    def to_day(self, entries: QuerySet[Decision], _: str, day: datetime.date) -> QuerySet[Decision]:
        """On that day (UTC) or earlier."""
        return (
            entries if day == datetime.date.max else entries.filter(at__lt=_midnight(day + datetime.timedelta(days=1)))
        )

    @property
    def chosen(self) -> dict[str, Any]:
        """The filters that are set, as they stand in the address; in the order of the form."""
        return {name: value for name in self.filters if (value := (self.data or {}).get(name, "")[:300].strip())}


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time(), datetime.UTC)
