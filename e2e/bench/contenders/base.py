"""What all contenders have in common: they are installed, started, asked and stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

from signalbox import free_port

from ..chat import answers, chat_body, chat_request
from ..processes import Process

PEERS = Path(__file__).parent.parent / "peers"
REPOSITORY = Path(__file__).parents[3]
LOG = "output.log"


class Absent(Exception):
    """Cannot take part here, and why."""


class Upstream(Protocol):
    ports: list[int]

    @property
    def pid(self) -> int: ...


class Contender:
    """One way from the client to the upstream. Subclasses say how to start theirs."""

    name: str
    # What it does with a request besides passing it on, for the report.
    does: str
    key = "none"
    # Takes part in fewer and shorter measurements, so that a run ends within the half hour.
    is_slow = False
    most_streams = 5_000
    patience_s = 30

    def __init__(self) -> None:
        self.port = 0
        # From being started to its first answer.
        self.started_s = 0.0
        self._process: Process | None = None

    def install(self) -> None:
        """Raises `Absent` where that cannot be."""

    def version(self) -> str:
        raise NotImplementedError

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        """The command line that serves on `self.port`; its files go into the folder."""
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return {}

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, folder: Path, upstream: Upstream) -> None:
        folder.mkdir(parents=True)
        self.port = free_port()
        command = self.command(folder, upstream.ports)
        began = time.monotonic()
        self._process = Process(command, folder / LOG, self.environment())
        self._wait_for_answer(folder / LOG, began)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _wait_for_answer(self, log: Path, began: float) -> None:
        request = chat_request(self.port, self.key, chat_body(), "first")
        while time.monotonic() < began + self.patience_s:
            if answers(self.port, request):
                self.started_s = time.monotonic() - began
                return
            if self._process and self._process.has_ended:
                break
            time.sleep(0.002)
        # For who watches; the report is for others, and names nothing of this machine.
        print(log.read_text(errors="replace")[-1_000:].strip(), file=sys.stderr)
        raise Absent(f"did not answer within {time.monotonic() - began:.0f} s")

    def records_dropped(self) -> float:
        """How many requests it has kept no record of although it should."""
        return 0


def first_line(command: list[str]) -> str:
    """What a program says of its version, some on standard error."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return (done.stdout + done.stderr).strip().splitlines()[0]


def programs(requirements: str) -> Path:
    """The programs of a peer's Python environment, which is made when it is not there yet."""
    command = [REPOSITORY / "scripts" / "python-env.sh", PEERS / requirements]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        raise Absent(f"its packages do not install: {said[-1]}")
    return Path(done.stdout.strip())


def pinned(requirements: str, package: str) -> str:
    for line in (PEERS / requirements).read_text().splitlines():
        name, _, version = line.partition("==")
        if name == package:
            return version
    raise KeyError(package)
