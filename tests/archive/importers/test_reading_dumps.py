"""The dumps are found among other files, whatever era named them, and never guessed at."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from archive.importers.dump_files import DumpKind, DumpsAmbiguous, DumpsNotFound, find_dumps
from archive.importers.reading import BrokenDump, Problem

ERAS = Path(__file__).parents[2] / "data" / "eras"
SHARED = Path(__file__).parents[4] / "shared"

FIRST: dict[DumpKind, dict[str, Any]] = {
    DumpKind.PAPERS: {"paper_url": "https://paperswithcode.com/paper/a", "title": "A", "abstract": "Text."},
    DumpKind.DATASETS: {"url": "https://paperswithcode.com/dataset/a", "name": "A", "modalities": ["Texts"]},
    DumpKind.METHODS: {"url": "https://paperswithcode.com/method/a", "name": "A", "introduced_year": 2000},
    DumpKind.TABLES: {"task": "A", "datasets": [{"dataset": "B"}], "subtasks": []},
    DumpKind.LINKS: {"paper_url": "https://paperswithcode.com/paper/a", "repo_url": "https://github.com/a/b"},
}


def write(path: Path, kind: DumpKind, *more: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [FIRST[kind], *more]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        data = json.dumps(rows).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def values(path: Path, kind: DumpKind) -> list[Any]:
    return [record.value for record in find_dumps([path])[kind].records()]


def test_the_kinds_are_stable_and_in_the_order_of_import() -> None:
    assert [kind.value for kind in DumpKind] == ["papers", "datasets", "methods", "tables", "links"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("papers-with-abstracts.json", DumpKind.PAPERS),
        ("jul-29-papers-with-abstracts.json.gz", DumpKind.PAPERS),
        ("papers-with-abstracts.2025-07.sample1.json", DumpKind.PAPERS),
        ("links-between-papers-and-code.json.gz", DumpKind.LINKS),
        ("jul-28-links-between-paper-and-code.parquet", DumpKind.LINKS),
        ("evaluation-tables.2021-07.human-interaction-recognition.json", DumpKind.TABLES),
        ("Evaluation_Tables.JSON", DumpKind.TABLES),
        ("methods.2025-03-07.json", DumpKind.METHODS),
        ("jul-28-methods.json.gz", DumpKind.METHODS),
        ("datasets.2022-03-22.first1000.json", DumpKind.DATASETS),
        ("pwc_datasets.parquet", DumpKind.DATASETS),
    ],
)
@pytest.mark.parametrize("as_folder", [True, False])
def test_a_dump_is_found_by_its_name(tmp_path: Path, name: str, kind: DumpKind, as_folder: bool) -> None:
    path = write(tmp_path / name, kind)
    found = find_dumps([tmp_path if as_folder else path])
    assert list(found) == [kind]
    assert (found[kind].kind, found[kind].paths, found[kind].names) == (kind, (path,), (name,))
    assert [record.value for record in found[kind].records()] == [FIRST[kind]]


@pytest.mark.parametrize("kind", DumpKind)
@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "x.parquet", "x", "train-00000-of-00001.parquet"])
def test_a_dump_is_found_by_its_first_record(tmp_path: Path, name: str, kind: DumpKind) -> None:
    assert values(write(tmp_path / name, kind), kind) == [FIRST[kind]]


@pytest.mark.parametrize("kind", DumpKind)
def test_an_empty_dump_and_one_of_lines_are_found(tmp_path: Path, kind: DumpKind) -> None:
    (tmp_path / f"{kind.file_name}.json").write_bytes(b"[]")
    assert values(tmp_path, kind) == []
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps(FIRST[kind]) + "\n" + json.dumps(FIRST[kind]))
    assert values(lines, kind) == [FIRST[kind]] * 2


def test_all_five_come_in_the_order_of_import_and_other_files_are_passed_over(tmp_path: Path) -> None:
    for kind in reversed(DumpKind):
        write(tmp_path / kind.value / f"{kind.file_name}.json", kind)
    for name in ("SNAPSHOT.json", "PROVENANCE.json", "datasets_info.json", "run-evidence.json"):
        (tmp_path / name).write_text('{\n "papers": [],\n "datasets": {"a": 1}\n}')
    (tmp_path / "ito.polarities.json").write_text('[{"metric": "Acc", "name": "x"}]')
    (tmp_path / "README.md").write_text("papers-with-abstracts")
    (tmp_path / "methods.json.incomplete").write_text("[")
    write(tmp_path / ".cache" / "datasets.json", DumpKind.DATASETS)
    found = find_dumps([tmp_path])
    assert list(found) == list(DumpKind)
    assert all(found[kind].names == (f"{kind.file_name}.json",) for kind in DumpKind)


def test_two_files_for_one_dump_are_an_error_and_one_file_twice_is_not(tmp_path: Path) -> None:
    first = write(tmp_path / "datasets.json", DumpKind.DATASETS)
    (tmp_path / "link.json").symlink_to(first)
    assert find_dumps([tmp_path, first, tmp_path])[DumpKind.DATASETS].paths == (first,)
    second = write(tmp_path / "datasets.json.gz", DumpKind.DATASETS)
    with pytest.raises(DumpsAmbiguous) as caught:
        find_dumps([tmp_path])
    assert str(first) in str(caught.value) and str(second) in str(caught.value)
    assert list(find_dumps([second])) == [DumpKind.DATASETS]


def test_a_name_that_the_records_deny_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "methods.json", DumpKind.DATASETS)
    with pytest.raises(DumpsAmbiguous, match="named like methods but holds datasets"):
        find_dumps([path])


def test_nothing_found_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "SNAPSHOT.json").write_text("{}")
    with pytest.raises(DumpsNotFound) as caught:
        find_dumps([tmp_path])
    assert all(kind.file_name in str(caught.value) for kind in DumpKind)
    with pytest.raises(DumpsNotFound, match="none of the dumps"):
        find_dumps([tmp_path / "SNAPSHOT.json"])
    with pytest.raises(DumpsNotFound, match="does not exist"):
        find_dumps([tmp_path / "absent"])
    with pytest.raises(DumpsNotFound):
        find_dumps([])


@pytest.mark.parametrize("content", [b"", b"<html>", b"[", b"\x1f\x8b\x08\0damaged"])
def test_a_damaged_file_of_the_right_name_is_found_and_refused_when_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "methods.json").write_bytes(content)
    with pytest.raises(BrokenDump):
        list(find_dumps([tmp_path])[DumpKind.METHODS].records())


def test_shards_are_one_dump_in_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "links-between-paper-and-code" / "data"
    for number in (2, 0, 11, *range(3, 11), 1):
        path = folder / f"train-{number:05}-of-00012.parquet"
        write(path, DumpKind.LINKS, {**FIRST[DumpKind.LINKS], "paper_url": f"{number}"})
    dump = find_dumps([tmp_path])[DumpKind.LINKS]
    assert dump.names == tuple(f"train-{number:05}-of-00012.parquet" for number in range(12))
    found = list(dump.records())
    assert [record.ordinal for record in found] == list(range(24))
    assert [record.value["paper_url"] for record in found[1::2] if record.value] == [str(n) for n in range(12)]
    assert dump.position == dump.size == sum(path.stat().st_size for path in folder.iterdir())
    assert len(dump.sha256()) == 12
    path.unlink()
    with pytest.raises(DumpsAmbiguous, match="not 12 in a row"):
        find_dumps([folder])
    with pytest.raises(DumpsAmbiguous, match="not 12 in a row"):
        find_dumps([folder / "train-00000-of-00012.parquet"])


def test_numbered_shards_without_a_count(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"{number:04}.parquet", DumpKind.METHODS)
    assert len(values(tmp_path, DumpKind.METHODS)) == 3
    (tmp_path / "0001.parquet").unlink()
    with pytest.raises(DumpsAmbiguous):
        find_dumps([tmp_path])


@pytest.mark.parametrize("other", ["test-00000-of-00001.parquet", "b/train-00000-of-00001.parquet", "x.parquet"])
def test_shards_of_two_sets_are_an_error(tmp_path: Path, other: str) -> None:
    write(tmp_path / "train-00000-of-00001.parquet", DumpKind.METHODS)
    write(tmp_path / other, DumpKind.METHODS)
    with pytest.raises(DumpsAmbiguous, match="More than one file"):
        find_dumps([tmp_path])


def test_a_shard_cut_short_is_refused_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "train-00000-of-00001.parquet", DumpKind.METHODS)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BrokenDump, match="cut short"):
        find_dumps([tmp_path])


@pytest.mark.parametrize("name", ["methods.json", "methods.json.gz", "methods.parquet"])
def test_size_position_and_digest_are_of_the_file_as_it_lies(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, DumpKind.METHODS)
    dump = find_dumps([path])[DumpKind.METHODS]
    assert dump.position == 0
    list(dump.records())
    assert dump.position == dump.size == len(path.read_bytes())
    assert dump.sha256() == {name: hashlib.sha256(path.read_bytes()).digest()}


def test_dumps_of_every_era(tmp_path: Path) -> None:
    found = find_dumps([ERAS])
    assert list(found) == list(DumpKind)
    records = {kind: list(dump.records()) for kind, dump in found.items()}
    first, second, third = records[DumpKind.PAPERS]
    assert first.value and first.value["date"] is None and first.nonfinite == ("/date",)
    assert second.problem is Problem.LONE_SURROGATE and b"\\ud835" in second.source
    assert third.value and third.value["date"] == ""
    (table,) = records[DumpKind.TABLES]
    assert table.nonfinite == ("/datasets/0/sota/rows/1/metrics/Acc", "/source_link")
    assert table.constants == ("Infinity", "NaN")
    assert b'{"Acc":"44,89","Time":1e-07}' in table.canonical
    (link,) = records[DumpKind.LINKS]
    assert link.value and link.value["mentioned_in_paper"] == "True" and "paper_url" not in link.value
    assert records[DumpKind.METHODS][0].value and records[DumpKind.DATASETS][0].value

    for path in ERAS.iterdir():  # zipped, they are the same
        with path.open("rb") as source, gzip.open(tmp_path / f"{path.name}.gz", "wb") as target:
            shutil.copyfileobj(source, target)
    zipped = {kind: list(dump.records()) for kind, dump in find_dumps([tmp_path]).items()}
    assert zipped == records


@pytest.mark.skipif(not SHARED.exists(), reason="the collected real dumps are not here")
def test_real_folders() -> None:
    for folder in ("data/pwc/mini", "seeds/dump"):
        assert list(find_dumps([SHARED / folder])) == list(DumpKind)
    with pytest.raises(DumpsAmbiguous, match=r"datasets\.2022.*datasets\.2025"):
        find_dumps([SHARED / "data/pwc/dump"])
