"""Two reviewers on one case, again and again, on real connections: one decision each time, nothing lost.

    python -m benchmarks.races [--races 200]

Works on an embedded server of its own with the tests' tiny archive. Prints what was counted, and exits 1 if any race
made two decisions, none, or lost a report. Also prints how long a decision takes, alone and against another.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

TINY = Path(__file__).parent.parent / "tests" / "data" / "tiny"


def manage(*words: str) -> None:
    """Run a manage.py command. Raises CalledProcessError."""
    subprocess.run([sys.executable, "manage.py", *words], check=True, stdout=subprocess.DEVNULL)


def race(acts: list[Any]) -> list[Any]:
    """Run the acts at once, each on its own connection. Their results or exceptions, with the seconds each took."""
    from django.db import connection

    gate = threading.Barrier(len(acts))

    def run(act: Any) -> tuple[Any, float]:
        gate.wait()
        started = time.perf_counter()
        try:
            return act(), time.perf_counter() - started
        except Exception as error:
            return error, time.perf_counter() - started
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def run(races: int) -> bool:
    """Run the races in this process, as the web role. True if every one went as it must."""
    from corrections.decisions import AlreadyDecided, Stale, decide
    from corrections.models import Decision, Report, ReportState
    from corrections.submissions import Draft, file_report
    from corrections.verification import verify_log
    from tests import people
    from tests.corrections.rulings import accepted, wanting
    from tests.corrections.test_decide import a_metric

    renu, otto = people.renu(), people.otto()
    key, field = a_metric()
    alone, against, wrong = [], [], 0
    for number in range(races):
        report = file_report(Draft(key, "other", field, comment="Look."), sender=f"198.51.100.{number}").report
        rulings = [accepted(wanting(key, field, f"{number}.{n}"), reports=[report.pk]) for n in (1, 2)]
        results = race([partial(decide, rulings[0], renu), partial(decide, rulings[1], otto)])
        made = [(result, took) for result, took in results if isinstance(result, Decision)]
        refused = [result for result, _ in results if isinstance(result, AlreadyDecided | Stale)]
        against += [took for _, took in made]
        report.refresh_from_db()
        wrong += not (len(made) == len(refused) == 1 and report.decision_id == made[0][0].number)
        started = time.perf_counter()
        decide(accepted(wanting(key, field, f"{number}.3")), renu)
        alone.append(time.perf_counter() - started)
    lost = Report.objects.exclude(state=ReportState.DECIDED).count()
    faults = verify_log()
    print(f"{races} races: {Decision.objects.count() - races} decisions, {wrong} wrong, {lost} reports lost")
    print(f"the log has {len(faults)} faults")
    print(f"a decision takes {median(alone) * 1000:.0f} ms alone, {median(against) * 1000:.0f} ms against another")
    return not (wrong or lost or faults)


def main() -> None:
    """Make a server, race, and remove it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--races", type=int, default=200)
    options = parser.parse_args()
    home = tempfile.mkdtemp(prefix="corrigenda-races-")
    os.environ["CORRIGENDA_HOME"] = home
    try:
        manage("migrate", "--verbosity", "0")
        manage("import_archive", str(TINY), "--quiet")
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "CORRIGENDA_ROLE": "web"}
        import django

        django.setup()
        went_well = run(options.races)
    finally:
        manage("database", "remove", "--yes")
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(0 if went_well else 1)


if __name__ == "__main__":
    main()
