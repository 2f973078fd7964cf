"""A paper: its authors, abstract and links, its code, tasks, datasets and methods, and its leaderboard rows."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Value
from django.db.models.functions import MD5, Concat, JSONObject

from archive.importers.slugs import slug_in
from archive.models import (
    Author,
    Authorship,
    Base,
    Dataset,
    Method,
    Paper,
    PaperMethod,
    PaperTask,
    Record,
    RecordKind,
    TaskName,
)
from archive.pages.base import (
    Absence,
    Absent,
    Crumb,
    Provenance,
    RecordPage,
    Source,
    described,
    documented,
    missing,
    public,
    public_key,
)
from archive.pages.boards import Named, public_path, rank_note
from archive.pages.paper_code import CodeOfPaper, code, links_of
from archive.pages.paper_results import ResultOfPaper, results, rows_of
from archive.pages.standing import Standings
from archive.pages.view import CURRENT, View

AUTHORS_SHOWN = 30
CODE_SHOWN = 20
RESULTS_SHOWN = 100
LONG_ABSTRACT = 10_000
OTHER_RECORDS = 50

DATASETS_NOTE = "Introduced by this paper, per the archive."
EMPTY_LISTS = {
    "authors": "The archive prints no author list.",
    "code": "The archive lists no repository for this paper.",
    "tasks": "The archive lists no task with this paper.",
    "datasets_introduced": "The archive names no dataset as introduced by this paper.",
    "methods": "The archive lists no method with this paper.",
    "methods_introduced": "The archive names no method as introduced by this paper.",
    "results": "No leaderboard row of the archive names this paper.",
    "same_arxiv_id": "The archive holds no other record with this arXiv identifier.",
}
NOT_RUN = "Not run by Syntology. Nothing on this page verifies that the listed code works."


@documented
class AuthorOfPaper:
    """A name in the paper's author list. A name is not a person."""

    name: str = described("As printed.")
    url: str = described("Address on this site of the papers that print the name.")


@documented
class MethodOfPaper:
    """A method that the archive says a paper uses, as the paper's record prints it."""

    name: str | None = described("The method's name, as printed with the paper.")
    full_name: str | None = described("Its long name, as printed with the paper.")
    collection: str | None = described("The name of its main collection, as printed with the paper.")
    url: str | None = described("Address on this site of the method that matches these names; null if none does.")

    @property
    def label(self) -> str:
        """The words of a link to it."""
        return self.name or self.full_name or "(no name)"


@documented
class OtherVersion:
    """Another version of a paper that the archive names. Both are null if it names none."""

    printed: str | None = described("What the archive prints: a slug or an address.")
    url: str | None = described("Address on this site of that record; null if the archive holds none.")


@documented
class PaperPage(RecordPage):
    """`/paper/<slug>`: one paper."""

    section = "/papers"

    title: str | None = described("The paper's title, as printed.")
    authors: Sequence[AuthorOfPaper] = described("The author list, in the order and the spelling printed.")
    date: datetime.date | None = described("The paper's date in the archive.")
    date_precision: str | None = described(
        "day, or year for a first of January, which the archive uses where only the year is known; null without a date."
    )
    date_note: str | None = described("Why the date is doubtful, in a sentence; null if nothing is noted.")
    abstract: str | None = described("The abstract, verbatim plain text.")
    abstract_withheld: str | None = described("Why the abstract is not given; null if it is not withheld.")
    short_abstract: str | None = described("A short abstract, verbatim.")
    arxiv_id: str | None = described("arXiv identifier, without version.")
    openreview_id: str | None = described("OpenReview identifier, as printed.")
    nips_id: str | None = described("Number in the NeurIPS proceedings, as printed.")
    url_abs: str | None = described("Address of the abstract's page elsewhere, as printed.")
    url_pdf: str | None = described("Address of the paper's PDF elsewhere, as printed.")
    proceeding: str | None = described("Where the paper appeared, as printed: such as NeurIPS 2018 12.")
    conference_url_abs: str | None = described("Address of the conference version's page, as printed.")
    conference_url_pdf: str | None = described("Address of the conference version's PDF, as printed.")
    code: Sequence[CodeOfPaper] = described(
        "Repositories: those that the archive calls official first, else in archive order."
    )
    code_note: str = described("Whose the list and the flags are, and of when.", default="")
    syntology: Mapping[str, Any] | None = described(
        "Run evidence of the paper's code: counts, never a rate; null if there is none."
    )
    syntology_note: str = described("What is known of running the listed code.", default=NOT_RUN)
    tasks: Sequence[Named] = described("Tasks listed with the paper, in the order printed.")
    datasets_introduced: Sequence[Named] = described("Datasets that name this paper as their own.")
    datasets_note: str = described("Who says that the paper introduced them.", default=DATASETS_NOTE)
    methods: Sequence[MethodOfPaper] = described("Methods the paper uses per the archive, in the order printed.")
    methods_introduced: Sequence[Named] = described("Methods that name this paper as their own.")
    results: Sequence[ResultOfPaper] = described("Leaderboard rows that name the paper, in archive order.")
    results_note: str = described("What a rank at the snapshot is, and what it is not.", default="")
    conference: OtherVersion = described("The record of the paper's conference version.")
    reproduces: OtherVersion = described("The paper that this one reproduces.")
    same_arxiv_id: Sequence[Named] = described(
        f"Other records of the archive with the same arXiv identifier, at most {OTHER_RECORDS}."
    )
    source: Source = described("The archive the page is made from, and the day it was frozen.")

    @property
    def heading(self) -> str:
        """The paper's title, its key if it has none."""
        return self.title or self.record.key

    @property
    def crumbs(self) -> Sequence[Crumb]:
        """Papers, then this one."""
        return (Crumb(name="Papers", url="/papers"),)

    @property
    def authors_shown(self) -> Sequence[AuthorOfPaper]:
        """The names at the head of the page; a click shows the others."""
        return self.authors[:AUTHORS_SHOWN]

    @property
    def more_authors(self) -> Sequence[AuthorOfPaper]:
        """The names behind a click."""
        return self.authors[AUTHORS_SHOWN:]

    @property
    def abstract_is_long(self) -> bool:
        """Whether the abstract stands behind a click, so that it does not bury the page."""
        return len(self.abstract or "") > LONG_ABSTRACT

    @property
    def code_shown(self) -> Sequence[CodeOfPaper]:
        """The repositories in the first table; a click shows the others."""
        return self.code[:CODE_SHOWN]

    @property
    def more_code(self) -> Sequence[CodeOfPaper]:
        """The repositories behind a click."""
        return self.code[CODE_SHOWN:]

    @property
    def results_shown(self) -> Sequence[ResultOfPaper]:
        """The rows that the HTML page lists; the JSON has all."""
        return self.results[:RESULTS_SHOWN]

    @property
    def arxiv_url(self) -> str | None:
        """The newest version of the paper at arXiv; None if it has no identifier there."""
        return f"https://arxiv.org/abs/{quote(self.arxiv_id)}" if self.arxiv_id else None


def build(record: Record, view: View = CURRENT) -> PaperPage:
    """The page of a paper's record in a view. 10 queries, one more where it has rows, however much the paper has."""
    paper = (
        Paper.objects.select_related("proceeding")
        .annotate(datasets=_introduced(Dataset.objects.all()), own_methods=_introduced(Method.objects.all()))
        .get(pk=record.pk)
    )
    provenance = Provenance.current()
    conference, reproduces = _named_records(paper)
    links, rows = links_of(paper), rows_of(paper)
    standing = Standings.on_page(record, [link.pk for link in links] + [row.pk for row in rows], view)
    standing.put(paper)
    links, rows = standing.there(links), standing.there(rows)
    shortened = standing.taken_off("abstract")
    content: dict[str, Any] = {
        "title": paper.title,
        "authors": _authors(paper, standing),
        "date": paper.date,
        "abstract": paper.abstract,
        "short_abstract": None if shortened else paper.short_abstract,
        "arxiv_id": paper.arxiv_id,
        "openreview_id": paper.openreview_id,
        "nips_id": paper.nips_id,
        "url_abs": paper.url_abs,
        "url_pdf": paper.url_pdf,
        "proceeding": paper.proceeding.name if paper.proceeding else None,
        "conference_url_abs": paper.conference_url_abs,
        "conference_url_pdf": paper.conference_url_pdf,
        "code": code(links, standing),
        "tasks": _tasks(paper, standing),
        "datasets_introduced": [Named(**each) for each in paper.datasets],
        "methods": _methods(paper),
        "methods_introduced": [Named(**each) for each in paper.own_methods],
        "results": results(rows, standing),
        "conference": conference,
        "reproduces": reproduces,
        "same_arxiv_id": _same_arxiv_id(paper),
    }
    frozen = provenance.source.snapshot
    return PaperPage(
        **standing.frame(provenance),
        **content,
        date_precision=paper.date_precision or None,
        date_note=_date_note(paper.date, frozen),
        abstract_withheld=standing.withheld("abstract"),
        code_note=f"Repository list and official/mentioned flags are the archive's, frozen {frozen}. "
        "GitHub stars are not tracked.",
        syntology=None,
        results_note=rank_note(frozen),
        absent={
            **_absent(content),
            **standing.hidden({}),
            **({"short_abstract": shortened} if shortened and paper.short_abstract else {}),
        },
    )


def _introduced(things: QuerySet[Any]) -> ArraySubquery:
    """What names the outer paper as its own: a list of {name, url}, in archive order."""
    mine = things.filter(public(), introduced_by=OuterRef("pk")).order_by("record__ordinal", "record_id")
    return ArraySubquery(mine.values(each=JSONObject(name="record__name", url=Concat(Value("/"), "record__key"))))


def _authors(paper: Paper, standing: Standings) -> list[AuthorOfPaper]:
    current = Authorship.objects.filter(paper=paper).order_by("position").values_list("author__name", "author__slug")
    found = standing.linked("authors", current, Author.objects.values_list("name", "slug"))
    return [AuthorOfPaper(name=name, url=f"/author/{slug}") for name, slug in found]


def _tasks(paper: Paper, standing: Standings) -> list[Named]:
    current = PaperTask.objects.filter(paper=paper).order_by("position")
    found = standing.linked(
        "tasks",
        current.values_list("name__name", public_key("name__task__record__")),
        TaskName.objects.values_list("name", public_key("task__record__")),
    )
    return [Named(name=name, url=f"/{key}" if key else None) for name, key in found]


def _methods(paper: Paper) -> list[MethodOfPaper]:
    """Their copies say nothing of what is sealed of the methods themselves. One query."""
    sealed = Base.objects.filter(record=OuterRef("printed__method"), sealed=True)
    found = PaperMethod.objects.filter(paper=paper).annotate(sealed=ArraySubquery(sealed.values("field")))
    methods = []
    for each in found.select_related("printed__method__record").order_by("position"):
        printed = each.printed
        main = json.loads(printed.content).get("main_collection")
        collection = main.get("name") if isinstance(main, dict) else None
        methods.append(
            MethodOfPaper(
                name=None if "name" in each.sealed else printed.name,
                full_name=None if "full_name" in each.sealed else printed.full_name,
                collection=collection if isinstance(collection, str) else None,
                url=public_path(printed.method.record if printed.method else None),
            )
        )
    return methods


def _named_records(paper: Paper) -> tuple[OtherVersion, OtherVersion]:
    """The records of the conference version and of the paper reproduced. One query."""
    names = (paper.conference, paper.reproduces_paper)
    keys = [f"paper/{slug_in(name, 'paper') or name}" for name in names]
    known = set(Record.objects.public().filter(kind=RecordKind.PAPER, key__in=keys).values_list("key", flat=True))
    first, second = (
        OtherVersion(printed=name, url=f"/{key}" if key in known else None)
        for name, key in zip(names, keys, strict=True)
    )
    return first, second


def _same_arxiv_id(paper: Paper) -> list[Named]:
    """One query, by the index on the identifier's digest; none for a paper without one."""
    if not paper.arxiv_id:
        return []
    papers = Paper.objects.alias(digest=MD5("arxiv_id")).filter(public(), digest=MD5(Value(paper.arxiv_id)))
    others = papers.filter(arxiv_id=paper.arxiv_id).exclude(pk=paper.pk).order_by("record__ordinal", "record_id")
    found = others.values_list("record__name", "record__key")[:OTHER_RECORDS]
    return [Named(name=name or key, url=f"/{key}") for name, key in found]


def _date_note(date: datetime.date | None, snapshot: datetime.date | None) -> str | None:
    if date and snapshot and date > snapshot:
        return f"This date is later than the snapshot of {snapshot.isoformat()}: it can not be right."
    return None


def _absent(content: Mapping[str, Any]) -> dict[str, Absent]:
    """Why keys are empty: by the archive's silence, unless there is more to say."""
    absent = missing(content)
    for key, sentence in EMPTY_LISTS.items():
        if not content[key]:
            absent[key] = Absent.because(Absence.NOT_IN_ARCHIVE, sentence)
    for key in ("conference", "reproduces"):
        if not content[key].printed:
            absent[f"{key}.printed"] = absent[f"{key}.url"] = Absent.because(Absence.NOT_IN_ARCHIVE)
        elif not content[key].url:
            absent[f"{key}.url"] = Absent.because(Absence.NOT_MATCHED)
    return {**absent, "syntology": Absent.because(Absence.NOT_RUN, NOT_RUN)}
