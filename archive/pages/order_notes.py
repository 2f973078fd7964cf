"""What the order and the values of a leaderboard do not say by themselves: facts that are told and never applied.

Pure: nothing here asks the database. Rows are named by their place in the archive's order at the snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from archive.importers.metric_directions import Direction
from archive.pages.base import described, documented
from archive.pages.boards import DIRECTION_WORDS

NAMED = 12
"""Places that a sentence names before it says how many more there are; `places` has all."""

NoteKind = Literal[
    "ties",
    "against-direction",
    "no-first-metric",
    "not-a-number",
    "mixed-notation",
    "mixed-splits",
    "mixed-training-data",
]


@documented
class OrderNote:
    """Something to know before reading a leaderboard's order. Nothing is re-ranked because of it."""

    kind: NoteKind = described("What is noted.")
    sentence: str = described("The note in words; long lists of places are cut there.")
    metrics: Sequence[str] = described("The metrics that it is about; empty if it is about rows.")
    places: Sequence[Sequence[int]] = described("Ranks of the rows that it is about, those together that belong so.")


@dataclass(frozen=True, slots=True)
class Metric:
    """A column: its name, and which values are the better ones."""

    name: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class Value:
    """A cell: what is printed, and the number read from it if one can be told for certain."""

    printed: str
    number: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the snapshot; `values` by the index of the metric."""

    place: int
    model: str | None
    extra_data: bool
    values: Mapping[int, Value]


def order_notes(
    metrics: Sequence[Metric],
    rows: Sequence[Row],
    *,
    first: int | None,
    dataset: str | None = None,
    parts: Sequence[str] = (),
) -> list[OrderNote]:
    """Everything there is to note on these rows, which come in archive order.

    `first` is the index of the first metric of the archive's own list, None if the list is empty; `parts` are the
    printed names of the leaderboard's subdatasets.
    """
    notes: list[OrderNote | None] = []
    if first is not None:
        metric = metrics[first]
        cells = [(row.place, row.values.get(first)) for row in rows]
        numbers = [(place, cell.number) for place, cell in cells if cell and cell.number is not None]
        notes = [
            _ties(metric, numbers),
            _against_direction(metric, numbers),
            _without(metric, [place for place, cell in cells if cell is None]),
        ]
    notes += [
        _not_numbers(metrics, rows),
        _mixed(metrics, rows, "a percent sign", _has_percent),
        _mixed(metrics, rows, "a decimal comma", _has_decimal_comma),
        _splits(rows, dataset, parts),
        _training_data(rows),
    ]
    return [note for note in notes if note is not None]


def _ties(metric: Metric, numbers: Sequence[tuple[int, float]]) -> OrderNote | None:
    by_number: dict[float, list[int]] = {}
    for place, number in numbers:
        by_number.setdefault(number, []).append(place)
    groups = [places for places in by_number.values() if len(places) > 1]
    if not groups:
        return None
    told = _cut([in_words(places) for places in groups], "; ", "groups")
    return OrderNote(
        kind="ties",
        sentence=f"Equal values of {metric.name} in rows {told}: this metric does not order them.",
        metrics=[metric.name],
        places=groups,
    )


def _against_direction(metric: Metric, numbers: Sequence[tuple[int, float]]) -> OrderNote | None:
    sign = {Direction.HIGHER: 1, Direction.LOWER: -1}.get(metric.direction)
    if sign is None:
        return None
    pairs = [[one, other] for (one, a), (other, b) in pairwise(numbers) if sign * b > sign * a]
    if not pairs:
        return None
    told = _cut([f"{one}–{other}" if other == one + 1 else f"{one} and {other}" for one, other in pairs], ", ", "pairs")
    return OrderNote(
        kind="against-direction",
        sentence=(
            f"Order disagrees with the metric's direction at rows {told}: {metric.name}, "
            f"{DIRECTION_WORDS[metric.direction]}; the later row of each pair has the better value."
        ),
        metrics=[metric.name],
        places=pairs,
    )


def _without(metric: Metric, places: Sequence[int]) -> OrderNote | None:
    if not places:
        return None
    return OrderNote(
        kind="no-first-metric",
        sentence=f"No value of {metric.name}, the first metric, in {rows_in_words(places)}.",
        metrics=[metric.name],
        places=[places],
    )


def _not_numbers(metrics: Sequence[Metric], rows: Sequence[Row]) -> OrderNote | None:
    found = [
        (index, row.place, value.printed) for row in rows for index, value in row.values.items() if value.number is None
    ]
    if not found:
        return None
    names = [metrics[index].name for index in sorted({index for index, *_ in found})]
    places = sorted({place for _, place, _ in found})
    shown = found[0][2] if len(found[0][2]) <= 40 else f"{found[0][2][:40]}…"
    values = "1 value is" if len(found) == 1 else f"{len(found)} values are"
    return OrderNote(
        kind="not-a-number",
        sentence=(
            f"{values} not one number that can be read for certain (“{shown}” in row {found[0][1]}), "
            f"of {_cut(names, ', ', 'metrics', 3)}, in {rows_in_words(places)}; notes on order leave such values out."
        ),
        metrics=names,
        places=[places],
    )


def _has_percent(printed: str) -> bool:
    return "%" in printed or "\N{FULLWIDTH PERCENT SIGN}" in printed


_DECIMAL_COMMA = re.compile(r"\D*(?:\d+,(?:\d{1,2}|\d{4,})|0,\d{3})(?![\d,.]).*", re.DOTALL)


def _has_decimal_comma(printed: str) -> bool:
    return _DECIMAL_COMMA.fullmatch(printed) is not None


def _mixed(
    metrics: Sequence[Metric], rows: Sequence[Row], mark: str, has_mark: Callable[[str], bool]
) -> OrderNote | None:
    """Columns of which some values bear a mark and some do not; of numbers only, so that no prose is counted."""
    marked: dict[int, list[tuple[int, str]]] = {}
    plain: dict[int, tuple[int, str]] = {}
    for row in rows:
        for index, value in row.values.items():
            if value.number is None:
                continue
            if has_mark(value.printed):
                marked.setdefault(index, []).append((row.place, value.printed))
            else:
                plain.setdefault(index, (row.place, value.printed))
    mixed = sorted(marked.keys() & plain.keys())
    if not mixed:
        return None
    names = [metrics[index].name for index in mixed]
    (place, with_mark), (other_place, without) = marked[mixed[0]][0], plain[mixed[0]]
    return OrderNote(
        kind="mixed-notation",
        sentence=(
            f"Mixed notation: some values with {mark}, some without, in {_cut(names, ', ', 'metrics', 3)} "
            f"(“{with_mark}” in row {place}, “{without}” in row {other_place})."
        ),
        metrics=names,
        places=[sorted({place for index in mixed for place, _ in marked[index]})],
    )


_SPLIT = (
    r"(?P<split>test[ -](?:dev|std|challenge|[ab])|test(?:[ab])?|minival|val(?:id(?:ation)?)?|dev(?:elopment)?)"
    r"(?:[ -]?(?:set|split|server))?"
)
_SPLIT_OF_MODEL = re.compile(rf"[(\[]\s*(?:on\s+)?{_SPLIT}\s*[)\]]", re.IGNORECASE)
_SPLIT_OF_DATASET = re.compile(rf"(?:.*[\s(\[-])?{_SPLIT}[)\]]?\s*", re.IGNORECASE | re.DOTALL)
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,100})[)\]]")


def _splits(rows: Sequence[Row], dataset: str | None, parts: Sequence[str]) -> OrderNote | None:
    """Rows that name different splits, or a subdataset of this very table, in brackets behind the model's name.

    Only what is said so plainly counts: a row without such a bracket is taken for the split that the dataset's name
    ends with, and else for none.
    """
    printed = {part.strip().casefold(): part.strip() for part in parts if part.strip()}
    of_dataset = _SPLIT_OF_DATASET.fullmatch(dataset or "")
    by_split: dict[str, list[int]] = {}
    for row in rows:
        split = _split_of(row.model or "", printed)
        if split is None and of_dataset:
            split = _one_name(of_dataset["split"])
        if split is not None:
            by_split.setdefault(split, []).append(row.place)
    if any(split.startswith("test-") for split in by_split):
        by_split.pop("test", None)  # may be short for one of them
    if len(by_split) < 2:
        return None
    told = [f"{split} ({rows_in_words(places)})" for split, places in by_split.items()]
    number = {2: "Two", 3: "Three", 4: "Four"}.get(len(told), str(len(told)))
    return OrderNote(
        kind="mixed-splits",
        sentence=f"{number} splits in one table, as the names say: {_cut(told, ', ', 'splits', 4)}.",
        metrics=[],
        places=list(by_split.values()),
    )


def _split_of(model: str, parts: Mapping[str, str]) -> str | None:
    found = _SPLIT_OF_MODEL.search(model)
    if found:
        return _one_name(found["split"])
    for bracketed in _BRACKETED.findall(model):
        part = parts.get(bracketed.strip().casefold())
        if part:
            return part
    return None


def _one_name(split: str) -> str:
    name = split.casefold().replace(" ", "-")
    return {"valid": "val", "validation": "val", "development": "dev"}.get(name, name)


def _training_data(rows: Sequence[Row]) -> OrderNote | None:
    extra = [row.place for row in rows if row.extra_data]
    if not extra or len(extra) == len(rows):
        return None
    return OrderNote(
        kind="mixed-training-data",
        sentence=(
            f"Extra training data: {len(extra)} of {len(rows)} rows are flagged as using it "
            f"({rows_in_words(extra)}), the others are not."
        ),
        metrics=[],
        places=[extra],
    )


def rows_in_words(places: Sequence[int]) -> str:
    """Places in a sentence: "row 3", "rows 1, 3 and 5–7"."""
    return f"row{'s' if len(places) > 1 else ''} {in_words(places)}"


def in_words(places: Sequence[int]) -> str:
    """Ascending places, neighbours drawn together: "1, 3 and 5–7"."""
    runs = [f"{start}" if start == end else f"{start}–{end}" for start, end in _runs(places)]
    if len(runs) > NAMED:
        left = len(places) - sum(1 + end - start for start, end in list(_runs(places))[:NAMED])
        return f"{', '.join(runs[:NAMED])} and {left} more"
    return " and ".join([", ".join(runs[:-1]), runs[-1]]) if len(runs) > 1 else runs[0]


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = end = places[0]
    for place in places[1:]:
        if place != end + 1:
            yield start, end
            start = place
        end = place
    yield start, end


def _cut(words: Sequence[str], between: str, things: str, most: int = NAMED) -> str:
    """The first of them, and how many more there are."""
    if len(words) <= most:
        return between.join(words)
    return f"{between.join(words[:most])} and {len(words) - most} more {things}"
