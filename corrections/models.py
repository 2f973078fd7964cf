"""What people report, and the log of what was decided. The log is append-only and chained; see docs/decisions/0008."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from archive.models import Record


class ReportKind(models.TextChoices):
    """What a report says is wrong."""

    WRONG_VALUE = "wrong-value", "A value is wrong"
    MISSING_VALUE = "missing-value", "A value is missing"
    DEAD_LINK = "dead-link", "A link is dead"
    WRONG_LINK = "wrong-link", "A link leads to the wrong thing"
    DUPLICATE = "duplicate", "This is a duplicate of another record"
    NOT_HERE = "does-not-belong", "This does not belong in the archive"
    RIGHTS = "rights", "A rights or licence question"
    NAME_CHANGE = "name-change", "An author's name has changed"
    OTHER = "other", "Something else"


class ReportState(models.TextChoices):
    """Where a report stands."""

    HELD = "held", "held for a look before it is counted"
    OPEN = "open", "open"
    PROPOSED = "proposed", "decided by a first reader, waiting for a second"
    DECIDED = "decided", "decided"
    WITHDRAWN = "withdrawn", "withdrawn by the reporter"
    APPEALED = "appealed", "appealed, waiting for another reader"


class Outcome(models.TextChoices):
    """What a decision says of the reports it closes."""

    ACCEPTED = "accepted", "Accepted"
    ACCEPTED_WITH_CHANGES = "accepted-with-changes", "Accepted with changes"
    NO_CHANGE = "no-change", "No change: the archive matches the source"
    CANNOT_VERIFY = "cannot-verify", "Cannot be verified"
    OUT_OF_SCOPE = "out-of-scope", "Out of scope"
    DUPLICATE = "duplicate", "Duplicate of another report or decision"
    SPAM = "spam", "Spam"
    REVERTED = "reverted", "An earlier decision reverted"
    WITHHELD = "withheld", "Withheld at once, to be confirmed"


READ_AT_SOURCE = [Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_CHANGES, Outcome.NO_CHANGE]
"""Outcomes that say what a source says: it must be named, with the place in it and what the reader read there."""

CHANGES_SOMETHING = [Outcome.ACCEPTED, Outcome.ACCEPTED_WITH_CHANGES, Outcome.REVERTED, Outcome.WITHHELD]
"""Outcomes that come with at least one Change; the others come with none."""


class EntryKind(models.TextChoices):
    """What an entry of the log is."""

    DECISION = "decision", "A decision"
    IMPORT = "import", "An import"
    SEAL = "seal", "A seal over a text of the log"


class Side(models.TextChoices):
    """Which side was wrong."""

    ARCHIVE = "archive", "The archive was wrong"
    REPORT = "report", "The report was wrong"
    SOURCE = "source", "The source itself is wrong"
    BOTH = "both", "Archive and report were wrong"
    NEITHER = "neither", "Neither was wrong"


class Place(models.Model):
    """A source and the place in it: what a reader needs to see the same thing."""

    source_url = models.TextField(blank=True)
    source_version = models.CharField(max_length=100, blank=True, help_text="Such as v3, or a date.")
    source_page = models.CharField(max_length=100, blank=True)
    source_table = models.CharField(max_length=100, blank=True)
    source_row = models.CharField(max_length=200, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.source_url


class Reporter(models.Model):
    """The only table of personal data. Erasing a row touches neither report nor log."""

    name = models.CharField(max_length=200, blank=True, help_text="For credit, if the reporter wishes it.")
    email = models.EmailField(blank=True)
    confirmed_at = models.DateTimeField(null=True, help_text="When the link in the one confirmation was used.")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"reporter {self.pk}"


class EntryQuerySet(models.QuerySet["Decision"]):
    """Questions about sets of entries of the log."""

    def newest_first(self) -> EntryQuerySet:
        """Numbers are given in the order of commit."""
        return self.order_by("-number")

    def decisions(self) -> EntryQuerySet:
        """Those that a person made, without imports and seals."""
        return self.filter(kind=EntryKind.DECISION)


class Decision(Place):
    """One entry of the log: a decision, an import, or a seal. Written once, by `decisions.decide` and the ledger.

    Its digest chains it to the entry before. Texts that a seal may have to remove are covered by salted digests only.
    Beside these columns the table has `xid xid8 DEFAULT pg_current_xact_id()`, which only the database fills.
    """

    number = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=8, choices=EntryKind, default=EntryKind.DECISION)
    outcome = models.CharField(max_length=24, choices=Outcome, blank=True)
    side = models.CharField(max_length=8, choices=Side, blank=True)
    at = models.DateTimeField()
    reader = models.CharField(max_length=100, help_text="Public name of who decided.")
    reader_id = models.BigIntegerField(null=True, help_text="The account, while it exists; not a foreign key.")
    second_reader = models.CharField(max_length=100, blank=True)
    second_reader_id = models.BigIntegerField(null=True)
    quote = models.TextField(null=True, blank=True)
    quote_salt = models.BinaryField(null=True)
    quote_digest = models.BinaryField(max_length=32)
    reading = models.TextField(null=True, blank=True, help_text="What the reader read at the source.")
    reading_salt = models.BinaryField(null=True)
    reading_digest = models.BinaryField(max_length=32)
    reason = models.TextField(null=True)
    reason_salt = models.BinaryField(null=True)
    reason_digest = models.BinaryField(max_length=32)
    reports_closed = models.IntegerField(default=0)
    tried = models.TextField(blank=True, help_text="What was tried, where nothing could be verified.")
    uncovered = models.BooleanField(default=False, help_text="The reader saw the proposal before reading the source.")
    duplicate_of_decision = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="duplicates_decided"
    )
    duplicate_of_report = models.ForeignKey(
        "corrections.Report", null=True, on_delete=models.PROTECT, related_name="duplicates_decided"
    )
    reverts = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="reverted_by")
    facts = models.JSONField(
        null=True, help_text="Of an import: archive, snapshot, digests of the dumps, cells rebased."
    )
    sealed_by = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="sealed_decisions")
    idempotency_key = models.UUIDField(null=True, unique=True)
    previous_digest = models.BinaryField(max_length=32)
    digest = models.BinaryField(max_length=32)

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="corrections_decision_number_from_one", condition=Q(number__gte=1)),
            models.CheckConstraint(name="corrections_decision_kind_known", condition=Q(kind__in=EntryKind.values)),
            models.CheckConstraint(
                name="corrections_decision_has_an_outcome",
                condition=Q(kind=EntryKind.DECISION, outcome__in=Outcome.values)
                | Q(~Q(kind=EntryKind.DECISION), outcome=""),
            ),
            models.CheckConstraint(name="corrections_decision_side_known", condition=Q(side__in=["", *Side.values])),
            models.CheckConstraint(
                name="corrections_decision_says_why",
                condition=Q(reason__regex=r"[^[:space:]]") | Q(sealed_by__isnull=False),
            ),
            models.CheckConstraint(
                name="corrections_decision_names_its_reader", condition=Q(reader__regex=r"[^[:space:]]")
            ),
            models.CheckConstraint(
                name="corrections_decision_names_its_source",
                condition=~Q(outcome__in=READ_AT_SOURCE)
                | (
                    Q(
                        source_url__regex="^https?://[^[:space:]]+$",
                        reading__regex=r"[^[:space:]]",
                        side__in=Side.values,
                    )
                    & ~Q(source_version="", source_page="", source_table="", source_row="", quote="")
                ),
            ),
            models.CheckConstraint(
                name="corrections_decision_says_what_was_tried",
                condition=~Q(outcome=Outcome.CANNOT_VERIFY) | Q(tried__regex=r"[^[:space:]]"),
            ),
            models.CheckConstraint(
                name="corrections_decision_names_the_original",
                condition=~Q(outcome=Outcome.DUPLICATE)
                | Q(duplicate_of_decision__isnull=False)
                | Q(duplicate_of_report__isnull=False),
            ),
            models.CheckConstraint(
                name="corrections_decision_names_what_it_reverts",
                condition=Q(outcome=Outcome.REVERTED, reverts__isnull=False)
                | Q(~Q(outcome=Outcome.REVERTED), reverts__isnull=True),
            ),
            models.CheckConstraint(
                name="corrections_decision_second_reader_is_another",
                condition=Q(second_reader_id__isnull=True) | ~Q(second_reader_id=models.F("reader_id")),
            ),
            models.UniqueConstraint(
                name="corrections_decision_confirmed_once",
                fields=["duplicate_of_decision"],
                condition=Q(outcome=Outcome.WITHHELD),
            ),
        )
        indexes = (models.Index(name="corrections_decision_by_time", fields=["-at", "-number"]),)
        permissions = (("seal_decision", "Can seal decision"), ("withhold_decision", "Can withhold decision"))

    def __str__(self) -> str:
        return f"#{self.number}"


class Change(models.Model):
    """One cell changed by one decision. `before` and `after` are JSON values; JSON null is "nothing there"."""

    id = models.BigAutoField(primary_key=True)
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="changes")
    record = models.ForeignKey(Record, on_delete=models.PROTECT, related_name="changes")
    field = models.CharField(max_length=200)
    before = models.JSONField(null=True)
    before_salt = models.BinaryField(null=True)
    before_digest = models.BinaryField(max_length=32)
    after = models.JSONField(null=True)
    after_salt = models.BinaryField(null=True)
    after_digest = models.BinaryField(max_length=32)
    previous = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="next")
    sealed_by = models.ForeignKey(Decision, null=True, on_delete=models.PROTECT, related_name="sealed_changes")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="corrections_change_once_a_decision", fields=["decision", "record", "field"]),
            # No forks: a cell has one first change, and a change one successor.
            models.UniqueConstraint(
                name="corrections_change_no_forks", fields=["record", "field", "previous"], nulls_distinct=False
            ),
            models.CheckConstraint(name="corrections_change_names_a_field", condition=~Q(field="")),
        )

    def __str__(self) -> str:
        return f"#{self.decision_id} {self.record_id}.{self.field}"


class ReportQuerySet(models.QuerySet["Report"]):
    """Questions about sets of reports."""

    def counted(self) -> ReportQuerySet:
        """Those that the public sees counted: filed, not held, not yet decided or withdrawn."""
        return self.filter(state__in=COUNTED)

    def undecided(self) -> ReportQuerySet:
        """Those that a reviewer still has to decide, held ones included."""
        return self.filter(state__in=[ReportState.HELD, *COUNTED])


COUNTED = [ReportState.OPEN, ReportState.PROPOSED, ReportState.APPEALED]


class Report(Place):
    """What somebody says is wrong with a record, or one field of it. Born in `submissions.file_report` only."""

    id = models.BigAutoField(primary_key=True)
    record = models.ForeignKey(Record, on_delete=models.PROTECT, related_name="reports")
    address = models.CharField(max_length=400, help_text="The page as the reporter saw it.")
    field = models.CharField(max_length=200, blank=True, help_text="'' is the whole record.")
    kind = models.CharField(max_length=16, choices=ReportKind)
    state = models.CharField(max_length=9, choices=ReportState, default=ReportState.OPEN)
    held_because = models.CharField(max_length=100, blank=True)
    value_seen = models.JSONField(null=True)
    proposed = models.JSONField(null=True)
    source_quote = models.TextField(blank=True)
    comment = models.TextField(blank=True)
    addition = models.TextField(blank=True, help_text="What the reporter added later, on the status page.")
    appeal = models.TextField(blank=True, help_text="Why the reporter appeals the decision; once.")
    joins = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="joined")
    filed_at = models.DateTimeField(db_default=Now())
    filed_by_id = models.BigIntegerField(null=True, help_text="The account, if the reporter was signed in.")
    reporter = models.ForeignKey(Reporter, null=True, on_delete=models.SET_NULL, related_name="reports")
    token_digest = models.BinaryField(max_length=32, unique=True, help_text="sha256 of the status page's token.")
    decision = models.ForeignKey(Decision, null=True, on_delete=models.PROTECT, related_name="reports")
    note = models.TextField(blank=True, help_text="The reviewer's note to the reporter, shown on the status page only.")

    objects = ReportQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="corrections_report_kind_known", condition=Q(kind__in=ReportKind.values)),
            models.CheckConstraint(name="corrections_report_state_known", condition=Q(state__in=ReportState.values)),
            models.CheckConstraint(
                name="corrections_report_decided_names_the_decision",
                condition=~Q(state=ReportState.DECIDED) | Q(decision__isnull=False),
            ),
            models.CheckConstraint(
                name="corrections_report_open_has_no_decision",
                condition=~Q(state__in=[ReportState.HELD, ReportState.OPEN, ReportState.PROPOSED])
                | Q(decision__isnull=True),
            ),
            models.CheckConstraint(
                name="corrections_report_wrong_value_has_a_source",
                condition=~Q(kind=ReportKind.WRONG_VALUE) | ~Q(source_url=""),
            ),
            models.CheckConstraint(
                name="corrections_report_appeal_is_of_a_decision",
                condition=~Q(state=ReportState.APPEALED) | Q(decision__isnull=False, appeal__regex=r"[^[:space:]]"),
            ),
        )
        indexes = (
            models.Index(name="corrections_report_of_cell", fields=["record", "field", "state"]),
            models.Index(name="corrections_report_queue", fields=["state", "filed_at", "id"]),
        )

    def __str__(self) -> str:
        return f"report {self.pk}"


class Claim(models.Model):
    """A reviewer at work on a case, which is a record and a field. It ends by itself, and never blocks looking."""

    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="claims")
    field = models.CharField(max_length=200, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    until = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(name="corrections_claim_one_a_case", fields=["record", "field"]),)

    def __str__(self) -> str:
        return f"{self.record_id}.{self.field} until {self.until}"


class Proposal(models.Model):
    """A decision that needs a second reader. Another person's confirmation makes it one, time or refusal ends it."""

    content = models.JSONField(help_text="The decision as the first reader wrote it, by public keys.")
    reason_shown = models.TextField(help_text="Why a second reader is needed.")
    first_reader = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    first_reader_name = models.CharField(max_length=100)
    reports = models.ManyToManyField(Report, related_name="proposals")
    made_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    decision = models.OneToOneField(Decision, null=True, on_delete=models.PROTECT, related_name="proposal")
    refused_by = models.CharField(max_length=100, blank=True)
    refused_because = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="corrections_proposal_ends_once", condition=Q(decision__isnull=True) | Q(refused_by="")
            ),
        )

    def __str__(self) -> str:
        return f"proposal {self.pk}"


class ReaderName(models.Model):
    """The public name that a member of staff chose; it stays in the log when the account is gone."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE)
    name = models.CharField(max_length=100, unique=True)

    def __str__(self) -> str:
        return self.name


class Notice(models.Model):
    """An e-mail to send: written with what it tells of, in one transaction; sent by `send_notices`, exactly once."""

    reporter = models.ForeignKey(Reporter, on_delete=models.CASCADE, related_name="notices")
    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="notices")
    what = models.CharField(max_length=12, choices=[("confirm", "confirm"), ("decided", "decided")])
    decision = models.ForeignKey(Decision, null=True, on_delete=models.PROTECT, related_name="notices")
    made_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now())
    attempts = models.SmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    dead_because = models.TextField(blank=True, help_text="The last error, once no further attempt is made.")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="corrections_notice_once", fields=["report", "what", "decision"], nulls_distinct=False
            ),
        )
        indexes = (
            models.Index(name="corrections_notice_due", fields=["due_at"], condition=Q(sent_at=None, dead_because="")),
        )

    def __str__(self) -> str:
        return f"{self.what} for report {self.report_id}"


class UsedChallenge(models.Model):
    """A proof of work that was accepted once, so that it is not accepted again while it is valid."""

    digest = models.BinaryField(max_length=32, unique=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"challenge until {self.expires_at}"


class Filing(models.Model):
    """That somebody filed something, for the limits: a salted, rotated digest of the address, never the address."""

    sender = models.BinaryField(max_length=16)
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="filings")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = (
            models.Index(name="corrections_filing_of_sender", fields=["sender", "at"]),
            models.Index(name="corrections_filing_of_record", fields=["record", "at"]),
        )

    def __str__(self) -> str:
        return f"filing at {self.at}"


class Switch(models.Model):
    """One row: whether reports are taken in, and the message shown while they are not."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    intake_open = models.BooleanField(default=True)
    message = models.TextField(blank=True)

    class Meta:
        constraints = (models.CheckConstraint(name="corrections_switch_is_one_row", condition=Q(id=1)),)

    def __str__(self) -> str:
        return "intake open" if self.intake_open else "intake closed"


class ReasonText(models.Model):
    """A reusable text for public reasons."""

    title = models.CharField(max_length=100, unique=True)
    text = models.TextField()
    outcomes = ArrayField(models.CharField(max_length=24, choices=Outcome), default=list, blank=True)

    def __str__(self) -> str:
        return self.title
