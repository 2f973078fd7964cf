"""What the lists share: facets with counts, chosen filters, sorting, and the one address of each choice."""

from __future__ import annotations

import dataclasses
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.db.models import F, QuerySet
from django.http import Http404, QueryDict

from archive.facets import Counted, Facet, YearFacet
from archive.filters import Facets
from archive.pages.base import Page, described, documented
from archive.tallies import Tally, tallies

VALUES_OPEN = 8
"""Values of a facet that are shown without opening it."""

_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_MARK = re.compile(r"[*_`#>|]+|</?[A-Za-z][^<>]*>")


@documented
class ListedValue:
    """A value of a facet."""

    value: str = described("What the address says for it.")
    name: str = described("Its name, as printed.")
    records: int | None = described(
        "How many records remain with it: all other facets applied, and no other value of its own facet. "
        "Null where the list is too long to be counted."
    )
    chosen: bool = described("Whether it is among the chosen ones.")
    url: str = described("Address of the list with this choice turned.")


@documented
class ListedFacet:
    """A property by which the list can be narrowed. Its values are “or”, facets are “and”."""

    parameter: str = described("The parameter's name in the address; it may be given several times.")
    label: str = described("The property in words.")
    values: Sequence[ListedValue] = described(
        "The chosen values, then the most frequent; years from the newest. At most 60 are given."
    )
    distinct: int = described("How many values there are to choose from, those not given here included.")

    @property
    def open_values(self) -> Sequence[ListedValue]:
        """The values shown at once: the first ones, and all that are chosen."""
        return [value for number, value in enumerate(self.values) if number < VALUES_OPEN or value.chosen]

    @property
    def folded_values(self) -> Sequence[ListedValue]:
        """The others."""
        shown = {value.value for value in self.open_values}
        return [value for value in self.values if value.value not in shown]

    @property
    def more(self) -> int:
        """How many values are not given."""
        return max(0, self.distinct - len(self.values))


@documented
class ChosenFilter:
    """A chosen value of a facet."""

    parameter: str = described("The facet's parameter.")
    label: str = described("The facet in words.")
    value: str = described("The value, as the address says it.")
    name: str = described("Its name, as printed; the value itself where the archive knows no such thing.")
    known: bool = described("Whether the archive knows it. What is not known matches nothing.")
    records: int | None = described("As in the facet's values: how many records remain with it. Null if not counted.")
    without_url: str = described("Address of the list without it.")
    records_without_facet: int | None = described(
        "How many records there would be without any value of its facet. Null where they are too many to be counted."
    )
    without_facet_url: str = described("Address of the list without any value of its facet.")


@documented
class SortOption:
    """An order of the list. There is none by a metric."""

    value: str = described("What the address says for it.")
    label: str = described("The order in words.")
    url: str = described("Address of the list in this order.")
    chosen: bool = described("Whether the list is in this order.")


@documented
class ListPage(Page):
    """A list of public records."""

    title: str = described("What the list holds, in words.")
    total: int = described("How many records match; where more than that do, the number up to which they are counted.")
    total_is_exact: bool = described("Whether `total` is all of them.")
    chosen: Sequence[ChosenFilter] = described("The chosen values, the one that the path says left out.")
    facets: Sequence[ListedFacet] = described("What else the list can be narrowed by.")
    sorts: Sequence[SortOption] = described("The orders there are.")
    previous_url: str | None = described("Address of the page before; null on the first.")
    next_url: str | None = described("Address of the page after; null on the last.")
    indexed: bool = described("Whether search engines may list the page.", json=False)

    @property
    @abstractmethod
    def entries(self) -> Sequence[Any]:
        """What the page lists."""

    @property
    def heading(self) -> str:
        """The list's title."""
        return self.title

    @property
    def indexable(self) -> bool:
        """One facet at most, the usual order, the first page."""
        return self.indexed

    @property
    def path(self) -> str:
        """The list's address without any choice."""
        return urlsplit(self.url).path

    @property
    def unknown(self) -> Sequence[ChosenFilter]:
        """Chosen values that match nothing because the archive does not know them."""
        return [chosen for chosen in self.chosen if not chosen.known]

    @property
    def helpful_drops(self) -> Sequence[ChosenFilter]:
        """Of an empty list: one chosen value for each facet without which there would be records."""
        facets = {chosen.parameter: chosen for chosen in self.chosen if chosen.records_without_facet != 0}
        return list(facets.values())

    @property
    def counted(self) -> bool:
        """Whether any facet is counted."""
        return any(value.records is not None for facet in self.facets for value in facet.values)


@dataclasses.dataclass(frozen=True)
class Sort:
    """An order: its words, and the arguments of order_by. The last of these is always the primary key."""

    label: str
    order: Sequence[Any]


BY_NAME = Sort("Name", (F("record__sort_key"), F("pk")))


@dataclasses.dataclass(frozen=True)
class Asked:
    """What a list's address asks for. Anything that is not understood counts as not asked."""

    path: str
    facets: Facets
    sorts: Mapping[str, Sort]
    sort: str
    place: Mapping[str, str]
    """Where in the list: `page`, `after` or `before`; empty for the beginning."""

    @classmethod
    def of(
        cls,
        query: QueryDict,
        path: str,
        facets: type[Facets],
        sorts: Mapping[str, Sort],
        fixed: Mapping[str, str] | None = None,
        places: Sequence[str] = ("page",),
    ) -> Asked:
        """Read an address. The first of `sorts` is the usual order; `places` are the parameters that say where the
        page begins."""
        sort = query.get("sort", "")
        place: dict[str, str] = {}
        for name in places:
            value = query.get(name, "")
            if re.fullmatch(r"[2-9]|[1-9][0-9]{1,3}" if name == "page" else r"[\w-]{1,250}", value) and not place:
                place[name] = value
        return cls(path, facets(query, fixed=fixed), sorts, sort if sort in sorts else next(iter(sorts)), place)

    @property
    def number(self) -> int:
        """The page's number, from 1."""
        return int(self.place.get("page", 1))

    @property
    def choice(self) -> dict[str, tuple[str, ...]]:
        """The chosen values that the query says, not those of the path."""
        return {name: values for name, values in self.facets.chosen.items() if name not in self.facets.fixed}

    def address(
        self, choice: Mapping[str, Sequence[str]] | None = None, sort: str = "", place: Mapping[str, str] | None = None
    ) -> str:
        """The one address of a choice: parameters and values sorted, nothing said that goes without saying."""
        choice = self.choice if choice is None else choice
        sort = sort or self.sort
        parameters = [(name, value) for name, values in choice.items() for value in values]
        if sort != next(iter(self.sorts)):
            parameters.append(("sort", sort))
        parameters += (place or {}).items()
        return f"{self.path}?{urlencode(sorted(parameters))}" if parameters else self.path

    @property
    def url(self) -> str:
        """The address of what is asked."""
        return self.address(place=self.place)

    def toggled(self, name: str, value: str) -> str:
        """The address with one choice turned."""
        values = {*self.choice.get(name, ())} ^ {value}
        return self.address({**self.choice, name: sorted(values)})

    def without(self, name: str) -> str:
        """The address without a facet's choice."""
        return self.address({facet: values for facet, values in self.choice.items() if facet != name})

    @property
    def indexed(self) -> bool:
        """Whether search engines may list it."""
        values = sum(len(values) for values in self.facets.chosen.values())
        return values <= 1 and not self.place and self.sort == next(iter(self.sorts))

    def frame(self, most: int) -> dict[str, Any]:
        """The fields of a ListPage but its title and its neighbours, counted up to `most` records.

        Queries: those of `tallies`.
        """
        total, counted = tallies(self.facets, most)
        return {
            "url": self.url,
            "total": most if total is None else total,
            "total_is_exact": total is not None,
            "chosen": [
                self._chosen(name, value, counted[name]) for name, values in self.choice.items() for value in values
            ],
            "facets": [
                self._facet(facet, counted[name])
                for name, facet in self.facets.filters.items()
                if name not in self.facets.fixed
            ],
            "sorts": [
                SortOption(value=name, label=sort.label, url=self.address(sort=name), chosen=name == self.sort)
                for name, sort in self.sorts.items()
            ],
            "indexed": self.indexed,
        }

    def _chosen(self, name: str, value: str, tally: Tally) -> ChosenFilter:
        known = self.facets.known[name].get(value)
        remaining = next((counted.number for counted in tally.values if counted.value == value), 0)
        return ChosenFilter(
            parameter=name,
            label=self.facets.filters[name].label,
            value=value,
            name=known.name if known else value,
            known=known is not None,
            records=None if tally.records is None else remaining,
            without_url=self.toggled(name, value),
            records_without_facet=tally.records,
            without_facet_url=self.without(name),
        )

    def _facet(self, facet: Facet, tally: Tally) -> ListedFacet:
        chosen = self.choice.get(facet.name, ())
        known = self.facets.known.get(facet.name, {})
        here = {counted.value for counted in tally.values}
        # A chosen value of which nothing remains stays in the form: else sending it would drop the choice unseen.
        gone = [
            Counted(value, known[value].name if value in known else value, 0) for value in chosen if value not in here
        ]
        values = [*gone, *tally.values]
        if isinstance(facet, YearFacet):
            values.sort(key=lambda it: (it.value in chosen, it.value.isdigit(), it.value), reverse=True)
        return ListedFacet(
            parameter=facet.name,
            label=facet.label,
            values=[
                ListedValue(
                    value=counted.value,
                    name=counted.name,
                    records=None if tally.records is None else counted.number,
                    chosen=counted.value in chosen,
                    url=self.toggled(facet.name, counted.value),
                )
                for counted in values
            ],
            distinct=tally.distinct + (len(gone) if tally.records is not None else 0),
        )

    def numbered(self, total: int, size: int) -> dict[str, Any]:
        """The neighbours of a numbered page. Raises Http404 beyond the last one."""
        last = max(1, -(-total // size))
        if self.number > last:
            raise Http404(f"This list has {last:,} page{'' if last == 1 else 's'}.")
        before = {} if self.number == 2 else {"page": str(self.number - 1)}
        return {
            "previous_url": self.address(place=before) if self.number > 1 else None,
            "next_url": self.address(place={"page": str(self.number + 1)}) if self.number < last else None,
        }

    def page_of(self, size: int, details: QuerySet[Any]) -> list[Any]:
        """The matching records of a numbered page, in the order asked, read by `details`. Two queries.

        By their keys first: else what is told of a record would be gathered for all those before it, too.
        """
        first = (self.number - 1) * size
        ordered = self.facets.matching().order_by(*self.sorts[self.sort].order)
        return in_order(list(ordered.values_list("pk", flat=True)[first : first + size]), details)


def in_order(keys: Sequence[int], details: QuerySet[Any]) -> list[Any]:
    """The records with these keys, in this order. One query."""
    by_key = {record.pk: record for record in details.filter(pk__in=keys)}
    return [by_key[key] for key in keys]


def beginning(text: str | None, length: int = 220) -> str | None:
    """The first words of a Markdown text as plain text on one line, its commonest marks taken off; None of nothing."""
    plain = _MARK.sub("", _LINK.sub(r"\1", (text or "")[: length * 4]))
    plain = " ".join(plain.split())
    if len(plain) <= length:
        return plain or None
    return plain[: plain.rfind(" ", length // 2, length) if " " in plain[length // 2 : length] else length] + " …"
