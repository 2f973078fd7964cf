"""Which way a metric is better: the table, the name rule, the order of rows, and when nothing is said."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.importers.metric_directions import (
    TABLE,
    WORDS,
    Direction,
    DirectionSource,
    direction,
    known_metrics,
    normalised,
)

HIGHER, LOWER, UNKNOWN = Direction.HIGHER, Direction.LOWER, Direction.UNKNOWN


def of_name(name: str) -> tuple[Direction, DirectionSource]:
    """Give what the name alone says."""
    return direction(name, [], is_first_metric=False)


def numbers(*values: str | None) -> list[Decimal | None]:
    """Give a column of parsed values."""
    return [None if value is None else Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Accuracy", HIGHER),
        ("Accuracy (%)", HIGHER),
        ("ACCURACY", HIGHER),
        ("Top-1", HIGHER),
        ("Top 1", HIGHER),
        ("top_1", HIGHER),
        ("R@1", HIGHER),
        ("text-to-video R@10", HIGHER),
        ("P@5", HIGHER),
        ("F1@10%", HIGHER),
        ("Hits@1", HIGHER),
        ("TAR @ FAR=0.001", HIGHER),
        ("GAR @1% FAR Overall", HIGHER),
        ("mAP@0.50 (CS)", HIGHER),
        ("FID", LOWER),
        ("WER", LOWER),
        ("MAE (10% missing)", LOWER),
        ("FPR95", LOWER),
        ("Params (M)", LOWER),
        ("text-to-video Median Rank", LOWER),
        # names that look like another metric
        ("F1-all", LOWER),
        ("Jaccard (Decay)", LOWER),
        ("Jaccard (Mean)", HIGHER),
        # statements of the source of facts that the definitions contradict
        ("Abs Rel", LOWER),
        ("Sq Rel", LOWER),
        ("Runtime(s)", LOWER),
        ("Speed(ms/f)", LOWER),
        ("mAAE", LOWER),
        ("mASE", LOWER),
        ("LSE-D", LOWER),
        ("δ1.25", HIGHER),
        ("MultiWOZ (Inform)", HIGHER),
    ],
)
def test_the_table_knows_a_metric_however_it_is_written(name: str, expected: Direction) -> None:
    assert of_name(name) == (expected, DirectionSource.TABLE)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Average accuracy of 3 splits", HIGHER),
        ("Cross-person Accuracy", HIGHER),
        ("Restaurant 2014 (F1)", HIGHER),
        ("Mean Class IoU", HIGHER),
        ("MS-SSIM", HIGHER),
        ("Compositional Score", HIGHER),
        ("Average (F1)", HIGHER),
        ("Hamming Loss", LOWER),
        ("Depth estimation error", LOWER),
        ("FID score", LOWER),
        ("Prediction latency", LOWER),
        ("Training FLOPs (G)", LOWER),
        ("Mean (RMSE)", LOWER),
        # an arrow is the contributor's own statement and goes before everything
        ("Quality ↑", HIGHER),
        ("Quality ↓", LOWER),
        ("Average (lower is better)", LOWER),
        ("FID ↓", LOWER),
    ],
)
def test_the_words_or_arrows_of_a_name_tell(name: str, expected: Direction) -> None:
    assert of_name(name) == (expected, DirectionSource.NAME_RULE)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "%",
        "10%",
        "@",
        "Average",
        "Mean",
        "Overall",
        "Size",
        "VI",
        "RTE",
        "0S",
        "Senseval 2",
        "Animals",
        "Accuracy loss",
        "Time to accuracy",
        "Quality ↑↓",
        "Bio specifc taggers?",
        "Number of Views",
    ],
)
def test_nothing_is_said_where_the_name_does_not_tell(name: str) -> None:
    assert of_name(name) == (UNKNOWN, DirectionSource.UNKNOWN)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (numbers("9", "8", "7"), HIGHER),
        (numbers("9", "9", "7"), HIGHER),
        (numbers("0.1", "0.2", "0.3"), LOWER),
        (numbers("9", None, "8", None, "7"), HIGHER),
        (numbers(None, "1", "2", "3"), LOWER),
    ],
)
def test_rows_sorted_best_first_tell_the_direction(values: list[Decimal | None], expected: Direction) -> None:
    assert direction("Average", values, is_first_metric=True) == (expected, DirectionSource.ROW_ORDER)
    assert direction("Average", values, is_first_metric=False) == (UNKNOWN, DirectionSource.UNKNOWN)


@pytest.mark.parametrize(
    "values",
    [
        [],
        numbers("9", "8"),
        numbers("9", None, None, "8"),
        numbers("5", "5", "5"),
        numbers("9", "7", "8"),
        numbers("9", "8", "9"),
    ],
)
def test_unsorted_equal_or_few_rows_tell_nothing(values: list[Decimal | None]) -> None:
    assert direction("Average", values, is_first_metric=True) == (UNKNOWN, DirectionSource.UNKNOWN)


def test_the_order_of_rows_does_not_overrule_the_name() -> None:
    ascending = numbers("1", "2", "3")
    assert direction("Accuracy", ascending, is_first_metric=True) == (HIGHER, DirectionSource.TABLE)
    assert direction("Cross-person Accuracy", ascending, is_first_metric=True) == (
        HIGHER,
        DirectionSource.NAME_RULE,
    )


def test_the_table_is_written_in_the_form_it_is_read_by() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row["metric"] for row in rows]
    assert names == sorted(set(names)), "sorted, each metric once"
    assert [name for name in names if normalised(name) != name] == []
    assert {row["direction"] for row in rows} == {"higher", "lower", "unknown"}
    assert len(known_metrics()) == len(rows)


def test_each_telling_word_tells_one_thing() -> None:
    with WORDS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    words = [row["word"] for row in rows]
    assert words == sorted(set(words)), "sorted, each word once"
    assert {row["direction"] for row in rows} == {"higher", "lower"}


@given(
    st.text(max_size=80),
    st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False), max_size=6),
    st.booleans(),
)
def test_any_name_and_column_get_an_answer(name: str, values: Sequence[Decimal | None], first: bool) -> None:
    way, source = direction(name, values, first)
    assert (way is UNKNOWN) == (source is DirectionSource.UNKNOWN)
    if not first:
        assert source is not DirectionSource.ROW_ORDER
