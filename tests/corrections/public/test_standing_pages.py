"""Corrected values and open reports on the pages of records, and the way to report from each of them."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from archive.models import Record, RecordKind
from corrections.cells import read_cell
from corrections.decisions import decide, revert
from corrections.models import Report
from corrections.submissions import withdraw
from tests.corrections.public.conftest import BOARD, DATASET, PAPER, filed
from tests.corrections.public.test_report_form import text_of
from tests.corrections.rulings import accepted, record, wanting

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tiny_archive")]

ROW = f"{BOARD}/row/1"
CODE = f"{PAPER}/code/1"
EACH = {
    DATASET: ("homepage", "https://example.org/new"),
    PAPER: ("title", "Attention is all one needs"),
    BOARD: ("description", "A description of the leaderboard."),
    ROW: ("model_name", "Another name"),
}


def of_kind(kind: RecordKind) -> str:
    """The key of the first public record of a kind."""
    return Record.objects.public().filter(kind=kind).order_by("id").values_list("key", flat=True)[0]


@pytest.fixture
def metric() -> str:
    """The field of a value of the row."""
    value = record(ROW).result.values.select_related("metric").order_by("metric_id")[0]
    return f"metrics.{value.metric.name}"


def corrections(client: Client, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/{key}.json").json()["corrections"]
    return found


@pytest.mark.parametrize("key", [*EACH, "task", "method"])
def test_both_values_and_the_decision_on_every_kind(client: Client, renu: User, key: str) -> None:
    field, new = EACH.get(key) or ("description", "Another description.")
    key = of_kind(RecordKind(key)) if key in ("task", "method") else key
    old = read_cell(record(key), field)
    decide(accepted(wanting(key, field, new)), renu)
    (cell,) = corrections(client, key)
    assert (cell["record"], cell["field"], cell["snapshot"], cell["current"], cell["decision"]) == (
        *(key, field, old, new, 1),
    )
    page = client.get(f"/{key}")
    assert "corrected by #1" in re.sub(r" +", " ", text_of(page)).replace("# 1", "#1")
    assert 'href="/corrections/1"' in page.content.decode()


def test_a_cell_put_back_is_no_correction(client: Client, renu: User) -> None:
    decide(accepted(wanting(DATASET, "homepage", "https://example.org/")), renu)
    revert(1, "It was right.", renu)
    assert corrections(client, DATASET) == []
    assert client.get(f"/{DATASET}.json").json()["record"]["revision"] == 2


def test_a_value_of_a_row_is_marked_wherever_the_row_stands(client: Client, renu: User, metric: str) -> None:
    old = read_cell(record(ROW), metric)
    decide(accepted(wanting(ROW, metric, "-14.96")), renu)
    name = metric.removeprefix("metrics.")
    paper = record(ROW).result.paper
    for key in (ROW, BOARD, *([paper.record.key] if paper else [])):
        assert [(c["record"], c["snapshot"], c["current"]) for c in corrections(client, key)] == [(ROW, old, "-14.96")]
        words = re.sub(r"\s+", " ", text_of(client.get(f"/{key}")))
        assert f"-14.96 corrected by #1 ; the snapshot says {old}" in words, key
    lines = list(csv.DictReader(io.StringIO(b"".join(client.get(f"/{BOARD}.csv")).decode(), newline="")))
    mine = next(line for line in lines if line["row"].endswith(f"/{ROW}"))
    assert (mine[name], mine[f"{name} (snapshot)"], mine[f"{name} decision"]) == ("-14.96", old, "1")
    others = [line for line in lines if line is not mine]
    assert all(line[f"{name} decision"] == "" and line[f"{name} (snapshot)"] == line[name] for line in others)


def test_a_correction_changes_no_rank(client: Client, renu: User, metric: str) -> None:
    before = [(row["row"], row["rank"]) for row in client.get(f"/{BOARD}.json").json()["results"]]
    decide(accepted(wanting(ROW, metric, "0.0001")), renu)
    assert [(row["row"], row["rank"]) for row in client.get(f"/{BOARD}.json").json()["results"]] == before


def test_a_csv_without_corrections_has_no_more_columns(client: Client) -> None:
    head = b"".join(client.get(f"/{BOARD}.csv")).decode().splitlines()[0]
    assert "(snapshot)" not in head and " decision" not in head and ",open_reports," in head


@pytest.mark.parametrize("key", [DATASET, PAPER, BOARD, ROW])
def test_open_reports_count_from_filing_to_withdrawal(client: Client, key: str) -> None:
    def count() -> int:
        number: int = client.get(f"/{key}.json").json()["open_reports"]
        return number

    first = filed(key).report
    assert count() == 1
    assert "1 open report on this record." in text_of(client.get(f"/{key}"))
    withdraw(first)
    assert count() == 0 and Report.objects.count() == 1


def test_open_reports_of_rows_and_code_links_stand_beside_them(client: Client) -> None:
    filed(ROW)
    filed(CODE, sender="192.0.2.2")
    rows = client.get(f"/{BOARD}.json").json()["results"]
    assert [row["open_reports"] for row in rows if row["row"] == f"/{ROW}"] == [1]
    assert client.get(f"/{BOARD}.json").json()["open_reports"] == 0
    code = client.get(f"/{PAPER}.json").json()["code"]
    assert [link["open_reports"] for link in code if link["key"] == CODE] == [1]
    assert "1 open · report" in re.sub(r"\s+", " ", text_of(client.get(f"/{PAPER}")))
    line = next(csv.DictReader(io.StringIO(b"".join(client.get(f"/{BOARD}.csv")).decode(), newline="")))
    assert line["open_reports"] == "1"


@pytest.mark.parametrize("key", [DATASET, PAPER, BOARD, ROW, "task", "method"])
def test_every_record_s_page_leads_to_the_form_with_the_promise(client: Client, key: str) -> None:
    key = of_kind(RecordKind(key)) if key in ("task", "method") else key
    page = client.get(f"/{key}")
    assert f'href="/report/{key}"' in page.content.decode()
    words = text_of(page)
    assert "Report a problem or propose a change" in words
    assert "a person checks every report against the paper or source before anything changes" in words
    assert "decisions are listed on /corrections" in words
    for link in set(re.findall(r'href="(/report/[^"]+)"', page.content.decode())):
        assert client.get(link.replace("&amp;", "&")).status_code == 200, link


def test_each_row_code_link_and_field_of_a_dataset_has_its_own(client: Client) -> None:
    board = client.get(f"/{BOARD}").content.decode()
    for row in client.get(f"/{BOARD}.json").json()["results"]:
        assert f'href="/report{row["row"]}"' in board
    paper = client.get(f"/{PAPER}").content.decode()
    for link in client.get(f"/{PAPER}.json").json()["code"]:
        assert f'href="/report/{link["key"]}"' in paper
    dataset = client.get(f"/{DATASET}").content.decode()
    for field in ("name", "description", "homepage", "introduced_date", "license_name", "modalities", "variants"):
        assert f'href="/report/{DATASET}?field={field}"' in dataset


@pytest.mark.parametrize("ending", ["", ".json"])
def test_a_code_link_stands_on_its_paper_s_page(client: Client, ending: str) -> None:
    response = client.get(f"/{CODE}{ending}")
    assert (response.status_code, response["Location"]) == (
        302,
        f"/{PAPER}.json" if ending else f"/{PAPER}#code-1",
    )
    assert 'id="code-1"' in client.get(f"/{PAPER}").content.decode()
    assert client.get(f"/{PAPER}/code/99{ending}").status_code == 404


def test_a_withdrawn_record_names_the_decision(client: Client, renu: User, otto: User) -> None:
    decide(accepted(wanting(DATASET, "withdrawn", True)), renu, second_reader=otto)
    response = client.get(f"/{DATASET}")
    assert response.status_code == 410 and 'href="/corrections/1"' in response.content.decode()
    assert client.get(f"/{DATASET}.json").json()["error"]["decision"] == 1
    assert client.get(f"/report/{DATASET}").status_code == 200
