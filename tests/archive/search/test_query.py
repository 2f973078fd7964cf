"""Queries taken apart, and put together again as tsqueries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.search.query import LONGEST, MOST_WORDS, all_of, any_of, in_a_row, parse


@pytest.mark.parametrize(
    ("typed", "words", "phrases", "excluded"),
    [
        ("graph networks", [("graph",), ("networks",)], [], []),
        ("multi-turn dialogue", [("multi", "turn"), ("dialogue",)], [], []),
        ('"graph networks" deep', [("deep",)], [("graph", "networks")], []),
        ("“graph networks”", [], [("graph", "networks")], []),
        ('"one"', [("one",)], [], []),
        ("image -video", [("image",)], [], [("video",)]),
        ('image -"deep learning"', [("image",)], [], [("deep", "learning")]),
        ("image –video", [("image",)], [], [("video",)]),
        ("and/or x_y", [("and",), ("or",), ("x",), ("y",)], [], []),
        ("Fisher's", [("Fisher", "s")], [], []),
        ('unbalanced "quote here', [("unbalanced",), ("quote",), ("here",)], [], []),
        ("& | ! ( ) <-> : * ' \\", [], [], []),
        ("🙂 ‮ \x00", [], [], []),
        ("深層学習", [("深層学習",)], [], []),
    ],
)
def test_parts(typed: str, words: list[object], phrases: list[object], excluded: list[object]) -> None:
    query = parse(typed)
    assert (list(query.words), list(query.phrases), list(query.excluded)) == (words, phrases, excluded)


def test_overlong_queries_are_cut() -> None:
    query = parse("word " * 300_000)
    assert len(query.text) <= LONGEST
    assert 0 < len(query.wanted) <= MOST_WORDS


@given(st.text(max_size=200))
def test_nothing_but_letters_and_digits_gets_through(typed: str) -> None:
    query = parse(typed)
    parts = [part for group in (*query.words, *query.phrases, *query.excluded) for part in group]
    assert all(part.isalnum() for part in parts)


@given(st.text(alphabet="ab\"- '&|!", max_size=40))
def test_a_query_without_restrictions_has_the_same_words(typed: str) -> None:
    query = parse(typed)
    loosened = parse(query.without(phrases=True, excluded=True))
    assert not loosened.phrases and not loosened.excluded
    assert set(sum(loosened.words, ())) == set(sum((*query.words, *query.phrases), ()))


def test_tsqueries() -> None:
    assert any_of(["a"]) == "'a'"
    assert any_of(["a", "b"], ":A") == "('a':A | 'b':A)"
    assert any_of([]) == ""
    assert all_of(["'a'", "", "'b'"]) == "'a' & 'b'"
    assert in_a_row(["a", "b"]) == "('a' <-> 'b')"
