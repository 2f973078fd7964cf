"""The demo archive has the form of the final dumps, is coherent, and is written in its own words.

Pure JSON: no database, no importer. The files in demo/ are edited by hand, so this is what keeps them whole.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.demo_archive import (
    BOARDS,
    DATASET_KEYS,
    DATASETS,
    DEMO,
    DUMPS,
    LINK_KEYS,
    LINKS,
    METHOD_KEYS,
    METHODS,
    PAPER_KEYS,
    PAPERS,
    PRINTED,
    PWC,
    ROW_KEYS,
    SHARED,
    TABLE_KEYS,
    TASK_KEYS,
    TREE,
    Record,
    board_address,
    held_paper,
    rows,
    texts,
)

# --- form


def test_it_has_the_promised_size() -> None:
    assert 300 <= len(PAPERS) <= 400
    assert 60 <= len(DATASETS) <= 90
    assert 60 <= len(METHODS) <= 110
    assert len(LINKS) >= 300
    assert len(BOARDS) >= 40
    assert 100 <= sum(bool(paper["abstract"]) for paper in PAPERS) <= 150
    assert sum(file.stat().st_size for file in DEMO.iterdir()) < 1_500_000


def test_files_are_written_in_one_stable_way() -> None:
    for name in (*DUMPS, "SNAPSHOT.json"):
        text = (DEMO / name).read_bytes().decode("utf-8")
        assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n", name


def test_snapshot_names_the_archive_and_its_dates() -> None:
    snapshot = json.loads((DEMO / "SNAPSHOT.json").read_text(encoding="utf-8"))
    assert snapshot["archive"] == "corrigenda-demo"
    assert snapshot["snapshot"] == "2025-07-28"
    assert snapshot["licence"] == "CC BY-SA 4.0"
    assert set(snapshot["retrieved"]) == set(DUMPS)
    assert snapshot["retrieved"]["papers-with-abstracts.json"] == "2025-07-29"


@pytest.mark.parametrize(
    ("records", "keys"),
    [(PAPERS, PAPER_KEYS), (LINKS, LINK_KEYS), (METHODS, METHOD_KEYS), (DATASETS, DATASET_KEYS)],
    ids=["papers", "links", "methods", "datasets"],
)
def test_records_have_the_keys_of_the_final_dump(records: list[Record], keys: set[str]) -> None:
    extra = {key for record in records for key in set(record) - keys}
    assert extra <= {"reviewed_by_hand", "legacy_key"}
    assert [record for record in records if not keys <= set(record)] == []


def test_tasks_tables_and_rows_have_the_keys_of_the_final_dump() -> None:
    for _, task in TREE:
        assert set(task) == TASK_KEYS
    for _, table in PRINTED:
        assert {"dataset" if key == "subdataset" else key for key in table} == TABLE_KEYS
        for row in table["sota"]["rows"]:
            assert set(row) == ROW_KEYS
            assert set(row["metrics"]) <= set(table["sota"]["metrics"])
            assert all(isinstance(value, str) for value in row["metrics"].values())


# --- coherence


@pytest.mark.parametrize(
    ("records", "field", "kind"),
    [(PAPERS, "paper_url", "paper"), (METHODS, "url", "method"), (DATASETS, "url", "dataset")],
    ids=["papers", "methods", "datasets"],
)
def test_addresses_are_unique_and_well_formed(records: list[Record], field: str, kind: str) -> None:
    addresses = [record[field] for record in records]
    assert len(set(addresses)) == len(addresses)
    for address in addresses:
        assert re.fullmatch(rf"{re.escape(PWC)}{kind}/[a-z0-9]+(?:-[a-z0-9]+)*", address), address
        assert len(address.rsplit("/", 1)[1]) <= 47


def test_a_leaderboard_address_belongs_to_one_table_printed_alike_everywhere() -> None:
    seen: dict[str, tuple[str, Record]] = {}
    for task, table in PRINTED:
        url = board_address(table)
        if url is not None:
            assert seen.setdefault(url, (task, table)) == (task, table), url
    pairs = [(task, table["dataset"]) for task, table in seen.values()]
    assert len(set(pairs)) == len(pairs)


def test_a_task_has_one_description_and_one_slug() -> None:
    described: dict[str, str] = {}
    for path, task in TREE:
        assert described.setdefault(path[-1], task["description"]) == task["description"]
    slugs: dict[str, str] = {}
    for dataset in DATASETS:
        for task in dataset["tasks"]:
            assert task["url"].startswith(PWC + "task/")
            assert slugs.setdefault(task["task"], task["url"]) == task["url"]


def test_every_task_of_a_paper_is_in_the_tree() -> None:
    names = {path[-1] for path, _ in TREE}
    assert {task for paper in PAPERS for task in paper["tasks"]} <= names


def test_links_repeat_what_their_paper_says() -> None:
    papers = {paper["paper_url"]: paper for paper in PAPERS}
    for link in LINKS:
        paper = papers[link["paper_url"]]
        printed = ["paper_title", "paper_arxiv_id", "paper_url_abs", "paper_url_pdf"]
        assert [link[key] for key in printed] == [paper[key] for key in ("title", "arxiv_id", "url_abs", "url_pdf")]
    pairs = Counter((link["paper_url"], link["repo_url"]) for link in LINKS)
    assert max(pairs.values()) == 1


def test_printed_methods_agree_with_methods_json() -> None:
    methods = {method["name"]: method for method in METHODS}
    printed = [(paper, method) for paper in PAPERS for method in paper["methods"]]
    assert len(printed) > 100
    unknown = {method["name"] for _, method in printed if method["name"] not in methods}
    assert unknown == {"A method that methods.json does not hold"}
    for _, method in printed:
        if method["name"] in methods:
            source = methods[method["name"]]
            for key in set(method) - {"main_collection"}:
                assert method[key] == source[key], (method["name"], key)
            main = method["main_collection"]
            if main is not None:
                assert main["name"] in {item["collection"] for item in source["collections"]}


def test_most_rows_resolve_to_a_paper_of_the_archive() -> None:
    named = [row for table in BOARDS.values() for row in table["sota"]["rows"] if row["paper_title"]]
    held = [row for row in named if held_paper(row)]
    assert len(held) > 0.75 * len(named)
    for row in held:
        assert row["paper_date"] is None or re.fullmatch(r"\d{4}-\d\d-\d\d", row["paper_date"])


def test_a_paper_has_the_same_code_in_each_of_its_rows() -> None:
    for table in BOARDS.values():
        printed: dict[str, list[Record]] = {}
        for row in table["sota"]["rows"]:
            if row["paper_url"]:
                assert printed.setdefault(row["paper_url"], row["code_links"]) == row["code_links"]


def test_the_first_two_seed_leaderboards_are_as_they_were() -> None:
    (convai,) = rows("visual-dialog-on-convai2")
    assert convai["metrics"] == {"BLEU-4": "1.1", "F1": "18.4", "ROUGE-L": "22.6"}
    table = rows("multimodal-intent-recognition-on-mmdialog")
    assert [row["model_name"] for row in table[1:3]] == ["Divter", "DE++"]
    assert [row["metrics"]["F1"] for row in table] == ["76.0", "75.5", "59.0", "50.0"]
    dataset = next(d for d in DATASETS if d["name"] == "ConvAI2")
    assert dataset["tasks"] == [{"task": "Visual Dialog", "url": PWC + "task/visual-dialogue"}]


# --- the words are the demo's own


def shingles(text: str, size: int = 12) -> Iterator[str]:
    """Every run of `size` words of a text, without case, marks, addresses, credits and formulas."""
    text = re.sub(r"(?m)^(Image )?Source: .*$", "", text)  # a credit names a title; it is not a sentence
    text = re.sub(r"(?s)\$\$.+?\$\$|\$[^$]+\$", " ", text)  # nor is a formula
    words = re.findall(r"\w+", re.sub(r"\]\([^)]*\)|https?://\S+", " ", text).lower())
    for start in range(len(words) - size + 1):
        yield " ".join(words[start : start + size])


def borrowed_texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and ("description" in key or "abstract" in key):
                yield inner
            else:
                yield from borrowed_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from borrowed_texts(inner)


def test_shingles_find_a_copied_sentence() -> None:
    source = "The quick brown fox jumps over the lazy dog and then it sleeps for a week."
    copied = "Note: the QUICK brown fox jumps over the lazy dog, and then it sleeps."
    assert set(shingles(source)) & set(shingles(copied))
    assert not set(shingles(source)) & set(shingles("A fox jumps over a dog and sleeps for a week after that feat."))


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "data" / "pwc").is_dir(), reason="the real records are not beside the repository")
def test_no_sentence_is_taken_from_the_real_records() -> None:
    ours = {shingle for text in texts() for shingle in shingles(text)}
    files = [*(SHARED / "data" / "pwc").rglob("*.json"), *(SHARED / "seeds").rglob("*.json")]
    compared = 0
    for file in files:
        for text in borrowed_texts(json.loads(file.read_text(encoding="utf-8"))):
            assert ours.intersection(shingles(text)) == set(), file.name
            compared += 1
    assert compared > 2_000
