"""The tiny archive, one import a class, and a few decisions on it: for tests of what the public sees."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from corrections.models import Report
from corrections.submissions import Draft, Filed, file_report
from tests import people
from tests.archive.conftest import imported, tiny_archive

__all__ = ["imported", "tiny_archive"]

DATASET = "dataset/wmt-2014"
PAPER = "paper/attention-is-all-you-need"
BOARD = "sota/machine-translation-on-wmt2014-english-french"


@pytest.fixture
def renu(db: None) -> User:
    """A reviewer."""
    return people.renu()


@pytest.fixture
def otto(db: None) -> User:
    """Another reviewer."""
    return people.otto()


@pytest.fixture
def amina(client: Client) -> Client:
    """A visitor who reports problems, without an account."""
    return client


def filed(key: str = DATASET, field: str = "", *, sender: str = "192.0.2.1", **draft: object) -> Filed:
    """A report that was taken in."""
    given: dict[str, object] = {"kind": "other", "comment": "Something is wrong.", **draft}
    return file_report(Draft(key, field=field, **given), sender=sender)  # type: ignore[arg-type]


def the_report() -> Report:
    """The only report."""
    return Report.objects.get()
