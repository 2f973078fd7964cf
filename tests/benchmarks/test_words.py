"""The parts that synthetic dumps are made of."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks.dumps import Dump, fates
from benchmarks.papers import Authors, change_link
from benchmarks.tables import sizes
from benchmarks.words import Minter, Names, Vocabulary, seeded, slug, tag_of, wrap


def test_later_rates() -> None:
    decided = Counter(fates(range(10_000), 10_000, seeded(1, "x")).values())
    assert decided == {"changed": 200, "gone": 50}
    assert "gone" not in fates(range(1_000), 1_000, seeded(1, "x"), lose=False).values()


def test_slugs() -> None:
    assert slug("Dynamic Network Model from Partial Observations") == "dynamic-network-model-from-partial"
    assert slug("NTU RGB+D") == "ntu-rgb-d"
    assert slug("Poincaré's  Übung") == "poincare-s-ubung"
    assert slug("x" * 60) == "x" * 45
    assert len(slug("a " * 60)) == 45
    minter = Minter()
    assert [minter.mint("a") for _ in range(3)] + [minter.mint("")] == ["a", "a-1", "a-2", "untitled"]


def test_wrapped_text_loses_only_blanks() -> None:
    text = "one two three four five " * 20
    lines = wrap(text, 30).split("\n")
    assert " ".join(lines) == text and all(30 <= len(line) < 37 for line in lines[:-1])


def test_names_are_one_to_one_and_mixed() -> None:
    names = Names(Vocabulary(1))
    assert names.size > 3_000_000
    made = {names.name(number) for number in range(50_000)}
    assert len(made) > 49_900
    assert any(not name.isascii() for name in made) and any("\u4e00" <= name[0] <= "\u9fff" for name in made)


def test_large_collaborations() -> None:
    authors = Authors(Vocabulary(1), 1, 1000, 1000)
    assert 1_000 <= authors.count(23_999) < 3_000
    assert 300 <= authors.count(2_399) < 900
    mean = sum(authors.count(0) for _ in range(20_000)) / 20_000
    assert 4.1 < mean < 4.4


def test_table_sizes_sum_and_are_skewed() -> None:
    found = sizes(seeded(1, "sizes"), 9_200, 59_860)
    assert (len(found), sum(found), found.count(0)) == (9_200, 59_860, 92)
    assert 700 < max(found) < 2_000 and sorted(found)[len(found) // 2] <= 4


def test_vocabulary_holds_real_and_made_up_words() -> None:
    vocabulary = Vocabulary(1)
    assert len(vocabulary.ranked) == len(set(vocabulary.ranked)) == 83_000
    assert {"network", "attention", "stochastic"} <= set(vocabulary.ranked[:1_500])
    assert [tag_of(word) for word in ("learning", "jointly", "neural", "model")] == ["G", "R", "A", "N"]


def test_gone_records_leave_the_odd_ones_as_they_were(tmp_path: Path) -> None:
    name = "links-between-papers-and-code"
    flags = ("is_official", "mentioned_in_paper", "mentioned_in_github")
    odd = {2: "string_bool", 5: "duplicate_key", 8: "string_bool"}
    written = []
    for folder, gone in (("before", set[int]()), ("after", {0, 2, 4, 7})):
        (tmp_path / folder).mkdir()
        dump = Dump(tmp_path / folder, name, seed=1, odd=odd, fates={}, change=change_link)
        for number in range(10):
            record = {"paper_url": f"p{number}", "repo_url": "r"} | dict.fromkeys(flags, True)
            dump.add(record, gone=number in gone)
        dump.close()
        written.append(json.loads((tmp_path / folder / f"{name}.json").read_bytes()))
    before, after = written
    # 2 is odd, 4 and 7 stand before odd ones: of the four only 0 goes.
    assert after == before[1:] and dump.gone == ["p0"]
    assert [record["paper_url"] for record in before[4:6]] == ["p4", "p4"]
