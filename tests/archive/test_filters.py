"""Facets and their counts, against plain loops over the demo archive."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.http import QueryDict

from archive.facets import LONGEST_VALUE, MOST_VALUES, NONE_GIVEN, Values
from archive.filters import DatasetFilters, Facets, LeaderboardFilters, MethodFilters, PaperFilters
from archive.models import (
    CodeLink,
    CollectionMembership,
    Dataset,
    DatasetLanguage,
    DatasetModality,
    DatasetTask,
    Leaderboard,
    Method,
    Paper,
    PaperTask,
    Record,
    RecordKind,
    Result,
    TaskArea,
)
from archive.tallies import VALUES_SHOWN, tallies
from tests.archive.conftest import Importing
from tests.demo_archive import DEMO

pytestmark = pytest.mark.django_db

Held = dict[int, dict[str, set[str]]]
"""By record: by facet: the values that it has."""

ALL: dict[type[Facets], type[Any]] = {
    DatasetFilters: Dataset,
    PaperFilters: Paper,
    LeaderboardFilters: Leaderboard,
    MethodFilters: Method,
}


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    with imported(DEMO):
        yield


def public() -> set[int]:
    """Looked at one by one, without the query that lists use."""
    return {r.pk for r in Record.objects.all() if not r.quarantined and not r.withdrawn and r.merged_into_id is None}


def slug(record: Record) -> str:
    return record.key.rpartition("/")[2]


def year(date: Any) -> str:
    return str(date.year) if date else NONE_GIVEN


def held(filters: type[Facets]) -> Held:
    """What each public record has, by loops over the tables."""
    shown = public()
    found: Held = {
        item.pk: {name: set() for name in filters.base_filters}
        for item in ALL[filters].objects.all()
        if item.pk in shown
    }

    def add(key: int | None, facet: str, value: str) -> None:
        if key in found:
            found[key][facet].add(value)

    if filters is DatasetFilters:
        for m in DatasetModality.objects.select_related("modality"):
            add(m.dataset_id, "modality", m.modality.slug)
        for t in DatasetTask.objects.select_related("task__record"):
            if t.task_id in shown:
                add(t.dataset_id, "task", slug(t.task.record))
        for lang in DatasetLanguage.objects.select_related("language"):
            add(lang.dataset_id, "language", lang.language.slug)
        boards = {board.dataset_id for board in Leaderboard.objects.all() if board.pk in shown}
        for dataset in Dataset.objects.all():
            add(dataset.pk, "licence", dataset.license_name or NONE_GIVEN)
            add(dataset.pk, "year", year(dataset.introduced_date))
            add(dataset.pk, "leaderboard", "yes" if dataset.pk in boards else "no")
    elif filters is PaperFilters:
        for named in PaperTask.objects.select_related("name__task__record"):
            if named.name.task_id in shown:
                add(named.paper_id, "task", slug(named.name.task.record))
        links = [link for link in CodeLink.objects.select_related("framework") if link.pk in shown]
        for link in links:
            if link.framework:
                add(link.paper_id, "framework", link.framework.slug)
        coded = {link.paper_id for link in links}
        rows = {row.paper_id for row in Result.objects.all() if row.pk in shown and row.leaderboard_id in shown}
        for paper in Paper.objects.select_related("proceeding"):
            add(paper.pk, "year", year(paper.date))
            if paper.proceeding:
                add(paper.pk, "proceeding", paper.proceeding.slug)
            add(paper.pk, "code", "yes" if paper.pk in coded else "no")
            add(paper.pk, "results", "yes" if paper.pk in rows else "no")
    elif filters is LeaderboardFilters:
        areas: dict[int, set[str]] = defaultdict(set)
        for one in TaskArea.objects.select_related("area"):
            areas[one.task_id].add(one.area.slug)
        for board in Leaderboard.objects.select_related("task__record"):
            for area in areas[board.task_id]:
                add(board.pk, "area", area)
            if board.task_id in shown:
                add(board.pk, "task", slug(board.task.record))
    else:
        for member in CollectionMembership.objects.select_related("collection"):
            add(member.method_id, "collection", member.collection.slug)
    return found


def matching(records: Held, choice: Mapping[str, set[str]]) -> set[int]:
    """Or within a facet, and across facets."""
    return {key for key, has in records.items() if all(has[name] & values for name, values in choice.items())}


def query(choice: Mapping[str, set[str]]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, values in choice.items():
        data.setlist(name, sorted(values))
    return data


def choices(records: Held, number: int) -> Iterator[dict[str, set[str]]]:
    """Nothing chosen, each facet alone, and combinations: half of them of values that one record has."""
    dice = random.Random(20250728)
    facets = list(next(iter(records.values())))
    values = {name: sorted(set().union(*(has[name] for has in records.values()))) for name in facets}
    yield {}
    for name in facets:
        yield {name: {dice.choice(values[name])}}
    for turn in range(number):
        names = dice.sample(facets, dice.randint(1, len(facets)))
        has = dice.choice(list(records.values()))
        yield {
            name: set(dice.sample(values[name], min(len(values[name]), dice.randint(1, 3))))
            | (set(sorted(has[name])[:1]) if turn % 2 else set())
            for name in names
        }


@pytest.mark.usefixtures("demo_archive")
@pytest.mark.parametrize("filters", ALL)
class TestAgainstLoops:
    def hide_some(self, filters: type[Facets]) -> None:
        """Some of each kind are set aside, withdrawn or merged, tasks and links among them."""
        for kind in RecordKind:
            records = Record.objects.filter(kind=kind, quarantined="").order_by("pk")
            first, second, third, *_ = records.values_list("pk", flat=True)[2:]
            Record.objects.filter(pk=first).update(quarantined="gambling")
            Record.objects.filter(pk=second).update(withdrawn=True)
            Record.objects.filter(pk=third).update(merged_into=records.first())

    def test_lists_hold_what_matches_and_nothing_else(self, filters: type[Facets]) -> None:
        self.hide_some(filters)
        records = held(filters)
        some = 0
        for choice in choices(records, 40):
            expected = matching(records, choice)
            assert set(filters(query(choice)).matching().values_list("pk", flat=True)) == expected, choice
            assert set(filters(query(choice)).qs.values_list("pk", flat=True)) == expected, choice
            some += bool(expected)
        assert some > 10

    def test_counts_are_of_what_remains(self, filters: type[Facets]) -> None:
        self.hide_some(filters)
        records = held(filters)
        for choice in choices(records, 12):
            total, counted = tallies(filters(query(choice)), 20_000)
            assert total == len(matching(records, choice))
            assert set(counted) == set(filters.base_filters)
            for name, tally in counted.items():
                others = matching(records, {facet: values for facet, values in choice.items() if facet != name})
                expected = Counter(value for key in others for value in records[key][name])
                assert tally.records == len(others)
                assert tally.distinct == len(expected), (choice, name)
                assert len(tally.values) == min(len(expected), VALUES_SHOWN)
                assert {value.value: value.number for value in tally.values}.items() <= expected.items()
                chosen = choice.get(name, set()) & set(expected)
                assert {value.value for value in tally.values[: len(chosen)]} == chosen
                rest = [value.number for value in tally.values[len(chosen) :]]
                assert rest == sorted(rest, reverse=True)
                left = expected.keys() - {value.value for value in tally.values}
                assert all(expected[value] <= min(rest) for value in left)

    def test_a_long_list_is_not_counted_but_offers_values(self, filters: type[Facets]) -> None:
        total, counted = tallies(filters(QueryDict()), 3)
        assert total is None
        for name, tally in counted.items():
            assert tally.records is None
            for value in tally.values[:3]:
                assert value.value in filters(query({name: {value.value}})).known[name], (name, value)


@pytest.mark.usefixtures("demo_archive")
class TestValues:
    def test_one_query_knows_all_values(self, django_assert_num_queries: Any) -> None:
        asked = "modality=texts&modality=nope&task=visual-dialogue&language=english&licence=MIT&licence=mit"
        facets = DatasetFilters(QueryDict(asked))
        with django_assert_num_queries(1):
            known = facets.known
        assert {name: set(values) for name, values in known.items()} == {
            "modality": {"texts"},
            "task": {"visual-dialogue"},
            "language": {"english"},
            "licence": {"MIT"},
        }
        assert known["task"]["visual-dialogue"].name == "Visual Dialog"

    def test_a_name_is_as_good_as_its_slug(self) -> None:
        facets = DatasetFilters(QueryDict("modality=Point+cloud&task=No+such+task"))
        assert facets.chosen == {"modality": ("point-cloud",), "task": ("No such task",)}

    def test_an_unknown_value_matches_nothing_but_hides_no_known_one(self) -> None:
        assert not DatasetFilters(QueryDict("modality=nope")).matching().exists()
        both = DatasetFilters(QueryDict("modality=nope&modality=texts")).matching()
        assert set(both) == set(DatasetFilters(QueryDict("modality=texts")).matching())

    @pytest.mark.parametrize("value", ["0", "20190", "2019.0", "-2019", "٢٠١٩", "1e3", "2019' OR '1'='1"])
    def test_what_is_no_year(self, value: str) -> None:
        facets = PaperFilters(query({"year": {value}}))
        assert facets.known == {"year": {}}
        assert not facets.matching().exists()

    def test_a_fixed_facet_is_not_widened_by_the_query(self) -> None:
        facets = DatasetFilters(QueryDict("modality=images"), fixed={"modality": "texts"})
        assert facets.chosen == {"modality": ("texts",)}

    def test_hidden_tasks_are_unknown(self) -> None:
        Record.objects.filter(key="task/visual-dialogue").update(withdrawn=True)
        assert DatasetFilters(QueryDict("task=visual-dialogue")).known == {"task": {}}


class TestCleaning:
    def test_any_text_becomes_a_few_short_values(self) -> None:
        values = Values().clean([f"{number:03}" * 200 for number in range(1_000)])
        assert len(values) == MOST_VALUES
        assert max(map(len, values)) == LONGEST_VALUE

    def test_order_and_repeats_do_not_matter(self) -> None:
        assert Values().clean(["b", "a", "b", "", "  "]) == ("a", "b")

    def test_what_the_database_has_no_text_for(self) -> None:
        assert Values().clean(["a\x00b", "c\ud800"]) == ("a\ufffdb", "c\ufffd")
