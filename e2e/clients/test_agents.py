"""Coding agents through Signalbox: they work, and a session stays on one target.

The routes are made as the editor's presets make them, over four instances.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents import Agent, ClaudeCode, Codex, Opencode
from signalbox import Signalbox
from terminal import Nowhere, Terminal
from upstream import Asked, Record, Upstream, register, target, words_of

EDITOR = Path(__file__).parents[2] / "app/src/pages/route_editor/policy/affinity.rs"
# The header in which each sends its session, as the editor has it.
PRESETS = dict(re.findall(r'\("([\w ]+)", "([\w-]+)"\)', EDITOR.read_text()))

pytestmark = pytest.mark.parametrize("agent", [Codex, ClaudeCode, Opencode], indirect=True)


@pytest.fixture(scope="module")
def instances(signalbox: Signalbox, everything: Record) -> list[Upstream]:
    winds = ("north", "east", "south", "west")
    made = [Upstream(name, "model-e", everything, provider="compass") for name in winds]
    register(signalbox, *made)
    return made


@pytest.fixture(scope="module")
def agent(
    request: pytest.FixtureRequest,
    signalbox: Signalbox,
    instances: list[Upstream],
    key: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Agent]:
    kind: type[Agent] = request.param
    name = f"for-{kind.__name__}"
    policy = {"session_affinity": {}}
    route = {"name": name, "targets": [target(instances[0])], "policy": policy}
    route = signalbox.post("/routes", route)
    # As the preset does it: its header goes before the usual keys.
    preset = {"header": PRESETS[kind.name]}
    keys = route["policy"]["session_affinity"]["keys"]
    route["policy"]["session_affinity"]["keys"] = [preset, *(k for k in keys if k != preset)]
    signalbox.put(f"/routes/{route['id']}", route)
    with Nowhere() as proxy:
        yield kind(Terminal(tmp_path_factory.mktemp(name), proxy), signalbox.url, key, name)


def owner(box: Signalbox, agent: Agent, session: str) -> str:
    """Which instance a session belongs to, as Signalbox explains it."""
    (route,) = [route for route in box.get("/routes")["items"] if route["name"] == agent.route]
    request = {"headers": {PRESETS[agent.name]: session}, "body": {}}
    return box.post(f"/routes/{route['id']}/explain", request)["ranking"][0]["instance"]


def session_of(agent: Agent, asked: list[Asked]) -> str:
    """What all of these requests say that they belong to."""
    (session,) = {request.headers[PRESETS[agent.name]] for request in asked}
    return session


def test_a_session_stays_where_it_is(
    agent: Agent, signalbox: Signalbox, instances: list[Upstream], record: Record
) -> None:
    said = [
        agent.ask("Remember the word semaphore."),
        agent.go_on("Which word was it?"),
        agent.go_on("And once more?"),
    ]
    (stayed,) = {request.upstream for request in record.asked}
    assert all(words_of(stayed) in text for text in said)
    assert b"semaphore" in record.asked[-1].body
    session = session_of(agent, record.asked)
    urls = {instance.name: instance.url for instance in instances}
    assert owner(signalbox, agent, session) == urls[stayed]

    record.clear()
    agent.ask("Let us begin anew.")
    another = session_of(agent, record.asked)
    assert another != session
    assert {urls[request.upstream] for request in record.asked} == {
        owner(signalbox, agent, another)
    }


def test_sessions_spread(agent: Agent, signalbox: Signalbox) -> None:
    sessions = [str(uuid.uuid4()) for _ in range(32)]
    # All of them at one of four by chance: once in 4^31 times.
    assert len({owner(signalbox, agent, session) for session in sessions}) > 1
