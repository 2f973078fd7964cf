"""What reading a dump gives: records, each with its digest, and the reasons why one can not be taken.

A record that cannot be taken as it stands is handed on with its own bytes and the reason, and reading goes
on; a file that cannot be trusted as a whole raises `BrokenDump`. The readers are `json_file` and `parquet`;
`dump_files` finds the dumps and picks the reader.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from archive.canonical import NotFinite, TooDeep, canonical_parsed

Identified = tuple[int, bytes, bytes, str, bool]
"""How a readable record is known, told without asking what the archive holds: its ordinal, digest and identity, the
slug of its address or its name, and whether it has an address of the old site; a code link has no use for the last two,
a task none for the last three. Plain, since it goes from one process to another."""


class DumpError(Exception):
    """Something about the dumps that only the person who gave them can put right."""


class BrokenDump(DumpError):
    """A file that cannot be trusted as a whole: cut short, not closed, or followed by something else.

    ``position`` counts bytes of the text, decompressed; in a damaged .gz or Parquet file, bytes of the file.
    """

    def __init__(self, path: Path, position: int, sentence: str) -> None:
        super().__init__(f"{path}, byte {position:,}: {sentence}")
        self.path = path
        self.position = position
        self.sentence = sentence

    def __reduce__(self) -> tuple[type[BrokenDump], tuple[Path, int, str]]:
        """How it goes from one process to another."""
        return type(self), (self.path, self.position, self.sentence)


class Problem(StrEnum):
    """Why a record could not be taken as it stands. A closed list; the empty value means that it could."""

    NONE = ""
    SYNTAX = "syntax"
    NOT_AN_OBJECT = "not-an-object"
    INVALID_UTF8 = "invalid-utf8"
    LONE_SURROGATE = "lone-surrogate"
    NUL = "nul"
    TOO_DEEP = "too-deep"
    NUMBER = "number"

    @property
    def sentence(self) -> str:
        """The reason in one sentence, for readers; empty for `NONE`."""
        return _SENTENCES[self]


_SENTENCES = {
    Problem.NONE: "",
    Problem.SYNTAX: "The record is not valid JSON.",
    Problem.NOT_AN_OBJECT: "The record is a bare value, not an object with named fields.",
    Problem.INVALID_UTF8: "The record holds bytes that are not UTF-8.",
    Problem.LONE_SURROGATE: "The record holds half of a surrogate pair, which is not a character.",
    Problem.NUL: "The record holds the character U+0000, which a text field cannot store.",
    Problem.TOO_DEEP: "The record is nested more than 254 levels deep.",
    Problem.NUMBER: "The record holds a number beyond what can be stored exactly.",
}


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record of a dump.

    Readable: ``value`` is the object, ``canonical`` its canonical form. Unreadable: ``value`` is None,
    ``problem`` says why, and ``source`` and ``canonical`` both are the record's own bytes. ``digest`` is
    SHA-256 (32 bytes) of ``canonical``.
    """

    ordinal: int
    """Position in the dump, from 0."""
    value: dict[str, Any] | None
    canonical: bytes
    digest: bytes
    source: bytes = b""
    problem: Problem = Problem.NONE
    nonfinite: tuple[str, ...] = ()
    """JSON Pointers (RFC 6901), sorted, of the places where NaN or an infinity became null."""
    constants: tuple[str, ...] = ()
    """What stood at each place of ``nonfinite``: NaN, Infinity or -Infinity."""


class Constant(float):
    """NaN or an infinity written as such: stands in a value until `null_constants` takes it out."""

    __slots__ = ()


_LITERALS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def null_constants(value: Any) -> dict[str, str]:
    """Set every `Constant` inside ``value`` to None, in place. Returns JSON Pointer -> what stood there."""
    found = {}
    stack = [("", value)]
    while stack:
        pointer, container = stack.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in items:
            if isinstance(item, dict | list | Constant):
                place = f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"
                if isinstance(item, Constant):
                    found[place] = _LITERALS[float.__repr__(item)]
                    container[key] = None  # an existing key: the dict does not change size
                else:
                    stack.append((place, item))
    return dict(sorted(found.items()))


def take(ordinal: int, value: Any, constants: dict[str, str]) -> RawRecord | Problem:
    """The record made of a parsed value (floats as `ExactFloat`, no constants), or why it can't be one."""
    if type(value) is not dict:
        return Problem.NOT_AN_OBJECT
    try:
        canonical = canonical_parsed(value)
    except UnicodeEncodeError:
        return Problem.LONE_SURROGATE
    except TooDeep:
        return Problem.TOO_DEEP
    except NotFinite:
        return Problem.NUMBER
    if b"\\u0000" in canonical and _NUL.search(canonical):
        return Problem.NUL
    nonfinite, literals = tuple(constants), tuple(constants.values())
    return RawRecord(
        ordinal, value, canonical, hashlib.sha256(canonical).digest(), nonfinite=nonfinite, constants=literals
    )


def refuse(ordinal: int, problem: Problem, source: bytes) -> RawRecord:
    """The record that keeps ``source`` as it is. Bytes that are not UTF-8 are named before other problems."""
    try:
        source.decode()
    except UnicodeDecodeError:
        problem = Problem.INVALID_UTF8
    return RawRecord(ordinal, None, source, hashlib.sha256(source).digest(), source, problem)
