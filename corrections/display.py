"""What people typed and what cells hold, shown so that it harms nothing and hides nothing."""

from __future__ import annotations

import re
import unicodedata

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from corrections.correctable import Value

# What shows nothing, or turns the text around it: controls but tab and line ends, formats, fillers that count as
# letters. Joiners after a letter are part of scripts and emoji, and stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]|(?<![^\\s\u200c\u200d])[\u200c\u200d]"
)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Overrides, embeddings, isolates and marks of direction: in a feed's title they would turn the reader's own page.
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def marked(text: str) -> SafeString:
    """A text as HTML, each character that can not be seen replaced by its number."""
    return mark_safe(_UNSEEN.sub(_mark, str(escape(text))))


def isolated(text: str) -> SafeString:
    """The same in an isolate, so that a direction of its own does not reach what stands around it."""
    return format_html('<bdi dir="auto">{}</bdi>', marked(text))


def _mark(match: re.Match[str]) -> str:
    character = match[0]
    name = unicodedata.name(character, "a control character").lower()
    return f'<span class="unseen" title="{escape(name)}">U+{ord(character):04X}</span>'


def for_xml(text: str) -> str:
    """A text as a feed may hold it: what XML has no form for becomes U+FFFD, marks of direction their number."""
    return _DIRECTION.sub(lambda match: f"[U+{ord(match[0]):04X}]", _NOT_XML.sub("\ufffd", text))


def in_words(value: Value) -> str:
    """A cell's value as plain text on one line: "nothing", "yes", "English; French"."""
    match value:
        case None:
            return "nothing"
        case True:
            return "yes"
        case False:
            return "no"
        case []:
            return "an empty list"
        case list():
            return "; ".join(map(str, value))
        case "":
            return "an empty text"
        case _:
            return " ".join(str(value).split())
