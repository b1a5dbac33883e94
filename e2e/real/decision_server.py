"""A small decision service with Jev's interface, for the demonstration and the tests.

    python -m decision_server --port 8103 --key a-key

How it judges is in `jev.py`. `jevcompat test http://127.0.0.1:8103 --key a-key` tries it.
"""

from __future__ import annotations

import argparse
import contextlib
import hmac
import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from jevcompat.mock import MockConfig, validate_request

import jev
import leash

MODEL = "jev-latest"
MODELS = [
    {
        "name": MODEL,
        "description": "Signalbox' demonstration: multilingual-e5-small, by likeness of meaning",
        "release_date": "2026-11-29",
    }
]
LARGEST_BODY = 1024 * 1024
KEY_VARIABLE = "DECISION_SERVER_KEY"


class Refusal(Exception):
    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail

    @classmethod
    def of(cls, status: int, kind: str, message: str) -> Refusal:
        return cls(status, {"error_type": kind, "message": message})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    judge: jev.Judge
    key: str | None

    def do_GET(self) -> None:
        self._respond(self._models)

    def do_POST(self) -> None:
        self._respond(self._decide)

    def _respond(self, handle: Any) -> None:
        try:
            status, answer = 200, handle()
        except Refusal as refusal:
            status, answer = refusal.status, {"detail": refusal.detail}
        body = json.dumps(answer, allow_nan=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _models(self) -> dict[str, Any]:
        self._authorize()
        self._expect("/v1/models")
        return {"models": MODELS}

    def _decide(self) -> dict[str, Any]:
        body = self._body()
        self._authorize()
        self._expect("/v1/systemone")
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            problem = {"loc": ["body"], "msg": "JSON decode error", "type": "json_invalid"}
            raise Refusal(422, [problem]) from None
        if problems := validate_request(asked, MockConfig()):
            raise Refusal(422, problems)
        if asked["model"] != MODEL:
            raise Refusal.of(400, "api_usage_error", f"Unknown model: {asked['model']}")
        state = asked["state"]
        answers = {name: self.judge.answer(state, q) for name, q in asked["questions"].items()}
        usage = {"input_tokens": self.judge.tokens(state), "output_tokens": 0}
        return {"model": "multilingual-e5-small", "answers": answers, "usage": usage}

    def _body(self) -> bytes:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            # What was not read cannot be told from the next request.
            self.close_connection = True
            raise Refusal.of(413, "request_too_large", "Bodies have a length, of 1 MiB at most.")
        return self.rfile.read(int(length))

    def _authorize(self) -> None:
        if self.key is None:
            return
        scheme, _, given = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not given:
            raise Refusal.of(401, "authentication_error", "Send the key as Authorization: Bearer.")
        if not hmac.compare_digest(given.encode(), self.key.encode()):
            raise Refusal.of(401, "authentication_error", "This key is not known here.")

    def _expect(self, path: str) -> None:
        if self.path != path:
            raise Refusal.of(404, "not_found", f"There is no {self.command} {self.path} here.")

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, key: str | None) -> None:
        handler = type("Handler", (Handler,), {"judge": jev.Judge(), "key": key})
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


@contextlib.contextmanager
def served(port: int = 0, key: str | None = None) -> Iterator[str]:
    """Serves it in a process of its own and yields its URL."""
    secret = (KEY_VARIABLE, key) if key else None
    with leash.served("decision_server", "--port", str(port), secret=secret) as url:
        yield url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8103, help="0 for any free port")
    parser.add_argument(
        "--key",
        default=os.environ.get(KEY_VARIABLE),
        help=f"ask for it, as Authorization: Bearer (default: ${KEY_VARIABLE})",
    )
    parser.add_argument("--until-eof", action="store_true", help="end with standard input")
    arguments = parser.parse_args()
    try:
        server = Server(arguments.port, arguments.key)
    except OSError as failure:
        sys.exit(f"port {arguments.port}: {failure.strerror}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": server.url}), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        leash.wait(arguments.until_eof)


if __name__ == "__main__":
    main()
