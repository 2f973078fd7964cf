"""Keys: data where the dump gives them, minted where it does not, the same for the same dump, and kept for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from archive.importers.dump_files import DumpKind
from archive.models import Author, CodeLink, Leaderboard, Modality, Paper, Record, RecordKind, Result, Task
from tests.archive.dumps import TINY, canonical_records, exported, faults, load, taken_back, write_dumps

pytestmark = pytest.mark.django_db

SITE = "https://paperswithcode.com"
Writing = Callable[..., Path]


@pytest.fixture
def dumps(tmp_path: Path) -> Writing:
    """Writes a folder of dumps: `dumps(papers=[...], snapshot=...)`."""
    number = iter(range(100))

    def write(snapshot: str = "2025-07-28", **records: Sequence[Any]) -> Path:
        folder = tmp_path / f"dumps{next(number)}"
        return write_dumps(folder, {DumpKind(kind): rows for kind, rows in records.items()}, snapshot)

    return write


def keys(kind: RecordKind) -> list[str]:
    return list(Record.objects.filter(kind=kind).order_by("ordinal", "id").values_list("key", flat=True))


def by_name(kind: RecordKind) -> dict[str, str]:
    return dict(Record.objects.filter(kind=kind).values_list("name", "key"))


def paper(slug: str | None, title: str, **more: Any) -> dict[str, Any]:
    return {"paper_url": slug and f"{SITE}/paper/{slug}", "title": title, "abstract": "", **more}


def table(name: str | None, slug: str | None = None, rows: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    links = [{"title": "Papers with Code Leaderboard URL", "url": f"{SITE}/sota/{slug}"}] if slug else []
    return {"dataset": name, "dataset_links": links, "sota": {"metrics": ["A"], "rows": list(rows)}, **more}


def task(name: str | None, *tables: Any, subtasks: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    return {"task": name, "datasets": list(tables), "subtasks": list(subtasks), **more}


def row(model: str | None, value: str = "1", url: str = "") -> dict[str, Any]:
    return {"model_name": model, "paper_url": url, "metrics": {"A": value}}


def test_records_without_an_address_get_the_old_sites_rule(dumps: Writing) -> None:
    long = "Towards Multi-modal Open-domain Conversation: A Survey of Everything"
    load(dumps(papers=[paper(None, long), paper(None, "Été à l'École"), paper(None, "长文"), paper(None, "")]))
    minted = by_name(RecordKind.PAPER)
    assert minted[long] == "paper/towards-multi-modal-open-domain-conversation"
    assert len(minted[long].removeprefix("paper/")) <= 45
    assert minted["Été à l'École"] == "paper/ete-a-l-ecole"
    assert minted["长文"].startswith("paper/x-") and len(minted["长文"]) == len("paper/x-") + 10
    assert minted[""] == "paper/unnamed"


def test_collisions_are_numbered_in_archive_order_and_addresses_win(dumps: Writing) -> None:
    folder = dumps(
        papers=[
            paper(None, "Foo"),
            paper(None, "Foo", abstract="another"),
            paper("foo-1", "has the address of the first free number"),
            paper("foo", "has the address itself"),
            paper("foo", "repeats it"),
            paper(None, "Foo!"),
        ]
    )
    load(folder)
    assert keys(RecordKind.PAPER) == [
        "paper/foo-2",
        "paper/foo-3",
        "paper/foo-1",
        "paper/foo",
        "paper/foo-4",
        "paper/foo-5",
    ]
    assert faults() == []


def test_odd_addresses_are_no_keys(dumps: Writing, tmp_path: Path) -> None:
    odd = [
        f"{SITE}/paper/a%20b",
        f"{SITE}/paper/a/b",
        f"{SITE}/dataset/a",
        f"{SITE}/paper/",
        "https://example.org/paper/a",
        f"{SITE}/paper/" + "x" * 300,
        3,
    ]
    folder = dumps(papers=[{"paper_url": url, "title": f"T{n}", "abstract": ""} for n, url in enumerate(odd)])
    load(folder)
    assert keys(RecordKind.PAPER) == [f"paper/t{n}" for n in range(len(odd))]
    assert exported(tmp_path / "out") == canonical_records(folder)


def test_the_same_dump_gives_the_same_keys(dumps: Writing) -> None:
    folder = dumps(
        datasets=[{"url": f"{SITE}/dataset/{n % 3}", "name": "D", "modalities": []} for n in range(7)],
        methods=[{"url": "", "name": name, "collections": []} for name in ("m", "M", "m!", "")],
        tables=[
            task("T", table("D"), table("D"), table("", None), subtasks=[task("", table("D")), task("t!", table("D"))])
        ],
        papers=[paper(None, "P", tasks=["T", "new", "New"]), paper(None, "P", authors=["Ä", "A", "a"])],
        links=[{"paper_url": None, "paper_title": "P", "repo_url": f"https://x.org/{n}"} for n in (1, 2, 1)],
    )
    found = []
    for _ in range(2):
        with taken_back():
            load(folder)
            terms = [model.objects.values_list("name", "slug") for model in (Author, Modality)]
            found.append((set(Record.objects.values_list("key", "name", "ordinal")), [set(term) for term in terms]))
    assert found[0] == found[1]
    assert len(found[0][0]) == 7 + 4 + 5 + 5 + 2 + 3


def test_tables_are_one_leaderboard_by_address_or_else_by_task_name_and_place(dumps: Writing) -> None:
    load(
        dumps(
            tables=[
                task("T", table("D", "t-on-d", [row("m")]), table("E"), table("E"), table(None)),
                task("U", table("D", "t-on-d", [row("m"), row("n")]), table("E")),
                task("T", table("E")),
            ]
        )
    )
    assert set(keys(RecordKind.LEADERBOARD)) == {
        "sota/t-on-d",
        "sota/t-on-e",
        "sota/t-on-e-1",
        "sota/t-on",
        "sota/u-on-e",
    }
    shared = Leaderboard.objects.get(record__key="sota/t-on-d")
    assert shared.row_count == 2  # the union of what is printed in both places
    assert shared.task == Task.objects.get(name="T")
    assert faults() == []


def test_subdatasets_are_leaderboards_with_a_parent(dumps: Writing, tmp_path: Path) -> None:
    child = {"subdataset": "part", "sota": {"metrics": ["A"], "rows": [row("m")]}}
    folder = dumps(tables=[task("T", table("whole", subdatasets=[child, {**child, "subdatasets": [child]}]))])
    load(folder)
    parents = dict(Leaderboard.objects.values_list("record__key", "parent__record__key"))
    assert parents == {
        "sota/t-on-whole": None,
        "sota/t-on-part": "sota/t-on-whole",
        "sota/t-on-part-1": "sota/t-on-whole",
        "sota/t-on-part-2": "sota/t-on-part-1",
    }
    assert exported(tmp_path / "out") == canonical_records(folder)


def test_tasks_without_a_name_are_one_task_and_have_an_address(dumps: Writing, tmp_path: Path) -> None:
    folder = dumps(tables=[task("", table("D")), task(None, table("E")), {"datasets": [], "subtasks": []}])
    load(folder)
    (key,) = keys(RecordKind.TASK)
    assert key.startswith("task/unnamed-")
    assert exported(tmp_path / "out") == canonical_records(folder)


def test_rows_are_numbered_by_model_paper_and_occurrence(dumps: Writing) -> None:
    rows = [row("m", "1"), row("m", "2"), row("n", "3"), row("m", "4", "http://x"), row(None, "5")]
    load(dumps(tables=[task("T", table("D", "t-on-d", rows))]))
    assert keys(RecordKind.RESULT) == [f"sota/t-on-d/row/{n}" for n in (1, 2, 3, 4, 5)]
    # Another order, one row less and one more: each keeps its number, and the free one is not given again.
    again = [row("new", "6"), row("n", "3"), row("m", "1"), row("m", "4", "http://x"), row(None, "5")]
    load(dumps(snapshot="2025-08-01", tables=[task("T", table("D", "t-on-d", again))]))
    placed = dict(Result.objects.values_list("number", "position"))
    assert placed == {6: 1, 3: 2, 1: 3, 4: 4, 5: 5, 2: None}
    assert faults() == []


def test_links_are_numbered_within_a_paper_even_one_that_is_not_in_the_archive(dumps: Writing) -> None:
    links = [
        {"paper_url": f"{SITE}/paper/gone", "repo_url": "https://github.com/a/b"},
        {"paper_url": f"{SITE}/paper/gone", "repo_url": "https://github.com/a/b"},
        {"paper_url": f"{SITE}/paper/here", "repo_url": "https://github.com/a/b"},
        {"paper_url": f"{SITE}/paper/gone", "repo_url": "https://github.com/a/c"},
        {"paper_title": "No Address", "repo_url": "https://github.com/a/b"},
        {"repo_url": "https://github.com/a/b"},
    ]
    load(dumps(papers=[paper("here", "H")], links=links))
    assert keys(RecordKind.CODE) == [
        "paper/gone/code/1",
        "paper/gone/code/2",
        "paper/here/code/1",
        "paper/gone/code/3",
        "paper/no-address/code/1",
        "paper/unnamed/code/1",
    ]
    linked = CodeLink.objects.exclude(paper=None).values_list("record__key", flat=True)
    assert list(linked) == ["paper/here/code/1"]


def test_keys_stay_when_what_they_were_made_from_changes(dumps: Writing, tmp_path: Path) -> None:
    load(
        dumps(
            papers=[paper("old-slug", "Old title"), paper(None, "Minted title", url_abs="http://x")],
            tables=[task("T", table("D", None, [row("m")]))],
            methods=[{"url": f"{SITE}/method/m", "name": "M", "collections": []}],
        )
    )
    before = dict(Record.objects.values_list("id", "key"))
    later = dumps(
        snapshot="2025-08-01",
        papers=[paper("old-slug", "New title"), paper(None, "Another title", url_abs="http://x"), paper("t-on-d", "x")],
        tables=[task("T", table("D", None, [row("m", "2"), row("n")]), description="now with a text")],
        methods=[{"url": f"{SITE}/method/m", "name": "N", "collections": []}],
    )
    load(later)
    after = dict(Record.objects.values_list("id", "key"))
    assert before.items() <= after.items()
    assert Paper.objects.get(record__key="paper/old-slug").title == "New title"
    assert Paper.objects.get(record__key="paper/minted-title").title == "Another title"
    assert exported(tmp_path / "out") == canonical_records(later)


def test_a_new_record_never_takes_a_key_that_was_given(dumps: Writing) -> None:
    load(dumps(papers=[paper(None, "Foo")], methods=[{"name": "M", "collections": []}]))
    minted = dict(Record.objects.values_list("key", "id"))
    load(
        dumps(
            snapshot="2025-08-01",
            papers=[paper("foo", "has the address that was minted"), paper("foo", "repeats it"), paper(None, "Foo?")],
            methods=[{"url": f"{SITE}/method/m", "name": "M", "collections": []}],
        )
    )
    kept = dict(Record.objects.values_list("key", "id"))
    assert minted.items() <= kept.items()
    assert by_name(RecordKind.PAPER)["has the address that was minted"] == "paper/foo-1"
    assert faults() == []


def test_a_dataset_may_give_a_task_its_slug_only_while_it_has_none(dumps: Writing) -> None:
    named = {"url": f"{SITE}/dataset/d", "name": "D", "modalities": []}
    load(dumps(papers=[paper("p", "P", tasks=["A Task"])]))
    (task_key,) = keys(RecordKind.TASK)
    load(dumps(datasets=[{**named, "tasks": [{"task": "A Task", "url": f"{SITE}/task/other-slug"}]}]))
    assert task_key == "task/a-task"
    assert set(keys(RecordKind.TASK)) == {"task/a-task", "task/other-slug"}
    assert faults() == []


def test_the_tiny_archive_has_the_same_keys_from_its_files_in_any_order(tmp_path: Path) -> None:
    found = []
    for order in (sorted, lambda files: sorted(files, reverse=True)):
        with taken_back():
            load(*order(list(TINY.glob("*s*.json"))), archive="x")
            found.append(set(Record.objects.values_list("key", "kind", "ordinal")))
    assert found[0] == found[1]
