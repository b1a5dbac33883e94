"""A coding agent on real models, as small as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tutorial
from agents import ClaudeCode
from signalbox import Signalbox
from terminal import Nowhere, Terminal


@pytest.fixture(params=[tutorial.SMALL, tutorial.LARGE])
def route(request: pytest.FixtureRequest, gateway: Signalbox) -> Iterator[str]:
    """To one of the models alone."""
    target = {"provider": f"local-{request.param}", "model": request.param}
    made = gateway.post("/routes", {"name": f"only-{request.param}", "targets": [target]})
    yield made["name"]
    gateway.call("DELETE", f"/api/v1/routes/{made['id']}")


def test_it_asks_and_a_model_answers(gateway: Signalbox, route: str, tmp_path: Path) -> None:
    with Nowhere() as proxy:
        key = gateway.create_key("inference")
        agent = ClaudeCode(Terminal(tmp_path, proxy), gateway.url, key, route)
        # Without its own instructions and tools, some 12,000 tokens, as these models have room for
        # 2,000. Of those of Codex and opencode too much is left in any case.
        agent.flags = ("--bare", "--tools=", "--system-prompt", "Answer the question.")
        agent.terminal.environment["CLAUDE_CODE_EXTRA_BODY"] = '{"temperature": 0}'
        assert "France" in agent.ask("Paris is the capital of which country?")
