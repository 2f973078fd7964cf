"""An archive and people to decide about it, in real transactions: the log's triggers look at commits."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from archive.importers.run import Source, import_archive
from tests import people
from tests.corrections.reading import DAYS, Clock
from tests.database import web_role

TINY = Path(__file__).parent.parent / "data" / "tiny"


@pytest.fixture
def tiny(transactional_db: None) -> None:
    """The archive holds tests/data/tiny, committed."""
    import_archive([TINY], Source.beside([TINY]))


@pytest.fixture
def renu(tiny: None) -> User:
    """A reviewer."""
    return people.renu()


@pytest.fixture
def otto(tiny: None) -> User:
    """Another reviewer."""
    return people.otto()


@pytest.fixture
def edda(tiny: None) -> User:
    """An editor."""
    return people.edda()


@pytest.fixture
def as_web(tiny: None) -> Iterator[None]:
    """Everything after the import is done as the web role. Ask for people first: they are made as the owner."""
    with web_role():
        yield


@pytest.fixture
def on_day(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the clock to noon, so many days after the import."""

    def set_to(days: int) -> None:
        noon = datetime.datetime.combine(DAYS[days], datetime.time(12), datetime.UTC)
        monkeypatch.setattr("django.utils.timezone.now", lambda: noon)

    return set_to
