"""The log as CSV: one line per changed cell, or per cell that was answered without a change."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from archive.exporters.leaderboard_csv import safe
from corrections.display import in_words
from corrections.models import Decision
from corrections.pages.entries import ChangeShown, EntryShown, shown

COLUMNS = (
    *("number", "at", "kind", "outcome", "side", "reader", "second_reader", "reason", "reports_closed", "reverts"),
    *("source_url", "source_version", "source_page", "source_table", "source_row", "digest"),
    *("record", "field", "before", "after", "sealed"),
)


AT_ONCE = 500


class _Line:
    """What csv.writer writes to: its writerow then gives the line."""

    def write(self, line: str) -> str:
        """Give the line back."""
        return line


def lines(entries: QuerySet[Decision]) -> Iterator[str]:
    """The CSV line by line, its head first: RFC 4180, CRLF, to be encoded as UTF-8. Streams; three queries per 500.

    Text that a spreadsheet would take for a formula gets a leading apostrophe; plain numbers, negative ones too, stay.
    """
    writer = csv.writer(_Line(), lineterminator="\r\n")
    yield writer.writerow(COLUMNS)
    while some := list(entries[:AT_ONCE]):
        for entry, whole in zip(some, shown(some, most=None), strict=True):
            for row in _rows(entry, whole):
                yield writer.writerow([safe("" if cell is None else str(cell)) for cell in row])
        entries = entries.filter(number__lt=some[-1].number)


def _rows(entry: Decision, whole: EntryShown) -> Iterable[list[Any]]:
    head = [
        *(whole.number, whole.at.isoformat(), whole.kind, whole.outcome, whole.side, whole.reader, whole.second_reader),
        *(whole.reason, whole.reports_closed, whole.reverts),
        *(entry.source_url, entry.source_version, entry.source_page, entry.source_table, entry.source_row),
        bytes(entry.digest).hex(),
    ]
    cells = [*map(_cell, whole.changes), *([report.record, report.field, "", "", ""] for report in whole.answers)]
    return [[*head, *cell] for cell in cells or [["", "", "", "", ""]]]


def _cell(change: ChangeShown) -> list[Any]:
    if change.sealed:
        return [change.record, change.field, "", "", "sealed"]
    return [change.record, change.field, *map(_value, (change.before, change.after)), ""]


def _value(value: Any) -> str:
    """Texts as they are, null as nothing, the rest in words."""
    return value if isinstance(value, str) else "" if value is None else in_words(value)
