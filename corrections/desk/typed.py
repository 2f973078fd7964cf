"""What the desk's forms take in: a reader's own words, the reports to close, a source and the place in it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core import signing

from corrections.correctable import Field
from corrections.desk import case as cases
from corrections.desk.case import Case
from corrections.forms import proposal_field
from corrections.models import ReasonText, Side

SALT = "corrections.desk"
LONGEST = 5_000
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
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
        if control := CONTROL.search(value):
            raise forms.ValidationError(f"The character U+{ord(control[0]):04X} can not be part of a text.")


def value_field(field: Field, label: str) -> forms.Field:
    """The input for a cell's value."""
    made = proposal_field(field)
    made.label, made.help_text = label, ""
    return made


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


class CaseForm(forms.Form):
    """What is said on a case: why, and which of its reports are closed by it.

    `case` is the case as it is now; `seen` is the case as it was when the form was shown, and comes back hidden, as
    the key against double submit does.
    """

    reason = Words(label="Public reason", rows=4, help_text="Stands in the log for ever. Name no person who reported.")
    rest = forms.BooleanField(required=False, initial=True)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, case: Case, initial: dict[str, Any] | None = None
    ) -> None:
        self.case = case
        self.kept_ticks: set[int] | None = None
        self.seen = recall(str(data.get("seen", ""))) if data is not None else cases.plain(case)
        super().__init__(data, initial=initial, auto_id="ruling_%s")

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
        """Refuse a form that remembers another case, or none."""
        if self.seen is None or self.seen["case"] != [self.case.record.key, self.case.name]:
            raise forms.ValidationError(
                "What the form remembered of the case can not be read. Look at the case and send it again."
            )
        return self.cleaned_data

    def clean_why(self, otherwise: str = "") -> None:
        """The reason as typed, or the reusable one, or another; never none."""
        typed = self.cleaned_data
        if "reason" in self.errors or typed.get("reason", "").strip():
            return
        chosen = typed.get("reason_text")
        typed["reason"] = chosen.text if chosen else otherwise
        if not typed["reason"].strip():
            self.add_error("reason", "A decision always says why.")


class SourcedForm(CaseForm):
    """The same with the source that was read, the place in it, and what the reader read there."""

    side = forms.ChoiceField(label="Which side was wrong", choices=[("", "–"), *Side.choices], required=False)
    source_url = Words(label="Address of the source you read", longest=2_000)
    source_version = Words(label="Version", longest=100)
    source_page = Words(label="Page", longest=100)
    source_table = Words(label="Table or figure", longest=100)
    source_row = Words(label="Row or line", longest=200)
    quote = Words(label="What it says there, word for word", rows=2)
    reading = Words(label="Your own reading", rows=2, help_text="What you read there yourself: the value, as printed.")
    reason_text = forms.ModelChoiceField(
        label="A reusable reason", queryset=ReasonText.objects.order_by("title"), required=False, empty_label="–"
    )
    note = Words(label="Note to the reporter", rows=2, help_text="Shown on their private page only.")

    def clean_read(self) -> None:
        """Everything that the database wants of an outcome that says what a source says."""
        typed = self.cleaned_data
        if not _URL.match(typed.get("source_url", "")):
            self.add_error("source_url", "Name the source that you read: an address with http:// or https://.")
        place = ("source_version", "source_page", "source_table", "source_row", "quote")
        if not any(typed.get(name, "").strip() for name in place):
            self.add_error("source_table", "Say where in it: a version, page, table, row or quotation.")
        if not typed.get("reading", "").strip():
            self.add_error("reading", "Say what you read there yourself.")
        if not typed.get("side"):
            self.add_error("side", "Say which side was wrong.")
