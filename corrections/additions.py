"""Records that a decision adds: a code link of a paper, a result row of a leaderboard.

An added record is first a bare one, and then each of its cells is a change like any other, so that the log says all of
it by public keys. It has a number and an address for ever, and no snapshot rank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.db.models import Max, Q, QuerySet

from archive.canonical import digest
from archive.importers.code_links import repository_of
from archive.importers.session import identity_of
from archive.models import CodeLink, Leaderboard, Paper, Record, RecordKind, Result
from corrections.correctable import Invalid, Value

DUMP = "decision"
"""What stands in place of the dump's name on the spine of an added record."""

_KEY = re.compile(r"(?P<parent>(?:paper|sota)/[^/]+)/(?:code|row)/(?P<number>[1-9][0-9]*)\Z")


def next_key(parent: Record) -> str:
    """The key that the next addition below a paper or leaderboard gets. One query; the parent's row has to be locked.

    Raises Invalid for a parent of another kind.
    """
    if parent.kind == RecordKind.PAPER:
        keys = Record.objects.filter(kind=RecordKind.CODE, key__startswith=f"{parent.key}/code/")
        last = max((int(key.rpartition("/")[2]) for key in keys.values_list("key", flat=True)), default=0)
        return f"{parent.key}/code/{last + 1}"
    if parent.kind == RecordKind.LEADERBOARD:
        last = Result.objects.filter(leaderboard_id=parent.pk).aggregate(last=Max("number"))["last"] or 0
        return f"{parent.key}/row/{last + 1}"
    raise Invalid("Only a code link of a paper or a row of a leaderboard can be added.")


def alike(parent: Record, values: Mapping[str, Value]) -> QuerySet[Record]:
    """Links of the paper to the same repository, or rows of the leaderboard with the same model; withdrawn ones too.

    They may stand side by side, as some do in the archive; but nobody adds one without having looked at the others.
    """
    found = Record.objects.order_by("id")
    if parent.kind == RecordKind.PAPER:
        url = values["repo_url"]
        address = repository_of(url)
        same = Q(repo_url=url) | (Q(repository__url=address.url) if address else Q())
        return found.filter(pk__in=CodeLink.objects.filter(same, paper=parent.pk).values("pk"))
    rows = Result.objects.filter(leaderboard=parent.pk, model_name__iexact=values["model_name"].strip())
    return found.filter(pk__in=rows.values("pk"))


def add_bare(key: str) -> Record:
    """Make the record with that key, every cell of it empty. Needs a decision's or an import's transaction.

    Raises Invalid for a key of another kind, or whose parent does not exist. Five queries.
    """
    match = _KEY.match(key)
    parent = Record.objects.filter(key=match["parent"]).first() if match else None
    if match is None or parent is None:
        raise Invalid(f"Nothing can be added at /{key}.")
    kind = RecordKind.CODE if parent.kind == RecordKind.PAPER else RecordKind.RESULT
    record = Record.objects.create(
        kind=kind, key=key, name="", sort_key="", identity=identity_of(kind, "added", key), dump=DUMP, ordinal=0,
        digest=digest({"added": key}),
    )  # fmt: skip
    if kind == RecordKind.CODE:
        paper = Paper.objects.get(pk=parent.pk)
        CodeLink.objects.create(record=record, paper=paper, number=int(match["number"]), paper_title=paper.title)
    else:
        Result.objects.create(
            record=record,
            leaderboard=Leaderboard.objects.get(pk=parent.pk),
            number=int(match["number"]),
            code_links=[],
            model_links=[],
            uses_additional_data=False,
        )
    return record
