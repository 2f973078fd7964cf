"""Finding the five dumps among files and folders, by name or else by what is in them, and opening them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from archive.importers.json_file import JsonReader, TextFile
from archive.importers.reading import BrokenDump, DumpError, RawRecord


class DumpKind(StrEnum):
    """The five dumps, in the order they are imported. The values are stable: they are stored and printed."""

    PAPERS = "papers"
    DATASETS = "datasets"
    METHODS = "methods"
    TABLES = "tables"
    LINKS = "links"

    @property
    def file_name(self) -> str:
        """The name Papers with Code gave the file, without an ending."""
        return _FILE_NAMES[self]


_FILE_NAMES = {
    DumpKind.PAPERS: "papers-with-abstracts",
    DumpKind.DATASETS: "datasets",
    DumpKind.METHODS: "methods",
    DumpKind.TABLES: "evaluation-tables",
    DumpKind.LINKS: "links-between-papers-and-code",
}
# the long names first, so that no file is taken for "methods" or "datasets" that says more
_NAMED = {
    DumpKind.PAPERS: re.compile(r"papers?[-_ ]with[-_ ]abstracts?"),
    DumpKind.LINKS: re.compile(r"links?[-_ ]between[-_ ]papers?[-_ ]and[-_ ]code"),
    DumpKind.TABLES: re.compile(r"evaluation[-_ ]tables?"),
    DumpKind.METHODS: re.compile(r"(?<![a-z])methods(?![a-z])"),
    DumpKind.DATASETS: re.compile(r"(?<![a-z])datasets(?![a-z])"),
}
# a record is of the kind of which it has the one key and any of the others; no dump's records fit two kinds
_HOLDS = {
    DumpKind.PAPERS: ("abstract", {"paper_url", "url_abs", "arxiv_id"}),
    DumpKind.LINKS: ("repo_url", {"paper_url", "paper_title", "paper_arxiv_id", "paper_url_abs"}),
    DumpKind.TABLES: ("datasets", {"task", "categories", "subtasks"}),
    DumpKind.METHODS: ("name", {"collections", "code_snippet_url", "introduced_year"}),
    DumpKind.DATASETS: ("name", {"modalities", "data_loaders", "variants", "introduced_date"}),
}
_ENDINGS = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".parquet")
_SHARD = re.compile(r"(?P<name>.*?)-?(?P<number>\d{4,5})(-of-(?P<count>\d{5}))?\.parquet")
_PREFIX = 1 << 18
_KEY_OR_BRACKET = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[\[\]{}]', re.DOTALL)


class DumpsNotFound(DumpError):
    """A place that does not exist, a file that cannot be told to be a dump, or no dump at all in a folder."""


class DumpsAmbiguous(DumpError):
    """Two files for one dump, shards that are not one whole, or a file that holds another dump than named."""


class _Reader(Protocol):
    @property
    def position(self) -> int: ...

    def records(self) -> Iterator[RawRecord]: ...


class DumpFile:
    """One dump: a file, or the shards of one in their order."""

    def __init__(self, kind: DumpKind, paths: Sequence[Path]) -> None:
        self.kind = kind
        self.paths = tuple(paths)
        self._reader: _Reader | None = None

    def __repr__(self) -> str:
        return f"DumpFile({self.kind.value}: {_listed(self.paths)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files, without folders."""
        return tuple(path.name for path in self.paths)

    @property
    def size(self) -> int:
        """Bytes of all files together, compressed as they are."""
        return sum(path.stat().st_size for path in self.paths)

    @property
    def position(self) -> int:
        """Bytes of `size` read so far by the latest `records()`."""
        return self._reader.position if self._reader else 0

    def sha256(self) -> dict[str, bytes]:
        """SHA-256 (32 bytes) of each file as it lies there, by name. Reads the files once more."""
        digests = {}
        for path in self.paths:
            with path.open("rb") as file:
                digests[path.name] = hashlib.file_digest(file, "sha256").digest()
        return digests

    def records(self) -> Iterator[RawRecord]:
        """Every record in order, from the first each time.

        Raises BrokenDump, maybe after having given records.
        """
        if _is_parquet(self.paths[0]):
            # here and not above: pyarrow is large and slow to load, and few dumps are Parquet
            from archive.importers.parquet import ParquetReader

            self._reader = ParquetReader(self.paths)
        else:
            self._reader = JsonReader(self.paths[0])
        return self._reader.records()


def find_dumps(paths: Sequence[Path]) -> dict[DumpKind, DumpFile]:
    """The dumps among the files given and in the folders given, in the order of `DumpKind`; at least one.

    Folders are searched through, but for hidden ones; files that are no dump are passed over there, while a
    file given by its own path has to be one. Reads the beginning of each file, not more.

    Raises DumpsNotFound, DumpsAmbiguous, and BrokenDump for a Parquet file that is cut short.
    """
    found: dict[DumpKind, dict[Path, Path]] = {kind: {} for kind in DumpKind}
    for given in paths:
        if not given.exists():
            raise DumpsNotFound(f"{given} does not exist.")
        for path in sorted(_candidates(given)) if given.is_dir() else [given]:
            if kind := _kind(path):
                found[kind].setdefault(path.resolve(), path)
            elif path == given:
                raise DumpsNotFound(f"{path} is none of the dumps, by name or first record. {_sought()}")
    dumps = {kind: DumpFile(kind, _whole(kind, list(files.values()))) for kind, files in found.items() if files}
    if not dumps:
        raise DumpsNotFound(f"No dump in {_listed(paths) or 'no place'}. {_sought()}")
    return dumps


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _sought() -> str:
    names = ", ".join(kind.file_name for kind in DumpKind)
    return (
        f"Looked for {names}, each as .json, .json.gz or .parquet (whole or in shards), also with more in "
        "the name (jul-28-methods.json.gz, methods.2025-03-07.json), and for files that hold such records."
    )


def _candidates(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.name.lower().endswith(_ENDINGS) and not hidden and path.is_file():
            yield path


def _kind(path: Path) -> DumpKind | None:
    """Which dump a file is, by its name or else by its first record; None if neither tells.

    Raises DumpsAmbiguous if they tell different things.
    """
    name = path.name.lower()
    named = next((kind for kind, pattern in _NAMED.items() if pattern.search(name)), None)
    if _is_parquet(path):
        from archive.importers.parquet import column_names

        keys: set[str] | None = set(column_names(path))
    else:
        keys = _first_keys(path)
    if keys is None:
        return None
    held = next((kind for kind, (key, others) in _HOLDS.items() if key in keys and others & keys), None)
    if named and held and named != held:
        raise DumpsAmbiguous(f"{path} is named like {named.file_name} but holds {held.file_name}.")
    return named or held


def _is_parquet(path: Path) -> bool:
    if path.suffix.lower() == ".parquet":
        return True
    with path.open("rb") as file:  # the Hugging Face cache has files without an ending
        return file.read(4) == b"PAR1"


def _first_keys(path: Path) -> set[str] | None:
    """The keys of the first record, as far as they stand in the first 256 kB.

    None if the file is one single object; empty if it is not JSON at all: then reading it will say so, if its
    name makes it a dump.
    """
    file = TextFile(path)
    try:
        text = file.read(_PREFIX).lstrip("\ufeff \t\r\n")
    except BrokenDump:
        return set()
    finally:
        file.close()
    if text.startswith("{"):
        try:
            return set(json.loads(text.split("\n", 1)[0]))  # one object per line
        except ValueError:
            return None
    keys: set[str] = set()
    depth = 0
    for token in _KEY_OR_BRACKET.finditer(text):
        if token[0] in ("[", "{"):
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
            if depth < 2:
                break
        elif depth == 2 and token[2]:
            keys.add(token[1])
    return keys


def _whole(kind: DumpKind, paths: list[Path]) -> list[Path]:
    """The files of one dump in order: a file, or Parquet shards none of which is missing or strange."""
    shards = [(match, path) for path in paths if (match := _SHARD.fullmatch(path.name))]
    counts = {int(match["count"]) for match, _ in shards if match["count"]}
    if len(paths) == 1 and not counts:
        return paths
    if len(shards) < len(paths) or len({(path.parent, match["name"]) for match, path in shards}) > 1:
        raise DumpsAmbiguous(f"More than one file for {kind.file_name}: {_listed(paths)}. Give the one meant.")
    ordered = sorted((int(match["number"]), path) for match, path in shards)
    expected = max(counts, default=len(paths))
    if len(counts) > 1 or [number for number, _ in ordered] != list(range(expected)):
        raise DumpsAmbiguous(f"The shards of {kind.file_name} are not {expected} in a row: {_listed(paths)}.")
    return [path for _, path in ordered]
