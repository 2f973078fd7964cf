"""Where a report stands, told honestly: how many are before it, and how long others took."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from corrections.models import COUNTED, Report, ReportState
from corrections.pages.figures import WINDOW, days_to_decision


@dataclass(frozen=True)
class StandingOfReport:
    """The place of an undecided report in the queue, and what decided ones took."""

    before: int
    """Undecided reports that were filed earlier; the queue begins with the oldest."""

    median_days: float | None
    late_days: float | None
    decided: int
    """Number of reports that the days are counted from: those decided in the last 365 days, spam left out."""

    can_add: bool
    can_withdraw: bool
    can_appeal: bool


def of(report: Report) -> StandingOfReport:
    """The standing of a report. Two queries while it is undecided, else none."""
    undecided = report.state in (ReportState.HELD, *COUNTED)
    earlier = Report.objects.undecided().filter(filed_at__lt=report.filed_at)
    median, late, decided = days_to_decision(timezone.now() - WINDOW) if undecided else (None, None, 0)
    return StandingOfReport(
        before=earlier.count() if undecided else 0,
        median_days=median,
        late_days=late,
        decided=decided,
        can_add=undecided,
        can_withdraw=report.state in (ReportState.HELD, ReportState.OPEN),
        can_appeal=report.state == ReportState.DECIDED and not report.appeal,
    )
