"""The demonstration's decision service: Jev's interface, and judgements to rely on."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

import decision_server
import jev
import tutorial

KEY = "a-key-of-the-tests"
TURN = {"role": "user", "content": " Write it. "}
PARTS = {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url"}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "content": "42"}]}
ANSWER = {"role": "assistant", "content": "Hello!"}

# Other words than the tutorial's, so that its criteria are not made for two sentences only.
SHORT = [
    "Hello!",
    "Say good morning.",
    "Thanks, have a nice day!",
    "Wish my colleague a happy birthday.",
    "こんにちは",
    "一行のグリーティングカードを書いてください。",
]
HARD = [
    "Write a Rust function that parses JSON and explain its complexity.",
    "Show that the square root of two is irrational.",
    "Implement a binary search tree in C++ with deletion.",
    "Prove by induction that the sum of the first n odd numbers is n squared.",
    "二分探索をPythonで実装してください。",
    "素数が無限にあることを証明し、その証明の概略を Python で実装してください。",
]


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with decision_server.served(key=KEY) as url:
        yield url


def call(url: str, key: str | None = KEY, body: Any = None) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None)
    if key:
        request.add_header("authorization", f"Bearer {key}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.load(answer)


def decide(service: str, language: str, words: str) -> dict[str, Any]:
    """As a route asks, about a conversation that has gone on for a while."""
    turns = [{"role": "user", "content": "Something else."}, ANSWER]
    state = {"system": "Be brief.", "messages": [*turns, {"role": "user", "content": words}]}
    question = {"type": "choice", **tutorial.TEXTS[language]}
    body = {"state": json.dumps(state), "model": "jev-latest", "questions": {"it": question}}
    return call(f"{service}/v1/systemone", body=body)["answers"]["it"]


def test_it_conforms_to_jevs_specification(service: str) -> None:
    command = [sys.executable, "-m", "jevcompat.cli", "test", service, "--key", KEY]
    tried = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_it_lists_its_model_to_those_who_have_the_key(service: str) -> None:
    models = call(f"{service}/v1/models")["models"]
    assert [model["name"] for model in models] == ["jev-latest"]
    for key in (None, "another"):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            call(f"{service}/v1/models", key)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_tutorials_requests_are_clear_cases(service: str, language: str) -> None:
    for words, model in (
        (tutorial.GREETING, tutorial.SMALL),
        (tutorial.PROOF, tutorial.LARGE),
    ):
        answer = decide(service, language, words)
        share = answer["probabilities"][model]
        assert share >= 0.75
        assert answer["choice"] == model
        # Of two options.
        assert answer["confidence"] == pytest.approx(2 * share - 1)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_requests_like_them_go_the_same_way(service: str, language: str) -> None:
    chosen = {words: decide(service, language, words)["choice"] for words in SHORT + HARD}
    assert chosen == dict.fromkeys(SHORT, tutorial.SMALL) | dict.fromkeys(HARD, tutorial.LARGE)


@pytest.mark.parametrize(
    ("state", "subject"),
    [
        ("plain words", "plain words"),
        (json.dumps({"messages": [ANSWER, TURN]}), "Write it."),
        (json.dumps({"messages": [TURN, ANSWER]}), "Write it."),
        (json.dumps({"messages": [TURN, PARTS, ANSWER, RESULT]}), "Look:"),
        ({"messages": [TURN]}, "Write it."),
        ({"body": "charged twice"}, '{"body": "charged twice"}'),
        (["charged", "twice"], '["charged", "twice"]'),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_it_looks_at_the_newest_user_turn(state: Any, subject: str) -> None:
    assert jev.subject_of(state) == subject


def test_a_long_turn_keeps_its_start_and_its_end() -> None:
    words = "Start " + "and on " * 10_000 + "end"
    short = jev.shortened(words)
    assert len(short) < 2100
    assert short.startswith("Start ")
    assert short.endswith(" end")


def test_confidence_is_jevs() -> None:
    assert jev.choice_confidence([1.0]) == 1
    assert jev.choice_confidence([0.25] * 4) == 0
    assert jev.choice_confidence([0.1, 0.9]) == pytest.approx(0.8)
    assert jev.score_confidence([0.0, 1.0, 0.0]) == 1
    assert jev.score_confidence([1 / 3] * 3) == pytest.approx(0)
