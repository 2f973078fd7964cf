"""Adding a code link to a paper, or a row to a leaderboard."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods

from archive.models import Record, RecordKind
from archive.responses import refuse
from corrections.additions import next_key
from corrections.correctable import EXISTS, Invalid
from corrections.decisions import Busy, Refused, decide
from corrections.desk import adding
from corrections.desk import case as cases
from corrections.desk.adding import AddForm
from corrections.desk.case import Case
from corrections.desk.door import desk, reader_of, show
from corrections.desk.problems import Problem, problem_of
from corrections.desk.queue import address_of
from corrections.desk.ruling import made_with
from corrections.desk.typed import remember
from corrections.forms import TypedRecord
from corrections.models import Change, Decision, ReasonText
from corrections.pages.entries import url_of
from corrections.views.private import SeeOther

WORDS = {RecordKind.CODE: "Add a code link", RecordKind.RESULT: "Add a row"}


@desk
@require_GET
def where(request: HttpRequest) -> HttpResponse:
    """Ask to which paper or leaderboard something is to be added, and go there."""
    key = TypedRecord().to_python(request.GET.get("to", ""))
    parents = Record.objects.public().filter(kind__in=adding.ADDED)
    if key and parents.filter(key=key).exists():
        return SeeOther(reverse("desk:add", args=[key]))
    wrong = f"There is no paper or leaderboard at /{key}." if key else ""
    status = 404 if wrong else 200
    return show(request, "add_where.html", "Add a code link or a row", status=status, key=key, wrong=wrong)


@desk
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, key: str) -> HttpResponse:
    """The form of what is added below a record; on POST what the pressed button says."""
    reader = reader_of(request)
    try:
        shown = cases.build(key, "", reader)
    except cases.NoCase as error:
        return refuse(request, 404, str(error))
    if shown.record.kind not in adding.ADDED:
        return refuse(request, 404, "Code links are added to a paper, rows to a leaderboard.")
    if request.method != "POST":
        if told := _closed(shown):
            return refuse(request, 404, told)
        return _page(request, shown, AddForm(case=shown))
    form = AddForm(request.POST, case=shown)
    match request.POST.get("act", ""):
        case "preview":
            return _preview(request, shown, form)
        case "decide":
            return _decide(request, shown, form, reader)
    return refuse(request, 400, "The desk does not know what was pressed.")


def _closed(shown: Case) -> str:
    """Why nothing can be added to the record as it stands; "" if something can."""
    if shown.record.withdrawn or shown.record.merged_into_id or shown.record.quarantined:
        return f"Nothing is added to /{shown.record.key}: it is withdrawn, merged away or quarantined."
    return ""


def _preview(request: HttpRequest, shown: Case, form: AddForm) -> HttpResponse:
    if not form.is_valid():
        return _page(request, shown, form, 422)
    labels = {cell.field.name: cell.field.label for cell in form.cells}
    values = [(labels[name], value) for name, value in form.cleaned_data["values"].items()]
    return _page(
        request, shown, form, preview={"ruling": form.ruling(), "key": next_key(shown.record), "values": values}
    )


def _decide(request: HttpRequest, shown: Case, form: AddForm, reader: User) -> HttpResponse:
    """Add it, or say why not, with everything that was typed."""
    if made := made_with(form.key):
        return _done(request, shown, made, first=False)
    if told := _closed(shown):
        return _page(request, shown, form, 409, problem=Problem("Nothing was added", told))
    if not form.is_valid():
        return _page(request, shown, form, 422)
    try:
        if form.key is None:
            raise Refused("The form has lost its key. Look at what is added and send it again.")
        made = decide(form.ruling(), reader, idempotency_key=form.key)
    except Invalid as error:
        form.add_error(None, str(error))
        return _page(request, shown, form, 422)
    except Refused as refusal:
        if made := made_with(form.key):
            return _done(request, shown, made, first=False)
        fresh = cases.build(shown.record.key, "", reader)
        again = AddForm(request.POST, case=fresh)
        status = 503 if isinstance(refusal, Busy) else 409
        return _page(request, fresh, again, status, problem=problem_of(refusal, again, fresh))
    return _done(request, shown, made, first=True)


def _done(request: HttpRequest, shown: Case, made: Decision, *, first: bool) -> HttpResponse:
    """Back to the record's case, told what was added."""
    change = Change.objects.filter(decision=made, field=EXISTS.name).select_related("record").first()
    added = change.record.key if change else shown.record.key
    told = "Decision <a href='{}'>#{}</a> added <a href='/{}'>{}</a>." if first else (
        "<a href='{}'>#{}</a> added <a href='/{}'>{}</a> already; nothing further was done."
    )  # fmt: skip
    messages.success(request, format_html(told, url_of(made.number), made.number, added, added))
    return SeeOther(address_of(shown.record.key, ""))


def _page(
    request: HttpRequest,
    shown: Case,
    form: AddForm,
    status: int = 200,
    *,
    problem: Problem | None = None,
    preview: dict[str, object] | None = None,
) -> HttpResponse:
    return show(
        request,
        "add.html",
        f"{WORDS[form.kind]}: {shown.record.name or shown.record.key}"[:200],
        status=status,
        words=WORDS[form.kind],
        case=shown,
        form=form,
        seen=remember(shown),
        problem=problem,
        preview=preview,
        reasons=dict(ReasonText.objects.values_list("pk", "text")),
    )
