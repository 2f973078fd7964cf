"""Strategies for whole dumps, from the final dump's form to hostile records; small pools, so that things collide."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from archive.importers.dump_files import DumpKind

SITE = "https://paperswithcode.com"

texts = st.sampled_from(
    [
        "",
        "a",
        "A",
        "b",
        " a ",
        "None",
        "null",
        "True",
        "é",
        "e\u0301",
        "x\r\ny",
        "a\x1fb",
        "0",
        "\U0001d538",
        "\ufeff",
        "長い",
    ]
)
numbers = st.sampled_from(
    [0, 1, -1, 2000, 2019.0, -0.0, 0.1, 1e22, 1e-7, 5e-324, 2**31, 2**63, 2**64, -(2**70), float("nan"), float("-inf")]
)
junk = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
dates = st.sampled_from(["2019-05-31", "2019-01-01", "", None, "2019", "0001-02-03", "9999-12-31", "2019-02-30", "NaN"])
flags = st.sampled_from([True, False, "True", "false", "", None, 1])
counts = st.sampled_from([0, 3, 2000, None, "3", 3.0, 2**40])

UNREADABLE = [
    rb'{"name": "a\u0000b"}',
    rb'{"name": "\ud800"}',
    rb'{"name": }',
    b'{"name": "\xff"}',
    b'{"name": 1e400}',
    b"3",
    b"null",
    b"[]",
]


def addresses(page: str) -> st.SearchStrategy[Any]:
    """Addresses of a page of the old site, some of them not quite."""
    slugs = st.sampled_from(["a", "a-1", "b", "é", "a%20b", "a/b", "A"])
    heads = st.sampled_from([SITE, SITE, SITE, "http://www.paperswithcode.com", "https://example.org"])
    return st.builds("{}/{}/{}{}".format, heads, st.just(page), slugs, st.sampled_from(["", "", "/", "?x=1"]))


def mostly(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of the kind that is due, and once in a while anything."""
    return st.integers(0, 11).flatmap(lambda die: junk if die == 11 else values)


def record(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with most of these keys, their values sometimes anything, and sometimes a key nobody knows."""
    return st.builds(
        lambda known, missing, unknown: {k: v for k, v in known.items() if k not in missing} | unknown,
        st.fixed_dictionaries({key: mostly(value) for key, value in fields.items()}),
        st.sets(st.sampled_from(sorted(fields)), max_size=2),
        st.dictionaries(st.sampled_from(["zz", "", "Ä/~"]), junk, max_size=1),
    )


def some(values: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[list[Any]]:
    """Short lists."""
    return st.lists(values, max_size=most)


links = record(title=texts, url=texts | addresses("sota"))
printed_methods = record(name=texts, full_name=texts, introduced_year=counts, main_collection=record(name=texts))
arxiv = st.sampled_from(["http://arxiv.org/abs/1512.03385v1", "https://arxiv.org/pdf/1512.03385v2.pdf", "1512.03385"])

papers = record(
    paper_url=addresses("paper"),
    arxiv_id=texts | st.just("1512.03385"),
    title=texts,
    abstract=texts,
    url_abs=texts | arxiv,
    proceeding=texts,
    authors=some(texts),
    tasks=some(texts),
    date=dates,
    methods=some(printed_methods),
)
code_links = record(
    paper_url=addresses("paper"),
    paper_title=texts,
    paper_arxiv_id=texts,
    paper_url_abs=texts | arxiv,
    repo_url=st.sampled_from(
        ["https://github.com/a/b", "http://GitHub.com/A/b.git/", "ftp://x", "http://[bad", "a", ""]
    ),
    is_official=flags,
    framework=texts,
)
datasets = record(
    url=addresses("dataset"),
    name=texts,
    full_name=texts,
    description=texts,
    paper=record(title=texts, url=addresses("paper")),
    introduced_date=dates,
    num_papers=counts,
    modalities=some(texts),
    languages=some(texts),
    variants=some(texts),
    tasks=some(record(task=texts, url=addresses("task"))),
    data_loaders=some(record(url=texts, repo=texts, frameworks=some(texts))),
)
methods = record(
    url=addresses("method"),
    name=texts,
    full_name=texts,
    paper=record(title=texts, url=addresses("paper")),
    introduced_year=counts,
    collections=some(record(collection=texts, area_id=texts, area=texts)),
)
metric_names = st.sampled_from(["Accuracy", "A", "B", "", "a"])
values = st.sampled_from(["0.5", "44,89", "200%", "\u221214.96", "-", "", "prose", "1.84±0.24"]) | numbers
rows = record(
    model_name=texts,
    paper_title=texts,
    paper_url=texts | arxiv,
    paper_date=dates,
    code_links=some(links, 1),
    metrics=st.dictionaries(metric_names, values, max_size=3),
    uses_additional_data=flags,
)
sotas = record(metrics=some(metric_names), rows=some(rows))


table_fields = {
    "dataset": texts,
    "subdataset": texts,
    "description": texts,
    "dataset_links": some(links, 2),
    "sota": sotas,
}
tables = record(**table_fields, subdatasets=some(record(**table_fields), 2))


def rows_of(table: dict[str, Any]) -> list[Any] | None:
    """A table's rows, None where there is no list of them."""
    sota = table.get("sota")
    found = sota.get("rows") if isinstance(sota, dict) else None
    return found if isinstance(found, list) else None


@st.composite
def _again(draw: st.DrawFn, pool: list[dict[str, Any]]) -> dict[str, Any]:
    """A table of the pool; its rows are sometimes fewer, in another order, repeated, or those of another table."""
    table = draw(st.sampled_from(pool))
    others = [row for other in pool for row in rows_of(other) or ()]
    if not others or rows_of(table) is None or draw(st.booleans()):
        return table
    return {**table, "sota": {**table["sota"], "rows": draw(st.lists(st.sampled_from(others), max_size=4))}}


def _tasks(tables: st.SearchStrategy[Any], **children: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return record(
        task=texts,
        description=texts,
        categories=some(texts),
        synonyms=some(texts),
        source_link=links,
        datasets=some(tables, 2),
        **{name: some(child, 2) for name, child in children.items()},
    )


@st.composite
def trees(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Top-level tasks that share tables and subtrees."""
    shared = _again(draw(st.lists(tables, min_size=1, max_size=3)))
    leaves = draw(st.lists(_tasks(shared), min_size=1, max_size=3))
    branches = draw(st.lists(_tasks(shared, subtasks=st.sampled_from(leaves)), min_size=1, max_size=3))
    nested = st.sampled_from(leaves + branches)
    return draw(st.lists(_tasks(shared, subtasks=nested), min_size=1, max_size=5))


RECORDS = {
    DumpKind.PAPERS: papers,
    DumpKind.DATASETS: datasets,
    DumpKind.METHODS: methods,
    DumpKind.LINKS: code_links,
}


@st.composite
def pools(draw: st.DrawFn) -> dict[DumpKind, list[Any]]:
    """Records to make dumps of: what several snapshots hold in common is drawn from here."""
    flat = {kind: draw(st.lists(records, min_size=1, max_size=4)) for kind, records in RECORDS.items()}
    return {**flat, DumpKind.TABLES: draw(trees())}


@st.composite
def dumps_from(draw: st.DrawFn, pool: dict[DumpKind, list[Any]]) -> dict[DumpKind, list[Any]]:
    """Some dumps whose records are of the pool, any of them several times, with unreadable ones among them."""
    kinds = draw(st.lists(st.sampled_from(list(pool)), min_size=1, unique=True))
    return {
        kind: draw(st.lists(st.sampled_from(pool[kind]) | st.sampled_from(UNREADABLE), max_size=6)) for kind in kinds
    }
