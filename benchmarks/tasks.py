"""The task graph: several parents, repeated subtrees, two cycles, an empty name, a truncated twin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from benchmarks.words import phrases, seeded, slug, stream

AREAS = phrases("task areas")
TOP_SHARE, PARENT_SHARE = 2254 / 3900, 766 / 3900
LEVEL_SHARES = (0.52, 0.26, 0.13, 0.06, 0.03)
"""Of the tasks with subtasks, how many stand at depth 1..5; a leaf below the last makes depth 6."""

_FIRST = [
    "Image Classification",
    "Object Detection",
    "Semantic Segmentation",
    "Question Answering",
    "Machine Translation",
]


@dataclass(eq=False)
class Task:
    """A task. Edges go from lower to higher levels (leaves have 6), but for the cycles."""

    name: str = ""
    level: int = 6
    top: bool = False
    areas: list[str] = field(default_factory=list)
    children: list[Task] = field(default_factory=list)
    tables: list[bytes] = field(default_factory=list)


class TaskNames:
    """Distinct task names; a subtask is named after its parent."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._objects, self._heads = stream(rng, phrases("task objects")), stream(rng, phrases("task heads"))
        self._modifiers = phrases("task modifiers")
        self._seen = {*_FIRST, *(task.name for task in _special())}

    def make(self, parent: str = "") -> str:
        """A new name, below `parent` if that is short enough to be refined."""
        attempt = 0
        while True:
            attempt += 1
            stem = (
                parent if parent and len(parent) < 50 and attempt < 20 else f"{next(self._objects)} {next(self._heads)}"
            )
            modifier = self._rng.choice(self._modifiers)
            name = f"{modifier} {stem}" if (parent or attempt > 3) and modifier not in stem else stem
            if name not in self._seen:
                self._seen.add(name)
                return name


def _special() -> list[Task]:
    """The cases that the real file is known for, all at top level."""
    saliency, saliency_1 = Task("Saliency Prediction", 1), Task("Saliency-Prediction", 1)
    faces, face, face_3d = (
        Task(name, 1) for name in ("Facial Recognition and Modelling", "Face Reconstruction", "3D Face Reconstruction")
    )
    saliency.children, saliency_1.children = [saliency_1], [saliency]
    faces.children, face.children, face_3d.children = [face], [face_3d], [faces]
    pose = Task("Pose Estimation", 6)
    truncated, twin = Task("1 Image, 2*2 Stitchi", 1, children=[pose]), Task("1 Image, 2*2 Stitching", 1)
    sources, code = Task("Source Code Summarization", 6), Task("Code Summarization", 6)
    made = [Task("", 6), saliency, saliency_1, faces, face, face_3d, truncated, twin, pose, sources, code]
    for task in made:
        task.top, task.areas = True, ["Computer Vision"]
    return made


CYCLES = (
    ("Saliency Prediction", "Saliency-Prediction"),
    ("Facial Recognition and Modelling", "Face Reconstruction", "3D Face Reconstruction"),
)
"""Each task is the parent of the next, the last of the first; the file cuts where a name recurs."""


def make_tasks(seed: int, count: int) -> list[Task]:
    """`count` tasks with one parent each where they need one; `thicken` in tables.py adds further parents."""
    rng = seeded(seed, "tasks")
    special = _special()
    regular = [Task() for _ in range(count - len(special))]
    wanted_parents = max(len(LEVEL_SHARES) * 2, round(len(regular) * PARENT_SHARE))
    levels: list[list[Task]] = []
    start = 0
    for number, share in enumerate(LEVEL_SHARES):
        level = regular[start : start + max(1, round(wanted_parents * share))]
        start += len(level)
        for task in level:
            task.level, task.top = number + 1, number == 0 or rng.random() < 0.6
            if number:
                rng.choice(levels[number - 1]).children.append(task)
        levels.append(level)
    leaves = regular[start:]
    parents = [task for level in levels for task in level]
    tops = round(count * TOP_SHARE) - len(special) - sum(task.top for task in parents)
    for number, leaf in enumerate(leaves):
        leaf.top = number < tops
    orphans = [leaf for leaf in leaves if not leaf.top]
    for task in parents:  # each has at least one child, which is what makes it a parent
        if not task.children:
            task.children.append(orphans.pop() if orphans else rng.choice(leaves))
    popular = stream(rng, rng.sample(parents, len(parents)), _falling(len(parents)))
    for leaf in orphans:
        next(popular).children.append(leaf)
    _name(regular, levels[0], rng)
    return special[:1] + rng.sample(special[1:] + regular, len(regular) + len(special) - 1)


def _falling(count: int) -> list[float]:
    total, weights = 0.0, []
    for rank in range(1, count + 1):
        total += 1 / (rank + 5)
        weights.append(total)
    return weights


def _name(regular: list[Task], roots: list[Task], rng: Random) -> None:
    """Names and areas, downwards from the roots; then those that hang under nothing."""
    names = TaskNames(rng)
    first = iter(_FIRST)
    queue = list(roots)
    for task in [*roots, *(task for task in regular if task.top and task.level == 6)]:
        task.name = next(first, "") or names.make()
        task.areas = sorted(rng.sample(AREAS, rng.choice((1, 1, 1, 1, 2))))
    while queue:
        parent = queue.pop(0)
        for child in parent.children:
            if not child.name:
                child.name, child.areas = names.make(parent.name), parent.areas
            queue.append(child)


def names_beside(tasks: list[Task], seed: int, count: int) -> list[str]:
    """`count` task names that the evaluation tables do not hold: papers and datasets use such too."""
    rng = seeded(seed, "other tasks")
    names, known = TaskNames(rng), {task.name for task in tasks}
    found: list[str] = ["model"]
    while len(found) < count:
        name = names.make(rng.choice(tasks).name)
        if name not in known:
            found.append(name)
    return found


def task_slugs(names: list[str], rng: Random) -> dict[str, str]:
    """Each task's slug on the old site: 7 % keep the slug of an earlier name; collisions get "-1"."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    fixed = {"Source Code Summarization": "code-summarization", "Code Summarization": "code-summarization-1"}
    for name in [*fixed, *names]:
        wanted = fixed.get(name) or slug(name.rpartition(" ")[0] if rng.random() < 0.07 else name) or "task"
        chosen, number = wanted, 0
        while chosen in taken:
            number += 1
            chosen = f"{wanted}-{number}"
        if name not in given:
            taken.add(chosen)
            given[name] = chosen
    return given


def walk(task: Task, path: tuple[str, ...] = ()) -> Iterator[tuple[Task, tuple[str, ...]]]:
    """The tree below `task` as the file prints it, (task, names from the root); cut where a name recurs."""
    path = (*path, task.name)
    yield task, path
    for child in task.children:
        if child.name not in path:
            yield from walk(child, path)
