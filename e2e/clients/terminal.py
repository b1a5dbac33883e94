"""A person's terminal: programs in a home of their own, from which only loopback can be reached."""

from __future__ import annotations

import contextlib
import os
import signal
import socketserver
import subprocess
import textwrap
import threading
from pathlib import Path

HERE = Path(__file__).parent


class Nowhere(socketserver.ThreadingTCPServer):
    """A proxy that lets nobody through and remembers who wanted to go where."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusal)
        self.wanted: list[str] = []
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def server_close(self) -> None:
        self.shutdown()
        super().server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Refusal(socketserver.StreamRequestHandler):
    server: Nowhere

    def handle(self) -> None:
        self.server.wanted.append(self.rfile.readline().decode(errors="replace").strip())
        self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")


def programs() -> Path:
    """Where the coding agents are installed."""
    script = [HERE.parents[1] / "scripts" / "node-programs.sh", HERE]
    installed = subprocess.run(script, stdout=subprocess.PIPE, text=True, check=True)
    return Path(installed.stdout.strip())


class Terminal:
    def __init__(self, home: Path, proxy: Nowhere) -> None:
        self.home = home
        self.proxy = proxy
        self.project = home / "project"
        self.project.mkdir(parents=True)
        self.environment = {
            "HOME": str(home),
            "PATH": f"{programs()}:{os.environ['PATH']}",
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "http_proxy": proxy.url,
            "https_proxy": proxy.url,
            "HTTP_PROXY": proxy.url,
            "HTTPS_PROXY": proxy.url,
            "no_proxy": "127.0.0.1",
            "NO_PROXY": "127.0.0.1",
        }

    def write(self, file: str, text: str) -> None:
        path = self.home / file
        path.parent.mkdir(parents=True)
        path.write_text(textwrap.dedent(text))

    def run(self, *command: str) -> str:
        """What it says on standard output, once it has ended well."""
        with subprocess.Popen(
            command,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as program:
            try:
                said, complained = program.communicate(timeout=120)
            finally:
                # Also what it has started and left behind.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
        assert program.returncode == 0, f"{command}:\n{said}\n{complained}"
        assert self.proxy.wanted == [], f"{command} called elsewhere"
        return said
