"""Real models behind a route, asked by the client that applications use."""

from __future__ import annotations

import itertools
import json
import time
import urllib.request

import openai
import pytest
from openai import OpenAI

from signalbox import Signalbox

# As small as they are, both know this one.
CAPITAL = [{"role": "user", "content": "Paris is the capital of which country?"}]
STORY = [{"role": "user", "content": "Tell me a long story about a railway."}]
# llama.cpp's own fields: it talks until `max_tokens`, whatever it has to say.
TALKATIVE = {"ignore_eos": True, "stop": ["\u0000"]}


def ask(client: OpenAI) -> tuple[str, openai.types.chat.ChatCompletion]:
    """One short question; also says which target answered."""
    raw = client.chat.completions.with_raw_response.create(
        model="qwen3", messages=CAPITAL, max_tokens=24, temperature=0
    )
    assert raw.headers["x-signalbox-request-id"]
    assert raw.headers["x-signalbox-attempts"] == "1"
    return raw.headers["x-signalbox-target"], raw.parse()


def test_both_models_answer_and_take_turns(client: OpenAI, targets: set[str]) -> None:
    answers = [ask(client) for _ in range(6)]

    turns = [target for target, _ in answers]
    assert set(turns) == targets
    assert all(before != after for before, after in itertools.pairwise(turns)), turns

    for target, completion in answers:
        choice = completion.choices[0]
        assert "France" in (choice.message.content or ""), (target, choice)
        assert choice.finish_reason in ("stop", "length")
        # Upstream's own name for the model: the answer passes as it came.
        assert target.endswith("/" + completion.model)
        assert completion.usage is not None
        assert completion.usage.completion_tokens > 0


@pytest.mark.parametrize("turn", [1, 2])
def test_a_stream_arrives_piece_by_piece(client: OpenAI, turn: int) -> None:
    pieces: list[str] = []
    arrived: list[float] = []
    finished = None
    usage = None
    with client.chat.completions.create(
        model="qwen3",
        messages=STORY,
        max_tokens=32,
        extra_body=TALKATIVE,
        stream=True,
        stream_options={"include_usage": True},
    ) as stream:
        for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                finished = choice.finish_reason or finished
                if choice.delta.content:
                    pieces.append(choice.delta.content)
                    arrived.append(time.monotonic())

    assert finished == "length"
    assert usage is not None
    assert usage.completion_tokens == 32
    assert len(pieces) > 16, pieces
    # A gateway that gathers the answer first hands it all over within a millisecond; a model takes
    # tens of them for each token.
    assert arrived[-1] - arrived[0] > 0.1
    halfway = arrived[0] + (arrived[-1] - arrived[0]) / 2
    assert 2 < sum(moment < halfway for moment in arrived) < len(arrived) - 2, arrived


def test_the_route_is_listed_as_a_model(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["qwen3"]
    assert client.models.retrieve("qwen3").id == "qwen3"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("qwen4")


@pytest.mark.parametrize("wrong", ["sb_00000000_" + "0" * 32, "sk-somebody-elses"])
def test_a_wrong_key_is_refused(client: OpenAI, wrong: str) -> None:
    with pytest.raises(openai.AuthenticationError) as refused:
        client.with_options(api_key=wrong).chat.completions.create(model="qwen3", messages=CAPITAL)
    assert wrong not in str(refused.value)


def test_an_unknown_model_is_not_found(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="qwen4"):
        client.chat.completions.create(model="qwen4", messages=CAPITAL)


def test_a_client_that_leaves_ends_the_request_upstream(
    client: OpenAI, gateway: Signalbox, targets: set[str]
) -> None:
    for _ in range(4):
        with client.chat.completions.create(
            model="qwen3",
            messages=STORY,
            max_tokens=1000,  # half a minute, which nothing but we cuts short
            extra_body=TALKATIVE,
            stream=True,
        ) as stream:
            next(iter(stream))
        deadline = time.monotonic() + 5
        while busy_slots(gateway):
            assert time.monotonic() < deadline, "a model still talks to a client that has left"
            time.sleep(0.02)

    assert {ask(client)[0] for _ in range(2)} == targets


def busy_slots(gateway: Signalbox) -> list[object]:
    """What the models' servers are working on, as they say themselves."""
    busy = []
    for provider in gateway.get("/providers")["items"]:
        slots = provider["instances"][0]["url"].removesuffix("/v1") + "/slots"
        with urllib.request.urlopen(slots, timeout=30) as answer:
            busy += [slot for slot in json.load(answer) if slot["is_processing"]]
    return busy
