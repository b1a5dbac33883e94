"""Anthropic's own SDK, before a provider of Anthropic's kind and one that speaks both dialects."""

from __future__ import annotations

import pytest
from anthropic import Anthropic, NotFoundError, Omit

from upstream import Record

ROUTE = "assistant"
GREETING = [{"role": "user", "content": "Grüße 👋"}]


@pytest.mark.parametrize("turn", [1, 2])  # one for each provider
def test_messages(anthropic: Anthropic, record: Record, turn: int) -> None:
    message = anthropic.messages.create(model=ROUTE, max_tokens=16, messages=GREETING)
    asked = record.one("/v1/messages")
    assert asked.json["messages"] == GREETING
    version = anthropic.default_headers["anthropic-version"]
    assert asked.headers["anthropic-version"] == version
    assert message.content[0].text == asked.answered
    assert message.usage.output_tokens == 5


def test_targets_take_turns(anthropic: Anthropic, record: Record) -> None:
    for _ in range(4):
        anthropic.messages.create(model=ROUTE, max_tokens=16, messages=GREETING)
    turns = [asked.upstream for asked in record.asked]
    assert sorted(turns[:2]) == ["second", "third"]
    assert turns[2:] == turns[:2]


@pytest.mark.parametrize("turn", [1, 2])
def test_messages_stream_as_they_come(anthropic: Anthropic, record: Record, turn: int) -> None:
    streaming = anthropic.messages.stream(model=ROUTE, max_tokens=16, messages=GREETING)
    with record.held() as release, streaming as stream:
        said = [next(stream.text_stream)]
        release()
        said += stream.text_stream
        whole = stream.get_final_message()
    assert len(said) > 1
    assert "".join(said) == whole.content[0].text == record.one("/v1/messages").answered
    assert whole.stop_reason == "end_turn"


def test_beta_messages(anthropic: Anthropic, record: Record) -> None:
    message = anthropic.beta.messages.create(
        model=ROUTE,
        max_tokens=16,
        messages=GREETING,
        betas=["context-1m-2025-08-07"],
        extra_query={"beta": "true"},  # as older versions and Claude Code do
    )
    asked = record.one("/v1/messages")
    assert asked.query == "beta=true"
    assert asked.headers["anthropic-beta"] == "context-1m-2025-08-07"
    assert message.content[0].text == asked.answered


def test_the_key_may_come_as_older_versions_send_it(
    anthropic: Anthropic, record: Record, key: str
) -> None:
    older = {"Authorization": Omit(), "X-Api-Key": key}
    anthropic.messages.create(model=ROUTE, max_tokens=16, messages=GREETING, extra_headers=older)
    assert record.one("/v1/messages")


def test_tokens_are_counted(anthropic: Anthropic, record: Record) -> None:
    counted = anthropic.messages.count_tokens(model=ROUTE, messages=GREETING)
    assert counted.input_tokens == 7
    assert record.one("/v1/messages/count_tokens").json["messages"] == GREETING


def test_routes_are_models(anthropic: Anthropic, record: Record) -> None:
    listed = {model.id: model for model in anthropic.models.list()}
    assert listed[ROUTE].type == "model"
    assert anthropic.models.retrieve(ROUTE).id == ROUTE
    with pytest.raises(NotFoundError):
        anthropic.models.retrieve("no-such-route")
    assert record.asked == []
