"""Pages of one record each."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from archive.models import Record, RecordKind
from archive.pages import dataset as dataset_page
from archive.pages import method as method_page
from archive.pages import paper as paper_page
from archive.pages.base import KIND_NAMES
from archive.responses import Gone, Moved, respond
from archive.views.names import place_in


def found(kind: RecordKind, key: str) -> Record:
    """The record with that key, if it has a page. One query.

    Raises Http404 where there is none, Gone where it was withdrawn, Moved where it was merged into another.
    """
    try:
        record = Record.objects.select_related("merged_into").get(kind=kind, key=key)
    except Record.DoesNotExist:
        raise Http404(f"The archive has no {KIND_NAMES[kind]} at /{key}.") from None
    if record.withdrawn:
        raise Gone(f"The {KIND_NAMES[kind]} at /{key} was withdrawn by a decision.")
    if record.merged_into:
        raise Moved(record.merged_into.path)
    return record


def dataset(request: HttpRequest, slug: str) -> HttpResponse:
    """One dataset."""
    record = found(RecordKind.DATASET, f"dataset/{slug}")
    return respond(request, dataset_page.build(record), "archive/dataset.html")


def paper(request: HttpRequest, slug: str) -> HttpResponse:
    """One paper."""
    record = found(RecordKind.PAPER, f"paper/{slug}")
    return respond(request, paper_page.build(record), "archive/paper.html")


def method(request: HttpRequest, slug: str) -> HttpResponse:
    """One method."""
    record = found(RecordKind.METHOD, f"method/{slug}")
    return respond(request, method_page.build(record, place_in(request)), "archive/method.html")
