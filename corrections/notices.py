"""E-mail to reporters: what is sent, to whom, exactly once. The outbox is `Notice`, written with what it tells of.

An address gets one confirmation and nothing else until the link in it is used, so that nobody can have mail sent to
somebody else. Links hold an act of one kind for one reporter; they are signed, and kept nowhere.
"""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from archive.models import SiteVersion
from corrections.models import Notice, Report, Reporter

CONFIRM, UNSUBSCRIBE = "confirm", "unsubscribe"
LINK_HOLDS = timedelta(days=30)
"""For how long a confirmation can be used. A link to unsubscribe always can."""

PAUSES = tuple(timedelta(minutes=m) for m in (1, 10, 60, 6 * 60, 24 * 60, 48 * 60))
"""Before each further attempt at sending; after the last one the notice is dead, and listed."""


def sends_mail() -> bool:
    """Whether this site sends e-mail at all; without, no address is asked for."""
    return bool(settings.EMAIL_URL) or settings.DEBUG


# Links


def token_for(reporter: Reporter, purpose: str) -> str:
    """The secret part of a link: the reporter's number, signed for one purpose."""
    return signing.TimestampSigner(salt=f"corrections.{purpose}").sign(str(reporter.pk)).replace(":", ".")


def reporter_of(token: str, purpose: str) -> Reporter | None:
    """The reporter of a link that holds, or None. One query at most."""
    signer = signing.TimestampSigner(salt=f"corrections.{purpose}")
    try:
        number = signer.unsign(token.replace(".", ":"), max_age=LINK_HOLDS if purpose == CONFIRM else None)
    except signing.BadSignature:
        return None
    return Reporter.objects.filter(pk=int(number)).exclude(email="").first()


def confirm(token: str) -> bool:
    """Note that the address is its owner's and wants to be told. False if the link does not hold."""
    reporter = reporter_of(token, CONFIRM)
    if reporter is None:
        return False
    Reporter.objects.filter(pk=reporter.pk, confirmed_at=None).update(confirmed_at=timezone.now())
    return True


def unsubscribe(token: str) -> bool:
    """Forget the address; what waits to be sent goes with it. False if the link does not hold."""
    reporter = reporter_of(token, UNSUBSCRIBE)
    if reporter is None:
        return False
    with transaction.atomic():
        Reporter.objects.filter(pk=reporter.pk).update(email="", confirmed_at=None)
        Notice.objects.filter(reporter=reporter, sent_at=None).delete()
    return True


def erase(report: Report) -> None:
    """Erase what is kept of the person behind a report: name, address, and what waits to be sent. Never the report."""
    if report.reporter_id is not None:
        erase_reporters(Reporter.objects.filter(pk=report.reporter_id))
        report.refresh_from_db()


def erase_reporters(reporters: QuerySet[Reporter]) -> int:
    """Erase people: their rows and their notices go, reports and log stay. Gives their number.

    Moves the public version, since a name may have been credited on a decision's page.
    """
    with transaction.atomic():
        numbers = list(reporters.values_list("pk", flat=True))
        Report.objects.filter(reporter__in=numbers).update(reporter=None)
        Notice.objects.filter(reporter__in=numbers).delete()
        Reporter.objects.filter(pk__in=numbers).delete()
        if numbers:
            SiteVersion.bump()
    return len(numbers)


# Sending


@dataclass
class Sent:
    """What one round of sending did."""

    sent: int = 0
    failed: int = 0
    dead: int = 0


def due() -> QuerySet[Notice]:
    """What can be sent now, oldest first: confirmations, and the rest to confirmed addresses."""
    ready = Q(what="confirm") | Q(reporter__confirmed_at__isnull=False)
    waiting = Notice.objects.filter(ready, sent_at=None, dead_because="", due_at__lte=timezone.now())
    return waiting.exclude(reporter__email="").order_by("due_at", "pk")


def dead() -> QuerySet[Notice]:
    """What will not be sent any more, because every attempt failed."""
    return Notice.objects.exclude(dead_because="").order_by("pk")


def send_due(most: int = 1_000) -> Sent:
    """Send what is due. Several processes may do so at once: each notice is locked by the one that sends it.

    A notice is marked in the transaction that holds its lock, right after the mail server took the message. Should the
    process die between the two, that one message is sent again; nothing is ever lost.
    """
    done = Sent()
    for _ in range(most):
        with transaction.atomic():
            notice = due().select_related("reporter", "report__record", "decision")
            found = notice.select_for_update(skip_locked=True, of=("self",)).first()
            if found is None:
                return done
            _send(found, done)
    return done


def _send(notice: Notice, done: Sent) -> None:
    notice.attempts += 1
    try:
        message_of(notice).send()
    except (OSError, smtplib.SMTPException, ValueError) as error:
        done.failed += 1
        if notice.attempts > len(PAUSES):
            # The kind of error alone: what a mail server answers may repeat the address.
            notice.dead_because = f"{type(error).__name__} at attempt {notice.attempts}"
            done.dead += 1
        else:
            notice.due_at = timezone.now() + PAUSES[notice.attempts - 1]
    else:
        notice.sent_at = timezone.now()
        done.sent += 1
    notice.save(update_fields=["attempts", "sent_at", "due_at", "dead_because"])


def message_of(notice: Notice) -> EmailMessage:
    """The e-mail of a notice, in plain text. It repeats nothing that the reporter typed."""
    reporter, report = notice.reporter, notice.report
    unsubscribing = _absolute("unsubscribe", token_for(reporter, UNSUBSCRIBE))
    context = {
        "report": report,
        "record": f"{settings.SITE_URL}{report.record.path}",
        "decision": notice.decision,
        "decision_url": _absolute("decision", notice.decision_id) if notice.decision_id else "",
        "confirm_url": _absolute("confirm", token_for(reporter, CONFIRM)),
        "unsubscribe_url": unsubscribing,
        "site": settings.SITE_URL,
        "days": LINK_HOLDS.days,
    }
    subject = "Confirm your address" if notice.what == "confirm" else f"Decision #{notice.decision_id} on your report"
    body = render_to_string(f"corrections/mail/{notice.what}.txt", context)
    headers = {"List-Unsubscribe": f"<{unsubscribing}>", "Auto-Submitted": "auto-generated"}
    return EmailMessage(f"Corrigenda: {subject}", body, to=[reporter.email], headers=headers)


def _absolute(name: str, argument: object) -> str:
    return settings.SITE_URL.rstrip("/") + reverse(f"corrections:{name}", args=[argument])


def listed_dead() -> Iterator[str]:
    """A line for each dead notice, without a name or an address."""
    for notice in dead():
        yield f"notice {notice.pk} ({notice.what}, report {notice.report_id}): {notice.dead_because}"
