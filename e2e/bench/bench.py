"""One run: who takes part, how often and how long, and in which folder."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .contenders import Absent, Contender
from .contenders.base import Upstream
from .upstream import StaticUpstream


@dataclass
class Bench:
    folder: Path
    contenders: list[Contender]
    is_quick: bool
    # Who does not take part, and why.
    absent: dict[str, str] = field(default_factory=dict)
    _folders: Iterator[int] = field(default_factory=itertools.count)

    def rounds(self, full: int) -> range:
        return range(1 if self.is_quick else full)

    def seconds(self, full: float) -> float:
        return 1 if self.is_quick else full

    def new_folder(self, name: str) -> Path:
        return self.folder / f"{next(self._folders)}-{name}"

    def fast(self) -> list[Contender]:
        return [contender for contender in self.contenders if not contender.is_slow]

    @contextlib.contextmanager
    def static_upstream(self, answer_size: int = 260) -> Iterator[StaticUpstream]:
        upstream = StaticUpstream(self.new_folder("upstream"), answer_size)
        upstream.start()
        try:
            yield upstream
        finally:
            upstream.stop()

    @contextlib.contextmanager
    def running(
        self, upstream: Upstream, contenders: list[Contender] | None = None
    ) -> Iterator[list[Contender]]:
        """All of them in front of one upstream, less those that do not start."""
        with contextlib.ExitStack() as stack:
            started = []
            for contender in contenders if contenders is not None else self.contenders:
                stack.callback(contender.stop)
                try:
                    contender.start(self.new_folder(contender.name), upstream)
                    started.append(contender)
                except Absent as why:
                    self.drop(contender, why)
            yield started

    def drop(self, contender: Contender, why: Absent) -> None:
        say(f"{contender.name} does not take part: {why}")
        self.absent[contender.name] = str(why)
        contender.stop()
        if contender in self.contenders:
            self.contenders.remove(contender)


def say(text: str) -> None:
    print(text, flush=True)
