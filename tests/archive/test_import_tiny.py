"""What a first import makes of the tiny archive: counts, keys, values word for word, and what was matched by what."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import pytest

from archive.importers.dump_files import DumpKind
from archive.models import (
    Author,
    CodeLink,
    Dataset,
    ImportedFile,
    ImportRun,
    Leaderboard,
    LeaderboardMetric,
    Method,
    Paper,
    PrintedMethod,
    Record,
    RecordKind,
    Repository,
    Result,
    ResultMetric,
    Task,
    TaskName,
    TaskNode,
    TaskTable,
)
from tests.archive.dumps import TINY, TINY_NEXT, canonical_records, exported, faults, values

ATTENTION = "paper/attention-is-all-you-need"
ECSSD = "sota/salient-object-detection-on-ecssd"


def keys(kind: RecordKind) -> list[str]:
    return list(Record.objects.filter(kind=kind).order_by("ordinal", "id").values_list("key", flat=True))


@pytest.mark.usefixtures("db", "tiny_archive")
class TestTiny:
    def test_numbers_of_records(self) -> None:
        counts = Counter(Record.objects.values_list("kind", flat=True))
        assert counts == {
            "paper": 6,
            "dataset": 4,
            "method": 3,
            "task": 4 + 3,  # described in the tree, and only named by papers and datasets
            "leaderboard": 6,
            "result": 13,
            "code": 6,
        }
        assert Record.objects.filter(digest=None).count() == 3
        (run,) = ImportRun.objects.all()
        assert (run.archive, run.snapshot) == ("corrigenda-tiny", datetime.date(2025, 7, 28))
        assert run.summary["counts"]["paper"] == {"added": 6}

    def test_keys_are_the_addresses_of_the_old_site(self) -> None:
        for kind, dump, field in (
            (RecordKind.PAPER, DumpKind.PAPERS, "paper_url"),
            (RecordKind.DATASET, DumpKind.DATASETS, "url"),
            (RecordKind.METHOD, DumpKind.METHODS, "url"),
        ):
            printed = [value[field].removeprefix("https://paperswithcode.com/") for value in values(dump)]
            assert keys(kind) == printed
        assert set(keys(RecordKind.LEADERBOARD)) == {
            ECSSD,
            "sota/object-detection-on-coco",
            "sota/object-detection-on",
            "sota/saliency-prediction-on-salicon",
            "sota/machine-translation-on-wmt2014-english-german",
            "sota/machine-translation-on-wmt2014-english-french",
        }

    def test_tasks_have_the_slugs_that_datasets_give_them_else_minted_ones(self) -> None:
        named = dict(TaskName.objects.values_list("name", "task__record__key"))
        assert named == {
            "Object Detection": "task/object-detection",
            "Saliency Detection": "task/saliency-prediction",
            "Saliency Prediction": "task/saliency-prediction-1",
            "Machine Translation": "task/machine-translation",
            "Multimodal Intent Recognition": "task/multimodal-intent-recognition",
            "Image Classification": "task/image-classification",
            "Text Generation": "task/text-generation",
        }

    def test_names_are_shown_as_printed_and_sorted_by_a_stored_key(self) -> None:
        record = Record.objects.get(key="paper/u-2-net-going-deeper-with-nested-u-structure")
        assert record.name.startswith("U$^2$-Net: Going Deeper")
        assert record.sort_key.startswith("u$^2$-net: going deeper")
        assert Record.objects.get(key="sota/object-detection-on").name == "Object Detection on"
        hochreiter = Author.objects.filter(name__endswith="rgen Schmidhuber").order_by("slug")
        assert [(a.name, a.slug, a.sort_key) for a in hochreiter] == [
            ("Jürgen Schmidhuber", "jurgen-schmidhuber", "jurgen schmidhuber"),
            ("Jurgen Schmidhuber", "jurgen-schmidhuber-1", "jurgen schmidhuber"),
        ]

    def test_text_is_kept_word_for_word(self) -> None:
        for value in values(DumpKind.PAPERS):
            paper = Paper.objects.get(record__key=value["paper_url"].removeprefix("https://paperswithcode.com/"))
            assert (paper.title, paper.url_abs, paper.conference) == (
                value["title"],
                value["url_abs"],
                value["conference"],
            )
            assert paper.abstract == (value["abstract"] or None)
            authors = paper.authorships.order_by("position").values_list("author__name", flat=True)
            assert list(authors) == value["authors"]
            tasks = paper.tasks.order_by("position").values_list("name__name", flat=True)
            assert list(tasks) == value["tasks"]
        wmt = Dataset.objects.get(record__key="dataset/wmt-2014")
        assert "\r\n\r\nImage Source" in (wmt.description or "")
        variants = wmt.variants.order_by("position").values_list("name", flat=True)
        assert list(variants) == ["WMT2014 English-German", "WMT2014 English-French "]
        assert [loader.url for loader in wmt.data_loaders.order_by("position")] == [
            "https://huggingface.co/datasets/wmt14"
        ] * 2

    def test_dates_say_how_much_of_them_is_known(self) -> None:
        day, year = datetime.date(2015, 6, 7), datetime.date(2014, 1, 1)
        dated = {
            key: (date, precision)
            for key, date, precision in Dataset.objects.values_list(
                "record__key", "introduced_date", "introduced_date_precision"
            )
        }
        assert dated["dataset/salicon"] == (day, "day")
        assert dated["dataset/wmt-2014"] == (year, "year")
        assert dated["dataset/skyline-booking-555-0143"] == (None, "")
        lstm = Paper.objects.get(record__key="paper/long-short-term-memory")
        assert (lstm.date, lstm.date_precision) == (None, "")
        assert Method.objects.get(record__key="method/transformer").known_year is None
        assert Method.objects.get(record__key="method/resnet").known_year == 2015

    def test_metric_values_are_strings_with_a_number_beside_them_where_one_can_be_told(self) -> None:
        stored = {
            (key, name): (value, number)
            for key, name, value, number in ResultMetric.objects.values_list(
                "result__record__key", "metric__name", "value", "number"
            )
        }
        coco = "sota/object-detection-on-coco/row"
        assert stored[f"{coco}/1", "box AP"] == ("37.4", 37.4)
        assert stored[f"{coco}/3", "box AP"] == ("34.9%", 34.9)
        assert not Result.objects.get(record__key=f"{coco}/4").values.exists()
        assert stored["sota/object-detection-on/row/1", "Average mAP"] == ("Read the paper, table 2", None)
        assert stored[f"{ECSSD}/row/1", "max F-measure"] == ("\u221214.96", -14.96)
        french = "sota/machine-translation-on-wmt2014-english-french/row"
        assert stored[f"{french}/2", "BLEU score"] == ("41,0", 41.0)
        salicon = "sota/saliency-prediction-on-salicon/row/1"
        assert stored[salicon, "NSS"] == ("200%", 200.0)
        assert len(stored) == 16

    def test_a_metric_says_which_way_is_better_and_where_that_is_known_from(self) -> None:
        found = {
            (key, name): (position, direction, source)
            for key, name, position, direction, source in LeaderboardMetric.objects.values_list(
                "leaderboard__record__key", "name", "position", "direction", "direction_source"
            )
        }
        german = "sota/machine-translation-on-wmt2014-english-german"
        assert found[ECSSD, "MAE"] == (0, "lower", "table")
        assert found[german, "BLEU score"][:2] == (0, "higher")
        assert found[german, "Number of Params"][:2] == (1, "lower")
        assert all(source for _, _, source in found.values())

    def test_rows_stand_in_archive_order_and_are_never_ranked_by_value(self) -> None:
        rows = Result.objects.filter(leaderboard__record__key=ECSSD).order_by("position")
        assert [(row.number, row.position, row.model_name) for row in rows] == [
            (1, 1, "Invented example"),
            (2, 2, "U^2-Net+"),
        ]
        for board in Leaderboard.objects.all():
            placed = board.results.order_by("position").values_list("number", "position")
            assert list(placed) == [(n, n) for n in range(1, board.row_count + 1)]
        french = Result.objects.filter(leaderboard__record__key__endswith="english-french").order_by("number")
        assert [(row.model_name, row.uses_additional_data) for row in french] == [
            ("Transformer Big", False),
            ("Transformer Big", True),
        ]

    def test_rows_are_matched_by_address_then_arxiv_id_then_title_else_not(self) -> None:
        matched: dict[str, tuple[Any, ...]] = {
            key: (paper, how, title)
            for key, paper, how, title in Result.objects.values_list(
                "record__key", "paper__record__key", "paper_matched", "paper_title"
            )
        }
        resnet = "paper/deep-residual-learning-for-image-recognition"
        title = "Deep Residual Learning for Image Recognition"
        assert matched["sota/object-detection-on-coco/row/1"] == (resnet, "url", title)
        english = "sota/machine-translation-on-wmt2014-english"
        assert matched[f"{english}-german/row/1"][:2] == (ATTENTION, "url")
        assert matched[f"{english}-french/row/1"][:2] == (ATTENTION, "arxiv")
        salicon = "sota/saliency-prediction-on-salicon/row/1"
        assert matched[salicon] == ("paper/salicon-saliency-in-context", "title", "SALICON: Saliency in Context")
        unmatched = (None, "", "Convolutional Sequence to Sequence Learning")
        assert matched[f"{english}-german/row/3"] == unmatched
        assert matched["sota/object-detection-on-coco/row/3"] == (None, "", None)

    def test_leaderboards_are_matched_with_datasets_by_name_then_variant(self) -> None:
        matched: dict[str, tuple[Any, ...]] = {
            key: (dataset, how)
            for key, dataset, how in Leaderboard.objects.values_list(
                "record__key", "dataset__record__key", "dataset_matched"
            )
        }
        assert matched["sota/saliency-prediction-on-salicon"] == ("dataset/salicon", "name")
        for language in ("german", "french"):
            key = f"sota/machine-translation-on-wmt2014-english-{language}"
            assert matched[key] == ("dataset/wmt-2014", "variant")
        assert matched["sota/object-detection-on-coco"] == (None, "")
        assert matched["sota/object-detection-on"] == (None, "")

    def test_other_printed_relations_are_found(self) -> None:
        introduced: dict[str, Any] = dict(Dataset.objects.values_list("record__key", "introduced_by__record__key"))
        assert introduced["dataset/mmdialog"] == "paper/mmdialog-a-large-scale-multi-turn-dialogue"
        assert introduced["dataset/wmt-2014"] is None  # its address is another site's
        introduced = dict(Method.objects.values_list("record__key", "introduced_by__record__key"))
        assert introduced["method/transformer"] == ATTENTION
        copies = PrintedMethod.objects.values_list("name", "method__record__key").order_by("id")
        # Two papers print ResNet differently; the copies are two, the method is one.
        assert list(copies) == [
            ("ResNet", "method/resnet"),
            ("Transformer", "method/transformer"),
            ("ResNet", "method/resnet"),
        ]

    def test_code_links_are_numbered_within_their_paper_and_repositories_are_one_whatever_the_spelling(self) -> None:
        links = CodeLink.objects.order_by("record__ordinal").values_list(
            "record__key", "paper__record__key", "number", "repository__url", "framework__name"
        )
        unet = "paper/u-2-net-going-deeper-with-nested-u-structure"
        assert list(links)[1:5] == [
            (f"{ATTENTION}/code/1", ATTENTION, 1, "https://github.com/tensorflow/tensor2tensor", "tf"),
            (f"{ATTENTION}/code/2", ATTENTION, 2, "https://github.com/tunz/transformer-pytorch", "pytorch"),
            (f"{unet}/code/1", unet, 1, "https://github.com/xuebinqin/u-2-net", "pytorch"),
            (f"{unet}/code/2", unet, 2, "https://github.com/xuebinqin/u-2-net", "none"),
        ]
        assert Repository.objects.count() == 5

    def test_the_tree_is_kept_as_it_is_nested_with_its_cycle_and_its_repeats(self) -> None:
        def below(node: TaskNode) -> list[object]:
            children = node.children.order_by("position").select_related("name")
            return [node.name.name, *[below(child) for child in children]]

        roots = TaskNode.objects.filter(parent=None).order_by("position")
        detection = "Saliency Detection"
        prediction = "Saliency Prediction"
        assert [below(root) for root in roots] == [
            ["Object Detection", [detection, [prediction, [detection]]]],
            ["Machine Translation"],
            [detection, [prediction, [detection]]],
        ]
        ecssd = TaskTable.objects.filter(leaderboard__record__key=ECSSD)
        assert ecssd.count() == 4
        assert set(ecssd.values_list("rows", "extra")) == {(None, "")}
        detection_task = Task.objects.get(record__key="task/saliency-prediction")
        assert detection_task.description == "Find what stands out."  # told at top level, empty elsewhere
        assert [area.area.name for area in detection_task.areas.all()] == ["Computer Vision"]

    def test_spam_is_set_aside_with_its_rule(self) -> None:
        aside = dict(Record.objects.quarantined().values_list("key", "quarantined"))
        assert set(aside) == {"dataset/skyline-booking-555-0143", "method/sky-line-refund-desk"}
        assert all(aside.values())

    def test_extra_hides_nothing_of_the_final_dumps_own_form(self) -> None:
        """`extra` holds what columns do not say; for records in the final form that is the odd empty text."""
        extras = {key: extra for key, extra in Record.objects.values_list("key", "extra") if extra}
        assert extras == {
            "paper/u-2-net-going-deeper-with-nested-u-structure": '{"set":{"abstract":""}}',
            "paper/mmdialog-a-large-scale-multi-turn-dialogue": '{"set":{"abstract":""}}',
            "paper/salicon-saliency-in-context": '{"set":{"abstract":""}}',
            "paper/long-short-term-memory": '{"set":{"date":"","submitter_note":"kept as found"}}',
            "dataset/wmt-2014": '{"set":{"full_name":""}}',
            "dataset/mmdialog": '{"set":{"description":""}}',
            "dataset/skyline-booking-555-0143": '{"set":{"homepage":""}}',
            "method/resnet": '{"set":{"code_snippet_url":""}}',
        }

    def test_files_are_noted_with_digest_and_day_of_retrieval(self) -> None:
        files = {file.dump: file for file in ImportedFile.objects.all()}
        assert set(files) == set(DumpKind)
        assert files["papers"].retrieved == datetime.date(2025, 7, 29)
        assert files["links"].retrieved == datetime.date(2025, 7, 28)
        assert (files["papers"].records, files["tables"].records) == (6, 3)
        assert files["methods"].names == ["methods.json"] and len(files["methods"].sha256[0]) == 64


@pytest.mark.usefixtures("db", "tiny_archive")
class TestOutAgain:
    def test_the_export_is_the_input_record_for_record(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        assert exported(tmp_path_factory.mktemp("out")) == canonical_records(TINY)

    def test_and_is_not_just_any_archive(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        assert exported(tmp_path_factory.mktemp("out")) != canonical_records(TINY_NEXT)

    def test_verification_is_content(self) -> None:
        assert faults() == []
