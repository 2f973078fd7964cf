"""Kinds of facets: a property that records of a list share, how an address asks for it, and how it is counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import django_filters  # type: ignore[import-untyped]
from django import forms
from django.db.models import BigIntegerField, Count, Exists, F, Model, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, ExtractYear, Length, NullIf, Substr

from archive.importers.slugs import slug_of
from archive.models import (
    CodeLink,
    Record,
    RecordKind,
    Task,
)

MOST_VALUES = 20
"""Values of one facet that are taken from an address."""

LONGEST_VALUE = 200
"""Characters of a value that are taken from an address."""

NONE_GIVEN = "none-given"
"""The value that asks for records of which the archive gives nothing in that place."""

_NOT_TEXT = re.compile(r"[\x00\ud800-\udfff]")  # what PostgreSQL has no text for
_YEAR = re.compile(r"[12][0-9]{3}\Z")


class Known(NamedTuple):
    """A value that the archive knows: its name for readers and, if it has a row of its own, that row's key."""

    name: str
    key: int | None = None


class Counted(NamedTuple):
    """A value of a facet, its name for readers, and how many records have it."""

    value: str
    name: str
    number: int


Choice = Mapping[str, Known | None]
"""Values asked for, with None for those that the archive does not know."""


def hidden(kind: RecordKind) -> QuerySet[Any, Any]:
    """Keys of the records of a kind that no list shows. They are few, and an index has them alone: to exclude them is
    far cheaper than to look at each record for being public."""
    return Record.objects.filter(kind=kind).exclude(quarantined="", withdrawn=False, merged_into=None).values("pk")


class Values(forms.Field):
    """All values that an address gives one parameter, each once, in order. Never invalid, whatever it holds."""

    widget = forms.SelectMultiple

    def clean(self, value: Any) -> tuple[str, ...]:
        """Take at most `MOST_VALUES` of them, each cut at `LONGEST_VALUE`; blank ones are no values."""
        texts = {_NOT_TEXT.sub("\ufffd", text[:LONGEST_VALUE]) for text in value or () if text.strip()}
        return tuple(sorted(texts)[:MOST_VALUES])


class Facet(django_filters.Filter):
    """A property that records of a list may share; its parameter takes any number of values."""

    field_class = Values
    name: str

    def __init__(self, label: str, **kwargs: Any) -> None:
        super().__init__(label=label, **kwargs)

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        """Keep the records that have one of the values; unknown values match nothing."""
        if not value:
            return qs
        known = self.parent.known[self.name]
        return qs.filter(self.condition({text: known.get(text) for text in value}))

    def known(self, values: Sequence[str]) -> Mapping[str, Known]:
        """What is known of values without asking the database."""
        return {}

    def lookup(self, values: Sequence[str]) -> QuerySet[Any, Any] | None:
        """Rows of (key, value, name) that the database knows of values; None where it need not be asked."""
        return None

    def spelt(self, value: str) -> str:
        """How addresses would say a value that was given by name; "" where that is not known."""
        return ""

    def condition(self, choice: Choice) -> Q | Exists:
        """Which records have one of the values."""
        raise NotImplementedError

    def tally(self, items: Any) -> QuerySet[Any, Any]:
        """Rows of (key or value, n): how many of some records, given as a subquery of their keys, have each value."""
        raise NotImplementedError

    def names(self) -> QuerySet[Any, Any] | None:
        """Rows of (key, value, name) behind the keys of `tally`; None where it has the values themselves."""
        return None

    def completed(self, tally: Sequence[Counted], total: int) -> Sequence[Counted]:
        """A tally of `total` records with what needs no counting of its own."""
        return tally

    def offers(self) -> Sequence[QuerySet[Any, Any]]:
        """Rows as of `tally`, the greatest n first: what to offer for a list that is too long to be counted."""
        return ()

    def offered(self, rows: Sequence[Counted]) -> Sequence[Counted]:
        """The values to offer, made from these rows."""
        return rows


class LinkedFacet(Facet):
    """Terms, or tasks, that a table links with the records. `item` and `term` are its columns for the two.

    Long lists offer the terms by how many rows of the table `offer` name them in their column `term`; without such
    a table by name.
    """

    def __init__(
        self,
        label: str,
        link: type[Model],
        item: str,
        term: str,
        terms: type[Model],
        offer: type[Model] | None = None,
    ) -> None:
        super().__init__(label)
        self.link, self.item, self.term, self.terms, self.offer = link, item, term, terms, offer

    def links(self) -> QuerySet[Any]:
        """The links that count: of public code, to public tasks."""
        links = self.link._default_manager.order_by()
        if self.terms is Task:
            links = links.exclude(**{f"{self.term}__in": hidden(RecordKind.TASK)})
        return links.exclude(pk__in=hidden(RecordKind.CODE)) if self.link is CodeLink else links

    def lookup(self, values: Sequence[str]) -> QuerySet[Any, Any]:
        """By slug, hidden tasks left out."""
        named = self.names()
        if self.terms is Task:
            named = named.filter(record__key__in=[f"task/{value}" for value in values])
            return named.exclude(pk__in=hidden(RecordKind.TASK))
        return named.filter(slug__in=values)

    def spelt(self, value: str) -> str:
        """The slug that a name would be given."""
        return slug_of(value)

    def names(self) -> QuerySet[Any, Any]:
        """By slug and name of the term."""
        slug = Substr("record__key", len("task/") + 1) if self.terms is Task else F("slug")
        return self.terms._default_manager.order_by().values_list("pk", slug, "name")

    def condition(self, choice: Choice) -> Q | Exists:
        """A link to one of the terms."""
        terms = {f"{self.term}__in": [known.key for known in choice.values() if known]}
        if self.item == "pk":
            return Q(**terms)
        return Exists(self.links().filter(**{self.item: OuterRef("pk"), **terms}))

    def tally(self, items: Any) -> QuerySet[Any, Any]:
        """By the term's key."""
        found = self.links().filter(**{f"{self.item}__in": items, f"{self.term}__isnull": False})
        return found.values_list(self.term).annotate(n=Count(self.item, distinct=True))

    def offers(self) -> Sequence[QuerySet[Any, Any]]:
        """All terms, hidden tasks left out, each counted by an index."""
        terms = self.terms._default_manager.order_by()
        if self.terms is Task:
            terms = terms.exclude(pk__in=hidden(RecordKind.TASK))
        number: Any = Value(0)
        if self.offer:
            term = self.term.rpartition("__")[2]
            rows = self.offer._default_manager.order_by().filter(**{term: OuterRef("pk")}).values(term)
            number = Coalesce(Subquery(rows.annotate(number=Count("*")).values("number")), 0)
        return (terms.annotate(n=number).values_list("pk", "n"),)


class TextFacet(Facet):
    """A text of the records themselves, as printed: two spellings are two values."""

    def __init__(self, label: str, column: str) -> None:
        super().__init__(label)
        self.column = column

    def known(self, values: Sequence[str]) -> Mapping[str, Known]:
        """That there may be none."""
        return {NONE_GIVEN: Known("None given")}

    def lookup(self, values: Sequence[str]) -> QuerySet[Any, Any]:
        """Those that a record has, in that very spelling."""
        found = self.model._default_manager.order_by().filter(**{f"{self.column}__in": values})
        return found.values_list(Cast(Value(None), BigIntegerField()), self.column, self.column).distinct()

    def condition(self, choice: Choice) -> Q:
        """The text is one of them, or none is given."""
        texts = Q(**{f"{self.column}__in": [value for value in choice if value != NONE_GIVEN]})
        nothing = Q(**{f"{self.column}__isnull": True}) | Q(**{self.column: ""})
        return texts | nothing if NONE_GIVEN in choice else texts

    def tally(self, items: Any) -> QuerySet[Any, Any]:
        """By text. Texts that no address can ask for are left out."""
        found = self.model._default_manager.order_by().filter(pk__in=items)
        text = NullIf(F(self.column), Value("", output_field=TextField()))
        found = found.annotate(text=text, length=Length(text))
        found = found.filter(Q(length__isnull=True) | Q(length__lte=LONGEST_VALUE))
        return found.values_list(_or("text", NONE_GIVEN)).annotate(n=Count("pk"))


class YearFacet(Facet):
    """The year of a date of the records themselves."""

    def __init__(self, label: str, column: str) -> None:
        super().__init__(label)
        self.column = column

    def known(self, values: Sequence[str]) -> Mapping[str, Known]:
        """Any year, and that there may be none."""
        years = {value: Known(value) for value in values if _YEAR.match(value)}
        return {**years, NONE_GIVEN: Known("None given")}

    def condition(self, choice: Choice) -> Q:
        """The date is in one of the years, or none is given. By ranges, for which there is an index."""
        condition = Q(pk__in=[])
        for value, known in choice.items():
            if value == NONE_GIVEN:
                condition |= Q(**{f"{self.column}__isnull": True})
            elif known:
                condition |= Q(**{f"{self.column}__year": int(value)})
        return condition

    def tally(self, items: Any) -> QuerySet[Any, Any]:
        """By year."""
        found = self.model._default_manager.order_by().filter(pk__in=items)
        found = found.annotate(year=Cast(ExtractYear(self.column), TextField()))
        return found.values_list(_or("year", NONE_GIVEN)).annotate(n=Count("pk"))

    def offers(self) -> Sequence[QuerySet[Any, Any]]:
        """The first and the last year. Two probes of the date's index."""
        dated = self.model._default_manager.filter(**{f"{self.column}__isnull": False})
        year = Cast(ExtractYear(self.column), TextField())
        ends = (dated.order_by(self.column), dated.order_by(F(self.column).desc()))
        return [end.values_list(year, Value(0))[:1] for end in ends]

    def offered(self, rows: Sequence[Counted]) -> Sequence[Counted]:
        """All years between the two, and that there may be none."""
        ends = [int(row.value) for row in rows]
        years = [str(year) for year in range(max(ends), min(ends) - 1, -1)] if ends else []
        return [*(Counted(year, year, 0) for year in years), Counted(NONE_GIVEN, "None given", 0)]


class FlagFacet(Facet):
    """Whether something in another table names the record by its column `item`."""

    def __init__(self, label: str, having: QuerySet[Any], item: str, yes: str, no: str) -> None:
        super().__init__(label)
        self.having, self.item, self.words = having, item, {"yes": yes, "no": no}

    def known(self, values: Sequence[str]) -> Mapping[str, Known]:
        """Yes and no."""
        return {value: Known(name) for value, name in self.words.items()}

    def condition(self, choice: Choice) -> Q | Exists:
        """One of the two, or both."""
        there = Exists(self.having.filter(**{self.item: OuterRef("pk")}))
        if "yes" in choice and "no" in choice:
            return Q()
        if "yes" in choice:
            return there
        return Q(~there) if "no" in choice else Q(pk__in=[])

    def tally(self, items: Any) -> QuerySet[Any, Any]:
        """Those with yes."""
        found = self.having.order_by().filter(**{f"{self.item}__in": items})
        return found.values_list(Value("yes", output_field=TextField())).annotate(n=Count(self.item, distinct=True))

    def completed(self, tally: Sequence[Counted], total: int) -> Sequence[Counted]:
        """With those that nothing names: all others."""
        yes = sum(counted.number for counted in tally)
        counts = (("yes", yes), ("no", total - yes))
        return [Counted(value, self.words[value], number) for value, number in counts if number]

    def offered(self, rows: Sequence[Counted]) -> Sequence[Counted]:
        """Both."""
        return [Counted(value, name, 0) for value, name in self.words.items()]


def _or(column: str, otherwise: str) -> Coalesce:
    return Coalesce(F(column), Value(otherwise, output_field=TextField()))
