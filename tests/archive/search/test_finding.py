"""What is found for what was typed, on the demo archive."""

from __future__ import annotations

import pytest

from archive.models import Author, Paper, Record
from archive.search.finding import AUTHOR, Found, Match, find
from archive.search.query import parse

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo_archive")]


def found(typed: str, kind: str | None = None) -> Found:
    return find(parse(typed), kind)


def names(typed: str, kind: str | None = None) -> list[str]:
    """The names that a search gives, in its order."""
    hits = found(typed, kind).hits
    records = dict(Record.objects.filter(pk__in=[hit.id for hit in hits]).values_list("pk", "name"))
    authors = dict(
        Author.objects.filter(pk__in=[hit.id for hit in hits if hit.kind == AUTHOR]).values_list("pk", "name")
    )
    return [authors[hit.id] if hit.kind == AUTHOR else records[hit.id] for hit in hits]


class TestNames:
    """Exact names and aliases come first, whatever else has the words."""

    @pytest.mark.parametrize(
        ("typed", "kind", "name"),
        [
            ("imagenet", "dataset", "ImageNet"),
            ("bert", "method", "BERT"),
            ("sst2", "dataset", "SST"),
            ("SST-2", "dataset", "SST"),
            ("cifar10", "dataset", "CIFAR-10"),
            ("image net", "dataset", "ImageNet"),
            ("Stanford Sentiment Treebank", "dataset", "SST"),
            ("squad_v2", "dataset", "SQuAD"),
            ("byte pair encoding", "method", "BPE"),
            ("General Classification", "task", "Image Classification"),
            ("recognizing textual entailment", "task", "Natural Language Inference"),
            ("ner", "task", "Named Entity Recognition (NER)"),
            ("long short term memory", "paper", "Long short-term memory"),
            ("image classification on imagenet", "leaderboard", "Image Classification on ImageNet"),
        ],
    )
    def test_first(self, typed: str, kind: str, name: str) -> None:
        hit = found(typed).hits[0]
        assert (hit.kind, Record.objects.get(pk=hit.id).name) == (kind, name)

    def test_an_acronym_before_a_colon(self) -> None:
        assert "UCF101: A Dataset of 101 Human Actions Classes From Videos in The Wild" in names("ucf101")[:2]


class TestWords:
    """Words of titles, their forms, and what is kept together or left out."""

    @pytest.mark.parametrize(
        "typed",
        [
            "graph attention networks",
            "GRAPH ATTENTION NETWORKS",
            "graph attention network",
            "graph-attention networks",
            "graph attenton networks",
            "grpah attention networks",
            "graph attention networsk",
            "graph attention netw",
            '"graph attention networks"',
            "graph attention -transformer",
        ],
    )
    def test_each_of_these_finds_it_first(self, typed: str) -> None:
        assert "Graph Attention Networks" in names(typed)[:2]  # the method GAT has the name in the singular

    def test_accents_do_not_matter(self) -> None:
        title = "Multi-relational Poincaré Graph Embeddings"
        assert names("poincare")[0] == names("POINCARÉ")[0] == names("poincar\u0065\u0301")[0] == title

    def test_hyphens_do_not_matter(self) -> None:
        assert names("multiturn dialogue") == names("multi-turn dialogue") == names("multi turn dialogue")

    def test_phrases_keep_the_order(self) -> None:
        assert "Graph Attention Networks" in names('"graph attention networks"')
        assert "Graph Attention Networks" not in names('"attention graph networks"')

    def test_phrases_are_found_in_texts(self) -> None:
        paper = Paper.objects.filter(record__quarantined="", abstract__regex=r"^\w+ \w+ \w+ \w+ \w+ \w+ ").first()
        assert paper is not None and paper.abstract is not None
        phrase = " ".join(paper.abstract.split()[1:5])
        hits = found(f'"{phrase}"', "paper").hits
        assert (paper.pk, Match.TEXT) in [(hit.id, hit.match) for hit in hits]
        backwards = " ".join(reversed(phrase.split()))
        assert paper.pk not in [hit.id for hit in found(f'"{backwards}"', "paper").hits]

    def test_what_is_left_out_is_absent(self) -> None:
        assert any("Transformer" in name for name in names("attention"))
        without = names("attention -transformers -transformer")
        assert without and not any("ransformer" in name for name in without)

    def test_a_phrase_can_be_left_out(self) -> None:
        everything, without = set(names("image")), set(names('image -"image classification"'))
        assert "Image Classification" in everything - without
        assert "Image Generation" in without

    def test_titles_come_before_texts(self) -> None:
        matches = [hit.match for hit in found("attention").hits]
        assert matches == sorted(matches)
        assert {Match.TITLE, Match.TEXT} <= set(matches)

    def test_the_words_of_a_long_title_with_a_wrong_one(self) -> None:
        search = found("Going Deeper with Convolutional Sandwiches and Convolutions")
        assert search.all_but_one is False and not search.hits
        search = found("Going Deeper with Convolutions today")
        assert search.all_but_one
        assert Record.objects.get(pk=search.hits[0].id).name == "Going Deeper with Convolutions"

    def test_stop_words_alone_find_titles(self) -> None:
        assert all("the" in name.lower() for name in names("the of", "paper"))
        assert names("the of", "paper")


class TestMending:
    """Words that nothing has."""

    def test_it_says_what_it_took_them_for(self) -> None:
        assert found("imagnet").mended == {"imagnet": ["imagenet"]}

    def test_known_words_stay(self) -> None:
        assert found("imagenet").mended == {}

    def test_parts_of_words_are_mended(self) -> None:
        assert names("Mulit-Head Attention")[0] == names("multi-haed attention")[0] == "Multi-Head Attention"


class TestAuthors:
    """Names of author lists."""

    @pytest.mark.parametrize("typed", ["Ashish Vaswani", "vaswani ashish", "VASWANI, Ashish"])
    def test_either_order(self, typed: str) -> None:
        assert names(typed)[:2] == ["Ashish Vaswani", "Attention Is All You Need"]

    def test_with_a_word_of_the_title(self) -> None:
        assert names("vaswani attention")[0] == "Attention Is All You Need"

    def test_among_authors(self) -> None:
        kinds = {hit.kind for hit in found("wang", AUTHOR).hits}
        assert kinds == {AUTHOR}
        assert all("wang" in name.lower() for name in names("wang", AUTHOR))

    def test_the_most_printed_name_comes_first(self) -> None:
        ids = [hit.id for hit in found("he", AUTHOR).hits]
        papers = [Author.objects.get(pk=key).authorships.count() for key in ids]
        assert papers[0] == max(papers)


class TestCounts:
    """Numbers of results by kind."""

    @pytest.mark.parametrize("typed", ["imagenet", "image net", "attention", "classification", '"neural network"'])
    def test_they_are_those_of_the_lists(self, typed: str) -> None:
        counts = found(typed).counts
        for kind in ("paper", "dataset", "task", "method", "leaderboard"):
            assert counts.get(kind, 0) == len(found(typed, kind).hits), kind

    def test_they_do_not_depend_on_the_kind(self) -> None:
        assert found("attention").counts == found("attention", "task").counts

    def test_all_kinds_are_listed_together(self) -> None:
        everything = found("imagenet")
        assert len(everything.hits) == sum(everything.counts.values())


HOSTILE = [
    "",
    " ",
    "\x00",
    "a" * 1_000_000,
    "word " * 200_000,
    "' OR 1=1 --",
    "'; DROP TABLE archive_record; --",
    "& | ! () <->",
    "foo & | bar",
    "!!!",
    "-",
    "--foo",
    "-foo",
    '"',
    '"""',
    'a "b',
    "a:*",
    "a:ABCD",
    "%s %(names)s %%",
    "_%_%",
    "\\",
    "\\y\\W+.*",
    '"(a|b) [c]"',
    "🙂🙂🙂",
    "‮abc‬",
    "שלום עולם",
    "\ud800",
    "½ ² ①",
    "A" + "\u0301" * 500,
    "<script>alert(1)</script>",
    "$1 {0} {kind}",
    " ".join(f"w{n}" for n in range(200)),
]


class TestHostile:
    """Whatever is typed, there is an answer."""

    @pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed[:20]))
    def test_nothing_typed_is_an_error(self, typed: str) -> None:
        before = Record.objects.count()
        assert isinstance(found(typed), Found)
        assert isinstance(found(typed, "paper"), Found)
        assert Record.objects.count() == before
