"""Formatting in templates."""

from __future__ import annotations

import datetime

import pytest
from django.template import Context, Template

from archive.templatetags.archive_format import day, outgoing, thousands

DAY = datetime.date(2025, 7, 8)


@pytest.mark.parametrize(
    ("date", "precision", "words"),
    [
        (DAY, "day", '<time datetime="2025-07-08">8 July 2025</time>'),
        (DAY, None, '<time datetime="2025-07-08">8 July 2025</time>'),
        (datetime.date(2019, 1, 1), "year", '<time datetime="2019">2019</time>'),
        (None, None, ""),
    ],
)
def test_day(date: datetime.date | None, precision: str | None, words: str) -> None:
    assert day(date, precision) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0"), (576261, "576,261"), (None, "")])
def test_thousands(number: int | None, words: str) -> None:
    assert thousands(number) == words


@pytest.mark.parametrize(
    ("url", "words", "html"),
    [
        ("https://paperswithcode.com/paper/a", "A & B", '<a href="/paper/a">A &amp; B</a>'),
        (
            "https://e.org/?a&b",
            None,
            '<a class="link-out" href="https://e.org/?a&amp;b" rel="nofollow ugc noreferrer">'
            "https://e.org/<wbr>?a&amp;b</a>",
        ),
        ("javascript:alert(1)", None, "javascript:alert(1)"),
        (None, "<b>", "&lt;b&gt;"),
        (None, None, ""),
        ("", "Custom", "Custom"),
    ],
)
def test_outgoing(url: str | None, words: str | None, html: str) -> None:
    template = Template("{% load archive_format %}{% outgoing url words %}")
    assert template.render(Context({"url": url, "words": words})) == html
    assert isinstance(outgoing(url, words), str)
