"""The demo archive, to be searched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.archive.conftest import Importing
from tests.demo_archive import DEMO


@pytest.fixture(scope="class")
def demo_archive(imported: Importing) -> Iterator[None]:
    """The archive holds the demo. Tests that use it also ask for `db`."""
    with imported(DEMO):
        yield
