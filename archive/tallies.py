"""How many records of a list remain at each value of each facet: one statement for all facets without a chosen value,
and one for each facet with, since its own choice must not narrow its own counts.

Lists are counted up to a number of records. Of a longer one nothing is counted: what is offered to narrow it by are
the values that `Facet.offers` knows without looking at the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from archive.facets import Counted, Facet
from archive.filters import Facets

VALUES_SHOWN = 60
"""Values of a facet that are given: the chosen ones, then the most frequent."""

# The outer condition is without columns, so it is asked once, before anything is counted.
_VALUES = """
(SELECT %s AS facet, t.key::text AS value, '' AS name, t.n, count(*) OVER () AS distinct_values
FROM ({tally}) t (key, n) WHERE {only} ORDER BY (t.key::text = ANY(%s)) DESC, t.n DESC, t.key LIMIT %s)"""
_TERMS = """
(SELECT %s AS facet, x.value, x.name, t.n, t.distinct_values FROM (
  SELECT t.key, t.n, count(*) OVER () AS distinct_values
  FROM ({tally}) t (key, n) WHERE {only} ORDER BY (t.key = ANY(%s)) DESC, t.n DESC, t.key LIMIT %s
) t JOIN ({names}) x (key, value, name) USING (key))"""
_UNION = "\nUNION ALL\n"


class Tally(NamedTuple):
    """One facet: its values, how many values there are in all, and over how many records they were counted, which is
    None where these are too many."""

    values: Sequence[Counted]
    distinct: int
    records: int | None


def tallies(facets: Facets, most: int) -> tuple[int | None, Mapping[str, Tally]]:
    """The number of matching records, None if it is more than `most`, and by facet the tally of its values.

    Queries: one, one for each facet with a chosen value that the path does not fix, and one if anything is too long;
    and that of `Facets.known` if it was not asked before.
    """
    open_facets = [facet for name, facet in facets.filters.items() if name not in facets.chosen]
    total, counted = _counted(facets, facets.matching(), open_facets, most)
    for name in facets.chosen:
        if name not in facets.fixed:
            counted |= _counted(facets, facets.matching(without=name), [facets.filters[name]], most)[1]
    uncounted = [facets.filters[name] for name, tally in counted.items() if tally.records is None]
    return total, {**counted, **_offered(facets, uncounted)}


def _counted(
    facets: Facets, records: QuerySet[Any], counted: Sequence[Facet], most: int
) -> tuple[int | None, dict[str, Tally]]:
    base, parameters = _keys(records, most + 1)
    items = RawSQL("SELECT id FROM base", [])
    arms = ["SELECT '' AS facet, '' AS value, '' AS name, count(*) AS n, 0::bigint AS distinct_values FROM base"]
    arguments = list(parameters)
    for facet in counted:
        sql, inner = _arm(facets, facet, facet.tally(items), "(SELECT count(*) FROM base) <= %s", [most])
        arms.append(sql)
        arguments += inner
    rows = _asked(f"WITH base (id) AS MATERIALIZED ({base}) {_UNION.join(arms)}", arguments)
    total = next(n for facet, _, _, n, _ in rows if not facet)
    if total > most:
        return None, {facet.name: Tally([], 0, None) for facet in counted}
    return total, {
        facet.name: _tally(facets, facet, rows, total, partial(facet.completed, total=total)) for facet in counted
    }


def _keys(records: QuerySet[Any], most: int) -> tuple[str, Sequence[Any]]:
    """The statement that gives the keys of records. Django has none for a condition that nothing can meet."""
    try:
        return records.order_by().values("pk")[:most].query.sql_with_params()
    except EmptyResultSet:
        return "SELECT NULL::bigint WHERE false", ()


def _offered(facets: Facets, uncounted: Sequence[Facet]) -> dict[str, Tally]:
    arms, arguments = [], []
    for facet in uncounted:
        for offer in facet.offers():
            sql, inner = _arm(facets, facet, offer, "true", [])
            arms.append(sql)
            arguments += inner
    rows = _asked(_UNION.join(arms), arguments) if arms else []
    return {facet.name: _tally(facets, facet, rows, None, facet.offered) for facet in uncounted}


def _arm(
    facets: Facets, facet: Facet, tally: QuerySet[Any], only: str, arguments: Sequence[Any]
) -> tuple[str, list[Any]]:
    """One facet's part of the statement: the chosen values, then the most frequent; equal ones in archive order."""
    sql, inner = tally.query.sql_with_params()
    chosen = facets.chosen.get(facet.name, ())
    names = facet.names()
    if names is None:
        return _VALUES.format(tally=sql, only=only), [facet.name, *inner, *arguments, list(chosen), VALUES_SHOWN]
    known = facets.known.get(facet.name, {})
    keys = [known[value].key for value in chosen if value in known]
    named, parameters = names.query.sql_with_params()
    arm = _TERMS.format(tally=sql, only=only, names=named)
    return arm, [facet.name, *inner, *arguments, keys, VALUES_SHOWN, *parameters]


def _tally(
    facets: Facets,
    facet: Facet,
    rows: Iterable[tuple[Any, ...]],
    total: int | None,
    completed: Callable[[Sequence[Counted]], Sequence[Counted]],
) -> Tally:
    mine = [row for row in rows if row[0] == facet.name and (row[3] or total is None)]
    known = facet.known([row[1] for row in mine])
    counted = [
        Counted(value, name or (known[value].name if value in known else value), n) for _, value, name, n, _ in mine
    ]
    values = completed(counted)
    chosen = facets.chosen.get(facet.name, ())
    ordered = sorted(
        values, key=lambda counted: (counted.value not in chosen, -counted.number, counted.name.casefold())
    )
    return Tally(ordered, max([len(values), *(row[4] for row in mine)]), total)


def _asked(sql: str, arguments: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, arguments)
        return cursor.fetchall()
