"""What narrows the queue by its address."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import django_filters  # type: ignore[import-untyped]
from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from archive.models import Record, RecordKind
from archive.pages.base import KIND_NAMES
from corrections.models import Claim, Report, ReportKind, ReportState

STATES = [
    (state.value, words)
    for state, words in (
        (ReportState.OPEN, "open"),
        (ReportState.HELD, "held for a look"),
        (ReportState.PROPOSED, "waiting for a second reader"),
        (ReportState.APPEALED, "appealed"),
    )
]
AGES = [("1", "a day or older"), ("7", "a week or older"), ("30", "a month or older"), ("90", "90 days or older")]
EVIDENCE = [("source", "with a source"), ("quote", "with a quotation"), ("none", "without a source")]
CLAIMS = [("free", "nobody"), ("mine", "me"), ("others", "somebody else")]


class QueueFilter(django_filters.FilterSet):
    """Filters of the queue. They narrow the list of cases, and never what a case counts."""

    q = django_filters.CharFilter(label="Record or field", method="named", max_length=200)
    words = django_filters.CharFilter(label="Words in a report", method="saying", max_length=200)
    kind = django_filters.ChoiceFilter(label="Kind", choices=ReportKind, method="of_kind", empty_label="any")
    state = django_filters.ChoiceFilter(label="State", choices=STATES, method="in_state", empty_label="any")
    record_kind = django_filters.ChoiceFilter(
        label="About a",
        choices=[(kind.value, KIND_NAMES[kind]) for kind in RecordKind],
        method="about_kind",
        empty_label="any record",
    )
    evidence = django_filters.ChoiceFilter(
        label="Evidence", choices=EVIDENCE, method="with_evidence", empty_label="any"
    )
    claimed = django_filters.ChoiceFilter(
        label="Claimed by", choices=CLAIMS, method="claimed_by", empty_label="anybody or nobody"
    )
    age = django_filters.ChoiceFilter(label="Age", choices=AGES, method="older", empty_label="any")

    class Meta:
        model = Report
        fields: list[str] = []

    def named(self, cases: QuerySet[Any], _: str, text: str) -> QuerySet[Any]:
        """The record's key or name, or the field, has the text."""
        text = text.strip()
        records = Record.objects.filter(Q(key__icontains=text.strip("/")) | Q(name__icontains=text))
        open_on = Report.objects.undecided().values("record")
        return cases.filter(Q(record__in=records.filter(pk__in=open_on).values("pk")) | Q(field__icontains=text))

    def saying(self, cases: QuerySet[Any], _: str, text: str) -> QuerySet[Any]:
        """One of its reports has the text in its comment, quotation or source."""
        text = text.strip()
        said = Q()
        for column in ("comment", "addition", "appeal", "source_quote", "source_url"):
            said |= Q(**{f"{column}__icontains": text})
        return _some(cases, "saying", said)

    def of_kind(self, cases: QuerySet[Any], _: str, kind: str) -> QuerySet[Any]:
        """One of its reports is of the kind."""
        return _some(cases, "of_kind", Q(kind=kind))

    def in_state(self, cases: QuerySet[Any], _: str, state: str) -> QuerySet[Any]:
        """One of its reports is in the state."""
        return _some(cases, "in_state", Q(state=state))

    def about_kind(self, cases: QuerySet[Any], _: str, kind: str) -> QuerySet[Any]:
        """Its record is of the kind."""
        return cases.filter(record__kind=kind)

    def with_evidence(self, cases: QuerySet[Any], _: str, evidence: str) -> QuerySet[Any]:
        """One of its reports names a source, or quotes one; or none does."""
        match evidence:
            case "source":
                return cases.filter(with_source__gt=0)
            case "quote":
                return cases.filter(with_quote__gt=0)
            case _:
                return cases.filter(with_source=0)

    def claimed_by(self, cases: QuerySet[Any], _: str, whom: str) -> QuerySet[Any]:
        """A live claim is on it: nobody's, one's own, or somebody else's."""
        held = Claim.objects.filter(record=OuterRef("record_id"), field=OuterRef("field"), until__gt=timezone.now())
        reader = getattr(self.request, "user", None)
        mine = held.filter(user=reader) if isinstance(reader, User) else held.none()
        match whom:
            case "mine":
                return cases.filter(Exists(mine))
            case "others":
                return cases.filter(Exists(held)).exclude(Exists(mine))
            case _:
                return cases.exclude(Exists(held))

    def older(self, cases: QuerySet[Any], _: str, days: str) -> QuerySet[Any]:
        """Its oldest report was filed so many days ago, or earlier."""
        return cases.filter(oldest__lte=timezone.now() - timedelta(days=int(days)))

    @property
    def chosen(self) -> dict[str, str]:
        """The filters that are set, as they stand in the address."""
        return {name: value for name in self.filters if (value := str((self.data or {}).get(name, "")).strip()[:300])}


def _some(cases: QuerySet[Any], name: str, condition: Q) -> QuerySet[Any]:
    """Cases of which at least one report meets the condition; all their reports stay counted."""
    return cases.annotate(**{name: Count("id", filter=condition)}).filter(**{f"{name}__gt": 0})
