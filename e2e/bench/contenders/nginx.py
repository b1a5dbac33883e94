"""nginx as a plain proxy."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..upstream import HTTP, MAIN, settings, version
from .base import Absent, Contender

PROXY = """
    upstream instances {{
{servers}
        keepalive 512;
        keepalive_requests 1000000000;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://instances;
            proxy_http_version 1.1;
            proxy_set_header connection "";
            # As they come, both ways: no file in between, no frame held back.
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_read_timeout 600s;
        }}
    }}
"""


class Nginx(Contender):
    name = "nginx"
    does = "passes on, instances in turn"

    def install(self) -> None:
        if not shutil.which("nginx"):
            raise Absent("nginx is not installed")

    def version(self) -> str:
        return version()

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        servers = "\n".join(f"        server 127.0.0.1:{port};" for port in ports)
        values = settings(folder, servers=servers, port=self.port)
        file = folder / "nginx.conf"
        file.write_text((MAIN + "http {{" + HTTP + PROXY + "}}\n").format_map(values))
        return ["nginx", "-p", str(folder), "-c", str(file)]
