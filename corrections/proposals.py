"""Decisions that need a second reader: proposed by one person, made when another confirms them."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from corrections.decisions import Addition, AlreadyDecided, Read, Refused, Ruling, Wanted, decide, public_name
from corrections.models import COUNTED, Decision, Outcome, Proposal, Report, ReportState

LASTS = timedelta(days=14)


def propose(ruling: Ruling, reader: User) -> Proposal:
    """Put a ruling before a second reader; its reports wait as “proposed”.

    Raises Refused if the reader may not decide or one of the reports is no longer open. About eight queries.
    """
    if not reader.is_active or not reader.has_perm("corrections.add_decision"):
        raise Refused(f"{reader.get_username()} may not decide.")
    if not ruling.reason.strip():
        raise Refused("A proposal says why, as the decision will.")
    name = public_name(reader)
    with transaction.atomic():
        reports = list(Report.objects.filter(pk__in=ruling.reports).order_by("pk").select_for_update())
        for report in reports:
            if report.state not in (ReportState.HELD, *COUNTED) or report.state == ReportState.PROPOSED:
                raise AlreadyDecided(report)
            if report.filed_by_id == reader.pk:
                raise Refused("Nobody decides a report of their own.")
        proposal = Proposal.objects.create(
            content=content_of(ruling),
            reason_shown=ruling.second_reader_because or "The first reader asked for a second.",
            first_reader=reader,
            first_reader_name=name,
            expires_at=timezone.now() + LASTS,
        )
        proposal.reports.set(reports)
        Report.objects.filter(pk__in=[report.pk for report in reports], decision=None).update(
            state=ReportState.PROPOSED
        )
    return proposal


def content_of(ruling: Ruling) -> dict[str, Any]:
    """A ruling as JSON, by public keys."""
    return dataclasses.asdict(ruling) | {"outcome": str(ruling.outcome), "side": str(ruling.side)}


def ruling_of(proposal: Proposal) -> Ruling:
    """The ruling that was proposed. No query."""
    content = dict(proposal.content)
    content["outcome"] = Outcome(content["outcome"])
    content["changes"] = [Wanted(**change) for change in content["changes"]]
    content["additions"] = [Addition(**addition) for addition in content["additions"]]
    content["read"] = Read(**content["read"])
    return Ruling(**content)


def confirm(proposal: Proposal, second_reader: User) -> Decision:
    """Make the decision that was proposed. Raises Refused if it has ended or lapsed, and what `decide` raises."""
    with transaction.atomic():
        proposal = _waiting(proposal)
        if proposal.first_reader is None:
            raise Refused("The first reader's account is gone: propose it anew.")
        decision = decide(ruling_of(proposal), proposal.first_reader, second_reader=second_reader)
        proposal.decision = decision
        proposal.save(update_fields=["decision"])
    return decision


def refuse(proposal: Proposal, reader: User, because: str) -> None:
    """End a proposal without a decision; its reports are open again. Raises Refused."""
    if not reader.has_perm("corrections.add_decision"):
        raise Refused(f"{reader.get_username()} may not decide.")
    if not because.strip():
        raise Refused("Say why the proposal is refused.")
    with transaction.atomic():
        proposal = _waiting(proposal)
        proposal.refused_by, proposal.refused_because = public_name(reader), because.strip()
        proposal.save(update_fields=["refused_by", "refused_because"])
        _reopen(proposal)


def expire() -> int:
    """End every proposal whose time is over; its reports are open again. Gives their number."""
    with transaction.atomic():
        over = Proposal.objects.filter(decision=None, refused_by="", expires_at__lt=timezone.now())
        proposals = list(over.select_for_update())
        for proposal in proposals:
            proposal.refused_by, proposal.refused_because = "time", "No second reader confirmed it in 14 days."
            proposal.save(update_fields=["refused_by", "refused_because"])
            _reopen(proposal)
    return len(proposals)


def waiting() -> Any:
    """The proposals that a second reader may take up, the oldest first."""
    return Proposal.objects.filter(decision=None, refused_by="", expires_at__gte=timezone.now()).order_by("made_at")


def _waiting(proposal: Proposal) -> Proposal:
    proposal = Proposal.objects.select_for_update(of=("self",)).select_related("first_reader").get(pk=proposal.pk)
    if proposal.decision_id is not None:
        raise Refused(f"The proposal became decision #{proposal.decision_id} already.")
    if proposal.refused_by:
        raise Refused(f"The proposal was refused by {proposal.refused_by} already.")
    if proposal.expires_at < timezone.now():
        raise Refused("The proposal's time is over.")
    return proposal


def _reopen(proposal: Proposal) -> None:
    proposal.reports.filter(state=ReportState.PROPOSED, decision=None).update(state=ReportState.OPEN)
