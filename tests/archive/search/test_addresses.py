"""Identifiers that lead straight to a record."""

from __future__ import annotations

import pytest

from archive.models import Record
from archive.search.addresses import lead_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo_archive")]

ATTENTION = "paper/attention-is-all-you-need"


class TestAddresses:
    """What leads straight to a record, and what does not."""

    @pytest.mark.parametrize(
        "typed",
        [
            "1706.03762",
            "1706.03762v7",
            " arXiv:1706.03762 ",
            "arxiv: 1706.03762v5",
            "https://arxiv.org/abs/1706.03762",
            "http://arxiv.org/abs/1706.03762v2",
            "arxiv.org/pdf/1706.03762v7.pdf",
            "https://www.arxiv.org/pdf/1706.03762",
            "https://export.arxiv.org/abs/1706.03762?context=cs",
            "10.48550/arXiv.1706.03762",
            "https://doi.org/10.48550/arXiv.1706.03762",
            "https://paperswithcode.com/paper/attention-is-all-you-need",
            "http://www.paperswithcode.com/paper/attention-is-all-you-need/",
            "paperswithcode.com/paper/attention-is-all-you-need#code",
            "/paper/attention-is-all-you-need",
            "paper/attention-is-all-you-need",
        ],
    )
    def test_a_paper(self, typed: str) -> None:
        assert [record.key for record in lead_to(typed) or ()] == [ATTENTION]

    @pytest.mark.parametrize(
        ("typed", "key"),
        [
            ("https://paperswithcode.com/dataset/imagenet", "dataset/imagenet"),
            (
                "https://paperswithcode.com/sota/image-classification-on-imagenet?p=x",
                "sota/image-classification-on-imagenet",
            ),
            ("https://doi.org/10.1162/neco.1997.9.8.1735", "paper/long-short-term-memory"),
            ("doi:10.1162/neco.1997.9.8.1735", "paper/long-short-term-memory"),
            ("10.1162/NECO.1997.9.8.1735", "paper/long-short-term-memory"),
            ("https://github.com/google-research/bert", "paper/bert-pre-training-of-deep-bidirectional"),
            ("github.com/Google-Research/BERT.git", "paper/bert-pre-training-of-deep-bidirectional"),
        ],
    )
    def test_other_records(self, typed: str, key: str) -> None:
        records = lead_to(typed)
        assert records is not None and key in [record.key for record in records]

    def test_a_repository_may_lead_to_several_papers(self) -> None:
        assert len(lead_to("https://github.com/huggingface/transformers") or ()) > 1

    @pytest.mark.parametrize(
        "typed", ["9999.99999", "https://arxiv.org/abs/9999.99999", "https://example.org/x", "task/none"]
    )
    def test_identifiers_that_nothing_has(self, typed: str) -> None:
        assert lead_to(typed) == []

    @pytest.mark.parametrize(
        "typed",
        [
            "",
            "attention",
            "1706.03762 attention",
            "and/or",
            "v1.0/x",
            "10.5",
            "\x00",
            "http://",
            "x" * 100_000,
            "[::1]/a",
        ],
    )
    def test_what_is_no_identifier(self, typed: str) -> None:
        assert not lead_to(typed)

    @pytest.mark.parametrize("state", [{"quarantined": "gambling"}, {"withdrawn": True}])
    def test_records_that_are_not_public_are_not_led_to(self, state: dict[str, object]) -> None:
        Record.objects.filter(key=ATTENTION).update(**state)
        assert lead_to("1706.03762") == [] == lead_to("/" + ATTENTION)

    def test_a_merged_record_leads_to_its_target(self) -> None:
        target = Record.objects.get(key="paper/graph-attention-networks")
        Record.objects.filter(key=ATTENTION).update(merged_into=target)
        assert lead_to("/" + ATTENTION) == [target]
