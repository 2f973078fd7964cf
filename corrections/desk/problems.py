"""Why nothing was decided, told so that the reader can go on with what they typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corrections.correctable import Value
from corrections.decisions import AlreadyDecided, AlreadyThere, NeedsSecondReader, Refused, Stale
from corrections.desk import case as cases
from corrections.desk.case import Case
from corrections.desk.typed import CaseForm
from corrections.models import Decision


@dataclass(frozen=True)
class Problem:
    """Why nothing was decided: what moved, who was first. What was typed stays in the form."""

    title: str
    words: str
    moved: Sequence[tuple[str, Value, Value]] = ()
    decision: Decision | None = None
    second_reader: bool = False


def problem_of(refusal: Refused, form: CaseForm, shown: Case) -> Problem:
    """A refusal as the page tells it. No query, but for a report's decision that was not fetched with it."""
    match refusal:
        case AlreadyDecided():
            return Problem("Somebody was first", str(refusal), decision=refusal.report.decision)
        case AlreadyThere():
            return Problem("Somebody was first", str(refusal), decision=refusal.decision)
        case Stale():
            newest = shown.decisions[0] if shown.decisions else None
            words = "The record changed since you opened the case. Look at what it holds now, then send it again."
            return Problem("The archive has moved", words, moved=moved_since(form, shown), decision=newest)
        case NeedsSecondReader():
            return Problem("This needs a second reader", str(refusal), second_reader=True)
    return Problem("Nothing was decided", str(refusal))


def moved_since(form: CaseForm, shown: Case) -> list[tuple[str, Value, Value]]:
    """The cells that hold something else than the form remembers: their names, what was seen, what is there."""
    seen = form.seen
    if seen is None:
        return []
    moved = [(shown.label, seen["now"], shown.now)] if seen["now"] != shown.now else []
    for further in shown.further:
        kept = seen["further"].get(cases.further_name(further.record.key, further.field.name))
        if kept is not None and kept[2] != further.now:
            moved.append((f"{further.field.label} of {further.record.key}", kept[2], further.now))
    return moved
