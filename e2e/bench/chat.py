"""Chat requests and answers as bytes, of any size, and a first question to somebody who starts."""

from __future__ import annotations

import contextlib
import json
import socket

ROUTE = "bench"


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


def completion(size: int) -> bytes:
    """A chat completion of exactly that many bytes."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "@"}}
    usage = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}
    whole = {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m"}
    text = json.dumps(whole | {"choices": [choice], "usage": usage}, separators=(",", ":"))
    return text.replace("@", "x" * max(1, size - len(text) + 1)).encode()


def answers(port: int, request: bytes) -> bool:
    """Whether a request is answered with 200."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as one:
        one.settimeout(10)
        one.sendall(request)
        return one.recv(64).startswith(b"HTTP/1.1 200")
    return False
