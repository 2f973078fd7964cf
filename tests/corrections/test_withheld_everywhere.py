"""A withheld text is nowhere: no page, feed, export, search or report form shows it, nor what repeats it.

The archive is the tiny one with texts that nobody else would print, each with the copies that real dumps have of it.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from archive.exporters.dumps import export_archive
from archive.exporters.states import State
from archive.importers.run import Source, import_archive
from corrections.cells import read_cell
from corrections.ledger import lines, rebase, replay
from corrections.models import Decision
from corrections.verification import verify_all
from corrections.withholding import withhold
from tests import people
from tests.corrections.conftest import TINY
from tests.corrections.crawling import everything
from tests.corrections.reading import BOARD, PAPER, page
from tests.corrections.rulings import record

pytestmark = pytest.mark.slow

DATASET, METHOD = "dataset/salicon", "method/transformer"
PLANTED = {
    (PAPER, "title"): ("Attention Is All You Need", "Quandlemire overflarge"),
    (PAPER, "abstract"): ("Attention alone is enough to translate well.", "Snorvelish words about translating."),
    (DATASET, "description"): (
        "Gaze recorded by mouse on 10,000 images, see [the paper](/paper/salicon-saliency-in-context).",
        "Brontiquet gazes, recorded by mouse.",
    ),
    (METHOD, "description"): (
        "A **Transformer** relies on attention instead of recurrence.\r\n\r\nSee [Dropout](/method/dropout).",
        "Wexfumble **relies** on attention.",
    ),
    (METHOD, "full_name"): ("Transformer", "Yombrical transformer"),
    (f"{BOARD}/row/3", "model_name"): ("ConvS2S", "Trazzleback large"),
    ("sota/object-detection-on-coco", "dataset_name"): ("COCO test-dev", "Plinkovar dev"),
}
"""By cell: what stands there in the tiny archive, and in every copy, and what shall stand there instead."""

SHORT = {"Brontiquet gazes": "short_description", "Snorvelish words": "short_abstract"}
WORDS = {cell: planted.partition(" ")[0].lower() for cell, (_, planted) in PLANTED.items()}


def swapped(value: Any) -> Any:
    """A record of the dumps with the planted texts; the method keeps its short name."""
    if isinstance(value, list):
        return [swapped(each) for each in value]
    if isinstance(value, dict):
        return {key: value[key] if key == "name" else swapped(value[key]) for key in value}
    return dict(PLANTED.values()).get(value, value)


def plant(folder: Path, *, changed: bool = False) -> Path:
    """The planted dumps in a folder, which is made; with something else in every record, if that is asked for."""
    folder.mkdir()
    for path in TINY.glob("*.json"):
        dump = swapped(json.loads(path.read_text()))
        if path.stem == "datasets":
            dump[1] |= {"short_description": "Brontiquet gazes", "num_papers": 1 if changed else 0}
            dump[0]["paper"] = {"title": PLANTED[PAPER, "title"][1], "url": f"https://paperswithcode.com/{PAPER}"}
            dump[0]["verified_paper"] = {"title": PLANTED[PAPER, "title"][1], "url": "https://example.org/"}
        elif path.stem == "papers-with-abstracts":
            dump[1] |= {"short_abstract": "Snorvelish words", "date": "2017-06-13" if changed else "2017-06-12"}
        elif path.stem == "methods" and changed:
            dump[0]["num_papers"] = 12
        elif path.stem == "evaluation-tables" and changed:
            for row in (row for table in dump[1]["datasets"] for row in table["sota"]["rows"]):
                row["paper_date"] = "2017-06-13"
            dump[0]["datasets"][0]["sota"]["metrics"] = ["box AP", "another"]
        (folder / path.name).write_text(json.dumps(dump))
    return folder


@pytest.fixture
def planted(transactional_db: None, tmp_path: Path) -> Path:
    """The archive holds the planted dumps; gives their folder."""
    folder = plant(tmp_path / "planted")
    import_archive([folder], Source.beside([folder]))
    return folder


@pytest.fixture
def editor(planted: Path) -> User:
    """An editor."""
    return people.edda()


def withhold_all(editor: User) -> dict[tuple[str, str], Decision]:
    """Withhold every planted text."""
    return {cell: withhold(*cell, "The rights holder asks for it.", editor) for cell in PLANTED}


def places(told: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """By cell: the addresses that show its word, those left out that were asked for it themselves."""
    return {
        cell: [address for address, body in told.items() if word in body.lower() and word not in address]
        for cell, word in WORDS.items()
    }


def exported(folder: Path, state: State) -> dict[str, str]:
    """The files of an export, in small letters."""
    export_archive(folder / state, state)
    return {path.name: path.read_text().lower() for path in (folder / state).iterdir()}


NOWHERE: dict[tuple[str, str], list[str]] = {cell: [] for cell in PLANTED}


def test_is_nowhere(editor: User, client: Client, tmp_path: Path) -> None:
    before = places(everything(client))
    assert all(len(found) > 3 for found in before.values()), before
    copies = [f"/{BOARD}.csv", f"/{BOARD}/row/1", f"/report/{BOARD}/row/1?field=paper_title", "/dataset/wmt-2014.json"]
    assert set(copies) <= set(before[PAPER, "title"])
    assert (
        f"/{PAPER}" in before[METHOD, "full_name"]
        and "/sota" in before["sota/object-detection-on-coco", "dataset_name"]
    )
    made = withhold_all(editor)
    assert places(everything(client, *WORDS.values())) == NOWHERE
    for word in WORDS.values():
        assert client.get(f"/search.json?q={word}").json()["results"] == [], word
    for name, text in exported(tmp_path, State.CURRENT).items():
        assert not [word for word in WORDS.values() if word in text], name
    assert verify_all() == []
    told = page(client, f"{BOARD}/row/1")
    because = f"Withheld by decision #{made[PAPER, 'title'].number}: The rights holder asks for it."
    assert told["paper_title"] is None and told["absent"]["paper_title"]["sentence"] == because
    for key in ("dataset/wmt-2014", METHOD):
        assert "sealed" in page(client, key)["absent"]["introduced_by.title"]["sentence"]
    assert page(client, METHOD)["absent"]["source_link.title"]["sentence"] == because
    assert page(client, PAPER)["absent"]["short_abstract"]["reason"] == "withheld"


def test_the_snapshots_export_keeps_nothing_but_copies_that_prove_their_records(editor: User, tmp_path: Path) -> None:
    withhold_all(editor)
    found = exported(tmp_path, State.SNAPSHOT)
    kept = {name: {word for word in WORDS.values() if word in text} for name, text in found.items()}
    title, full_name, method = (
        WORDS[cell] for cell in ((PAPER, "title"), (METHOD, "full_name"), (METHOD, "description"))
    )
    assert {name: words for name, words in kept.items() if words} == {
        "links-between-papers-and-code.json": {title},
        "datasets.json": {title},
        "methods.json": {title},
        "papers-with-abstracts.json": {title, full_name, method},
    }
    papers = {paper["paper_url"]: paper for paper in json.loads(found["papers-with-abstracts.json"])}
    assert papers[f"https://paperswithcode.com/{PAPER}"]["title"] is None
    assert verify_all() == []


def test_does_not_come_back_with_a_later_import(editor: User, client: Client, tmp_path: Path) -> None:
    withhold_all(editor)
    folder = plant(tmp_path / "later", changed=True)
    source = replace(Source.beside([folder]), snapshot=datetime.date(2025, 8, 28))
    revisions = {key: record(key).revision for key, _ in PLANTED}
    import_archive([folder], source, closing=rebase)
    assert all(record(key).revision > revision for key, revision in revisions.items())
    assert places(everything(client, *WORDS.values())) == NOWHERE
    for name, text in exported(tmp_path, State.CURRENT).items():
        assert not [word for word in WORDS.values() if word in text], name
    assert verify_all() == []


def test_nor_in_a_replay(editor: User, client: Client, planted: Path) -> None:
    withhold_all(editor)
    log = list(lines())
    cells = {cell: read_cell(record(cell[0]), cell[1]) for cell in PLANTED}
    call_command("empty_archive", yes=True)
    import_archive([planted], Source.beside([planted]))
    replay(log)
    assert {cell: read_cell(record(cell[0]), cell[1]) for cell in PLANTED} == cells
    assert places(everything(client, *WORDS.values())) == NOWHERE
    assert list(lines()) == log and verify_all() == []
