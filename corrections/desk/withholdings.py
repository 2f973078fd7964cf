"""Withholding at the desk: the form, and the list of those that another editor has yet to confirm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, Q
from django.utils import timezone

from archive.models import Record
from corrections.desk.case import Case
from corrections.desk.forms import WhyForm
from corrections.desk.typed import CaseForm
from corrections.models import Change, Decision, Outcome
from corrections.pages.entries import label_of
from corrections.withholding import CONFIRM_WITHIN, confirmations, unconfirmed

MOST = 100
"""Withholdings that the list shows at once."""
CELLS = 5
"""Cells of one of them that it names."""


class WithholdForm(CaseForm):
    """The public reason for taking a text off the site, and the reports of its cell that are closed with it."""

    def clean(self) -> dict[str, Any]:
        """A reason that says something."""
        typed = super().clean()
        self.clean_why()
        return typed


@dataclass(frozen=True)
class Waiting:
    """A withholding that waits: the cells it emptied, whether a week is over, and the form to confirm it.

    Of many cells the first are named, the field that was asked for before its copies, and the others counted.
    """

    decision: Decision
    cells: list[tuple[Record, str, str]]
    cells_left: int
    overdue: bool
    mine: bool
    form: WhyForm


def waiting(editor: User, sent: Mapping[str, Any] | None = None) -> tuple[list[Waiting], bool]:
    """The withholdings that nobody confirmed, the oldest first, and whether there are more. Two queries.

    `sent` is what was typed for one of them: it stands in its form again, with what is wrong with it.
    """
    changes = Prefetch("changes", Change.objects.select_related("record").order_by("id"))
    found = list(unconfirmed().order_by("number").prefetch_related(changes)[: MOST + 1])
    late = timezone.now() - CONFIRM_WITHIN
    shown = [
        Waiting(
            decision=one,
            cells=[(c.record, c.field, label_of(c.record.kind, c.field)) for c in one.changes.all()[:CELLS]],
            cells_left=max(0, len(one.changes.all()) - CELLS),
            overdue=one.at < late,
            mine=one.reader_id == editor.pk,
            form=form_of(one.number, sent if sent and str(sent.get("number")) == str(one.number) else None),
        )
        for one in found[:MOST]
    ]
    return shown, len(found) > MOST


def form_of(number: int, sent: Mapping[str, Any] | None = None) -> WhyForm:
    """The form that confirms one withholding; its names are its own on a page of many."""
    form = WhyForm(sent, prefix=f"confirm-{number}")
    form.fields["reason"].label = "Public reason to confirm it"
    return form


def counts() -> dict[str, int]:
    """How many withholdings wait, and how many of them for longer than a week. One query."""
    late = Q(at__lt=timezone.now() - CONFIRM_WITHIN)
    return unconfirmed().aggregate(waiting=Count("number"), overdue=Count("number", filter=late))


def of_cell(case: Case) -> Decision | None:
    """The withholding to which the cell's emptiness is due; None if it holds something, or is empty by itself.

    One query.
    """
    if case.now not in (None, []):
        return None
    last = Change.objects.filter(record=case.record, field=case.name, next=None).select_related("decision").first()
    return last.decision if last is not None and last.decision.outcome == Outcome.WITHHELD else None


def confirmed_by(number: int, editor: User) -> Decision | None:
    """The decision by which the editor confirmed a withholding already. One query."""
    return confirmations().filter(duplicate_of_decision=number, reader_id=editor.pk).first()
