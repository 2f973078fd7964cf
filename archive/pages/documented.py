"""Dataclasses in which every field says what it means, and their plain JSON form."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING
from enum import Enum
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


def described(
    help: str,
    *,
    key: str | None = None,
    json: bool = True,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | Any = MISSING,
) -> Any:
    """A dataclass field with its description.

    `key` is its name in JSON where that differs from the attribute's; `json=False` leaves it out of the JSON.
    """
    metadata = {"help": help, "key": key, "json": json}
    if default_factory is not MISSING:
        return dataclasses.field(default_factory=default_factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(described,))
def documented(cls: type[T]) -> type[T]:
    """Make a frozen dataclass, built by keyword only. Its fields are written with `described`."""
    return dataclasses.dataclass(frozen=True, kw_only=True)(cls)


@dataclasses.dataclass(frozen=True)
class Key:
    """One key of a documented class's JSON: its name, its type as it is written there, and what it means."""

    name: str
    attribute: str
    type: Any
    help: str


@functools.cache
def keys_of(cls: type) -> tuple[Key, ...]:
    """The JSON keys of a documented class, in their order: inherited ones stand where the class repeats them.

    `url` comes first; inherited fields that the class does not repeat come last. A help text may be missing
    (""): a test refuses that.
    """
    own = list(inspect.get_annotations(cls))
    hints = typing.get_type_hints(cls)
    place = {name: number for number, name in enumerate(["url", *own])}
    fields = [f for f in dataclasses.fields(cls) if f.metadata.get("json", True)]
    return tuple(
        Key(
            name=field.metadata.get("key") or field.name,
            attribute=field.name,
            type=hints[field.name],
            help=field.metadata.get("help", ""),
        )
        for field in sorted(fields, key=lambda f: place.get(f.name, len(place)))
    )


def nested_in(annotation: Any) -> Iterator[type]:
    """The documented classes named by a type such as `list[X] | None`, in the order of reading."""
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from nested_in(argument)


def to_json(value: Any) -> JsonValue:
    """Plain JSON of a documented instance or of anything that may stand in one: dates become ISO texts.

    A class may say more by a method `extend_json(dict) -> dict`. Raises TypeError on a value JSON has no form for.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {key.name: to_json(getattr(value, key.attribute)) for key in keys_of(type(value))}
        extend = getattr(value, "extend_json", None)
        return extend(plain) if extend else plain
    if isinstance(value, Enum):
        return to_json(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")
