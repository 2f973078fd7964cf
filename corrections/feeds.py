"""Decisions as Atom: of the whole archive, and of one dataset, paper or leaderboard with what hangs on it."""

from __future__ import annotations

import datetime
from typing import Any

from django.contrib.syndication.views import Feed
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape

from archive.models import Record, RecordKind, SiteVersion
from corrections.display import for_xml, in_words
from corrections.models import Change, Decision, EntryKind
from corrections.pages.entries import EntryShown, shown
from corrections.scope import within

ENTRIES = 50
LONGEST_VALUE = 500
WITH_A_FEED = (RecordKind.DATASET, RecordKind.PAPER, RecordKind.LEADERBOARD)


class StillFeed(Atom1Feed):
    """Atom that stays as it is while nothing happens, also when it is empty."""

    def latest_post_date(self) -> datetime.datetime:
        """When the newest item was decided; of an empty feed, when the site's public version last moved."""
        if self.items:
            return super().latest_post_date()
        version = SiteVersion.objects.first()
        return version.changed_at if version else datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class DecisionFeed(Feed):
    """The newest decisions. Whatever was typed, the feed stays XML: see `for_xml`."""

    feed_type = StillFeed
    subtitle = "Every decision on a report, with its reason. Text and data of the archive: CC BY-SA 4.0."
    language = "en"

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer, to be asked about each time as pages are."""
        response = super().__call__(request, *args, **kwargs)
        response["Cache-Control"] = "public, no-cache"
        response["Access-Control-Allow-Origin"] = "*"
        return response

    def title(self, obj: Any) -> str:
        """What the feed is of."""
        return "Corrigenda: decisions"

    def link(self, obj: Any) -> str:
        """The page that the feed follows."""
        return "/corrections"

    def feed_url(self, obj: Any) -> str:
        """The feed's own address."""
        return "/corrections.atom"

    def items(self, obj: Any = None) -> list[EntryShown]:
        """The newest entries. Three queries."""
        return shown(list(self.entries(obj)[:ENTRIES]))

    def entries(self, obj: Any) -> QuerySet[Decision]:
        """The entries of the feed, newest first."""
        return Decision.objects.filter(kind=EntryKind.DECISION).newest_first()

    def item_title(self, item: EntryShown) -> str:
        """Number and what it is."""
        return for_xml(f"#{item.number} {item.title}")

    def item_description(self, item: EntryShown) -> str:
        """The reason, and each value before and after, as HTML without a link or tag of anybody's."""
        told = [item.reason if item.reason is not None else item.sealed.sentence if item.sealed else ""]
        for change in item.changes:
            values = "sealed" if change.sealed else f"{_short(change.before)} → {_short(change.after)}"
            told.append(f"{change.label} of {change.record}: {values}")
        told += [f"On {report.label} of {report.record}" for report in item.answers]
        return for_xml("".join(f"<p>{escape(text)}</p>" for text in told if text))

    def item_link(self, item: EntryShown) -> str:
        """The decision's page."""
        return item.url

    def item_pubdate(self, item: EntryShown) -> datetime.datetime:
        """When it was decided, in UTC."""
        return item.at

    item_updateddate = item_pubdate

    def item_author_name(self, item: EntryShown) -> str:
        """Who decided, by public name."""
        return for_xml(item.reader)


def _short(value: Any) -> str:
    words = in_words(value)
    return words if len(words) <= LONGEST_VALUE else f"{words[: LONGEST_VALUE - 1]}…"


class RecordFeed(DecisionFeed):
    """The newest decisions that changed a record, or what hangs on it."""

    def get_object(self, request: HttpRequest, key: str) -> Record:
        """The record. Raises Http404 for one that has no feed."""
        record = Record.objects.filter(key=key, kind__in=WITH_A_FEED).first()
        if record is None:
            raise Http404(f"There is no feed of /{key}: datasets, papers and leaderboards have one.")
        return record

    def entries(self, obj: Record) -> QuerySet[Decision]:
        """By the changes. One query of its own."""
        changed = Change.objects.filter(within(obj)).values("decision").annotate(last=Max("decision")).order_by("-last")
        return Decision.objects.filter(pk__in=list(changed.values_list("decision", flat=True)[:ENTRIES])).newest_first()

    def title(self, obj: Record) -> str:
        """Whose feed it is."""
        return for_xml(f"Corrigenda: decisions on {obj.name or obj.key}")

    def link(self, obj: Record) -> str:
        """The record's history."""
        return f"{obj.path}/history"

    def feed_url(self, obj: Record) -> str:
        """The feed's own address."""
        return f"{obj.path}/corrections.atom"
