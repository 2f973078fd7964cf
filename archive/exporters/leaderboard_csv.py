"""A leaderboard's rows as CSV: each line carries its rank's caveat, the snapshot and the licence with it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from archive.pages.leaderboard import LeaderboardPage, RowOfBoard

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?%?")


def lines(page: LeaderboardPage, origin: str) -> Iterator[str]:
    """The CSV line by line, its head first: RFC 4180, CRLF, to be encoded as UTF-8. No query.

    `origin` stands before addresses of this site: "https://example.org". Text that a spreadsheet would take for a
    formula gets a leading apostrophe; plain numbers, negative ones too, stay as they are.
    """
    writer = csv.writer(_Line(), lineterminator="\r\n")
    caveat = _caveat(page)
    yield writer.writerow([*BEFORE, *(safe(metric.name) for metric in page.metrics), *AFTER])
    for row in page.results:
        yield writer.writerow(_line(page, row, origin, caveat))


BEFORE = ("rank_at_snapshot", "rows_at_snapshot", "model", "paper_title", "paper", "paper_url", "paper_date")
AFTER = ("uses_additional_data", "row", "dropped_in", "snapshot", "archive", "licence", "note")


def _line(page: LeaderboardPage, row: RowOfBoard, origin: str, caveat: str) -> list[str]:
    printed = [row.model, row.paper_title, origin + row.paper if row.paper else None, row.paper_url, _date(row)]
    cells = [
        *printed,
        *row.cells,
        "true" if row.uses_additional_data else "false",
        origin + row.row,
        row.dropped_in.isoformat() if row.dropped_in else None,
        page.source.snapshot.isoformat() if page.source.snapshot else None,
        page.source.archive,
        page.provenance.licence,
        caveat,
    ]
    rank = "" if row.rank is None else str(row.rank)
    return [rank, str(row.rows) if rank else "", *(safe(cell or "") for cell in cells)]


def _date(row: RowOfBoard) -> str | None:
    if row.paper_date is None:
        return None
    return str(row.paper_date.year) if row.paper_date_precision == "year" else row.paper_date.isoformat()


def _caveat(page: LeaderboardPage) -> str:
    snapshot = page.source.snapshot
    return f"positions at the snapshot of {snapshot or 'an unknown day'}, not a current standing"


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
