"""What belongs to a record when its history is asked for: the record itself, and what hangs on it."""

from __future__ import annotations

from django.db.models import Q

from archive.models import Record, RecordKind


def within(record: Record, prefix: str = "record") -> Q:
    """The condition, across a relation, for the record and what is below it.

    Below are a leaderboard's rows and a paper's code links, by their keys; a dataset's leaderboards with their rows;
    the result rows of a paper.
    """
    found = Q(**{prefix: record}) | Q(**{f"{prefix}__key__startswith": f"{record.key}/"})
    if record.kind == RecordKind.DATASET:
        found |= Q(**{f"{prefix}__leaderboard__dataset": record.pk})
        found |= Q(**{f"{prefix}__result__leaderboard__dataset": record.pk})
    elif record.kind == RecordKind.PAPER:
        found |= Q(**{f"{prefix}__result__paper": record.pk})
    return found
