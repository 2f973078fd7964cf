"""Withholding a text at once, and confirming what another editor withheld."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from archive.responses import refuse
from corrections import withholding
from corrections.correctable import Invalid
from corrections.decisions import Busy, Refused, Stale
from corrections.desk import case as cases
from corrections.desk import claims, readings, withholdings
from corrections.desk.case import Case
from corrections.desk.door import editors, reader_of, show
from corrections.desk.problems import Problem, moved_since, problem_of
from corrections.desk.queue import address_of
from corrections.desk.typed import remember
from corrections.desk.withholdings import WithholdForm
from corrections.models import Change, Decision
from corrections.pages.entries import url_of
from corrections.views.private import SeeOther


@editors
@require_http_methods(["GET", "HEAD", "POST"])
def withhold(request: HttpRequest, key: str) -> HttpResponse:
    """What withholding a cell will do; on POST it is done."""
    editor, field = reader_of(request), request.GET.get("field", "")
    try:
        shown = cases.build(key, field, editor)
    except cases.NoCase as error:
        return refuse(request, 404, str(error))
    standing, posted = withholdings.of_cell(shown), request.method == "POST"
    if standing is not None and (not posted or standing.reader_id == editor.pk):
        messages.info(request, format_html("It is withheld already, by {}.", _link(standing)))
        return SeeOther(reverse("desk:withheld"))
    if not posted:
        if not shown.can_be_withheld:
            return refuse(request, 404, shown.kept_because)
        return _page(request, shown, WithholdForm(case=shown))
    form = WithholdForm(request.POST, case=shown)
    if not shown.can_be_withheld:
        told = "Another editor withheld it." if standing else shown.kept_because
        return _page(request, shown, form, 409, problem=Problem("Nothing to withhold", told, decision=standing))
    return _act(request, shown, form, editor)


def _act(request: HttpRequest, shown: Case, form: WithholdForm, editor: User) -> HttpResponse:
    if form.seen is not None and moved_since(form, shown):
        return _page(request, shown, form, 409, problem=problem_of(Stale([]), form, shown))
    if not form.is_valid():
        return _page(request, shown, form, 422)
    key, field = shown.record.key, shown.name
    try:
        made = withholding.withhold(key, field, form.cleaned_data["reason"], editor, reports=form.reports)
    except (Refused, Invalid) as refusal:
        return _refused(request, refusal, form, editor)
    claims.release(shown.record, field, editor)
    readings.forget(request, key, field)
    told = "{} took the text off the site and closed {} reports. Another editor has to confirm it within a week."
    messages.success(request, format_html(told, _link(made), made.reports_closed))
    return SeeOther(reverse("desk:withheld"))


def _refused(request: HttpRequest, refusal: Exception, form: WithholdForm, editor: User) -> HttpResponse:
    """Of two submits at once the second comes here: it is told what the first did, or sent where that is listed."""
    shown = cases.build(form.case.record.key, form.case.name, editor)
    standing = withholdings.of_cell(shown)
    if standing is not None and standing.reader_id == editor.pk:
        messages.info(request, format_html("It is withheld already, by {}.", _link(standing)))
        return SeeOther(reverse("desk:withheld"))
    if isinstance(refusal, Refused):
        problem = problem_of(refusal, form, shown)
    else:
        problem = Problem("Nothing was withheld", str(refusal))
    again = WithholdForm(request.POST, case=shown)
    return _page(request, shown, again, 503 if isinstance(refusal, Busy) else 409, problem=problem)


def _page(
    request: HttpRequest, shown: Case, form: WithholdForm, status: int = 200, *, problem: Problem | None = None
) -> HttpResponse:
    return show(
        request,
        "withhold.html",
        f"Withhold at once: {shown.label} of {shown.record.name or shown.record.key}"[:200],
        status=status,
        case=shown,
        form=form,
        seen=remember(shown),
        problem=problem,
        copies=len(withholding.copies(shown.record, shown.name, shown.now)),
        earlier=Change.objects.filter(record=shown.record, field=shown.name, sealed_by=None).count(),
        case_url=address_of(shown.record.key, shown.name),
    )


@editors
@require_http_methods(["GET", "HEAD", "POST"])
def withheld(request: HttpRequest) -> HttpResponse:
    """What waits for another editor's word, the oldest first; on POST one of them is confirmed."""
    editor, problem, status, sent = reader_of(request), "", 200, None
    made: Decision | None
    if request.method == "POST":
        number, sent = _number(request.POST.get("number", "")), request.POST
        form = withholdings.form_of(number, sent)
        status = 422
        if form.is_valid():
            try:
                made = withholding.confirm(number, form.cleaned_data["reason"], editor)
            except Refused as refusal:
                problem, status = str(refusal), 503 if isinstance(refusal, Busy) else 409
                made = withholdings.confirmed_by(number, editor)
            if made is not None:
                messages.success(request, format_html("#{} is confirmed, by {}.", number, _link(made)))
                return SeeOther(reverse("desk:withheld"))
    shown, more = withholdings.waiting(editor, sent)
    context: dict[str, Any] = {"waiting": shown, "more": more, "problem": problem}
    return show(request, "withheld.html", "Withheld, to be confirmed", status=status, **context)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def _link(made: Decision) -> SafeString:
    return format_html('<a href="{}">#{}</a>', url_of(made.number), made.number)
