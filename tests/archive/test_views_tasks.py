"""The pages of tasks, areas and the tree of tasks, through the reader's door."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.models import Record, TaskNode
from archive.pages import area as area_page
from archive.pages import task as task_page
from archive.pages import tasks as tasks_page
from tests.archive import boards
from tests.archive.conftest import Importing
from tests.archive.test_views_leaderboard import BOASTS, json_of, text_of

pytestmark = pytest.mark.django_db

SCRIPT = "<script>alert(1)</script>"


def odd_tree() -> list[boards.Value]:
    """A tree with a cycle, several parents, names that are none, and one that is deep."""
    inner = boards.task("Alpha", subtasks=[boards.task("Beta", subtasks=[boards.task("Alpha")])])
    rows = [boards.row(f"{SCRIPT} one", {"A": "1", "B": "2"}), boards.row("two", {"A": "9"})]
    shared = boards.task("Shared", [boards.table("Data", ["A", "B"], rows, "shared-on-data")])
    deep = boards.task("Deep 9")
    for level in range(8, 0, -1):
        deep = boards.task(f"Deep {level}", subtasks=[deep])
    return [
        boards.task(
            "Alpha",
            description="On **alpha**. See [Beta](https://paperswithcode.com/task/beta).\r\n\r\nMore.",
            categories=["Vision", "Speech"],
            synonyms=["The first", SCRIPT],
            source_link={"title": "Source", "url": "javascript:alert(1)"},
            subtasks=[inner["subtasks"][0], shared],
        ),
        boards.task("Gamma", categories=["Vision"], subtasks=[shared]),
        boards.task("", categories=["Vision"], subtasks=[boards.task("Child of none")]),
        boards.task(f"\u202e\u05e9\u05dc\u05d5\u05dd {SCRIPT}", categories=["Vision"]),
        boards.task("Deep 0", subtasks=[deep]),
        boards.task("7th", categories=["Speech"]),
    ]


def papers_naming(name: str, count: int) -> list[boards.Value]:
    """Papers that name a task, one a day."""
    return [
        boards.paper(
            f"on-{name.lower().replace(' ', '-')}-{k}", f"On {name} {k}", tasks=[name], date=f"2020-01-{k + 2:02}"
        )
        for k in range(count)
    ]


@pytest.fixture(scope="class")
def odd_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tasks with everything that one can have, and that it should not."""
    task_link = {"task": "Shared", "url": f"{boards.SITE}/task/shared"}
    datasets = [boards.dataset("data", "Data", tasks=[task_link], num_papers=7), boards.dataset("other", "Other")]
    papers = [
        *papers_naming("Shared", 25),
        *papers_naming("Gamma", 2),
        boards.paper("lone", "Lone", tasks=["Named only", "Named only"]),
    ]
    folder = tmp_path_factory.mktemp("tasks") / "dumps"
    with imported(boards.write(folder, odd_tree(), datasets, papers)):
        yield


@pytest.fixture(scope="class")
def wide_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """120 top-level tasks of one area; the first has 210 subtasks and 104 leaderboards."""
    below = [boards.task(f"Below {k:03}") for k in range(210)]
    tables = [boards.table(f"Set {k:03}", ["A"], [boards.row("m", {"A": "1"})], f"set-{k:03}") for k in range(104)]
    tops = [boards.task(f"Task {k:03}", categories=["Wide"]) for k in range(1, 120)]
    first = boards.task("Task 000", tables, categories=["Wide"], subtasks=below)
    folder = tmp_path_factory.mktemp("wide") / "dumps"
    with imported(boards.write(folder, [first, *tops])):
        yield


def names(tasks: Sequence[dict[str, Any]]) -> list[str]:
    return [task["name"] for task in tasks]


@pytest.mark.usefixtures("odd_archive")
class TestTask:
    """One task."""

    def test_what_the_archive_says(self, client: Client) -> None:
        page = json_of(client, "/task/alpha")
        assert page["description_markdown"].endswith(".\r\n\r\nMore.")
        assert [area["url"] for area in page["areas"]] == ["/area/vision", "/area/speech"]
        assert page["synonyms"] == ["The first", SCRIPT]
        assert page["source_link"] == {"title": "Source", "url": "javascript:alert(1)"}
        html = client.get("/task/alpha").content.decode()
        assert "<strong>alpha</strong>" in html
        assert '<a href="/task/beta"' in html
        assert 'href="javascript:' not in html
        assert "<script>alert" not in html

    def test_a_cycle_ends_and_shows_on_both_sides(self, client: Client) -> None:
        alpha, beta = json_of(client, "/task/alpha"), json_of(client, "/task/beta")
        assert names(alpha["parents"]) == ["Beta"]
        assert names(alpha["children"]) == ["Beta", "Shared"]
        assert (names(beta["parents"]), names(beta["children"])) == (["Alpha"], ["Alpha"])
        assert beta["children"][0]["subtasks"] == 2

    def test_several_parents(self, client: Client) -> None:
        page = json_of(client, "/task/shared")
        assert names(page["parents"]) == ["Alpha", "Gamma"]
        assert page["parents"][1]["url"] == "/task/gamma"
        assert json_of(client, "/task/gamma")["children"] == [
            {"name": "Shared", "url": "/task/shared", "leaderboards": 1, "subtasks": 0, "papers": None}
        ]

    def test_leaderboards_come_with_their_first_row_in_archive_order(self, client: Client) -> None:
        page = json_of(client, "/task/shared")
        (benchmark,) = page["benchmarks"]
        assert benchmark["leaderboard"] == "/sota/shared-on-data"
        assert (benchmark["rows"], benchmark["metrics"]) == (2, ["A", "B"])
        assert benchmark["first_row_in_archive_order"]["metrics"] == {"A": "1", "B": "2"}
        assert benchmark["note"] == "rows are the archive's own order at snapshot; nothing here re-ranks them"
        text = text_of(client.get("/task/shared").content.decode())
        assert "First row in archive order" in text
        assert BOASTS.findall(text) == []

    def test_a_first_row_that_is_set_aside_is_not_shown(self, client: Client) -> None:
        Record.objects.filter(key="sota/shared-on-data/row/1").update(quarantined="telephone")
        (benchmark,) = json_of(client, "/task/shared")["benchmarks"]
        assert benchmark["first_row_in_archive_order"]["model"] == "two"
        assert benchmark["rows"] == 2

    def test_datasets_and_newest_papers(self, client: Client) -> None:
        page = json_of(client, "/task/shared")
        assert page["datasets"] == [{"dataset": "/dataset/data", "name": "Data", "num_papers_in_archive": 7}]
        assert (page["papers_total"], len(page["papers"])) == (25, 20)
        assert page["papers"][0]["title"] == "On Shared 24"
        html = client.get("/task/shared").content.decode()
        assert "The newest 20 of 25 papers that name the task" in text_of(html)
        assert 'href="/papers?task=shared"' in html
        assert 'href="/datasets/task/shared"' in html

    def test_records_set_aside_are_in_no_list(self, client: Client) -> None:
        for key in ("paper/on-shared-24", "dataset/data", "task/gamma", "sota/shared-on-data"):
            Record.objects.filter(key=key).update(withdrawn=True)
        page = json_of(client, "/task/shared")
        assert (page["papers_total"], page["papers"][0]["title"]) == (25, "On Shared 23")  # it is counted
        assert (page["datasets"], page["benchmarks"], names(page["parents"])) == ([], [], ["Alpha"])
        assert page["absent"]["benchmarks"]["sentence"] == "The archive has no leaderboard of this task."

    def test_a_task_that_is_only_named_says_so(self, client: Client) -> None:
        page = json_of(client, "/task/named-only")
        sentence = "The archive only names this task: nothing in it describes it."
        assert page["named_only"] is True
        assert page["absent"]["description_markdown"] == {"reason": "not-in-archive", "sentence": sentence}
        assert page["record"]["digest"] is None
        assert page["papers_total"] == 1  # though its one paper names it twice
        assert sentence in text_of(client.get("/task/named-only").content.decode())
        assert json_of(client, "/task/gamma")["named_only"] is False

    def test_a_task_without_a_name(self, client: Client) -> None:
        node = TaskNode.objects.get(name__name="", parent=None)
        address = node.name.task.record.path
        assert json_of(client, address)["name"] == ""
        assert json_of(client, address)["absent"]["name"]["reason"] == "not-in-archive"
        assert '<h1 dir="auto">A task without a name</h1>' in client.get(address).content.decode()
        assert names(json_of(client, "/task/child-of-none")["parents"]) == [""]

    def test_states(self, client: Client) -> None:
        Record.objects.filter(key="task/alpha").update(quarantined="telephone")
        assert json_of(client, "/task/alpha")["children"] is None
        Record.objects.filter(key="task/alpha").update(quarantined="", withdrawn=True)
        assert client.get("/task/alpha").status_code == 410
        assert client.get("/task/nothing.json").status_code == 404

    @pytest.mark.parametrize(("slug", "queries"), [("shared", 12), ("alpha", 10), ("named-only", 10)])
    @pytest.mark.parametrize("ending", ["", ".json"])
    def test_queries(
        self,
        client: Client,
        slug: str,
        queries: int,
        ending: str,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        with django_assert_num_queries(queries):  # two fewer without a leaderboard
            assert client.get(f"/task/{slug}{ending}").status_code == 200


@pytest.mark.usefixtures("odd_archive")
class TestTree:
    """All tasks."""

    def test_areas_with_their_tasks(self, client: Client) -> None:
        areas = json_of(client, "/tasks")["areas"]
        assert [(area["name"], area["url"], area["tasks"]) for area in areas] == [
            ("Speech", "/area/speech", 2),
            ("Vision", "/area/vision", 4),
        ]

    def test_the_tree_is_as_printed(self, client: Client) -> None:
        tree = {task["name"]: task for task in json_of(client, "/tasks")["tree"]}
        alpha = tree["Alpha"]
        assert names(alpha["subtasks"]) == ["Beta", "Shared"]
        assert names(alpha["subtasks"][0]["subtasks"]) == ["Alpha"]
        assert alpha["subtasks"][0]["subtasks"][0]["subtasks"] == []
        assert tree["Gamma"]["subtasks"][0]["leaderboards"] == 1

    def test_it_is_by_name(self, client: Client) -> None:
        listed = names(json_of(client, "/tasks")["tree"])
        assert listed[:5] == ["", "7th", "Alpha", "Deep 0", "Gamma"]

    def test_it_is_cut_where_it_is_too_deep(self, client: Client) -> None:
        (task,) = [task for task in json_of(client, "/tasks")["tree"] if task["name"] == "Deep 0"]
        depth = 1
        while task["subtasks"]:
            (task,) = task["subtasks"]
            depth += 1
        assert (depth, task["name"], task["not_shown"]) == (tasks_page.DEEPEST, "Deep 7", 1)
        assert "1 more on its page" in text_of(client.get("/tasks").content.decode())

    def test_a_task_set_aside_is_not_in_it(self, client: Client) -> None:
        Record.objects.filter(key="task/shared").update(withdrawn=True)
        Record.objects.filter(key="task/gamma").update(quarantined="telephone")
        page = json_of(client, "/tasks")
        assert "Gamma" not in names(page["tree"])
        assert names(next(task for task in page["tree"] if task["name"] == "Alpha")["subtasks"]) == ["Beta"]
        assert [area["tasks"] for area in page["areas"]] == [2, 3]

    def test_script_is_text(self, client: Client) -> None:
        for address in ("/tasks", "/area/vision"):
            html = client.get(address).content.decode()
            assert "<script>alert" not in html
            assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html

    def test_queries(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(6):
            assert client.get("/tasks").status_code == 200
        with django_assert_num_queries(7):
            assert client.get("/tasks?after=alpha").status_code == 200


@pytest.mark.usefixtures("odd_archive")
class TestArea:
    """One area."""

    def test_tasks_by_letter(self, client: Client) -> None:
        page = json_of(client, "/area/vision")
        assert [(letter["letter"], names(letter["tasks"])) for letter in page["letters"][:3]] == [
            ("#", [""]),
            ("A", ["Alpha"]),
            ("G", ["Gamma"]),
        ]
        assert page["total"] == 4
        assert page["letters"][1]["tasks"][0] == {
            "name": "Alpha",
            "url": "/task/alpha",
            "leaderboards": 0,
            "subtasks": 2,
            "papers": 0,
        }
        assert json_of(client, "/area/speech")["letters"][0]["letter"] == "0–9"

    def test_the_tasks_that_most_papers_name_are_a_list_of_their_own(self, client: Client) -> None:
        page = json_of(client, "/area/vision")
        assert [(task["name"], task["papers"]) for task in page["most_named"]] == [("Gamma", 2)]
        assert "tasks that most papers name" in text_of(client.get("/area/vision").content.decode())

    def test_a_task_set_aside_is_not_in_it(self, client: Client) -> None:
        Record.objects.filter(key="task/gamma").update(withdrawn=True)
        page = json_of(client, "/area/vision")
        assert (page["total"], page["most_named"]) == (3, [])
        assert "/task/gamma" not in client.get("/area/vision").content.decode()

    def test_no_such_area(self, client: Client) -> None:
        assert client.get("/area/nothing").status_code == 404

    def test_queries(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(5):
            assert client.get("/area/vision").status_code == 200
        with django_assert_num_queries(6):
            assert client.get("/area/vision?after=alpha").status_code == 200


@pytest.mark.usefixtures("wide_archive")
class TestWide:
    """More than a page shows."""

    def walk(self, client: Client, address: str, step: str) -> tuple[list[dict[str, Any]], str]:
        """All pages from an address on, and the address of the last."""
        pages = []
        while True:
            page = client.get(address.replace("?", ".json?") if "?" in address else f"{address}.json").json()
            assert page["url"] == address
            pages.append(page)
            if page[step] is None:
                return pages, address
            address = page[step]

    def test_the_tree_s_pages_hold_each_task_once_both_ways(self, client: Client) -> None:
        forth, last = self.walk(client, "/tasks", "next_url")
        listed = [name for page in forth for name in names(page["tree"])]
        assert listed == [f"Task {k:03}" for k in range(120)]
        assert [len(page["tree"]) for page in forth] == [50, 50, 20]
        back, _ = self.walk(client, last, "previous_url")
        assert sorted({name for page in back for name in names(page["tree"])}) == listed

    def test_the_area_s_pages_too(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(area_page, "TASKS_ON_A_PAGE", 50)
        forth, _ = self.walk(client, "/area/wide", "next_url")
        listed = [name for page in forth for letter in page["letters"] for name in names(letter["tasks"])]
        assert listed == [f"Task {k:03}" for k in range(120)]
        assert {page["total"] for page in forth} == {120}

    def test_areas_are_shown_on_the_first_page_only(self, client: Client) -> None:
        assert "Most leaderboards:" in client.get("/tasks").content.decode()
        assert "Most leaderboards:" not in client.get("/tasks?after=task-049").content.decode()
        assert json_of(client, "/tasks")["areas"][0]["top_tasks"] == [
            {"name": "Task 000", "url": "/task/task-000", "leaderboards": 104}
        ]

    def test_a_place_that_is_none_is_the_beginning(self, client: Client) -> None:
        page = client.get("/tasks.json?after=nothing").json()
        assert (page["url"], page["tree"][0]["name"]) == ("/tasks", "Task 000")

    def test_a_large_tree_is_cut_and_says_so(self, client: Client) -> None:
        first = json_of(client, "/tasks")["tree"][0]
        assert (len(first["subtasks"]), first["not_shown"]) == (tasks_page.LARGEST, 60)

    def test_lists_of_a_task_are_cut_and_say_so(self, client: Client) -> None:
        page = json_of(client, "/task/task-000")
        assert (page["children_total"], len(page["children"])) == (210, task_page.RELATIVES_SHOWN)
        assert (page["benchmarks_total"], len(page["benchmarks"])) == (104, task_page.BOARDS_SHOWN)
        text = text_of(client.get("/task/task-000").content.decode())
        assert "The first 200 of 210 by name." in text
        assert "The first 100 of 104 in archive order" in text

    def test_as_many_queries_as_for_a_small_one(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for address, number in (("/tasks", 6), ("/task/task-000", 12), ("/area/wide", 5)):
            with django_assert_num_queries(number):
                assert client.get(address).status_code == 200
