"""The number beside a verbatim metric string.

The archive keeps every metric value as the string its contributor typed; `parse_metric` reads the one
number that string states, or nothing. Unparsable stays unparsed, never wrong: where two readings are
possible the answer is None. What is read, in this order, anchored at both ends:

    number  [multiple | unit | "%"]  ["±" number [unit | "%"]]  [footnote marks]  [one bracketed remark]

Decisions that are not obvious:

Decimal commas. One comma followed by one, two or more than three digits is a decimal comma ("44,89" is
44.89). Groups of exactly three digits are thousands ("1,234", "12,345,678"), except after a leading zero,
which thousands never have ("0,789" is 0.789). With "%" a single group of three could be either, so
"44,895%" stays unparsed. "1,234.5" and "1.234,5" have one reading each; "1,23,456" and "1.234.567" none.

Multiples. "k", "K", "M", "B" and "G" after a number are read as multiples (28.2M is 28,200,000), because
one column mixes them ("0.8B" beside "277M" under "No. parameters") and only the multiple keeps those two
in order. Lower-case "m" and "b" (metres, milli-, bits), "T" (tera-, tesla) and a prefix joined to a unit of
its own ("4.1 GFLOPs", "3.2 GB", where the column may already be in that unit) stay unparsed.

Units. A unit of the list below is dropped, not converted: "4.89 mm" is 4.89. Percent likewise: "75.5%" is
75.5, and "200%" is 200 even where the metric's bound is 100.

Brackets. A remark in words, an interval, a gain with its "+" or a deviation may follow ("0.81 (0.79-0.82)",
"60.6(161.3FPS 4090)"); a second bare number in brackets may be a second result, so "57.4 (59.8)" is None.

Comparisons, approximations and doubts (">90", "~ 12", "60.7+", "43B?"), ranges, fractions and several
numbers in one cell are None, as are "NaN" and "inf".
"""

from __future__ import annotations

import re
from decimal import Decimal

MAX_LENGTH = 200
"""A longer string is taken for prose and not read."""

MAX_PLACES = 30
"""Digits before and, separately, after the decimal point of a result."""

_MULTIPLES = {"k": 3, "K": 3, "M": 6, "B": 9, "G": 9}

_UNIT = (
    "dB|mm|cm|km|ms|s|sec|secs|seconds|min|mins|minutes|h|hrs|hours|fps|FPS|Hz|px|pixel|pixels"
    "|deg|degree|degrees|°|bpm|bits|bpc|bpd|bpp|pts|points|mmHg|x|\u00d7"
)

_SPACES = dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\t\r\n"), " ")
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
_SIGNS = {ord(sign): "-" for sign in "\u2212\u2010\u2011\u2013\ufe63\uff0d"} | {ord("\uff05"): "%"}
_PLAIN = _SPACES | _INVISIBLE | _SIGNS
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

# "0 .789": a blank before the point has one reading; one after it ("1. 23") may be a list number.
_NUMBER = r"[+-]?(?:[0-9][0-9.,]*|[0-9]{1,3}[ ]\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"

_CELL = re.compile(
    rf"""
    (?P<number>{_NUMBER})
    (?:\s?(?:[\u00d7x*\u00b7]|\\times)\s?(?:1[eE](?P<power_e>[+-]?[0-9]{{1,3}})
        |10\^\{{?(?P<power>[+-]?[0-9]{{1,3}})\}}?
        |10(?P<power_raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})))?
    (?:[ ]?(?:(?P<multiple>[kKMBG])|(?P<percent>%)|(?:{_UNIT})))?
    (?P<deviation>\s{{0,3}}(?:±|\+-|\+/-|\\pm)\s{{0,3}}{_NUMBER}(?:[ ]?(?:%|{_UNIT}))?)?
    [ ]?[*†‡§]{{0,4}}
    (?P<remark>\s{{0,3}}(?:\([^()]*\)|\[[^\[\]]*\]))?
    """,
    re.VERBOSE,
)

_BARE_NUMBER_REMARK = re.compile(rf"\s*[(\[]\s*{_NUMBER}\s*%?\s*[)\]]")
_GAIN_REMARK = re.compile(r"\s*[(\[]\s*\+")

_PLAINEST = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_DECIMAL_POINT = re.compile(r"[0-9]*\.?[0-9]*")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_THOUSANDS_BY_POINT = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+")
_DECIMAL_COMMA = re.compile(r"[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]{3}")


def parse_metric(text: str) -> Decimal | None:
    """Give the number a metric string states, in the string's own unit, or None.

    A result has at most 30 digits before and 30 after the decimal point: it fits PostgreSQL's
    numeric(60, 30) exactly, and double precision after rounding. Anything beyond is None.
    Never raises on a string; strings over `MAX_LENGTH` characters are None without being read.
    """
    if _PLAINEST.fullmatch(text):  # most of them
        return Decimal(text)
    if len(text) > MAX_LENGTH:
        return None
    plain = _unwrap(text.translate(_PLAIN).strip())
    cell = _CELL.fullmatch(plain)
    if cell is None or _is_second_number(cell["remark"]):
        return None
    digits = _with_decimal_point(cell["number"], has_percent=cell["percent"] is not None)
    if digits is None:
        return None
    raised = cell["power_raised"]
    power = int(cell["power_e"] or cell["power"] or (raised and raised.translate(_SUPERSCRIPTS)) or 0)
    return _bounded(digits, power + _MULTIPLES.get(cell["multiple"] or "", 0))


def _unwrap(text: str) -> str:
    """Take off bold marks and dollar signs that stand on both sides of the whole string."""
    for mark in ("**", "$"):
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)].strip()
    return text


def _is_second_number(remark: str | None) -> bool:
    """Tell whether a bracket holds a number and no more, which may be a second result unless it has a "+"."""
    if remark is None or _GAIN_REMARK.match(remark):
        return False
    return _BARE_NUMBER_REMARK.fullmatch(remark) is not None


def _with_decimal_point(number: str, *, has_percent: bool) -> str | None:
    """Rewrite a number as Decimal reads it, or None where its separators have no single reading."""
    number = number.replace(" ", "")
    sign = number[0] if number[0] in "+-" else ""
    mantissa, _, exponent = number[len(sign) :].lower().partition("e")
    ending = f"e{exponent}" if exponent else ""
    if _DECIMAL_POINT.fullmatch(mantissa):
        return f"{sign}{mantissa}{ending}"
    if exponent:
        return None
    if _THOUSANDS.fullmatch(mantissa):
        ambiguous = has_percent and mantissa.count(",") == 1 and "." not in mantissa
        return None if ambiguous else sign + mantissa.replace(",", "")
    if _THOUSANDS_BY_POINT.fullmatch(mantissa):
        return sign + mantissa.replace(".", "").replace(",", ".")
    if _DECIMAL_COMMA.fullmatch(mantissa):
        return sign + mantissa.replace(",", ".")
    return None


def _bounded(digits: str, power: int) -> Decimal | None:
    """Give digits x 10^power exactly, with no positive exponent, or None beyond `MAX_PLACES`."""
    sign, figures, exponent = Decimal(digits).as_tuple()
    if not isinstance(exponent, int):
        return None
    places = exponent + power
    if len(figures) > 2 * MAX_PLACES or places < -MAX_PLACES or len(figures) + places > MAX_PLACES:
        return None
    # Built from the digits: arithmetic would round to the context's precision.
    return Decimal(format(Decimal((sign, figures, places)), "f"))
