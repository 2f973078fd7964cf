"""What a reader adds by a decision: a code link of a paper, a row of a leaderboard."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import F

from archive.models import LeaderboardMetric, Record, RecordKind
from corrections.additions import alike
from corrections.cells import NAMED_BY
from corrections.correctable import FIELDS, METRIC, Field, Invalid, Shape, Value, validate
from corrections.decisions import Addition, Ruling
from corrections.desk.case import Case
from corrections.desk.ruling import read_in
from corrections.desk.typed import SourcedForm, value_field
from corrections.models import Outcome, Side
from corrections.submissions import visible

ADDED = {RecordKind.PAPER: RecordKind.CODE, RecordKind.LEADERBOARD: RecordKind.RESULT}
"""The kind of record that is added below a kind."""

HINTS = {
    "repo_url": "Beginning with http:// or https://.",
    "paper": "The paper’s address on this site, as /paper/attention-is-all-you-need.",
    "paper_title": "As the source prints it.",
    "paper_date": "A day, as 2019-01-31, or a year alone, as 2019.",
}


@dataclass(frozen=True)
class Cell:
    """A cell of the record to be added, and the name of its input: the same however the list of metrics changes."""

    name: str
    field: Field


def cells_of(parent: Record) -> list[Cell]:
    """The cells of what is added below a paper or leaderboard; none below anything else.

    One query for a leaderboard, none for a paper.
    """
    kind = ADDED.get(RecordKind(parent.kind))
    cells = [Cell(f"cell-{field.name}", field) for field in FIELDS[kind]] if kind else []
    if kind == RecordKind.RESULT:
        metrics = LeaderboardMetric.objects.filter(leaderboard=parent.pk)
        in_order = metrics.order_by(F("position").asc(nulls_last=True), "id").values_list("name", flat=True)
        for name in dict.fromkeys(in_order):
            known = hashlib.sha256(name.encode()).hexdigest()[:9]
            cells.append(Cell(f"metric-{known}", Field(METRIC + name, name, Shape.LINE, "", (), "")))
    return cells


class AddForm(SourcedForm):
    """A code link or a row, with the source that has it. `case` is that of its parent as a whole."""

    all_the_same = forms.BooleanField(label="I have looked at them; this is another one.", required=False)

    def __init__(self, data: Mapping[str, Any] | None = None, *, case: Case) -> None:
        self.cells = cells_of(case.record)
        self.kind = ADDED[RecordKind(case.record.kind)]
        self.alike: list[Record] = []
        super().__init__(data, case=case, initial={"rest": False, "side": Side.ARCHIVE})
        for cell in self.cells:
            made = value_field(cell.field, cell.field.label)
            made.help_text = HINTS.get(cell.field.name, "")
            if isinstance(made, forms.ChoiceField) and cell.field.name == "uses_additional_data":
                made.choices, made.initial = [("false", "No"), ("true", "Yes")], "false"
            self.fields[cell.name] = made
        self.order_fields([*(cell.name for cell in self.cells), "all_the_same"])

    @property
    def ticked(self) -> set[int]:
        """None at first: a report on the whole record is about anything."""
        return set(self.reports) if self.is_bound else set()

    @property
    def looked_at(self) -> list[str]:
        """The keys of those like it that were listed when the form was shown."""
        listed = str(self.data.get("looked_at", "")).split(",")
        return [record.key for record in self.alike if str(record.pk) in listed]

    @property
    def shown_alike(self) -> str:
        """The ids of those that are listed now, for the form to bring back."""
        return ",".join(str(record.pk) for record in self.alike)

    @property
    def plain_cells(self) -> list[forms.BoundField]:
        """The inputs of the record's own cells."""
        return [self[cell.name] for cell in self.cells if not cell.field.name.startswith(METRIC)]

    @property
    def metric_cells(self) -> list[forms.BoundField]:
        """The inputs of a row's values."""
        return [self[cell.name] for cell in self.cells if cell.field.name.startswith(METRIC)]

    def clean(self) -> dict[str, Any]:
        """The values as `decide` takes them, under `values`; what it would refuse is said at its field."""
        typed = super().clean()
        self.clean_why()
        self.clean_read()
        typed["values"] = self._values()
        if not self.errors:
            self.alike = list(alike(self.case.record, typed["values"]))
            unseen = len(self.alike) > len(self.looked_at)
            if self.alike and (unseen or not typed.get("all_the_same")):
                self.add_error("all_the_same", "There is one like it already. Look at it before you add another.")
        return typed

    def _values(self) -> dict[str, Value]:
        """What was typed of each cell, none of those left empty. A query where a paper is named."""
        values: dict[str, Value] = {}
        for cell in self.cells:
            value = self.cleaned_data.get(cell.name)
            if cell.name in self.errors or value in (None, ""):
                continue
            try:
                values[cell.field.name] = _checked(cell.field, value)
            except Invalid as error:
                self.add_error(cell.name, str(error))
        named = NAMED_BY[self.kind]
        if named not in values and f"cell-{named}" not in self.errors:
            self.add_error(f"cell-{named}", "It has no name without this.")
        metrics = [cell for cell in self.cells if cell.field.name.startswith(METRIC)]
        if metrics and not any(c.field.name in values or c.name in self.errors for c in metrics):
            self.add_error(metrics[0].name, "Type at least one value of the row.")
        return values

    def ruling(self) -> Ruling:
        """The ruling of a valid form. Its parent must still be as it is now when the decision is made."""
        typed, parent = self.cleaned_data, self.case.record
        return Ruling(
            Outcome.ACCEPTED,
            typed["reason"].strip(),
            additions=[Addition(parent.key, typed["values"], looked_at=self.looked_at)],
            reports=self.reports,
            side=typed["side"],
            read=read_in(typed),
            revisions={parent.key: parent.revision},
            note=typed["note"].strip(),
        )


def _checked(field: Field, value: Value) -> Value:
    if isinstance(value, str) and not visible(value):
        raise Invalid("This shows nothing.")
    value = validate(field, value)
    papers = Record.objects.public().filter(kind=RecordKind.PAPER)
    if field.shape == Shape.RECORD and not papers.filter(key=value).exists():
        raise Invalid(f"There is no paper at /{value}.")
    return value
