"""Relations that the dumps only print: which record is meant, and when none is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from archive.importers.code_links import repository_of
from archive.importers.dump_files import DumpKind
from archive.importers.linking import relink
from archive.importers.run import Source, run_of
from archive.models import CodeLink, Leaderboard, PrintedMethod, Record, Result
from tests.archive.dumps import load, write_dumps

pytestmark = pytest.mark.django_db

SITE = "https://paperswithcode.com"
SPAM = "Call +1-800-555-0142 airline customer service number"


def paper(slug: str, title: str = "T", url: str = "", arxiv: str = "", **more: Any) -> dict[str, Any]:
    return {
        "paper_url": f"{SITE}/paper/{slug}", "title": title, "abstract": "", "url_abs": url, "arxiv_id": arxiv, **more
    }  # fmt: skip


def rows(*printed: tuple[str, str]) -> list[dict[str, Any]]:
    """A tree with one table; rows print an address and a title each."""
    made = [
        {"model_name": f"m{n}", "paper_url": url, "paper_title": title, "metrics": {}}
        for n, (url, title) in enumerate(printed)
    ]
    return [{"task": "T", "datasets": [{"dataset": "D", "sota": {"metrics": [], "rows": made}}], "subtasks": []}]


def matched(tmp_path: Path, papers: Sequence[Any], *printed: tuple[str, str]) -> list[tuple[str | None, str]]:
    load(write_dumps(tmp_path / "in", {DumpKind.PAPERS: papers, DumpKind.TABLES: rows(*printed)}))
    found = Result.objects.order_by("position").values_list("paper__record__key", "paper_matched")
    return [(key and key.removeprefix("paper/"), how) for key, how in found]


def test_the_address_wins_then_the_arxiv_id_then_the_title(tmp_path: Path) -> None:
    papers = [
        paper("title", "Exactly So"),
        paper("arxiv", "Other", arxiv="1512.03385"),
        paper("url", "Another", url="http://arxiv.org/abs/1512.03385v1"),
    ]
    assert matched(
        tmp_path,
        papers,
        ("http://arxiv.org/abs/1512.03385v1", "Exactly So"),
        ("https://arxiv.org/pdf/1512.03385v9.pdf", "Exactly So"),
        ("https://arxiv.org/abs/1512.03385", ""),
        ("https://example.org", " exactly so "),
        ("https://example.org", "not so"),
        ("", ""),
    ) == [("url", "url"), ("arxiv", "arxiv"), ("arxiv", "arxiv"), ("title", "title"), (None, ""), (None, "")]


@pytest.mark.parametrize(
    ("url", "arxiv"),
    [
        ("http://arxiv.org/abs/cs/0404007v2", "cs/0404007"),
        ("https://arxiv.org/pdf/hep-th/9901001.pdf", "hep-th/9901001"),
        ("https://www.arxiv.org/abs/2005.09007/", "2005.09007"),
        ("http://export.arxiv.org/abs/2005.09007v12", "2005.09007"),
    ],
)
def test_arxiv_ids_in_addresses(tmp_path: Path, url: str, arxiv: str) -> None:
    assert matched(tmp_path, [paper("p", arxiv=arxiv)], (url, "")) == [("p", "arxiv")]


def test_a_title_of_two_papers_is_nobodys_and_of_two_addresses_the_first_in_the_archive_is_meant(
    tmp_path: Path,
) -> None:
    papers = [paper("a", "Twice", url="http://x"), paper("b", "twice", url="http://x")]
    assert matched(tmp_path, papers, ("", "Twice"), ("http://x", "")) == [(None, ""), ("a", "url")]


def test_nothing_is_linked_to_what_is_quarantined(tmp_path: Path) -> None:
    dumps: dict[DumpKind, list[Any]] = {
        DumpKind.DATASETS: [{"url": f"{SITE}/dataset/s", "name": SPAM, "variants": ["D"], "modalities": []}],
        DumpKind.TABLES: rows(("", "")),
        DumpKind.METHODS: [{"url": f"{SITE}/method/m", "name": SPAM, "full_name": "F", "collections": []}],
        DumpKind.PAPERS: [paper("p", methods=[{"name": "x", "full_name": "F"}])],
    }
    load(write_dumps(tmp_path / "in", dumps))
    assert set(Record.objects.quarantined().values_list("key", flat=True)) == {"dataset/s", "method/m"}
    assert Leaderboard.objects.get().dataset is None
    assert PrintedMethod.objects.get().method is None


def test_a_first_import_leaves_no_link_to_be_looked_for_again(tmp_path: Path) -> None:
    """Links that name an address given twice, one that is quarantined, one that was minted, and none."""
    papers = [
        paper("twice", "One"),
        paper("twice", "Two"),
        paper("spam", SPAM),
        {"title": "No Address", "abstract": ""},
    ]
    links = [
        {"paper_url": f"{SITE}/paper/{slug}", "paper_title": "", "repo_url": "https://github.com/a/b"}
        for slug in ("twice", "twice-1", "spam", "no-address", "nowhere")
    ]
    load(write_dumps(tmp_path / "in", {DumpKind.PAPERS: papers, DumpKind.LINKS: links}))
    found = CodeLink.objects.order_by("record__ordinal").values_list("paper__record__key", flat=True)
    assert list(found) == ["paper/twice", "paper/twice-1", "paper/spam", "paper/no-address", None]
    with run_of(Source()):
        assert not any(relink().values())


def test_a_dataset_is_meant_by_its_name_before_anothers_variant(tmp_path: Path) -> None:
    def dataset(slug: str, name: str, *variants: str) -> dict[str, Any]:
        return {"url": f"{SITE}/dataset/{slug}", "name": name, "variants": list(variants), "modalities": []}

    dumps = {
        DumpKind.DATASETS: [dataset("a", "A", "D "), dataset("b", "B", "D"), dataset("d", " D")],
        DumpKind.TABLES: rows(("", "")),
    }
    load(write_dumps(tmp_path / "in", dumps))
    board = Leaderboard.objects.get()
    assert board.dataset is not None
    assert (board.dataset.record.key, board.dataset_matched) == ("dataset/d", "name")
    later = {DumpKind.DATASETS: [dataset("a", "A", "D "), dataset("b", "B", "D")]}
    load(write_dumps(tmp_path / "later", later, "2025-08-01"))
    # The one that is gone is still what it was.
    board.refresh_from_db()
    assert board.dataset_matched == "name"


def test_links_find_their_paper_by_page_or_else_like_a_row(tmp_path: Path) -> None:
    links = [
        {"paper_url": f"{SITE}/paper/p", "paper_title": "something else", "repo_url": "https://github.com/a/b"},
        {"paper_url": f"{SITE}/paper/unknown", "paper_title": "T", "repo_url": "https://github.com/a/b"},
        {"paper_url_abs": "http://x", "repo_url": "https://github.com/a/b"},
        {"paper_arxiv_id": "1", "repo_url": "https://github.com/a/b"},
        {"paper_title": "t", "repo_url": "https://github.com/a/b"},
        {"repo_url": "https://github.com/a/b"},
    ]
    dumps = {DumpKind.PAPERS: [paper("p", url="http://x", arxiv="1")], DumpKind.LINKS: links}
    load(write_dumps(tmp_path / "in", dumps))
    found = CodeLink.objects.order_by("record__ordinal").values_list("paper__record__key", flat=True)
    assert list(found) == ["paper/p", None, "paper/p", "paper/p", "paper/p", None]


@pytest.mark.parametrize(
    ("printed", "url"),
    [
        ("https://github.com/Owner/Name", "https://github.com/owner/name"),
        ("http://www.github.com/owner/name.git/", "https://github.com/owner/name"),
        ("https://github.com/owner/name/tree/master/x?y#z", "https://github.com/owner/name"),
        ("https://gitlab.com/Owner/Name", "https://gitlab.com/owner/name"),
        ("https://github.com/owner", "https://github.com/owner"),
        ("https://example.org/Some/Path/", "https://example.org/Some/Path"),
        ("https://example.org/p?id=2", "https://example.org/p?id=2"),
        ("ftp://example.org/x", None),
        ("http://[broken", None),
        ("", None),
        (None, None),
    ],
)
def test_repositories_are_one_whatever_the_spelling(printed: str | None, url: str | None) -> None:
    found = repository_of(printed)
    assert (found and found.url) == url
