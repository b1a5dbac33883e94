"""Whoever refuses, gateway or provider: each SDK raises the exception that it has for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import anthropic
import httpx2
import openai
import pytest

import answers
from signalbox import Signalbox, free_port
from upstream import Record, Upstream, register, stream, target, whole, words_of

GREETING = [{"role": "user", "content": "Hello"}]
TOO_LONG = [{"role": "user", "content": "more " * (33 * 1024 * 1024 // 5)}]


class Sdk:
    """One of the two, whose exceptions have the same names."""

    def __init__(self, module: ModuleType, url: str, key: str) -> None:
        self.module = module
        if module is openai:
            self.client = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
        else:
            self.client = anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)

    def ask(self, model: str, key: str | None = None, **more: Any) -> Any:
        asked = {"model": model, "messages": GREETING, "max_tokens": 16, "timeout": 60} | more
        client = self.client.with_options(api_key=key) if key else self.client
        chat = client.chat.completions if self.module is openai else client.messages
        return chat.create(**asked)

    @contextmanager
    def refused(self, name: str, status: int, kind: str) -> Iterator[pytest.ExceptionInfo]:
        """Expects the exception of that name, and the error's type in Anthropic's dialect."""
        with pytest.raises(getattr(self.module, name)) as refused:
            yield refused
        assert refused.value.status_code == status
        body = refused.value.response.json()
        assert body["error"]["message"]
        if self.module is anthropic:
            assert (body["type"], body["error"]["type"]) == ("error", kind)


@pytest.fixture(scope="module", params=[openai, anthropic], ids=lambda module: module.__name__)
def sdk(request: pytest.FixtureRequest, signalbox: Signalbox, key: str) -> Iterator[Sdk]:
    made = Sdk(request.param, signalbox.url, key)
    with made.client:
        yield made


@pytest.fixture(scope="module")
def only_target(signalbox: Signalbox, everything: Record) -> Upstream:
    """Of the route `troubled`; it takes one request at a time."""
    upstream = Upstream("troubled", "model-d", everything)
    register(signalbox, upstream, max_inflight=1)
    signalbox.post("/routes", {"name": "troubled", "targets": [target(upstream)]})
    return upstream


@pytest.fixture
def troubled(only_target: Upstream) -> Iterator[Upstream]:
    yield only_target
    only_target.trouble = None


@pytest.mark.parametrize("wrong", ["sb_00000000_" + "0" * 32, "sk-somebody-elses"])
def test_a_wrong_key(sdk: Sdk, wrong: str) -> None:
    with sdk.refused("AuthenticationError", 401, "authentication_error") as refused:
        sdk.ask("everyday", key=wrong)
    assert wrong not in str(refused.value)


def test_a_key_for_other_routes(sdk: Sdk, signalbox: Signalbox) -> None:
    limited = {"name": "limited", "scopes": ["inference"], "routes": ["assistant"]}
    key = signalbox.post("/keys", limited)["key"]
    sdk.ask("assistant", key=key)
    with sdk.refused("PermissionDeniedError", 403, "permission_error"):
        sdk.ask("everyday", key=key)


def test_an_unknown_route(sdk: Sdk) -> None:
    with sdk.refused("NotFoundError", 404, "not_found_error") as refused:
        sdk.ask("no-such-route")
    assert "no-such-route" in str(refused.value)


def test_a_model_that_is_no_name(sdk: Sdk) -> None:
    with sdk.refused("BadRequestError", 400, "invalid_request_error"):
        sdk.ask("everyday", extra_body={"model": 7})


def test_a_body_that_is_too_large(sdk: Sdk, record: Record) -> None:
    with sdk.refused("APIStatusError", 413, "request_too_large"):
        sdk.ask("everyday", messages=TOO_LONG)
    assert record.asked == []


def test_a_provider_that_is_full(sdk: Sdk, troubled: Upstream, record: Record) -> None:
    with record.held() as release:
        stream = sdk.ask("troubled", stream=True)
        next(iter(stream))
        with sdk.refused("RateLimitError", 429, "rate_limit_error") as refused:
            sdk.ask("troubled")
        release()
        list(stream)
    assert int(refused.value.response.headers["retry-after"]) > 0
    assert len(record.asked) == 1


def test_a_provider_that_is_away(sdk: Sdk, signalbox: Signalbox) -> None:
    name = f"away-from-{sdk.module.__name__}"
    url = f"http://127.0.0.1:{free_port()}/v1"
    signalbox.post(
        "/providers",
        {"name": name, "kind": "openai", "instances": [{"url": url}], "models": [{"name": "m"}]},
    )
    signalbox.post("/routes", {"name": name, "targets": [{"provider": name, "model": "m"}]})
    with sdk.refused("InternalServerError", 502, "api_error"):
        sdk.ask(name)


@pytest.mark.parametrize(
    ("status", "name", "kind"),
    [
        (400, "BadRequestError", "invalid_request_error"),
        (401, "AuthenticationError", "authentication_error"),
        (403, "PermissionDeniedError", "permission_error"),
        (404, "NotFoundError", "not_found_error"),
        (409, "ConflictError", "invalid_request_error"),
        (413, "APIStatusError", "request_too_large"),
        (422, "UnprocessableEntityError", "invalid_request_error"),
        (429, "RateLimitError", "rate_limit_error"),
        (500, "InternalServerError", "api_error"),
        (503, "InternalServerError", "overloaded_error"),
        (529, "InternalServerError", "overloaded_error"),
    ],
)
def test_a_providers_own_refusal(
    sdk: Sdk, troubled: Upstream, status: int, name: str, kind: str
) -> None:
    shape = answers.openai_error if sdk.module is openai else answers.anthropic_error
    troubled.trouble = whole(shape(kind, "In the provider's own words."), status)
    troubled.trouble.headers["retry-after"] = "7"
    with sdk.refused(name, status, kind) as refused:
        sdk.ask("troubled")
    assert "In the provider's own words." in str(refused.value)
    assert refused.value.response.headers["retry-after"] == "7"


def test_a_stream_that_breaks_has_no_ending(sdk: Sdk, troubled: Upstream) -> None:
    events = answers.chat_events if sdk.module is openai else answers.message_events
    asked = {"model": troubled.model, "messages": GREETING}
    troubled.trouble = stream(events(asked, "More is never said than this."))
    troubled.trouble.breaks = True
    answered = iter(sdk.ask("troubled", stream=True))
    next(answered)
    with pytest.raises((openai.APIConnectionError, httpx2.RemoteProtocolError)):
        list(answered)


def test_a_file_goes_on_to_who_can_take_it(
    signalbox: Signalbox, key: str, record: Record, upstreams: dict[str, Upstream]
) -> None:
    """Of two targets one is overloaded; whoever's turn it is, the other answers."""
    busy = upstreams["first"]
    busy.trouble = whole(answers.openai_error("overloaded", "Later."), 503)
    client = openai.OpenAI(base_url=f"{signalbox.url}/v1", api_key=key, max_retries=0)
    try:
        with client:
            transcribe = client.audio.transcriptions.with_raw_response.create
            file = ("speech.mp3", answers.AUDIO * 200, "audio/mpeg")
            answered = [transcribe(model="everyday", file=file) for _ in range(2)]
    finally:
        busy.trouble = None
    assert {raw.parse().text for raw in answered} == {words_of("second")}
    assert sorted(raw.headers["x-signalbox-attempts"] for raw in answered) == ["1", "2"]
    assert sorted(asked.upstream for asked in record.asked) == ["first", "second", "second"]
    is_the_same = all(asked.form["file"].content == file[1] for asked in record.asked)
    assert is_the_same
