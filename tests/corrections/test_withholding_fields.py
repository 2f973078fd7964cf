"""Every field of every kind: its text is taken off, or it is said why it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from archive.exporters.dumps import export_archive
from archive.exporters.states import State
from archive.models import RecordKind
from corrections.cells import read_cell
from corrections.correctable import FIELDS, Field, Invalid, Shape, Value
from corrections.decisions import Refused, decide
from corrections.models import Decision
from corrections.verification import verify_all
from corrections.withholding import withhold
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first

NO_TEXT = (Shape.DATE, Shape.YEAR, Shape.FLAG, Shape.RECORD)
KEPT = {(RecordKind.TASK, "name")}
"""What its record can not be without."""

ALL = [pytest.param(kind, field, id=f"{kind}.{field.name}") for kind, fields in FIELDS.items() for field in fields]
TEXTS: dict[Shape, Value] = {
    Shape.LINE: "Somebody’s own words",
    Shape.TEXT: "Somebody’s own words,\r\nin two lines.",
    Shape.URL: "https://example.org/somebody",
    Shape.TERM: "Somebody’s own words",
    Shape.NAMES: ["Somebody’s own words"],
}


def held(kind: RecordKind, field: Field, editor: User) -> tuple[str, Value]:
    """The key of a record of a kind, and what its cell holds; a text is put in where it holds none."""
    key = first(kind)
    if read_cell(record(key), field.name) in (None, []) and field.shape in TEXTS:
        decide(accepted(wanting(key, field.name, TEXTS[field.shape])), editor)
    return key, read_cell(record(key), field.name)


@pytest.mark.parametrize(("kind", "field"), ALL)
def test_a_field(edda: User, client: Client, tmp_path: Path, kind: RecordKind, field: Field) -> None:
    key, value = held(kind, field, edda)
    decisions = Decision.objects.count()
    if field.shape in NO_TEXT or (kind, field.name) in KEPT:
        reason = "keeps its name" if (kind, field.name) in KEPT else "no text in this field"
        with pytest.raises(Refused, match=reason):
            withhold(key, field.name, "Rights.", edda)
        assert read_cell(record(key), field.name) == value and Decision.objects.count() == decisions
        return
    assert value
    decision = withhold(key, field.name, "The rights holder asks for it.", edda)
    assert read_cell(record(key), field.name) in (None, []) and verify_all() == []
    for view in ("", "?view=snapshot"):
        for face in (f"/{key}{view}", f"/{key}.json{view}"):
            answer = client.get(face, follow=True)
            assert answer.status_code == 200
            assert f"#{decision.number}" in answer.content.decode() or f"/{decision.number}" in answer.content.decode()
    for state in State:
        export_archive(tmp_path / state, state)


def test_a_value_of_a_row_is_no_text(edda: User) -> None:
    with pytest.raises(Refused, match="no text in this field"):
        withhold(*a_metric(), "Rights.", edda)


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_task_is_left_no_name_by_no_decision(edda: User, nothing: Value) -> None:
    key = first(RecordKind.TASK)
    with pytest.raises(Invalid, match="keeps its name"):
        decide(accepted(wanting(key, "name", nothing)), edda)
    assert not Decision.objects.exists()
