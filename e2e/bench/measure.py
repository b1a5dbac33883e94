"""One load on one contender: what came of it and what it cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from . import wrk
from .contenders import Contender
from .processes import cpu_seconds, settled_cpu_seconds

# name of the figure -> its samples, one a round
Samples = dict[str, list[float]]
# Beyond it Signalbox did less than it claims, and its figure is void.
MOST_DROPPED = 0.01


class Void(Exception):
    """A figure that means nothing, and why."""


def load(
    contender: Contender, requests: Sequence[bytes], connections: int, seconds: float
) -> dict[str, float]:
    """Figures of one run of wrk. The cost includes what is done after the last answer."""
    dropped = contender.records_dropped()
    began = cpu_seconds(contender.pid)
    outcome = wrk.run(contender.port, requests, connections, seconds)
    cost = settled_cpu_seconds(contender.pid) - began
    dropped = contender.records_dropped() - dropped
    return {
        "requests": outcome.requests,
        "failed": outcome.failed,
        "dropped": dropped,
        "per_second": outcome.per_second,
        "p50_us": outcome.p50_us,
        "p99_us": outcome.p99_us,
        "bytes": outcome.bytes / max(1, outcome.requests),
        "cpu_us": cost * 1e6 / max(1, outcome.requests),
    }


def why_void(figures: dict[str, float], least_bytes: int = 0) -> str | None:
    if not figures["requests"]:
        return "no request was answered"
    if figures["failed"]:
        return f"{figures['failed']:.0f} of {figures['requests']:.0f} requests failed"
    if figures["dropped"] > MOST_DROPPED * figures["requests"]:
        return f"{figures['dropped'] / figures['requests']:.0%} of the records were dropped"
    if figures["bytes"] < least_bytes:
        return f"answers had {figures['bytes']:.0f} bytes instead of {least_bytes}"
    return None


class Collected:
    """Samples of several rounds, and the reasons why some are missing."""

    def __init__(self) -> None:
        self.samples: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
        self.void: dict[str, str] = {}

    def add(self, name: str, figures: dict[str, float], least_bytes: int = 0) -> None:
        for figure, value in figures.items():
            self.samples[name][figure].append(value)
        if why := why_void(figures, least_bytes):
            self.void[name] = why

    def as_json(self) -> dict[str, object]:
        return {"samples": self.samples, "void": self.void}
