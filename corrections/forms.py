"""The forms of the public: a report, and what its reporter may do with it afterwards.

No field of a text checks it: `submissions` does, for every way in, and its messages are put at the fields here.
What was typed is never cut or lost, whatever is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.validators import EmailValidator
from django.http import QueryDict

from archive.models import Record
from corrections.correctable import Field, Shape, Value
from corrections.models import Report, ReportKind
from corrections.submissions import Draft

SOURCE = ("url", "version", "page", "table", "row", "quote")
NO_PROPOSAL = "Leave it empty if you do not know."
HINTS = {
    Shape.TEXT: "Change the text where it is wrong. It is kept exactly as you leave it.",
    Shape.NAMES: "One on each line, in their order. Change the list where it is wrong.",
    Shape.DATE: f"A day, as 2019-01-31, or a year alone, as 2019. {NO_PROPOSAL}",
    Shape.YEAR: f"Four digits. {NO_PROPOSAL}",
    Shape.URL: f"Beginning with http:// or https://. {NO_PROPOSAL}",
    Shape.RECORD: f"The paper’s address on this site, as /paper/attention-is-all-you-need. {NO_PROPOSAL}",
}
PREFILLED = (Shape.TEXT, Shape.NAMES)
"""Shapes whose proposal begins as the present value: long ones, of which a reporter changes a part."""

UNCHANGED = "This is the value that the archive has now. Change it, or say below what is wrong."
FLAGS = (("", "I do not know"), ("true", "Yes"), ("false", "No"))


class Typed(forms.Field):
    """A text, just as it was typed."""

    def __init__(self, *, rows: int = 0, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput()
        kwargs.setdefault("widget", widget)
        super().__init__(required=False, **kwargs)

    def to_python(self, value: Any) -> Any:
        """The text; "" if the field was not sent."""
        return value or ""


class TypedNames(Typed):
    """A list, one item a line. Lines that show nothing at all are none; spaces within or after an item are its own."""

    def to_python(self, value: Any) -> list[str]:
        """The items."""
        lines = (value or "").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return [line for line in lines if line.strip()]


class TypedFlag(forms.ChoiceField):
    """Yes, no, or nothing said."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=FLAGS, required=False, widget=forms.RadioSelect, initial="", **kwargs)

    def clean(self, value: Any) -> bool | None:
        """True, False or None."""
        chosen: str = super().clean(value)
        return {"true": True, "false": False}.get(chosen)


class TypedRecord(Typed):
    """A record by its key, or by its address here."""

    def to_python(self, value: Any) -> str:
        """The key."""
        try:
            return urlsplit((value or "").strip()).path.strip("/")
        except ValueError:
            return str(value)


def proposal_field(field: Field) -> forms.Field:
    """The widget for a proposed value, as the field's shape wants it."""
    common: dict[str, Any] = {"label": "It should be", "help_text": HINTS.get(field.shape, NO_PROPOSAL)}
    match field.shape:
        case Shape.TEXT:
            return Typed(rows=12, **common)
        case Shape.NAMES:
            return TypedNames(rows=6, **common)
        case Shape.FLAG:
            return TypedFlag(**common)
        case Shape.RECORD:
            return TypedRecord(**common)
        case Shape.URL:
            return Typed(widget=forms.URLInput(), **common)
        case Shape.YEAR:
            return Typed(widget=forms.TextInput(attrs={"inputmode": "numeric"}), **common)
        case _:
            return Typed(**common)


class ReportForm(forms.Form):
    """A report on one field of a record, or on the record as a whole.

    `now` is the field's value, `open_reports` what is open on it, which a duplicate may join.
    """

    required_css_class = "required"

    kind = forms.ChoiceField(
        label="What is wrong?",
        choices=ReportKind,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose what is wrong.", "invalid_choice": "Choose what is wrong."},
    )
    value_seen = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    source_url = Typed(
        label="Address of the source",
        help_text="The paper, the repository, the dataset’s page. Needed if a value is wrong.",
        widget=forms.URLInput(),
    )
    source_version = Typed(label="Version (v3, a date)")
    source_page = Typed(label="Page")
    source_table = Typed(label="Table or figure")
    source_row = Typed(label="Row or line")
    source_quote = Typed(label="What it says there", help_text="Word for word, if you can.", rows=3)
    comment = Typed(label="What else should the reader know?", rows=5)
    name = Typed(
        label="Your name (optional)",
        help_text="For your credit: shown on the decision’s page if your report is accepted. It can be erased later.",
    )
    email = Typed(
        label="Your e-mail address (optional)",
        help_text=(
            "To tell you of the decision. You get one message first, with a link to confirm,"
            " and nothing more until you use it."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    agree = forms.BooleanField(
        label="What I write here may be used under CC BY-SA 4.0, the archive’s own licence.",
        error_messages={"required": "Without this the archive can not use what you write."},
    )
    # For machines that fill in whatever they find; people do not see it.
    subject = Typed(label="Leave this empty")
    altcha = Typed(widget=forms.HiddenInput(attrs={"data-proof": ""}))

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        record: Record,
        field: Field | None,
        now: Value,
        open_reports: Sequence[Report],
        takes_mail: bool,
    ) -> None:
        self.record, self.field, self.now = record, field, now
        super().__init__(data, initial={"kind": self._likely_kind(), "value_seen": json.dumps(now)})
        if field is not None:
            self.fields["proposed"] = proposal_field(field)
            if field.shape in PREFILLED:
                self.initial["proposed"] = "\n".join(now) if isinstance(now, list) else now
        if open_reports:
            choices = [("", "No, mine says something else"), *((str(r.pk), str(r.pk)) for r in open_reports)]
            self.fields["joins"] = forms.ChoiceField(
                label="Is it the same as one of these?", choices=choices, required=False, widget=forms.RadioSelect
            )
        if not takes_mail:
            del self.fields["email"]

    def _likely_kind(self) -> str | None:
        if self.field is None:
            return None
        return ReportKind.MISSING_VALUE if self.now in (None, []) else ReportKind.WRONG_VALUE

    def clean_email(self) -> str:
        """An address that mail can be sent to, or ""."""
        email: str = self.cleaned_data["email"].strip()
        if email:
            EmailValidator("This is not an e-mail address. Leave it empty if you want no message.")(email)
        return email

    def clean(self) -> None:
        """A value that moved since the visitor saw it has to be seen first; one that was left alone is no proposal."""
        if self.cleaned_data.get("value_seen", "") != json.dumps(self.now):
            self.add_error(
                None,
                "The archive’s value changed while you were writing. What it is now stands above;"
                " send the report again if it is still right.",
            )
        proposed = self.cleaned_data.get("proposed")
        if self.field is not None and self.field.shape in PREFILLED and _same(proposed, self.now):
            self.cleaned_data["proposed"] = None
            told = self.cleaned_data.get("comment") or self.cleaned_data.get("joins")
            if not told and self.cleaned_data.get("kind") == ReportKind.WRONG_VALUE:
                self.add_error("proposed", UNCHANGED)

    def as_shown_again(self) -> QueryDict:
        """What was sent, with the value that the archive has now as the one seen: for a form that is shown again."""
        data: QueryDict = self.data.copy()  # type: ignore[attr-defined]
        data["value_seen"] = json.dumps(self.now)
        return data

    def draft(self, address: str) -> Draft:
        """The report as it was typed, `address` being the page that the visitor came from."""
        typed = self.cleaned_data
        joins = typed.get("joins")
        return Draft(
            record=self.record.key,
            kind=typed["kind"],
            field=self.field.name if self.field else "",
            address=address,
            value_seen=self.now,
            proposed=typed.get("proposed"),
            source={name: typed[f"source_{name}"] for name in SOURCE},
            comment=typed["comment"],
            name=typed["name"].strip(),
            email=typed.get("email", ""),
            joins=int(joins) if joins else None,
        )

    def complain(self, errors: Mapping[str, str]) -> None:
        """Put what `submissions` says is wrong at the fields; what is of no field here stands for the whole."""
        for name, text in errors.items():
            if name not in self.errors:
                self.add_error(name if name in self.fields else None, text)


def _same(proposed: Value, now: Value) -> bool:
    if isinstance(proposed, str) and isinstance(now, str | None):
        return _one_line_end(proposed) == _one_line_end(now or "")
    return bool(proposed == (now or []))


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


class AdditionForm(forms.Form):
    """What a reporter adds to an undecided report."""

    addition = Typed(label="Add to your report", rows=4)


class AppealForm(forms.Form):
    """Why a reporter thinks that the decision is wrong."""

    appeal = Typed(label="Why is the decision wrong?", rows=4, help_text="Once, and read by somebody else.")
