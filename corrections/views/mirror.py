"""The log for mirrors: JSON lines by public keys."""

from __future__ import annotations

from django.http import HttpRequest, StreamingHttpResponse

from archive.responses import CACHE_CONTROL
from corrections.ledger import lines
from corrections.views.log import number_in


def changes(request: HttpRequest) -> StreamingHttpResponse:
    """The log as JSON lines, oldest first; `?after=<number>` gives the entries that follow. Streams."""
    answer = StreamingHttpResponse(
        lines(number_in(request, "after") or 0), content_type="application/jsonl; charset=utf-8"
    )
    answer["Cache-Control"] = CACHE_CONTROL
    answer["Access-Control-Allow-Origin"] = "*"
    return answer
