"""Papers, their authors and the repositories that are linked with them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any

import orjson

from benchmarks.words import Minter, Names, Prose, Titles, Vocabulary, phrases, seeded, slug, stream

SITE = "https://paperswithcode.com"
FIRST_DAY, LAST_DAY = date(1990, 1, 1).toordinal(), date(2025, 7, 25).toordinal()
MEAN_AGE = 3.6 * 365
ARXIV_SHARE = 0.78
AUTHORS_PER_PAPER = 4.3
"""Measured mean of the counts below, the very large collaborations included, within 2 %."""

_AUTHOR_COUNTS = (
    [1] * 9 + [2] * 17 + [3] * 20 + [4] * 18 + [5] * 13 + [6] * 9 + [7] * 5 + [8] * 3 + [9] * 2 + [10, 11, 12, 14]
)
_FREE_VENUES = [
    "Proceedings of a workshop, 2nd edition",
    "IEEE Trans. (to appear)",
    "TACL",
    "Preprint",
    "JMLR 2019",
]
_FRAMEWORKS = (
    ["none"] * 45 + ["pytorch"] * 39 + ["tf"] * 12 + ["jax", "mindspore", "paddle", "mxnet", "caffe2", "torch"]
)


@dataclass(slots=True)
class Repository:
    """A linked repository, with the archive's flags."""

    url: str
    is_official: bool
    mentioned_in_paper: bool
    mentioned_in_github: bool
    framework: str


@dataclass(slots=True)
class Paper:
    """What other dumps need of a paper."""

    slug: str
    title: str
    arxiv_id: str | None
    openreview_id: str | None
    url_abs: str
    url_pdf: str
    date: str
    repositories: list[Repository] = field(default_factory=list)

    @property
    def page(self) -> str:
        """The old site's address of the paper: the dumps' key."""
        return f"{SITE}/paper/{self.slug}"


class Papers:
    """Makes papers one after another, with distinct titles, slugs, arXiv ids and addresses."""

    def __init__(self, titles: Titles, vocabulary: Vocabulary, seed: int) -> None:
        self._rng = seeded(seed, "papers")
        self._titles = titles
        self._minter = Minter()
        self._months: dict[str, int] = {}
        self._serial = 0
        self._repositories = seeded(seed, "repositories")
        self._owners = stream(self._repositories, vocabulary.short)
        self._frameworks = stream(self._repositories, _FRAMEWORKS)

    def make(self) -> Paper:
        """A new paper, without repositories."""
        rng, title = self._rng, next(self._titles)
        day = 0
        while day < FIRST_DAY:
            day = LAST_DAY - int(rng.expovariate(1 / MEAN_AGE))
        when = date.fromordinal(day)
        self._serial += 1
        arxiv_id = openreview_id = None
        if rng.random() < ARXIV_SHARE:
            arxiv_id = self._arxiv_id(when)
            version = f"{arxiv_id}v{rng.choice((1, 1, 1, 1, 2, 2, 3, 4, 6))}"
            site = f"http{'s' if when.year >= 2019 else ''}://arxiv.org"
            url_abs, url_pdf = f"{site}/abs/{version}", f"{site}/pdf/{version}.pdf"
        else:
            url_abs, url_pdf, openreview_id = self._elsewhere(title, when)
        kind = rng.random()
        if kind < 0.03:  # the title was edited after the page had its slug
            wanted = slug(title.partition(": ")[2] or f"on {title}")
        elif kind < 0.04 and arxiv_id:
            wanted = slug(arxiv_id.replace(".", ""))
        else:
            wanted = slug(title)
        return Paper(self._minter.mint(wanted), title, arxiv_id, openreview_id, url_abs, url_pdf, when.isoformat())

    def repositories(self, count: int, paper: Paper) -> list[Repository]:
        """`count` repositories for the paper; 2 % of the addresses respell the one before."""
        rng = self._repositories
        found: list[Repository] = []
        name = slug(paper.title.partition(":")[0], 20)
        for number in range(count):
            odd = rng.random()
            owner = f"{next(self._owners)}{rng.randrange(1000)}"
            url = f"https://github.com/{owner}/{name or 'code'}"
            if number and odd < 0.02:
                before = found[-1].url
                url = rng.choice(
                    (
                        before + "/",
                        before + "/tree/master",
                        before.replace("https", "http"),
                        before + ".git",
                        before.title(),
                    )
                )
            elif odd > 0.975:
                host = rng.choice(("gitlab.com", "bitbucket.org", "huggingface.co", "codeberg.org"))
                url = f"https://{host}/{owner}/{name or 'code'}"
            official = number == 0 and rng.random() < 0.6
            found.append(
                Repository(url, official, official and rng.random() < 0.7, rng.random() < 0.5, next(self._frameworks))
            )
        return found

    def _arxiv_id(self, when: date) -> str:
        month = f"{when.year % 100:02}{when.month:02}"
        number = self._months[month] = self._months.get(month, 0) + self._rng.randrange(1, 4)
        if (when.year, when.month) < (2007, 4):
            return f"{('cs', 'stat', 'cmp-lg')[number % 3]}/{month}{number:03}"
        return f"{month}.{number:05}" if when.year >= 2015 else f"{month}.{number:04}"

    def _elsewhere(self, title: str, when: date) -> tuple[str, str, str | None]:
        """Address, PDF and OpenReview id of a paper that is not on arXiv."""
        number, year = self._serial, when.year
        match self._rng.randrange(5):
            case 0:
                base = f"https://aclanthology.org/{year}.acl-long.{number}"
                return base, base + ".pdf", None
            case 1:
                name = slug(title).title().replace("-", "_")
                base = f"http://openaccess.thecvf.com/content_cvpr_{year}"
                return (
                    f"{base}/html/{name}_{number}_paper.html",
                    f"{base}/papers/{name}_{number}_paper.pdf",
                    None,
                )
            case 2:
                identifier = f"{self._rng.getrandbits(40):010x}{number % 97:02}"
                base = "https://openreview.net"
                return f"{base}/forum?id={identifier}", f"{base}/pdf?id={identifier}", identifier
            case 3:
                base = f"http://proceedings.mlr.press/v{year % 100}/{number}"
                return base + ".html", base + ".pdf", None
            case _:
                return (
                    f"https://doi.org/10.1109/{year}.{number:07}",
                    f"https://ieeexplore.ieee.org/{number}.pdf",
                    None,
                )


class Authors:
    """Author lists in which the known become better known (Simon's process), with recurring co-authors."""

    def __init__(self, vocabulary: Vocabulary, seed: int, distinct: int, papers: int) -> None:
        self._rng = seeded(seed, "authors")
        self._names = Names(vocabulary)
        self._counts = stream(self._rng, _AUTHOR_COUNTS)
        self._slots = array("I", [0])
        self._wanted, self._left = distinct, papers * AUTHORS_PER_PAPER
        self.distinct = 1

    def count(self, ordinal: int) -> int:
        """How many authors paper `ordinal` has: hundreds for one in 4,800, thousands for one in 48,000."""
        if ordinal % 48_000 == 23_999:
            return 1000 + self._rng.randrange(2000)
        if ordinal % 4_800 == 2_399:
            return 300 + self._rng.randrange(600)
        return next(self._counts)

    def make(self, count: int) -> list[str]:
        """`count` authors, less those drawn twice; [] for one in 200."""
        rng, slots = self._rng, self._slots
        self._left -= count
        # Steers towards the wanted number of distinct names, however the counts fall.
        new = min(0.9, max(0.02, (self._wanted - self.distinct) / max(1.0, self._left)))
        chosen: dict[int, None] = {}
        place = 0
        for _ in range(count):
            draw = rng.random()
            if draw < new:
                number = self.distinct
                self.distinct += 1
            else:
                place = place + 1 if place and draw > 0.75 else int(rng.random() * len(slots))
                number = slots[place % len(slots)]
            if number not in chosen:
                chosen[number] = None
        slots.extend(chosen)
        if rng.random() < 0.005:
            return []
        return [self._names.name(number) for number in chosen]


class PaperRecords:
    """The papers dump's records: what the page printed, methods and all."""

    def __init__(
        self,
        seed: int,
        prose: Prose,
        authors: Authors,
        tasks: Iterator[str],
        methods: Iterator[Any],
    ) -> None:
        self._rng = seeded(seed, "paper records")
        self._prose, self._authors, self._tasks, self._methods = prose, authors, tasks, methods
        self._task_counts = stream(self._rng, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6])
        self._method_counts = stream(self._rng, [0] * 27 + [1] * 7 + [2] * 5 + [3] * 4 + [4, 4, 5, 5, 7, 9, 12, 17])
        self._venues = stream(self._rng, phrases("venues"))

    def record(self, paper: Paper, ordinal: int) -> dict[str, Any]:
        """The record of `paper`; `ordinal` decides on large collaborations. Methods are ready-made JSON."""
        rng = self._rng
        odd = rng.random()
        proceeding = conference = conference_url = None
        if odd < 0.30:
            proceeding = rng.choice(_FREE_VENUES) if odd < 0.004 else self._venue(paper.date)
            if odd < 0.12:
                conference = f"{paper.slug}-1"
                conference_url = f"http://papers.nips.cc/paper/{ordinal}-{paper.slug}"
        abstract: str | None = self._prose.abstract(paper.title, wrapped=bool(paper.arxiv_id) and odd < 0.8)
        if odd > 0.99:
            abstract = None if odd > 0.999 else ""
        tasks = dict.fromkeys([next(self._tasks) for _ in range(next(self._task_counts))])
        methods = {id(method): method for method in [next(self._methods) for _ in range(next(self._method_counts))]}
        return {
            "paper_url": paper.page,
            "arxiv_id": paper.arxiv_id,
            "nips_id": str(ordinal) if conference and odd < 0.02 else None,
            "openreview_id": paper.openreview_id,
            "title": paper.title,
            "abstract": abstract,
            "short_abstract": self._prose.text(1) if 0.5 < odd < 0.52 else None,
            "url_abs": paper.url_abs,
            "url_pdf": paper.url_pdf,
            "proceeding": proceeding,
            "authors": self._authors.make(self._authors.count(ordinal)),
            "tasks": list(tasks),
            "date": paper.date if not 0.6 < odd < 0.604 else "",
            "conference_url_abs": conference_url,
            "conference_url_pdf": f"{conference_url}.pdf" if conference_url else None,
            "conference": conference,
            "reproduces_paper": None,
            "methods": list(methods.values()),
        }

    def _venue(self, when: str) -> str:
        name, month = next(self._venues).rsplit(" ", 1)
        return f"{name} {when[:4]} {month}"


def link(paper: Paper, repository: Repository) -> dict[str, Any]:
    """A record of the links dump."""
    return {
        "paper_url": paper.page,
        "paper_title": paper.title,
        "paper_arxiv_id": paper.arxiv_id,
        "paper_url_abs": paper.url_abs,
        "paper_url_pdf": paper.url_pdf,
        "repo_url": repository.url,
        "is_official": repository.is_official,
        "mentioned_in_paper": repository.mentioned_in_paper,
        "mentioned_in_github": repository.mentioned_in_github,
        "framework": repository.framework,
    }


class Links:
    """Link records waiting to be shuffled, end to end in one buffer: as 300,000 objects they take 1 GB."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, paper: Paper) -> None:
        """Appends a record for each repository of the paper."""
        for repository in paper.repositories:
            self._buffer += orjson.dumps(link(paper, repository))
            self._ends.append(len(self._buffer))

    def __getitem__(self, number: int) -> dict[str, Any]:
        record: dict[str, Any] = orjson.loads(self._buffer[self._ends[number] : self._ends[number + 1]])
        return record


def change_paper(record: dict[str, Any], rng: Random) -> None:
    """One edit, as a later snapshot may hold."""
    match rng.randrange(5):
        case 0:
            record["abstract"] = (record["abstract"] or "") + " (Revised.)"
        case 1:
            record["tasks"] = [*record["tasks"], f"Revised Task {rng.randrange(50)}"]
        case 2:
            record["proceeding"] = f"TMLR 2025 {rng.randrange(1, 9)}"
        case 3:
            record["title"] += " (Extended)"
        case _:
            record["authors"] = [*record["authors"], f"New Author {rng.randrange(10_000)}"]


def change_link(record: dict[str, Any], rng: Random) -> None:
    """One edit, as a later snapshot may hold: a flag or the framework."""
    key = rng.choice(("is_official", "mentioned_in_paper", "mentioned_in_github", "framework"))
    if key == "framework":
        record[key] = "jax" if record[key] != "jax" else "pytorch"
    else:
        record[key] = not record[key]


def spread(total: int, count: int) -> Sequence[int]:
    """`count` places spread evenly over range(total)."""
    return [number * total // count for number in range(count)]
