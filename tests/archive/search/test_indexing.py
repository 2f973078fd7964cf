"""The index is made by an import, kept by what changes records, and written by nothing else."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from archive.models import Paper, Record, SearchDocument, SearchName, SearchText, SearchWord
from archive.search.finding import find
from archive.search.indexing import KINDS, refresh, reindex
from archive.search.query import parse
from tests.archive.test_views_site import hide_some

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo_archive")]

TABLES = (SearchDocument, SearchText, SearchName, SearchWord)


def state() -> dict[str, list[tuple[object, ...]]]:
    """Everything that the index holds."""
    return {table.__name__: sorted(table.objects.values_list()) for table in TABLES}


class TestIndex:
    """The index and the archive agree."""

    def test_every_public_record_is_in_it(self) -> None:
        public = set(Record.objects.public().filter(kind__in=KINDS).values_list("pk", flat=True))
        assert public
        assert set(SearchDocument.objects.values_list("pk", flat=True)) == public
        assert set(SearchText.objects.values_list("pk", flat=True)) == public
        assert set(SearchName.objects.values_list("record", flat=True)) <= public

    def test_bringing_it_up_to_date_changes_nothing_when_nothing_changed(self) -> None:
        before = state()
        assert reindex(everything=False) == 0
        assert state() == before

    def test_refreshing_gives_what_making_anew_gives(self) -> None:
        before = state()
        refresh(list(Record.objects.values_list("pk", flat=True)))
        assert state() == before

    def test_a_changed_title_is_found_and_the_old_is_not(self) -> None:
        record = Record.objects.get(key="paper/graph-attention-networks")
        Record.objects.filter(pk=record.pk).update(name="Zebrafish Locomotion", revision=record.revision + 1)
        Paper.objects.filter(pk=record.pk).update(title="Zebrafish Locomotion")
        assert reindex(everything=False) == 1
        assert [hit.id for hit in find(parse("zebrafish locomotoin")).hits] == [record.pk]
        assert record.pk not in [hit.id for hit in find(parse('"graph attention networks"'), "paper").hits]

    def test_a_word_that_no_title_has_any_more_is_proposed_to_nobody(self) -> None:
        record = Record.objects.get(key="paper/graph-attention-networks")
        for title in ("Graph Zebrafish", "Graph Zebrafish", ""):
            Record.objects.filter(pk=record.pk).update(name=title)
            Paper.objects.filter(pk=record.pk).update(title=title or None)
            refresh([record.pk])
            assert SearchWord.objects.filter(word="zebrafish").exists() == bool(title)
        assert SearchWord.objects.filter(word="graph").exists()

    @pytest.mark.parametrize("how", ["reindex", "refresh"])
    def test_what_is_not_public_is_taken_out(self, how: str) -> None:
        before = SearchDocument.objects.count()
        hide_some()
        hidden = set(Record.objects.values_list("pk", flat=True)) - set(
            Record.objects.public().values_list("pk", flat=True)
        )
        if how == "reindex":
            assert reindex(everything=False) == 3 * len(KINDS)
        else:
            refresh(list(hidden))
        assert SearchDocument.objects.count() == before - 3 * len(KINDS)
        for table in (SearchDocument, SearchText):
            assert not table.objects.filter(pk__in=hidden).exists()
        assert not SearchName.objects.filter(record__in=hidden).exists()

    def test_the_web_role_can_refresh_in_a_transaction_that_may_write(self, as_web_role: None) -> None:
        record = Record.objects.get(key="paper/graph-attention-networks")
        SearchDocument.objects.filter(pk=record.pk).delete()
        refresh([record.pk])
        assert SearchDocument.objects.filter(pk=record.pk).exists()

    def test_an_empty_index_is_made_anew(self) -> None:
        for table in TABLES:
            table.objects.all().delete()
        assert reindex(everything=False) == SearchDocument.objects.count() > 0

    def test_popular_records_lie_first(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT popularity FROM archive_searchdocument WHERE kind = 'paper' ORDER BY ctid")
            lying = [row[0] for row in cursor.fetchall()]
        quarter = len(lying) // 4  # a short row may fill a gap in an earlier page
        assert sum(lying[:quarter]) > 2 * sum(sorted(lying)[:quarter]) + 2 * sum(lying[-quarter:])
        assert set(sorted(lying, reverse=True)[:20]) <= set(lying[:quarter])

    @pytest.mark.parametrize("table", [table._meta.db_table for table in TABLES])
    @pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET {} = {}", "TRUNCATE {}"])
    def test_the_web_role_can_not_write_it_without_a_decision(
        self, table: str, statement: str, as_web_role: None
    ) -> None:
        column = "frequency" if table == "archive_searchword" else "popularity"
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL corrigenda.mode = ''")
            with pytest.raises(DatabaseError) as error, transaction.atomic():
                cursor.execute(statement.format(table, column, column))
            assert getattr(error.value.__cause__, "sqlstate", "") == "42501"
