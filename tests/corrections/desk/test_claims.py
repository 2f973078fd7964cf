"""Claims end, are few, and keep nobody from looking."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from archive.models import Record
from corrections.decisions import Refused
from corrections.desk import claims
from corrections.models import Claim, Decision
from tests.corrections.desk.acting import ACCEPT, accept, address, opened, report
from tests.corrections.rulings import record
from tests.corrections.test_decide import first


@pytest.fixture
def key(tiny: None) -> str:
    """A record with a report on its homepage."""
    key = first("dataset")
    report(key, "homepage", "https://example.org/")
    return key


def test_looking_claims_nothing(at_desk: Client, key: str) -> None:
    at_desk.get(address(key, "homepage"))
    at_desk.get("/admin/desk/")
    assert not Claim.objects.exists()


def test_a_claim_keeps_what_was_typed_and_another_from_deciding(at_desk: Client, at_desk_too: Client, key: str) -> None:
    page = at_desk.post(address(key, "homepage"), {"act": "claim", "note": "A note of mine"})
    assert page.status_code == 200 and "A note of mine" in page.content.decode()
    assert "is at work on this case" in at_desk_too.get(address(key, "homepage")).content.decode()
    answer = accept(at_desk_too, key, "homepage", "https://example.org/", note="Otto’s note")
    assert answer.status_code == 409 and "Otto’s note" in answer.content.decode()
    assert not Decision.objects.exists()
    assert at_desk_too.post(address(key, "homepage"), {"act": "claim"}).status_code == 409
    assert accept(at_desk, key, "homepage", "https://example.org/").status_code == 303
    assert not Claim.objects.exists()


def test_a_dead_claim_blocks_nobody(at_desk: Client, otto: User, key: str) -> None:
    claims.claim(record(key), "homepage", otto)
    Claim.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert "Nobody has claimed" in at_desk.get(address(key, "homepage")).content.decode()
    assert at_desk.post(address(key, "homepage"), {"act": "claim"}).status_code == 200
    assert Claim.objects.get().user.username == "renu"
    Claim.objects.update(until=timezone.now() - timedelta(seconds=1), user=otto)
    assert accept(at_desk, key, "homepage", "https://example.org/").status_code == 303


def test_work_extends_ones_own_claim_only(at_desk: Client, at_desk_too: Client, key: str) -> None:
    at_desk.post(address(key, "homepage"), {"act": "claim"})
    soon = timezone.now() + timedelta(minutes=1)
    for client, extended in ((at_desk_too, False), (at_desk, True)):
        Claim.objects.update(until=soon)
        assert client.post(address(key, "homepage"), {"act": "extend"}).status_code == 204
        assert (Claim.objects.get().until > soon) is extended
    Claim.objects.update(until=soon)
    at_desk.post(address(key, "homepage"), {**opened(at_desk, key, "homepage"), **ACCEPT, "act": "preview"})
    assert Claim.objects.get().until > soon


def test_giving_back_frees_the_case(at_desk: Client, at_desk_too: Client, key: str) -> None:
    at_desk.post(address(key, "homepage"), {"act": "claim"})
    at_desk_too.post(address(key, "homepage"), {"act": "release"})
    assert Claim.objects.count() == 1
    at_desk.post(address(key, "homepage"), {"act": "release"})
    assert not Claim.objects.exists()


def test_nobody_hoards(renu: User) -> None:
    records = list(Record.objects.order_by("id")[:6])
    for one in records[:5]:
        claims.claim(one, "", renu)
    claims.claim(records[0], "", renu)  # one's own again is no further one
    with pytest.raises(Refused, match="5 cases already"):
        claims.claim(records[5], "", renu)
    Claim.objects.filter(record=records[1]).update(until=timezone.now())
    claims.claim(records[5], "", renu)
