"""The readers of environment variables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is read here out of the project's own list."""
    monkeypatch.setattr(environment, "VARIABLES", {})


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv("X", value)


def reads_flag(default: bool = False) -> bool:
    return environment.flag("X", default, meaning="m")


def reads_integer() -> int:
    return environment.integer("X", 5, least=1, most=9, meaning="m")


def test_what_is_not_set_or_empty_gives_the_default(given: Callable[[str], None]) -> None:
    for value in (None, "", "  "):
        if value is not None:
            given(value)
        assert environment.text("X", "d", meaning="m") == "d"
        assert environment.word("X", "a", ["a", "b"], meaning="m") == "a"
        assert reads_flag(True) is True
        assert reads_integer() == 5
        assert environment.names("X", ["a"], meaning="m") == ["a"]
        assert environment.url("X", ["postgresql"], meaning="m") is None
        assert environment.folder("X", Path("/d"), base=Path("/b"), shown="", meaning="m") == Path("/d")


@pytest.mark.parametrize("word", ["on", "On", "yes", "TRUE", "1"])
def test_words_for_yes(given: Callable[[str], None], word: str) -> None:
    given(word)
    assert reads_flag(False) is True


@pytest.mark.parametrize("word", ["off", "No", "false", "0"])
def test_words_for_no(given: Callable[[str], None], word: str) -> None:
    given(word)
    assert reads_flag(True) is False


@pytest.mark.parametrize("word", ["maybe", "2", "onn", "y"])
def test_a_flag_refuses_other_words(given: Callable[[str], None], word: str) -> None:
    given(word)
    with pytest.raises(ImproperlyConfigured, match=r"X is .*takes one of: on, yes"):
        reads_flag()


@pytest.mark.parametrize("value", ["0", "10", "-1", "1.5", "five", "٣"])
def test_a_number_out_of_range_or_none_at_all_is_refused(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(ImproperlyConfigured, match="whole number from 1 to 9"):
        reads_integer()


def test_both_ends_of_the_range_are_in_it(given: Callable[[str], None]) -> None:
    for value in (1, 9):
        given(str(value))
        assert reads_integer() == value


def test_a_word_out_of_the_list_is_refused(given: Callable[[str], None]) -> None:
    given("c")
    with pytest.raises(ImproperlyConfigured, match="takes one of: a, b"):
        environment.word("X", "a", ["a", "b"], meaning="m")


def test_names_are_trimmed_and_empty_ones_dropped(given: Callable[[str], None]) -> None:
    given(" a.example , ,b.example,")
    assert environment.names("X", meaning="m") == ["a.example", "b.example"]


def test_an_address_of_another_kind_is_refused_without_repeating_its_password(
    given: Callable[[str], None],
) -> None:
    given("mysql://u:hunter2@h/d")
    with pytest.raises(ImproperlyConfigured, match="postgresql://") as refusal:
        environment.url("X", ["postgresql"], meaning="m")
    assert "hunter2" not in str(refusal.value)


def test_a_relative_folder_is_taken_from_the_checkout(given: Callable[[str], None]) -> None:
    given("some/where")
    assert environment.folder("X", None, base=Path("/b"), shown="", meaning="m") == Path("/b/some/where")
    given("~/where")
    found = environment.folder("X", None, base=Path("/b"), shown="", meaning="m")
    assert found == Path.home() / "where"
