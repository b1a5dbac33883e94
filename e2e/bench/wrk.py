"""The load: wrk sends prepared chat requests over some connections for some seconds."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).with_name("wrk.lua")


@dataclass(frozen=True)
class Outcome:
    requests: int
    seconds: float
    bytes: int
    failed: int
    p50_us: float
    p99_us: float

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def run(port: int, requests: Sequence[bytes], connections: int, seconds: float) -> Outcome:
    # wrk counts in whole seconds.
    command = ["wrk", "--threads", "1", "--connections", str(connections)]
    command += ["--duration", f"{max(1, round(seconds))}s", "--timeout", "30s"]
    command += ["--script", str(SCRIPT), f"http://127.0.0.1:{port}"]
    with tempfile.NamedTemporaryFile() as prepared:
        for request in requests:
            prepared.write(b"%d\n" % len(request) + request)
        prepared.flush()
        command += ["--", prepared.name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))
