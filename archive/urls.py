"""The archive's addresses. A page and its JSON twin are named together: `archive:dataset`, `archive:dataset-json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.urls import URLPattern, path, register_converter

from archive.responses import reading
from archive.views import leaderboards, lists, machine, names, records, search, site, task_pages

app_name = "archive"


class SlugConverter:
    """One segment of an address: word characters of any script and hyphens. Never a dot, so `.json` ends it."""

    regex = r"[\w-]+"

    def to_python(self, value: str) -> str:
        """Take the slug as it is: slugs are data."""
        return value

    def to_url(self, value: str) -> str:
        """Write it as it is."""
        return value


class FacetConverter(SlugConverter):
    """A facet of datasets that has pages of its own."""

    regex = "modality|task|language"


register_converter(SlugConverter, "segment")
register_converter(FacetConverter, "facet")


def twin(route: str, view: Callable[..., HttpResponse], name: str, *, dated: bool = False) -> list[URLPattern]:
    """A page's addresses: `route`, named `name`, and `route.json` (`index.json` of the front page), `name-json`.

    A `dated` one can also be read as the snapshot has it, and as of a day.
    """
    answer: Any = reading(view, dated=dated)
    return [path(route, answer, name=name), path(f"{route or 'index'}.json", answer, name=f"{name}-json")]


urlpatterns = [
    *twin("", site.home, "home"),
    *twin("about", site.about, "about"),
    *twin("counts", site.counts, "counts"),
    *twin("privacy", site.privacy, "privacy"),
    *twin("styleguide", site.styleguide, "styleguide"),
    *twin("quarantine", site.quarantine, "quarantine"),
    *(
        path(route, reading(view), name=name)
        for route, view, name in (
            ("healthz", machine.healthz, "healthz"),
            ("readyz", machine.readyz, "readyz"),
            ("robots.txt", machine.robots, "robots"),
            ("llms.txt", machine.llms, "llms"),
            ("opensearch.xml", machine.opensearch, "opensearch"),
            ("favicon.ico", machine.favicon, "favicon"),
            ("sitemap.xml", machine.sitemap, "sitemap"),
            ("sitemap/pages.xml", machine.sitemap_of_pages, "sitemap-pages"),
            ("sitemap/records-<int:number>.xml", machine.sitemap_of_records, "sitemap-records"),
        )
    ),
    *twin("datasets", lists.datasets, "datasets"),
    *twin("datasets/<facet:facet>/<segment:slug>", lists.datasets_with, "datasets-with"),
    *twin("papers", lists.papers, "papers"),
    *twin("sota", lists.leaderboards, "leaderboards"),
    *twin("methods", lists.methods, "methods"),
    *twin("dataset/<segment:slug>", records.dataset, "dataset", dated=True),
    *twin("paper/<segment:slug>", records.paper, "paper", dated=True),
    *twin("paper/<segment:slug>/code/<segment:number>", records.code, "code", dated=True),
    *twin("author/<segment:slug>", names.author, "author"),
    *twin("method/<segment:slug>", records.method, "method", dated=True),
    *twin("methods/collection/<segment:slug>", names.collection, "collection"),
    *twin("sota/<segment:slug>", leaderboards.leaderboard, "leaderboard", dated=True),
    path("sota/<segment:slug>.csv", reading(leaderboards.leaderboard_as_csv, dated=True), name="leaderboard-csv"),
    *twin("sota/<segment:slug>/row/<segment:number>", leaderboards.row, "row", dated=True),
    *twin("tasks", task_pages.tasks, "tasks"),
    *twin("area/<segment:slug>", task_pages.area, "area"),
    *twin("task/<segment:slug>", task_pages.task, "task", dated=True),
    *twin("search", search.search, "search"),
    path("search/suggest.json", reading(search.suggest), name="suggest"),
]
