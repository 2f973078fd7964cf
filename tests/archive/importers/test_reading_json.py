"""A JSON dump is read exactly, wherever its chunks fall, and one bad record does not cost the others."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from archive.canonical import MAX_DEPTH, canonical
from archive.importers.json_file import JsonReader, TextFile
from archive.importers.reading import BrokenDump, Problem, RawRecord

SHARED = Path(__file__).parents[4] / "shared"

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
# the characters on which a reader of chunks can trip, more often than chance would have them
text = st.text(st.sampled_from('a"\\[]{},:é€😀\n\u2028 0\x7f') | st.characters(codec="utf-8", exclude_characters="\0"))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
records = st.lists(st.dictionaries(text, values, max_size=4), max_size=6)


def read(tmp_path: Path, data: bytes, chunk_size: int = 1 << 20, **options: Any) -> list[RawRecord]:
    path = tmp_path / "dump.json"
    path.write_bytes(data)
    return list(JsonReader(path, chunk_size, **options).records())


def broken(tmp_path: Path, data: bytes, chunk_size: int = 1 << 20, **options: Any) -> BrokenDump:
    with pytest.raises(BrokenDump) as caught:
        read(tmp_path, data, chunk_size, **options)
    assert caught.value.path == tmp_path / "dump.json"
    assert str(caught.value.path) in str(caught.value)
    return caught.value


@in_one_folder
@given(records, st.integers(1, 40), st.booleans(), st.sampled_from([None, 0, 3]), st.booleans())
@example([{"é€😀": '\\"😀€é\\'}], 1, False, None, False)
def test_records_are_those_of_json_loads(
    tmp_path: Path, expected: list[Any], chunk_size: int, ascii_only: bool, indent: int | None, zipped: bool
) -> None:
    data = json.dumps(expected, ensure_ascii=ascii_only, indent=indent).encode()
    found = read(tmp_path, gzip.compress(data, 1) if zipped else data, chunk_size)
    assert [record.value for record in found] == json.loads(data)
    assert [record.ordinal for record in found] == list(range(len(expected)))
    for record in found:
        assert record.canonical == canonical(record.value)
        assert record.digest == hashlib.sha256(record.canonical).digest()
        assert not record.problem and not record.source


# records that are refused, each as it stands between two commas
BAD = {
    b'{"a": "\\ud800"}': Problem.LONE_SURROGATE,
    b'{"\\udc00x": 1}': Problem.LONE_SURROGATE,
    b'{"a": "\\ud83d\xf0\x9f\x98\x80"}': Problem.LONE_SURROGATE,
    b'{"a": ["x\\u0000y"]}': Problem.NUL,
    b'{"\\\\\\u0000": 1}': Problem.NUL,
    b'{"a": "\xff, ]"}': Problem.INVALID_UTF8,
    b'{"a": "\xed\xa0\x80"}': Problem.INVALID_UTF8,
    b'{"a": "\xf0\x9f\x98", \xff}': Problem.INVALID_UTF8,
    b'{"a": 1,}': Problem.SYNTAX,
    b'{"a": tru, "b": ", ] } \\" ["}': Problem.SYNTAX,
    b'{"a": "raw \n line break"}': Problem.SYNTAX,
    b'{"a": 1} {"b": 2}': Problem.SYNTAX,
    b'{"a": ]}': Problem.SYNTAX,
    b'{"a": [1, 2}': Problem.SYNTAX,
    b"nonsense}": Problem.SYNTAX,
    b"12": Problem.NOT_AN_OBJECT,
    b'"a, ]"': Problem.NOT_AN_OBJECT,
    b'[{"a": 1}, {}]': Problem.NOT_AN_OBJECT,
    b"null": Problem.NOT_AN_OBJECT,
    b"NaN": Problem.NOT_AN_OBJECT,
    b'{"a": 1e400}': Problem.NUMBER,
    b'{"a": -1e400, "b": NaN}': Problem.NUMBER,
    b'{"a": ' + b"9" * 5000 + b"}": Problem.NUMBER,
    b'{"a": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}": Problem.TOO_DEEP,
    b'{"a": ' + b'{"b": [' * 5000 + b"]}" * 5000 + b"}": Problem.TOO_DEEP,
}


@pytest.mark.parametrize("chunk_size", [1, 3, 7, 1 << 20])
@pytest.mark.parametrize("source", BAD, ids=lambda source: source[:24].decode("ascii", "replace"))
def test_a_bad_record_keeps_its_bytes_and_the_rest_goes_on(tmp_path: Path, source: bytes, chunk_size: int) -> None:
    chunk_size = max(chunk_size, len(source) // 100)  # the deep ones would take minutes byte by byte
    good = {"before": "é"}, {"after": ["]", {"x": "}"}]}
    parts = [json.dumps(good[0]).encode(), source, json.dumps(good[1]).encode(), source]
    found = read(tmp_path, b"[\n " + b" ,\n ".join(parts) + b" \n]\n", chunk_size)
    assert [record.value for record in found] == [good[0], None, good[1], None]
    assert [record.ordinal for record in found] == [0, 1, 2, 3]
    assert [record.problem for record in found] == ["", BAD[source], "", BAD[source]]
    for record in (found[1], found[3]):
        assert record.source == record.canonical == source
        assert record.digest == hashlib.sha256(source).digest()
        assert record.problem.sentence.endswith(".")


@in_one_folder
@given(st.lists(st.sampled_from([*BAD, b"{}", b'{"a": "\xc3\xa9"}']), min_size=1, max_size=5), st.integers(1, 30))
def test_the_bytes_of_any_mixture_come_back(tmp_path: Path, parts: list[bytes], chunk_size: int) -> None:
    found = read(tmp_path, b"[" + b",".join(parts) + b"]", max(chunk_size, sum(map(len, parts)) // 50))
    assert len(found) == len(parts)
    for record, part in zip(found, parts, strict=True):
        assert record.source == (part if part in BAD else b"")


def test_a_record_that_is_never_closed_takes_the_rest_of_the_file_with_it(tmp_path: Path) -> None:
    error = broken(tmp_path, data := b'[{"a": 1}, {"b": {"c": 2}, {"d": 3}]')
    assert error.position == len(data) and "record 1" in error.sentence


def test_a_literal_backslash_before_u0000_is_no_nul(tmp_path: Path) -> None:
    (record,) = read(tmp_path, rb'[{"a": "C:\\u0000", "b": "\\\\u0000"}]')
    assert record.value == {"a": r"C:\u0000", "b": r"\\u0000"} and not record.problem


def test_the_last_of_two_equal_keys_counts(tmp_path: Path) -> None:
    (record,) = read(tmp_path, b'[{"a": NaN, "b": 1, "a": 2}]')
    assert record.value == {"a": 2, "b": 1} and record.nonfinite == ()


@pytest.mark.parametrize("chunk_size", [1, 5, 1 << 20])
def test_constants_become_null_and_their_places_are_told(tmp_path: Path, chunk_size: int) -> None:
    data = b'[{"date": NaN, "m": [{"x~/y": -Infinity}, 1.5], "": Infinity, "n": null}, {"a": 0}]'
    first, second = read(tmp_path, data, chunk_size)
    assert first.value == {"date": None, "m": [{"x~/y": None}, 1.5], "": None, "n": None}
    assert first.nonfinite == ("/", "/date", "/m/0/x~0~1y")
    assert first.constants == ("Infinity", "NaN", "-Infinity")
    assert first.canonical == b'{"":null,"date":null,"m":[{"x~/y":null},1.5],"n":null}'
    assert second.nonfinite == second.constants == ()


@pytest.mark.parametrize("chunk_size", [1, 2, 1 << 20])
@pytest.mark.parametrize("data", [b"[]", b" [ \n] \r\n", codecs.BOM_UTF8 + b"[]"])
def test_an_empty_array_is_fine(tmp_path: Path, data: bytes, chunk_size: int) -> None:
    assert read(tmp_path, data, chunk_size) == []


@pytest.mark.parametrize("chunk_size", [1, 2, 1 << 20])
def test_a_byte_order_mark_is_fine(tmp_path: Path, chunk_size: int) -> None:
    assert [r.value for r in read(tmp_path, codecs.BOM_UTF8 + b'[{"a": 1}]', chunk_size)] == [{"a": 1}]


WHOLE = '[{"a": "é]"}, {"b": [1, {"c": "😀"}]}]'.encode()


@pytest.mark.parametrize("chunk_size", [1, 4, 1 << 20])
@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path, length: int, chunk_size: int) -> None:
    error = broken(tmp_path, WHOLE[:length], chunk_size)
    assert error.position == length


@pytest.mark.parametrize("chunk_size", [1, 6, 1 << 20])
@pytest.mark.parametrize(
    ("data", "position", "words"),
    [
        ('[{"é": 1}] x'.encode(), 12, "follows the end"),
        (b'[{"a": 1}][]', 10, "follows the end"),
        (b'[{"a": 1}]\0\0', 10, "follows the end"),
        (b'[{"a": 1},]', 10, "no record 1"),
        (b'[{"a": 1},,{}]', 10, "no record 1"),
        (b"<!DOCTYPE html>", 0, "neither"),
        ('"é"'.encode(), 0, "neither"),
        (b'{\n "a": 1,\n "b": 2\n}\n', 0, "neither"),
    ],
)
def test_what_is_no_dump_is_refused_where_it_fails(
    tmp_path: Path, data: bytes, position: int, words: str, chunk_size: int
) -> None:
    error = broken(tmp_path, data, chunk_size)
    assert (error.position, words in error.sentence) == (position, True), error


def test_a_lost_quote_does_not_fill_the_memory(tmp_path: Path) -> None:
    data = b'[{"a": "' + b"x" * 5000 + b'"}]'
    assert len(read(tmp_path, data, 100, max_record=6000)) == 1
    error = broken(tmp_path, data, 100, max_record=3000)
    assert "does not end within 3,000 characters" in error.sentence and error.position == 1


@pytest.mark.parametrize("chunk_size", [1, 10, 1000])
def test_damaged_gzip_is_refused(tmp_path: Path, chunk_size: int) -> None:
    zipped = gzip.compress(json.dumps([{"a": list(range(2000))}]).encode())
    assert len(read(tmp_path, zipped, chunk_size)) == 1
    for length in (3, 15, len(zipped) // 2, len(zipped) - 9, len(zipped) - 1):
        assert "cut short" in broken(tmp_path, zipped[:length], chunk_size).sentence
    wrong_sum = zipped[:-8] + bytes([zipped[-8] ^ 1]) + zipped[-7:]
    assert "damaged" in broken(tmp_path, wrong_sum, chunk_size).sentence
    assert "damaged" in broken(tmp_path, zipped + b"more", chunk_size).sentence


def test_gzip_in_several_members_with_padding_is_fine(tmp_path: Path) -> None:
    data = gzip.compress(b'[{"a": 1},') + gzip.compress(b' {"b": 2}]') + b"\0" * 512
    for chunk_size in (1, 9, 1000):
        assert [record.value for record in read(tmp_path, data, chunk_size)] == [{"a": 1}, {"b": 2}]


def test_gzip_comes_in_bounded_pieces(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b" " * 3_000_000))
    file = TextFile(path, 1000)
    assert len(file.read(1000)) == 1000 and file.position <= path.stat().st_size
    file.close()


@in_one_folder
@given(records.filter(bool), st.integers(1, 40), st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.booleans())
def test_one_object_per_line_is_read_too(
    tmp_path: Path, expected: list[Any], chunk_size: int, newline: bytes, closed: bool
) -> None:
    lines = [json.dumps(value, ensure_ascii=False).encode() for value in expected]
    found = read(tmp_path, newline.join(lines) + newline * closed, chunk_size)
    assert [record.value for record in found] == expected


def test_a_bad_line_keeps_its_bytes(tmp_path: Path) -> None:
    found = read(tmp_path, b'{"a": 1}\n{"b": \n{"c": "\\u0000"}\n{"d": 1}')
    assert [record.source for record in found] == [b"", b'{"b":', b'{"c": "\\u0000"}', b""]


@pytest.mark.parametrize("chunk_size", [1, 1 << 20])
@pytest.mark.parametrize("line", ['{"b": [1, {"c": "é😀"}], "d": {}}'.encode()])
def test_a_last_line_cut_short_is_refused(tmp_path: Path, line: bytes, chunk_size: int) -> None:
    for length in range(1, len(line)):
        assert broken(tmp_path, b'{"a": 1}\n' + line[:length], chunk_size).position == 9 + length
        assert broken(tmp_path, line[:length], chunk_size).position == length


def test_the_position_goes_to_the_end_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(json.dumps([{"a": i, "b": i * i} for i in range(5000)]).encode()))
    reader = JsonReader(path, 500)
    assert reader.position == 0
    positions = [reader.position for _ in reader.records()]
    assert positions == sorted(positions) and len(set(positions)) > 10
    assert reader.position == path.stat().st_size
    assert len(list(reader.records())) == 5000  # and again from the beginning


@pytest.mark.parametrize("path", sorted(SHARED.glob("**/dump/*s*.json")) + sorted(SHARED.glob("data/pwc/mini/*s.json")))
def test_real_dumps_are_read_whole(path: Path) -> None:
    if path.name == "run-evidence.json":
        pytest.skip("not a dump")
    expected = json.loads(path.read_bytes())
    for chunk_size in (4099, 1 << 20):
        found = list(JsonReader(path, chunk_size).records())
        assert [record.value for record in found] == expected
        assert not any(record.problem for record in found)
