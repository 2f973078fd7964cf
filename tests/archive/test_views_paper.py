"""The paper page, through the reader's door."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from archive.importers.dump_files import DumpKind
from archive.models import CodeLink, Dataset, Leaderboard, Paper, Record, Result
from archive.pages.paper import AUTHORS_SHOWN, CODE_SHOWN, NOT_RUN, RESULTS_SHOWN
from tests.archive.conftest import SEEDS, Importing
from tests.archive.dump_records import RTL, SCRIPT, code, paper, printed_method, row, table
from tests.archive.dumps import write_dumps

pytestmark = pytest.mark.django_db

MMDIALOG = "/paper/mmdialog-a-large-scale-multi-turn-dialogue"


class Texts(HTMLParser):
    """What a reader reads of a page: its text, the cells of its tables by row, and its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.rows: list[list[str]] = []
        self.links: dict[str, dict[str, str | None]] = {}
        self.script_tags, self.in_cell = 0, False
        self.feed(html)
        self.text = re.sub(r"\s+", " ", self.text)
        self.rows = [[cell.strip() for cell in cells] for cells in self.rows]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True
        elif tag == "script" and "src" not in dict(attrs) and dict(attrs).get("type") != "application/ld+json":
            self.script_tags += 1
        elif tag == "a":
            self.links.setdefault(dict(attrs).get("href") or "", dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.in_cell:
            self.rows[-1][-1] = re.sub(r"\s+", " ", self.rows[-1][-1] + data)


def read(client: Client, path: str) -> Texts:
    response = client.get(path)
    assert response.status_code == 200
    return Texts(response.content.decode())


@pytest.mark.usefixtures("seed_archive")
class TestSeed:
    """The record of the seed document."""

    @pytest.fixture
    def lines(self) -> list[str]:
        (path,) = SEEDS.glob("002_*.txt")
        return path.read_text().splitlines()

    def test_rows_have_their_ranks(self, client: Client) -> None:
        rows = read(client, MMDIALOG).rows
        board = "Archive leaderboard of Multimodal Intent Recognition on MMDialog"
        about = ["Multimodal Intent Recognition", "MMDialog"]
        assert [row for row in rows if "F1" in row] == [
            [*about, "Divter report Divter", "F1", "75.5", "#2 of 4", board],
            [*about, "DE++ report DE++", "F1", "59.0", "#3 of 4", board],
        ]

    def test_json_has_the_same_rows(self, client: Client) -> None:
        results = client.get(f"{MMDIALOG}.json").json()["results"]
        told = [(r["model"], r["metrics"], r["rank"], r["rows"], r["rank_at_snapshot"]) for r in results]
        assert told == [("Divter", {"F1": "75.5"}, 2, 4, "#2 of 4"), ("DE++", {"F1": "59.0"}, 3, 4, "#3 of 4")]
        assert {r["leaderboard"] for r in results} == {"/sota/multimodal-intent-recognition-on-mmdialog"}
        assert [r["row"] for r in results] == [f"{results[0]['leaderboard']}/row/{n}" for n in (2, 3)]

    def test_sections_and_sentences_come_in_the_order_of_the_seed(self, client: Client, lines: list[str]) -> None:
        text = read(client, MMDIALOG).text
        said = [
            lines[1],
            *lines[2].split(", "),
            lines[3],
            "Code",
            "Repository list and official/mentioned flags are the archive's, frozen 2025-07-28.",
            "GitHub stars are not tracked.",
            "Code Syntology ran",
            "Not run by Syntology. Nothing on this page verifies that the listed code works.",
            "Tasks",
            "Datasets",
            "Introduced by this paper, per the archive.",
            "Results from the paper archive 2025-07-28",
            next(line for line in lines if line.startswith("Ranks are positions")),
        ]
        # Every sentence is the seed's own; the one about probes needs probes.
        assert all(sentence in "\n".join(lines) for sentence in said)
        place = text.index("Papers › ") if "Papers › " in text else 0
        for sentence in said:
            place = text.index(sentence, place)
            place += len(sentence)

    def test_nothing_is_said_of_probes_or_the_atlas_without_them(self, client: Client) -> None:
        text = read(client, MMDIALOG).text
        assert not re.search(r"reachab|probe|atlas", text, re.IGNORECASE)
        assert "★" not in text

    def test_links_lead_to_the_records(self, client: Client) -> None:
        links = read(client, MMDIALOG).links
        assert {
            "/papers",
            "/author/qingwei-lin",
            "/task/multimodal-intent-recognition",
            "/dataset/mmdialog",
            "/sota/multimodal-intent-recognition-on-mmdialog",
            "/sota/multimodal-intent-recognition-on-mmdialog/row/2",
        } <= set(links)
        # The abstract's own address ends before the full stop of its sentence.
        assert links["https://github.com/victorsungo/MMDialog"]["rel"] == "nofollow ugc noreferrer"

    def test_a_row_is_never_called_the_best(self, client: Client) -> None:
        response = client.get(MMDIALOG)
        without_abstract = response.content.decode().replace("with state-of-the-art techniques", "")
        assert not re.search(r"state.of.the.art|\bSOTA\b|\bbest\b", without_abstract)

    def test_a_paper_with_nothing_says_why(self, client: Client) -> None:
        page = client.get("/paper/training-millions-of-personalized-dialogue.json").json()
        for key in ("authors", "abstract", "code", "tasks", "datasets_introduced", "methods", "results", "proceeding"):
            assert not page[key]
            assert page["absent"][key]["reason"] == "not-in-archive"
        assert page["absent"]["syntology"] == {"reason": "not-run", "sentence": NOT_RUN}
        text = read(client, "/paper/training-millions-of-personalized-dialogue").text
        for absent in page["absent"].values():
            assert absent["sentence"] in text


@pytest.mark.usefixtures("tiny_archive")
class TestTiny:
    """What the archive says, and what it leaves open."""

    def get(self, client: Client, slug: str) -> dict[str, Any]:
        page: dict[str, Any] = client.get(f"/paper/{slug}.json").json()
        return page

    def test_spellings_stay_as_printed(self, client: Client) -> None:
        authors = self.get(client, "long-short-term-memory")["authors"]
        assert [author["name"] for author in authors] == [
            "Sepp Hochreiter",
            "Jürgen Schmidhuber",
            "Jurgen Schmidhuber",
        ]
        assert len({author["url"] for author in authors}) == 3

    def test_near_duplicate_addresses_share_a_repository_and_stay_apart(self, client: Client) -> None:
        slug = Paper.objects.get(title__startswith="U$^2$").record.slug
        links = self.get(client, slug)["code"]
        assert [link["url"] for link in links] == [
            "https://github.com/xuebinqin/U-2-Net",
            "https://github.com/XuebinQin/u-2-net.git",
        ]
        assert len({link["repository"] for link in links}) == 1
        assert [link["title"] for link in links] == ["xuebinqin/U-2-Net", "XuebinQin/u-2-net"]
        assert [link["framework"] for link in links] == ["pytorch", "none"]

    def test_methods_introduced_and_used(self, client: Client) -> None:
        page = self.get(client, "attention-is-all-you-need")
        assert page["methods_introduced"] == [{"name": "Transformer", "url": "/method/transformer"}]
        assert [method["url"] for method in page["methods"]] == ["/method/transformer", "/method/resnet"]

    def test_a_conference_version_that_is_not_here_is_told(self, client: Client) -> None:
        page = self.get(client, "deep-residual-learning-for-image-recognition")
        assert page["conference"] == {"printed": "deep-residual-learning-for-image-recognition-1", "url": None}
        assert page["absent"]["conference.url"]["reason"] == "not-matched"

    def test_a_date_after_the_snapshot_is_doubted(self, client: Client) -> None:
        Paper.objects.filter(record__key="paper/attention-is-all-you-need").update(date="2031-05-05")
        assert "can not be right" in self.get(client, "attention-is-all-you-need")["date_note"]
        assert "can not be right" in read(client, "/paper/attention-is-all-you-need").text

    def test_null_flags_are_not_no(self, client: Client) -> None:
        CodeLink.objects.filter(record__key="paper/attention-is-all-you-need/code/2").update(
            is_official=None, mentioned_in_github=None
        )
        assert self.get(client, "attention-is-all-you-need")["code"][1]["is_official"] is None
        assert "not given" in read(client, "/paper/attention-is-all-you-need").text

    def test_the_official_repository_comes_first(self, client: Client) -> None:
        links = CodeLink.objects.filter(record__key__startswith="paper/attention-is-all-you-need/code/")
        links.filter(number=1).update(is_official=None)
        links.filter(number=2).update(is_official=True)
        keys = [link["key"][-1] for link in self.get(client, "attention-is-all-you-need")["code"]]
        assert keys == ["2", "1"]

    @pytest.mark.parametrize("state", [{"quarantined": "x"}, {"withdrawn": True}])
    def test_what_is_not_public_is_absent(self, client: Client, state: dict[str, Any]) -> None:
        before = self.get(client, "attention-is-all-you-need")
        row = Result.objects.filter(paper__record__key="paper/attention-is-all-you-need").first()
        assert row and before["code"] and before["methods_introduced"] and before["results"]
        hidden = [
            before["code"][0]["key"],
            "method/transformer",
            row.record.key,
            before["tasks"][0]["url"].lstrip("/"),
        ]
        assert Record.objects.filter(key__in=hidden).update(**state) == 4
        after = self.get(client, "attention-is-all-you-need")
        assert len(after["code"]) == len(before["code"]) - 1
        assert after["methods_introduced"] == [] and after["methods"][0]["url"] is None
        assert len(after["results"]) == len(before["results"]) - 1
        assert after["tasks"][0] == {"name": before["tasks"][0]["name"], "url": None}
        page = client.get("/paper/attention-is-all-you-need").content.decode()
        assert 'href="/method/transformer"' not in page and f'href="/{row.record.key}"' not in page

    def test_rows_of_a_hidden_leaderboard_are_absent(self, client: Client) -> None:
        boards = Leaderboard.objects.filter(results__paper__record__key="paper/attention-is-all-you-need")
        Record.objects.filter(pk__in=boards.values("pk")).update(withdrawn=True)
        assert self.get(client, "attention-is-all-you-need")["results"] == []

    def test_a_row_without_a_place_has_no_rank(self, client: Client) -> None:
        Result.objects.filter(paper__record__key="paper/attention-is-all-you-need").update(position=None)
        row = self.get(client, "attention-is-all-you-need")["results"][0]
        assert row["rank"] is None and row["rank_at_snapshot"] is None
        assert row["absent"]["rank"]["reason"] == "no-rank"
        assert row["absent"]["rank"]["sentence"] in read(client, "/paper/attention-is-all-you-need").text

    def test_an_unmatched_dataset_is_named_without_a_link(self, client: Client) -> None:
        Leaderboard.objects.update(dataset=None, dataset_matched="")
        row = self.get(client, "attention-is-all-you-need")["results"][0]
        assert row["dataset_variant"] and row["dataset"] is None
        assert row["absent"]["dataset"]["reason"] == "not-matched"

    def test_a_paper_that_only_links_name_is_not_here(self, client: Client) -> None:
        assert client.get("/paper/only-a-link-names-this").status_code == 404
        answer = client.get("/paper/only-a-link-names-this.json")
        assert (answer.status_code, answer.json()["error"]["status"]) == (404, 404)

    def test_a_quarantined_paper_gives_its_reason_only(self, client: Client) -> None:
        Record.objects.filter(key="paper/attention-is-all-you-need").update(quarantined="x")
        page = self.get(client, "attention-is-all-you-need")
        assert page["title"] is None and page["authors"] is None
        html = client.get("/paper/attention-is-all-you-need").content.decode()
        assert "GitHub stars" not in html, "sentences of ours are no text of the record"

    @pytest.mark.parametrize("ending", ["", ".json"])
    @pytest.mark.parametrize(("slug", "number"), [("attention-is-all-you-need", 12), ("long-short-term-memory", 10)])
    def test_number_of_queries(
        self,
        client: Client,
        slug: str,
        number: int,
        ending: str,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        """Two fewer where there is no row to read the values of, and no arXiv identifier to look for."""
        with django_assert_num_queries(number):
            assert client.get(f"/paper/{slug}{ending}").status_code == 200


METRICS = [f"metric {n}" for n in range(40)]
HOSTILE = {
    DumpKind.PAPERS: [
        paper(
            "hostile",
            title=SCRIPT + RTL,
            abstract=SCRIPT + "a b " * 250_000,
            authors=[f"{SCRIPT} {n} {RTL}" for n in range(300)],
            tasks=[SCRIPT],
            arxiv_id=SCRIPT,
            nips_id=SCRIPT,
            openreview_id=SCRIPT,
            short_abstract=SCRIPT,
            proceeding=SCRIPT,
            url_abs="javascript:alert(1)",
            url_pdf="data:text/html," + SCRIPT,
            conference_url_abs="//evil.example",
            conference_url_pdf=SCRIPT,
            conference=SCRIPT,
            reproduces_paper=SCRIPT,
            methods=[printed_method(SCRIPT, main_collection={"name": SCRIPT})],
        ),
        paper("preprint", arxiv_id="1234.56789", conference="preprint-1", title="Preprint"),
        paper("preprint-1", arxiv_id="1234.56789", reproduces_paper="https://paperswithcode.com/paper/preprint"),
        paper("short", title="Short", abstract="See https://example.org/a_(b). Then $x^2$ <b>bold</b>."),
    ],
    DumpKind.LINKS: [
        *(code("hostile", f"https://github.com/owner/repo-{n}") for n in range(30)),
        code("hostile", "javascript:alert(1)", framework=SCRIPT),
        code("hostile", SCRIPT, is_official=True),
        code("hostile", None),
        code("only-a-link", "https://github.com/owner/repo-1"),
    ],
    DumpKind.TABLES: [
        table(SCRIPT, SCRIPT, METRICS, [row(SCRIPT, "Short", dict.fromkeys(METRICS, SCRIPT)), row("", "Short", {})]),
        table("Many", "Rows", ["F1"], [row(f"model {n}", "Preprint", {"F1": f"{n}"}) for n in range(120)]),
    ],
}


@pytest.fixture(scope="class")
def hostile_archive(imported: Importing, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("hostile") / "dumps"
    with imported(write_dumps(folder, HOSTILE)):
        yield


@pytest.mark.usefixtures("hostile_archive")
class TestHostile:
    """Records that mean harm, or that are too big."""

    @pytest.mark.parametrize("slug", ["hostile", "short", "preprint"])
    def test_no_text_becomes_markup(self, client: Client, slug: str) -> None:
        html = client.get(f"/paper/{slug}").content.decode()
        assert Texts(html).script_tags == 0
        assert "<img" not in html
        dangerous = [href for href in Texts(html).links if re.match(r"\s*(javascript|data|//)", href)]
        assert dangerous == []

    def test_every_author_is_in_html_and_json(self, client: Client) -> None:
        page = client.get("/paper/hostile.json").json()
        assert len(page["authors"]) == 300
        html = client.get("/paper/hostile").content.decode()
        head, _, folded = html.partition("<details")
        assert head.count('href="/author/') == AUTHORS_SHOWN
        assert folded.count('href="/author/') == 300 - AUTHORS_SHOWN
        assert "270 more of 300 authors" in html

    def test_a_text_of_a_megabyte_is_whole_behind_a_click(self, client: Client) -> None:
        abstract = client.get("/paper/hostile.json").json()["abstract"]
        assert abstract == SCRIPT + "a b " * 250_000
        page = client.get("/paper/hostile").content.decode()
        assert "a b " * 250_000 in page
        assert f"Show the abstract of {len(abstract):,} characters" in page

    def test_repositories_beyond_the_first_are_behind_a_click(self, client: Client) -> None:
        page = client.get("/paper/hostile.json").json()
        assert len(page["code"]) == 33
        assert page["code"][0]["is_official"] is True and page["code"][0]["url"] == SCRIPT
        text = read(client, "/paper/hostile").text
        assert f"{33 - CODE_SHOWN} more of 33 repositories" in text
        assert all(f"owner/repo-{n}" in text for n in range(30))

    def test_a_row_has_a_line_for_each_of_40_metrics(self, client: Client) -> None:
        first, second = client.get("/paper/short.json").json()["results"]
        assert list(first["metrics"]) == METRICS
        assert second["metrics"] == {} and second["absent"]["metrics"]["reason"] == "not-in-archive"
        assert second["model"] is None and second["absent"]["model"]["reason"] == "not-in-archive"
        rows = read(client, "/paper/short").rows
        assert [row for row in rows if row and row[0] in METRICS[1:]] == [[name, SCRIPT] for name in METRICS[1:]]

    def test_many_rows_are_cut_and_the_rest_is_one_click_away(self, client: Client) -> None:
        page = client.get("/paper/preprint.json").json()
        assert [row["rank_at_snapshot"] for row in page["results"]] == [f"#{n} of 120" for n in range(1, 121)]
        read_page = read(client, "/paper/preprint")
        assert f"The first {RESULTS_SHOWN} of 120 rows" in read_page.text
        assert "#100 of 120" in read_page.text and "#101 of 120" not in read_page.text
        assert "/paper/preprint.json" in read_page.links

    def test_an_address_in_an_abstract_is_a_link_and_nothing_else_is(self, client: Client) -> None:
        html = client.get("/paper/short").content.decode()
        assert '<a class="link-out" href="https://example.org/a_(b)" rel="nofollow ugc noreferrer">' in html
        assert '<code class="tex">x^2</code>' in html
        assert "&lt;b&gt;bold&lt;/b&gt;" in html

    def test_versions_know_each_other(self, client: Client) -> None:
        preprint = client.get("/paper/preprint.json").json()
        assert preprint["conference"] == {"printed": "preprint-1", "url": "/paper/preprint-1"}
        assert preprint["same_arxiv_id"] == [{"name": "preprint-1", "url": "/paper/preprint-1"}]
        second = client.get("/paper/preprint-1.json").json()
        assert second["reproduces"]["url"] == "/paper/preprint"
        assert '<a href="/paper/preprint-1">preprint-1</a>' in client.get("/paper/preprint").content.decode()

    def test_a_paper_named_by_links_only_has_no_page(self, client: Client) -> None:
        assert Record.objects.filter(key="paper/only-a-link/code/1").exists()
        assert client.get("/paper/only-a-link").status_code == 404

    def test_a_dataset_is_said_to_be_introduced_only_by_the_archive(self, client: Client) -> None:
        assert not Dataset.objects.exists()
        assert "Introduced by this paper" not in read(client, "/paper/hostile").text
