"""Notes on a leaderboard's order: each is told when its fact is there, and only then."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from archive.importers.metric_directions import Direction
from archive.importers.metric_values import parse_metric
from archive.pages.order_notes import Metric, OrderNote, Row, Value, in_words, order_notes

HIGHER, LOWER, UNKNOWN = Direction.HIGHER, Direction.LOWER, Direction.UNKNOWN


def notes(
    *columns: tuple[str, Direction, Sequence[str | None]],
    models: list[str] | None = None,
    extra: tuple[int, ...] = (),
    dataset: str | None = None,
    parts: tuple[str, ...] = (),
    first: int | None = 0,
) -> dict[str, OrderNote]:
    """The notes by kind on columns of printed values, one row per value."""
    length = len(columns[0][2])
    rows = []
    for place in range(1, length + 1):
        printed = {index: column[2][place - 1] for index, column in enumerate(columns)}
        values = {}
        for index, text in printed.items():
            if text is not None:
                number = parse_metric(text)
                values[index] = Value(text, float(number) if number is not None else None)
        model = models[place - 1] if models else f"model {place}"
        rows.append(Row(place=place, model=model, extra_data=place in extra, values=values))
    found = order_notes(
        [Metric(name, way) for name, way, _ in columns], rows, first=first, dataset=dataset, parts=parts
    )
    assert len({note.kind for note in found}) == len(found)
    return {note.kind: note for note in found}


def test_a_plain_table_needs_no_note() -> None:
    assert notes(("Accuracy", HIGHER, ["92.5", "91", "90.25"]), extra=()) == {}
    assert notes(("Accuracy", HIGHER, []), extra=()) == {}


def test_ties_name_each_group() -> None:
    note = notes(("Accuracy", UNKNOWN, ["92.5", "92.50", "91", "90", "90.0"]))["ties"]
    assert note.places == [[1, 2], [4, 5]]
    assert note.metrics == ["Accuracy"]
    assert note.sentence == "Equal values of Accuracy in rows 1–2; 4–5: this metric does not order them."


@pytest.mark.parametrize(
    ("way", "values", "pairs"),
    [
        (HIGHER, ["9", "8", "7", "8"], [[3, 4]]),
        (LOWER, ["7", "8", "9", "8"], [[3, 4]]),
        (HIGHER, ["7", "8", "9"], [[1, 2], [2, 3]]),
        (HIGHER, ["9", "8", None, "8.5"], [[2, 4]]),
        (HIGHER, ["9", "8", "n/a", "8.5"], [[2, 4]]),
    ],
)
def test_order_against_the_direction(way: Direction, values: list[str | None], pairs: list[list[int]]) -> None:
    assert notes(("M", way, values))["against-direction"].places == pairs


def test_order_against_the_direction_in_words() -> None:
    sentence = notes(("Error", LOWER, ["1", "2", "3", "2", None, "1"]))["against-direction"].sentence
    assert sentence == (
        "Order disagrees with the metric's direction at rows 3–4, 4 and 6: "
        "Error, lower is better; the later row of each pair has the better value."
    )


@pytest.mark.parametrize(
    ("way", "values"),
    [(UNKNOWN, ["7", "8"]), (HIGHER, ["8", "8"]), (LOWER, ["−2", "-1", "5"]), (HIGHER, ["80%", "79.5"])],
)
def test_no_note_where_the_order_can_not_be_said_to_disagree(way: Direction, values: list[str | None]) -> None:
    assert "against-direction" not in notes(("M", way, values))


def test_only_the_first_metric_is_held_against_the_order() -> None:
    columns = [("A", HIGHER, ["9", "8"]), ("B", HIGHER, ["1", "2"]), ("C", HIGHER, ["5", "5"])]
    assert notes(*columns) == {}


def test_a_metric_that_only_rows_use_is_not_taken_for_the_first() -> None:
    assert notes(("A", HIGHER, ["1", "2", None]), first=None) == {}


def test_rows_without_the_first_metric() -> None:
    note = notes(("A", HIGHER, ["2", None, None, "1", None]), ("B", HIGHER, ["1"] * 5))["no-first-metric"]
    assert note.places == [[2, 3, 5]]
    assert note.sentence == "No value of A, the first metric, in rows 2–3 and 5."


def test_values_that_are_no_number() -> None:
    found = notes(("A", HIGHER, ["9", "~8"]), ("B", UNKNOWN, ["n/a", "57.4 (59.8)"]))
    note = found["not-a-number"]
    assert (note.metrics, note.places) == (["A", "B"], [[1, 2]])
    assert note.sentence == (
        "3 values are not one number that can be read for certain (“n/a” in row 1), of A, B, in rows 1–2; "
        "notes on order leave such values out."
    )


@pytest.mark.parametrize(
    ("values", "places"),
    [
        (["92.5%", "92.5"], [[1]]),
        (["92.5", "91 %", "90%"], [[2, 3]]),
        (["44,89", "44.5"], [[1]]),
        (["0,789", "0.5"], [[1]]),
    ],
)
def test_mixed_notation(values: list[str | None], places: list[list[int]]) -> None:
    assert notes(("A", UNKNOWN, values))["mixed-notation"].places == places


@pytest.mark.parametrize("values", [["92.5%", "91%"], ["1,234", "999"], ["1,234.5", "12.5"], ["50", "100% of all"]])
def test_notation_that_is_not_mixed(values: list[str | None]) -> None:
    assert "mixed-notation" not in notes(("A", UNKNOWN, values))


def test_mixed_notation_quotes_both() -> None:
    sentence = notes(("A", UNKNOWN, ["92.5%", "90.25"]))["mixed-notation"].sentence
    assert sentence == (
        "Mixed notation: some values with a percent sign, some without, in A (“92.5%” in row 1, “90.25” in row 2)."
    )


@pytest.mark.parametrize(
    ("models", "dataset", "parts", "places"),
    [
        (["X (test)", "Y [val]", "Z"], None, (), [[1], [2]]),
        (["X (test-dev)", "Y (test-std)", "Z (test)"], None, (), [[1], [2]]),
        (["X (on validation set)", "Y", "Z"], "COCO test-dev", (), [[1], [2, 3]]),
        (["X (French)", "Y (german)", "Z"], None, ("French", "German"), [[1], [2]]),
    ],
)
def test_mixed_splits(models: list[str], dataset: str | None, parts: tuple[str, ...], places: list[list[int]]) -> None:
    found = notes(("A", UNKNOWN, ["1", "2", "3"]), models=models, dataset=dataset, parts=parts)
    assert found["mixed-splits"].places == places
    assert found["mixed-splits"].sentence.startswith("Two splits in one table")


@pytest.mark.parametrize(
    ("models", "dataset"),
    [
        (["X (val)", "Y (validation)"], None),  # one split, spelt twice
        (["X (test)", "Y"], None),  # the other row says nothing
        (["X (test)", "Y (test-dev)"], None),  # may be the same
        (["X (trained on val)", "Y (test)"], None),
        (["Validation Net", "Test Net"], None),
        (["X", "Y (contest)"], "Latest"),
        (["X (test)", "Y"], "WMT test"),
    ],
)
def test_splits_are_told_only_when_sure(models: list[str], dataset: str | None) -> None:
    assert "mixed-splits" not in notes(("A", UNKNOWN, ["1", "2"]), models=models, dataset=dataset)


def test_extra_training_data() -> None:
    column = ("A", UNKNOWN, ["4", "3", "2", "1"])
    note = notes(column, extra=(1, 2, 4))["mixed-training-data"]
    assert note.places == [[1, 2, 4]]
    assert note.sentence == (
        "Extra training data: 3 of 4 rows are flagged as using it (rows 1–2 and 4), the others are not."
    )
    assert notes(column, extra=(1, 2, 3, 4)) == notes(column) == {}


def test_long_lists_are_cut_in_the_sentence_only() -> None:
    values: list[str | None] = [str(900 - place // 2) for place in range(900)]
    note = notes(("A", HIGHER, values))["ties"]
    assert len(note.places) == 450
    assert "and 438 more groups" in note.sentence
    assert len(note.sentence) < 300


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([3], "3"),
        ([1, 2], "1–2"),
        ([1, 3], "1 and 3"),
        ([1, 3, 5, 6, 7], "1, 3 and 5–7"),
        (list(range(1, 60, 2)), "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 18 more"),
    ],
)
def test_places_in_words(places: list[int], words: str) -> None:
    assert in_words(places) == words
