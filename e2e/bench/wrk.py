"""The load: wrk sends prepared chat requests over some connections for some seconds."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).with_name("wrk.lua")
ROUTE = "bench"


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


def chat_body(size: int = 200, route: str = ROUTE) -> bytes:
    """A chat request of exactly that many bytes."""
    start = f'{{"model":"{route}","messages":[{{"role":"user","content":"'
    end = '"}]}'
    return (start + "x" * (size - len(start) - len(end)) + end).encode()


def chat_request(port: int, key: str, body: bytes, session: str) -> bytes:
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\n"
        f"host: 127.0.0.1:{port}\r\n"
        f"authorization: Bearer {key}\r\n"
        "content-type: application/json\r\n"
        f"session-id: {session}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def in_sessions(port: int, key: str, body: bytes) -> list[bytes]:
    """The same question in many sessions, fewer when it is large: all are held in memory."""
    sessions = 64 if len(body) < 100_000 else 4
    return [chat_request(port, key, body, f"session-{n}") for n in range(sessions)]


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
