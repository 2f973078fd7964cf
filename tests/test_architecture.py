"""The rules of the house that can be read from the source, held by reading it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
APPS = ("archive", "corrections", "config")
LONGEST = 420
STILL_TOO_LONG = {"corrections/models.py"}
"""Files known to be longer; what has become shorter has to leave."""
NAMELESS = {"utils", "util", "helpers", "helper", "common", "misc", "tools", "shared"}

Finding = Callable[[Path, ast.Module], Iterator[str]]


@cache
def sources(*folders: str) -> list[tuple[Path, ast.Module]]:
    """Every module of some folders, parsed, migrations apart: they are written once, by a command."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        (path.relative_to(ROOT), ast.parse(path.read_text(), str(path)))
        for path in paths
        if "migrations" not in path.parts
    ]


def found(rule: Finding, *folders: str) -> list[str]:
    """What a rule finds in all modules."""
    return [finding for path, tree in sources(*folders) for finding in rule(path, tree)]


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The modules that a module imports anywhere in it, with the names taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def foreign_imports(path: Path, tree: ast.Module) -> Iterator[str]:
    """The archive knows nothing of corrections, but that its pages ask corrections.history what stands corrected."""
    for line, module in imports(tree):
        if module.split(".")[0] != "corrections":
            continue
        through_the_door = path.is_relative_to("archive/pages") and (
            module.startswith("corrections.history") or module == "corrections"
        )
        if not through_the_door or (module == "corrections" and not takes_history_only(tree)):
            yield f"{path}:{line} imports {module}"


def takes_history_only(tree: ast.Module) -> bool:
    """Whether `from corrections import ...` takes nothing but the module history."""
    return all(
        alias.name == "history"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "corrections"
        for alias in node.names
    )


def signals(path: Path, tree: ast.Module) -> Iterator[str]:
    """Work that starts by itself: signals and their receivers."""
    for line, module in imports(tree):
        if module.startswith("django.dispatch") or "signals" in module.split("."):
            yield f"{path}:{line} imports {module}"
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in {"receiver", "Signal", "post_save", "pre_save", "post_delete", "pre_delete", "m2m_changed"}:
            yield f"{path}:{getattr(node, 'lineno', 0)} speaks of {name}"


def generic_keys(path: Path, tree: ast.Module) -> Iterator[str]:
    """Foreign keys that point at anything: the spine is there for that."""
    for line, module in imports(tree):
        if "contenttypes" in module or ("Generic" in module.rsplit(".", 1)[-1] and "ForeignKey" in module):
            yield f"{path}:{line} imports {module}"


def save_overrides(path: Path, tree: ast.Module) -> Iterator[str]:
    """Work hidden in save() or delete()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name in {"save", "delete", "full_clean"}:
                    yield f"{path}:{part.lineno} overrides {node.name}.{part.name}"


def undocumented(path: Path, tree: ast.Module) -> Iterator[str]:
    """Public modules, classes, functions and methods without a docstring; a Protocol's members need none."""
    if not ast.get_docstring(tree) and path.name != "__init__.py":
        yield f"{path} has no docstring"
    yield from _undocumented(path, tree, "")


def _undocumented(path: Path, parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    for node in parent.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name.startswith("_") or node.name == "Meta" or asks_only(node):
                continue
            if not ast.get_docstring(node):
                yield f"{path}:{node.lineno} {prefix}{node.name} has no docstring"
            if isinstance(node, ast.ClassDef):
                yield from _undocumented(path, node, f"{node.name}.")


def asks_only(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a function has no body but an ellipsis."""
    (first, *rest) = node.body
    empty = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.value.value is ...
    return empty and not rest and not isinstance(node, ast.ClassDef)


def nameless(path: Path, tree: ast.Module) -> Iterator[str]:
    """Modules and packages whose name says nothing."""
    for part in path.with_suffix("").parts:
        if part in NAMELESS:
            yield f"{path} is called {part}"


def too_long(path: Path, tree: ast.Module) -> Iterator[str]:
    """Files that want to be two."""
    lines = len((ROOT / path).read_text().splitlines())
    if (lines > LONGEST) != (str(path) in STILL_TOO_LONG):
        yield f"{path} has {lines} lines"


@pytest.mark.parametrize(
    ("rule", "folders"),
    [
        (foreign_imports, ("archive",)),
        (signals, APPS),
        (generic_keys, APPS),
        (save_overrides, APPS),
        (undocumented, APPS),
        (nameless, (*APPS, "tests", "benchmarks")),
        (too_long, APPS),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_the_source_keeps_the_rule(rule: Finding, folders: tuple[str, ...]) -> None:
    assert found(rule, *folders) == []


BROKEN: dict[Finding, tuple[str, list[str]]] = {
    foreign_imports: (
        "archive/importers/x.py",
        ["import corrections", "from corrections.history import standing", "def f():\n    import corrections.models"],
    ),
    signals: (
        "archive/x.py",
        [
            "from django.dispatch import receiver",
            "from django.db.models.signals import post_save",
            "from django.db.models import signals",
            "import django.db.models as m\nm.signals.post_save.connect(f)",
        ],
    ),
    generic_keys: (
        "archive/x.py",
        [
            "from django.contrib.contenttypes.fields import GenericForeignKey",
            "import django.contrib.contenttypes.models",
        ],
    ),
    save_overrides: ("archive/x.py", ["class A:\n    def save(self): ...", "class A:\n    def delete(self): ..."]),
    undocumented: (
        "archive/x.py",
        [
            "x = 1",
            '"""."""\ndef f(): return 1',
            '"""."""\nclass A: ...',
            '"""."""\nclass A:\n    """."""\n    def f(self): return 1',
        ],
    ),
    nameless: ("archive/utils.py", [""]),
}


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.__name__)
def test_the_rule_finds_what_breaks_it(rule: Finding) -> None:
    path, broken = BROKEN[rule]
    for source in broken:
        assert list(rule(Path(path), ast.parse(source))), source


def test_the_door_is_open_to_pages_alone() -> None:
    for source in ("from corrections.history import standing", "from corrections import history"):
        tree = ast.parse(source)
        assert not list(foreign_imports(Path("archive/pages/dataset.py"), tree))
        assert list(foreign_imports(Path("archive/views.py"), tree))
    for source in ("from corrections.models import Report", "from corrections import history, models"):
        assert list(foreign_imports(Path("archive/pages/dataset.py"), ast.parse(source)))


def test_there_is_something_to_read() -> None:
    assert len(sources(*APPS)) > 60
