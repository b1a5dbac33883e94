"""Streams of two frames a second each: 100, 1,000 and 5,000 at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from signalbox import free_port

from ..bench import Bench, say
from ..contenders import Contender
from ..processes import Process, cpu_seconds, memory_kib
from ..tables import NONE, Table, less, spread
from ..upstream import INSTANCES

STREAMS = [100, 1_000, 5_000]
FRAMES = 12
# Opened evenly: a crowd at the door is another test. The last of 5,000 comes when the first has
# seven frames left, so that for three seconds all are open.
OPENED_A_SECOND = 2_000
# Busy beyond this, a machine lets everybody wait.
FULL = 0.95
E2E = Path(__file__).parents[2]


class PacedUpstream:
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.ports = [free_port() for _ in range(INSTANCES)]
        command = [sys.executable, "-m", "bench.paced", str(FRAMES), *map(str, self.ports)]
        here = {"PYTHONPATH": str(E2E)}
        self._process = Process(command, folder / "output.log", here)
        self.pid = self._process.pid
        self.stop = self._process.stop
        # Contenders that find no upstream at their start wait longer than it takes.
        time.sleep(0.5)


def measure(bench: Bench) -> dict[str, Any]:
    result: dict[str, dict[str, dict[str, list[Any]]]] = {str(n): {} for n in STREAMS}
    upstream = PacedUpstream(bench.new_folder("paced"))
    try:
        with bench.running(upstream) as contenders:
            time.sleep(1)
            idle = {one.name: memory_kib(one.pid) for one in contenders}
            for number in bench.rounds(3):
                for streams in STREAMS:
                    say(f"{streams} streams, round {number + 1}")
                    for one in contenders:
                        if streams > one.most_streams:
                            continue
                        figures = _stream(one, streams, idle[one.name])
                        of_one = result[str(streams)].setdefault(one.name, {})
                        for figure, value in figures.items():
                            of_one.setdefault(figure, []).append(value)
    finally:
        upstream.stop()
    return {"streams": result, "frames": FRAMES}


def _stream(one: Contender, streams: int, idle_kib: int) -> dict[str, Any]:
    client = [sys.executable, "-m", "bench.streams", str(one.port), one.key]
    client += [str(streams), str(FRAMES), str(OPENED_A_SECOND)]
    began, busy = cpu_seconds(one.pid), _machine()
    with subprocess.Popen(client, cwd=E2E, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        # Not known when some stream never began: then they were never all open.
        kib = None
        if line.strip() == "open":
            time.sleep(0.5)
            kib = (memory_kib(one.pid) - idle_kib) / streams
            line = running.stdout.readline()
    outcome = json.loads(line)
    cost = cpu_seconds(one.pid) - began
    now = _machine()
    outcome["kib_a_stream"] = kib
    outcome["cpu_us_a_frame"] = cost * 1e6 / max(1, outcome["frames"])
    outcome["machine_busy"] = (now[0] - busy[0]) / max(1, now[1] - busy[1])
    return outcome


def _machine() -> tuple[int, int]:
    """Ticks that all cores together were busy, and all ticks."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def tables(result: dict[str, Any]) -> Iterator[Table]:
    for streams, contenders in result["streams"].items():
        columns = ["", "first frame ms, p50", "added p99 ms", "p99 ms", "CPU µs a frame"]
        columns += ["KiB a stream", "lost", "out of order", "merged", "machine busy"]
        table = Table(f"{int(streams):,} streams, {result['frames']} frames each", columns)
        direct = _numbers(contenders.get("direct", {}), "delay_p99_ms")
        for name, figures in contenders.items():
            p99 = _numbers(figures, "delay_p99_ms")
            table.rows.append(
                [
                    name,
                    spread(_numbers(figures, "first_p50_ms"), 2),
                    NONE if name == "direct" else spread(less(p99, direct), 2),
                    spread(p99, 2),
                    spread(figures["cpu_us_a_frame"], 0),
                    NONE if name == "direct" else spread(_numbers(figures, "kib_a_stream"), 1),
                    *(str(sum(figures[count])) for count in ("lost", "out_of_order", "merged")),
                    f"{max(figures['machine_busy']):.0%}",
                ]
            )
        if full := [name for name in contenders if max(contenders[name]["machine_busy"]) > FULL]:
            table.notes.append(
                f"The machine was at its end with {', '.join(full)}: those delays are of the queue "
                "before its cores."
            )
        yield table


def _numbers(figures: dict[str, list[Any]], name: str) -> list[float]:
    return [value for value in figures.get(name, []) if value is not None]
