"""Signalbox with everything on: a key, a policy of two scorers over four instances, records."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signalbox import BINARY, Signalbox

from ..chat import ROUTE
from .base import Absent, Contender, Upstream, first_line

POLICY = {"session_affinity": {}, "least_inflight": {}}


class SignalboxContender(Contender):
    name = "signalbox"
    does = (
        "checks a key, rates 4 instances by Session Affinity and Least Inflight Request, puts the "
        "model's name in, retries, counts, keeps a record of every request"
    )

    def __init__(self) -> None:
        super().__init__()
        self.box: Signalbox | None = None

    def install(self) -> None:
        if not BINARY.exists():
            raise Absent(f"{BINARY} is not built")

    def version(self) -> str:
        return first_line([str(BINARY), "--version"])

    @property
    def pid(self) -> int:
        assert self.box is not None
        return self.box.pid

    def start(self, folder: Path, upstream: Upstream) -> None:
        folder.mkdir(parents=True)
        self.box = Signalbox(folder)
        self.port = int(self.box.url.rpartition(":")[2])
        self.box.start()
        self.box.sign_in()
        add_provider(self.box, "local", [f"http://127.0.0.1:{port}" for port in upstream.ports])
        add_route(self.box, ROUTE, "local")
        self.key = self.box.create_key("inference")
        # Started anew, so that its start is timed as everybody's, with its settings in place.
        self.box.stop()
        began = time.monotonic()
        self.box.spawn()
        self._wait_for_answer(self.box.log, began)

    def stop(self) -> None:
        if self.box is not None:
            self.box.stop()
            self.box = None

    def records_dropped(self) -> float:
        assert self.box is not None
        # No proxy of the machine's stands between us and loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.box.url}/metrics", timeout=10) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith("signalbox_records_dropped_total"):
                    return float(line.split()[-1])
        raise LookupError("signalbox_records_dropped_total is not among the metrics")


def add_provider(
    box: Signalbox, name: str, urls: list[str], models: Sequence[str] = ("m",)
) -> None:
    provider = {
        "name": name,
        "kind": "openai",
        "instances": [{"url": url} for url in urls],
        "models": [{"name": model, "category": "llm"} for model in models],
    }
    box.post("/providers", provider)


def add_route(box: Signalbox, name: str, provider: str, models: Sequence[str] = ("m",)) -> Any:
    targets = [{"provider": provider, "model": model} for model in models]
    return box.post("/routes", {"name": name, "targets": targets, "policy": POLICY})
