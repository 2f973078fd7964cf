"""Reading the number beside a verbatim metric string: traps seen in the dumps, and what stays unread."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.importers import metric_values
from archive.importers.metric_values import MAX_LENGTH, parse_metric

SHARED = Path(__file__).resolve().parents[4] / "shared"
SHARED_TABLES = (
    "data/pwc/dump/evaluation-tables.2021-07.human-interaction-recognition.json",
    "data/pwc/mini/evaluation-tables.json",
    "seeds/dump/evaluation-tables.json",
)

READ = {
    # plain
    "75.5": "75.5",
    "0": "0",
    "-3": "-3",
    "+2.5": "2.5",
    ".789": "0.789",
    "92.": "92",
    " 33.7 ": "33.7",
    "\ufeff93.3": "93.3",
    "93\u200b.3": "93.3",
    # minus signs that are not hyphens
    "−14.96": "-14.96",
    "–14.96": "-14.96",
    # percent is the number printed
    "75.5%": "75.5",
    "57.37 %": "57.37",
    "200%": "200",
    "57.37\u00a0%": "57.37",
    # commas
    "44,89": "44.89",
    "40,65": "40.65",
    "7,5": "7.5",
    "0,789": "0.789",
    "0,7891": "0.7891",
    "1,234": "1234",
    "2,200": "2200",
    "12,345,678": "12345678",
    "1,234.5": "1234.5",
    "1.234,5": "1234.5",
    "-1,234": "-1234",
    "44,89%": "44.89",
    "1,234.5%": "1234.5",
    # deviations: the mean
    "1.84±0.24": "1.84",
    "76.17 +- 0.41": "76.17",
    "76.17 +/- 0.41": "76.17",
    "90.0 ± 0.5": "90.0",
    "76.5% ± 0.3%": "76.5",
    "44,89 ± 0,21": "44.89",
    r"$90.0 \pm 0.5$": "90.0",
    "**90.1**": "90.1",
    # units are dropped
    "0.70dB": "0.70",
    "4.89 mm": "4.89",
    "12 ms": "12",
    "4.2°": "4.2",
    "3.5x": "3.5",
    # multiples
    "28.2M": "28200000",
    "1.82 M": "1820000",
    "307M": "307000000",
    "0.035B": "35000000",
    "4.1G": "4100000000",
    "12k": "12000",
    "12.5K": "12500",
    # powers of ten
    "1e-4": "0.0001",
    "1.5E+3": "1500",
    "0.57×1e-4": "0.000057",
    "5.7×10^-5": "0.000057",
    "5.7 x 10^{-5}": "0.000057",
    "5.7×10⁻⁵": "0.000057",
    # a blank before the point
    "0 .789": "0.789",
    # remarks and footnote marks
    "0.81 (0.79-0.82)": "0.81",
    "0.81 [0.79, 0.82]": "0.81",
    "60.6(161.3FPS 4090)": "60.6",
    "6.74(PCN dataset)": "6.74",
    "108.8(2080Ti)": "108.8",
    "78.0 (average of 3 split train/test)": "78.0",
    "17.1(16.1 with basic dynamic evaluation)": "17.1",
    "70.14 (measured by Ge et al., 2018)": "70.14",
    "85.2 (+1.3)": "85.2",
    "76.5 (±0.3)": "76.5",
    "63.7*": "63.7",
    "63.7 †": "63.7",
}

UNREAD = [
    "",
    " ",
    "-",
    "--",
    "--*",
    "−",
    "?",
    ".",
    ",",
    "+",
    "Yes",
    "No",
    "Please tell us",
    "CholecTrack20",
    "Elsner",
    "Read Paper for Gal-DINO results in Table 2.",
    "Megatron-Turing NLG 530B (Few-Shot)",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "None",
    "true",
    # more than one number
    "5.82 / 0.97",
    "33.57/0.90",
    "91.1/90.7*",
    "SSS: 99.2%, NSS: 98.8%",
    "94.6 (14  gestures) , 91.9 (28 gestures )",
    "0.79-0.82",
    "92.1 93.4",
    "57.4 (59.8)",
    "57.4 (59.8%)",
    "-57.4 (-59.8)",
    "92.1; 93.4",
    "1:30",
    "1/2",
    "3x3",
    # comparisons, approximations, doubts
    "~ 12",
    "~257M",
    "≈12",
    ">90",
    "<5",
    "≥ 90",
    "60.7+",
    "43B?",
    # separators without one reading
    "1,23,456",
    "1.234.567",
    "1.2.3",
    "92.3,",
    "44, 89",
    "1 234",
    "1 234 567",
    "1. 23",
    "44,895%",
    "12345,678",
    "1,234e5",
    # letters that could be several things
    "28.2m",
    "28.2b",
    "1.5T",
    "4.1 GFLOPs",
    "3.2 GB",
    "28.2MM",
    "1st",
    "3D",
    "0x1F",
    "1_000",
    "- 5",
    "(14.96)",
    "±0.5",
    "0.5±",
    "0.57±0.03×1e-4",
    "5.7x10-5",
    "10²",
    "½",
    "٣",
    "１２",
    # beyond what the column holds
    "1e31",
    "1e-31",
    "1e999",
    "9" * 31,
    "0." + "1" * 31,
    "1" * (MAX_LENGTH + 1),
]


@pytest.mark.parametrize(("text", "number"), READ.items())
def test_reads_the_number(text: str, number: str) -> None:
    assert parse_metric(text) == Decimal(number)


@pytest.mark.parametrize("text", UNREAD)
def test_leaves_unread_what_has_no_single_reading(text: str) -> None:
    assert parse_metric(text) is None


def test_keeps_every_digit_of_the_longest_number_it_reads() -> None:
    longest = "9" * 30 + "." + "9" * 30
    number = parse_metric(longest)
    assert number is not None
    assert str(number) == longest


def test_a_large_result_is_written_out() -> None:
    assert str(parse_metric("28.2M")) == "28200000"
    assert str(parse_metric("1e3")) == "1000"


@given(st.text(max_size=300))
def test_never_raises_on_any_text(text: str) -> None:
    number = parse_metric(text)
    assert number is None or number.is_finite()


@given(st.text(alphabet="0123456789.,+-−±%eExX×* ()[]KkMBG°^{}⁻⁵$", max_size=60))
def test_every_result_fits_the_column(text: str) -> None:
    number = parse_metric(text)
    if number is not None:
        assert number.copy_abs() < Decimal(10) ** 30  # abs() would round
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        assert -30 <= exponent <= 0


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_a_plainly_printed_number_is_read_back(number: Decimal) -> None:
    assert parse_metric(format(number, "f")) == number


@given(st.from_regex(metric_values._PLAINEST, fullmatch=True))
def test_the_short_way_reads_what_the_long_one_does(text: str) -> None:
    short = parse_metric(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metric_values, "_PLAINEST", re.compile("(?!)"))
        assert str(parse_metric(text)) == str(short)


@pytest.mark.parametrize("unit", ["1", "1,", "1.", " ", "(", "±", "é", "1e", "\u200b", "x10^"])
def test_a_megabyte_takes_no_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.perf_counter()
    assert parse_metric(text) is None
    assert time.perf_counter() - started < 0.05


@pytest.mark.parametrize("unit", ["1", "1,", "1.", " ", "(", "±", "1e", "x10^", "1 ", "1±", "* "])
def test_the_longest_text_that_is_read_takes_no_time(unit: str) -> None:
    text = (unit * MAX_LENGTH)[:MAX_LENGTH]
    started = time.perf_counter()
    assert parse_metric(text) is None
    assert time.perf_counter() - started < 0.05


def metric_strings(task: dict[str, Any]) -> Iterator[str]:
    """Give every metric value of a top-level task record, subtasks and subdatasets included."""
    for subtask in task.get("subtasks") or []:
        yield from metric_strings(subtask)
    tables = list(task.get("datasets") or [])
    while tables:
        table = tables.pop()
        tables += table.get("subdatasets") or []
        for row in (table.get("sota") or {}).get("rows") or []:
            yield from row["metrics"].values()


def test_real_tables_are_read_but_for_a_known_list() -> None:
    files = [SHARED / name for name in SHARED_TABLES]
    if not all(file.exists() for file in files):
        pytest.skip("the real evaluation tables are not beside this checkout")
    values = [text for file in files for task in json.loads(file.read_bytes()) for text in metric_strings(task)]
    unread = [text for text in values if parse_metric(text) is None]
    assert (len(values), len(unread)) == (2079, 113)
    empty = {"", "-", "--", "--*", "−", "?"}
    words = {"Elsner", "Kummerfeld", "Yes", "No"}
    doubts = {"60.7+", "60.9+", "39.9+", "~257M", "43B?"}
    rest = set(unread) - empty - words - doubts
    assert all("/" in text or ") , " in text for text in rest), rest
