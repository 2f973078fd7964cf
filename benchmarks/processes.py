"""Commands run and watched from outside: how long they took and how much memory they held at most."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Watched:
    """One finished command: wall seconds, peak resident memory in MiB, and what it printed."""

    seconds: float
    peak_mib: float
    output: str


def watched(command: Sequence[str]) -> Watched:
    """Run a command to its end. Linux only: reads the peak from /proc. Raises CalledProcessError if it fails."""
    started, peak = time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
                peak = max(
                    peak,
                    *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")),
                    0,
                )
            except OSError:
                pass
            time.sleep(0.1)
        output = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Watched(time.perf_counter() - started, peak / 1024, output)
