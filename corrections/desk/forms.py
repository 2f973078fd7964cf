"""What a reader fills in: a ruling on a case, and the short forms beside it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core import signing
from django.http import QueryDict

from corrections.correctable import Field, Invalid, Shape, Value, validate
from corrections.desk import case as cases
from corrections.desk.case import Case, Further
from corrections.desk.readings import Reading
from corrections.forms import TypedRecord, proposal_field
from corrections.models import READ_AT_SOURCE, Decision, Outcome, ReasonText, Report, Side
from corrections.submissions import visible, with_line_ends_of

SALT = "corrections.desk"
LONGEST = 5_000
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
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_URL = re.compile(r"https?://\S+\Z")


class Words(forms.CharField):
    """A text of a reader's own, kept as it is typed; at most so long, without control characters."""

    def __init__(self, *, rows: int = 0, longest: int = LONGEST, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput()
        super().__init__(required=False, strip=False, max_length=longest, widget=widget, **kwargs)
        self.widget.attrs.pop("maxlength", None)  # a browser would cut what is pasted, in silence

    def validate(self, value: str) -> None:
        """Refuse control characters by name."""
        super().validate(value)
        if control := _CONTROL.search(value):
            raise forms.ValidationError(f"The character U+{ord(control[0]):04X} can not be part of a text.")


def remember(case: Case) -> str:
    """What the reader sees of a case, signed, for the form to bring back."""
    return signing.dumps(cases.plain(case), salt=SALT, compress=True)


def recall(text: str) -> dict[str, Any] | None:
    """What `remember` gave; None if it is not of this site."""
    try:
        seen: dict[str, Any] = signing.loads(text, salt=SALT)
    except signing.BadSignature:
        return None
    return seen


class RulingForm(forms.Form):
    """A ruling on a case. What was seen and the key against double submit come back hidden.

    `case` is the case as it is now. Bound, the form judges what was typed by what was seen when it was shown, which
    is `seen`; comparing the two is `decide`'s task.
    """

    outcome = forms.ChoiceField(
        label="Outcome",
        choices=OUTCOMES,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose an outcome.", "invalid_choice": "Choose an outcome."},
    )
    side = forms.ChoiceField(label="Which side was wrong", choices=[("", "–"), *Side.choices], required=False)
    source_url = Words(label="Address of the source you read", longest=2_000)
    source_version = Words(label="Version", longest=100)
    source_page = Words(label="Page", longest=100)
    source_table = Words(label="Table or figure", longest=100)
    source_row = Words(label="Row or line", longest=200)
    quote = Words(label="What it says there, word for word", rows=2)
    reading = Words(label="Your own reading", rows=2, help_text="What you read there yourself: the value, as printed.")
    tried = Words(label="What you tried", rows=2, help_text="Where nothing could be verified.")
    duplicate_of = Words(
        label="Duplicate of", longest=20, help_text="A decision, as #12, or an open report, as report 34."
    )
    reason_text = forms.ModelChoiceField(
        label="A reusable reason", queryset=ReasonText.objects.order_by("title"), required=False, empty_label="–"
    )
    reason = Words(label="Public reason", rows=4, help_text="Stands in the log for ever. Name no person who reported.")
    note = Words(label="Note to the reporter", rows=2, help_text="Shown on their private page only.")
    confirm_moved = forms.BooleanField(
        label="I have seen that the value changed after this was reported.", required=False
    )
    empty = forms.BooleanField(label="The cell shall hold nothing", required=False)
    rest = forms.BooleanField(required=False, initial=True)
    operation = forms.ChoiceField(label="The record as a whole", choices=OPERATIONS, required=False)
    merge_into = TypedRecord(label="Merge into", help_text="The other record’s address here.")

    def __init__(self, data: Mapping[str, Any] | None = None, *, case: Case, reading: Reading) -> None:
        self.case, self.read_blind = case, reading
        self.kept_ticks: set[int] | None = None
        self.seen = recall(str(data.get("seen", ""))) if data is not None else cases.plain(case)
        super().__init__(data, initial=self._initial(), auto_id="ruling_%s", prefix=None)
        if case.field is not None:
            self.fields["value"] = _value_field(case.field, "Value to set")
            for name in ("operation", "merge_into"):
                del self.fields[name]
        for name, (_, _, further) in self.further_fields().items():
            self.fields[name] = forms.BooleanField(required=False)
            self.fields[f"{name}-value"] = _value_field(further, "Value to set")
            self.initial[f"{name}-value"] = _typed(self.seen["further"][name][3]) if self.seen else None

    def _initial(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        shown = next((shown for shown in self.case.reports if shown.report.source_url), None)
        if shown is not None:
            for name in ("url", "version", "page", "table", "row"):
                found[f"source_{name}"] = getattr(shown.report, f"source_{name}")
        if self.case.proposals:
            found["value"] = _typed(self.case.proposals[0])
        elif self.case.field is not None and self.case.field.shape in (Shape.TEXT, Shape.NAMES):
            found["value"] = _typed(self.case.now)
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

    @property
    def ticked(self) -> set[int]:
        """The reports that are ticked as the form is shown."""
        if self.is_bound:
            return set(self.reports)
        return set(self.case.all_reports) if self.kept_ticks is None else self.kept_ticks

    @property
    def shown_key(self) -> uuid.UUID:
        """The key against double submit: as it was sent, or a new one."""
        return self.key or uuid.uuid4()

    @property
    def key(self) -> uuid.UUID | None:
        """The key against double submit, as it was sent."""
        try:
            return uuid.UUID(str(self.data.get("idempotency_key", "")))
        except ValueError:
            return None

    @property
    def reports(self) -> list[int]:
        """The reports that are to be closed, of those that were shown or counted."""
        offered = set((self.seen or {"reports": []})["reports"])
        sent = self.data.getlist("reports") if hasattr(self.data, "getlist") else self.data.get("reports", [])
        ticked = {int(pk) for pk in sent if str(pk).isdecimal()} & offered
        if self.data.get("rest"):
            shown = {int(pk) for pk in str(self.data.get("listed", "")).split(",") if pk.isdecimal()}
            ticked |= offered - shown
        return sorted(ticked)

    def clean(self) -> dict[str, Any]:
        """Everything that the database would refuse, said at its field and in words."""
        typed = self.cleaned_data
        if self.seen is None or self.seen["case"] != [self.case.record.key, self.case.name]:
            raise forms.ValidationError(
                "What the form remembered of the case can not be read. Look at the case and send it again."
            )
        if typed.get("reason_text") and not typed.get("reason", "").strip():
            typed["reason"] = typed["reason_text"].text
        outcome = typed.get("outcome", "")
        if not typed.get("reason", "").strip() and "reason" not in self.errors:
            if outcome == Outcome.SPAM:
                typed["reason"] = "Spam."
            else:
                self.add_error("reason", "A decision always says why.")
        if outcome in READ_AT_SOURCE:
            self._clean_source(typed)
        match outcome:
            case Outcome.ACCEPTED:
                self._clean_changes(typed)
            case Outcome.CANNOT_VERIFY if not typed.get("tried", "").strip():
                self.add_error("tried", "Say what you tried.")
            case Outcome.DUPLICATE:
                self._clean_duplicate(typed)
        return typed

    def _clean_source(self, typed: dict[str, Any]) -> None:
        if not _URL.match(typed.get("source_url", "")):
            self.add_error("source_url", "Name the source that you read: an address with http:// or https://.")
        place = ("source_version", "source_page", "source_table", "source_row", "quote")
        if not any(typed.get(name, "").strip() for name in place):
            self.add_error("source_table", "Say where in it: a version, page, table, row or quotation.")
        if not typed.get("reading", "").strip():
            self.add_error("reading", "Say what you read there yourself.")
        if not typed.get("side"):
            self.add_error("side", "Say which side was wrong.")

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


def _value_field(field: Field, label: str) -> forms.Field:
    made = proposal_field(field)
    made.label, made.help_text = label, ""
    return made


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
        if _CONTROL.search(text) or not visible(text):
            raise forms.ValidationError("The name shows nothing, or holds a control character.")
        return text
