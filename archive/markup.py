"""The archive's Markdown and plain text as safe HTML.

Text stays whole: tags that are not the plainest ones are shown as text, images as links that say what they were, TeX
as its source, never broken by Markdown. Links to pages of the old site lead to ours; what is stored stays verbatim.
Time is bounded: a text longer than `LONGEST` is shown as it stands, escaped, its lines kept.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import nh3
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

LONGEST = 30_000
"""Characters of a text that is still looked into; the longest description in 3,275 real records has 9,007."""

DEEPEST = 20
"""Levels of quotes and lists that are still read as such; a list takes two. Time on hostile brackets grows with it."""

OUTGOING = "nofollow ugc noreferrer"

OLD_SITE = "paperswithcode.com"

_OUR_PAGES = re.compile(r"/(paper|dataset|task|method|sota)/([\w-]+)/?\Z")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_PLAIN_TAG = re.compile(r"</?(?:sub|sup|br|b|i|em|strong|u|s|code)\s*/?>\Z", re.IGNORECASE)
_TEX_SIGN = re.compile(r"[\\^_{}=]")
_BARE_LINK = re.compile(r"https?://[^\s<>\"'`\\^{}|]+")
_TRAILING = ".,;:!?'\"\N{RIGHT SINGLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK})]}"
_SOURCE_LABEL = re.compile(r"(?:[A-Z][a-z]+ )?[Ss]ources?\b.{0,9}:")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")

_ATTRIBUTES = {
    "a": {"href", "rel", "class", "title"},
    "code": {"class"},
    "pre": {"class"},
    "span": {"class"},
    "ol": {"start"},
    "th": {"scope"},
}
_TAGS = {
    *("a", "abbr", "b", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p"),
    *("pre", "s", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul"),
}


def markdown(text: str, heading: int = 3) -> SafeString:
    """Render Markdown. Its highest heading becomes an h`heading`, the others follow, none above h6.

    Never raises, whatever the text holds.
    """
    if len(text) > LONGEST:
        return _as_it_stands(text)
    parser = _parser()
    environment: dict[str, Any] = {}
    tokens = parser.parse(text, environment)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return _as_it_stands(text)  # the parser leaves out what lies deeper
    _shift_headings(tokens, heading)
    return _cleaned(parser.renderer.render(tokens, parser.options, environment))


def plain_text(text: str) -> SafeString:
    """Render text that is no Markdown: paragraphs at blank lines, TeX marked, bare addresses as links."""
    if len(text) > LONGEST:
        return _as_it_stands(text)
    paragraphs = _BLANK_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n").strip("\n"))
    return _cleaned("".join(f"<p>{_inline(paragraph, links=True)}</p>\n" for paragraph in paragraphs))


def line_of_text(text: str) -> SafeString:
    """Render a title or name: TeX marked, nothing linked."""
    return mark_safe(escape(text) if len(text) > LONGEST else _inline(text, links=False))


def _as_it_stands(text: str) -> SafeString:
    return format_html('<p class="verbatim">{}</p>', text)


def local_address(url: str) -> str | None:
    """The address on this site of what an address of the old site named: `/paper/x` for any spelling of it.

    None for every other address, and for pages of the old site that have no counterpart.
    """
    place = _on_old_site(url)
    match = _OUR_PAGES.match(place) if place else None
    return f"/{match[1]}/{match[2]}" if match else None


def is_outgoing(url: str | None) -> bool:
    """Whether an address leads to a web page elsewhere, so that it may be a link at all: http or https with a host."""
    if not url:
        return False
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _on_old_site(url: str) -> str | None:
    """The path of an address on the old site, relative ones included; else None."""
    url = url.strip()
    if url.startswith("/") and not url.startswith("//"):
        return url.partition("#")[0].partition("?")[0]
    try:
        parts = urlsplit(url if _SCHEME.match(url) or url.startswith("//") else f"//{url}")
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme in ("", "http", "https") and host.removeprefix("www.") == OLD_SITE:
        return parts.path or "/"
    return None


def _cleaned(html: str) -> SafeString:
    """The second wall: whatever the renderers made, only these tags, attributes and schemes pass."""
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )
    return mark_safe(clean)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": DEEPEST}).enable("table").disable("html_block")
    parser.block.ruler.before("fence", "tex", _tex_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "tex", _tex_inline)
    for rule, render in {
        "tex": _render_tex,
        "tex_block": _render_tex_block,
        "html_inline": _render_tag,
        "softbreak": _render_line_end,
        "image": _render_image,
        "link_open": _render_link_open,
        "link_close": _render_link_close,
    }.items():
        parser.add_render_rule(rule, render)
    return parser


# TeX

_DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_ENVIRONMENT = re.compile(r"\\begin\{([a-z]{1,20}\*?)\}")
_LONGEST_TEX = 4_000


class Tex(NamedTuple):
    """TeX found in a text: its source without delimiters, and the place after its end."""

    source: str
    after: int


def _tex_at(text: str, start: int, *, block: bool = False) -> Tex | None:
    """The TeX that begins at `start`, or None; with `block`, only of the forms that stand apart."""
    if environment := _ENVIRONMENT.match(text, start):
        closing = rf"\end{{{environment[1]}}}"
        end = _closing(text, closing, environment.end())
        return None if end is None else Tex(text[start : end + len(closing)], end + len(closing))
    for opening, closing in _DELIMITERS:
        if not text.startswith(opening, start):
            continue
        begin = start + len(opening)
        end = None if block and opening in ("$", r"\(") else _closing(text, closing, begin)
        if end is None:
            return None
        source = text[begin:end]
        after = end + len(closing)
        if not source.strip() or not _may_be_tex(opening, source, text[after : after + 1]):
            return None
        return Tex(source, after)
    return None


def _closing(text: str, closing: str, begin: int) -> int | None:
    limit = begin + _LONGEST_TEX
    end = text.find(closing, begin, limit)
    while end > 0 and closing[0] == "$" and text[end - 1] == "\\":
        end = text.find(closing, end + 1, limit)
    return end if end >= 0 else None


def _may_be_tex(opening: str, content: str, following: str) -> bool:
    """Tell TeX from prices ("$5 and $6") and from escaped brackets ("\\[sic\\]")."""
    if opening == "$$" or _TEX_SIGN.search(content):
        return True
    inside = content.strip()
    if opening == r"\(":
        return len(inside) == 1
    tight = content == inside or " " not in inside
    return opening == "$" and tight and not following.isdigit()


def _tex_inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _tex_at(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("tex", "code", 0).content = found.source
    state.pos = found.after
    return True


def _tex_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A line that begins with $$, \\[ or \\begin opens a block that reaches to its end, over lists and blank lines."""
    if state.is_code_block(first):
        return False
    found = _tex_at(state.src, state.bMarks[first] + state.tShift[first], block=True)
    if found is None:
        return False
    line = first
    while line < last and state.eMarks[line] < found.after:
        line += 1
    if line >= last or state.src[found.after : state.eMarks[line]].strip():
        return False
    if silent:
        return True
    token = state.push("tex_block", "pre", 0)
    token.content = found.source
    token.map = [first, line + 1]
    state.line = line + 1
    return True


def _tex_html(content: str) -> str:
    # On the old site Markdown came first, so writers escaped what it would have taken: a\_{1} is meant as a_{1}.
    readable = content.strip().replace(r"\_", "_").replace(r"\*", "*")
    return f'<code class="tex">{escape(readable)}</code>'


def _render_tex(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    return _tex_html(tokens[index].content)


def _render_tex_block(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    return f'<pre class="tex-block">{_tex_html(tokens[index].content)}</pre>\n'


# Links, images, tags, headings


def _link_opening(url: str) -> str:
    if local := local_address(url):
        return f'<a href="{escape(local)}">'
    if not _SCHEME.match(url) and (old := _on_old_site(url)):
        url = f"https://{OLD_SITE}{old}"
    kind = "link-closed" if _on_old_site(url) else "link-out"
    return f'<a class="{kind}" href="{escape(url)}" rel="{OUTGOING}">'


def _is_link(url: str) -> bool:
    return is_outgoing(url) or url.startswith("mailto:") or _on_old_site(url) is not None


def _render_link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    url = str(tokens[index].attrGet("href") or "")
    opens = _is_link(url)
    # Links do not nest, so what the closing tag has to be is known from the last opening one.
    env["closing"] = ("</a>" + _mark(url)) if opens else "</span>"
    env["in link"] = opens
    return _link_opening(url) if opens else '<span class="link-none">'


def _render_link_close(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    env["in link"] = False
    return str(env.pop("closing", "</span>"))


def _mark(url: str) -> str:
    """What follows a link into the closed site that leads nowhere on ours."""
    closed = _on_old_site(url) is not None and local_address(url) is None
    return ' <span class="link-note">(closed site)</span>' if closed else ""


def _render_line_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """A line that ends a sentence was ended on purpose, and so was one before a source; others are mere wrapping."""
    before = tokens[index - 1].content.rstrip() if index else ""
    after = tokens[index + 1].content if index + 1 < len(tokens) else ""
    return "<br>\n" if before.endswith((".", ":", "!", "?")) or _SOURCE_LABEL.match(after) else "\n"


def _render_image(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    url = str(token.attrGet("src") or "")
    name = token.content.strip() or url.rpartition("/")[2] or "without a name"
    words = f"image (not shown): {escape(name)}"
    if env.get("in link") or not is_outgoing(url):
        return f'<span class="image-link">{words}</span>'
    return f'<a class="image-link" href="{escape(url)}" rel="{OUTGOING}">{words}</a>'


def _render_tag(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    tag = tokens[index].content
    return tag if _PLAIN_TAG.match(tag) else escape(tag)


def _shift_headings(tokens: Sequence[Token], heading: int) -> None:
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    if not levels:
        return
    shift = heading - min(levels)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + shift)}"


def _inline(text: str, *, links: bool) -> str:
    """Escaped text with TeX marked and, if asked for, bare addresses made links."""
    parts: list[str] = []
    done = 0
    pattern = _TEX_OR_LINK if links else _TEX_START
    match = pattern.search(text)
    while match:
        start = match.start()
        if text[start] == "h":
            url = _bare(match[0])
            found, after = f"{_link_opening(url)}{escape(url)}</a>{_mark(url)}", start + len(url)
        else:
            tex = _tex_at(text, start)
            found, after = (_tex_html(tex.source), tex.after) if tex else ("", start + 1)
        if found:
            parts += [escape(text[done:start]), found]
            done = after
        match = pattern.search(text, after)
    return "".join([*parts, escape(text[done:])])


_TEX_START = re.compile(r"(?<!\\)\$|\\(?:[(\[]|begin\{)")
_TEX_OR_LINK = re.compile(rf"{_TEX_START.pattern}|{_BARE_LINK.pattern}")


def _bare(url: str) -> str:
    """A bare address without the punctuation of the sentence around it; a bracket stays if it was opened inside."""
    while url[-1] in _TRAILING:
        if url[-1] == ")" and url.count("(") >= url.count(")"):
            break
        url = url[:-1]
    return url
