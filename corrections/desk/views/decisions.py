"""Proposals that wait for a second reader, and decisions that may have to be undone or sealed."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_http_methods

from archive.models import Record
from archive.responses import refuse
from corrections import proposals as proposing
from corrections.correctable import Invalid
from corrections.decisions import Busy, NeedsSecondReader, Refused, Ruling, Wanted, revert
from corrections.desk.case import read_cells
from corrections.desk.door import desk, reader_of, show
from corrections.desk.forms import WhyForm
from corrections.desk.ruling import made_with
from corrections.models import Change, Decision, EntryKind, Outcome, Proposal
from corrections.pages.entries import label_of, url_of
from corrections.sealing import seal
from corrections.views.private import SeeOther

PROPOSALS_SHOWN = 100
CHANGES_SHOWN = 200


@desk
@require_GET
def proposals(request: HttpRequest) -> HttpResponse:
    """What waits for a second reader, the oldest first."""
    found = list(proposing.waiting().select_related("first_reader")[: PROPOSALS_SHOWN + 1])
    return show(
        request,
        "proposals.html",
        "Waiting for a second reader",
        proposals=[{"proposal": one, "ruling": proposing.ruling_of(one)} for one in found[:PROPOSALS_SHOWN]],
        more=len(found) > PROPOSALS_SHOWN,
    )


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def proposal(request: HttpRequest, pk: int) -> HttpResponse:
    """One proposal; on POST confirmed, which makes the decision, or refused."""
    found = Proposal.objects.select_related("first_reader", "decision").filter(pk=pk).first()
    if found is None:
        return refuse(request, 404, "There is no such proposal.")
    problem, status, form = "", 200, WhyForm(request.POST or None)
    if request.method == "POST":
        try:
            told = _end(request, found, form)
        except (Refused, Invalid) as refusal:
            problem, status = str(refusal), 503 if isinstance(refusal, Busy) else 409
        else:
            if told is not None:
                messages.success(request, told)
                return SeeOther(reverse("desk:proposals"))
            status = 422
        found.refresh_from_db()
    ruling = proposing.ruling_of(found)
    context = {"proposal": found, "ruling": ruling, "cells": _cells(ruling), "form": form, "problem": problem}
    context["reports"] = found.reports.select_related("record").order_by("id")[:CHANGES_SHOWN]
    context["mine"] = found.first_reader_id == reader_of(request).pk
    return show(request, "proposal.html", f"Proposal by {found.first_reader_name}", status=status, **context)


def _end(request: HttpRequest, found: Proposal, form: WhyForm) -> str | None:
    """Confirm or refuse; None where the refusal's reason is missing."""
    if request.POST.get("act") == "confirm":
        return _made(proposing.confirm(found, reader_of(request)))
    if not form.is_valid():
        return None
    proposing.refuse(found, reader_of(request), form.cleaned_data["reason"])
    return "The proposal is refused; its reports are open again."


def _cells(ruling: Ruling) -> list[dict[str, Any]]:
    """The cells of a ruling: what was seen, what is there now, what is wanted. Two queries."""
    records = {record.key: record for record in Record.objects.filter(key__in={want.record for want in ruling.changes})}
    wanted = [want for want in ruling.changes[:CHANGES_SHOWN] if want.record in records]
    values = read_cells([(records[want.record].pk, want.field) for want in wanted])
    return [
        {"want": want, "label": label_of(records[want.record].kind, want.field), "now": now, "moved": now != want.seen}
        for want, now in zip(wanted, values, strict=True)
    ]


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, number: int) -> HttpResponse:
    """A decision; on POST reverted, which is a new decision, or sealed."""
    found = Decision.objects.filter(number=number, kind=EntryKind.DECISION).first()
    if found is None:
        return refuse(request, 404, f"There is no decision #{number}.")
    problem, status, form, second = "", 200, WhyForm(request.POST or None), False
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                messages.success(request, _undo(request, found, form.cleaned_data["reason"]))
                return SeeOther(reverse("desk:decision", args=[number]))
            except (Refused, Invalid) as refusal:
                problem, status = str(refusal), 503 if isinstance(refusal, Busy) else 409
                second = isinstance(refusal, NeedsSecondReader)
    changes = list(Change.objects.filter(decision=found).select_related("record").order_by("record__key", "field"))
    return show(
        request,
        "decision.html",
        f"Decision #{number}",
        status=status,
        decision=found,
        changes=[{"change": c, "label": label_of(c.record.kind, c.field)} for c in changes[:CHANGES_SHOWN]],
        reverted_by=Decision.objects.filter(reverts=found).order_by("number").first(),
        public_url=url_of(number),
        form=form,
        key=request.POST.get("idempotency_key") or uuid.uuid4(),
        problem=problem,
        second_reader=second,
        may_seal=request.user.has_perm("corrections.seal_decision"),
    )


def _undo(request: HttpRequest, found: Decision, reason: str) -> str | SafeString:
    reader, act = reader_of(request), request.POST.get("act")
    if act == "propose":
        proposing.propose(_reverting(found, reason), reader)
        return "Proposed to a second reader."
    if act == "seal":
        cells = [tuple(cell.split("?", 1)) for cell in request.POST.getlist("cells") if "?" in cell]
        return _made(seal(found.number, reason, reader, cells=[(key, field) for key, field in cells]))
    try:
        key = uuid.UUID(request.POST.get("idempotency_key", ""))
    except ValueError as error:
        raise Refused("The form has lost its key. Open the page anew.") from error
    try:
        return _made(revert(found.number, reason, reader, idempotency_key=key))
    except Refused:
        if made := made_with(key):
            return _made(made)
        raise


def _reverting(found: Decision, reason: str) -> Ruling:
    """The ruling that undoes a decision, for a second reader."""
    changes = Change.objects.filter(decision=found, sealed_by=None).select_related("record")
    wanted = [
        Wanted(change.record.key, change.field, seen=change.after, value=change.before)
        for change in changes.order_by("record__key", "field")
    ]
    return Ruling(Outcome.REVERTED, reason, changes=wanted, reverts=found.number)


def _made(entry: Decision) -> SafeString:
    return format_html('Entry <a href="{}">#{}</a> is made.', url_of(entry.number), entry.number)
