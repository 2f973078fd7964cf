"""Suggestions for a beginning, and names that look alike."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from archive.models import Record
from archive.search.names import SUGGESTED, alike, suggestions
from tests.archive.search.test_finding import HOSTILE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo_archive")]


class TestNames:
    """Suggestions, and names alike."""

    @pytest.mark.parametrize(
        ("typed", "name"),
        [
            ("imag", "ImageNet"),
            ("IMAGEN", "ImageNet"),
            ("cifar-1", "CIFAR-10"),
            ("bert", "BERT"),
            ("attention is all", "Attention Is All You Need"),
            ("classifi", "Image Classification"),
        ],
    )
    def test_beginnings(self, typed: str, name: str) -> None:
        assert name in [suggestion.name for suggestion in suggestions(typed)]

    def test_a_whole_name_comes_first(self) -> None:
        assert suggestions("bert")[0].url == "/method/bert"

    def test_few_and_each_once(self) -> None:
        found = suggestions("im")
        assert 0 < len(found) <= SUGGESTED
        assert len(set(found)) == len(found)

    def test_one_query(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(1):
            suggestions("image")
        with django_assert_num_queries(0):
            suggestions("-")

    def test_hidden_records_are_not_suggested(self) -> None:
        Record.objects.filter(key="method/bert").update(quarantined="gambling")
        assert "/method/bert" not in [suggestion.url for suggestion in suggestions("bert")]

    def test_alike(self) -> None:
        assert alike("citiscapess")[0].name == "Cityscapes"
        assert alike("zzzzqqqq") == []

    @pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed[:20]))
    def test_nothing_typed_is_an_error(self, typed: str) -> None:
        assert len(suggestions(typed)) <= SUGGESTED
        alike(typed)
