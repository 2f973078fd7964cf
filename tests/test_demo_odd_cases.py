"""Every odd case that demo/README.md lists is in the demo archive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.demo_archive import (
    BOARDS,
    DATASETS,
    DEMO,
    DUMPS,
    LINKS,
    METHODS,
    PAPERS,
    PRINTED,
    PWC,
    TREE,
    author_slug,
    board,
    board_address,
    held_paper,
    number,
    repository,
    rows,
    texts,
    values,
)


def test_cycles_are_cut() -> None:
    cycles = [path for path, _ in TREE if path[-1] in path[:-1]]
    lengths = {len(path) - 1 - path.index(path[-1]) for path in cycles}
    assert lengths == {2, 3}
    for path, task in TREE:
        if path[-1] in path[:-1]:
            assert task["subtasks"] == []


def test_a_task_with_several_parents_is_printed_whole_under_each() -> None:
    copies = [(path, task) for path, task in TREE if path[-1] == "Few-Shot Image Classification"]
    assert sorted(len(path) for path, _ in copies) == [1, 2, 2]
    assert len({path[-2] for path, _ in copies if len(path) > 1}) == 2
    bare = [{**task, "categories": []} for _, task in copies]
    assert bare[0] == bare[1] == bare[2]
    assert bare[0]["subtasks"] and bare[0]["datasets"]


def test_subtasks_are_nested_three_deep() -> None:
    assert max(len(path) for path, _ in TREE) >= 4


def test_names_may_be_empty() -> None:
    assert ("",) in {path for path, _ in TREE}
    assert board("object-detection-on")["dataset"] == ""


def test_unparsable_values_are_there() -> None:
    cells = set(values("invented-examples-on-odd-values", "PSNR / SSIM"))
    cells |= set(values("invented-examples-on-odd-values", "Speed  (FPS)"))
    wanted = "33.57/0.90;44,89;\u221214.96;0.81 (0.79-0.82);200%;1.84±0.24;Read the paper, table 2;28.2M;--*;0 .789"
    assert set(wanted.split(";")) <= cells


@pytest.mark.parametrize(
    ("slug", "metric"),
    [
        ("speech-recognition-on-librispeech-test-clean", "Word Error Rate (WER)"),
        ("machine-translation-on-wmt2014-english-french", "BLEU score"),
    ],
)
def test_ties_are_there(slug: str, metric: str) -> None:
    assert any(first == second for first, second in pairwise(values(slug, metric)))


@pytest.mark.parametrize(
    ("slug", "metric"),
    [
        ("speech-recognition-on-librispeech-test-clean", "Word Error Rate (WER)"),
        ("image-generation-on-cifar-10", "FID"),
        ("image-classification-on-mnist", "Percentage error"),
        ("language-modelling-on-penn-treebank-word", "Test perplexity"),
    ],
)
def test_some_tables_go_up(slug: str, metric: str) -> None:
    numbers = [number(value) for value in values(slug, metric) if value != "-"]
    assert numbers == sorted(numbers) and numbers[0] < numbers[-1]


@pytest.mark.parametrize(
    ("slug", "metric"),
    [
        ("semantic-segmentation-on-cityscapes", "Mean IoU (class)"),
        ("self-supervised-image-classification-on", "Top 1 Accuracy"),
    ],
)
def test_some_orders_disagree_with_the_metric(slug: str, metric: str) -> None:
    numbers = [number(value) for value in values(slug, metric)]
    falls = sum(first > second for first, second in pairwise(numbers))
    rises = sum(first < second for first, second in pairwise(numbers))
    assert falls > rises > 0


def test_imagenet_has_gaps_mixed_styles_extra_data_and_forty_rows() -> None:
    table = rows("image-classification-on-imagenet")
    accuracy = values("image-classification-on-imagenet", "Top 1 Accuracy")
    assert len(table) >= 40
    assert any("Top 5 Accuracy" not in row["metrics"] for row in table)
    assert {value.endswith("%") for value in accuracy} == {True, False}
    assert {row["uses_additional_data"] for row in table} == {True, False}
    assert any(row["uses_additional_data"] == "False" for row in rows("invented-examples-on-odd-values"))
    assert max(Counter(row["paper_url"] for row in table).values()) >= 2


def test_ntu_has_forty_rows_twins_and_papers_that_are_not_held() -> None:
    table = rows("skeleton-based-action-recognition-on-ntu-rgbd")
    assert len(table) >= 40
    assert max(Counter(row["model_name"] for row in table).values()) >= 2
    strangers = [row for row in table if held_paper(row) is None]
    assert strangers and all(row["paper_title"] for row in strangers)


def test_a_row_may_have_no_paper() -> None:
    human = [row for row in rows("question-answering-on-squad11") if not row["paper_url"]]
    assert [row["model_name"] for row in human] == ["Human Performance"]


def test_one_table_has_more_than_twelve_metrics() -> None:
    assert len(board("3d-part-segmentation-on-shapenet-part")["sota"]["metrics"]) >= 12


def test_a_table_holds_tables_and_has_no_address() -> None:
    parents = [table for _, table in PRINTED if table["subdatasets"]]
    assert [table["dataset"] for table in parents] == ["SemEval 2018"]
    assert board_address(parents[0]) is None
    assert len(parents[0]["subdatasets"]) >= 2


def test_metric_names_may_be_odd() -> None:
    names = {metric for table in BOARDS.values() for metric in table["sota"]["metrics"]}
    assert {"AVERAGE AUC ON 14 LABEL", "Speed  (FPS)", "0S"} <= names


def test_dates_of_every_kind_are_there() -> None:
    dates = [dataset["introduced_date"] for dataset in DATASETS]
    assert None in dates
    assert any(date and date.endswith("-01-01") for date in dates)
    assert any(date and not date.endswith("-01-01") for date in dates)
    years = {method["name"]: method["introduced_year"] for method in METHODS}
    assert years["LSTM"] == 1997
    assert years["Transformer"] == 2000
    assert [paper["title"][:11] for paper in PAPERS if paper["date"] == ""] == ["An invented"]


def test_spam_uses_numbers_that_can_not_ring() -> None:
    spam = [record for record in METHODS + DATASETS if "555" in record["name"]]
    assert [paper for paper in PAPERS if "555-01" in paper["title"]]
    assert {("method" if record in METHODS else "dataset") for record in spam} == {"method", "dataset"}
    everything = "".join((DEMO / name).read_text(encoding="utf-8") for name in DUMPS)
    for found in re.findall(r"\+\d+[- ][\d -]{7,}", everything):
        assert "555-01" in found, found


def test_placeholders_and_a_deleted_method() -> None:
    placeholder = "Please enter a description about the method here"
    assert {m["name"] for m in METHODS if m["description"] == placeholder} == {
        "(deleted method)",
        "ooInventedEd",
    }
    assert any(method["description"] == "" for method in METHODS)


MARKS: dict[str, Callable[[str], object]] = {
    "carriage returns": lambda text: "\r\n" in text,
    "a line broken in a sentence": lambda text: re.search(r"[a-z.,]\n[A-Za-z]", text),
    "LaTeX": lambda text: re.search(r"\$\\ell_2\$|\$\$.+\$\$", text),
    "an old address": lambda text: "](https://paperswithcode.com/" in text,
    "a relative address": lambda text: re.search(r"\]\(/(dataset|task|method|paper)/", text),
    "an image source": lambda text: "\r\nImage Source: [" in text,
    "a bare tag": lambda text: "<br>" in text,
}


@pytest.mark.parametrize("mark", MARKS)
def test_texts_hold(mark: str) -> None:
    assert any(MARKS[mark](text) for text in texts())


def test_titles_hold_latex_and_angle_brackets() -> None:
    titles = " ".join(paper["title"] for paper in PAPERS)
    assert "$\\mathcal{X}$" in titles
    assert "U$^2$-Net" in titles
    assert "<0.5MB" in titles


def test_loaders_repeat() -> None:
    loaders = next(d["data_loaders"] for d in DATASETS if d["name"] == "SQuAD")
    assert any(loaders.count(loader) > 1 for loader in loaders)


def test_repositories_repeat_and_live_elsewhere() -> None:
    by_paper: dict[str, list[str]] = {}
    for link in LINKS:
        by_paper.setdefault(link["paper_url"], []).append(link["repo_url"])
    twins = [urls for urls in by_paper.values() if len({repository(url) for url in urls}) < len(urls)]
    assert twins and any(url.endswith(".git") for urls in twins for url in urls)
    assert {link["repo_url"].split("/")[2] for link in LINKS} > {"github.com", "huggingface.co"}
    for flag in ("is_official", "mentioned_in_paper", "mentioned_in_github"):
        assert {link[flag] for link in LINKS} == {True, False}
    assert len({link["framework"] for link in LINKS}) >= 7


def test_datasets_disagree_with_themselves() -> None:
    papers = [dataset["paper"]["url"] for dataset in DATASETS if dataset["paper"]]
    assert {url.startswith(PWC) for url in papers} == {True, False}
    assert any(d["variants"] and d["name"] not in d["variants"] for d in DATASETS)
    assert any(variant != variant.strip() for d in DATASETS for variant in d["variants"])
    assert max(len(d["variants"]) for d in DATASETS) >= 30
    assert {language for d in DATASETS for language in d["languages"]} >= {"Portuguese", "Chinese", "French"}


def test_authors_of_every_kind_are_there() -> None:
    names = {author for paper in PAPERS for author in paper["authors"]}
    assert {"QIngwei Lin", "Hervé Jégou", "Piotr Dollár", "Piotr Dollar", "王小明 (Xiaoming Wang)"} <= names
    slugs = Counter(author_slug(name) for name in names)
    assert slugs["piotr-dollar"] == 2
    assert max(len(paper["authors"]) for paper in PAPERS) >= 60
    assert any(paper["authors"] == [] for paper in PAPERS)
    assert any(paper["proceeding"] == "CVPR 2016 6" for paper in PAPERS)


def test_two_records_have_a_key_of_their_own() -> None:
    assert sum("reviewed_by_hand" in paper for paper in PAPERS) == 1
    assert sum("legacy_key" in dataset for dataset in DATASETS) == 1
