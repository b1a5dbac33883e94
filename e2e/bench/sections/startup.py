"""From being started to the first answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..bench import Bench, say
from ..contenders import Absent
from ..tables import Table, spread


def measure(bench: Bench) -> dict[str, Any]:
    taken: dict[str, list[float]] = {}
    with bench.static_upstream() as upstream:
        for number in bench.rounds(5):
            say(f"start-up, round {number + 1}")
            for one in list(bench.contenders):
                if one.name == "direct" or (one.is_slow and number > 0):
                    continue
                try:
                    one.start(bench.new_folder(one.name), upstream)
                    taken.setdefault(one.name, []).append(one.started_s * 1e3)
                    one.stop()
                except Absent as why:
                    bench.drop(one, why)
    return {"started_ms": taken}


def tables(result: dict[str, Any]) -> Iterator[Table]:
    table = Table("Start to first answer", ["", "ms"])
    table.rows = [[name, spread(taken, 0)] for name, taken in result["started_ms"].items()]
    yield table
