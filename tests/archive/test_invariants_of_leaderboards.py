"""What has to hold between the pages of datasets, leaderboards, rows, tasks and papers, for all of the demo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from archive.models import Dataset, Leaderboard, Result
from tests.archive.conftest import Importing
from tests.archive.test_views_leaderboard import json_of, rows_of_csv

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    """The archive holds the demo."""
    with imported(settings.BASE_DIR / "demo"):
        yield


@pytest.fixture(scope="class")
def boards(demo_archive: None) -> dict[str, dict[str, Any]]:
    """The JSON of every leaderboard, by address."""
    keys = Leaderboard.objects.values_list("record__key", flat=True)
    return {f"/{key}": json_of(Client(), f"/{key}") for key in keys}


@pytest.fixture(scope="class")
def datasets(demo_archive: None) -> list[dict[str, Any]]:
    """The JSON of every dataset that has a leaderboard."""
    keys = Dataset.objects.filter(leaderboards__isnull=False).values_list("record__key", flat=True).distinct()
    return [json_of(Client(), f"/{key}") for key in keys]


@pytest.mark.usefixtures("demo_archive")
class TestDemo:
    """Each holds for every record of the demo."""

    def test_a_benchmark_says_what_its_leaderboard_says(
        self, datasets: list[dict[str, Any]], boards: dict[str, dict[str, Any]]
    ) -> None:
        assert len(datasets) > 20
        for dataset in datasets:
            for benchmark in dataset["benchmarks"]:
                board = boards[benchmark["leaderboard"]]
                assert benchmark["dataset_variant"].strip() in [
                    name and name.strip() for name in (*dataset["variants"], dataset["name"], dataset["full_name"])
                ]
                assert benchmark["metrics"] == [metric["name"] for metric in board["metrics"]]
                assert benchmark["rows"] == board["row_count"] == len(board["results"])
                assert board["dataset"]["url"] == dataset["url"]

    def test_metrics_are_those_that_rows_have_a_value_of(self, boards: dict[str, dict[str, Any]]) -> None:
        for board in boards.values():
            used = {name for row in board["results"] for name in row["metrics"]}
            assert used <= {metric["name"] for metric in board["metrics"]}
            assert used >= {metric["name"] for metric in board["metrics"] if not metric["in_archive_list"]}

    def test_rows_are_those_of_the_papers_and_those_without_one(
        self, datasets: list[dict[str, Any]], boards: dict[str, dict[str, Any]]
    ) -> None:
        without = 0
        for dataset in datasets:
            rows = [row for benchmark in dataset["benchmarks"] for row in boards[benchmark["leaderboard"]]["results"]]
            of_papers = sum(paper["rows_on_this_dataset"] for paper in dataset["papers_with_a_benchmark_row"])
            alone = sum(row["paper"] is None for row in rows)
            assert sum(benchmark["rows"] for benchmark in dataset["benchmarks"]) == of_papers + alone
            without += alone
        assert without

    def test_the_paper_of_a_first_row_is_among_the_papers(self, datasets: list[dict[str, Any]]) -> None:
        for dataset in datasets:
            papers = {paper["paper"] for paper in dataset["papers_with_a_benchmark_row"]}
            firsts = [benchmark["first_row_in_archive_order"] for benchmark in dataset["benchmarks"]]
            assert {first["paper"] for first in firsts if first and first["paper"]} <= papers

    def test_the_archive_s_own_count_of_papers_is_shown_as_it_is(self, datasets: list[dict[str, Any]]) -> None:
        stored = {f"/{key}": count for key, count in Dataset.objects.values_list("record__key", "num_papers")}
        assert {dataset["url"]: dataset["num_papers_in_archive"] for dataset in datasets}.items() <= stored.items()

    def test_a_rank_is_a_place_among_all_rows_and_the_same_everywhere(
        self, client: Client, boards: dict[str, dict[str, Any]]
    ) -> None:
        places = dict(Result.objects.values_list("record__key", "position"))
        for address, board in boards.items():
            ranks = {row["row"]: (row["rank"], row["rows"]) for row in board["results"]}
            assert list(ranks.values()) == [(k, board["row_count"]) for k in range(1, board["row_count"] + 1)]
            assert all(places[row[1:]] == rank for row, (rank, _) in ranks.items())
            lines = rows_of_csv(client, address)
            assert [int(line["rank_at_snapshot"]) for line in lines] == [rank for rank, _ in ranks.values()]
        papers = {row["paper"]: row for board in boards.values() for row in board["results"] if row["paper"]}
        for paper, row in list(papers.items())[:10]:
            of_paper = {one["row"]: one["rank_at_snapshot"] for one in json_of(client, paper)["results"]}
            assert of_paper[row["row"]] == row["rank_at_snapshot"] == json_of(client, row["row"])["rank_at_snapshot"]

    def test_a_task_s_first_rows_are_first_on_their_leaderboards(
        self, client: Client, boards: dict[str, dict[str, Any]]
    ) -> None:
        tasks = {board["task"]["url"] for board in boards.values()}
        seen = 0
        for task in tasks:
            for benchmark in json_of(client, task)["benchmarks"]:
                first, results = benchmark["first_row_in_archive_order"], boards[benchmark["leaderboard"]]["results"]
                assert (first and first["row"]) == (results[0]["row"] if results else None)
                seen += 1
        assert seen == len(boards)
