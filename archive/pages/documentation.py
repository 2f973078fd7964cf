"""docs/json.md, written from the descriptions in the page classes."""

from __future__ import annotations

import datetime
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from archive.pages.base import Absence, Page, RecordPage
from archive.pages.documented import keys_of, nested_in

INTRODUCTION = """\
# The JSON of the pages

Every page has a twin: its address with `.json` (the front page: `/index.json`). It holds what the page says, made from
the same object, and is named by the page's `Link` header and its `<link rel="alternate">`.

This file is written by `manage.py document_json` from the descriptions in the apps' `pages/`; a test holds it current.

## What is promised

Within version 1, which is this one:

- A key that is listed here is always there, null or empty where there is nothing to give. Of a record that is set aside
  as spam every key but the frame's is null.
- Keys are added; none is removed, renamed, or changed in type or meaning.
- Addresses of this site are without host: `/dataset/convai2`. Dates are `2025-07-28`; times have their zone.
- Values of metrics are texts, verbatim. Text of the archive is verbatim, its line ends and odd spellings included.
- Null is never zero and never an empty text: `absent` gives the reason for a null or an empty list.
- Order in lists is the archive's, or what is said here. Order of keys means nothing.

The archive's text and data are under the licence named in `provenance`; credit the archive as `source` names it.

## Errors

Every error at a `.json` address has this form, and the status in the answer's first line: 404 where there is nothing,
410 where a decision withdrew a record, 405 for anything but GET and HEAD.

```json
{"error": {"status": 404, "message": "The archive has no dataset at /dataset/x."}}
```

## Why something is absent

`absent` has, by key, `{"reason", "sentence"}`. The list of reasons is closed:

| reason | sentence |
|---|---|
"""
_NAMES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime.date: "date",
    datetime.datetime: "time",
    NoneType: "null",
    Absence: "text",
    Any: "any",
}
_ADDRESS = re.compile(r"`(/[^`]*)`")


def page_classes() -> list[type[Page]]:
    """Every class of page that can be shown, by address. Imports all modules of each app's `pages`."""
    packages = [
        importlib.import_module(f"{app.name}.pages")
        for app in apps.get_app_configs()
        if module_has_submodule(app.module, "pages")
    ]
    for package in packages:
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    names = {package.__name__ for package in packages}
    found: dict[str, type[Page]] = {}
    remaining = Page.__subclasses__()
    while remaining:
        page = remaining.pop()
        remaining += page.__subclasses__()
        if not inspect.isabstract(page) and page.__module__.rpartition(".")[0] in names:
            found[page.__qualname__] = page
    return sorted(found.values(), key=lambda page: (address(page), page.__qualname__))


def address(page: type[Page]) -> str:
    """The first address that the class's docstring names. Raises ValueError where it begins with none."""
    match = _ADDRESS.match(inspect.getdoc(page) or "")
    if match is None:
        raise ValueError(f"the docstring of {page.__qualname__} does not begin with its `/address`")
    return match[1]


def classes_within(cls: type) -> Iterator[type]:
    """The documented classes that a class's JSON holds, at any depth, each once, in the order of reading."""
    seen = {cls}
    remaining = [cls]
    while remaining:
        for key in keys_of(remaining.pop(0)):
            for nested in nested_in(key.type):
                if nested not in seen:
                    seen.add(nested)
                    remaining.append(nested)
                    yield nested


def document() -> str:
    """The whole text of docs/json.md."""
    parts = [INTRODUCTION, *(f"| `{reason}` | {reason.sentence} |\n" for reason in Absence)]
    frame = [key.attribute for key in keys_of(RecordPage)]
    shared = list(classes_within(RecordPage))
    parts.append("\n## Keys of every page\n\n`record` is on the pages of one record only.\n\n")
    parts += [_table(RecordPage), *(_section(nested) for nested in shared)]
    written = set(shared)
    for page in page_classes():
        parts.append(f"\n## `{address(page)}.json`\n\n{_prose(page)}\n\n{_table(page, leave_out=frame)}")
        for nested in classes_within(page):
            if nested not in written:
                written.add(nested)
                parts.append(_section(nested))
    return "".join(parts)


def _section(cls: type) -> str:
    return f"\n### {cls.__qualname__}\n\n{_prose(cls)}\n\n{_table(cls)}"


def _prose(cls: type) -> str:
    return inspect.getdoc(cls) or ""


def _table(cls: type, leave_out: Sequence[str] = ()) -> str:
    rows = (
        f"| `{key.name}` | {type_in_words(key.type)} | {key.help} |\n"
        for key in keys_of(cls)
        if key.attribute not in leave_out
    )
    return "| key | type | meaning |\n|---|---|---|\n" + "".join(rows)


def type_in_words(annotation: Any) -> str:
    """A type as the documentation names it: "list of text", "[Facet](#facet) or null"."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, UnionType):
        return " or ".join(type_in_words(argument) for argument in arguments)
    if origin is typing.Literal:
        return " or ".join(f"`{argument}`" for argument in arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"object: {type_in_words(arguments[1])} by key"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"list of {type_in_words(arguments[0])}"
    if annotation in _NAMES:
        return _NAMES[annotation]
    return f"[{annotation.__qualname__}](#{annotation.__qualname__.lower()})"
