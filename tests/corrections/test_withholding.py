"""Withholding a text at once, its confirmation, and the alarm."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from archive.importers.dump_files import DumpKind
from archive.importers.run import Source, import_archive
from archive.models import Method, Result
from corrections.cells import read_cell
from corrections.decisions import Refused, decide
from corrections.ledger import lines, rebase
from corrections.models import Decision, EntryKind
from corrections.verification import verify_all
from corrections.withholding import confirm, unconfirmed, withhold
from tests import people
from tests.archive import dump_records
from tests.archive.dumps import load, write_dumps
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import first


def test_takes_the_text_off_everywhere_and_says_why(edda: User, as_web: None) -> None:
    key = first("dataset")
    text = read_cell(record(key), "description")
    decision = withhold(key, "description", "The rights holder asks for it.", edda)
    assert read_cell(record(key), "description") is None
    assert [entry.kind for entry in Decision.objects.order_by("number")] == [EntryKind.DECISION, EntryKind.SEAL]
    assert text[:40] not in b"".join(lines()).decode()
    assert list(unconfirmed()) == [decision] and verify_all() == []


def test_the_title_of_a_paper_takes_along_what_rows_and_methods_print_of_it(edda: User, as_web: None) -> None:
    key, field = "paper/attention-is-all-you-need", "title"
    title = read_cell(record(key), field)
    rows = Result.objects.filter(paper__record__key=key)
    before = Result.objects.exclude(paper__record__key=key).exclude(paper_title=None).count()
    decision = withhold(key, field, "Rights.", edda)
    assert rows.count() == 4 and not rows.exclude(paper_title=None).exists()
    assert Method.objects.get(record__key="method/transformer").source_title is None
    assert Result.objects.exclude(paper_title=None).count() == before
    assert set(decision.changes.values_list("field", flat=True)) == {"title", "paper_title", "source_title"}
    assert not decision.changes.filter(sealed_by=None).exists()
    assert title not in b"".join(lines()).decode() and verify_all() == []


def test_in_however_many_rows_it_is_printed(transactional_db: None, tmp_path: Path) -> None:
    """As titles of other papers, too, or in other letters; it is the one decision of its size that one person makes."""
    rows = [dump_records.row(f"Model {n}", "A title" if n % 2 else "a TITLE", {"A": "1"}) for n in range(30)]
    tables = [dump_records.table("Task", "Dataset", ["A"], rows)]
    dumps = {DumpKind.PAPERS: [dump_records.paper("p", title="A title")], DumpKind.TABLES: tables}
    folder = write_dumps(tmp_path / "many", dumps)
    load(folder)
    editor = people.edda()
    decision = withhold("paper/p", "title", "Rights.", editor)
    assert decision.changes.count() == 31 and not Result.objects.exclude(paper_title=None).exists()
    # The next import can not match them by that title any more; they stay where they are.
    import_archive([folder], Source.beside([folder]), closing=rebase)
    assert Result.objects.filter(paper__record__key="paper/p", paper_title=None).count() == 30
    assert verify_all() == []


def test_another_editor_confirms(edda: User) -> None:
    other = people._staff("Emil", "Editors")
    number = withhold(first("dataset"), "description", "Rights.", edda).number
    with pytest.raises(Refused, match="their own"):
        confirm(number, "Rights indeed.", edda)
    confirm(number, "Rights indeed.", other)
    assert not unconfirmed().exists() and verify_all() == []


def test_only_editors(renu: User) -> None:
    with pytest.raises(Refused, match="editor"):
        withhold(first("dataset"), "description", "Rights.", renu)


def test_the_audit_alarms_after_a_week(edda: User, monkeypatch: pytest.MonkeyPatch) -> None:
    withhold(first("dataset"), "description", "Rights.", edda)
    call_command("audit")
    later = timezone.now() + timedelta(days=8)
    monkeypatch.setattr("corrections.withholding.timezone.now", lambda: later)
    with pytest.raises(SystemExit):
        call_command("audit")


def test_the_audit_alarms_when_a_cell_is_not_what_the_log_says(renu: User) -> None:
    key = first("paper")
    decide(accepted(wanting(key, "title", "Decided")), renu)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE archive_paper DISABLE TRIGGER USER")
        cursor.execute("UPDATE archive_paper SET title = 'Slipped'")
        cursor.execute("ALTER TABLE archive_paper ENABLE TRIGGER USER")
    with pytest.raises(SystemExit):
        call_command("audit")
