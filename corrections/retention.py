"""What is forgotten, and when: people, traces of senders, used challenges, texts of spam. Never the log."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from corrections.decisions import as_json
from corrections.models import COUNTED, Filing, Outcome, Report, Reporter, ReportKind, ReportState, UsedChallenge
from corrections.notices import LINK_HOLDS, erase_reporters

PEOPLE = timedelta(days=365)
"""How long name and address are kept after the last of a person's reports was decided; an appeal may come."""

SENDERS = timedelta(days=2)
"""How long the digests of senders are kept; the limits look back one day."""

SPAM = timedelta(days=90)
"""How long the text of a report is kept that was decided to be spam."""


@dataclass(frozen=True)
class Forgotten:
    """How many rows were deleted or emptied."""

    people: int
    unconfirmed_addresses: int
    senders: int
    challenges: int
    spam_texts: int

    def __str__(self) -> str:
        return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in asdict(self).items())


def forget() -> Forgotten:
    """Forget what is due. Can be run at any time and again and again."""
    now = timezone.now()
    unconfirmed = Reporter.objects.filter(confirmed_at=None, created_at__lt=now - LINK_HOLDS).exclude(email="")
    return Forgotten(
        people=erase_reporters(_done_with(now - PEOPLE)),
        unconfirmed_addresses=unconfirmed.update(email=""),
        senders=Filing.objects.filter(at__lt=now - SENDERS).delete()[0],
        challenges=UsedChallenge.objects.filter(expires_at__lt=now).delete()[0],
        spam_texts=_empty_spam(now - SPAM),
    )


def _done_with(before: datetime.datetime) -> QuerySet[Reporter]:
    """People all of whose reports were closed before then, or who have none."""
    still = Q(state__in=[ReportState.HELD, *COUNTED]) | Q(decision__at__gte=before) | Q(filed_at__gte=before)
    waiting = Report.objects.filter(still, reporter__isnull=False).values("reporter")
    return Reporter.objects.filter(created_at__lt=before).exclude(pk__in=waiting)


def _empty_spam(before: datetime.datetime) -> int:
    spam = Report.objects.filter(state=ReportState.DECIDED, decision__outcome=Outcome.SPAM, decision__at__lt=before)
    nothing = as_json(None)
    texts = {f"source_{name}": "" for name in ("url", "version", "page", "table", "row", "quote")}
    # The kind goes with the text: "a value is wrong" asks for a source.
    return spam.exclude(kind=ReportKind.OTHER, comment="", addition="", source_url="").update(
        kind=ReportKind.OTHER, comment="", addition="", appeal="", proposed=nothing, **texts
    )
