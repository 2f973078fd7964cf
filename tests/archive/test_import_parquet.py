"""Parquet dumps, as Hugging Face serves them, make the same archive as the JSON ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from archive.importers.dump_files import DumpKind
from archive.models import Authorship, Leaderboard, Record, Result, ResultMetric, TaskNode
from tests.archive.dumps import TINY, faults, load, taken_back, values

pytestmark = pytest.mark.django_db


def write_parquet(folder: Path, kind: DumpKind, shards: int = 1) -> None:
    """A dump as Parquet: metrics become one struct of all names, filled up with nulls."""
    records = values(kind)
    columns = dict.fromkeys(key for value in records for key in value)
    table = pa.table({key: [value.get(key) for value in records] for key in columns})
    size = -(-len(records) // shards)
    for number in range(shards):
        name = f"{kind.file_name}-{number:05}-of-{shards:05}.parquet" if shards > 1 else f"{kind.file_name}.parquet"
        pq.write_table(table.slice(number * size, size), folder / name)


def content() -> dict[str, Any]:
    """What the archive holds, by public keys: records, values, places, lists and the tree."""
    return {
        "records": set(Record.objects.values_list("key", "kind", "name", "ordinal", "quarantined")),
        "rows": set(
            Result.objects.values_list("record__key", "number", "position", "paper__record__key", "paper_matched")
        ),
        "values": set(ResultMetric.objects.values_list("result__record__key", "metric__name", "value", "number")),
        "boards": set(Leaderboard.objects.values_list("record__key", "dataset__record__key", "row_count", "parent")),
        "authors": set(Authorship.objects.values_list("paper__record__key", "position", "author__name")),
        "tree": sorted(TaskNode.objects.values_list("position", "name__name", "parent__name__name")),
    }


@pytest.mark.parametrize("shards", [1, 3])
def test_the_archive_is_the_same(tmp_path: Path, shards: int) -> None:
    for kind in DumpKind:
        write_parquet(tmp_path, kind, shards)
    (tmp_path / "SNAPSHOT.json").write_text((TINY / "SNAPSHOT.json").read_text())
    with taken_back():
        load(TINY)
        from_json = content()
    load(tmp_path)
    assert content() == from_json
    assert faults() == []


def test_parquet_and_json_may_stand_side_by_side(tmp_path: Path) -> None:
    write_parquet(tmp_path, DumpKind.LINKS)
    (tmp_path / "papers-with-abstracts.json").write_text(json.dumps(values(DumpKind.PAPERS)))
    summary = load(tmp_path)
    assert (summary.counts["paper"], summary.counts["code"]) == ({"added": 6}, {"added": 6})
    assert faults() == []
