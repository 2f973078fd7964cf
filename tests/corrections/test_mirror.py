"""/corrections/changes.jsonl: what a mirror takes."""

from __future__ import annotations

import json

from django.contrib.auth.models import User
from django.test import Client

from corrections.decisions import decide
from corrections.ledger import lines
from tests.corrections.rulings import accepted, wanting
from tests.corrections.test_decide import a_metric


def body(client: Client, address: str) -> bytes:
    """A streamed answer, whole."""
    answer = client.get(address)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("application/jsonl")
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_gives_the_log_and_what_follows_a_number(renu: User, client: Client) -> None:
    for value in ("1", "2", "3"):
        decide(accepted(wanting(*a_metric(), value)), renu)
    assert body(client, "/corrections/changes.jsonl") == b"".join(lines())
    later = body(client, "/corrections/changes.jsonl?after=2").splitlines()
    assert [json.loads(line)["number"] for line in later] == [3]
    assert body(client, "/corrections/changes.jsonl?after=3") == b""


def test_names_no_database_id(renu: User, client: Client) -> None:
    decide(accepted(wanting(*a_metric(), "1")), renu)
    (line,) = body(client, "/corrections/changes.jsonl").splitlines()
    entry = json.loads(line)
    assert "reader_id" not in entry and "id" not in entry["changes"][0]
    assert entry["changes"][0]["record"].startswith("sota/")


def test_refuses_what_is_no_number(renu: User, client: Client) -> None:
    assert client.get("/corrections/changes.jsonl?after=x").status_code == 404
