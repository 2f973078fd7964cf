"""The canonical form equals what the standard library writes, and refuses what JSON cannot say."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from archive.canonical import (
    MAX_DEPTH,
    ExactFloat,
    NotFinite,
    TooDeep,
    canonical,
    canonical_parsed,
    digest,
    parse_exact,
)

text = st.text(st.characters(codec="utf-8"))
numbers = st.integers() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner) | st.dictionaries(text, inner),
    max_leaves=20,
)


def by_the_standard_library(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@given(values)
@example({"b": 1e22, "a": [1e-7, 1e16, 1e-5, -0.0, 0.1, 5e-324, 1.7976931348623157e308]})
@example({'\x7f\x00\x1f\u2028/"\\': "\b\f\n\r\t", "é": 1, "e": 2, "\uffff": 3, "\U00010000": 4})
@example([2**63, -(2**63) - 1, 2**64, 10**400])
def test_it_is_what_the_standard_library_writes(value: Any) -> None:
    expected = by_the_standard_library(value)
    assert canonical(value) == expected
    parsed = parse_exact(expected)
    assert canonical(parsed) == canonical_parsed(parsed) == expected


def test_an_exact_float_is_written_the_same_beside_and_without_plain_floats() -> None:
    assert canonical([ExactFloat("1e22"), ExactFloat("1E-7")]) == b"[1e+22,1e-07]"
    assert canonical([ExactFloat("1e22"), 1e-7]) == b"[1e+22,1e-07]"
    assert canonical([ExactFloat("1e22"), 2**80]) == b"[1e+22,1208925819614629174706176]"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), ExactFloat("-inf"), ExactFloat("1e400")])
def test_what_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(NotFinite):
        canonical({"a": [number]})


@pytest.mark.parametrize("value", ["\ud800", {"\udc80": 1}, ["x\udfff", 2**70], ["\ud800", 1.5]])
def test_a_lone_surrogate_is_refused(value: Any) -> None:
    with pytest.raises(UnicodeEncodeError):
        canonical(value)


@pytest.mark.parametrize("value", [{1: 2}, {None: 1.5}, [b"x"], {1, 2}, object()])
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize("leaf", [1, 1.5, 2**70, ExactFloat(1.5)])
def test_the_depth_limit_is_the_same_whichever_way_a_value_is_written(leaf: Any) -> None:
    value = leaf
    for _ in range(MAX_DEPTH):
        value = {"a": value}
    assert canonical(value) == by_the_standard_library(value)
    with pytest.raises(TooDeep):
        canonical([value])


def test_the_digest_is_sha256_of_the_canonical_bytes() -> None:
    expected = hashlib.sha256(b'{"a":[1,null],"b":"\xc3\xa9"}').digest()
    assert digest({"b": "é", "a": [1, None]}) == expected
    assert digest(b'{"a":[1,null],"b":"\xc3\xa9"}') == expected


def test_parsing_is_exact() -> None:
    value = parse_exact('{"a": 12345678901234567890123, "b": 1E-7, "a": 2.50}')
    assert value == {"a": 2.5, "b": 1e-7} and type(value["a"]) is ExactFloat
    assert parse_exact(b'["\xc3\xa9"]') == ["é"]


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_parsing_refuses_constants_json_does_not_have(constant: str) -> None:
    with pytest.raises(NotFinite):
        parse_exact(f"[{constant}]")
