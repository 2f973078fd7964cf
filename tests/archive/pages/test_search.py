"""The search page as an object."""

from __future__ import annotations

import pytest

from archive.pages.search import LAST_PAGE, address, asked


@pytest.mark.parametrize(
    ("kind", "page", "taken"),
    [
        ("", "", (None, 1)),
        ("paper", "3", ("paper", 3)),
        ("author", "0", ("author", 1)),
        ("result", "-1", (None, 1)),
        ("'", "9999", (None, 1)),
        ("task", "999", ("task", LAST_PAGE)),
        ("task", "²", ("task", 1)),
    ],
)
def test_what_an_address_asks(kind: str, page: str, taken: tuple[str | None, int]) -> None:
    assert asked(kind, page) == taken


def test_addresses() -> None:
    assert address("") == "/search"
    assert address("a b&c") == "/search?q=a+b%26c"
    assert address("x", "paper", 2) == "/search?q=x&kind=paper&page=2"
