"""The public log: what was decided, what is open, the rules, the figures, the history of a record."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse

from archive.models import Record
from archive.responses import CACHE_CONTROL, respond
from corrections.filters import LogFilter
from corrections.models import Decision
from corrections.pages import decision as decision_page
from corrections.pages import figures as figures_page
from corrections.pages import history as history_page
from corrections.pages import log as log_page
from corrections.pages import open_reports as open_page
from corrections.pages import policy as policy_page
from corrections.table import lines

LARGEST = 2**63 - 1


def number_in(request: HttpRequest, name: str) -> int | None:
    """A whole number of the address; None if it is not given. Raises Http404 if it is none."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= LARGEST):
        raise Http404(f"“{name}” takes a number.")
    return int(text)


def log(request: HttpRequest) -> HttpResponse:
    """The log, newest first."""
    filters = LogFilter(request.GET, queryset=Decision.objects.all())
    return respond(request, log_page.build(filters, number_in(request, "before")), "corrections/log.html")


def log_as_csv(request: HttpRequest) -> Any:
    """The log as a table, with the same filters."""
    entries = log_page.selected(LogFilter(request.GET, queryset=Decision.objects.all()), None)
    answer = StreamingHttpResponse(lines(entries), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="corrections.csv"'
    answer["Cache-Control"] = CACHE_CONTROL
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


def decision(request: HttpRequest, number: int) -> HttpResponse:
    """One entry."""
    entry = Decision.objects.filter(number=number).first() if number <= LARGEST else None
    if entry is None:
        raise Http404(f"The log has no entry #{number}.")
    return respond(request, decision_page.build(entry), "corrections/decision.html")


def open_reports(request: HttpRequest) -> HttpResponse:
    """What is open."""
    return respond(request, open_page.build(number_in(request, "after") or 0), "corrections/open.html")


def policy(request: HttpRequest) -> HttpResponse:
    """The rules."""
    return respond(request, policy_page.build(), "corrections/policy.html")


def figures(request: HttpRequest) -> HttpResponse:
    """How the work goes."""
    return respond(request, figures_page.build(), "corrections/figures.html")


def history(request: HttpRequest, key: str) -> HttpResponse:
    """Each change of a record, which may be withdrawn, merged or set aside by now."""
    record = Record.objects.select_related("merged_into").filter(key=key).first()
    if record is None:
        raise Http404(f"The archive has no record at /{key}.")
    return respond(request, history_page.build(record, number_in(request, "before")), "corrections/history.html")
