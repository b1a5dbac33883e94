"""Starts a program and tells what it and its children have cost."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> Iterator[int]:
    """The process and all below it: nginx, HAProxy and LiteLLM work in children."""
    yield pid
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                yield from tree(int(child))


def cpu_seconds(pid: int) -> float:
    """User and system time of the tree, in steps of 10 ms."""
    ticks = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            # Behind the name, which may hold blanks. The last two are those of ended children.
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS


def settled_cpu_seconds(pid: int, at_most: float = 5) -> float:
    """Once the tree rests: what is done after an answer, such as records, belongs to it too."""
    now = cpu_seconds(pid)
    until = time.monotonic() + at_most
    while time.monotonic() < until:
        before = now
        # Longer than Signalbox waits before it writes records down.
        time.sleep(0.3)
        now = cpu_seconds(pid)
        if now - before < 0.02:
            break
    return now


def memory_kib(pid: int) -> int:
    """Resident memory of the tree. What processes share is split between them and counted once."""
    total = 0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss: +(\d+)", rollup, re.MULTILINE)[1])
    return total


@contextlib.contextmanager
def on_one_core(*pids: int) -> Iterator[None]:
    """Keeps these trees, and what this process starts meanwhile, on one core."""
    cores = os.sched_getaffinity(0)
    _keep_on({min(cores)}, pids)
    try:
        yield
    finally:
        _keep_on(cores, pids)


def _keep_on(cores: set[int], pids: tuple[int, ...]) -> None:
    os.sched_setaffinity(0, cores)
    for pid in pids:
        for one in tree(pid):
            threads = []
            with contextlib.suppress(OSError):
                threads = os.listdir(f"/proc/{one}/task")
            for thread in threads:
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), cores)


class Process:
    """One program that we started, with all that it says in a file."""

    def __init__(self, command: list[str], log: Path, environment: dict[str, str] | None = None):
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                command,
                cwd=log.parent,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.pid = self._popen.pid

    @property
    def has_ended(self) -> bool:
        return self._popen.poll() is not None

    def stop(self) -> None:
        """Asks it to go, then ends what is left of it: some parents go without their children."""
        family = {one: _started_at(one) for one in tree(self.pid)}
        self._popen.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(timeout=5)
        for one, started_at in family.items():
            # An id may have been given to somebody else since; the time of its start tells.
            if started_at and started_at == _started_at(one):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
        self._popen.wait()


def _started_at(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None
