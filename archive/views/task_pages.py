"""Tasks, their areas, and the tree of them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from archive.models import Area, RecordKind
from archive.pages import area as area_page
from archive.pages import task as task_page
from archive.pages import tasks as tasks_page
from archive.pages.view import View
from archive.responses import respond
from archive.views.records import found


def tasks(request: HttpRequest) -> HttpResponse:
    """All tasks, or those after or before one of them."""
    page = tasks_page.build(after=request.GET.get("after"), before=request.GET.get("before"))
    return respond(request, page, "archive/tasks.html")


def area(request: HttpRequest, slug: str) -> HttpResponse:
    """One area, or its tasks after or before one of them."""
    try:
        record = Area.objects.get(slug=slug)
    except Area.DoesNotExist:
        raise Http404(f"The archive has no area at /area/{slug}.") from None
    page = area_page.build(record, after=request.GET.get("after"), before=request.GET.get("before"))
    return respond(request, page, "archive/area.html")


def task(request: HttpRequest, slug: str, view: View) -> HttpResponse:
    """One task."""
    record = found(RecordKind.TASK, f"task/{slug}", view)
    return respond(request, task_page.build(record, view), "archive/task.html")
