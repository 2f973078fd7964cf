"""Similar datasets: what is shared, why, in which order, and who is left out."""

from __future__ import annotations

import pytest
from django.test import Client

from archive.models import Dataset, DatasetLanguage, DatasetTask, Language, Record, TaskName
from archive.pages.similar import SHOWN, similar_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tiny_archive")]


def dataset(slug: str) -> Dataset:
    return Dataset.objects.get(record__key=f"dataset/{slug}")


def similar(slug: str) -> dict[str, list[str]]:
    """What is shared with each similar dataset, in their order."""
    return {
        other.dataset.rpartition("/")[2]: [*other.shared_tasks, *other.shared_modalities, *other.shared_languages]
        for other in similar_to(dataset(slug))
    }


def words(slug: str, client: Client) -> str:
    """The dataset's page, its blanks run together."""
    return " ".join(client.get(f"/dataset/{slug}").content.decode().split())


def share_a_task(*slugs: str) -> None:
    """Give datasets one task more, under a name it has."""
    name = TaskName.objects.filter(task__record__key="task/machine-translation")[0]
    for slug in slugs:
        DatasetTask.objects.create(dataset=dataset(slug), position=90, task=name.task, name=name)


def test_those_that_share_more_come_first_and_say_what() -> None:
    assert similar("mmdialog") == {"wmt-2014": ["Texts", "English"], "salicon": ["Images"]}


def test_what_few_datasets_have_counts_most() -> None:
    spoken = Language.objects.get(name="English")
    DatasetLanguage.objects.create(dataset=dataset("salicon"), position=1, language=spoken)
    assert list(similar("salicon")) == ["mmdialog", "wmt-2014"]
    share_a_task("salicon")  # now shared with WMT 2014 alone, while all three have English
    assert list(similar("salicon")) == ["wmt-2014", "mmdialog"]


def test_a_task_printed_twice_is_shared_once() -> None:
    share_a_task("wmt-2014", "salicon")
    assert similar("wmt-2014")["salicon"] == ["Machine Translation"]


def test_nothing_is_similar_to_what_has_nothing() -> None:
    assert similar_to(Dataset.objects.filter(tasks=None, modalities=None, languages=None)[0]) == []


@pytest.mark.parametrize("change", [{"withdrawn": True}, {"quarantined": "phone"}, {"dropped_in": "2026-01-01"}])
def test_records_that_are_not_there_are_left_out(change: dict[str, object]) -> None:
    Record.objects.filter(key="dataset/wmt-2014").update(**change)
    assert list(similar("mmdialog")) == ["salicon"]


def test_the_list_is_bounded() -> None:
    assert SHOWN == 8
    assert len(similar("mmdialog")) <= SHOWN


def test_the_page_says_why_in_both_faces(client: Client) -> None:
    page = client.get("/dataset/mmdialog.json").json()
    assert page["similar_datasets"][0] == {
        "dataset": "/dataset/wmt-2014",
        "name": "WMT 2014",
        "shared_tasks": [],
        "shared_modalities": ["Texts"],
        "shared_languages": ["English"],
    }
    html = words("mmdialog", client)
    assert "shares the modality <bdi>Texts</bdi>; the language <bdi>English</bdi>" in html
    assert page["similar_note"] in html


def test_names_are_text_and_many_are_counted(client: Client) -> None:
    for position in range(6):
        spoken = Language.objects.create(name=f"A & {position}<i>", slug=f"a-{position}")
        for slug in ("mmdialog", "wmt-2014"):
            DatasetLanguage.objects.create(dataset=dataset(slug), position=position + 10, language=spoken)
    assert len(similar_to(dataset("mmdialog"))[0].shared_languages) == 7
    named = ", ".join(["<bdi>English</bdi>", *(f"<bdi>A &amp; {number}&lt;i&gt;</bdi>" for number in range(3))])
    assert f"; the languages {named} and 3 more<" in words("mmdialog", client)
