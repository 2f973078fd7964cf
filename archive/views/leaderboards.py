"""Leaderboards and their rows."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

from archive.exporters import leaderboard_csv
from archive.models import RecordKind
from archive.pages import leaderboard as leaderboard_page
from archive.pages import row as row_page
from archive.pages.over_time import NoSuchMetric
from archive.pages.view import View
from archive.responses import CACHE_CONTROL, Moved, respond
from archive.views.records import found


def leaderboard(request: HttpRequest, slug: str, view: View) -> HttpResponse:
    """One leaderboard."""
    record = found(RecordKind.LEADERBOARD, f"sota/{slug}", view)
    try:
        page = leaderboard_page.build(record, view, request.GET.get(leaderboard_page.METRIC))
    except NoSuchMetric as error:
        raise BadRequest(str(error)) from None
    return respond(request, page, "archive/leaderboard.html")


def leaderboard_as_csv(request: HttpRequest, slug: str, view: View) -> StreamingHttpResponse:
    """One leaderboard's rows, for a spreadsheet."""
    try:
        record = found(RecordKind.LEADERBOARD, f"sota/{slug}", view)
    except Moved as moved:
        raise Moved(f"{moved}.csv") from None
    if record.quarantined:
        raise Http404(f"The leaderboard at /sota/{slug} is set aside, and so not given as CSV.")
    page = leaderboard_page.build(record, view)
    origin = f"{request.scheme}://{request.get_host()}"
    response = StreamingHttpResponse(leaderboard_csv.lines(page, origin), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{slug}.csv")
    response["Link"] = f'<{page.canonical_url}>; rel="canonical"'
    if not page.indexable:
        response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = CACHE_CONTROL
    response["Access-Control-Allow-Origin"] = "*"
    return response


def row(request: HttpRequest, slug: str, number: str, view: View) -> HttpResponse:
    """One row of a leaderboard."""
    record = found(RecordKind.RESULT, f"sota/{slug}/row/{number}", view)
    return respond(request, row_page.build(record, view), "archive/row.html")
