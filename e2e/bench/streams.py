"""The streaming client: opens many streams, reads each to its end and checks every frame.

    python -m bench.streams PORT KEY STREAMS FRAMES PER_SECOND

Prints `open` once every stream has had its first frame, and at last the outcome as JSON. A frame is
lost when it never came, out of order when it came after a later one or in a stream not its own, and
merged when it came together with the next, which was sent half a second later.
"""

from __future__ import annotations

import json
import re
import select
import socket
import sys
import time
from dataclasses import dataclass

FRAME = re.compile(rb"@(\d+) (\d+) (\d+)@")
# A frame's text may be cut in two by a read, so that much of the last is kept for the next.
TAIL = 64
PATIENCE_S = 15


@dataclass(eq=False)
class Stream:
    name: int
    socket: socket.socket
    began: float
    tail: bytes = b""
    asked: bool = False
    frames: int = 0


class Client:
    def __init__(self, port: int, key: str, streams: int, frames: int) -> None:
        self.port, self.key = port, key
        self.count, self.frames = streams, frames
        self.poll = select.epoll()
        self.streams: dict[int, Stream] = {}
        self.first_ms: list[float] = []
        self.delays_ms: list[float] = []
        self.received = self.out_of_order = self.merged = self.complete = self.refused = 0

    def run(self, per_second: float) -> dict[str, object]:
        began = time.monotonic()
        opened = 0
        has_told = False
        until = began + self.count / per_second + self.frames / 2 + PATIENCE_S
        while (opened < self.count or self.streams) and time.monotonic() < until:
            is_due = min(self.count, int((time.monotonic() - began) * per_second) + 1)
            for name in range(opened, is_due):
                self._open(name)
            opened = max(opened, is_due)
            for number, _ in self.poll.poll(0.001 if opened < self.count else 0.5):
                self._step(self.streams[number])
            if not has_told and len(self.first_ms) + self.refused == self.count:
                has_told = True
                print("open", flush=True)
        return self._outcome()

    def _open(self, name: int) -> None:
        one = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one.connect_ex(("127.0.0.1", self.port))
        self.streams[one.fileno()] = Stream(name, one, time.monotonic())
        self.poll.register(one, select.EPOLLOUT)

    def _step(self, stream: Stream) -> None:
        try:
            if stream.asked:
                self._read(stream, stream.socket.recv(65_536))
            else:
                stream.socket.send(self._request(stream.name))
                stream.asked = True
                self.poll.modify(stream.socket, select.EPOLLIN)
        except OSError:
            self._close(stream)

    def _read(self, stream: Stream, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        text = stream.tail + data
        came = list(FRAME.finditer(text))
        if came and not stream.frames:
            self.first_ms.append((time.monotonic() - stream.began) * 1e3)
        for match in came:
            name, number, sent_ns = map(int, match.groups())
            self.out_of_order += name != stream.name or number != stream.frames
            self.delays_ms.append((now_ns - sent_ns) / 1e6)
            stream.frames += 1
        self.received += len(came)
        self.merged += max(0, len(came) - 1)
        stream.tail = text[max(came[-1].end() if came else 0, len(text) - TAIL) :]
        if b"[DONE]" in text:
            self.complete += stream.frames == self.frames
            self._close(stream)
        elif not data:
            self._close(stream)

    def _close(self, stream: Stream) -> None:
        self.refused += not stream.frames
        del self.streams[stream.socket.fileno()]
        stream.socket.close()

    def _request(self, name: int) -> bytes:
        content = [{"role": "user", "content": f"@stream {name}"}]
        body = json.dumps({"model": "bench", "stream": True, "messages": content})
        return (
            f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n"
            f"authorization: Bearer {self.key}\r\nsession-id: session-{name}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        ).encode()

    def _outcome(self) -> dict[str, object]:
        return {
            "streams": self.count,
            "complete": self.complete,
            "frames": self.received,
            "lost": self.count * self.frames - self.received,
            "out_of_order": self.out_of_order,
            "merged": self.merged,
            "first_p50_ms": percentile(self.first_ms, 50),
            "first_p99_ms": percentile(self.first_ms, 99),
            "delay_p50_ms": percentile(self.delays_ms, 50),
            "delay_p99_ms": percentile(self.delays_ms, 99),
            "delay_most_ms": percentile(self.delays_ms, 100),
        }


def percentile(values: list[float], percent: float) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))], 3)


if __name__ == "__main__":
    port, key, streams, frames, per_second = sys.argv[1:]
    client = Client(int(port), key, int(streams), int(frames))
    print(json.dumps(client.run(float(per_second))))
