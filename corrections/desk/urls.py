"""Addresses of the desk, below /admin/desk/."""

from __future__ import annotations

from typing import Any

from django.urls import path

from corrections.desk.views import add, case, decisions, queue, withhold

app_name = "desk"

# The decorators' types say less than Django's `path` wants to know.
_queue: Any = queue.cases
_spam: Any = queue.close_spam
_name: Any = queue.name
_proposals: Any = decisions.proposals
_proposal: Any = decisions.proposal
_decision: Any = decisions.decision
_withhold: Any = withhold.withhold
_withheld: Any = withhold.withheld
_add: Any = add.add
_add_where: Any = add.where
_case: Any = case.case

urlpatterns = [
    path("", _queue, name="queue"),
    path("spam/", _spam, name="spam"),
    path("name/", _name, name="name"),
    path("proposals/", _proposals, name="proposals"),
    path("proposals/<int:pk>/", _proposal, name="proposal"),
    path("decisions/<int:number>/", _decision, name="decision"),
    path("withheld/", _withheld, name="withheld"),
    path("withhold/<path:key>", _withhold, name="withhold"),
    path("add/", _add_where, name="add-where"),
    path("add/<path:key>", _add, name="add"),
    path("<path:key>", _case, name="case"),
]
