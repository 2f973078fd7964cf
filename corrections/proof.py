"""Proof of work by the ALTCHA protocol, version 2: made and checked here, by nobody else.

A challenge costs a browser about a second in the background. Without one a report is still taken in, but held.
"""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import timedelta
from typing import Any

import altcha
from django.utils import timezone
from django.utils.crypto import salted_hmac

from corrections.models import UsedChallenge

ALGORITHM = "PBKDF2/SHA-256"
COST = 5_000
"""Rounds of each try; checking takes one try, finding 256 on average, since the key has to begin with `PREFIX`."""

PREFIX = "00"
VALID = timedelta(hours=2)
LONGEST = 4_000
"""Characters of a proof that are looked at; a browser's has about 600."""

NONE, WRONG, AGAIN = "no proof of work", "a proof of work that does not hold", "a proof of work used before"


def _secret() -> bytes:
    return salted_hmac("corrections.proof", "challenge", algorithm="sha256").digest()


def challenge() -> dict[str, Any]:
    """A new challenge, as the protocol writes it. Nothing is kept of it. No query."""
    made = altcha.create_challenge(
        ALGORITHM, COST, key_prefix=PREFIX, expires_at=timezone.now() + VALID, hmac_secret=_secret()
    )
    return made.to_dict()


def problem_with(proof: str) -> str:
    """Why a report with this proof has to be held for a look; "" if it need not. Takes the proof: it holds only once.

    Call it in the transaction that files the report. One query for a proof that holds, else none.
    """
    if not proof:
        return NONE
    if len(proof) > LONGEST or not _holds(proof):
        return WRONG
    signature = json.loads(base64.b64decode(proof))["challenge"]["signature"]
    _, fresh = UsedChallenge.objects.get_or_create(
        digest=hashlib.sha256(signature.encode()).digest(), defaults={"expires_at": timezone.now() + VALID}
    )
    return "" if fresh else AGAIN


def _holds(proof: str) -> bool:
    try:
        return altcha.verify_solution(proof, _secret()).verified
    except Exception:  # the library says nothing of what it raises on a hostile proof; none of that is ours to fail on
        return False
