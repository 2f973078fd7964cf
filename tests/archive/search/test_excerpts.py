"""Marks and excerpts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.search.excerpts import excerpt, marks, pieces


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("Graph Networks", {"networks"}, ["Networks"]),
        ("A multi-turn dialogue", {"multiturn"}, ["multi-turn"]),
        ("A multi-turn dialogue", {"turn"}, ["turn"]),
        ("Poincaré and POINCARE", {"poincare"}, ["Poincaré", "POINCARE"]),
        ("networking", {"network"}, []),
        ("<b>bold</b>", {"bold"}, ["bold"]),
    ],
)
def test_marks(text: str, words: set[str], marked: list[str]) -> None:
    assert [text[start:end] for start, end in marks(text, words)] == marked


@given(st.text(alphabet="ab -é'x", max_size=60), st.sets(st.sampled_from(["a", "b", "ab", "e", "x"])))
def test_pieces_are_the_whole_text(text: str, words: set[str]) -> None:
    parts = pieces(text, marks(text, words))
    assert "".join(part for part, _ in parts) == text
    assert all(part for part, _ in parts)


def test_an_excerpt_shows_the_first_place() -> None:
    text = "start " * 100 + "needle " + "end " * 100
    piece = excerpt(text, {"needle"})
    assert "needle" in piece
    assert piece.startswith("… ") and piece.endswith(" …")
    assert len(piece) < 300


def test_a_short_text_is_its_own_excerpt() -> None:
    assert excerpt("a short text", {"none"}) == "a short text"


def test_a_text_of_one_word_is_cut() -> None:
    assert len(excerpt("x" * 5_000, {"none"})) < 300
