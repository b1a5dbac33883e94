"""Starts the real binary in a folder of its own and speaks its management API."""

from __future__ import annotations

import http.cookiejar
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

BINARY = Path(
    os.environ.get("SIGNALBOX_BIN")
    or Path(__file__).parent.parent / "target" / "release" / "signalbox"
).absolute()
PASSWORD = "correct horse battery staple"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Refused(Exception):
    """The management API's own error."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status


class Signalbox:
    """One `signalbox serve`: may be killed and started again on the same folder and port."""

    def __init__(
        self,
        data_dir: Path,
        database_url: str | None = None,
        port: int = 0,
        password: str = PASSWORD,
    ) -> None:
        self.data_dir = data_dir
        self.password = password
        self.url = f"http://127.0.0.1:{port or free_port()}"
        self.log = data_dir / "signalbox.log"
        self.bearer: str | None = None
        self._arguments = ["serve", "--listen", self.url.removeprefix("http://")]
        self._arguments += ["--data-dir", str(data_dir)]
        if database_url:
            self._arguments += ["--database-url", database_url]
        self._process: subprocess.Popen[bytes] | None = None
        # No proxy of the machine's stands between us and loopback.
        self._http = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        )

    def start(self) -> None:
        self.spawn()
        self._wait_until_ready(deadline=time.monotonic() + 30)

    def spawn(self) -> None:
        """Starts the process and waits for nothing."""
        assert BINARY.exists(), f"{BINARY} is not there: run `make build` first"
        # Of SIGNALBOX_* only what a test means to set: the rest of the shell's stays out.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SIGNALBOX_")}
        environment["SIGNALBOX_ADMIN_PASSWORD"] = self.password
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [BINARY, *self._arguments],
                cwd=self.data_dir,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _wait_until_ready(self, deadline: float) -> None:
        assert self._process is not None
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                self.call("GET", "/readyz")
                return
            except (OSError, Refused):
                time.sleep(0.01)
        said = self.log.read_text(errors="replace")
        self.kill()
        raise AssertionError(f"signalbox did not become ready; it said:\n{said}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """kill -9: nothing of the process runs on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """Asks it to go, and says how it went."""
        if self._process is None:
            return 0
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(timeout=30)
        finally:
            self._process.kill()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        if self.bearer:
            request.add_header("authorization", f"Bearer {self.bearer}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        try:
            with self._http.open(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.read().decode(errors="replace")) from None
        is_json = answer.headers.get_content_type() == "application/json"
        return json.loads(text) if is_json and text else None

    def get(self, path: str) -> Any:
        return self.call("GET", f"/api/v1{path}")

    def post(self, path: str, body: Any) -> Any:
        return self.call("POST", f"/api/v1{path}", body)

    def put(self, path: str, body: Any) -> Any:
        return self.call("PUT", f"/api/v1{path}", body)

    def sign_in(self) -> None:
        self.post("/login", {"username": "admin", "password": self.password})

    def create_key(self, *scopes: str) -> str:
        return self.post("/keys", {"name": "+".join(scopes), "scopes": scopes})["key"]
