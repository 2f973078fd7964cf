"""Dataclasses that say what their fields mean, and their JSON."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import pytest

from archive.pages.documented import described, documented, keys_of, nested_in, to_json


class Mood(StrEnum):
    GLAD = "glad"


@documented
class Inner:
    day: datetime.date = described("A day.")


@documented
class Outer:
    url: str = described("Where.")
    late: int = described("Inherited, not repeated.")
    early: int = described("Inherited, repeated.", default=0)


@documented
class Whole(Outer):
    first: Inner = described("Nested.")
    early: int = described("Repeated here.", default=7)
    renamed: Mood = described("Under another name.", key="mood")
    hidden: str = described("Not for JSON.", json=False)
    many: Sequence[Inner] = described("A list.", default_factory=list)
    by_name: Mapping[str, Inner | None] = described("By name.", default_factory=dict)


@pytest.fixture
def whole() -> Whole:
    day = Inner(day=datetime.date(2025, 7, 28))
    return Whole(
        url="/x", late=1, first=day, renamed=Mood.GLAD, hidden="no", many=[day, day], by_name={"a": day, "b": None}
    )


def test_to_json_is_plain(whole: Whole) -> None:
    day = {"day": "2025-07-28"}
    assert to_json(whole) == {
        "url": "/x",
        "first": day,
        "early": 7,
        "mood": "glad",
        "many": [day, day],
        "by_name": {"a": day, "b": None},
        "late": 1,
    }


def test_keys_stand_where_the_class_names_them(whole: Whole) -> None:
    names = ["url", "first", "early", "mood", "many", "by_name", "late"]
    assert list(to_json(whole)) == names  # type: ignore[arg-type]
    assert [key.name for key in keys_of(Whole)] == names


def test_a_repeated_field_has_its_own_help() -> None:
    assert {key.name: key.help for key in keys_of(Whole)}["early"] == "Repeated here."


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (datetime.datetime(2026, 9, 24, 18, 15, 14, tzinfo=datetime.UTC), "2026-09-24T18:15:14+00:00"),
        (None, None),
        (True, True),
        (0.5, 0.5),
        ((1, "a"), [1, "a"]),
    ],
)
def test_to_json_of_plain_values(value: Any, plain: Any) -> None:
    assert to_json(value) == plain


def test_to_json_refuses_what_has_no_form() -> None:
    with pytest.raises(TypeError, match="set has no JSON form"):
        to_json({1, 2})


def test_instances_are_frozen_and_built_by_name() -> None:
    with pytest.raises(AttributeError):
        Inner(day=datetime.date.today()).day = datetime.date.today()  # type: ignore[misc]
    with pytest.raises(TypeError):
        Inner(datetime.date.today())  # type: ignore[call-arg]


def test_nested_in_finds_classes_at_any_depth() -> None:
    assert list(nested_in(Mapping[str, Sequence[Inner | None]])) == [Inner]
    assert list(nested_in(str | None)) == []
