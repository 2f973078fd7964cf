"""Odd records: what is wrong with some records of real dumps, done to ours at known places.

`ODD.json` lists the place of each, so that a benchmark can say what an import must have set aside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from random import Random
from typing import Any

RawRecord = dict[str, Any]

UNREADABLE = ("lone_surrogate", "nul", "not_an_object", "missing_identity", "wrong_type")
"""Kinds whose records can not be stored as values: they are to be kept as raw bytes, with a reason."""

RATES = {
    "nan": 1e-4,
    "missing_key": 1e-3,
    "empty_for_null": 2e-3,
    "unknown_key": 5e-4,
    "string_bool": 2e-3,
    "big_number": 1e-4,
    "duplicate_key": 1e-4,
    "huge": 4e-6,
    "lone_surrogate": 2e-5,
    "nul": 2e-5,
    "not_an_object": 5e-6,
    "missing_identity": 5e-6,
    "wrong_type": 5e-5,
}
"""Share of a file's records per kind; each kind that a file can have occurs at least once."""

IDENTITY = {
    "papers-with-abstracts": "paper_url",
    "links-between-papers-and-code": "paper_url",
    "evaluation-tables": "task",
    "methods": "url",
    "datasets": "url",
}
"""The key without which a record of this file is nobody's."""

_TEXT = {"links-between-papers-and-code": "paper_title", "papers-with-abstracts": "abstract"}
_BOOLS = {
    "links-between-papers-and-code": ("is_official", "mentioned_in_paper", "mentioned_in_github"),
    "evaluation-tables": ("uses_additional_data",),
}
_NULLABLE = {
    "papers-with-abstracts": "proceeding",
    "links-between-papers-and-code": "paper_arxiv_id",
    "evaluation-tables": "source_link",
    "methods": "code_snippet_url",
    "datasets": "introduced_date",
}
_NOT_OBJECTS: tuple[object, ...] = (None, "a string", [], 17, True)
_BIG = {"int": 10**30, "beyond_double": 2**53 + 1, "float": 1e22, "small": 1.5e-7, "minus_zero": -0.0}


def kinds_of(file: str) -> list[str]:
    """The kinds that records of this file can have: only some files hold booleans."""
    return [kind for kind in RATES if kind != "string_bool" or file in _BOOLS]


def plan(file: str, places: Collection[int], total: int, rng: Random) -> dict[int, str]:
    """Chooses, among `places`, the ordinals of the odd records: {ordinal: kind}. `total` sets how many."""
    counts = {kind: max(1, round(total * RATES[kind])) for kind in kinds_of(file)}
    chosen = rng.sample(sorted(places), sum(counts.values()))
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    return dict(zip(chosen, kinds, strict=True))


def spoil(file: str, kind: str, record: RawRecord, previous: str, rng: Random) -> object:
    """The record (altered in place) with the oddity `kind`; `previous` is an earlier record's identity."""
    if kind == "not_an_object":
        return rng.choice(_NOT_OBJECTS)
    if kind == "missing_identity":
        del record[IDENTITY[file]]
    elif kind == "duplicate_key":
        record[IDENTITY[file]] = previous
    else:
        _SPOILERS[kind](file, record, rng)
    return record


def as_json(value: object) -> bytes:
    """JSON as Python's own writer makes it: NaN, lone surrogates and integers of any size included."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _nan(file: str, record: RawRecord, rng: Random) -> None:
    nullable = [key for key, value in record.items() if value is None] or [_NULLABLE[file]]
    record[rng.choice(nullable)] = float("nan")
    if file == "evaluation-tables":
        for row in _rows(record)[:1]:
            row["paper_date"] = float("nan")


def _missing_key(file: str, record: RawRecord, rng: Random) -> None:
    rest = [key for key in record if key not in (IDENTITY[file], "repo_url", "name")]
    for key in rng.sample(rest, rng.choice((1, 1, 2, 3))):
        del record[key]


def _empty_for_null(file: str, record: RawRecord, rng: Random) -> None:
    nulls = [key for key, value in record.items() if value is None] or [_NULLABLE[file]]
    record.update(dict.fromkeys(nulls, ""))


def _unknown_key(file: str, record: RawRecord, rng: Random) -> None:
    record["x_note"] = {"added": "2025-07-28", "by": ["someone", None], "n": rng.randrange(1000)}


def _string_bool(file: str, record: RawRecord, rng: Random) -> None:
    for part in _rows(record) if file == "evaluation-tables" else [record]:
        for key in _BOOLS[file]:
            part[key] = rng.choice((str(part[key]), str(part[key]).lower()))


def _big_number(file: str, record: RawRecord, rng: Random) -> None:
    record["x_numbers"] = dict(_BIG)
    if file == "evaluation-tables":
        for row in _rows(record)[:1]:
            row["metrics"].update(dict.fromkeys(row["metrics"], 1e22))


def _huge(file: str, record: RawRecord, rng: Random) -> None:
    text = str(record.get(_text(file)) or "A long text. ")
    record[_text(file)] = text * (2_000_000 // len(text))


def _lone_surrogate(file: str, record: RawRecord, rng: Random) -> None:
    record[_text(file)] = "broken here: \ud835 and on"


def _nul(file: str, record: RawRecord, rng: Random) -> None:
    record[_text(file)] = "a NUL here:\x00and on"


def _wrong_type(file: str, record: RawRecord, rng: Random) -> None:
    record[IDENTITY[file]] = rng.choice(([record[IDENTITY[file]]], {"value": record[IDENTITY[file]]}, 7))


def _text(file: str) -> str:
    return _TEXT.get(file, "description")


def _rows(task: RawRecord) -> list[RawRecord]:
    return [row for dataset in task["datasets"] for row in dataset["sota"]["rows"]]


_SPOILERS: dict[str, Callable[[str, RawRecord, Random], None]] = {
    "nan": _nan,
    "missing_key": _missing_key,
    "empty_for_null": _empty_for_null,
    "unknown_key": _unknown_key,
    "string_bool": _string_bool,
    "big_number": _big_number,
    "huge": _huge,
    "lone_surrogate": _lone_surrogate,
    "nul": _nul,
    "wrong_type": _wrong_type,
}
