"""Pages of one record each."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from archive.models import Record, RecordKind
from archive.pages import dataset as dataset_page
from archive.pages.base import KIND_NAMES
from archive.responses import respond


def found(kind: RecordKind, key: str) -> Record:
    """The record with that key. One query. Raises Http404."""
    try:
        return Record.objects.get(kind=kind, key=key)
    except Record.DoesNotExist:
        raise Http404(f"The archive has no {KIND_NAMES[kind]} at /{key}.") from None


def dataset(request: HttpRequest, slug: str) -> HttpResponse:
    """One dataset."""
    record = found(RecordKind.DATASET, f"dataset/{slug}")
    return respond(request, dataset_page.build(record), "archive/dataset.html")
