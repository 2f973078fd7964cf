"""Addresses of the desk, below /admin/desk/."""

from __future__ import annotations

from typing import Any

from django.urls import path

from corrections.desk.views import case, decisions, queue

app_name = "desk"

# The decorators' types say less than Django's `path` wants to know.
_queue: Any = queue.cases
_spam: Any = queue.close_spam
_name: Any = queue.name
_proposals: Any = decisions.proposals
_proposal: Any = decisions.proposal
_decision: Any = decisions.decision
_case: Any = case.case

urlpatterns = [
    path("", _queue, name="queue"),
    path("spam/", _spam, name="spam"),
    path("name/", _name, name="name"),
    path("proposals/", _proposals, name="proposals"),
    path("proposals/<int:pk>/", _proposal, name="proposal"),
    path("decisions/<int:number>/", _decision, name="decision"),
    path("<path:key>", _case, name="case"),
]
