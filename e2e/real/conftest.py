"""A Signalbox with two real models behind the route `qwen3`, for as long as the tests run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from openai import OpenAI

import models
from signalbox import Signalbox

SMALL, LARGE = "qwen3-0.6b", "qwen3-32b"  # as the reference scenario calls them


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signalbox]:
    signalbox = Signalbox(tmp_path_factory.mktemp("signalbox"))
    with (
        models.served("smollm2", alias=SMALL) as small,
        models.served("gemma3", alias=LARGE) as large,
    ):
        signalbox.start()
        try:
            signalbox.sign_in()
            signalbox.post("/providers", models.provider(SMALL, small))
            signalbox.post("/providers", models.provider(LARGE, large))
            targets = [{"provider": f"local-{alias}", "model": alias} for alias in (SMALL, LARGE)]
            signalbox.post("/routes", {"name": "qwen3", "targets": targets})
            yield signalbox
        finally:
            left_with = signalbox.stop()
    assert left_with == 0, f"it ended with {left_with}:\n{signalbox.log.read_text()}"


@pytest.fixture(scope="session")
def client(gateway: Signalbox) -> Iterator[OpenAI]:
    key = gateway.create_key("inference")
    # No retries: what fails once has failed.
    with OpenAI(base_url=f"{gateway.url}/v1", api_key=key, max_retries=0, timeout=120) as openai:
        yield openai


@pytest.fixture(scope="session")
def targets(gateway: Signalbox) -> set[str]:
    """The route's targets, as `x-signalbox-target` names them."""
    (route,) = gateway.get("/routes")["items"]
    return {f"{target['provider']}/{target['model']}" for target in route["targets"]}
