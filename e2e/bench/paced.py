"""The streaming upstream: every stream gets a frame now and then one every half second.

    python -m bench.paced FRAMES PORT...

A frame says which stream it is of, which of its frames, and when it was sent, on the clock that
all processes of a machine share: `@17 3 81723645@`. One thread and one queue carry 5,000 streams:
as all wait equally long between two frames, whose frame is due next is always first in the queue.
"""

from __future__ import annotations

import collections
import json
import re
import select
import socket
import sys
import time
from dataclasses import dataclass

from .chat import completion

INTERVAL = 0.5
NAME = re.compile(rb"@stream (\d+)")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
# For all that is no stream: gateways that ask whether a worker is well, and our own first request.
OTHER = completion(260)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def frame(name: int, number: int) -> bytes:
    text = f"@{name} {number} {time.monotonic_ns()}@"
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    whole = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    return chunk(b"data: %b\n\n" % json.dumps(whole | {"choices": [choice]}).encode())


END = chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


@dataclass(eq=False)
class Connection:
    socket: socket.socket
    received: bytes = b""
    name: int = 0
    sent: int = 0
    is_open: bool = True


class Paced:
    def __init__(self, ports: list[int], frames: int) -> None:
        self.frames = frames
        self.poll = select.epoll()
        self.connections: dict[int, Connection] = {}
        self.listeners: dict[int, socket.socket] = {}
        self.due: collections.deque[tuple[float, Connection]] = collections.deque()
        for port in ports:
            listener = socket.create_server(("127.0.0.1", port), backlog=4_096)
            listener.setblocking(False)
            self.listeners[listener.fileno()] = listener
            self.poll.register(listener, select.EPOLLIN)

    def serve(self) -> None:
        while True:
            wait = self.due[0][0] - time.monotonic() if self.due else 1
            for number, _ in self.poll.poll(max(0, wait)):
                if listener := self.listeners.get(number):
                    self._accept(listener)
                else:
                    self._receive(self.connections[number])
            while self.due and self.due[0][0] <= time.monotonic():
                self._go_on(self.due.popleft()[1])

    def _accept(self, listener: socket.socket) -> None:
        try:
            while True:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections[accepted.fileno()] = Connection(accepted)
                self.poll.register(accepted, select.EPOLLIN)
        except BlockingIOError:
            pass

    def _receive(self, connection: Connection) -> None:
        try:
            data = connection.socket.recv(65_536)
        except OSError:
            data = b""
        if not data:
            self._close(connection)
            return
        connection.received += data
        head, ended, body = connection.received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if not ended or len(body) < (int(length[1]) if length else 0):
            return
        if b"transfer-encoding: chunked" in head.lower() and not body.endswith(b"0\r\n\r\n"):
            return
        connection.received = b""
        if name := NAME.search(body):
            connection.name, connection.sent = int(name[1]), 0
            self._send(connection, HEAD)
            self._go_on(connection)
        else:
            head = (
                f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(OTHER)}"
            )
            self._send(connection, head.encode() + b"\r\n\r\n" + OTHER)

    def _go_on(self, connection: Connection) -> None:
        if not connection.is_open:
            return
        if connection.sent == self.frames:
            self._send(connection, END)
            return
        self._send(connection, frame(connection.name, connection.sent))
        connection.sent += 1
        self.due.append((time.monotonic() + INTERVAL, connection))

    def _send(self, connection: Connection, data: bytes) -> None:
        try:
            connection.socket.send(data)
        except OSError:
            # Gone, or so far behind that its buffer is full: the client will miss the rest.
            self._close(connection)

    def _close(self, connection: Connection) -> None:
        if connection.is_open:
            connection.is_open = False
            del self.connections[connection.socket.fileno()]
            connection.socket.close()


if __name__ == "__main__":
    Paced([int(port) for port in sys.argv[2:]], int(sys.argv[1])).serve()
