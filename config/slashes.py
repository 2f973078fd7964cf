"""Addresses have no slash at their end; whoever writes one is sent on."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

# The API answers with and without; the admin's own addresses end in one; static files are files.
AS_THEY_ARE = ("/api/", "/admin/", "/static/")


class CanonicalSlashMiddleware:
    """Answers ``/x/`` by 301 to ``/x`` (308 where the method is not GET or HEAD), query included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Redirect or pass on; costs no query."""
        path = request.path_info
        if path == "/" or not path.endswith("/") or path.startswith(AS_THEY_ARE):
            return self.get_response(request)
        # Exactly one slash in front: two would name another host.
        target = escape_uri_path("/" + request.path.strip("/"))
        if query := request.META.get("QUERY_STRING"):
            target += f"?{query}"
        status = 301 if request.method in ("GET", "HEAD") else 308
        return HttpResponse(status=status, headers={"Location": target})
