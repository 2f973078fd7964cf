"""Fixtures for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests.database import Baseline, web_role


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Make the test database, then empty it after each transactional test in a way that the guards allow.

    Django's own flush truncates, which the triggers on archive tables refuse, and it would lose what
    migrations made.
    """
    with django_db_blocker.unblock():
        baseline = Baseline.taken()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: baseline.restore())
        yield


@pytest.fixture
def as_web_role(db: None) -> Iterator[None]:
    """Run the test as the web role: what it may not do in production, it can not do here."""
    if settings.WEB_ROLE == settings.OWNER_ROLE:
        pytest.skip("DATABASE_URL and DATABASE_OWNER_URL name the same user")
    with web_role():
        yield
