"""Reports and the log in the admin, to be looked at; decisions are made at the desk only.

The personal data of reporters is not here: neither their table nor a link to it, nor tokens.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from archive.admin import ReadOnlyAdmin
from corrections.desk.queue import address_of
from corrections.display import in_words, isolated
from corrections.models import Change, Decision, Proposal, ReasonText, Report, Switch

admin.site.site_header = admin.site.site_title = "Corrigenda"
admin.site.index_title = "Archive and lists"


class LookedAtAdmin(ReadOnlyAdmin):
    """Rows to be looked at by those whose group may view them."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """As the groups say."""
        return admin.ModelAdmin.has_view_permission(self, request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As the groups say."""
        return admin.ModelAdmin.has_module_permission(self, request)


@admin.register(Decision)
class DecisionAdmin(LookedAtAdmin):
    """The log."""

    ordering = ("-number",)
    list_display = ("number", "kind", "outcome", "side", "at", "reader", "second_reader", "at_the_desk")
    list_filter = ("kind", "outcome")
    search_fields = ("=number", "=reader")
    search_help_text = "A number, or a reader’s public name."
    fields = ("number", "kind", "outcome", "side", "at", "reader", "second_reader", "why", "reports_closed")
    readonly_fields = fields

    @admin.display(description="Reason")
    def why(self, decision: Decision) -> SafeString:
        """The reason, harmless to show."""
        return isolated(decision.reason or "sealed")

    @admin.display(description="Desk")
    def at_the_desk(self, decision: Decision) -> SafeString | str:
        """Where it can be reverted."""
        if decision.kind != "decision":
            return ""
        return format_html('<a href="{}">open</a>', reverse("desk:decision", args=[decision.number]))


@admin.register(Change)
class ChangeAdmin(LookedAtAdmin):
    """The cells that decisions changed."""

    ordering = ("-pk",)
    list_display = ("decision", "record", "field", "was", "became")
    list_select_related = ("decision", "record")
    search_fields = ("=record__key",)
    search_help_text = "A record’s key, whole."
    fields = ("decision", "record", "field", "was", "became", "sealed_by")
    readonly_fields = fields

    @admin.display(description="Before")
    def was(self, change: Change) -> SafeString:
        """The value before, on one line."""
        return isolated("sealed" if change.sealed_by_id else in_words(change.before)[:200])

    @admin.display(description="After")
    def became(self, change: Change) -> SafeString:
        """The value after, on one line."""
        return isolated("sealed" if change.sealed_by_id else in_words(change.after)[:200])


@admin.register(Report)
class ReportAdmin(LookedAtAdmin):
    """What was reported. Nothing of the reporter."""

    list_display = ("pk", "record", "field", "kind", "state", "filed_at", "at_the_desk")
    list_filter = ("state", "kind")
    list_select_related = ("record",)
    search_fields = ("=record__key",)
    search_help_text = "A record’s key, whole."
    fields = ("record", "field", "kind", "state", "filed_at", "said", "source", "decision", "at_the_desk")
    readonly_fields = fields

    @admin.display(description="Comment")
    def said(self, report: Report) -> SafeString:
        """The comment, harmless to show."""
        return isolated(report.comment)

    @admin.display(description="Source")
    def source(self, report: Report) -> SafeString:
        """The source as text; the desk has the link."""
        return isolated(report.source_url)

    @admin.display(description="Desk")
    def at_the_desk(self, report: Report) -> SafeString:
        """The case."""
        return format_html('<a href="{}">open</a>', address_of(report.record.key, report.field))


@admin.register(Proposal)
class ProposalAdmin(LookedAtAdmin):
    """What was put before a second reader."""

    ordering = ("-pk",)
    list_display = ("pk", "first_reader_name", "reason_shown", "made_at", "expires_at", "decision", "refused_by")
    list_select_related = ("decision",)
    fields = ("first_reader_name", "reason_shown", "made_at", "expires_at", "decision", "refused_by")
    readonly_fields = fields


@admin.register(ReasonText)
class ReasonTextAdmin(admin.ModelAdmin):
    """Reusable public reasons. They are no part of the log, so reviewers may change them."""

    list_display = ("title", "outcomes")
    fields = ("title", "text")
    search_fields = ("title",)


@admin.register(Switch)
class SwitchAdmin(admin.ModelAdmin):
    """Whether reports are taken in: one row, for editors."""

    fields = ("intake_open", "message")
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one row."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """There is always one row."""
        return False

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Switch:
        """The row, as it is or as it would be: it is first written when somebody turns the switch."""
        return Switch.objects.filter(pk=1).first() or Switch(pk=1)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The one row, without a list before it."""
        return HttpResponseRedirect(reverse("admin:corrections_switch_change", args=[1]))
