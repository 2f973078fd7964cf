"""How texts of strangers and values of cells are shown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corrections import wording
from corrections.display import for_xml, in_words, isolated, marked


@pytest.mark.parametrize("character", "\u202e\u202a\u2066\u200b\u200f\ufeff\u3164\u115f\u2800\xad\U000e0041\x7f\x85")
def test_what_is_not_seen_is_marked(character: str) -> None:
    shown = marked(f"a{character}b")
    assert character not in shown and f"U+{ord(character):04X}</span>" in shown


@pytest.mark.parametrize(
    "text", ["", "plain", "line\r\nand\ttab", "می\u200cخواهم", "👩\u200d🔬", "日本", "é", "A\ufe0f"]
)
def test_what_belongs_to_a_script_stays(text: str) -> None:
    assert marked(text) == text


@pytest.mark.parametrize("text", ["\u200d", " \u200c", "a \u200d"])
def test_a_joiner_that_joins_nothing_is_marked(text: str) -> None:
    assert "U+200" in marked(text)


def test_markup_is_text() -> None:
    assert isolated("<b>&") == '<bdi dir="auto">&lt;b&gt;&amp;</bdi>'


@given(st.text())
def test_xml_can_hold_it(text: str) -> None:
    from xml.etree import ElementTree
    from xml.sax.saxutils import escape

    ElementTree.fromstring(f"<a>{escape(for_xml(text))}</a>".encode())


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        (True, "yes"),
        (False, "no"),
        ([], "an empty list"),
        (["a", "b"], "a; b"),
        ("", "an empty text"),
        ("a\r\nb", "a b"),
        (2017, "2017"),
        (0, "0"),
        (1, "1"),
    ],
)
def test_values_in_words(value: object, words: str) -> None:
    assert in_words(value) == words


TEXTS = st.text(alphabet="ab \n", max_size=60)


@given(TEXTS, TEXTS)
def test_pieces_give_both_texts_again(before: str, after: str) -> None:
    pieces = wording.pieces(before, after)
    assert "".join(p.text for p in pieces if p.how != "new") == before
    assert "".join(p.text for p in pieces if p.how != "gone") == after


def test_pieces_are_words() -> None:
    found = wording.pieces("It has 1,000 dialogues in all.", "It has 1,155 dialogues.")
    assert [(p.how, p.text) for p in found] == [
        ("same", "It has "),
        ("gone", "1,000"),
        ("new", "1,155"),
        ("same", " "),
        ("gone", "dialogues in all."),
        ("new", "dialogues."),
    ]


def test_long_texts_take_no_time() -> None:
    before, after = " ".join(map(str, range(0, 40_000, 2))), " ".join(map(str, range(1, 40_001, 2)))
    begin = time.perf_counter()
    assert len(wording.pieces(before, after)) == 2
    assert time.perf_counter() - begin < 1
