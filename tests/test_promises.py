"""docs/promises.md names tests: each has to be there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs" / "promises.md").read_text())


def test_tests_are_named() -> None:
    assert len(NAMED) > 50


@pytest.mark.parametrize(("file", "name"), sorted(set(NAMED)))
def test_the_named_test_is_there(file: str, name: str) -> None:
    assert re.search(rf"def {name}\b", (ROOT / file).read_text())
