"""Claims: who is at work on a case. They end by themselves, keep nobody from looking, and are few for each person."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from archive.models import Record
from corrections.decisions import Refused
from corrections.models import Claim

LASTS = timedelta(minutes=30)
MOST_EACH = 5


@dataclass(frozen=True)
class Claimed:
    """A live claim as the desk shows it."""

    user_id: int
    by: str
    until: datetime.datetime


def live(records: list[int]) -> dict[tuple[int, str], Claimed]:
    """The claims that have not ended on cases of these records, by record and field. One query."""
    found = Claim.objects.filter(record__in=records, until__gt=timezone.now())
    return {
        (record, field): Claimed(user, name or login, until)
        for record, field, user, name, login, until in found.values_list(
            "record_id", "field", "user_id", "user__readername__name", F("user__username"), "until"
        )
    }


def claim(record: Record, field: str, reader: User) -> Claimed:
    """Take a case for half an hour, or take it anew. Raises Refused if somebody else has it, or one has too many.

    Five queries. Dead claims are cleared away on the way, so none is ever in anybody's way.
    """
    now = timezone.now()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=reader.pk)  # one person's claims one after the other
        Claim.objects.filter(until__lte=now).delete()
        mine = Claim.objects.filter(user=reader).exclude(record=record, field=field).count()
        if mine >= MOST_EACH:
            raise Refused(f"You have {mine} cases already. Decide one or give one back first.")
        held, made = Claim.objects.get_or_create(
            record=record, field=field, defaults={"user": reader, "until": now + LASTS}
        )
        if held.user_id != reader.pk:
            raise Refused(words_of(live([record.pk])[record.pk, field]))
        if not made:
            held.until = now + LASTS
            held.save(update_fields=["until"])
    return Claimed(reader.pk, "you", held.until)


def extend(record: Record, field: str, reader: User) -> bool:
    """Let one's own live claim last half an hour from now; False if there is none. One query."""
    now = timezone.now()
    mine = Claim.objects.filter(record=record, field=field, user=reader, until__gt=now)
    return bool(mine.update(until=now + LASTS))


def release(record: Record, field: str, reader: User) -> None:
    """Give one's case back. One query."""
    Claim.objects.filter(record=record, field=field, user=reader).delete()


def held_by_another(record: Record, field: str, reader: User) -> Claimed | None:
    """The live claim of somebody else on a case. One query."""
    held = live([record.pk]).get((record.pk, field))
    return held if held is not None and held.user_id != reader.pk else None


def words_of(held: Claimed) -> str:
    """Who is at work, and until when at most."""
    return f"{held.by} is at work on this case, until {held.until:%H:%M} UTC at most."
