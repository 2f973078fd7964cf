"""Methods and datasets, spam among them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import orjson

from benchmarks.papers import SITE, Paper
from benchmarks.words import Minter, Prose, Vocabulary, acronyms, phrases, seeded, slug, stream, zipf

SPAM_METHODS = 0.74
SPAM_DATASETS = 0.03
METHOD_AREAS = {
    "general": 38,
    "computer-vision": 37,
    "natural-language-processing": 10,
    "graphs": 5,
    "reinforcement-learning": 4,
    "sequential": 3,
    "audio": 2,
}
_COMMON_MODALITIES = {
    "Images": 47,
    "Texts": 29,
    "Videos": 16,
    "Audio": 6,
    "Graphs": 5,
    "3D": 4,
    "RGB-D": 3,
    "Medical": 3,
}
_LICENCES = [
    "CC BY 4.0",
    "CC BY-SA 4.0",
    "MIT",
    "Apache-2.0",
    "CC BY-NC 4.0",
    "Custom",
    "Unknown",
    "CC0 1.0",
    None,
    None,
]
_VARIANTS = [
    "val",
    "test",
    "test-dev",
    "10%",
    "5-shot",
    "hard ",
    *(f"split {number}" for number in range(50)),
]
_FRAMEWORK_LISTS = [["pytorch"], ["tf"], ["tf", "pytorch"], ["none"], ["jax"], ["pytorch", "none"]]

# The airlines do not exist and the numbers are of the range kept for fiction.
PLACEHOLDER = "Please enter a description about the method here"


def _repeated(counts: dict[str, int]) -> list[str]:
    return [item for item, count in counts.items() for _ in range(count)]


class Spam:
    """Advertisements of the kinds that filled the last snapshot."""

    def __init__(self, rng: Random) -> None:
        self._airlines, self._names, self._texts = (
            stream(rng, phrases("airlines")),
            stream(rng, phrases("spam names")),
            stream(rng, phrases("spam texts")),
        )

    def name(self, number: int) -> str:
        """A spam title; `number` makes it distinct."""
        return next(self._names).format(a=next(self._airlines), n=number)

    def text(self, number: int, sentences: int) -> str:
        """So many advertising sentences."""
        airline = next(self._airlines)
        return " ".join(next(self._texts).format(a=airline, n=number) for _ in range(sentences))


class Methods:
    """The methods dump's records, and their printed copies inside papers."""

    def __init__(self, seed: int, count: int, papers: Sequence[Paper], vocabulary: Vocabulary, prose: Prose) -> None:
        self._rng = rng = seeded(seed, "methods")
        self._names = acronyms(vocabulary, rng)
        self._words = vocabulary.by_tag(rng, capital=True)
        self._papers, self._prose, self._spam = stream(rng, papers), prose, Spam(rng)
        self._minter, self._used = Minter(), set[str]()
        self._collections = self._make_collections(min(362, 12 + count // 8))
        self.records: list[dict[str, Any]] = []
        self.spam: list[int] = []
        spam = set(rng.sample(range(count), round(count * SPAM_METHODS)))
        for ordinal in range(count):
            if ordinal in spam:
                self.spam.append(ordinal)
            self.records.append(self.make(is_spam=ordinal in spam))
        regular = [ordinal for ordinal in range(count) if ordinal not in spam]
        for one, other in zip(regular[10:26:2], regular[11:26:2], strict=False):  # eight full names shared by two
            self.records[one]["full_name"] = self.records[other]["full_name"]
        self.records[regular[5]]["name"] = "(deleted method)"

    def make(self, *, is_spam: bool = False) -> dict[str, Any]:
        """A new record."""
        rng, number = self._rng, len(self.records)
        paper = next(self._papers) if rng.random() < (0.25 if is_spam else 0.91) else None
        if is_spam:
            name = full_name = self._spam.name(number)
            short = PLACEHOLDER if rng.random() < 0.1 else ""
            description = short or self._spam.text(number, rng.choice((10, 30, 40, 50)))
            collections = [next(self._collections)] if rng.random() < 0.5 else []
        else:
            name = self._name()
            full_name = " ".join(next(self._words[tag]) for tag in rng.choice(("AN", "NN", "ANN", "AAN")))
            description = self._description(name, paper)
            collections = [next(self._collections) for _ in range(rng.choice((1, 1, 1, 1, 2)))]
        return {
            "url": f"{SITE}/method/{self._minter.mint(slug(name))}",
            "name": name,
            "full_name": full_name if rng.random() > 0.001 else None,
            "description": description,
            "paper": {"title": paper.title, "url": paper.page} if paper else None,
            "introduced_year": 2000 if rng.random() < 0.975 else rng.randrange(1957, 2025),
            "source_url": paper.url_abs if paper else None,
            "source_title": paper.title if paper else None,
            "code_snippet_url": self._snippet(paper),
            "num_papers": int(rng.paretovariate(0.7)) % 25_000 if not is_spam else 0,
            "collections": [{key: one[key] for key in ("collection", "area_id", "area")} for one in collections],
        }

    def printed(self, record: dict[str, Any], *, stale: bool = False) -> orjson.Fragment:
        """The copy that a paper prints, as JSON; a stale one holds an older description."""
        collection = record["collections"][0] if record["collections"] else None
        main = None
        if collection:
            main = {
                "name": collection["collection"],
                "description": self._collection_texts[collection["collection"]],
                "parent": None,
                "area": collection["area"],
            }
        keys = (
            "name",
            "full_name",
            "description",
            "introduced_year",
            "source_url",
            "source_title",
            "code_snippet_url",
        )
        copy = {key: record[key] for key in keys} | {"main_collection": main}
        if stale:
            copy["description"] = copy["description"][: len(copy["description"]) // 2]
        return orjson.Fragment(orjson.dumps(copy))

    def usage(self, seed: int, excluded: set[int]) -> tuple[list[orjson.Fragment], list[float]]:
        """Printed copies and their cumulative Zipf weights; `excluded` ordinals are not used by any paper.

        One copy in 100 is stale, one in 50 names a method that the methods dump does not hold.
        """
        rng = seeded(seed, "usage")
        spam = set(self.spam)
        usable = [number for number in range(len(self.records)) if number not in excluded]
        regular = [number for number in usable if number not in spam]
        rng.shuffle(regular)
        # Spam is used too, at the tail, by the papers it was attached to.
        ranked = regular + [number for number in usable if number in spam][: len(regular) // 10]
        copies = [self.printed(self.records[number]) for number in ranked]
        weights = zipf(len(ranked), 1.0, 6)
        total = weights[-1]
        for number in range(40):
            copies.append(self.printed(self.records[ranked[number % len(ranked)]], stale=True))
            weights.append(weights[-1] + total * 0.01 / 40)
        for number in range(40):
            name = f"ooJp{number}ued"
            copies.append(self.printed(self.make() | {"name": name, "full_name": name, "description": PLACEHOLDER}))
            weights.append(weights[-1] + total * 0.02 / 40)
        return copies, weights

    def _make_collections(self, count: int) -> Any:
        rng = self._rng
        found: list[dict[str, str]] = []
        self._collection_texts: dict[str, str] = {}
        areas = stream(rng, _repeated(METHOD_AREAS))
        while len(found) < count:
            name = f"{next(self._words['A'])} {next(self._words['N'])} Models"
            if name in self._collection_texts:
                continue
            area = "" if len(found) == 3 else next(areas)
            self._collection_texts[name] = f"**{name}** are models. " + self._prose.text(1) + "\r\n\r\n"
            found.append({"collection": name, "area_id": area, "area": area.replace("-", " ").title()})
        return stream(rng, found, zipf(count, 0.9))

    def _name(self) -> str:
        while True:
            name = next(self._names)
            if self._rng.random() < 0.4:
                name += f" {next(self._words['N'])}"
            if name not in self._used:
                self._used.add(name)
                return name

    def _description(self, name: str, paper: Paper | None) -> str:
        rng = self._rng
        draw = rng.random()
        if draw < 0.1:
            return ""
        if draw < 0.12:
            return PLACEHOLDER
        text = f"**{name}** is a method. {self._prose.text(rng.choice((1, 1, 2, 3, 4, 5)))}"
        if draw < 0.5:
            text += "\r\n\r\n$$ y_{i} = \\sigma\\left(\\mathbf{W}x_{i} + b\\right) $$\r\n\r\n" + self._prose.text(2)
        if draw > 0.99:
            text += ' <b onclick="x()">See</b> [here](/paper/somewhere).'
        if paper and draw > 0.7:
            text += f"\r\n\r\nImage Source: [{paper.title}]({paper.url_abs})"
        return text

    def _snippet(self, paper: Paper | None) -> str | None:
        draw = self._rng.random()
        if draw < 0.4:
            return None
        if draw < 0.7:
            return ""
        owner = slug(paper.title, 12) if paper else "someone"
        return ("" if draw > 0.996 else "https://") + f"github.com/{owner}/code/blob/main/model.py#L{int(draw * 1000)}"


class Datasets:
    """The datasets dump's records."""

    def __init__(
        self,
        seed: int,
        count: int,
        papers: Sequence[Paper],
        vocabulary: Vocabulary,
        prose: Prose,
        tasks: dict[str, str],
        required: Sequence[str],
    ) -> None:
        """`tasks`: name -> slug; each name of `required` is given to at least one dataset."""
        self._rng = rng = seeded(seed, "datasets")
        self._names, self._words = acronyms(vocabulary, rng), vocabulary.by_tag(rng, capital=True)
        self._papers, self._prose, self._spam = stream(rng, papers), prose, Spam(rng)
        self._minter, self._used, self._slugs = Minter(), set[str](), tasks
        named = [name for name in tasks if name]
        self._tasks = stream(rng, named, zipf(len(named), 0.7))
        self._required = list(required)
        self._modalities, self._languages = (
            stream(rng, _repeated(_COMMON_MODALITIES) + phrases("modalities")),
            stream(rng, ["English"] * 20 + phrases("languages")),
        )
        self.records: list[dict[str, Any]] = []
        spam = set(rng.sample(range(count), max(1, round(count * SPAM_DATASETS))))
        self.spam = sorted(spam)
        for ordinal in range(count):
            self.records.append(self.make(is_spam=ordinal in spam, left=count - ordinal))

    def make(self, *, is_spam: bool = False, left: int = 0) -> dict[str, Any]:
        """A new record; `left` records remain to hold the required tasks."""
        rng, number = self._rng, len(self.records)
        name = self._spam.name(number) if is_spam else self._name()
        text = (
            self._spam.text(number, 12)
            if is_spam
            else f"The **{name}** dataset. " + self._prose.text(rng.choice((2, 4, 6, 8, 11)))
        )
        short = text if rng.random() < 0.3 else text[: text.find(". ", 90) + 1]
        if rng.random() < 0.5:
            text += f"\r\n\r\n* Number of samples: {rng.randrange(10**6):,}"
            text += f"\r\n* Source: [paper](/paper/{slug(name)})"
        address = f"{SITE}/dataset/{self._minter.mint(slug(name))}"
        file = f"dataset-{number:010}-{rng.getrandbits(32):08x}"
        media = "https://production-media.paperswithcode.com"
        paper = self._paper()
        tasks = dict.fromkeys(next(self._tasks) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 8))))
        for _ in range(-(-len(self._required) // left) if left else 0):
            tasks[self._required.pop()] = None
        variants = [name] if rng.random() > 0.013 else []
        endings = rng.sample(_VARIANTS, min(len(_VARIANTS), int(rng.paretovariate(1.3)) - 1))
        variants += [f"{name} {ending}" for ending in endings]
        image = rng.random() < 0.6
        return {
            "url": address,
            "name": name,
            "full_name": rng.choice((None, "", "", name, " ".join(next(self._words[tag]) for tag in "ANN"))),
            "homepage": rng.choice(
                ("", None, f"https://example.org/{slug(name)}", f"http://www.example.com/{slug(name)}/")
            ),
            "description": text,
            "short_description": short,
            "parent_dataset": None,
            "image": f"{media}/datasets/{file}.png" if image else None,
            "audio": None,
            "thumbnail": f"{media}/thumbnails/dataset/{file}.jpg" if image else None,
            "default_image": None,
            "verified_image": f"{media}/thumbnails/dataset-small/{file}.jpg" if image and number % 3 == 0 else None,
            "default_youtube_link": None,
            "paper": paper,
            "mention_count": 0,
            "introduced_date": self._introduced(),
            "license_name": rng.choice(_LICENCES),
            "license_url": "https://creativecommons.org/licenses/" if number % 4 == 0 else None,
            "verified_name": name if number % 3 == 0 else None,
            "verified_paper": paper if number % 3 == 0 else None,
            "warning": None,
            "modalities": list(dict.fromkeys(next(self._modalities) for _ in range(rng.choice((0, 1, 1, 1, 2, 3))))),
            "tasks": [{"task": task, "url": f"{SITE}/task/{self._slugs[task]}"} for task in tasks],
            "languages": list(dict.fromkeys(next(self._languages) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 9))))),
            "variants": variants,
            "num_papers": int(rng.paretovariate(0.6)) % 12_000,
            "data_loaders": [self._loader(name) for _ in range(rng.choice((0, 0, 0, 1, 2, 4)))],
        }

    def _loader(self, name: str) -> dict[str, Any]:
        owner = self._rng.choice(("tensorflow/datasets", "huggingface/datasets", "open-mmlab/mmdet"))
        repository = f"https://github.com/{owner}"
        return {
            "url": f"{repository}/tree/main/{slug(name)}",
            "repo": repository,
            "frameworks": self._rng.choice(_FRAMEWORK_LISTS),
        }

    def _paper(self) -> dict[str, str] | None:
        draw = self._rng.random()
        if draw < 0.13:
            return None
        paper = next(self._papers)
        return {"title": paper.title, "url": paper.page if draw < 0.71 else paper.url_abs}

    def _introduced(self) -> str | None:
        draw, year = self._rng.random(), self._rng.randrange(1995, 2025)
        if draw < 0.25:
            return None
        return (
            f"{year}-01-01" if draw < 0.8 else f"{year}-{self._rng.randrange(1, 13):02}-{self._rng.randrange(1, 29):02}"
        )

    def _name(self) -> str:
        while True:
            draw = self._rng.random()
            name = next(self._names) if draw < 0.5 else f"{next(self._words['N'])}{next(self._words['N'])}"
            if draw > 0.8:
                name += self._rng.choice((" 2017", "-100k", " Captions", " v1.0", "+D 120", "/VA", " 3.6M"))
            if name not in self._used:
                self._used.add(name)
                return name


def change_catalogued(record: dict[str, Any], rng: Random) -> None:
    """A new paper count for a method or dataset: nothing that papers print a copy of."""
    record["num_papers"] += rng.randrange(1, 40)
