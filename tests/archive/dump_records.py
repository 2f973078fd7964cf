"""Single records in the final dump's form, for tests that need an archive of their own."""

from __future__ import annotations

from typing import Any

SITE = "https://paperswithcode.com"

SCRIPT = '<script>alert("x")</script><img src=x onerror=alert(1)>'
RTL = "\N{RIGHT-TO-LEFT OVERRIDE}مرحبا بالعالم שלום"


def paper(slug: str, **fields: Any) -> dict[str, Any]:
    """A paper that gives little more than its title."""
    empty = dict.fromkeys(("arxiv_id", "nips_id", "openreview_id", "url_abs", "url_pdf", "abstract", "short_abstract"))
    rest = dict.fromkeys(("reproduces_paper", "proceeding", "conference_url_abs", "conference_url_pdf", "conference"))
    lists: dict[str, Any] = {"authors": [], "tasks": [], "methods": []}
    return {
        "paper_url": f"{SITE}/paper/{slug}",
        "title": slug,
        "date": "2020-02-02",
        **empty,
        **rest,
        **lists,
        **fields,
    }


def code(slug: str, repo_url: str | None, **fields: Any) -> dict[str, Any]:
    """A link between a paper and a repository, all flags false."""
    flags = dict.fromkeys(("is_official", "mentioned_in_paper", "mentioned_in_github"), False)
    printed = dict.fromkeys(("paper_title", "paper_arxiv_id", "paper_url_abs", "paper_url_pdf"))
    return {
        "paper_url": f"{SITE}/paper/{slug}",
        **printed,
        "repo_url": repo_url,
        **flags,
        "framework": "none",
        **fields,
    }


def method(slug: str, **fields: Any) -> dict[str, Any]:
    """A method in no collection, of an unknown year."""
    empty = dict.fromkeys(("full_name", "description", "paper", "source_url", "source_title", "code_snippet_url"))
    known = {"introduced_year": 2000, "num_papers": 0, "collections": []}
    return {"url": f"{SITE}/method/{slug}", "name": slug, **empty, **known, **fields}


def printed_method(name: str, **fields: Any) -> dict[str, Any]:
    """The copy of a method that a paper's record carries."""
    empty = dict.fromkeys(("description", "source_url", "source_title", "code_snippet_url", "main_collection"))
    return {"name": name, "full_name": name, "introduced_year": 2000, **empty, **fields}


def table(task: str, dataset: str, metrics: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A task with one leaderboard."""
    return {
        "task": task,
        "description": "",
        "categories": [],
        "datasets": [
            {
                "dataset": dataset,
                "description": "",
                "dataset_links": [],
                "dataset_citations": [],
                "subdatasets": [],
                "sota": {"metrics": metrics, "rows": rows},
            }
        ],
        "subtasks": [],
        "synonyms": [],
        "source_link": None,
    }


def row(model: str, title: str, metrics: dict[str, str]) -> dict[str, Any]:
    """A row of a leaderboard, whose paper is known by its title."""
    return {
        "model_name": model,
        "paper_title": title,
        "paper_url": "",
        "paper_date": None,
        "code_links": [],
        "model_links": [],
        "metrics": metrics,
        "uses_additional_data": False,
    }
