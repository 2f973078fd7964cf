"""What is kept out of the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.test import Client

from config.logs import WithoutSecrets


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["status", "confirm", "unsubscribe"])
def test_a_failing_private_page_leaves_no_secret(monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("corrections.submissions.by_token", fail)
    monkeypatch.setattr("corrections.notices.reporter_of", fail)
    stream = logging.getLogger("django").handlers[0]
    lines: list[str] = []
    monkeypatch.setattr(stream, "emit", lambda record: lines.append(stream.format(record)))
    assert Client(raise_request_exception=False).get(f"/report/{page}/a-secret-token").status_code == 500
    (line,) = lines
    assert f"/report/{page}/…" in line and "RuntimeError: broken" in line and "a-secret-token" not in line


def test_other_lines_are_left_alone() -> None:
    record = logging.LogRecord("x", logging.ERROR, "", 0, "%s of %d at %s", ("a", 2, "/report/dataset/x"), None)
    assert WithoutSecrets().filter(record) and record.getMessage() == "a of 2 at /report/dataset/x"
