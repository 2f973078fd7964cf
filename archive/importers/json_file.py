"""Reading one .json or .json.gz dump record by record, whatever state it is in, with little memory.

A dump is one JSON array, or one JSON object per line. The text is taken in chunks and Python's own scanner
finds where each record ends by parsing it, so nothing is read twice; only a record that does not parse
(broken, or not all there yet) is looked through for its end, by brackets and strings alone.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from archive.canonical import ExactFloat
from archive.importers.reading import BrokenDump, Constant, Problem, RawRecord, null_constants, refuse, take

CHUNK_SIZE = 1 << 20
"""Bytes taken from a file at a time; more only while one record is larger."""

MAX_RECORD = 128 << 20
"""Characters after which the search for a record's end is given up: a lost quote must not fill the memory."""

_MAX_STEP = 16 << 20


class TextFile:
    """The text of a .json or .json.gz file (told apart by the first bytes), in pieces.

    Bytes that are not UTF-8 come as lone surrogates (surrogateescape): encoding a slice gives its bytes back.
    """

    def __init__(self, path: Path, chunk_size: int = CHUNK_SIZE) -> None:
        self.path = path
        self.position = 0
        """Bytes read of the file, compressed as it is."""
        self._chunk_size = chunk_size
        self._decoded = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._file = path.open("rb", buffering=0)
        zipped = self._file.read(2) == b"\x1f\x8b"
        self._file.seek(0)
        self._pieces = self._unzipped() if zipped else iter(self._next, b"")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def text_position(self) -> int:
        """Bytes of text handed out, decompressed."""
        return self._decoded - len(self._decoder.getstate()[0])  # minus what is not yet a whole character

    def read(self, size: int) -> str:
        """At least ``size`` bytes of text if there are as many, else the rest; "" only at the end.

        Raises BrokenDump for a .gz file that is damaged or cut short.
        """
        parts: list[bytes] = []
        missing = size
        while missing > 0 and (piece := next(self._pieces, b"")):
            parts.append(piece)
            missing -= len(piece)
        data = b"".join(parts)
        self._decoded += len(data)
        text = self._decoder.decode(data, final=not data)
        return self.read(1) if data and not text else text  # again if it was only part of a character

    def _next(self) -> bytes:
        data = self._file.read(self._chunk_size) or b""
        self.position += len(data)
        return data

    def _unzipped(self) -> Iterator[bytes]:
        # zlib and not gzip: each piece is bounded, and the position in the compressed file is known
        inflater = zlib.decompressobj(wbits=31)
        try:
            while data := self._next():
                while data:
                    if inflater.eof:  # another member follows, or padding
                        data = data.lstrip(b"\0")
                        if not data:
                            break
                        inflater = zlib.decompressobj(wbits=31)
                    piece = inflater.decompress(data, self._chunk_size)
                    data = inflater.unconsumed_tail or inflater.unused_data
                    if piece:
                        yield piece
            if piece := inflater.flush():
                yield piece
        except zlib.error as error:
            raise BrokenDump(self.path, self.position, f"the gzip data is damaged ({error}).") from error
        if not inflater.eof:
            raise BrokenDump(self.path, self.position, "the gzip data is cut short.")


_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_INSIDE = re.compile(rf'(?:[^"\[\]{{}}]++|{_STRING})*+', re.DOTALL)
_OUTSIDE = re.compile(rf'(?:[^"\[\]{{}},]++|{_STRING})*+', re.DOTALL)
_OPENER = {"]": "[", "}": "{"}


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # each of the patterns matches the empty text
    return match.end()


class _ElementEnd:
    """Finds where an element of the array ends without understanding it.

    That is the first comma or closing bracket outside all of its own brackets and strings. The search can
    go on when more text has come.
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._seen = 0

    def find(self, text: str, start: int) -> int:
        """Where the element that begins at ``start`` ends in ``text``, or -1 if not yet."""
        at = start + self._seen
        while True:
            at = _skip(_INSIDE if self._open else _OUTSIDE, text, at)
            self._seen = at - start
            mark = text[at : at + 1]
            if mark in ("", '"'):  # the end, or a string that does not end here
                return -1
            if mark in "[{":
                self._open.append(mark)
            elif not self._open:
                if mark != "}":
                    return at
            elif _OPENER[mark] in self._open:  # a bracket left open inside is closed with the one around it
                while self._open.pop() != _OPENER[mark]:
                    pass
            at += 1


class JsonReader:
    """The records of one .json or .json.gz file."""

    def __init__(self, path: Path, chunk_size: int = CHUNK_SIZE, max_record: int = MAX_RECORD) -> None:
        self.path = path
        self._chunk_size = chunk_size
        self._max_record = max_record
        self._constants = False  # whether the scanner met one since the last record
        # strict, as every JSON parser: a raw line break inside a string is a fault of the record
        decoder: Any = json.JSONDecoder(parse_float=ExactFloat, parse_constant=self._constant)
        self._scan = decoder.scan_once
        self._file: TextFile | None = None
        self._text = ""
        self._at = 0

    @property
    def position(self) -> int:
        """Bytes read of the file so far, compressed as it is."""
        return self._file.position if self._file else 0

    def records(self) -> Iterator[RawRecord]:
        """Every record in order. Of a key given twice in one object the last counts, as JSON parsers have it.

        Keeps about one chunk and one record in memory. Raises BrokenDump, maybe after having given records.
        """
        self._file = TextFile(self.path, self._chunk_size)
        self._text, self._at = "", 0
        try:
            if self._peek() == "\ufeff":
                self._at += 1
            first = self._peek()
            if first == "[":
                yield from self._array()
            elif first == "{":
                yield from self._lines()
            else:
                raise self._broken("there is neither a JSON array nor one JSON object per line.")
        finally:
            self._file.close()

    def _array(self) -> Iterator[RawRecord]:
        self._at += 1
        ordinal = 0
        mark = ","
        if self._peek() == "]":
            mark = "]"
            self._at += 1
        while mark == ",":
            yield self._element(ordinal)
            ordinal += 1
            mark = self._peek()  # a comma or the closing bracket: an element ends at nothing else
            self._at += 1
        if self._peek():
            raise self._broken("something follows the end of the array.")

    def _element(self, ordinal: int) -> RawRecord:
        first = self._peek()
        if not first:
            raise self._cut(ordinal)
        if first in ",]":
            raise self._broken(f"there is a comma but no record {ordinal}.")
        start, text = self._at, self._text
        try:
            value, end = self._scan(text, start)
        except (StopIteration, ValueError, RecursionError):
            pass  # unreadable, or not all there yet
        else:
            after = _skip(_SPACE, text, end)
            if text[after : after + 1] in (",", "]"):
                self._at = after
                return self._record(ordinal, value, start, end)
        scanner = _ElementEnd()
        while (end := scanner.find(self._text, self._at)) < 0:
            if not self._grow(ordinal):
                raise self._cut(ordinal)
        start, self._at = self._at, end
        return self._between(ordinal, start, end)

    def _lines(self) -> Iterator[RawRecord]:
        ordinal = 0
        while self._peek():
            seen = 0
            while (end := self._text.find("\n", self._at + seen)) < 0:
                seen = len(self._text) - self._at
                if not self._grow(ordinal):
                    break
            start, self._at = self._at, len(self._text) if end < 0 else end
            record = self._between(ordinal, start, self._at)
            torn = record.problem is Problem.SYNTAX or (record.problem and not record.source.endswith(b"}"))
            if torn and end < 0:
                raise self._cut(ordinal)
            if record.problem is Problem.SYNTAX and ordinal == 0:
                self._at = start
                raise self._broken("there is neither a JSON array nor one whole JSON object on the first line.")
            yield record
            ordinal += 1

    def _between(self, ordinal: int, start: int, end: int) -> RawRecord:
        """The record that lies between two places, readable or not."""
        source = self._text[start:end].rstrip(" \t\n\r")
        problem = Problem.NONE
        value = None
        try:
            value, parsed = self._scan(source, 0)
            if parsed != len(source):
                problem = Problem.SYNTAX
        except (StopIteration, json.JSONDecodeError):
            problem = Problem.SYNTAX
        except RecursionError:
            problem = Problem.TOO_DEEP
        except ValueError:  # an integer of more digits than Python converts
            problem = Problem.NUMBER
        if problem:
            return refuse(ordinal, problem, source.encode("utf-8", "surrogateescape"))
        return self._record(ordinal, value, start, start + len(source))

    def _record(self, ordinal: int, value: Any, start: int, end: int) -> RawRecord:
        constants = {}
        if self._constants:
            self._constants = False
            if isinstance(value, dict):
                constants = null_constants(value)
        record = take(ordinal, value, constants)
        if isinstance(record, Problem):
            return refuse(ordinal, record, self._text[start:end].encode("utf-8", "surrogateescape"))
        return record

    def _peek(self) -> str:
        """Skip white space; the character that follows, "" at the end of the file."""
        while True:
            self._at = _skip(_SPACE, self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow():
                return ""

    def _grow(self, ordinal: int = 0) -> bool:
        """Drop the text behind and add some ahead, more for a longer record; False at the end of the file."""
        assert self._file is not None
        rest = self._text[self._at :]
        if len(rest) > self._max_record:
            raise self._broken(f"record {ordinal} does not end within {self._max_record:,} characters.")
        more = self._file.read(max(self._chunk_size, min(len(rest), _MAX_STEP)))
        self._text, self._at = rest + more, 0
        return bool(more)

    def _cut(self, ordinal: int) -> BrokenDump:
        self._at = len(self._text)
        return self._broken(f"the file ends in or before record {ordinal}: it is cut short or was never closed.")

    def _broken(self, sentence: str) -> BrokenDump:
        assert self._file is not None
        ahead = len(self._text[self._at :].encode("utf-8", "surrogateescape"))
        return BrokenDump(self.path, self._file.text_position - ahead, sentence)

    def _constant(self, name: str) -> Constant:
        self._constants = True
        return Constant(name)
