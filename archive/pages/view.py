"""Which state of the archive a page shows: what stands now, the newest snapshot alone, or what stood on a day.

`?view=snapshot` and `?as_of=YYYY-MM-DD` ask for the last two. A view is a moment: decisions made until then count.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.core.exceptions import BadRequest
from django.utils import timezone

from archive.models import ImportRun
from archive.pages.documented import described, documented

AS_OF = "as_of"
VIEW = "view"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
OF_NOW = (
    "Texts that were withheld or sealed and records that were withdrawn stay hidden here too. "
    "Names of linked records, lists of records and open reports are those of now."
)


class NotHeldThen(Exception):
    """The archive did not hold what is asked for in that view; the message says who does. Answered with 404."""


class State(StrEnum):
    """The three kinds of views."""

    CURRENT = "current"
    SNAPSHOT = "snapshot"
    AS_OF = "as-of"


@documented
class ToldView:
    """That a page shows another state than the current one."""

    state: State = described("snapshot: without corrections. as-of: as it stood at the end of a day.", key="name")
    as_of: datetime.date | None = described("The day, which ends in UTC; null for the snapshot.")
    sentence: str = described("The same in words.")
    note: str = described("What is of now all the same.", default=OF_NOW)


@dataclass(frozen=True)
class View:
    """One of the states that a page can be asked for."""

    state: State = State.CURRENT
    day: datetime.date | None = None

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> View:
        """The view that an address asks for. Raises BadRequest, with a sentence, for one that can not be."""
        if AS_OF in query and VIEW in query:
            raise BadRequest("Ask for the snapshot (view=snapshot) or for a day (as_of=), not for both.")
        if VIEW in query:
            if query[VIEW] != State.SNAPSHOT:
                raise BadRequest("The only view to ask for is view=snapshot.")
            return cls(State.SNAPSHOT)
        return cls(State.AS_OF, _day(query[AS_OF])) if AS_OF in query else CURRENT

    @property
    def until(self) -> datetime.datetime | None:
        """The moment until which decisions count: the end of the day; None for the current view, where all do."""
        if self.state == State.SNAPSHOT:
            return datetime.datetime.min.replace(tzinfo=datetime.UTC)
        if self.day is None:
            return None
        return datetime.datetime.combine(self.day, datetime.time.max, datetime.UTC)

    @property
    def then(self) -> str:
        """The moment in words, after "it was not there"."""
        return f"by the end of {self.day}" if self.day else "in the snapshot"

    @property
    def parameter(self) -> str:
        """The view as an address says it, "" for the current one."""
        return {State.SNAPSHOT: f"{VIEW}={self.state}", State.AS_OF: f"{AS_OF}={self.day}"}.get(self.state, "")

    def of(self, url: str) -> str:
        """The address of a page in this view."""
        return f"{url}{'&' if '?' in url else '?'}{self.parameter}" if self.parameter else url

    def told(self, snapshot: datetime.date | None) -> ToldView | None:
        """What the page has to say of it; None for the current view."""
        if self.state == State.CURRENT:
            return None
        words = {
            State.SNAPSHOT: f"This is the snapshot of {snapshot}, without corrections.",
            State.AS_OF: f"This is what stood at the end of {self.day} (UTC): the snapshot of {snapshot} with the "
            "corrections decided by then.",
        }
        return ToldView(state=self.state, as_of=self.day, sentence=words[self.state])

    def check(self, imported_at: datetime.datetime | None) -> None:
        """Raise NotHeldThen for a day that ended before the newest import. One query then, none else."""
        if self.day is None or self.until is None or (imported_at is not None and imported_at <= self.until):
            return
        then = ImportRun.objects.filter(at__lte=self.until).newest()
        if then is not None:
            raise NotHeldThen(
                f"The archive was imported anew after {self.day}. What stood on that day is in the bundle of {then}."
            )
        first = ImportRun.objects.order_by("id").first()
        where = f"; what the archive says without corrections is in the bundle of {first}" if first else ""
        raise NotHeldThen(f"Nothing had been imported here by the end of {self.day}{where}.")


CURRENT = View()


def _day(text: str) -> datetime.date:
    try:
        if not _DAY.match(text):
            raise ValueError
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise BadRequest("as_of is a day, written YYYY-MM-DD.") from None
    if day > timezone.now().astimezone(datetime.UTC).date():
        raise BadRequest(f"{day} is in the future: nobody knows yet what will stand then.")
    return day
