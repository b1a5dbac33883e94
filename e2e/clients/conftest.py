"""A Signalbox, providers that answer as OpenAI and Anthropic do, and these two's own SDKs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anthropic import Anthropic
from openai import OpenAI

from signalbox import Signalbox
from upstream import Record, Upstream, register, target


@pytest.fixture(scope="session")
def everything() -> Iterator[Record]:
    """What upstreams are asked in the course of all tests."""
    record = Record()
    yield record
    for upstream in record.upstreams:
        upstream.stop()


@pytest.fixture
def record(everything: Record) -> Record:
    """… and of one."""
    everything.clear()
    return everything


@pytest.fixture(scope="session")
def upstreams(everything: Record) -> dict[str, Upstream]:
    made = [
        Upstream("first", "model-a", everything),
        Upstream("second", "model-b", everything),
        Upstream("third", "model-c", everything, kind="anthropic"),
    ]
    return {upstream.name: upstream for upstream in made}


@pytest.fixture(scope="session")
def signalbox(
    tmp_path_factory: pytest.TempPathFactory, upstreams: dict[str, Upstream]
) -> Iterator[Signalbox]:
    first, second, third = upstreams.values()
    box = Signalbox(tmp_path_factory.mktemp("signalbox"))
    box.start()
    try:
        box.sign_in()
        for upstream in (first, second, third):
            register(box, upstream)
        box.post("/routes", {"name": "everyday", "targets": [target(first), target(second)]})
        box.post("/routes", {"name": "assistant", "targets": [target(second), target(third)]})
        yield box
    finally:
        left_with = box.stop()
    assert left_with == 0, f"it ended with {left_with}:\n{box.log.read_text()}"


@pytest.fixture(scope="session")
def key(signalbox: Signalbox) -> str:
    return signalbox.create_key("inference")


@pytest.fixture(scope="session")
def openai(signalbox: Signalbox, key: str) -> Iterator[OpenAI]:
    # No retries: what fails once has failed.
    with OpenAI(base_url=f"{signalbox.url}/v1", api_key=key, max_retries=0, timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def anthropic(signalbox: Signalbox, key: str) -> Iterator[Anthropic]:
    with Anthropic(base_url=signalbox.url, api_key=key, max_retries=0, timeout=60) as client:
        yield client
