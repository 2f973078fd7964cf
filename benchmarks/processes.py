"""Commands run and watched from outside: how long they took and how much memory they held at most."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Watched:
    """One finished command: wall seconds, peak resident memory in MiB with its children's, and what it printed."""

    seconds: float
    peak_mib: float
    output: str


def watched(command: Sequence[str]) -> Watched:
    """Run a command to its end. Linux only: reads the peak from /proc. Raises CalledProcessError if it fails."""
    started, peaks = time.perf_counter(), dict[int, int]()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        while process.poll() is None:
            for pid in _family(process.pid):
                peaks[pid] = max(peaks.get(pid, 0), _peak(pid))
            time.sleep(0.1)
        output = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Watched(time.perf_counter() - started, sum(peaks.values()) / 1024, output)


def _family(pid: int) -> list[int]:
    """A process and its children; of those that are gone, as many as were there."""
    with suppress(OSError):
        return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    return [pid]


def _peak(pid: int) -> int:
    """The most memory that a process had, in kB; 0 if it is gone."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text()
        return max((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), default=0)
    return 0
