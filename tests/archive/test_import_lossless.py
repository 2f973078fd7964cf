"""Nothing is lost: whatever a dump holds comes out of the archive again, and every digest can be derived anew."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from archive.importers.dump_files import DumpKind
from archive.importers.run import archive_tables
from archive.models import Record
from tests.archive import made_up
from tests.archive.dumps import DATA, canonical_records, exported, faults, load, taken_back, write_dumps

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Dumps = dict[DumpKind, list[Any]]
SITE = "https://paperswithcode.com"
BESIDE = Path(__file__).parents[3] / "shared"
NO_DUMPS = {"SNAPSHOT.json", "PROVENANCE.json", "run-evidence.json", "datasets.2025-07.sample1.json"}

# Each example is several imports. Raise max_examples and drop derandomize to look for more.
few = settings(
    max_examples=5, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)


def tuples() -> dict[str, list[tuple[str, str]]]:
    """Every row of the archive by place and writing transaction: whatever writes a row changes one of them."""
    found = {}
    with connection.cursor() as cursor:
        for table in archive_tables():
            cursor.execute(f"SELECT ctid::text, xmin::text FROM {table}")
            found[table] = sorted(cursor.fetchall())
    return found


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder, and an archive that is as before afterwards."""
    with tempfile.TemporaryDirectory() as folder, taken_back():
        yield Path(folder)


def comes_back(dumps: Dumps) -> None:
    with scratch() as folder:
        written = write_dumps(folder / "in", dumps)
        load(written)
        assert faults() == []
        assert exported(folder / "out") == canonical_records(written)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def method(**fields: Any) -> Dumps:
    return {DumpKind.METHODS: [{"url": f"{SITE}/method/m", "name": "M", **fields}]}


def trees(*roots: dict[str, Any]) -> Dumps:
    return {DumpKind.TABLES: list(roots)}


def task(*tables: dict[str, Any], name: str | None = "T", **more: Any) -> dict[str, Any]:
    return {"task": name, "datasets": list(tables), "subtasks": [], **more}


def table(rows: Any, metrics: Any = ("A",), **more: Any) -> dict[str, Any]:
    return {"dataset": "D", "sota": {"metrics": list(metrics), "rows": rows}, **more}


def row(model: str | None = "m", **metrics: Any) -> dict[str, Any]:
    return {"model_name": model, "metrics": metrics}


ODD_METRICS: list[Any] = [None, [], "x", {"A": None, "B": [1], "C": True}]
ORDERED = [row(f"m{n}", Foo=str(n)) for n in range(8)]

HOSTILE: dict[str, Dumps] = {
    "nothing at all": {kind: [] for kind in DumpKind},
    "records without a key": {kind: [{}, {}] for kind in DumpKind},
    "nothing readable": {kind: list(made_up.UNREADABLE) for kind in DumpKind},
    "numbers": method(a=1e22, b=-0.0, c=2**70, d=float("nan"), e=5e-324, f=1.0, g=True, num_papers=3.0),
    "not a number deep inside": method(paper={"title": float("nan"), "a/~": [1, float("-inf")]}),
    "as deep as a record may be": method(unknown=nested(253)),
    "more authors than two bytes count": {
        DumpKind.PAPERS: [{"paper_url": f"{SITE}/paper/p", "title": "P", "abstract": "", "authors": ["a"] * 40_000}]
    },
    "a collection's name too long for an index": method(
        collections=[{"collection": "".join(chr(0x4E00 + n) for n in range(4000)), "area_id": "", "area": ""}]
    ),
    "an author's name too long for an index": {
        DumpKind.PAPERS: [
            {"title": "".join(chr(0x4E00 + n) for n in range(9000)), "abstract": "", "authors": ["é" * 9000]}
        ]
    },
    "a metric printed twice": trees(task(table([row(A="1", B="2")], metrics=["A", "B", "A"]))),
    "rows only where the table is met again": trees(
        task(table([], metrics=["Foo"])), task(table(ORDERED, metrics=["Foo"]))
    ),
    "a task without a name and one with an empty one": trees(task(name=None), task(name="")),
    "one table, three versions of its rows": trees(
        task(table([row("m", A="1"), row("n", A="2")])),
        task(table([row("n", A="2")])),
        task(table([row("n", A="3"), row("m", A="1")])),
        task(table([row("n", A="2"), row("m", A="1")])),
    ),
    "rows that are no rows": trees(
        task(table([1, None])), task(table("x")), task(table(None)), task({"dataset": "D", "sota": 3}), task({})
    ),
    "metrics that are no metrics": trees(task(table([{"model_name": "m", "metrics": odd} for odd in ODD_METRICS]))),
    "numbers where a dump has texts": trees(task(table([row(A=1e22, B=-0.0, C=3, D=2**70)]))),
    "children that are no children": trees(
        task(subtasks=3), task(subtasks=[1]), {"task": "T", "datasets": {"a": 1}}, task(subdatasets="x")
    ),
    "a row twice": trees(task(table([row(A="1"), row(A="1"), row(A="2")]))),
    "no model and the model None": trees(task(table([row(None, A="1"), row("None", A="1")]))),
    "the same record many times": {kind: [{"name": "a", "zz": 1}] * 5 for kind in (DumpKind.METHODS, DumpKind.LINKS)},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_records_come_back(name: str) -> None:
    comes_back(HOSTILE[name])


REAL = {
    "eras": DATA / "eras",
    "demo": DATA.parents[1] / "demo",
    "mini": BESIDE / "data" / "pwc" / "mini",
    "dump": BESIDE / "data" / "pwc" / "dump",
    "seeds": BESIDE / "seeds" / "dump",
}


@pytest.mark.parametrize("name", REAL)
def test_real_dumps_of_every_era_come_back(name: str, tmp_path: Path) -> None:
    """Records that people wrote: of every era, with missing keys, "" for null and texts for booleans."""
    if not REAL[name].exists():
        pytest.skip(f"{REAL[name]} is not here")
    files = [path for path in sorted(REAL[name].glob("*.json")) if path.name not in NO_DUMPS]
    load(*files)
    assert faults() == []
    assert exported(tmp_path / "out") == canonical_records(*files)


@st.composite
def whole_dumps(draw: st.DrawFn) -> Dumps:
    return draw(made_up.dumps_from(draw(made_up.pools())))


@st.composite
def snapshots(draw: st.DrawFn) -> list[tuple[bool, Dumps]]:
    """Dumps with records in common, each with whether it is of a later day than the one before."""
    pool = draw(made_up.pools())
    return draw(st.lists(st.tuples(st.booleans(), made_up.dumps_from(pool)), min_size=2, max_size=3))


@few
@given(whole_dumps())
def test_any_dumps_come_back_and_the_same_again_writes_nothing(dumps: Dumps) -> None:
    with scratch() as folder:
        written = write_dumps(folder / "in", dumps)
        load(written)
        assert faults() == []
        assert exported(folder / "out") == canonical_records(written)
        before = tuples()
        load(written)
        assert tuples() == before
        assert exported(folder / "again") == canonical_records(written)


SHARED = table([row("m", A="1"), row("n", A="2")])
OTHER = table([row("n", A="3")], description="told otherwise")


@few
@example([(False, trees(task(SHARED, name="T"))), (False, trees(task(OTHER, name="U"), task(OTHER, name="V")))])
@example(
    [
        (False, trees(task(SHARED))),
        (True, trees(task(table([row("n", A="2")])))),
        (False, trees(task(SHARED, name="W"))),
    ]
)
@example([(False, trees(task(SHARED))), (True, trees(task(OTHER))), (True, trees(task(SHARED)))])
@given(snapshots())
def test_any_snapshots_after_one_another_come_back(snapshots: list[tuple[bool, Dumps]]) -> None:
    with scratch() as folder:
        day, seen, keys = 1, set[DumpKind](), dict[int, str]()
        for number, (later, dumps) in enumerate(snapshots):
            day += later
            seen = set() if later else seen
            written = write_dumps(folder / f"in{number}", dumps, snapshot=f"2025-08-{day:02}")
            load(written)
            assert faults() == []
            out = exported(folder / f"out{number}")
            for kind, records in canonical_records(written).items():
                if kind in seen:  # added to what the snapshot held already
                    assert not Counter(records) - Counter(out[kind])
                else:
                    assert out[kind] == records
            seen |= set(dumps)
            now = dict(Record.objects.values_list("id", "key"))
            assert keys.items() <= now.items()
            keys, before = now, tuples()
            load(written)
            assert tuples() == before
