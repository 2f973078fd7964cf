"""Addresses of reports and decisions."""

from __future__ import annotations

from typing import Any

from django.urls import path, register_converter

from archive.responses import reading
from archive.urls import twin
from corrections.feeds import DecisionFeed, RecordFeed
from corrections.views import log, mirror, report, status

app_name = "corrections"


class RecordKeyConverter:
    """A record's public key, which is its path: `dataset/x`, `sota/x/row/1`."""

    regex = (
        r"(?:paper|dataset|task|method|sota)/[\w-]+|sota/[\w-]+/row/[1-9][0-9]{0,8}|paper/[\w-]+/code/[1-9][0-9]{0,8}"
    )

    def to_python(self, value: str) -> str:
        """Keys are data."""
        return value

    def to_url(self, value: str) -> str:
        """Keys are data."""
        return value


register_converter(RecordKeyConverter, "key")

_report: Any = report.report
_challenge: Any = report.challenge
_status: Any = status.status
_confirm: Any = status.confirm
_unsubscribe: Any = status.unsubscribe
_csv: Any = reading(log.log_as_csv)
_changes: Any = reading(mirror.changes)
_feed: Any = reading(DecisionFeed())
_record_feed: Any = reading(RecordFeed())

urlpatterns = [
    path("report/challenge.json", _challenge, name="challenge"),
    path("report/status/<str:token>", _status, name="status"),
    path("report/confirm/<str:token>", _confirm, name="confirm"),
    path("report/unsubscribe/<str:token>", _unsubscribe, name="unsubscribe"),
    path("report/<key:key>", _report, name="report"),
    *twin("corrections", log.log, "log"),
    *twin("corrections/<int:number>", log.decision, "decision"),
    *twin("corrections/open", log.open_reports, "open"),
    *twin("corrections/policy", log.policy, "policy"),
    *twin("corrections/figures", log.figures, "figures"),
    path("corrections/changes.jsonl", _changes, name="changes"),
    path("corrections.csv", _csv, name="log-csv"),
    path("corrections.atom", _feed, name="feed"),
    path("<key:key>/corrections.atom", _record_feed, name="record-feed"),
    *twin("<key:key>/history", log.history, "history"),
]
