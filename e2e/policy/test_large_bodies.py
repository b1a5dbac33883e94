"""Bodies made to be slow to read stall no other request and take little memory."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from jevcompat.mock import MockConfig, Running

from decided import Route
from signalbox import Signalbox

MB = 1024 * 1024
WORDS = b'{"role":"user","content":"Prove it"}'
TINY = b'{"a":1},' * (30 * MB // 8)
BODIES = {
    "tiny objects as messages": b'"messages":[' + TINY + WORDS + b"]",
    "tiny objects in a message": b'"messages":[{"role":"user","content":[' + TINY + b"1]}]",
    "tiny objects elsewhere": b'"x":[' + TINY + b'1],"messages":[' + WORDS + b"]",
    "one long text": b'"messages":[{"role":"user","content":"' + b"words " * (5 * MB) + b'"}]',
}


def peak_memory(box: Signalbox) -> int:
    status = Path(f"/proc/{box.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("kind", BODIES)
def test_nobody_else_waits_and_memory_stays(signalbox: Signalbox, kind: str) -> None:
    with Running(MockConfig()) as jev:
        name = kind.replace(" ", "-")
        route = Route(signalbox, f"large-{name}", jev.url, None)
        small = Route(signalbox, f"small-{name}", jev.url, None)
        small.ask()
        before = peak_memory(signalbox)
        body = b'{"model":"' + route.name.encode() + b'",' + BODIES[kind] + b"}"
        answers: list[tuple[str, float]] = []
        large = threading.Thread(target=lambda: answers.append(route.send(body)))
        large.start()
        slowest = 0.0
        while large.is_alive():
            slowest = max(slowest, small.ask()[1])
        large.join()
        assert answers, "the large one was not answered"
        assert slowest < 1
        # The body twice, as it is put together, and what the allocator keeps.
        assert peak_memory(signalbox) - before < 5 * len(body)
