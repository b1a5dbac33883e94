"""The tutorial's route, criteria and requests, out of docs/tutorial.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
TEXTS = json.loads((DOCS / "tutorial.json").read_text("utf-8"))
ROUTE, SESSION = TEXTS["route"], TEXTS["session"]
SMALL, LARGE = TEXTS["small"], TEXTS["large"]
GREETING, PROOF = TEXTS["prompts"]["greeting"], TEXTS["prompts"]["proof"]


def commands(page: Path) -> list[str]:
    """What a page says to paste into a shell."""
    return re.findall(r"(?s)```sh\n(.*?)```", page.read_text("utf-8"))


def chat(words: str) -> dict[str, Any]:
    return {"model": ROUTE, "messages": [{"role": "user", "content": words}]}


def route(language: str = "en", name: str = ROUTE) -> dict[str, Any]:
    """The body of `POST /api/v1/routes`, with the providers of the demonstration."""
    return {
        "name": name,
        "targets": [
            {"provider": "local-a", "model": SMALL},
            {"provider": "local-b", "model": LARGE},
        ],
        "policy": {
            "session_affinity": {"enabled": True},
            "least_inflight": {"enabled": True},
            "decision_service": {
                "enabled": True,
                "weight": 10,
                "provider": "jev",
                "model": "jev-latest",
                **TEXTS[language],
            },
        },
    }


def curl(url: str, key: str, words: str) -> str:
    """A request to paste."""
    return (
        f"curl -i {url}/v1/chat/completions \\\n"
        f"  -H 'authorization: Bearer {key}' -H 'content-type: application/json' \\\n"
        f"  -H 'session-id: {SESSION}' \\\n"
        f"  -d '{json.dumps(chat(words))}'"
    )
