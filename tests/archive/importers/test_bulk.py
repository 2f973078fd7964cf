"""Rows as COPY takes them: what `columns` writes is what PostgreSQL reads."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive.importers.bulk import columns

pytestmark = pytest.mark.django_db

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.sampled_from(
    ["\\N", "\\.", "\\", "\\\\n", "a\tb\r\nc", "\\x41", "\b\f\v", " ", ""]
)


def copied(*values: Any) -> tuple[Any, ...]:
    """The row that COPY made of a line of these columns."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE IF NOT EXISTS line (a text, b text, c bytea, d bool, e date, f bigint)")
        cursor.execute("TRUNCATE line")
        with cursor.copy("COPY line FROM STDIN") as copy:
            copy.write(columns(*values) + "\n")
        cursor.execute("SELECT * FROM line")
        (row,) = cursor.fetchall()
    return tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.tuples(
        TEXTS | st.none(),
        TEXTS,
        st.binary() | st.none(),
        st.booleans() | st.none(),
        st.dates() | st.none(),
        st.integers(-(2**63), 2**63 - 1) | st.none(),
    )
)
def test_every_value_comes_back(values: tuple[Any, ...]) -> None:
    assert copied(*values) == values
