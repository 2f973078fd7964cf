"""What stands in a page's head for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from archive.exporters import linked_data
from archive.pages.base import Page
from archive.pages.paper import PaperPage

register = template.Library()

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Inside a script element nothing else is escaped, and `</script>` in a title would end it."""


def site_of(context: Mapping[str, Any]) -> str:
    """Scheme and host, as the request names them: `ALLOWED_HOSTS` has checked the host."""
    request = context["request"]
    return f"{request.scheme}://{request.get_host()}"


@register.simple_tag(takes_context=True)
def site(context: Mapping[str, Any]) -> str:
    """Scheme and host, before an address that has to be whole."""
    return site_of(context)


@register.simple_tag(takes_context=True)
def json_ld(context: Mapping[str, Any], page: Page) -> SafeString:
    """A page's JSON-LD as blocks of data, which no content policy takes for scripts."""
    blocks = (json.dumps(thing, ensure_ascii=False) for thing in linked_data.json_ld(page, site_of(context)))
    return mark_safe(
        "".join(f'<script type="application/ld+json">{block.translate(_ESCAPES)}</script>' for block in blocks)
    )


@register.simple_tag
def description(page: Page) -> str:
    """A page in a sentence or two."""
    return linked_data.description(page)


@register.simple_tag
def citation_tags(page: PaperPage) -> Sequence[tuple[str, str]]:
    """A paper's bibliographic tags: name and content."""
    return linked_data.citation_tags(page)
