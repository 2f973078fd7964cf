"""Archive text as HTML: links, TeX, images, and whatever is not meant well."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive.markup import LONGEST, is_outgoing, line_of_text, local_address, markdown, plain_text

REL = 'rel="nofollow ugc noreferrer"'


class Inspected(HTMLParser):
    """The tags, the attributes and the text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


class TestLinks:
    @pytest.mark.parametrize(
        ("url", "local"),
        [
            ("https://paperswithcode.com/paper/the-second-conversational-intelligence/", None),
            ("https://paperswithcode.com/paper/the-second-conversational-intelligence", None),
            ("http://www.paperswithcode.com/paper/the-second-conversational-intelligence?x=1#code", None),
            ("paperswithcode.com/paper/the-second-conversational-intelligence", None),
            ("//paperswithcode.com/paper/the-second-conversational-intelligence", None),
            ("/paper/the-second-conversational-intelligence", None),
            ("https://paperswithcode.com/dataset/snli", "/dataset/snli"),
            ("/task/visual-dialogue/", "/task/visual-dialogue"),
            ("/method/adam", "/method/adam"),
            ("https://paperswithcode.com/sota/a-on-b", "/sota/a-on-b"),
        ],
    )
    def test_pages_of_the_old_site_are_ours(self, url: str, local: str | None) -> None:
        assert local_address(url) == (local or "/paper/the-second-conversational-intelligence")

    @pytest.mark.parametrize(
        "url",
        [
            "https://paperswithcode.com/",
            "https://paperswithcode.com/rc2020",
            "https://paperswithcode.com/paper/a/review",
            "https://paperswithcode.com.example.org/paper/a",
            "https://notpaperswithcode.com/paper/a",
            "https://example.org/paper/a",
            "ftp://paperswithcode.com/paper/a",
            "javascript://paperswithcode.com/paper/a",
            "https://[paperswithcode.com/paper/a",
            "//example.org/paper/a",
            "paper/a",
            "",
        ],
    )
    def test_other_addresses_are_not(self, url: str) -> None:
        assert local_address(url) is None

    def test_a_link_to_the_old_site_leads_to_our_page(self) -> None:
        html = markdown("See [SNLI](https://paperswithcode.com/dataset/snli/), [it](/paper/a-b).")
        assert html == '<p>See <a href="/dataset/snli">SNLI</a>, <a href="/paper/a-b">it</a>.</p>\n'

    def test_a_link_elsewhere_earns_nothing_and_tells_nothing(self) -> None:
        html = markdown("[x](https://example.org/a?b=1&c=2)")
        assert html == f'<p><a class="link-out" href="https://example.org/a?b=1&amp;c=2" {REL}>x</a></p>\n'

    @pytest.mark.parametrize("url", ["https://paperswithcode.com/rc2020", "/rc2020"])
    def test_what_only_the_old_site_had_is_marked(self, url: str) -> None:
        html = markdown(f"[x]({url}) y")
        link = f'<a class="link-closed" href="https://paperswithcode.com/rc2020" {REL}>x</a>'
        assert html == f'<p>{link} <span class="link-note">(closed site)</span> y</p>\n'

    @pytest.mark.parametrize("url", ["relative.html", "ftp://example.org/", "#part", "tel:+1"])
    def test_what_leads_nowhere_is_no_link(self, url: str) -> None:
        assert markdown(f"[x]({url})") == '<p><span class="link-none">x</span></p>\n'

    def test_mail_is_a_link(self) -> None:
        assert 'href="mailto:a@example.org"' in markdown("<a@example.org>")

    @pytest.mark.parametrize("url", ["https://example.org/x", " http://example.org "])
    def test_web_addresses_are_outgoing(self, url: str) -> None:
        assert is_outgoing(url)

    @pytest.mark.parametrize("url", [None, "", "javascript:alert(1)", "//x.org", "https://", "http://[", "x.org"])
    def test_others_are_not(self, url: str | None) -> None:
        assert not is_outgoing(url)


class TestTex:
    @pytest.mark.parametrize(
        ("text", "tex"),
        [
            ("$x_1 * y_1$ and *z*", "x_1 * y_1"),
            (r"$f\_{i}\left(x\_{i}\right)$", r"f_{i}\left(x_{i}\right)"),
            (r"\(a \le b\)", r"a \le b"),
            (r"\(n\)", "n"),
            (r"\[a^2\]", "a^2"),
            ("$ z^{l} $", "z^{l}"),
            ("$ v $", "v"),
            ("$$a$$", "a"),
            (r"$a \$ b_1$", r"a \$ b_1"),
            ("$<b>_1$", "&lt;b&gt;_1"),
        ],
    )
    def test_tex_is_shown_as_its_source(self, text: str, tex: str) -> None:
        assert f'<code class="tex">{tex}</code>' in markdown(f"Given {text}.")

    @pytest.mark.parametrize(
        "text",
        ["It costs $5 and $6 more.", "A $ sign", r"\$x\$", r"He said \[sic\] so.", "`$x$`", "US$", r"a \( b"],
    )
    def test_what_is_none_is_left(self, text: str) -> None:
        html = markdown(text)
        assert "tex" not in html
        assert Inspected(html).text.strip() == text.replace("\\$", "$").replace("\\[", "[").replace("\\]", "]").replace(
            "\\(", "("
        ).strip("`")

    def test_a_block_survives_what_markdown_would_make_of_it(self) -> None:
        html = markdown("So\n$$\n a_1\n- b * c * d\n\n# e\n= f\n$$\nthen")
        block = '<pre class="tex-block"><code class="tex">a_1\n- b * c * d\n\n# e\n= f</code></pre>'
        assert html == f"<p>So</p>\n{block}\n<p>then</p>\n"

    def test_a_block_may_stand_on_one_line(self) -> None:
        assert markdown("$$ x = y $$") == '<pre class="tex-block"><code class="tex">x = y</code></pre>\n'

    def test_text_after_the_closing_sign_is_kept(self) -> None:
        html = markdown("$$ x = y $$ where *y* is")
        assert html == '<p><code class="tex">x = y</code> where <em>y</em> is</p>\n'

    def test_an_environment_needs_no_delimiters(self) -> None:
        align = "\\begin{align*}\na &= b_1 \\\\\n- c\n\\end{align*}"
        escaped = align.replace("&", "&amp;")
        assert markdown(f"So\n{align}\n\nthen") == (
            f'<p>So</p>\n<pre class="tex-block"><code class="tex">{escaped}</code></pre>\n<p>then</p>\n'
        )
        inline = "\\begin{align}a_1\\end{align}"
        assert markdown(f"So {inline} then") == f'<p>So <code class="tex">{inline}</code> then</p>\n'
        assert "tex" not in markdown("\\begin{align} a")

    def test_no_end_no_tex(self) -> None:
        assert "tex" not in markdown("$$\nx = y\n\nmore")


class TestImages:
    def test_an_image_becomes_a_link(self) -> None:
        html = markdown("![A *plot*](https://example.org/p.png)")
        words = "image (not shown): A *plot*"
        assert html == f'<p><a class="image-link" href="https://example.org/p.png" {REL}>{words}</a></p>\n'

    def test_without_words_its_file_is_named(self) -> None:
        assert "image (not shown): p.png</a>" in markdown("![](https://example.org/p.png)")

    @pytest.mark.parametrize("url", ["data:image/png;base64,AAAA", "javascript:alert(1)", "p.png"])
    def test_no_address_no_link(self, url: str) -> None:
        assert "<a" not in markdown(f"![x]({url})")

    def test_inside_a_link_there_is_no_second_one(self) -> None:
        html = markdown("[![x](https://example.org/p.png)](https://example.org/)")
        assert Inspected(html).tags == ["p", "a", "span"]


class TestLines:
    def test_lines_that_end_on_purpose_stay_apart(self) -> None:
        html = markdown("Long text that\r\nis wrapped.\r\nSource: [a](/paper/a)\r\nImage Source: b")
        lines = ["Long text that\nis wrapped.", 'Source: <a href="/paper/a">a</a>', "Image Source: b"]
        assert html == "<p>" + "<br>\n".join(lines) + "</p>\n"


class TestHeadings:
    def test_the_highest_stands_below_the_section_s(self) -> None:
        html = markdown("# a\n\n### b\n\n# c")
        assert html == "<h3>a</h3>\n<h5>b</h5>\n<h3>c</h3>\n"
        assert markdown("## a\n\n### b") == "<h3>a</h3>\n<h4>b</h4>\n"
        assert markdown("# a", heading=4) == "<h4>a</h4>\n"

    def test_none_is_lower_than_h6(self) -> None:
        assert Inspected(markdown("# a\n\n###### b")).tags == ["h3", "h6"]


class TestTags:
    def test_the_plainest_tags_work(self) -> None:
        assert markdown("H<sub>2</sub>O<br>x<sup>2</sup>") == "<p>H<sub>2</sub>O<br>x<sup>2</sup></p>\n"

    @pytest.mark.parametrize(
        "text",
        [
            "<script>alert(1)</script>",
            '<img src=x onerror="alert(1)">',
            '<b onclick="alert(1)">x</b>',
            '<a href="javascript:alert(1)">x</a>',
            "<cls> begins, <eos> ends",
            "a <- b <0.5MB",
            "<iframe src=//evil.example></iframe>",
            "<style>*{display:none}</style>",
            "<!-- hidden -->",
        ],
    )
    def test_others_are_shown_as_text(self, text: str) -> None:
        seen = Inspected(markdown(text))
        assert seen.text.strip() == text.removesuffix("</b>")
        assert set(seen.tags) <= {"p"}

    def test_an_open_tag_does_not_leak(self) -> None:
        assert markdown("<sup>a\n\nb").endswith("<p>b</p>\n")


class TestHostile:
    @pytest.mark.parametrize(
        "text",
        [
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](java&#10;script:alert(1))",
            "[x](data:text/html,<script>)",
            "[x](vbscript:x)",
            "<javascript:alert(1)>",
            '[x](https://e.org/"onmouseover="alert(1))',
            "[x]: javascript:alert(1)\n\n[x]",
            '![x"onerror="alert(1)](https://e.org/a"b)',
            '$"><script>_1$',
        ],
    )
    def test_no_script_comes_through(self, text: str) -> None:
        for seen in (Inspected(markdown(text)), Inspected(plain_text(text)), Inspected(line_of_text(text))):
            assert "script" not in seen.tags
            assert {name for name, _ in seen.attributes} <= {"href", "rel", "class"}
            for name, value in seen.attributes:
                assert name != "href" or (value or "").startswith(("https://", "/"))

    @settings(max_examples=300, deadline=None)
    @given(
        st.text(
            alphabet=st.one_of(st.sampled_from("$\\()[]!<>*_`~#-+|&:/\"'= \n\taxj1"), st.characters(codec="utf-8")),
            max_size=120,
        )
    )
    def test_any_text_gives_safe_html(self, text: str) -> None:
        for html in (markdown(text), plain_text(text), line_of_text(text)):
            seen = Inspected(html)
            assert not {"script", "img", "iframe", "style", "form", "input", "svg"} & set(seen.tags)
            assert {name for name, _ in seen.attributes} <= {"href", "rel", "class", "title", "start"}

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [LONGEST, 1_000_000])
    @pytest.mark.parametrize("piece", ["![", "[x][", "$$\n", "\\[", "|a|b|\n|-|-|\n", "> ", "* a\n ", "&", "<b>"])
    def test_time_is_bounded(self, piece: str, size: int) -> None:
        text = (piece * (size // len(piece) + 1))[:size]
        for render in (markdown, plain_text, line_of_text):
            start = time.process_time()
            render(text)
            assert time.process_time() - start < 5  # about 0.7 s where it is worst

    def test_a_text_too_long_to_read_is_shown_whole(self) -> None:
        text = "**a** <b> $x$\n" * (LONGEST // 10)
        for render in (markdown, plain_text, line_of_text):
            assert Inspected(render(text)).text == text

    @pytest.mark.parametrize("nesting", ["> " * 500, "- " * 500, "".join(f"{'  ' * n}- a\n" for n in range(50))])
    def test_text_nested_too_deep_is_shown_whole(self, nesting: str) -> None:
        seen = Inspected(markdown(f"{nesting}end"))
        assert (seen.text, seen.tags) == (f"{nesting}end", ["p"])


class TestPlainText:
    def test_paragraphs_and_bare_addresses(self) -> None:
        html = plain_text("a *b*\nc\r\n\r\nin https://example.org/x_(y). <i>")
        link = f'<a class="link-out" href="https://example.org/x_(y)" {REL}>https://example.org/x_(y)</a>'
        assert html == f"<p>a *b*\nc</p>\n<p>in {link}. &lt;i&gt;</p>\n"

    def test_bare_addresses_of_the_old_site(self) -> None:
        html = plain_text("(https://paperswithcode.com/dataset/snli)")
        assert html == '<p>(<a href="/dataset/snli">https://paperswithcode.com/dataset/snli</a>)</p>\n'

    def test_tex(self) -> None:
        assert plain_text(r"Let $x_1$ cost \$5.") == '<p>Let <code class="tex">x_1</code> cost \\$5.</p>\n'

    def test_a_title(self) -> None:
        title = line_of_text("U$^2$-Net: <0.5MB & https://x.org")
        assert title == 'U<code class="tex">^2</code>-Net: &lt;0.5MB &amp; https://x.org'
