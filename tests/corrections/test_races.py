"""Two reviewers at once, on real connections: one decision each time, a clear word to the other, nothing lost."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from django.contrib.auth.models import User
from django.db import connection

from archive.importers.run import APPLYING
from archive.models import CodeLink, Paper
from corrections.cells import read_cell
from corrections.decisions import Addition, AlreadyDecided, AlreadyThere, Busy, Refused, Stale, decide
from corrections.models import Change, Decision, Report, ReportState
from corrections.submissions import Draft, file_report
from corrections.verification import verify_all
from corrections.withholding import confirm, unconfirmed, withhold
from tests import people
from tests.corrections.rulings import accepted, record, wanting
from tests.corrections.test_decide import a_metric, first

RACES = 40
"""Here; `python -m benchmarks.races` runs 200 and more."""


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Run the acts in threads that start together, each on a connection of its own; results or exceptions, in order."""
    gate = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            gate.wait()
            return act()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_two_reviewers_on_one_case(renu: User, otto: User) -> None:
    key, field = a_metric()
    for race in range(RACES):
        report = file_report(
            Draft(key, "other", field, comment="Look."), sender=f"192.0.2.{race}", hold_because=""
        ).report
        want = wanting(key, field, f"{race}.1")
        other = wanting(key, field, f"{race}.2")
        results = at_once(
            partial(decide, accepted(want, reports=[report.pk]), renu),
            partial(decide, accepted(other, reports=[report.pk]), otto),
        )
        made = [result for result in results if isinstance(result, Decision)]
        refused = [result for result in results if isinstance(result, AlreadyDecided | Stale)]
        assert (len(made), len(refused)) == (1, 1), results
        report.refresh_from_db()
        assert report.state == ReportState.DECIDED and report.decision_id == made[0].number
    assert Decision.objects.count() == Change.objects.count() == RACES
    assert not Report.objects.filter(decision=None).exists()
    assert verify_all() == []


def test_two_cells_of_one_record_and_two_records(renu: User, otto: User) -> None:
    """Different cells do not stand in each other's way, and locks in key order never deadlock."""
    key, field = a_metric()
    for race in range(10):
        both = [wanting(key, field, f"{race}.5"), wanting(key, "model_name", f"Model {race}")]
        results = at_once(
            partial(decide, accepted(both[0]), renu),
            partial(decide, accepted(both[1]), otto),
        )
        assert all(isinstance(result, Decision) for result in results), results
    assert [d.number for d in Decision.objects.order_by("number")] == list(range(1, 21))


def test_two_reviewers_add_one_link(renu: User, otto: User) -> None:
    """Spelled as each of them found it. The second is told which decision was first; one who looked at it may go on."""
    paper, before = first("paper"), CodeLink.objects.count()
    for race in range(RACES // 2):
        url = f"https://github.com/some/where-{race}"
        links = [Addition(paper, {"repo_url": spelled}) for spelled in (url, f"{url}.git")]
        results = at_once(
            partial(decide, accepted(additions=links[:1]), renu),
            partial(decide, accepted(additions=links[1:]), otto),
        )
        (made,) = [result for result in results if isinstance(result, Decision)]
        (refused,) = [result for result in results if isinstance(result, AlreadyThere)]
        added = made.changes.get(field="exists").record
        assert refused.decision == made and added == refused.record
        assert str(refused).startswith(f"Decision #{made.number} added one like it already: /{added.key}.")
    assert CodeLink.objects.count() == before + RACES // 2 and verify_all() == []
    again = Addition(paper, links[0].values, looked_at=[added.key])
    assert decide(accepted(additions=[again]), otto).number == made.number + 1


def test_a_double_click(renu: User) -> None:
    ruling, once = accepted(wanting(*a_metric(), "7")), uuid.uuid4()
    results = at_once(*[lambda: decide(ruling, renu, idempotency_key=once)] * 4)
    assert all(isinstance(result, Decision) and result.number == 1 for result in results), results
    assert Decision.objects.count() == 1


def test_waits_for_an_import_and_is_refused_if_it_lasts(renu: User, settings: object) -> None:
    key, field = a_metric()
    ruling, before = accepted(wanting(key, field, "7")), read_cell(record(key), field)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [APPLYING])
    try:
        (result,) = at_once(lambda: decide(ruling, renu))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [APPLYING])
    assert isinstance(result, Busy) and read_cell(record(key), field) == before
    assert isinstance(decide(ruling, renu), Decision)


def test_two_editors_confirm_one_withholding(edda: User) -> None:
    """Not the desk alone: whoever calls it, one of the two confirms, and the other is told who did."""
    editors = [people._staff(name, "Editors") for name in ("Emil", "Erna")]
    papers = Paper.objects.exclude(abstract=None).order_by("record_id")[:5]
    for paper in papers:
        number = withhold(paper.record.key, "abstract", "Rights.", edda).number
        results = at_once(*[partial(confirm, number, "Rights indeed.", editor) for editor in editors])
        (made,) = [result for result in results if isinstance(result, Decision)]
        (refused,) = [result for result in results if isinstance(result, Refused)]
        assert str(refused) == f"#{number} is confirmed already, by #{made.number}."
        assert Decision.objects.filter(duplicate_of_decision=number).count() == 1
    assert len(papers) > 1 and not unconfirmed().exists() and verify_all() == []
