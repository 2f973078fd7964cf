"""The private page of a report, and the links in e-mails. Reading changes nothing: acts are posts."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from archive.responses import refuse
from corrections import notices, standing, submissions
from corrections.forms import AdditionForm, AppealForm
from corrections.models import Report
from corrections.pages.entries import label_of
from corrections.views.private import SeeOther, unreferred

NO_REPORT = "There is no report at this address. Check that it is whole: it ends in 32 letters, digits, - or _."
NO_LINK = "This link does not hold: it is not whole, or what it was for is done."


@unreferred
@require_http_methods(["GET", "HEAD", "POST"])
def status(request: HttpRequest, token: str) -> HttpResponse:
    """What became of a report; on POST an addition, a withdrawal, or an appeal."""
    report = submissions.by_token(token)
    if report is None:
        return refuse(request, 404, NO_REPORT)
    forms = {"addition": AdditionForm(), "appeal": AppealForm()}
    problem = ""
    if request.method == "POST":
        act = request.POST.get("act", "")
        try:
            _act(report, act, request)
        except submissions.NotTaken as refusal:
            problem = " ".join(refusal.errors.values())
            if act in forms:
                forms[act] = type(forms[act])(request.POST)
                forms[act].add_error(act, refusal.errors.get(act, problem))
        else:
            return SeeOther(reverse("corrections:status", args=[token]))
    label = label_of(report.record.kind, report.field)
    context = {"report": report, "label": label, "standing": standing.of(report), "forms": forms, "problem": problem}
    return render(request, "corrections/status.html", context, status=422 if problem else 200)


def _act(report: Report, act: str, request: HttpRequest) -> None:
    acts: dict[str, Callable[[], None]] = {
        "addition": lambda: submissions.add_to(report, request.POST.get("addition", "")),
        "appeal": lambda: submissions.appeal(report, request.POST.get("appeal", "")),
        "withdraw": lambda: submissions.withdraw(report),
        "erase": lambda: notices.erase(report),
    }
    if act not in acts:
        raise submissions.NotTaken({"": "This is nothing that can be done here."})
    acts[act]()


@unreferred
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether e-mail is wanted, and on POST notes that it is."""
    return _link(request, token, notices.CONFIRM, notices.confirm)


@unreferred
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether e-mail is wanted no more, and on POST forgets the address."""
    return _link(request, token, notices.UNSUBSCRIBE, notices.unsubscribe)


def _link(request: HttpRequest, token: str, purpose: str, act: Callable[[str], bool]) -> HttpResponse:
    posted = request.method == "POST"
    if not (act(token) if posted else notices.reporter_of(token, purpose)):
        return refuse(request, 404, NO_LINK)
    context = {"purpose": purpose, "done": posted}
    return render(request, "corrections/link.html", context)
