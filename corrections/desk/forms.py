"""What a reader fills in: a ruling on a case, and the short forms beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from corrections.correctable import Field, Invalid, Shape, Value, validate
from corrections.desk import case as cases
from corrections.desk.case import Case, Further
from corrections.desk.readings import Reading
from corrections.desk.typed import CONTROL, SourcedForm, Words, value_field
from corrections.forms import TypedRecord
from corrections.models import READ_AT_SOURCE, Decision, Outcome, Report
from corrections.submissions import visible, with_line_ends_of

OUTCOMES = [
    (Outcome.ACCEPTED.value, "Accept: set the value below"),
    (Outcome.NO_CHANGE.value, str(Outcome.NO_CHANGE.label)),
    (Outcome.CANNOT_VERIFY.value, str(Outcome.CANNOT_VERIFY.label)),
    (Outcome.OUT_OF_SCOPE.value, str(Outcome.OUT_OF_SCOPE.label)),
    (Outcome.DUPLICATE.value, str(Outcome.DUPLICATE.label)),
    (Outcome.SPAM.value, str(Outcome.SPAM.label)),
]
OPERATIONS = [
    ("", "Set no state of the record"),
    ("withdraw", "Withdraw the record"),
    ("restore", "Restore the withdrawn record"),
    ("merge", "Merge it into another record"),
    ("part", "Part it from the record that it was merged into"),
    ("release", "Release it from quarantine"),
]


class RulingForm(SourcedForm):
    """A ruling on a case. Bound, the form judges what was typed by what was seen when it was shown.

    Comparing that with the case as it is now is `decide`'s task.
    """

    field_order = (
        *("outcome", "side", "source_url", "source_version", "source_page", "source_table", "source_row", "quote"),
        *("reading", "tried", "duplicate_of", "reason_text"),
    )

    outcome = forms.ChoiceField(
        label="Outcome",
        choices=OUTCOMES,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose an outcome.", "invalid_choice": "Choose an outcome."},
    )
    tried = Words(label="What you tried", rows=2, help_text="Where nothing could be verified.")
    duplicate_of = Words(
        label="Duplicate of", longest=20, help_text="A decision, as #12, or an open report, as report 34."
    )
    confirm_moved = forms.BooleanField(
        label="I have seen that the value changed after this was reported.", required=False
    )
    empty = forms.BooleanField(label="The cell shall hold nothing", required=False)
    operation = forms.ChoiceField(label="The record as a whole", choices=OPERATIONS, required=False)
    merge_into = TypedRecord(label="Merge into", help_text="The other record’s address here.")

    def __init__(self, data: Mapping[str, Any] | None = None, *, case: Case, reading: Reading) -> None:
        self.read_blind = reading
        super().__init__(data, case=case, initial=self._initial(case))
        if case.field is not None:
            self.fields["value"] = value_field(case.field, "Value to set")
            for name in ("operation", "merge_into"):
                del self.fields[name]
        for name, (_, _, further) in self.further_fields().items():
            self.fields[name] = forms.BooleanField(required=False)
            self.fields[f"{name}-value"] = value_field(further, "Value to set")
            self.initial[f"{name}-value"] = _typed(self.seen["further"][name][3]) if self.seen else None

    def _initial(self, case: Case) -> dict[str, Any]:
        found: dict[str, Any] = {}
        shown = next((shown for shown in case.reports if shown.report.source_url), None)
        if shown is not None:
            for name in ("url", "version", "page", "table", "row"):
                found[f"source_{name}"] = getattr(shown.report, f"source_{name}")
        if case.proposals:
            found["value"] = _typed(case.proposals[0])
        elif case.field is not None and case.field.shape in (Shape.TEXT, Shape.NAMES):
            found["value"] = _typed(case.now)
        if self.read_blind.text is not None:
            found["reading"] = self.read_blind.text
        return found

    @property
    def further_shown(self) -> list[tuple[Further, forms.BoundField, forms.BoundField]]:
        """The further cells with their tick and their value, for the page."""
        named = ((further, cases.further_name(further.record.key, further.field.name)) for further in self.case.further)
        return [(further, self[name], self[f"{name}-value"]) for further, name in named if name in self.fields]

    def further_fields(self) -> dict[str, tuple[str, str, Field]]:
        """The further cells that the form offered, by the name of their inputs: key, field name, field."""
        here = {cases.further_name(f.record.key, f.field.name): f for f in self.case.further}
        found = {}
        for name, (key, field, *_) in (self.seen or {"further": {}})["further"].items():
            if name in here:
                found[name] = (key, field, here[name].field)
        return found

    def keep(self, sent: QueryDict) -> None:
        """Begin with what was sent, without judging it: for a button that is not about the ruling itself."""
        whole = "listed" in sent  # the short form of a covered case has only the source and the reading
        for name, field in self.fields.items():
            if isinstance(field, forms.BooleanField):
                if whole:
                    self.initial[name] = name in sent
            elif name in sent and not (name == "reading" and self.read_blind.text is not None):
                self.initial[name] = sent[name]
        self.kept_ticks = {int(pk) for pk in sent.getlist("reports") if pk.isdecimal()} if whole else None

    def clean(self) -> dict[str, Any]:
        """Everything that the database would refuse, said at its field and in words."""
        typed = super().clean()
        outcome = typed.get("outcome", "")
        self.clean_why("Spam." if outcome == Outcome.SPAM else "")
        if outcome in READ_AT_SOURCE:
            self.clean_read()
        match outcome:
            case Outcome.ACCEPTED:
                self._clean_changes(typed)
            case Outcome.CANNOT_VERIFY if not typed.get("tried", "").strip():
                self.add_error("tried", "Say what you tried.")
            case Outcome.DUPLICATE:
                self._clean_duplicate(typed)
        return typed

    def _clean_changes(self, typed: dict[str, Any]) -> None:
        assert self.seen is not None
        if self.case.field is not None and "value" not in self.errors:
            typed["value"] = self._checked("value", self.case.field, self.seen["now"], typed.get("empty", False))
        for name, (_, _, field) in self.further_fields().items():
            if typed.get(name):
                now = self.seen["further"][name][2]
                typed[f"{name}-value"] = self._checked(f"{name}-value", field, now, False)
        if self.case.field is None and not self.errors:
            if typed.get("operation") == "merge" and not typed.get("merge_into"):
                self.add_error("merge_into", "Name the record that takes its place.")
            elif not typed.get("operation") and not any(typed.get(name) for name in self.further_fields()):
                self.add_error(
                    "outcome",
                    "Accepting changes something: set a state of the record or one of the fields below,"
                    " or open the field that is wrong.",
                )
        if self.case.moved and not typed.get("confirm_moved"):
            self.add_error(
                "confirm_moved", "The value changed after this was reported. Look at all three values, then confirm."
            )

    def _checked(self, name: str, field: Field, now: Value, may_be_empty: bool) -> Value:
        value: Value = self.cleaned_data.get(name)
        if isinstance(value, str) and isinstance(now, str):
            value = with_line_ends_of(now, value)
        try:
            value = validate(field, value)
        except Invalid as error:
            self.add_error(name, str(error))
            return None
        if value == now:
            self.add_error(name, "This is the value that the archive has now.")
        elif value in (None, []) and not may_be_empty:
            nothing = ", or tick that the cell shall hold nothing" if name == "value" else ""
            self.add_error(name, f"Type the value{nothing}.")
        return value

    def _clean_duplicate(self, typed: dict[str, Any]) -> None:
        text = typed.get("duplicate_of", "").strip().lower()
        if match := re.fullmatch(r"#?\s*(\d{1,18})", text):
            typed["duplicate_of_decision"] = int(match[1])
            if Decision.objects.filter(pk=typed["duplicate_of_decision"]).exists():
                return
        elif match := re.fullmatch(r"report\s*(\d{1,18})", text):
            typed["duplicate_of_report"] = int(match[1])
            if int(match[1]) in self.reports:
                self.add_error("duplicate_of", "That is one of the reports which this decision closes.")
                return
            if Report.objects.filter(pk=typed["duplicate_of_report"]).exists():
                return
        self.add_error("duplicate_of", "Name a decision, as #12, or a report, as report 34, that exists.")


def _typed(value: Value) -> Any:
    """A value as its input holds it."""
    match value:
        case list():
            return "\n".join(map(str, value))
        case bool():
            return "true" if value else "false"
        case None:
            return ""
        case _:
            return str(value)


class WhyForm(forms.Form):
    """A reason and nothing else: for a revert, a refusal of a proposal, a seal."""

    reason = Words(label="Public reason", rows=3)

    def clean_reason(self) -> str:
        """A reason that says something."""
        text: str = self.cleaned_data["reason"]
        if not text.strip():
            raise forms.ValidationError("Say why.")
        return text


class NameForm(forms.Form):
    """The name under which somebody's decisions appear."""

    name = forms.CharField(label="Public name", max_length=100)

    def clean_name(self) -> str:
        """A name that can be seen."""
        text: str = self.cleaned_data["name"]
        if CONTROL.search(text) or not visible(text):
            raise forms.ValidationError("The name shows nothing, or holds a control character.")
        return text
