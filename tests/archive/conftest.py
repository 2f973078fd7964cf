"""An archive to read from: a folder of dumps, imported once for all tests of a class and taken back after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from archive.importers.run import Source, import_archive

TINY = Path(__file__).parent.parent / "data" / "tiny"
SEEDS = Path(__file__).parent.parent.parent.parent / "shared" / "seeds"

Importing = Callable[[Path], AbstractContextManager[None]]


@pytest.fixture(scope="class")
def imported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Importing:
    """A context in which the archive holds a folder of dumps, for fixtures of class scope.

    The import is in one open transaction, so what a test changes is taken back at its end and the import
    itself after the class. The guard stays open in it: tests may also change archive tables. Not for tests
    with `transaction=True`.
    """

    @contextmanager
    def holding(folder: Path) -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            import_archive([folder], Source.beside([folder]))
            yield
            transaction.set_rollback(True)

    return holding


@pytest.fixture(scope="class")
def tiny_archive(imported: Importing) -> Iterator[None]:
    """The archive holds tests/data/tiny. Tests that use it also ask for `db`."""
    with imported(TINY):
        yield


@pytest.fixture(scope="class")
def seed_archive(imported: Importing) -> Iterator[None]:
    """The archive holds the records of the three seed documents. Skips where they are not at hand."""
    if not SEEDS.exists():
        pytest.skip(f"the seed documents are not at {SEEDS}")
    with imported(SEEDS / "dump"):
        yield
