"""The dataset page, through the reader's door."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.archive.conftest import SEEDS

pytestmark = pytest.mark.django_db


def differences(expected: Any, actual: Any, place: str = "") -> list[str]:
    """Where `actual` lacks or changes something of `expected`; more keys may stand beside."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            difference
            for key, value in expected.items()
            for difference in (
                differences(value, actual[key], f"{place}.{key}") if key in actual else [f"{place}.{key} lacks"]
            )
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            difference
            for number, (one, other) in enumerate(zip(expected, actual, strict=True))
            for difference in differences(one, other, f"{place}[{number}]")
        ]
    return [] if type(expected) is type(actual) and expected == actual else [f"{place}: {actual!r}"]


@pytest.mark.usefixtures("seed_archive")
class TestSeed:
    """The record of the seed document."""

    @pytest.fixture
    def seed(self) -> dict[str, Any]:
        (path,) = SEEDS.glob("000_*.txt")
        seed: dict[str, Any] = json.loads(path.read_text())
        return seed

    def test_json_has_each_key_and_value_of_the_seed(self, client: Client, seed: dict[str, Any]) -> None:
        page = client.get("/dataset/convai2.json").json()
        assert page["syntology_totals"] is None  # until run evidence is imported
        del seed["syntology_totals"]
        assert differences(seed, page) == []

    def test_keys_come_in_the_order_of_the_seed(self, client: Client, seed: dict[str, Any]) -> None:
        page = client.get("/dataset/convai2.json").json()
        assert [key for key in page if key in seed] == list(seed)


@pytest.mark.usefixtures("tiny_archive")
class TestQueries:
    """A fixed number, whatever the dataset has."""

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize(
        ("slug", "number"),
        [("wmt-2014", 11), ("salicon", 11), ("mmdialog", 9)],  # mmdialog has no leaderboard to look into
    )
    def test_number_of_queries(
        self,
        client: Client,
        slug: str,
        number: int,
        ending: str,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        with django_assert_num_queries(number):
            assert client.get(f"/dataset/{slug}{ending}").status_code == 200
