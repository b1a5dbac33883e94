"""A Signalbox, an upstream that answers at once, and a decision service that is wrong as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from signalbox import Signalbox

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hello"}}
    ],
}


class Upstream(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(COMPLETION).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def signalbox(tmp_path_factory: pytest.TempPathFactory, upstream: str) -> Iterator[Signalbox]:
    data: Path = tmp_path_factory.mktemp("signalbox")
    box = Signalbox(data)
    box.start()
    box.sign_in()
    box.post(
        "/providers",
        {
            "name": "local",
            "kind": "openai",
            "instances": [{"url": upstream}],
            "models": [{"name": "qwen3-0.6b"}, {"name": "qwen3-32b"}],
        },
    )
    yield box
    box.kill()
