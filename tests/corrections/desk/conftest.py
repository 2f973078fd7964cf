"""Readers who are signed in, and reports for them to decide."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import people

SignIn = Callable[[User], Client]


@pytest.fixture
def sign_in() -> SignIn:
    """Give a client that is signed in as somebody, as the session backend does it."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def at_desk(renu: User, sign_in: SignIn) -> Client:
    """Renu at the desk."""
    return sign_in(renu)


@pytest.fixture
def at_desk_too(otto: User, sign_in: SignIn) -> Client:
    """Otto at the desk."""
    return sign_in(otto)


@pytest.fixture
def niko(tiny: None) -> User:
    """Somebody with an account and no rights."""
    return people.niko()
