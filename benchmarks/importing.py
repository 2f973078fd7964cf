"""How fast the dumps come in at full size, against a floor taken in the same run.

    python -m benchmarks.synthesize OUT && python -m benchmarks.importing OUT [--next NEXT]

The floor is the least that could be done: the same reader over the same files, then COPY of the very same rows, ready
made, into the same tables without indexes, then the indexes, and the search index by the same statements. Ratios are
printed with the search index on both sides and without it on both. Prints seconds and peak memory too. Works on an
embedded server of its own under a temporary CORRIGENDA_HOME, which is removed at the end.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psycopg

from benchmarks.processes import Watched, watched

SEARCH = "archive_search"
"""How the tables of the search index begin."""


def manage(*arguments: str) -> Watched:
    """Run a manage.py command and give its wall time and peak memory. Raises CalledProcessError."""
    return watched([sys.executable, "manage.py", *arguments])


def setup_django() -> None:
    """Make models and the database usable in this process, as the owner."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["CORRIGENDA_ROLE"] = "owner"
    import django

    django.setup()


def save_rows(folder: Path) -> None:
    """COPY every archive table into a file of its own."""
    from django.db import connection

    from archive.importers.run import archive_tables

    for table in archive_tables():
        with connection.cursor() as cursor, (folder / table).open("wb") as file:
            cursor.execute(
                "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute "
                "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
                [table],
            )
            columns = cursor.fetchone()[0]
            (folder / f"{table}.columns").write_text(columns)
            with cursor.copy(f"COPY {table} ({columns}) TO STDOUT") as copy:
                for block in copy:
                    file.write(block)


def floor(dumps_folder: Path, rows_folder: Path) -> dict[str, float]:
    """The floor: read, then COPY ready-made rows, then build indexes, then the search index. Seconds of each part."""
    from django.db import connection

    from archive.importers.bulk import without_indexes
    from archive.importers.dump_files import find_dumps
    from archive.importers.run import Source, archive_tables, run_of
    from archive.search.indexing import reindex

    started = time.perf_counter()
    for dump in find_dumps([dumps_folder]).values():
        for _ in dump.records():
            pass
    read = time.perf_counter()
    with run_of(Source()), connection.cursor() as cursor:
        with without_indexes(archive_tables()):
            for table in archive_tables():
                if table.startswith(SEARCH):
                    continue
                columns = (rows_folder / f"{table}.columns").read_text()
                with (
                    (rows_folder / table).open("rb") as file,
                    cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
                ):
                    while block := file.read(1 << 20):
                        copy.write(block)
            copied = time.perf_counter()
        cursor.execute("ANALYZE " + ", ".join(archive_tables()))
        indexed = time.perf_counter()
        reindex(everything=True)
    searchable = time.perf_counter()
    return {
        "read": read - started,
        "copy": copied - read,
        "index": indexed - copied,
        "search": searchable - indexed,
        "all": searchable - started,
    }


def search_seconds(imported: Watched) -> float:
    """How long an import took for the search index, as it says."""
    found = re.search(r"search ([\d.]+) s", imported.output)
    assert found is not None
    return float(found[1])


class Reader(threading.Thread):
    """A reader of the archive while something else writes it: the longest a page's main query ever waited."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(daemon=True)
        self.conninfo, self.longest, self.queries, self.stop = conninfo, 0.0, 0, threading.Event()

    def run(self) -> None:
        """Ask every 20 ms until told to stop."""
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            while not self.stop.is_set():
                started = time.perf_counter()
                connection.execute(
                    "SELECT p.title, (SELECT count(*) FROM archive_result w WHERE w.paper_id = p.record_id) "
                    "FROM archive_record r JOIN archive_paper p ON p.record_id = r.id "
                    "WHERE r.id > (random() * 900000)::int ORDER BY r.id LIMIT 1"
                ).fetchall()
                self.longest = max(self.longest, time.perf_counter() - started)
                self.queries += 1
                self.stop.wait(0.02)


def main() -> None:
    """Run the whole comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dumps", type=Path)
    parser.add_argument("--next", type=Path, help="a later snapshot, to measure a re-import with changes")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="corrigenda-bench-", dir=os.environ.get("BENCH_DIR", "/var/tmp")))
    os.environ["CORRIGENDA_HOME"] = str(home)
    try:
        manage("migrate", "--verbosity", "0")
        first = manage("import_archive", str(options.dumps), "--quiet")
        print(f"first import        {first.seconds:8.1f} s  {first.peak_mib:6.0f} MiB client memory", flush=True)
        print(first.output.splitlines()[-1], flush=True)
        again = manage("import_archive", str(options.dumps), "--quiet")
        print(
            f"the same again      {again.seconds:8.1f} s  {again.peak_mib:6.0f} MiB  "
            f"{again.seconds / first.seconds:.2f} of the first",
            flush=True,
        )
        setup_django()
        if options.next:
            _measure_next(options.next)
        rows = home / "rows"
        rows.mkdir()
        manage("empty_archive", "--yes")
        manage("import_archive", str(options.dumps), "--quiet")
        save_rows(rows)
        manage("empty_archive", "--yes")
        parts = floor(options.dumps, rows)
        print(
            f"floor               {parts['all']:8.1f} s  (read {parts['read']:.1f}, copy {parts['copy']:.1f}, "
            f"index {parts['index']:.1f}, search {parts['search']:.1f})\n"
            f"first import / floor  {first.seconds / parts['all']:.2f}; without the search index on either side "
            f"{(first.seconds - search_seconds(first)) / (parts['all'] - parts['search']):.2f}"
        )
    finally:
        subprocess.run([sys.executable, "manage.py", "database", "remove", "--yes"], check=False)
        shutil.rmtree(home, ignore_errors=True)


def _measure_next(folder: Path) -> None:
    from django.db import connection

    connection.ensure_connection()
    reader = Reader(connection.connection.info.dsn)
    reader.start()
    later = manage("import_archive", str(folder), "--quiet")
    reader.stop.set()
    reader.join()
    print(
        f"a later snapshot    {later.seconds:8.1f} s  {later.peak_mib:6.0f} MiB  longest wait of "
        f"{reader.queries:,} page queries meanwhile {reader.longest * 1000:.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
