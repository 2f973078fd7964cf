"""Reading a dump kept as Parquet: the rows brought to the form the JSON dump has, so that digests can agree.

What Parquet cannot tell apart stays lost: a key that a record lacks comes back as null, integers of a column
with gaps may come back as floats. Everything that can be put right is:

* ``metrics`` of evaluation rows, which Arrow keeps as one struct of all metric names, as a map, as
  key-value pairs or as JSON text, becomes an object without the null-filled names;
* dates become ISO text, and a timestamp at midnight the date alone, since the dumps hold no times of day;
* NaN becomes null and is noted; the index column that pandas adds is dropped.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from archive.canonical import ExactFloat, parse_exact
from archive.importers.reading import BrokenDump, Constant, Problem, RawRecord, null_constants, refuse, take

BATCH_SIZE = 16
"""Rows taken at a time. Few, since a row of evaluation-tables is a task with all its leaderboards."""

_MAGIC = b"PAR1"


def column_names(path: Path) -> list[str]:
    """The names of the top-level columns. Reads the footer only; raises BrokenDump."""
    with _open(path) as file:
        return list(file.schema_arrow.names)


def _open(path: Path) -> pq.ParquetFile:
    size = path.stat().st_size
    with path.open("rb") as file:
        begins = file.read(4) == _MAGIC
        file.seek(max(size - 4, 0))
        ends = file.read(4) == _MAGIC
    if not begins:
        raise BrokenDump(path, 0, "a Parquet file begins with PAR1, this one does not.")
    if not ends or size < 12:
        raise BrokenDump(path, size, "a Parquet file ends with PAR1, this one does not: it is cut short.")
    try:
        return pq.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise BrokenDump(path, size, f"the Parquet footer is damaged ({error}).") from error


class ParquetReader:
    """The records of one Parquet file, or of several that are the shards of one dump, in the order given."""

    def __init__(self, paths: Sequence[Path], batch_size: int = BATCH_SIZE) -> None:
        self.paths = tuple(paths)
        self.position = 0
        """Bytes read so far: whole files, and of the one at hand the share of its rows already given."""
        self._batch_size = batch_size

    def records(self) -> Iterator[RawRecord]:
        """Every record in order, numbered through the shards.

        Keeps one batch, and what Arrow holds of the row group, in memory. Raises BrokenDump, maybe after
        having given records.
        """
        ordinal = before = 0
        for path in self.paths:
            size = path.stat().st_size
            with _open(path) as file:
                total = max(file.metadata.num_rows, 1)
                done = 0
                try:
                    for batch in file.iter_batches(self._batch_size, use_threads=False):
                        done += batch.num_rows
                        self.position = before + size * done // total
                        for row in _rows(batch):
                            yield _record(ordinal, row)
                            ordinal += 1
                except (pa.ArrowException, OSError) as error:
                    raise BrokenDump(path, size * done // total, f"the data is damaged ({error}).") from error
            before += size
            self.position = before


def _record(ordinal: int, row: dict[str, Any]) -> RawRecord:
    record = take(ordinal, row, null_constants(row))
    if isinstance(record, Problem):
        # a row has no bytes of its own: the JSON it would have been stands in for them
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return refuse(ordinal, record, text.encode("utf-8", "surrogateescape"))
    return record


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    names = [name for name in batch.schema.names if not name.startswith("__index_level_")]
    columns = [_values(batch.column(name), name, "") for name in names]
    for cells in zip(*columns, strict=True):
        yield dict(zip(names, cells, strict=True))


def _values(array: pa.Array, name: str, parent: str) -> list[Any]:
    """The values of a column as the JSON dump has them; ``name`` is its field, ``parent`` the one around."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _values(array.dictionary_decode(), name, parent)
    if isinstance(kind, pa.ExtensionType):
        return _values(array.storage, name, parent)
    in_rows = name == "metrics" and parent == "rows"
    if pa.types.is_struct(kind):
        return _metrics(array) if in_rows else _objects(array, name)
    if pa.types.is_map(kind):
        pairs = pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)]))
        return [_object(value, in_rows) for value in _lists(array.cast(pairs), "", name)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        if in_rows and pa.types.is_struct(kind.value_type) and kind.value_type.num_fields == 2:
            return [_object(value, in_rows) for value in _lists(array, "", name)]
        return _lists(array, name, parent)
    if in_rows and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return [_from_json(value) for value in _texts(array)]
    return _atoms(array)


def _objects(array: pa.StructArray, name: str) -> list[Any]:
    fields = [field.name for field in array.type]
    columns = [_values(child, field, name) for field, child in zip(fields, array.flatten(), strict=True)]
    rows = zip(*columns, strict=True) if columns else iter([()] * len(array))
    present = array.is_valid().to_pylist()
    return [dict(zip(fields, row, strict=True)) if there else None for row, there in zip(rows, present, strict=True)]


def _metrics(array: pa.StructArray) -> list[Any]:
    """Objects of the non-null fields alone. By column, since there are thousands of fields and few values."""
    found: list[dict[str, Any]] = [{} for _ in range(len(array))]
    for field, child in zip(array.type, array.flatten(), strict=True):
        if child.null_count < len(child):
            for place, value in enumerate(_values(child, field.name, "metrics")):
                if value is not None:
                    found[place][field.name] = value
    return [value if there else None for value, there in zip(found, array.is_valid().to_pylist(), strict=True)]


def _lists(array: Any, name: str, parent: str) -> list[Any]:
    items = iter(_values(array.flatten(), name, parent))
    return [
        None if length is None else [next(items) for _ in range(length)] for length in array.value_lengths().to_pylist()
    ]


def _object(pairs: list[dict[str, Any]] | None, without_nulls: bool) -> dict[str, Any] | None:
    if pairs is None:
        return None
    entries = (tuple(pair.values()) for pair in pairs)
    return {key: value for key, value in entries if value is not None or not without_nulls}


def _from_json(text: str | None) -> Any:
    """The object that a JSON text stands for, without its null entries; any other text as it is."""
    try:
        value = parse_exact(text or "")
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    return {key: item for key, item in value.items() if item is not None}


def _texts(array: pa.Array) -> list[str | None]:
    try:
        texts: list[str | None] = array.to_pylist()
    except UnicodeDecodeError:
        return _decoded(array.cast(pa.large_binary()).to_pylist())
    return texts


def _decoded(values: list[bytes | None]) -> list[str | None]:
    return [None if value is None else value.decode("utf-8", "surrogateescape") for value in values]


def _atoms(array: pa.Array) -> list[Any]:
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _texts(array)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return _decoded(array.to_pylist())
    if pa.types.is_timestamp(kind):
        array = array.cast(pa.timestamp("us", kind.tz), safe=False)  # beyond it pyarrow gives pandas' own type
    return [_atom(value) for value in array.to_pylist()]


def _atom(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return ExactFloat(value) if math.isfinite(value) else Constant(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else ExactFloat(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is None and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise pa.ArrowTypeError(f"no JSON for a {type(value).__name__}")
