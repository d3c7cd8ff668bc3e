"""Running things and taking their time: wall seconds, peak memory, the best of some runs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_PAUSE = 0.005
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Run:
    """One finished process: seconds, peak megabytes of its largest process, exit status.

    `wrote`: it left what it was run for.
    """

    seconds: float
    megabytes: float
    status: int
    errors: str
    wrote: bool = True


def run(arguments: Sequence[str], folder: Path) -> Run:
    """Run `python …` in a folder and wait for it."""
    errors = folder / "stderr.txt"
    with errors.open("wb") as log:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=log
        )
        peak = 0.0
        while (waited := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            peak = max(peak, high_water(process.pid))
            time.sleep(_PAUSE)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(waited[1])
    tail = errors.read_text("utf-8", "replace")[-500:]
    return Run(seconds, peak or waited[2].ru_maxrss / 1024, process.returncode, tail)


def high_water(pid: int) -> float:
    """The most memory a process has held so far, in megabytes; 0 where the system does not say.

    What `wait4` tells begins with the size of the process that forked it.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def best(times: int, make: Callable[[], Run]) -> Run:
    """The quickest of some runs; a failed one is returned at once."""
    runs = []
    for _ in range(times):
        done = make()
        if done.status not in {0, 1} or not done.wrote:
            return done
        runs.append(done)
    return min(runs, key=lambda r: r.seconds)


def seconds(times: int, work: Callable[[], object]) -> float:
    """The quickest of some calls."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)
