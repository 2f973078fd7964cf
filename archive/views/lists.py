"""Lists of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect

from archive.filters import DatasetFilters, Facets, LeaderboardFilters, MethodFilters, PaperFilters
from archive.models import Record, RecordKind
from archive.pages import datasets as datasets_page
from archive.pages import leaderboards as leaderboards_page
from archive.pages import methods as methods_page
from archive.pages import papers as papers_page
from archive.pages.listing import Asked, ListPage, Sort
from archive.pages.standing import withdrawn_by
from archive.responses import Gone, Moved, respond, wants_json


def listed(
    request: HttpRequest,
    path: str,
    facets: type[Facets],
    sorts: Mapping[str, Sort],
    build: Callable[[Asked], ListPage],
    template: str,
    fixed: Mapping[str, str] | None = None,
    places: Sequence[str] = ("page",),
) -> HttpResponse:
    """Answer with a list, at the one address of what is asked: another spelling of it is sent there by 301."""
    asked = Asked.of(request.GET, path, facets, sorts, fixed, places)
    if fixed and not all(asked.facets.known[name] for name in fixed):
        ((name, value),) = fixed.items()
        raise Http404(f"The archive has no {name} called “{value}”.")
    _, _, query = asked.url.partition("?")
    if request.META.get("QUERY_STRING", "") != query:
        twin = path + ".json" if wants_json(request) else path
        return HttpResponsePermanentRedirect(f"{twin}?{query}" if query else twin)
    return respond(request, build(asked), template)


def datasets(request: HttpRequest) -> HttpResponse:
    """Datasets."""
    build, template = datasets_page.build, "archive/datasets.html"
    return listed(request, "/datasets", DatasetFilters, datasets_page.SORTS, build, template)


def datasets_with(request: HttpRequest, facet: str, slug: str) -> HttpResponse:
    """Datasets that share a modality, a task or a language."""
    if facet == "task":
        _follow(slug)
    build, template = datasets_page.build, "archive/datasets.html"
    path = f"/datasets/{facet}/{slug}"
    return listed(request, path, DatasetFilters, datasets_page.SORTS, build, template, {facet: slug})


def papers(request: HttpRequest) -> HttpResponse:
    """Papers."""
    build, template = papers_page.build, "archive/papers.html"
    return listed(request, "/papers", PaperFilters, papers_page.SORTS, build, template, places=papers_page.PLACES)


def methods(request: HttpRequest) -> HttpResponse:
    """Methods."""
    return listed(request, "/methods", MethodFilters, methods_page.SORTS, methods_page.build, "archive/methods.html")


def leaderboards(request: HttpRequest) -> HttpResponse:
    """Leaderboards."""
    build, template = leaderboards_page.build, "archive/leaderboards.html"
    return listed(request, "/sota", LeaderboardFilters, leaderboards_page.SORTS, build, template)


def _follow(slug: str) -> None:
    """Raise Gone or Moved where the task was withdrawn or merged. One query."""
    task = Record.objects.filter(kind=RecordKind.TASK, key=f"task/{slug}").select_related("merged_into").first()
    if task and task.withdrawn:
        raise Gone(f"The task at /task/{slug} was withdrawn by a decision.", withdrawn_by(task))
    if task and task.merged_into:
        raise Moved(f"/datasets{task.merged_into.path}")
