"""The queue, spam in bulk, and the name under which a reader decides."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods

from corrections.decisions import AlreadyDecided, Refused, Ruling, decide
from corrections.desk import queue, spam, withholdings
from corrections.desk.door import desk, reader_of, show
from corrections.desk.forms import NameForm
from corrections.desk.ruling import made_with
from corrections.models import Outcome, ReaderName
from corrections.pages.entries import url_of
from corrections.views.private import SeeOther


@desk
@require_GET
def cases(request: HttpRequest) -> HttpResponse:
    """The queue."""
    after = request.GET.get("after", "")
    page = queue.page(request, reader_of(request), int(after) if after.isdecimal() and len(after) < 19 else 0)
    withheld = withholdings.counts() if reader_of(request).has_perm("corrections.withhold_decision") else None
    return show(request, "queue.html", "Review desk", queue=page, withheld=withheld)


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def close_spam(request: HttpRequest) -> HttpResponse:
    """Look at what is to be closed as spam; on POST close the ticked reports by one decision."""
    reader = reader_of(request)
    batch = spam.batch(request, reader)
    if request.method != "POST":
        return show(request, "spam.html", "Close as spam", batch=batch, key=uuid.uuid4(), problem="")
    key, reports = _key(request), [int(pk) for pk in request.POST.getlist("reports") if pk.isdecimal()]
    reason = request.POST.get("reason", "").strip() or f"Spam: {len(reports)} reports closed together."
    try:
        if not reports:
            raise Refused("Tick the reports that are spam.")
        decision = decide(Ruling(Outcome.SPAM, reason[:5_000], reports=reports), reader, idempotency_key=key)
    except Refused as refusal:
        if (made := made_with(key)) is None:
            status = 409 if isinstance(refusal, AlreadyDecided) else 422
            problem = str(refusal)
            return show(request, "spam.html", "Close as spam", status=status, batch=batch, key=key, problem=problem)
        decision = made
    messages.success(
        request,
        format_html(
            '<a href="{}">#{}</a> closed {} reports as spam.',
            url_of(decision.number),
            decision.number,
            decision.reports_closed,
        ),
    )
    return SeeOther(reverse("desk:queue"))


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def name(request: HttpRequest) -> HttpResponse:
    """The public name: the log says it for ever, so it can change for later decisions only."""
    reader = reader_of(request)
    held = ReaderName.objects.filter(user=reader).first()
    form = NameForm(request.POST or None, initial={"name": held.name if held else ""})
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                ReaderName.objects.update_or_create(user=reader, defaults={"name": form.cleaned_data["name"]})
        except IntegrityError:
            form.add_error("name", "Somebody else decides under this name.")
        else:
            messages.success(request, f"Your decisions appear under the name {form.cleaned_data['name']}.")
            return SeeOther(reverse("desk:queue"))
    status = 422 if form.is_bound else 200
    return show(request, "name.html", "Your public name", status=status, form=form)


def _key(request: HttpRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.POST.get("idempotency_key", ""))
    except ValueError:
        return None
