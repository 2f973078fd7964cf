"""Rulings as the tests make them: complete, unless a test leaves something out."""

from __future__ import annotations

import dataclasses
from typing import Any

from archive.models import Record
from corrections.cells import read_cell
from corrections.correctable import Value
from corrections.decisions import Read, Ruling, Wanted
from corrections.models import Outcome, Side

SOURCE = Read(url="https://arxiv.org/abs/2211.05719v3", table="2", row="Divter", reading="The table says so.")


def record(key: str) -> Record:
    """A record by its key."""
    return Record.objects.get(key=key)


def wanting(key: str, field: str, value: Value) -> Wanted:
    """A change of a cell from what it holds now."""
    return Wanted(key, field, seen=read_cell(record(key), field), value=value)


def accepted(*changes: Wanted, **other: Any) -> Ruling:
    """An accepted correction with source, place, reading, side and reason."""
    ruling = Ruling(
        Outcome.ACCEPTED, "The paper's table has this value.", changes=changes, side=Side.ARCHIVE, read=SOURCE
    )
    return dataclasses.replace(ruling, **other)
