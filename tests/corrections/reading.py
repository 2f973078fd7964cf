"""Pages of the tiny archive, read on days after its import, and decisions to make on these days."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from corrections.correctable import Value
from corrections.decisions import decide
from corrections.models import Decision
from tests.corrections.rulings import accepted, wanting

BOARD = "sota/machine-translation-on-wmt2014-english-german"
ROW = f"{BOARD}/row/2"
DATASET = "dataset/wmt-2014"
PAPER = "paper/attention-is-all-you-need"
TASK = "task/object-detection"
METHOD = "method/resnet"
BLEU = "metrics.BLEU score"

NOW = datetime.datetime.now(datetime.UTC)
DAYS = [(NOW + datetime.timedelta(days=days)).date() for days in range(12)]
"""Days from the import on; a test moves the clock, so that none of them is in the future."""

Clock = Callable[[int], None]


def page(client: Client, key: str, view: str = "") -> Any:
    """The JSON of a page."""
    response = client.get(f"/{key}.json{view}")
    assert response.status_code == 200, response.content
    return response.json()


def queries(client: Client, key: str, view: str = "") -> int:
    """The number of queries that the JSON of a page costs."""
    with CaptureQueriesContext(connection) as asked:
        page(client, key, view)
    return len(asked)


def text(client: Client, key: str, view: str = "") -> str:
    """The HTML of a page."""
    response = client.get(f"/{key}{view}")
    assert response.status_code == 200, response.content
    return response.content.decode()


def table(client: Client, view: str = "") -> list[dict[str, str]]:
    """The CSV of the leaderboard."""
    content = b"".join(client.get(f"/{BOARD}.csv{view}").streaming_content)  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(content.decode())))


def correct(reader: User, key: str, field: str, value: Value) -> Decision:
    """Decide that a field has a value."""
    return decide(accepted(wanting(key, field, value)), reader)


def as_of(days: int) -> str:
    """The view of a day."""
    return f"?as_of={DAYS[days]}"


def ranks(board: Any) -> list[tuple[str, str | None]]:
    """By row: its rank in words."""
    return [(row["row"], row["rank_at_snapshot"]) for row in board["results"]]
