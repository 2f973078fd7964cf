"""Guessing passwords: after some wrong ones an address has to wait, whoever it says it is; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"
PASSWORD = "a long enough passphrase"


@pytest.fixture(autouse=True)
def nobody_waits() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def reviewer() -> User:
    return User.objects.create_user("renu", password=PASSWORD, is_staff=True)


def attempt(password: str, *, name: str = "renu", address: str = "192.0.2.1", **other: Any) -> HttpResponse:
    client = Client(REMOTE_ADDR=address, **other)
    response: Any = client.post(LOGIN, {"username": name, "password": password, "next": "/admin/"})
    return response


def test_after_ten_wrong_ones_even_the_right_one_waits(settings: Any) -> None:
    for number in range(settings.AXES_FAILURE_LIMIT - 1):
        assert attempt("wrong", name=f"name-{number}").status_code == 200
    assert attempt("wrong").status_code == 429
    refused = attempt(PASSWORD)
    assert refused.status_code == 429
    assert "Try again in a quarter of an hour" in refused.content.decode()
    assert attempt(PASSWORD, address="192.0.2.2").status_code == 302


def test_one_household_of_ipv6_is_one_address(settings: Any) -> None:
    for number in range(settings.AXES_FAILURE_LIMIT):
        attempt("wrong", address=f"2001:db8::{number:x}")
    assert attempt(PASSWORD, address="2001:db8::ffff").status_code == 429
    assert attempt(PASSWORD, address="2001:db8:0:1::1").status_code == 302


def test_an_address_is_the_one_that_our_proxy_saw(settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for _ in range(settings.AXES_FAILURE_LIMIT):
        attempt("wrong", HTTP_X_FORWARDED_FOR="198.51.100.9, 203.0.113.5")
    assert attempt(PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.5").status_code == 429
    assert attempt(PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.5, 198.51.100.9").status_code == 302


def test_the_right_one_in_time_begins_anew(settings: Any) -> None:
    for _ in range(3):
        for _ in range(settings.AXES_FAILURE_LIMIT - 1):
            attempt("wrong")
        assert attempt(PASSWORD).status_code == 302


def test_no_address_is_stored_or_printed(caplog: pytest.LogCaptureFixture) -> None:
    attempt("wrong")
    with connection.cursor() as cursor:
        for model in ("accessattempt", "accesslog", "accessfailurelog"):
            cursor.execute(f"SELECT count(*) FROM axes_{model}")
            assert cursor.fetchone() == (0,)
        cursor.execute("SELECT count(*), string_agg(cache_key || value, ' ') FROM config_cache")
        count, stored = cursor.fetchone()
    assert count == 1
    assert "192.0.2.1" not in stored and "192.0.2.1" not in caplog.text
