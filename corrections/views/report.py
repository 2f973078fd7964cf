"""The form on which anybody reports a problem or proposes a change."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from archive.models import Record
from archive.responses import refuse
from corrections import case, proof, submissions
from corrections.correctable import Field, Invalid, Shape, field_of
from corrections.forms import ReportForm
from corrections.models import Switch
from corrections.notices import sends_mail
from corrections.senders import sender_of
from corrections.views.private import SeeOther, private

TRAPPED = "the field that people do not see was filled in"


@sensitive_post_parameters()
@private
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, key: str) -> HttpResponse:
    """The form, prefilled with what the visitor saw; on POST the report, then its private page."""
    record = Record.objects.select_related("merged_into").filter(key=key).first()
    if record is None:
        return refuse(request, 404, f"The archive has no record at /{key}, so there is nothing to report on.")
    if record.merged_into:
        return SeeOther(reverse("corrections:report", args=[record.merged_into.key]))
    try:
        field = _field(record, request.GET.get("field", ""))
    except Http404 as error:
        return refuse(request, 404, str(error))
    seen = case.of(record, field)
    closed = Switch.objects.filter(id=1, intake_open=False).first()
    data = request.POST if request.method == "POST" else None
    form = ReportForm(
        data, record=record, field=field, now=seen.now, open_reports=seen.open_reports, takes_mail=sends_mail()
    )
    if data is not None and form.is_valid() and (token := _file(request, form)):
        return SeeOther(reverse("corrections:status", args=[token]))
    if form.is_bound:
        form.data = form.as_shown_again()
    context = {"form": form, "case": seen, "record": record, "field": field, "closed": closed}
    return render(request, "corrections/report.html", context, status=422 if form.is_bound else 200)


def _field(record: Record, name: str) -> Field | None:
    if not name:
        return None
    try:
        field = field_of(record, name)
    except Invalid as error:
        raise Http404(str(error)) from error
    if field.shape == Shape.OPERATION:
        raise Http404("Say it of the record as a whole.")
    return field


def _file(request: HttpRequest, form: ReportForm) -> str:
    """The status page's token of the report that was taken in; "" if it was not, and the form says why."""
    typed = form.cleaned_data
    user = getattr(request, "user", None)
    try:
        with transaction.atomic():
            hold = TRAPPED if typed["subject"] else proof.problem_with(typed["altcha"])
            filed = submissions.file_report(
                form.draft(form.record.path),
                sender=sender_of(request),
                hold_because=hold,
                filed_by=user.pk if user and user.is_authenticated else None,
            )
    except submissions.NotTaken as refusal:
        form.complain(refusal.errors)
        return ""
    return filed.token


@private
@require_GET
def challenge(request: HttpRequest) -> HttpResponse:
    """A challenge for the form's proof of work."""
    return JsonResponse(proof.challenge())
