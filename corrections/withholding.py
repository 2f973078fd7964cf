"""Urgent withholding: one editor takes a text off the site at once, for rights or personal data.

It is a decision that empties the cell, and a seal over what stood there, in one transaction. Another editor confirms
it; what nobody confirmed within a week is listed as such, and `audit` alarms.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from archive.models import Record
from corrections.cells import read_cell
from corrections.correctable import METRIC, Field, Shape, Value, field_of
from corrections.decisions import Refused, Ruling, Wanted, decide
from corrections.models import Decision, Outcome
from corrections.sealing import seal

CONFIRM_WITHIN = timedelta(days=7)
TEXTS = (Shape.LINE, Shape.TEXT, Shape.URL, Shape.NAMES, Shape.TERM)
"""Shapes of what somebody wrote, which rights or personal data can ask to be taken off."""


def kept_because(field: Field, value: Value) -> str:
    """Why a cell with that value can not be withheld, in a sentence; "" if it can. No query."""
    if field.shape not in TEXTS or field.name.startswith(METRIC) or value in (None, [], ""):
        return "There is no text in this field to withhold."
    return field.kept_because


def withhold(key: str, field: str, reason: str, editor: User, *, reports: Sequence[int] = ()) -> Decision:
    """Empty a cell and seal what stood there. The public reason stands in its place on every page.

    Raises Refused, and Invalid for a field that does not exist. Some thirty queries.
    """
    _may(editor)
    record = Record.objects.filter(key=key).first()
    if record is None:
        raise Refused(f"There is no record at /{key}.")
    cell, seen = field_of(record, field), read_cell(record, field)
    if kept := kept_because(cell, seen):
        raise Refused(kept)
    empty: list[str] | None = [] if cell.shape == Shape.NAMES else None
    ruling = Ruling(Outcome.WITHHELD, reason, changes=[Wanted(key, field, seen=seen, value=empty)], reports=reports)
    with transaction.atomic():
        decision = decide(ruling, editor)
        seal(decision.number, reason, editor, cells=[(key, field)])
    return decision


def confirm(number: int, reason: str, editor: User) -> Decision:
    """Confirm a withholding, as another editor: a decision of its own, which names the first and changes nothing.

    Raises Refused, also to the second of two who do so at once, and what `decide` raises. Two queries beside its own.
    """
    _may(editor)
    with transaction.atomic():
        # Not FOR UPDATE: entries of the log that name this one may be written meanwhile.
        entries = Decision.objects.select_for_update(no_key=True)
        withheld = entries.filter(number=number, outcome=Outcome.WITHHELD, duplicate_of_decision=None).first()
        if withheld is None:
            raise Refused(f"#{number} is no withholding that waits to be confirmed.")
        if (earlier := confirmations().filter(duplicate_of_decision=number).first()) is not None:
            raise Refused(f"#{number} is confirmed already, by #{earlier.number}.")
        if withheld.reader_id == editor.pk:
            raise Refused("Nobody confirms a withholding of their own.")
        return decide(Ruling(Outcome.WITHHELD, reason, duplicate_of_decision=number), editor)


def confirmations() -> QuerySet[Decision]:
    """Decisions that confirm a withholding, which each names as `duplicate_of_decision`; one of each withholding."""
    return Decision.objects.filter(outcome=Outcome.WITHHELD, duplicate_of_decision__isnull=False)


def unconfirmed(*, overdue: bool = False) -> QuerySet[Decision]:
    """Withholdings that nobody confirmed yet; with `overdue`, those older than a week. One query."""
    confirmed = confirmations().filter(duplicate_of_decision=OuterRef("number"))
    waiting = Decision.objects.filter(~Exists(confirmed), outcome=Outcome.WITHHELD, duplicate_of_decision=None)
    return waiting.filter(at__lt=timezone.now() - CONFIRM_WITHIN) if overdue else waiting


def _may(editor: User) -> None:
    if not editor.is_active or not editor.has_perm("corrections.withhold_decision"):
        raise Refused("Only an editor may withhold.")
