"""A Parquet dump gives the records of the JSON dump, as far as Parquet kept them."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from archive.canonical import ExactFloat, canonical, digest
from archive.importers.parquet import ParquetReader, column_names
from archive.importers.reading import BrokenDump, Problem, RawRecord

DATA = Path(__file__).parents[2] / "data"
SHARED = Path(__file__).parents[4] / "shared"
FILES = sorted((DATA / "tiny").glob("*s*.json")) + sorted((SHARED / "data/pwc/mini").glob("*s*.json"))


def read(tmp_path: Path, table: pa.Table, **options: Any) -> list[RawRecord]:
    path = tmp_path / "dump.parquet"
    pq.write_table(table, path, row_group_size=7)
    return list(ParquetReader([path], **options).records())


def one(tmp_path: Path, kind: pa.DataType, *values: Any) -> list[RawRecord]:
    return read(tmp_path, pa.table({"a": pa.array(values, type=kind)}))


def without_fill(found: Any, printed: Any) -> Any:
    """A value read from Parquet without the nulls it got for keys the printed one lacks; not in metrics."""
    if isinstance(found, dict) and isinstance(printed, dict):
        return {
            key: value if key == "metrics" else without_fill(value, printed.get(key))
            for key, value in found.items()
            if key in printed or value is not None
        }
    if isinstance(found, list) and isinstance(printed, list):
        return [without_fill(*pair) for pair in zip(found, printed, strict=True)]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.parametrize("batch_size", [1, 1000])
def test_whole_dumps_come_back(tmp_path: Path, path: Path, batch_size: int) -> None:
    printed = json.loads(path.read_bytes())
    if not printed:
        pytest.skip("an empty dump has no columns")
    columns = dict.fromkeys(key for value in printed for key in value)
    table = pa.table({key: [value.get(key) for value in printed] for key in columns})
    found = read(tmp_path, table, batch_size=batch_size)
    assert [record.ordinal for record in found] == list(range(len(printed)))
    for record, value in zip(found, printed, strict=True):
        assert without_fill(record.value, value) == value
        assert record.canonical == canonical(record.value) and record.digest == digest(record.canonical)
    if path.stem in ("links-between-papers-and-code", "datasets") and path.parent.name == "mini":
        assert [record.canonical for record in found] == [canonical(value) for value in printed]


METRICS = [{"Acc": "1.0", "F1": "2"}, {}, {"": "x"}, None, {"F1": "3"}]


def task(rows: list[Any]) -> dict[str, Any]:
    return {"task": "T", "datasets": [{"dataset": "D", "sota": {"metrics": ["Acc", "F1", ""], "rows": rows}}]}


def metrics_of(records: list[RawRecord]) -> list[Any]:
    return [
        row["metrics"]
        for record in records
        if record.value
        for dataset in record.value["datasets"]
        for row in dataset["sota"]["rows"]
    ]


TEXT = pa.string()
PAIRS = [None if m is None else list(m.items()) for m in METRICS]
FORMS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "struct": (pa.struct([("Acc", TEXT), ("F1", TEXT), ("", TEXT), ("Unused", TEXT)]), METRICS),
    "map": (pa.map_(TEXT, TEXT), [None if p is None else [*p, ("Unused", None)] for p in PAIRS]),
    "pairs": (
        pa.list_(pa.struct([("k", TEXT), ("v", TEXT)])),
        [None if p is None else [{"k": k, "v": v} for k, v in [*p, ("Unused", None)]] for p in PAIRS],
    ),
    "json": (TEXT, [None if m is None else json.dumps({**m, "Unused": None}) for m in METRICS]),
    "large-json": (pa.large_string(), [None if m is None else json.dumps(m) for m in METRICS]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("batch_size", [1, 2, 1000])
def test_metrics_in_each_form_become_the_objects_they_were(tmp_path: Path, form: str, batch_size: int) -> None:
    kind, stored = FORMS[form]
    row = pa.struct([("model_name", TEXT), ("metrics", kind)])
    sota = pa.struct([("metrics", pa.list_(TEXT)), ("rows", pa.list_(row))])
    datasets = pa.list_(pa.struct([("dataset", TEXT), ("sota", sota)]))
    tasks = [
        task([]),
        task([{"model_name": "M", "metrics": m} for m in stored]),
        task([{"model_name": "N", "metrics": m} for m in stored[:2]]),
    ]
    schema = pa.schema([("task", TEXT), ("datasets", datasets)])
    found = read(tmp_path, pa.Table.from_pylist(tasks, schema=schema), batch_size=batch_size)
    assert metrics_of(found) == METRICS + METRICS[:2]
    expected = task([{"model_name": "M", "metrics": m} for m in METRICS])
    assert found[1].digest == digest(expected)


def test_metrics_elsewhere_keep_their_nulls_and_texts(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"metrics": {"a": None, "b": "1"}, "rows": {"metrics": '{"a": null, "b": "x"}'}}])
    (record,) = read(tmp_path, table)
    assert record.value == {"metrics": {"a": None, "b": "1"}, "rows": {"metrics": {"b": "x"}}}


@pytest.mark.parametrize("text", ["", "not JSON", "[1]", '"x"', "1", '{"a": NaN}', "[" * 100_000])
def test_metrics_that_are_no_json_object_stay_text(tmp_path: Path, text: str) -> None:
    (record,) = read(tmp_path, pa.Table.from_pylist([{"rows": [{"metrics": text}]}]))
    assert record.value == {"rows": [{"metrics": text}]}


UTC = datetime.UTC
MORNING = datetime.datetime(2018, 5, 28, 9, 30)


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        (pa.date32(), datetime.date(2018, 5, 28), "2018-05-28"),
        (pa.date64(), datetime.date(2018, 5, 28), "2018-05-28"),
        (pa.timestamp("s"), datetime.datetime(2018, 5, 28), "2018-05-28"),
        (pa.timestamp("ns"), datetime.datetime(2018, 5, 28), "2018-05-28"),
        (pa.timestamp("us"), MORNING, "2018-05-28T09:30:00"),
        (pa.timestamp("ms", "UTC"), MORNING.replace(tzinfo=UTC), "2018-05-28T09:30:00+00:00"),
        (pa.time32("s"), datetime.time(9, 30), "09:30:00"),
        (pa.bool_(), True, True),
        (pa.int8(), -5, -5),
        (pa.uint64(), 2**64 - 1, 2**64 - 1),
        (pa.float64(), 1e22, 1e22),
        (pa.float32(), 0.5, 0.5),
        (pa.float16(), 0.5, 0.5),
        (pa.decimal128(20, 2), Decimal("1.50"), 1.5),
        (pa.decimal128(30, 0), Decimal(10**25), 10**25),
        (pa.string(), "é\r\n", "é\r\n"),
        (pa.large_string(), "x", "x"),
        (pa.binary(), "é".encode(), "é"),
        (pa.binary(2), "é".encode(), "é"),
        (pa.dictionary(pa.int8(), pa.string()), "x", "x"),
        (pa.list_(pa.int8()), [1, None], [1, None]),
        (pa.list_(pa.int8(), 2), [1, 2], [1, 2]),
        (pa.large_list(pa.list_(pa.string())), [["a"], None, []], [["a"], None, []]),
        (pa.struct([("x", pa.int8()), ("y", pa.list_(pa.string()))]), {"x": 1}, {"x": 1, "y": None}),
        (pa.map_(pa.string(), pa.int8()), [("k", 1), ("n", None)], {"k": 1, "n": None}),
    ],
    ids=str,
)
def test_every_type_comes_as_plain_json_and_null_as_null(
    tmp_path: Path, kind: pa.DataType, stored: Any, expected: Any
) -> None:
    found = one(tmp_path, kind, stored, None, stored, None)
    assert [record.value for record in found] == [{"a": expected}, {"a": None}, {"a": expected}, {"a": None}]
    assert {type(record.value["a"]) for record in found if record.value} <= {
        *(str, int, bool, list, dict),
        *(ExactFloat, type(None)),
    }
    assert found[0].canonical == canonical({"a": expected})


def test_nan_becomes_null_and_is_noted(tmp_path: Path) -> None:
    nan, inf = float("nan"), float("inf")
    found = one(tmp_path, pa.list_(pa.float64()), [1.5, nan, None], [-inf], [0.0])
    assert [record.value for record in found] == [{"a": [1.5, None, None]}, {"a": [None]}, {"a": [0.0]}]
    assert [record.nonfinite for record in found] == [("/a/1",), ("/a/0",), ()]
    assert [record.constants for record in found] == [("NaN",), ("-Infinity",), ()]


def test_bad_text_is_quarantined_with_its_bytes(tmp_path: Path) -> None:
    bad = pa.array([b"\xff", b"x\0y", b"fine", None], type=pa.binary()).view(pa.string())
    found = read(tmp_path, pa.table({"b": [1, 2, 3, 4], "a": bad}))
    assert [record.problem for record in found] == [Problem.INVALID_UTF8, Problem.NUL, "", ""]
    assert [record.source for record in found] == [
        b'{"a":"\xff","b":1}',
        b'{"a":"x\\u0000y","b":2}',
        b"",
        b"",
    ]
    assert found[0].canonical == found[0].source and found[0].digest == digest(found[0].source)


def test_the_index_pandas_adds_is_dropped(tmp_path: Path) -> None:
    (record,) = read(tmp_path, pa.table({"a": [1], "__index_level_0__": [7]}))
    assert record.value == {"a": 1}
    assert column_names(tmp_path / "dump.parquet") == ["a", "__index_level_0__"]


def test_position_grows_with_the_rows_over_all_shards(tmp_path: Path) -> None:
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for path in paths:
        pq.write_table(pa.table({"a": list(range(20))}), path)
    reader = ParquetReader(paths, batch_size=5)
    positions = [reader.position for _ in reader.records()]
    assert positions == sorted(positions) and len(set(positions)) == 8
    assert reader.position == sum(path.stat().st_size for path in paths)


def test_an_unknown_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenDump, match="no JSON for"):
        one(tmp_path, pa.duration("s"), datetime.timedelta(seconds=1))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump.parquet"
    pq.write_table(pa.table({"a": ["x" * 50] * 1000, "b": list(range(1000))}), path, compression="gzip")
    data = path.read_bytes()
    middle = len(data) // 3
    damaged = {
        "ends with PAR1": data[:-1],
        "begins with PAR1": b"[" + data[1:],
        "cut short": b"PAR1",
        "footer is damaged": data[:-8] + b"\xff\xff\xff\x7f" + data[-4:],
        "data is damaged": data[:middle]
        + bytes(byte ^ 0x5A for byte in data[middle : middle + 200])
        + data[middle + 200 :],
    }
    for sentence, content in damaged.items():
        path.write_bytes(content)
        with pytest.raises(BrokenDump, match=sentence) as caught:
            list(ParquetReader([path]).records())
        assert caught.value.path == path
