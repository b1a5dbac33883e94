"""What a request costs Signalbox when there are many routes, keys and candidates."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from signalbox import Signalbox

from .. import chat
from ..bench import Bench, say
from ..contenders import SignalboxContender
from ..contenders.signalbox import add_provider, add_route
from ..measure import Collected, load
from ..processes import memory_kib
from ..tables import Table, ratio, spread

ROUTES = [1, 10, 100, 1_000, 10_000]
CANDIDATES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
# Of one provider. Beyond it candidates are more models on the same instances.
MOST_INSTANCES = 256
# How many routes and keys the requests go round among.
ASKED_FOR = 64
# Growing ends after so long: every save compiles all settings anew, so it may become slow.
PATIENCE_S = 240


def measure(bench: Bench) -> dict[str, Any]:
    few, many = SignalboxContender(), SignalboxContender()
    with bench.static_upstream() as upstream, bench.running(upstream, [few, many]) as both:
        if len(both) < 2:
            return {}
        routes = _routes(bench, few, many)
    with bench.static_upstream() as upstream, bench.running(upstream, [few]):
        return {"routes": routes, "candidates": _candidates(bench, few, upstream.ports)}


def _routes(bench: Bench, few: SignalboxContender, many: SignalboxContender) -> dict[str, Any]:
    """One grows, the other stays as it is and is asked in turns with it."""
    result: dict[str, Any] = {}
    box = _signed_in(many)
    pairs = [(chat.ROUTE, many.key)]
    until = time.monotonic() + (20 if bench.is_quick else PATIENCE_S)
    steady = chat.in_sessions(few.port, few.key, chat.chat_body())
    for count in ROUTES[:4] if bench.is_quick else ROUTES:
        say(f"{count} routes and keys")
        save_ms = _grow(box, pairs, count, until)
        asked = _spread_over(pairs, many.port)
        collected = Collected()
        for _ in bench.rounds(3):
            collected.add("one", load(few, steady, 16, bench.seconds(2)))
            collected.add("many", load(many, asked, 16, bench.seconds(2)))
        result[str(len(pairs))] = collected.as_json() | {
            "save_ms": save_ms,
            "memory_kib": memory_kib(many.pid),
        }
        if len(pairs) < count:
            say(f"stopped at {len(pairs)}: a save takes {save_ms:.0f} ms")
            break
    return result


def _signed_in(contender: SignalboxContender) -> Signalbox:
    assert contender.box is not None
    contender.box.sign_in()
    return contender.box


def _grow(box: Signalbox, pairs: list[tuple[str, str]], count: int, until: float) -> float:
    """Adds routes and keys up to the count; how long the last save of a route took."""
    taken = 0.0
    while len(pairs) < count and time.monotonic() < until:
        name = f"bench-{len(pairs)}"
        began = time.monotonic()
        add_route(box, name, "local")
        taken = time.monotonic() - began
        pairs.append((name, box.create_key("inference")))
    return taken * 1e3


def _spread_over(pairs: list[tuple[str, str]], port: int) -> list[bytes]:
    step = max(1, len(pairs) // ASKED_FOR)
    # As many requests and sessions as the one route is asked in, however few routes there are.
    chosen = [pairs[(n * step) % len(pairs)] for n in range(ASKED_FOR)]
    return [
        chat.chat_request(port, key, chat.chat_body(200, route), f"session-{n}")
        for n, (route, key) in enumerate(chosen)
    ]


def _candidates(bench: Bench, one: SignalboxContender, ports: list[int]) -> dict[str, Any]:
    box = _signed_in(one)
    collected = Collected()
    asked = {}
    for count in CANDIDATES:
        # The same upstreams under many addresses: instances are told apart by their URLs.
        instances = min(count, MOST_INSTANCES)
        urls = [f"http://127.0.0.1:{ports[n % len(ports)]}/i{n}/v1" for n in range(instances)]
        models = [f"m{n}" for n in range(count // instances)]
        add_provider(box, f"of-{count}", urls, models)
        add_route(box, f"of-{count}", f"of-{count}", models)
        body = chat.chat_body(200, f"of-{count}")
        asked[str(count)] = chat.in_sessions(one.port, one.key, body)
    for number in bench.rounds(3):
        say(f"candidates, round {number + 1}")
        for count, requests in asked.items():
            collected.add(count, load(one, requests, 16, bench.seconds(2)))
    return collected.as_json()


def tables(result: dict[str, Any]) -> Iterator[Table]:
    columns = ["routes and keys", "CPU µs", "beside one route", "ratio", "ms a save", "MiB"]
    table = Table("Cost against routes and keys, 16 connections", columns)
    for count, figures in result["routes"].items():
        many, one = (figures["samples"][name]["cpu_us"] for name in ("many", "one"))
        void = figures["void"]
        table.rows.append(
            [
                f"{int(count):,}",
                f"void: {void['many']}" if "many" in void else spread(many),
                f"void: {void['one']}" if "one" in void else spread(one),
                ratio(many, one),
                f"{figures['save_ms']:.0f}",
                f"{figures['memory_kib'] / 1024:.0f}",
            ]
        )
    yield table

    candidates = result["candidates"]
    base = candidates["samples"]["1"]["cpu_us"]
    table = Table("Cost against candidates, 16 connections", ["candidates", "CPU µs", "ratio"])
    for count, figures in candidates["samples"].items():
        why = candidates["void"].get(count)
        cpu = figures["cpu_us"]
        table.rows.append([count, f"void: {why}" if why else spread(cpu), ratio(cpu, base)])
    yield table
