"""How the work goes: what waits, how long it takes, what comes of it. Each figure with its definition."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, ClassVar

from django.db import connection
from django.db.models import Count, Sum
from django.utils import timezone

from archive.pages.base import Crumb, Page, Provenance, described, documented
from corrections.models import CHANGES_SOMETHING, COUNTED, Change, Decision, EntryKind, Outcome, Report, ReportState

WINDOW = datetime.timedelta(days=365)
AGES = ((0, 1), (1, 7), (7, 30), (30, 90), (90, None))
"""Classes of age in calendar days: from, and below."""


@documented
class Figure:
    """One number, with what it counts."""

    name: str = described("What it is.")
    value: float | None = described("The number; null where there is nothing to count from.")
    unit: str = described("What it is counted in, in the plural.")
    definition: str = described("Exactly what is counted.")

    @property
    def unit_of_value(self) -> str:
        """The unit, singular for one."""
        return self.unit.removesuffix("s") if self.value == 1 else self.unit


@documented
class Waiting:
    """Open reports of one class of age."""

    at_least_days: int = described("Calendar days (UTC) since filing, at least.")
    below_days: int | None = described("Calendar days since filing, less than; null for no limit.")
    reports: int = described("Number of open reports of that age.")

    @property
    def words(self) -> str:
        """The class in words."""
        if self.below_days is None:
            return f"{self.at_least_days} days and more"
        return "filed today" if self.at_least_days == 0 else f"{self.at_least_days} to {self.below_days - 1} days"


@documented
class OutcomeCount:
    """How often decisions said something."""

    outcome: str = described("One of a closed list.")
    outcome_in_words: str = described("The same in words.")
    decisions: int = described("Number of decisions.")
    reports: int = described("Number of reports that they closed.")


@documented
class FiguresPage(Page):
    """`/corrections/figures`: backlog by age, days to a decision, outcomes, reversals."""

    section: ClassVar = "/corrections"

    counted_on: datetime.date = described("The day in UTC on which this was counted.")
    since: datetime.date = described("The day from which on decisions are counted: 365 days before.")
    backlog: Sequence[Waiting] = described("Reports that are open (filed, counted in public, not decided), by age.")
    figures: Sequence[Figure] = described("The numbers.")
    outcomes: Sequence[OutcomeCount] = described("Decisions since then, by what they said; every outcome is listed.")

    @property
    def heading(self) -> str:
        """What the page shows."""
        return "Corrections in figures"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """The log, then this page."""
        return (Crumb(name="Corrections", url="/corrections"),)


def build() -> FiguresPage:
    """Count. Eight queries, each over open reports or a year of decisions."""
    # By whole days, so that the page is the same all day long while nothing happens.
    today = timezone.now().date()
    since = datetime.datetime.combine(today - WINDOW, datetime.time(), datetime.UTC)
    provenance = Provenance.current()
    return FiguresPage(
        url="/corrections/figures",
        source=provenance.source,
        provenance=provenance,
        counted_on=today,
        since=since.date(),
        backlog=_backlog(today),
        figures=_figures(since),
        outcomes=_outcomes(since),
    )


def _rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall()


def _backlog(today: datetime.date) -> list[Waiting]:
    limits = [lower for lower, _ in AGES]
    found = dict(
        _rows(
            "SELECT width_bucket(greatest(0, %s - (filed_at AT TIME ZONE 'UTC')::date), %s::int[]), count(*)"
            " FROM corrections_report WHERE state = ANY (%s) GROUP BY 1",
            [today, limits, [str(state) for state in COUNTED]],
        )
    )
    return [
        Waiting(at_least_days=lower, below_days=below, reports=found.get(place, 0))
        for place, (lower, below) in enumerate(AGES, start=1)
    ]


def days_to_decision(since: datetime.datetime) -> tuple[float | None, float | None, int]:
    """Median and 90th percentile of the days from filing to decision, of reports decided since then; and their number.

    Spam is left out: it is decided in bulk and would make the figures look better. One query.
    """
    (row,) = _rows(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY days), percentile_cont(0.9) WITHIN GROUP (ORDER BY days),"
        " count(*) FROM (SELECT extract(epoch FROM d.at - r.filed_at) / 86400 AS days FROM corrections_decision d"
        " JOIN corrections_report r ON r.decision_id = d.number WHERE d.at >= %s AND d.outcome <> 'spam') t",
        [since],
    )
    median, late, number = row
    return (round(median, 2) if number else None, round(late, 2) if number else None, number)


def _figures(since: datetime.datetime) -> list[Figure]:
    median, late, number = days_to_decision(since)
    changing = Decision.objects.filter(at__gte=since, outcome__in=CHANGES_SOMETHING).exclude(outcome=Outcome.REVERTED)
    changed = changing.count()
    reversed_ = changing.filter(reverted_by__isnull=False).distinct().count()
    appeals = Report.objects.filter(filed_at__gte=since).exclude(appeal="").count()
    of = f"of the {number} reports decided in the last 365 days, spam left out, from filing to decision"
    return [
        Figure(name="Half are decided within", value=median, unit="days", definition=f"The median {of}."),
        Figure(name="Nine in ten are decided within", value=late, unit="days", definition=f"The 90th percentile {of}."),
        Figure(
            name="Held for a look",
            value=Report.objects.filter(state=ReportState.HELD).count(),
            unit="reports",
            definition="Reports that came without proof of work or above a limit, and that nobody has looked at yet. "
            "They are not counted as open.",
        ),
        Figure(
            name="Decisions that changed something",
            value=changed,
            unit="decisions",
            definition="Decisions of the last 365 days that changed a value, reversals left out.",
        ),
        Figure(
            name="Of these, reverted",
            value=reversed_,
            unit="decisions",
            definition="Those of them that a later decision reverted: errors that a correction brought in.",
        ),
        Figure(
            name="Appeals",
            value=appeals,
            unit="reports",
            definition="Reports filed in the last 365 days whose reporter asked for another reader.",
        ),
        Figure(
            name="Values changed",
            value=Change.objects.filter(decision__at__gte=since).count(),
            unit="changes",
            definition="Changes of single values in the last 365 days, reversals counted too.",
        ),
    ]


def _outcomes(since: datetime.datetime) -> list[OutcomeCount]:
    entries = Decision.objects.filter(at__gte=since, kind=EntryKind.DECISION).order_by()
    counted = entries.values_list("outcome").annotate(n=Count("pk"), closed=Sum("reports_closed"))
    found: dict[str, tuple[int, int]] = {outcome: (n, closed) for outcome, n, closed in counted}
    return [
        OutcomeCount(
            outcome=str(outcome),
            outcome_in_words=str(outcome.label),
            decisions=found.get(outcome, (0, 0))[0],
            reports=found.get(outcome, (0, 0))[1],
        )
        for outcome in Outcome
    ]
