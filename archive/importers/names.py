"""The shared names of one import: each printed name once, with the key and slug it was given when first seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from archive.canonical import canonical_parsed, digest
from archive.importers import fields
from archive.importers.bulk import Bulk, Ids
from archive.importers.slugs import Slugs, slug_of, sort_key
from archive.models import Collection, PrintedMethod
from archive.models.vocabularies import Term


class Terms:
    """One vocabulary. `terms(name)` gives the primary key, making the term when it is new.

    What the database holds is read at the first use only (one query), since an import that changes nothing needs none.
    """

    def __init__(self, model: type[Term], bulk: Bulk, slug: Callable[[str], str] = slug_of) -> None:
        self._model, self._bulk, self._slug = model, bulk, slug
        self._next_id = Ids(model)
        self._ids: dict[str, int] | None = None
        self._slugs = Slugs()
        self._complete = False

    def __call__(self, name: str) -> int:
        """The primary key of the term of that very spelling."""
        if self._ids is None:
            assert not self._complete, "what is new may be staged, and would be made twice"
            self._ids = {}
            self._slugs = Slugs(self._known(self._ids))
        key = self._ids.get(name)
        if key is None:
            key = self._ids[name] = self._next_id()
            row = (key, name, self._slugs.claim(self._slug(name)), sort_key(name))
            self._bulk.rows(self._model).append(row)
        return key

    def complete(self) -> None:
        """Say that nothing more is named: a million authors are let go of."""
        self._ids, self._slugs, self._complete = None, Slugs(), True

    def _known(self, ids: dict[str, int]) -> Iterator[str]:
        """The slugs in the database, their keys put into `ids` on the way: a million authors are not held as rows."""
        for name, key, slug in self._model._default_manager.values_list("name", "pk", "slug").iterator(10_000):
            ids[name] = key
            yield slug


class Collections:
    """The collections of methods, by their (name, area id, area)."""

    def __init__(self, bulk: Bulk) -> None:
        self._bulk, self._next_id = bulk, Ids(Collection)
        known = list(Collection.objects.values_list("name", "area_id", "area", "id", "slug"))
        self._ids = {(name, area_id, area): key for name, area_id, area, key, _ in known}
        self._slugs = Slugs(slug for *_, slug in known)

    def __call__(self, triple: tuple[str, str, str]) -> int:
        """The primary key of a collection, made when it is new."""
        key = self._ids.get(triple)
        if key is None:
            key = self._ids[triple] = self._next_id()
            slug = self._slugs.claim(slug_of(triple[0]))
            self._bulk.rows(Collection).append((key, *triple, slug, sort_key(triple[0])))
        return key


class MethodCopy(NamedTuple):
    """A copy of a method as a paper carries it: its canonical form and that form's digest, and the names in it."""

    digest: bytes
    content: str
    name: str | None
    full_name: str | None

    @classmethod
    def of(cls, printed: dict[str, Any]) -> MethodCopy:
        """The copy that a dump prints."""
        return _copy(canonical_parsed(printed), fields.text(printed, "name"), fields.text(printed, "full_name"))


@lru_cache(maxsize=1 << 14)  # some thousands stand in half a million papers
def _copy(content: bytes, name: str | None, full_name: str | None) -> MethodCopy:
    return MethodCopy(digest(content), content.decode(), name, full_name)


class PrintedMethods:
    """The copies of methods that papers carry, each stored once by the digest of its canonical form."""

    def __init__(self, bulk: Bulk) -> None:
        self._bulk, self._next_id = bulk, Ids(PrintedMethod)
        self._ids = {bytes(known): key for known, key in PrintedMethod.objects.values_list("digest", "id")}

    def __call__(self, copy: MethodCopy) -> int:
        """The primary key of a printed copy, stored when it is new."""
        key = self._ids.get(copy.digest)
        if key is None:
            key = self._ids[copy.digest] = self._next_id()
            self._bulk.rows(PrintedMethod).append((key, *copy, None))
        return key
