"""What columns do not say of a record, and the record again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.canonical import canonical, parse_exact
from archive.importers.residue import printed_otherwise, residue, restore

keys = st.sampled_from(["a", "b", "c", "", "ä", '"', "a/~"])
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.just(2**70) | st.floats(allow_nan=False) | st.text(max_size=3)
)
jsons = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=2))
records = st.dictionaries(keys, jsons.filter(lambda value: value not in (float("inf"), float("-inf"))), max_size=5)


def exact(value: Any) -> Any:
    """As the readers give it."""
    return parse_exact(json.dumps(value))


@given(records, records)
def test_whatever_is_rendered_the_record_comes_back(raw: dict[str, Any], rendered: dict[str, Any]) -> None:
    try:
        raw, rendered = exact(raw), exact(rendered)
        printed = canonical(raw), canonical(rendered)
    except ValueError:  # an infinity somewhere inside
        return
    extra = residue(raw, rendered)
    assert canonical(restore(dict(rendered), extra)) == printed[0]
    assert (extra == "") == (printed[0] == printed[1])
    assert extra == "" or canonical(parse_exact(extra)).decode() == extra, "extra is canonical itself"


@pytest.mark.parametrize(
    ("raw", "rendered", "extra"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": 1}, {"a": 1.0}, '{"set":{"a":1}}'),
        ({"a": True}, {"a": 1}, '{"set":{"a":true}}'),
        ({"a": ""}, {"a": None}, '{"set":{"a":""}}'),
        ({}, {"a": None}, '{"absent":["a"]}'),
        ({"zz": [], "b": 1}, {"b": 2, "a": 0}, '{"absent":["a"],"set":{"b":1,"zz":[]}}'),
    ],
)
def test_what_is_kept(raw: dict[str, Any], rendered: dict[str, Any], extra: str) -> None:
    assert residue(exact(raw), exact(rendered)) == extra


@given(records, records, keys, st.booleans())
def test_rendered_otherwise_it_is_as_if_it_had_been_so_at_once(
    raw: dict[str, Any], rendered: dict[str, Any], key: str, constants: bool
) -> None:
    try:
        raw, rendered = exact(raw), exact(rendered)
        canonical(raw), canonical(rendered)
    except ValueError:
        return
    if key not in raw or raw[key] == "another":
        return
    nonfinite = {"/zz": "NaN"} if constants else None
    first = residue(raw, {**rendered, key: raw[key]}, nonfinite=nonfinite)
    assert printed_otherwise(first, key, raw[key]) == residue(raw, {**rendered, key: "another"}, nonfinite=nonfinite)


def test_what_json_can_not_say_is_kept_by_its_place() -> None:
    extra = residue({"a": None}, {"a": None}, nonfinite={"/a": "NaN"})
    assert extra == '{"nonfinite":{"/a":"NaN"}}'
    assert restore({"a": None}, extra) == {"a": None}


def test_a_record_may_be_as_deep_as_a_canonical_form() -> None:
    value: Any = 1
    for _ in range(253):
        value = [value]
    extra = residue({"a": value}, {})
    assert restore({}, extra) == {"a": value}
