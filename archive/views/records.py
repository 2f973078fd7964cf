"""Pages of one record each."""

from __future__ import annotations

from typing import Any

from django.db.models import Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from archive.models import ImportRun, Record, RecordKind
from archive.pages import dataset as dataset_page
from archive.pages import method as method_page
from archive.pages import paper as paper_page
from archive.pages.base import KIND_NAMES
from archive.pages.standing import withdrawn_by
from archive.pages.view import View
from archive.responses import Gone, Moved, respond, wants_json
from archive.views.names import place_in

NEWEST_IMPORT = ImportRun.objects.order_by("-id").values("at")[:1]


def found(kind: RecordKind, key: str, view: View) -> Record:
    """The record with that key, if it has a page. One query.

    Raises Http404 where there is none, Gone where it was withdrawn, Moved where it was merged into another, NotHeldThen
    for a day before the newest import. Withdrawing and merging hold in every view: rights may be the reason.
    """
    records: Any = Record.objects.select_related("merged_into")
    try:
        record = records.annotate(imported_at=Subquery(NEWEST_IMPORT)).get(kind=kind, key=key)
    except Record.DoesNotExist:
        raise Http404(f"The archive has no {KIND_NAMES[kind]} at /{key}.") from None
    if record.withdrawn:
        raise Gone(f"The {KIND_NAMES[kind]} at /{key} was withdrawn by a decision.", withdrawn_by(record))
    if record.merged_into:
        raise Moved(record.merged_into.path)
    view.check(record.imported_at)
    return record


def dataset(request: HttpRequest, slug: str, view: View) -> HttpResponse:
    """One dataset."""
    record = found(RecordKind.DATASET, f"dataset/{slug}", view)
    return respond(request, dataset_page.build(record, view), "archive/dataset.html")


def paper(request: HttpRequest, slug: str, view: View) -> HttpResponse:
    """One paper."""
    record = found(RecordKind.PAPER, f"paper/{slug}", view)
    return respond(request, paper_page.build(record, view), "archive/paper.html")


def code(request: HttpRequest, slug: str, number: str, view: View) -> HttpResponse:
    """One code link, which has its place on the page of its paper."""
    found(RecordKind.CODE, f"paper/{slug}/code/{number}", view)
    return HttpResponseRedirect(f"/paper/{slug}.json" if wants_json(request) else f"/paper/{slug}#code-{number}")


def method(request: HttpRequest, slug: str, view: View) -> HttpResponse:
    """One method."""
    record = found(RecordKind.METHOD, f"method/{slug}", view)
    return respond(request, method_page.build(record, place_in(request), view), "archive/method.html")
