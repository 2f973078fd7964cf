"""Addresses with a slash at their end."""

from __future__ import annotations

import pytest
from django.test import Client


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("/datasets/", "/datasets"),
        ("/dataset/convai2//", "/dataset/convai2"),
        ("/search/?q=a%20b&page=2", "/search?q=a%20b&page=2"),
        ("/author/josé/", "/author/jos%C3%A9"),
        ("/%5Cexample.org/", "/%5Cexample.org"),
        ("/x%0D%0ASet-Cookie:%20a/", "/x%0D%0ASet-Cookie:%20a"),
    ],
)
def test_a_slash_at_the_end_is_taken_off(client: Client, asked: str, answered: str) -> None:
    response = client.get(asked)
    assert (response.status_code, response["Location"]) == (301, answered)


def test_two_slashes_in_front_do_not_name_another_host(client: Client) -> None:
    response = client.get("/", PATH_INFO="//example.org/")
    assert (response.status_code, response["Location"]) == (301, "/example.org")


def test_a_form_sent_to_such_an_address_keeps_its_method(client: Client) -> None:
    response = client.post("/report/dataset/convai2/", {"field": "name"})
    assert (response.status_code, response["Location"]) == (308, "/report/dataset/convai2")


@pytest.mark.django_db
@pytest.mark.parametrize("asked", ["/", "/datasets", "/api/v1/papers/", "/static/none/"])
def test_other_addresses_are_passed_on(client: Client, asked: str) -> None:
    assert "Location" not in client.get(asked)


def test_the_admin_keeps_its_slashes(client: Client) -> None:
    assert client.get("/admin/login/").status_code == 200
