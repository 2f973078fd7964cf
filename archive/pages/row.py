"""A row of a leaderboard: what it says, where it stands, how to cite it, and what else its model and paper have."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, QuerySet, Window

from archive.models import Leaderboard, Record, RecordKind, Result
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    described,
    documented,
    missing,
    public,
)
from archive.pages.boards import (
    ADDED_BY,
    BoardLink,
    MetricOfBoard,
    Named,
    PrintedLink,
    board_link,
    board_name,
    metrics_in_order,
    missing_paper,
    no_rank,
    printed_links,
    public_path,
    rank_in_words,
    rank_note,
    values_of,
)
from archive.pages.standing import Standings
from archive.pages.view import CURRENT, View

OTHERS_SHOWN = 50
NEIGHBOURS = 2
HOW_TO_CITE = (
    "Name the row by its address, which never changes, and the snapshot, since a rank holds for that day only. "
    "The result is its paper's: cite the paper for it, and the row for where it was listed."
)


@documented
class OtherRow:
    """A row that another row's page refers to. Its rank is its place at the snapshot, not a current standing."""

    row: str = described("Address on this site of the row.")
    leaderboard: str = described("Address on this site of its leaderboard.")
    leaderboard_name: str = described("Task and dataset of the leaderboard in words.")
    rank: int | None = described("Its 1-based place in the archive's order at the snapshot; null if it is not in it.")
    rows: int = described("Number of rows of its leaderboard at the snapshot.")
    rank_at_snapshot: str | None = described("Both in words, such as #2 of 4; null if it is not in the snapshot.")
    model: str | None = described("The model's name, as printed.")
    metrics: Mapping[str, str] = described("By metric: the value, verbatim. A metric the row lacks is left out.")


@documented
class OtherRows:
    """Rows that have something in common with this one."""

    total: int = described("How many there are, this one left out.")
    shown: Sequence[OtherRow] = described("The first of them in archive order, at most 50.")


@documented
class RowPage(RecordPage):
    """`/sota/<slug>/row/<n>`: one row of a leaderboard."""

    section = "/sota"

    leaderboard: BoardLink = described("The leaderboard that the row is of.")
    task: Named = described("The leaderboard's task.")
    number: int = described("The row's number in its address. Given once, in archive order; no rank.")
    rank: int | None = described("Its 1-based place in the archive's order at the snapshot.")
    rows: int = described("Number of rows of the leaderboard at the snapshot.")
    rank_at_snapshot: str | None = described("Both in words, such as #2 of 4.")
    rank_note: str = described("What a rank is, and that it is not a current standing.")
    model: str | None = described("The model's name, as printed.")
    metrics: Mapping[str, str] = described("By metric: the value, verbatim. A metric the row lacks is left out.")
    metrics_of_leaderboard: Sequence[MetricOfBoard] = described("All metrics of the leaderboard, in its order.")
    uses_additional_data: bool = described("Whether the archive flags the row as using additional training data.")
    paper: str | None = described("Address on this site of the row's paper.")
    paper_title: str | None = described("The paper's title, as printed in the row.")
    paper_url: str | None = described("The paper's own address elsewhere, as printed in the row.")
    paper_matched_by: str | None = described("By what the paper was matched: url, arxiv, title, or decided.")
    paper_date: datetime.date | None = described("The paper's date, as printed in the row.")
    paper_date_precision: str | None = described("day, or year where only the year is known; null without a date.")
    code_links: Sequence[PrintedLink] = described("The links to code printed in the row.")
    model_links: Sequence[PrintedLink] = described("The links to models printed in the row.")
    added_by: int | None = described(ADDED_BY)
    citation: str = described("A sentence that cites the row, without the host of its address.")
    how_to_cite: str = described("What a citation of a row has to say.", default=HOW_TO_CITE)
    above: Sequence[OtherRow] = described("The rows just above it at the snapshot, at most 2.")
    below: Sequence[OtherRow] = described("The rows just below it at the snapshot, at most 2.")
    same_model: OtherRows = described("Rows with the same printed model name, which need not be the same model.")
    same_paper: OtherRows = described("Other rows of its paper.")

    @property
    def heading(self) -> str:
        """The model's name."""
        return self.model or "A row without a model name"

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Leaderboards, the leaderboard, then this row."""
        return (
            Crumb(name="Leaderboards", url="/sota"),
            Crumb(name=self.leaderboard.name, url=self.leaderboard.leaderboard),
        )

    @property
    def place_in_table(self) -> str:
        """The address of the row's line in its leaderboard."""
        return f"{self.leaderboard.leaderboard}#row-{self.number}"

    @property
    def values(self) -> list[tuple[MetricOfBoard, str | None]]:
        """Each metric of the leaderboard with the row's value, None where it has none."""
        return [(metric, self.metrics.get(metric.name)) for metric in self.metrics_of_leaderboard]


def build(record: Record, view: View = CURRENT) -> RowPage:
    """The page of a row's record in a view. 8 queries; 6 at least, for a row without model, paper and place."""
    row = Result.objects.select_related(
        "record", "leaderboard__record", "leaderboard__task__record", "paper__record"
    ).get(pk=record.pk)
    board = row.leaderboard
    provenance = Provenance.current()
    metrics = [MetricOfBoard.of(metric) for metric in metrics_in_order(board.pk)]
    near = _near(row)
    same_model, same_paper = _same_model(row), _same_paper(row)
    others = {other.pk for other in (*near, *same_model, *same_paper)}
    standing = Standings.on_page(record, others, view)
    standing.put(row)
    near, same_model, same_paper = (standing.there(rows) for rows in (near, same_model, same_paper))
    values = {pk: standing.metrics(pk, printed) for pk, printed in values_of({row.pk, *others}).items()}
    content: dict[str, Any] = {
        "model": row.model_name,
        "metrics": values[row.pk],
        "paper_title": row.paper_title,
        "paper_url": row.paper_url,
        "paper_date": row.paper_date,
        "code_links": printed_links(row.code_links),
        "model_links": printed_links(row.model_links),
    }
    snapshot = provenance.source.snapshot
    return RowPage(
        **standing.frame(provenance),
        leaderboard=board_link(board),
        task=Named(name=board.task.name, url=public_path(board.task.record)),
        number=row.number,
        rank=row.position,
        rows=board.row_count,
        rank_at_snapshot=rank_in_words(row, board.row_count),
        rank_note=rank_note(snapshot),
        **content,
        metrics_of_leaderboard=metrics,
        uses_additional_data=row.uses_additional_data,
        paper=public_path(row.paper.record if row.paper else None),
        paper_matched_by=row.paper_matched or None,
        paper_date_precision=row.paper_date_precision or None,
        added_by=standing.added_by(row.pk),
        citation=_citation(row, values[row.pk], snapshot, provenance.source.archive),
        above=[_other(other, values) for other in near if (other.position or 0) < (row.position or 0)],
        below=[_other(other, values) for other in near if (other.position or 0) > (row.position or 0)],
        same_model=_others(same_model, values),
        same_paper=_others(same_paper, values),
        absent=_absent(content, row, standing),
    )


KEYS = {"model_name": "model"}
"""The keys of fields that the page does not show under their own name."""


def _near(row: Result) -> list[Result]:
    """The rows around it, in order: by place, so that one set aside leaves a gap. One query, none without a place."""
    if row.position is None:
        return []
    around = (row.position - NEIGHBOURS, row.position + NEIGHBOURS)
    return list(_public_rows().filter(leaderboard=row.leaderboard_id, position__range=around).exclude(pk=row.pk))


def _same_model(row: Result) -> list[Result]:
    """Rows of the same printed name, found by the index on the records' names. One query, none without a name."""
    if not row.model_name:
        return []
    same = _public_rows().filter(record__kind=RecordKind.RESULT, record__sort_key=row.record.sort_key)
    return list(_counted(same.filter(model_name=row.model_name).exclude(pk=row.pk)))


def _same_paper(row: Result) -> list[Result]:
    """The other rows of its paper. One query, none without a paper that is shown."""
    if row.paper is None or public_path(row.paper.record) is None:
        return []
    return list(_counted(_public_rows().filter(paper=row.paper_id).exclude(pk=row.pk)))


def _public_rows() -> QuerySet[Result]:
    return (
        Result.objects.filter(public(), public("leaderboard__record__"))
        .select_related("record", "leaderboard__record", "leaderboard__task")
        .order_by("leaderboard__record__ordinal", "leaderboard_id", "position", "number")
    )


def _counted(rows: QuerySet[Result]) -> QuerySet[Result]:
    return rows.annotate(total=Window(Count("*")))[:OTHERS_SHOWN]


def _others(rows: Sequence[Any], values: Mapping[int, Mapping[str, str]]) -> OtherRows:
    return OtherRows(total=rows[0].total if rows else 0, shown=[_other(row, values) for row in rows])


def _other(row: Result, values: Mapping[int, Mapping[str, str]]) -> OtherRow:
    board = row.leaderboard
    return OtherRow(
        row=row.record.path,
        leaderboard=board.record.path,
        leaderboard_name=board_name(board.task.name, board.dataset_name),
        rank=row.position,
        rows=board.row_count,
        rank_at_snapshot=rank_in_words(row, board.row_count),
        model=row.model_name,
        metrics=values[row.pk],
    )


def _citation(row: Result, values: Mapping[str, str], snapshot: datetime.date | None, archive: str) -> str:
    board: Leaderboard = row.leaderboard
    printed = ", ".join(f"{name} {value}" for name, value in values.items()) or "no values"
    paper = f" Paper: {row.paper_title}." if row.paper_title else ""
    rank = rank_in_words(row, board.row_count)
    place = f"{rank} at the snapshot of {snapshot}, not a current standing" if rank else "not in the newest snapshot"
    return (
        f"{row.model_name or 'A row without a model name'}: {printed}. "
        f"{board_name(board.task.name, board.dataset_name)}, {place}.{paper} {archive}. {row.record.path}"
    )


def _absent(content: Mapping[str, Any], row: Result, standing: Standings) -> dict[str, Absent]:
    absent = missing(content)
    if not content["metrics"]:
        absent["metrics"] = Absent.because(Absence.NOT_IN_ARCHIVE)
    if public_path(row.paper.record if row.paper else None) is None:
        absent["paper"] = missing_paper(row)
    if row.position is None:
        absent["rank"] = absent["rank_at_snapshot"] = no_rank(standing.added_by(row.pk))
    return {**absent, **standing.hidden(KEYS)}
