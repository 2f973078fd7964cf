"""The frame of every page: provenance, absence, state of a record."""

from __future__ import annotations

import datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from archive.models import ImportRun, Record
from archive.pages.base import (
    Absence,
    Absent,
    Page,
    Provenance,
    RecordState,
    Source,
    documented,
    missing,
    public,
    quarantine_sentence,
)
from archive.pages.documented import to_json


@documented
class SomePage(Page):
    """`/some`: a page for tests."""

    @property
    def heading(self) -> str:
        return "Some"


def some_page(url: str) -> SomePage:
    source = Source(archive="a", snapshot=None)
    return SomePage(url=url, source=source, provenance=Provenance.of_nothing())


@pytest.mark.parametrize(
    ("url", "twin"),
    [
        ("/dataset/x", "/dataset/x.json"),
        ("/", "/index.json"),
        ("/datasets?task=a&page=2", "/datasets.json?task=a&page=2"),
        ("/?a=1", "/index.json?a=1"),
    ],
)
def test_the_address_of_the_twin(url: str, twin: str) -> None:
    assert some_page(url).json_url == twin


def test_missing_tells_nothing_from_zero() -> None:
    content: dict[str, object] = {
        "none": None,
        "empty": "",
        "no items": [],
        "zero": 0,
        "false": False,
        "text": "x",
        "left": None,
    }
    assert list(missing(content, leave_out=["left"])) == ["none", "empty", "no items"]


def test_an_absence_is_the_same_in_json() -> None:
    assert to_json(Absent.because(Absence.NOT_RUN)) == {
        "reason": "not-run",
        "sentence": "Not run. Nothing on this page verifies that the listed code works.",
    }
    assert Absent.because(Absence.DROPPED, "Not in the snapshot of May.").sentence == "Not in the snapshot of May."


def test_a_rule_that_is_no_more_still_has_a_sentence() -> None:
    assert quarantine_sentence("a-rule-of-yesteryear") == Absence.QUARANTINED.sentence


@pytest.mark.django_db
def test_provenance_of_an_empty_archive() -> None:
    provenance = Provenance.current()
    assert provenance.source.snapshot is None
    assert to_json(provenance) == {"archive": None, "licence": None, "licence_url": None, "dumps": {}}


@pytest.mark.django_db
@pytest.mark.usefixtures("tiny_archive")
class TestTinyArchive:
    def test_provenance_has_a_date_per_dump(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(1):
            provenance = Provenance.current()
        assert to_json(provenance.source) == {"archive": "Tiny archive", "snapshot": "2025-07-28"}
        assert provenance.archive_name == "corrigenda-tiny"
        assert provenance.licence_url == "https://creativecommons.org/licenses/by-sa/4.0/"
        retrieved = {dump: told.retrieved.day for dump, told in provenance.dumps.items()}
        assert retrieved == {"papers": 29, "datasets": 28, "methods": 28, "tables": 28, "links": 28}
        assert provenance.dumps["links"].file == "links-between-papers-and-code"

    def test_a_later_run_of_one_dump_leaves_the_others_as_they_were(self) -> None:
        later = ImportRun.objects.create(
            archive="corrigenda-tiny", title="Later", licence="CC0", snapshot=datetime.date(2025, 8, 1)
        )
        later.files.create(
            dump="links", names=["l.json"], sha256=["00"], size=1, records=0, retrieved=datetime.date(2025, 8, 2)
        )
        provenance = Provenance.current()
        assert provenance.source == Source(archive="Later", snapshot=datetime.date(2025, 8, 1))
        assert provenance.licence_url is None
        assert provenance.dumps["links"].retrieved == datetime.date(2025, 8, 2)
        assert provenance.dumps["papers"].retrieved == datetime.date(2025, 7, 29)

    def test_state_of_a_record(self) -> None:
        record = Record.objects.get(key="dataset/salicon")
        assert to_json(RecordState.of(record)) == {
            "key": "dataset/salicon",
            "kind": "dataset",
            "revision": 0,
            "dump": "datasets",
            "ordinal": 1,
            "digest": bytes(record.digest or b"").hex(),
            "quarantined": None,
            "dropped_in": None,
        }

    def test_public_across_a_relation_is_public_of_records(self) -> None:
        spam, merged, withdrawn, dropped = Record.objects.filter(quarantined="").order_by("id")[:4]
        change = Record.objects.filter
        change(pk=spam.pk).update(quarantined="telephone")
        change(pk=merged.pk).update(merged_into=dropped)
        change(pk=withdrawn.pk).update(withdrawn=True)
        change(pk=dropped.pk).update(dropped_in=datetime.date(2025, 8, 1))
        here = set(Record.objects.filter(public("")).values_list("pk", flat=True))
        assert here == set(Record.objects.public().values_list("pk", flat=True))
        assert dropped.pk in here
        assert not {spam.pk, merged.pk, withdrawn.pk} & here
