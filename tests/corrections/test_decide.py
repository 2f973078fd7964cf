"""A decision: what it changes, what it leaves alone, what is refused."""

from __future__ import annotations

import uuid
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from archive.models import Author, Base, Paper, Record, Result, SiteVersion
from corrections.cells import read_cell
from corrections.chain import GENESIS, entry_digest, links_of
from corrections.correctable import Invalid
from corrections.decisions import NeedsSecondReader, Read, Refused, Ruling, Stale, Wanted, decide, revert
from corrections.models import Change, Decision, Outcome
from tests import people
from tests.corrections.rulings import accepted, record, wanting


def first(kind: str) -> str:
    """The key of the first public record of a kind."""
    return Record.objects.public().filter(kind=kind).order_by("id").values_list("key", flat=True)[0]


def a_metric() -> tuple[str, str]:
    """The key of a row and the field of one of its values."""
    row = Result.objects.order_by("record_id")[0]
    value = row.values.select_related("metric").order_by("metric_id")[0]
    return row.record.key, f"metrics.{value.metric.name}"


def everything() -> dict[str, list[tuple[object, ...]]]:
    """All rows of the archive's tables."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'archive\\_%' ORDER BY 1")
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY to_jsonb(t)::text")
            found[table] = cursor.fetchall()
    return found


class TestDecide:
    def test_changes_the_cell_and_nothing_else(self, renu: User, as_web: None) -> None:
        key, field = a_metric()
        before, rank = everything(), record(key).result.position
        decision = decide(accepted(wanting(key, field, "12.34")), renu)
        after = everything()
        assert read_cell(record(key), field) == "12.34"
        assert record(key).result.position == rank
        changed = {table for table in after if after[table] != before[table]}
        assert changed == {"archive_base", "archive_record", "archive_resultmetric", "archive_siteversion"}
        for table in ("archive_record", "archive_resultmetric"):
            assert len(set(map(str, after[table])) - set(map(str, before[table]))) == 1
        assert decision.number == 1 and record(key).revision == 1

    def test_keeps_the_base_and_both_values(self, renu: User) -> None:
        key, field = a_metric()
        old = read_cell(record(key), field)
        decide(accepted(wanting(key, field, "1")), renu)
        decide(accepted(wanting(key, field, "2")), renu)
        assert Base.objects.get(record__key=key, field=field).value == old
        changes = list(Change.objects.order_by("id"))
        assert [(c.before, c.after) for c in changes] == [(old, "1"), ("1", "2")]
        assert changes[1].previous == changes[0]

    def test_chains_numbers_without_a_gap(self, renu: User) -> None:
        key, field = a_metric()
        for value in ("1", "2", "3"):
            decide(accepted(wanting(key, field, value)), renu)
        entries = list(Decision.objects.order_by("number"))
        assert [entry.number for entry in entries] == [1, 2, 3]
        assert bytes(entries[0].previous_digest) == GENESIS
        assert all(bytes(b.previous_digest) == bytes(a.digest) for a, b in pairwise(entries))
        assert all(entry_digest(entry, links_of(entry)) == bytes(entry.digest) for entry in entries)

    def test_moves_the_public_version(self, renu: User) -> None:
        version = SiteVersion.objects.get().version
        decide(accepted(wanting(*a_metric(), "1")), renu)
        assert SiteVersion.objects.get().version == version + 1

    def test_a_leaderboard_is_called_by_what_it_prints_of_its_dataset(self, renu: User) -> None:
        key = "sota/machine-translation-on-wmt2014-english-french"
        before = record(key)
        decide(accepted(wanting(key, "dataset_name", "Another")), renu)
        assert record(key).name == "Machine Translation on Another" and record(key).sort_key != before.sort_key
        revert(1, "It was right.", renu)
        assert (record(key).name, record(key).sort_key) == (before.name, before.sort_key)

    @pytest.mark.parametrize(
        ("kind", "field", "value"),
        [
            ("paper", "title", "Another title"),
            ("paper", "abstract", "Another abstract\r\nof two lines"),
            ("paper", "abstract", None),
            ("paper", "authors", ["Ada Lovelace", "Ada Lovelace", "Nobody Known"]),
            ("paper", "date", "2019"),
            ("paper", "date", "2019-05-06"),
            ("paper", "date", None),
            ("paper", "proceeding", "NeurIPS 2031 12"),
            ("paper", "url_abs", "https://example.org/abs"),
            ("dataset", "languages", ["Portuguese", "English"]),
            ("dataset", "modalities", []),
            ("dataset", "variants", ["One", "Two "]),
            ("dataset", "introduced_date", "2001-01-02"),
            ("task", "synonyms", ["Other name"]),
            ("task", "areas", ["Knowledge Base"]),
            ("method", "introduced_year", 2017),
            ("leaderboard", "description", "Words."),
            ("result", "uses_additional_data", True),
            ("result", "paper", None),
            ("code", "repo_url", "https://github.com/some/where"),
            ("code", "framework", "jax"),
            ("code", "is_official", None),
        ],
    )
    def test_sets_every_shape_of_field(self, renu: User, as_web: None, kind: str, field: str, value: object) -> None:
        keys = Record.objects.public().filter(kind=kind).order_by("id").values_list("key", flat=True)
        key = next(key for key in keys if read_cell(record(key), field) != value)
        if field == "is_official":
            with pytest.raises(Invalid, match="yes or no"):
                decide(accepted(wanting(key, field, value)), renu)
            return
        old = read_cell(record(key), field)
        decision = decide(accepted(wanting(key, field, value)), renu)
        assert read_cell(record(key), field) == value
        revert(decision.number, "A test of the way back.", renu)
        assert read_cell(record(key), field) == old

    def test_reuses_the_author_of_that_spelling(self, renu: User, as_web: None) -> None:
        name = Author.objects.order_by("id")[0].name
        key = first("paper")
        decide(accepted(wanting(key, "authors", [name, "New Name", name])), renu)
        assert Author.objects.filter(name=name).count() == 1
        assert Author.objects.get(name="New Name").slug == "new-name"

    def test_renames_the_record_with_its_title(self, renu: User, as_web: None) -> None:
        key = first("paper")
        decide(accepted(wanting(key, "title", "Élan")), renu)
        assert (record(key).name, record(key).sort_key) == ("Élan", "elan")
        assert Paper.objects.get(record__key=key).title == "Élan"


class TestRefusals:
    def test_stale_cell(self, renu: User) -> None:
        key, field = a_metric()
        want = wanting(key, field, "9")
        decide(accepted(wanting(key, field, "1")), renu)
        with pytest.raises(Stale) as refusal:
            decide(accepted(want), renu)
        assert refusal.value.moved == [(key, field, want.seen, "1")]
        assert Decision.objects.count() == 1

    def test_stale_revision(self, renu: User) -> None:
        key, field = a_metric()
        decide(accepted(wanting(key, field, "1")), renu)
        with pytest.raises(Stale):
            decide(accepted(wanting(key, "model_name", "X"), revisions={key: 0}), renu)

    def test_no_op(self, renu: User) -> None:
        key, field = a_metric()
        with pytest.raises(Refused, match="the same"):
            decide(accepted(wanting(key, field, read_cell(record(key), field))), renu)

    @pytest.mark.parametrize(
        "without",
        [
            {"reason": " \n"},
            {"side": ""},
            {"read": Read(url="https://x.example", reading="so")},
            {"read": Read(url="https://x.example", table="2")},
            {"read": Read(table="2", reading="so")},
            {"read": Read(url="javascript:alert(1)", table="2", reading="so")},
            {"changes": ()},
            {"outcome": Outcome.NO_CHANGE},
            {"outcome": Outcome.REVERTED},
        ],
        ids=str,
    )
    def test_the_database_wants_it_whole(self, renu: User, as_web: None, without: dict[str, object]) -> None:
        with pytest.raises(Refused):
            decide(accepted(wanting(*a_metric(), "1"), **without), renu)
        assert not Decision.objects.exists() and not Change.objects.exists() and not Base.objects.exists()

    @pytest.mark.parametrize("outcome", [Outcome.CANNOT_VERIFY, Outcome.DUPLICATE])
    def test_an_outcome_says_what_it_must(self, renu: User, outcome: Outcome) -> None:
        with pytest.raises(Refused):
            decide(Ruling(outcome, "Because."), renu)

    def test_somebody_without_rights(self, renu: User) -> None:
        with pytest.raises(Refused, match="may not decide"):
            decide(accepted(wanting(*a_metric(), "1")), people.niko())

    def test_unknown_field(self, renu: User) -> None:
        with pytest.raises(Invalid):
            decide(accepted(Wanted(first("paper"), "record_id", 1, 2)), renu)

    @pytest.mark.parametrize("field", ["withdrawn", "merged_into"])
    def test_withdrawing_and_merging_alone(self, renu: User, otto: User, field: str) -> None:
        value = True if field == "withdrawn" else first("dataset")
        key = Record.objects.filter(kind="dataset").order_by("-id").values_list("key", flat=True)[0]
        with pytest.raises(NeedsSecondReader):
            decide(accepted(wanting(key, field, value)), renu)
        with pytest.raises(Refused, match="another person"):
            decide(accepted(wanting(key, field, value)), renu, second_reader=renu)
        decide(accepted(wanting(key, field, value)), renu, second_reader=otto)
        assert read_cell(record(key), field) == value
        assert not Record.objects.public().filter(key=key).exists()

    def test_the_same_key_twice_is_one_decision(self, renu: User) -> None:
        key, ruling = uuid.uuid4(), accepted(wanting(*a_metric(), "1"))
        assert decide(ruling, renu, idempotency_key=key) == decide(ruling, renu, idempotency_key=key)
        assert Decision.objects.count() == 1


class TestRevert:
    def test_is_a_new_decision_that_names_the_old(self, renu: User, otto: User) -> None:
        key, field = a_metric()
        old = read_cell(record(key), field)
        decision = decide(accepted(wanting(key, field, "1")), renu)
        undone = revert(decision.number, "The paper was misread.", otto)
        assert (undone.number, undone.reverts) == (2, decision)
        assert read_cell(record(key), field) == old

    def test_refuses_when_a_later_decision_moved_the_cell(self, renu: User) -> None:
        key, field = a_metric()
        decision = decide(accepted(wanting(key, field, "1")), renu)
        decide(accepted(wanting(key, field, "2")), renu)
        with pytest.raises(Stale):
            revert(decision.number, "Too late.", renu)


def test_a_decision_is_not_half_made(renu: User) -> None:
    """A failure anywhere in the transaction leaves neither decision nor value."""
    key, field = a_metric()
    old = read_cell(record(key), field)
    with pytest.raises(RuntimeError), transaction.atomic():
        decide(accepted(wanting(key, field, "1")), renu)
        raise RuntimeError
    assert read_cell(record(key), field) == old and not Decision.objects.exists()
