"""Every key of every page is described, and docs/json.md says the same."""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pytest
from django.conf import settings

from archive.pages.base import Absence, Page, Source
from archive.pages.documentation import address, classes_within, document, page_classes, type_in_words
from archive.pages.documented import keys_of


def every_class() -> list[type]:
    return list(dict.fromkeys(cls for page in page_classes() for cls in (page, *classes_within(page))))


def test_there_are_pages() -> None:
    assert {page.__name__ for page in page_classes()} >= {"DatasetPage"}


@pytest.mark.parametrize("cls", every_class(), ids=lambda cls: cls.__qualname__)
def test_every_field_is_described(cls: type) -> None:
    for field in dataclasses.fields(cls):
        text = field.metadata.get("help", "")
        assert text.endswith("."), f"{cls.__qualname__}.{field.name} is not described by a sentence"
        assert "|" not in text, f"the description of {cls.__qualname__}.{field.name} breaks the table"


@pytest.mark.parametrize("cls", every_class(), ids=lambda cls: cls.__qualname__)
def test_every_class_says_what_it_is(cls: type) -> None:
    assert cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}(")  # dataclass writes one of that form


@pytest.mark.parametrize("cls", every_class(), ids=lambda cls: cls.__qualname__)
def test_no_key_stands_for_two_fields(cls: type) -> None:
    assert [name for name, number in Counter(key.name for key in keys_of(cls)).items() if number > 1] == []


def test_classes_have_different_names() -> None:
    """They are headings of one file, which links name."""
    names = Counter(cls.__qualname__ for cls in every_class())
    assert [name for name, number in names.items() if number > 1] == []


def test_every_page_names_its_address() -> None:
    assert all(address(page).startswith("/") for page in page_classes())


def test_a_page_without_address_is_told() -> None:
    class Nameless(Page):
        """Says nothing of where it is."""

        heading = "Somewhere"

    with pytest.raises(ValueError, match="Nameless"):
        address(Nameless)


def test_the_file_is_current() -> None:
    written = (settings.BASE_DIR / "docs" / "json.md").read_text()
    assert written == document(), "run: manage.py document_json"


def test_every_reason_has_a_sentence() -> None:
    for reason in Absence:
        assert reason.sentence.endswith(".")
        assert f"| `{reason.value}` | {reason.sentence} |" in document()


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str | None, "text or null"),
        (Sequence[Source], "list of [Source](#source)"),
        (Mapping[str, int], "object: whole number by key"),
        (Mapping[str, Any] | None, "object: any by key or null"),
        (datetime.date, "date"),
        (Literal["day", "year"], "`day` or `year`"),
    ],
)
def test_types_in_words(annotation: Any, words: str) -> None:
    assert type_in_words(annotation) == words
