"""Small requests at 1, 16 and 128 connections: cost, speed, added time, memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from .. import chat, wrk
from ..bench import Bench, say
from ..contenders import Contender
from ..measure import Collected, load
from ..processes import memory_kib, on_one_core
from ..tables import NONE, Table, less, ratio, spread

SECONDS = {1: 2, 16: 3, 128: 2}


def measure(bench: Bench) -> dict[str, Any]:
    at = {connections: Collected() for connections in SECONDS}
    one_core = Collected()
    memory: dict[str, dict[str, int]] = {}
    with bench.static_upstream() as upstream, bench.running(upstream) as contenders:
        asked = {
            one.name: chat.in_sessions(one.port, one.key, chat.chat_body()) for one in contenders
        }
        time.sleep(1)
        for one in contenders:
            memory[one.name] = {"idle_kib": memory_kib(one.pid)}
        for one in contenders:
            wrk.run(one.port, asked[one.name], 16, 1)
        for number in bench.rounds(4):
            say(f"requests, round {number + 1}")
            for connections, seconds in SECONDS.items():
                for one, time_s in _turns(bench, contenders, number, seconds):
                    figures = load(one, asked[one.name], connections, time_s)
                    at[connections].add(one.name, figures)
                    loaded = max(memory[one.name].get("loaded_kib", 0), memory_kib(one.pid))
                    memory[one.name]["loaded_kib"] = loaded
            for one, time_s in _turns(bench, contenders, number, SECONDS[1]):
                with on_one_core(one.pid, upstream.pid):
                    one_core.add(one.name, load(one, asked[one.name], 1, time_s))
    return {
        "connections": {str(number): collected.as_json() for number, collected in at.items()},
        "one_core": one_core.as_json(),
        "memory": memory,
    }


def _turns(
    bench: Bench, contenders: Sequence[Contender], number: int, seconds: float
) -> Iterator[tuple[Contender, float]]:
    """Who takes part in a round, and for how many seconds."""
    for one in contenders:
        if not one.is_slow:
            yield one, bench.seconds(seconds)
        elif number <= 1:
            # The slow have seconds between two answers when all connections ask.
            yield one, 4


def tables(result: dict[str, Any]) -> Iterator[Table]:
    at = result["connections"]
    sixteen = at["16"]["samples"]
    nginx = sixteen.get("nginx", {}).get("cpu_us", [])

    cost = Table("CPU a request, 16 connections", ["", "µs", "nginx = 1"])
    for name, figures in sixteen.items():
        why = at["16"]["void"].get(name)
        shown = f"void: {why}" if why else spread(figures["cpu_us"])
        cost.rows.append([name, shown, NONE if why else ratio(figures["cpu_us"], nginx)])
    yield cost

    speed = Table("Requests a second", ["", *(f"{number} at a time" for number in at)])
    for name in sixteen:
        cells = [
            "void" if name in one["void"] else spread(one["samples"][name]["per_second"], 0)
            for one in at.values()
        ]
        speed.rows.append([name, *cells])
    yield speed

    yield _added("Time added to direct, one connection, on one core", result["one_core"])
    yield _added("Time added to direct, one connection, on all cores", at["1"])

    memory = Table("Resident memory, MiB", ["", "idle", "loaded"])
    for name, kib in result["memory"].items():
        loaded = kib.get("loaded_kib", 0)
        memory.rows.append([name, f"{kib['idle_kib'] / 1024:.1f}", f"{loaded / 1024:.1f}"])
    yield memory


def _added(title: str, collected: dict[str, Any]) -> Table:
    samples, void = collected["samples"], collected["void"]
    added = Table(title, ["", "p50 µs", "nginx = 1", "p99 µs"])
    direct = samples["direct"]
    plain = less(samples["nginx"]["p50_us"], direct["p50_us"]) if "nginx" in samples else []
    for name, figures in samples.items():
        if name == "direct":
            continue
        if name in void:
            added.rows.append([name, f"void: {void[name]}", NONE, NONE])
            continue
        p50 = less(figures["p50_us"], direct["p50_us"])
        p99 = less(figures["p99_us"], direct["p99_us"])
        added.rows.append([name, spread(p50, 0), ratio(p50, plain), spread(p99, 0)])
    added.notes = [
        f"Direct: p50 {spread(direct['p50_us'], 0)} µs, p99 {spread(direct['p99_us'], 0)} µs."
    ]
    return added
