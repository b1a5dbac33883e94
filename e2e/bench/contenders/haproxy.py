"""HAProxy as a plain proxy."""

from __future__ import annotations

import shutil
from pathlib import Path

from .base import Absent, Contender, first_line

CONFIG = """
global
    maxconn 8000
defaults
    mode http
    timeout connect 5s
    timeout client 600s
    timeout server 600s
    http-reuse always
    # A frame of a stream does not wait for more to come.
    option http-no-delay
frontend all
    bind 127.0.0.1:{port}
    default_backend instances
backend instances
    balance roundrobin
{servers}
"""


class HAProxy(Contender):
    name = "haproxy"
    does = "passes on, instances in turn"

    def install(self) -> None:
        if not shutil.which("haproxy"):
            raise Absent("haproxy is not installed")

    def version(self) -> str:
        return " ".join(first_line(["haproxy", "-v"]).split()[:3]).replace(" version", "")

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        servers = "\n".join(f"    server i{port} 127.0.0.1:{port}" for port in ports)
        file = folder / "haproxy.cfg"
        file.write_text(CONFIG.format(port=self.port, servers=servers))
        return ["haproxy", "-db", "-f", str(file)]
