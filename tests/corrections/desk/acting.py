"""What a reader does at the desk, through the pages' own forms."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from corrections.cells import read_cell
from corrections.correctable import Value
from corrections.models import Report, ReportKind
from corrections.submissions import Draft, file_report
from tests.corrections.rulings import record

SOURCE = {"url": "https://arxiv.org/abs/2211.05719v3", "version": "v3", "page": "6", "table": "2", "row": "Divter"}


def report(key: str, field: str = "", proposed: Value = None, **other: Any) -> Report:
    """File a report with a source, as the public form does."""
    seen = read_cell(record(key), field) if field else None
    kind = other.pop("kind", ReportKind.WRONG_VALUE if field else ReportKind.NOT_HERE)
    filing = {name: other.pop(name) for name in ("filed_by", "hold_because", "sender") if name in other}
    draft = Draft(
        key,
        kind,
        field,
        value_seen=seen,
        proposed=proposed,
        source=other.pop("source", SOURCE),
        comment=other.pop("comment", "The table says otherwise."),
        **other,
    )
    return file_report(draft, **{"sender": "192.0.2.1", **filing}).report


def address(key: str, field: str = "") -> str:
    """The address of a case."""
    return f"/admin/desk/{key}" + ("?" + urlencode({"field": field}) if field else "")


def hidden(response: Any) -> dict[str, Any]:
    """What the page's form sends along unseen, and the reports ticked on it."""
    page = response.content.decode()
    found: dict[str, Any] = {}
    for name in ("seen", "idempotency_key", "listed", "looked_at"):
        match = re.search(rf'name="{name}" value="([^"]*)"', page)
        if match:
            found[name] = match[1]
    found["reports"] = re.findall(r'name="reports" value="(\d+)" checked', page) or re.findall(
        r'name="reports" value="(\d+)"[^>]* checked', page
    )
    return found


ACCEPT = {
    "act": "decide",
    "outcome": "accepted",
    "side": "archive",
    "source_url": SOURCE["url"],
    "source_table": "2",
    "source_row": "Divter",
    "reading": "12.5",
    "reason": "The paper’s table 2 has this value.",
}


def accept(client: Client, key: str, field: str, value: Any, **other: Any) -> Any:
    """Open a case, uncover it, and accept a value."""
    return client.post(address(key, field), {**opened(client, key, field), **ACCEPT, "value": value, **other})


def opened(client: Client, key: str, field: str = "") -> dict[str, Any]:
    """Open a case, uncover its proposal, and give what its form sends along."""
    page = client.post(address(key, field), {"act": "uncover"})
    assert page.status_code == 200, page.content[:500]
    return hidden(page)


def text_of(response: Any) -> str:
    """A page as one line of text without its tags."""
    page = response.content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
