"""A leaderboard's rows as CSV: each line carries its rank's caveat, the snapshot and the licence with it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from archive.pages.base import CorrectedCell
from archive.pages.leaderboard import LeaderboardPage, RowOfBoard

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?%?")


def lines(page: LeaderboardPage, origin: str) -> Iterator[str]:
    """The CSV line by line, its head first: RFC 4180, CRLF, to be encoded as UTF-8. No query.

    `origin` stands before addresses of this site: "https://example.org". Text that a spreadsheet would take for a
    formula gets a leading apostrophe; plain numbers, negative ones too, stay as they are. A column in which a decision
    changed a value is followed by two more: the snapshot's value, and the decision's number where they differ.
    """
    writer = csv.writer(_Line(), lineterminator="\r\n")
    fields = [*BEFORE.values(), *(f"metrics.{metric.name}" for metric in page.metrics), *AFTER.values()]
    corrected = {cell.field for cell in page.corrections}
    twofold = [field in corrected for field in fields]
    names = [*BEFORE, *(metric.name for metric in page.metrics), *AFTER]
    yield writer.writerow(map(safe, _head(names, twofold)))
    caveat = _caveat(page)
    for row in page.results:
        cells = page.corrected.get(row.key, {})
        values = zip(fields, _line(page, row, origin, caveat), twofold, strict=True)
        yield writer.writerow([safe(text) for value in values for text in _with_snapshot(*value, cells)])


# By column: the field of the row that it shows, "" for what no decision changes.
BEFORE = {
    "rank_at_snapshot": "",
    "rows_at_snapshot": "",
    "model": "model_name",
    "paper_title": "paper_title",
    "paper": "paper",
    "paper_url": "",
    "paper_date": "paper_date",
}
AFTER = {
    "uses_additional_data": "uses_additional_data",
    **dict.fromkeys(
        ("open_reports", "row", "dropped_in", "added_by_decision", "snapshot", "archive", "licence", "note"), ""
    ),
}


def _head(names: Sequence[str], twofold: Sequence[bool]) -> Iterator[str]:
    for name, is_twofold in zip(names, twofold, strict=True):
        yield name
        if is_twofold:
            yield from (f"{name} (snapshot)", f"{name} decision")


def _with_snapshot(field: str, value: str, is_twofold: bool, cells: Mapping[str, CorrectedCell]) -> Iterator[str]:
    yield value
    if is_twofold:
        cell = cells.get(field)
        yield _plain(cell.snapshot) if cell else value
        yield str(cell.decision) if cell else ""


def _plain(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _line(page: LeaderboardPage, row: RowOfBoard, origin: str, caveat: str) -> list[str]:
    rank = "" if row.rank is None else str(row.rank)
    cells = [
        rank,
        str(row.rows) if rank else "",
        row.model,
        row.paper_title,
        origin + row.paper if row.paper else None,
        row.paper_url,
        _date(row),
        *row.cells,
        "true" if row.uses_additional_data else "false",
        str(row.open_reports),
        origin + row.row,
        row.dropped_in.isoformat() if row.dropped_in else None,
        str(row.added_by) if row.added_by else None,
        page.source.snapshot.isoformat() if page.source.snapshot else None,
        page.source.archive,
        page.provenance.licence,
        caveat,
    ]
    return [cell or "" for cell in cells]


def _date(row: RowOfBoard) -> str | None:
    if row.paper_date is None:
        return None
    return str(row.paper_date.year) if row.paper_date_precision == "year" else row.paper_date.isoformat()


def _caveat(page: LeaderboardPage) -> str:
    snapshot = page.source.snapshot
    caveat = f"positions at the snapshot of {snapshot or 'an unknown day'}, not a current standing"
    if page.view is None:
        return caveat
    return f"{caveat}; " + (f"values of {page.view.as_of}" if page.view.as_of else "values without corrections")


def safe(cell: str) -> str:
    """The cell as a spreadsheet shows it and does not run it. A lone hyphen runs nothing and stays."""
    if cell.startswith(_STARTS_A_FORMULA) and cell != "-" and not _PLAIN_NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


class _Line:
    """What csv.writer writes to: its writerow then gives the line."""

    def write(self, line: str) -> str:
        """Give the line back."""
        return line
