"""What a request costs Signalbox when there are many routes, keys and candidates."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

from signalbox import Signalbox

from .. import chat, filler
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
    steady = chat.in_sessions(few.port, few.key, chat.chat_body())
    for there, count in itertools.pairwise([0, *ROUTES]):
        say(f"{count} routes and keys")
        _grow(box, pairs, count, there)
        asked = _spread_over(pairs, many.port)
        collected = Collected()
        for _ in bench.rounds(3):
            collected.add("one", load(few, steady, 16, bench.seconds(2)))
            collected.add("many", load(many, asked, 16, bench.seconds(2)))
        result[str(count)] = collected.as_json() | {
            "save_ms": _saves_ms(box),
            "memory_kib": memory_kib(many.pid),
        }
    return result


def _signed_in(contender: SignalboxContender) -> Signalbox:
    assert contender.box is not None
    contender.box.sign_in()
    return contender.box


def _grow(box: Signalbox, pairs: list[tuple[str, str]], count: int, there: int) -> None:
    """Adds routes and keys: by the API as many as are asked for, the rest as filler."""
    while len(pairs) < min(count, ASKED_FOR):
        name = f"bench-{len(pairs)}"
        add_route(box, name, "local")
        pairs.append((name, box.create_key("inference")))
    if count > ASKED_FOR:
        more = count - max(there, len(pairs))
        box.stop()
        filler.add(box.data_dir / "signalbox.db", more, more)
        box.start()


def _saves_ms(box: Signalbox) -> list[float]:
    """How long a save takes, some times; each is taken back."""
    taken = []
    for _ in range(5):
        began = time.monotonic()
        route = add_route(box, "one-more", "local")
        taken.append((time.monotonic() - began) * 1e3)
        box.call("DELETE", f"/api/v1/routes/{route['id']}")
    return taken


def _spread_over(pairs: list[tuple[str, str]], port: int) -> list[bytes]:
    # As many requests and sessions as the one route is asked in, however few routes there are.
    chosen = [pairs[n % len(pairs)] for n in range(ASKED_FOR)]
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
                spread(figures["save_ms"], 0),
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
