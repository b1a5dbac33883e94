"""The upstream behind everybody: an nginx that answers a chat completion of a given size at once.

It listens on four ports, so that there are four instances to choose from. A request's body is read
to its end before the answer, as a model server does: that is what the echo module is for, which
comes with Debian's nginx-light.
"""

from __future__ import annotations

import getpass
import os
import subprocess
import time
from pathlib import Path

from signalbox import free_port

from .chat import answers, chat_body, chat_request, completion
from .processes import Process

INSTANCES = 4
ECHO = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")
# What every nginx of ours starts with: nothing in the system's folders, no log of requests, and
# connections that are never closed for their age.
MAIN = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log stderr;
worker_processes {workers};
worker_rlimit_nofile 20000;
events {{ worker_connections 20000; }}
"""
HTTP = """
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    client_max_body_size 64m;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxied;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
"""


def settings(folder: Path, **more: object) -> dict[str, object]:
    # Its workers read what we wrote, also when we are root.
    fixed = {"folder": folder, "workers": os.cpu_count(), "user": getpass.getuser()}
    return fixed | more


class StaticUpstream:
    """One nginx: `ports` are its four instances."""

    def __init__(self, folder: Path, answer_size: int = 260) -> None:
        self.folder = folder
        self.answer = completion(answer_size)
        self.ports = [free_port() for _ in range(INSTANCES)]
        self._process: Process | None = None

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        answers = self.folder / "answers"
        answers.mkdir(exist_ok=True)
        (answers / "answer.json").write_bytes(self.answer)
        listens = "\n".join(f"        listen 127.0.0.1:{port};" for port in self.ports)
        config = f"load_module {ECHO};\n" + MAIN + "http {{" + HTTP + SERVER + "}}\n"
        file = self.folder / "nginx.conf"
        file.write_text(config.format_map(settings(self.folder, listens=listens, how=self._how())))
        command = ["nginx", "-p", str(self.folder), "-c", str(file)]
        self._process = Process(command, self.folder / "nginx.log")
        self._wait()

    def _wait(self) -> None:
        request = chat_request(self.ports[0], "none", chat_body(), "first")
        for _ in range(500):
            if answers(self.ports[0], request):
                return
            time.sleep(0.01)
        self.stop()
        raise RuntimeError(f"no upstream: {(self.folder / 'nginx.log').read_text()}")

    def _how(self) -> str:
        """A word of the configuration has at most 4 KB; what is larger comes from a file."""
        if len(self.answer) < 4_000:
            return f"return 200 '{self.answer.decode()}';"
        # A file is for GET; this is nginx's way to give it to others.
        return "error_page 405 =200 $uri; open_file_cache max=10;"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop()


SERVER = """
    sendfile on;
    tcp_nopush on;
    client_body_buffer_size 4m;
    default_type application/json;
    server {{
{listens}
        root {folder}/answers;
        location / {{
            echo_read_request_body;
            echo_exec /answer.json;
        }}
        location = /answer.json {{
            internal;
            {how}
        }}
    }}
"""


def version() -> str:
    said = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True)
    return said.stderr.strip().rpartition(" ")[2].replace("nginx/", "nginx ")
