"""A route that asks a decision service, and an application that calls it."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

from signalbox import Signalbox

CRITERIA = {
    "qwen3-0.6b": "Fast and cheap: greetings, simple facts, small talk.",
    "qwen3-32b": "Strong at reasoning, mathematics, code and long context.",
}


class Route:
    """A route that asks the given service."""

    def __init__(self, box: Signalbox, name: str, url: str, key: str | None) -> None:
        self.box = box
        self.name = name
        self.key = box.create_key("inference")
        box.post(
            "/providers",
            {
                "name": f"jev-of-{name}",
                "kind": "decision",
                "instances": [{"url": url}],
                "models": [{"name": "jev-latest", "category": "decision"}],
                "credentials": [{"secret": key}] if key else [],
            },
        )
        made = box.post(
            "/routes",
            {
                "name": name,
                "targets": [{"provider": "local", "model": model} for model in CRITERIA],
                "policy": {
                    "least_inflight": {},
                    "decision_service": {
                        "provider": f"jev-of-{name}",
                        "model": "jev-latest",
                        "criteria": CRITERIA,
                    },
                },
            },
        )
        self.id = made["id"]

    def ask(self, words: str = "Hello") -> tuple[str, float]:
        """Who answered, and after how many seconds."""
        body = {"model": self.name, "messages": [{"role": "user", "content": words}]}
        return self.send(json.dumps(body).encode())

    def send(self, body: bytes) -> tuple[str, float]:
        request = urllib.request.Request(
            f"{self.box.url}/v1/chat/completions",
            body,
            {"authorization": f"Bearer {self.key}", "content-type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        begun = time.monotonic()
        with opener.open(request, timeout=30) as answer:
            assert answer.status == 200
            answer.read()
            return answer.headers["x-signalbox-target"], time.monotonic() - begun

    def explain(self) -> Any:
        body = {"messages": [{"role": "user", "content": "Hello"}]}
        return self.box.post(f"/routes/{self.id}/explain", {"body": body})
