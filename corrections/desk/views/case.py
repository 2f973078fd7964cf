"""A case: looking at it, claiming it, and everything that leads to its decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods

from archive.responses import refuse
from corrections import proposals
from corrections.correctable import Invalid, Value
from corrections.decisions import AlreadyDecided, Busy, Refused, Ruling, Stale, decide
from corrections.desk import case as cases
from corrections.desk import claims, neighbours, queue, readings
from corrections.desk.case import Case
from corrections.desk.door import desk, reader_of, show
from corrections.desk.forms import RulingForm
from corrections.desk.problems import Problem, moved_since, problem_of
from corrections.desk.ruling import made_with, ruling_of
from corrections.desk.typed import remember
from corrections.models import Decision, Proposal, ReasonText, Report
from corrections.pages.entries import label_of, url_of
from corrections.views.private import SeeOther


@dataclass(frozen=True)
class Previewed:
    """A cell as it is and as it will be."""

    record: str
    label: str
    before: Value
    after: Value
    note: str


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def case(request: HttpRequest, key: str) -> HttpResponse:
    """The case of a record and a field; on POST what the pressed button says."""
    field = request.GET.get("field", "")
    reader = reader_of(request)
    try:
        shown = cases.build(key, field, reader)
    except cases.NoCase as error:
        return refuse(request, 404, str(error))
    if request.method != "POST":
        return _page(request, shown, RulingForm(case=shown, reading=readings.of(request, key, field)))
    act = request.POST.get("act", "")
    claims.extend(shown.record, field, reader)
    match act:
        case "decide" | "propose":
            return _rule(request, shown, reader, propose=act == "propose")
        case "preview":
            return _preview(request, shown)
        case "claim" | "release" | "read" | "uncover":
            return _aside(request, shown, reader, act)
        case "extend":
            return HttpResponse(status=204)
    return refuse(request, 400, "The desk does not know what was pressed.")


def _page(request: HttpRequest, shown: Case, form: RulingForm, *, status: int = 200, **context: Any) -> HttpResponse:
    held = claims.live([shown.record.pk]).get((shown.record.pk, shown.name))
    waiting = Proposal.objects.filter(reports__in=shown.all_ids, decision=None, refused_by="").distinct()
    return show(
        request,
        "case.html",
        f"{shown.label}: {shown.record.name or shown.record.key}"[:200],
        status=status,
        case=shown,
        form=form,
        seen=remember(shown),
        covered=shown.is_number and form.read_blind.covers,
        claimed=held,
        mine=held is not None and held.user_id == reader_of(request).pk,
        waiting=list(waiting[:5]),
        back=request.GET.get("back", ""),
        reasons=dict(ReasonText.objects.values_list("pk", "text")),
        **context,
    )


def _aside(request: HttpRequest, shown: Case, reader: User, act: str) -> HttpResponse:
    """Claim, give back, record a reading, uncover: the form goes on with what was typed."""
    problem = None
    key, name = shown.record.key, shown.name
    try:
        match act:
            case "claim":
                claims.claim(shown.record, name, reader)
            case "release":
                claims.release(shown.record, name, reader)
            case "uncover":
                readings.uncover(request, key, name)
            case "read":
                text = request.POST.get("reading", "").strip()[:5_000]
                if not text:
                    raise Refused("Type what you read at the source first.")
                readings.record(request, key, name, text)
    except Refused as refusal:
        problem = Problem("Nothing was done", str(refusal))
    form = RulingForm(case=shown, reading=readings.of(request, key, name))
    form.keep(request.POST)
    return _page(request, shown, form, status=409 if problem else 200, problem=problem)


def _bound(request: HttpRequest, shown: Case) -> RulingForm:
    return RulingForm(request.POST, case=shown, reading=readings.of(request, shown.record.key, shown.name))


def _preview(request: HttpRequest, shown: Case) -> HttpResponse:
    form = _bound(request, shown)
    if problem := _conflict(form, shown):
        return _page(request, shown, form, status=409, problem=problem)
    if not form.is_valid():
        return _page(request, shown, form, status=422)
    ruling = ruling_of(form)
    kinds = {further.record.key: further.record.kind for further in shown.further}
    changed = [
        Previewed(
            want.record,
            label_of(kinds.get(want.record, shown.record.kind), want.field),
            want.seen,
            want.value,
            neighbours.order_note(shown.record, want.field, want.value) if want.record == shown.record.key else "",
        )
        for want in ruling.changes
    ]
    return _page(request, shown, form, preview={"ruling": ruling, "changes": changed})


def _rule(request: HttpRequest, shown: Case, reader: User, *, propose: bool) -> HttpResponse:
    """Decide or propose, or say why not, with everything that was typed."""
    form = _bound(request, shown)
    if made := made_with(form.key):
        return _decided_already(request, shown, reader, made)
    if problem := _conflict(form, shown) or _barred(form, shown, reader):
        if made := made_with(form.key):
            return _decided_already(request, shown, reader, made)
        return _page(request, shown, form, status=409, problem=problem)
    if not form.is_valid():
        return _page(request, shown, form, status=422)
    try:
        told = _make(ruling_of(form), reader, form, propose=propose)
    except Refused as refusal:
        if made := made_with(form.key):
            return _decided_already(request, shown, reader, made)
        fresh = cases.build(shown.record.key, shown.name, reader)
        status = 503 if isinstance(refusal, Busy) else 409
        form = RulingForm(request.POST, case=fresh, reading=form.read_blind)
        return _page(request, fresh, form, status=status, problem=problem_of(refusal, form, fresh))
    except Invalid as error:
        form.add_error("value" if "value" in form.fields else None, str(error))
        return _page(request, shown, form, status=422)
    readings.forget(request, shown.record.key, shown.name)
    claims.release(shown.record, shown.name, reader)
    messages.success(request, told)
    return _onward(request, shown, reader)


def _decided_already(request: HttpRequest, shown: Case, reader: User, made: Decision) -> HttpResponse:
    messages.info(request, f"This was decided already, as #{made.number}; nothing further was done.")
    return _onward(request, shown, reader)


def _make(ruling: Ruling, reader: User, form: RulingForm, *, propose: bool) -> str:
    if propose:
        proposal = proposals.propose(ruling, reader)
        until = f"{proposal.expires_at:%d %B %Y}"
        return f"Proposed to a second reader, until {until}. {proposal.reason_shown}"
    decision = decide(ruling, reader, idempotency_key=form.key)
    return format_html(
        'Decision <a href="{}">#{}</a> is made: {}. {} of its reports closed.',
        url_of(decision.number),
        decision.number,
        decision.get_outcome_display(),
        decision.reports_closed,
    )


def _onward(request: HttpRequest, shown: Case, reader: User) -> HttpResponse:
    """The next case, with the queue's filters; the queue when there is none."""
    back = request.GET.get("back", "")
    following = queue.next_address(request, reader, shown.first, back)
    if following is None:
        messages.info(request, "No further case waits for you.")
        return SeeOther(reverse("desk:queue"))
    return SeeOther(following)


def _barred(form: RulingForm, shown: Case, reader: User) -> Problem | None:
    """Why this reader may not decide the case now."""
    if shown.own:
        return Problem("Not yours to decide", "Nobody decides a report of their own: you filed one on this case.")
    if held := claims.held_by_another(shown.record, shown.name, reader):
        return Problem("Somebody else is at work here", claims.words_of(held))
    if shown.is_number and form.read_blind.covers:
        return Problem("The proposal is still covered", "Record your own reading first, or uncover the proposal.")
    return None


def _conflict(form: RulingForm, shown: Case) -> Problem | None:
    """What happened to the case since the form was shown: decided by another, or another value there."""
    if form.seen is None:
        return None
    gone = set(form.reports) - set(shown.all_reports)
    decided = Report.objects.select_related("decision").filter(pk__in=gone).order_by("pk").first() if gone else None
    if decided is not None:
        return problem_of(AlreadyDecided(decided), form, shown)
    return problem_of(Stale([]), form, shown) if moved_since(form, shown) else None
