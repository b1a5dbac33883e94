"""Requests and answers of 200 B to 2 MB, at 16 connections."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from .. import chat
from ..bench import Bench, say
from ..measure import Collected, load
from ..tables import NONE, Table, ratio, spread

ASKED = {"200 B": 200, "8 KB": 8_000, "80 KB": 80_000, "2 MB": 2_000_000}
ANSWERED = {"8 KB": 8_000, "80 KB": 80_000, "2 MB": 2_000_000}
SMALL_ANSWER = 260


def measure(bench: Bench) -> dict[str, Any]:
    result: dict[str, Any] = {"asked": {}, "answered": {}}
    say("bodies of requests")
    small = dict.fromkeys(ASKED.values(), SMALL_ANSWER)
    for name, collected in _measure(bench, SMALL_ANSWER, small).items():
        result["asked"][_label(ASKED, name)] = collected.as_json()
    for label, size in ANSWERED.items():
        say(f"answers of {label}")
        collected = _measure(bench, size, {200: size})[200]
        result["answered"][label] = collected.as_json()
    return result


def _label(sizes: dict[str, int], size: int) -> str:
    return next(label for label, one in sizes.items() if one == size)


def _measure(bench: Bench, answer: int, asked: dict[int, int]) -> dict[int, Collected]:
    """By size of the request; the values of `asked` are what must come back at least."""
    of = {size: Collected() for size in asked}
    with (
        bench.static_upstream(answer) as upstream,
        bench.running(upstream, bench.fast()) as contenders,
    ):
        rounds = itertools.product(bench.rounds(3), asked.items(), contenders)
        for _, (size, least), one in rounds:
            requests = chat.in_sessions(one.port, one.key, chat.chat_body(size))
            of[size].add(one.name, load(one, requests, 16, bench.seconds(1)), least)
    return of


def tables(result: dict[str, Any]) -> Iterator[Table]:
    for way, title in [("asked", "requests"), ("answered", "answers")]:
        sizes = result[way]
        table = Table(f"CPU µs by size of {title} (and times nginx), 16 connections", ["", *sizes])
        for name in next(iter(sizes.values()))["samples"]:
            table.rows.append([name, *(_cell(one, name) for one in sizes.values())])
        yield table


def _cell(size: dict[str, Any], name: str) -> str:
    if why := size["void"].get(name):
        return f"void: {why}"
    samples = size["samples"]
    if name not in samples:
        return NONE
    cpu = samples[name]["cpu_us"]
    nginx = samples.get("nginx", {}).get("cpu_us", [])
    return f"{spread(cpu, 0)}; {ratio(cpu, nginx)}"
