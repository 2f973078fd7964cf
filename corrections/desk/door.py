"""The one door of the desk: who may come in, and what is answered to everybody else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from corrections.models import Proposal, ReaderName
from corrections.proposals import waiting


def may_decide(user: User | AnonymousUser) -> bool:
    """Whether somebody is a reader of this desk. At most two queries, once a request."""
    return bool(user.is_active and user.is_staff and user.has_perm("corrections.add_decision"))


def desk(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view one of the desk: the signed-out are sent to sign in, those without the right get 403.

    What the desk shows is for one person: no cache keeps it.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        if not may_decide(request.user):
            raise PermissionDenied("The review desk is for reviewers and editors.")
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-store"
        return response

    return answer


def editors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view of the desk one for editors: other reviewers get 403."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not reader_of(request).has_perm("corrections.withhold_decision"):
            raise PermissionDenied("Only an editor may withhold.")
        return view(request, *args, **kwargs)

    return desk(answer)


def reader_of(request: HttpRequest) -> User:
    """The person at the desk."""
    if not isinstance(request.user, User):
        raise PermissionDenied("The review desk is for reviewers and editors.")
    return request.user


def show(request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """Answer with a page of the desk, in the admin's frame. Two queries: the reader's name, and what waits."""
    reader = reader_of(request)
    name = ReaderName.objects.filter(user_id=reader.pk).values_list("name", flat=True).first()
    frame = {
        **admin.site.each_context(request),
        "is_nav_sidebar_enabled": False,
        "title": title,
        "reader_name": name,
        "proposals_waiting": proposals_waiting(reader),
    }
    return render(request, f"admin/corrections/{template}", {**frame, **context}, status=status)


def proposals_waiting(reader: User) -> int:
    """How many proposals of others wait for a second reader. One query."""
    mine = Proposal.objects.filter(first_reader=reader).values("pk")
    return int(waiting().exclude(pk__in=mine).count())
