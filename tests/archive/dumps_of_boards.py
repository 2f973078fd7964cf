"""Leaderboards as no one would wish for them, and one of full size."""

from __future__ import annotations

from tests.archive.boards import Value, dataset, paper, row, table, task

Dumps = tuple[list[Value], list[Value], list[Value]]
"""Tasks, datasets, papers: what `boards.write` takes."""

HOSTILE = {"rtl": "\u202eנמודל \u0645\u0648\u062f\u064a\u0644", "script": "<script>alert(1)</script>"}


def odd_boards() -> Dumps:
    """A leaderboard with every oddity, one without names, rows or dataset, and neighbours to be listed."""
    code = [{"title": f"owner/repo{i}", "url": f"https://github.com/owner/repo{i}"} for i in range(3)]
    rows = [
        row(
            f"{HOSTILE['script']} (test)",
            {"Accuracy": "92.5%", "<b>F1</b>": "−14.96"},
            paper_title="A paper",
            paper_url="https://paperswithcode.com/paper/a-paper",
            paper_date="2021-05-04",
            uses_additional_data=True,
            code_links=[{"title": "bad", "url": "javascript:alert(1)"}, *code],
            model_links=[{"title": "weights", "url": "https://example.org/w"}],
        ),
        row(
            f"{HOSTILE['rtl']} (val)",
            {"Accuracy": "92.5", "<b>F1</b>": "-14.96"},
            paper_title="Nobody has this <i>one</i>",
            paper_url="https://example.org/nobody",
            paper_date="2020-01-01",
        ),
        row("Formula", {"Accuracy": '=HYPERLINK("http://x.example")', "<b>F1</b>": " 1 \r\n2 "}),
        row("", {"<b>F1</b>": "3", "Only in a row": ""}),
        row("M" * 3_000, {"Accuracy": "80"}),
    ]
    part = table("Odd set (French)", ["Accuracy"], [row("X", {"Accuracy": "1"})])
    odd = table(
        "Odd set",
        ["Accuracy", "<b>F1</b>"],
        rows,
        "odd",
        description="On **odd** things.\r\n\r\nMore.",
        subdatasets=[part],
        dataset_citations=[{"title": "Cited", "url": "https://example.org/cited"}],
    )
    formulas = table("Formulas", ["=A1", "@B"], [row("f", {"=A1": "1", "@B": "2"})], "formulas")
    neighbours = [table(f"Set {i:02}", ["A"], [row("n", {"A": "1"})], f"set-{i:02}") for i in range(24)]
    return (
        [
            task("Odd task", [odd, formulas, *neighbours], description="**Odd**", categories=["Oddities"]),
            task("Other task", [table("Odd set", ["A"], [row("n", {"A": "1"})], "other-task-on-odd-set")]),
            task("", [table("", [], [])]),
        ],
        [dataset("odd-set", "Odd set")],
        [paper("a-paper", "A paper"), paper("another-paper", "Another paper")],
    )


def big_board() -> Dumps:
    """900 rows of 40 metrics, on a dataset."""
    metrics = [f"Metric {i} @{i}%" for i in range(40)]
    rows = [
        row(
            f"Model {k}",
            {metric: f"{900 - k}.{i:02}" for i, metric in enumerate(metrics)},
            paper_title=f"Paper {k}",
            paper_url=f"https://example.org/{k}",
        )
        for k in range(900)
    ]
    return (
        [task("Big task", [table("Big set", metrics, rows, "big"), table("Small", ["A"], [], "small")])],
        [dataset("big-set", "Big set")],
        [],
    )
