"""Nobody in between: what all others are measured against."""

from __future__ import annotations

from pathlib import Path

from ..upstream import version
from .base import Contender, Upstream


class Direct(Contender):
    name = "direct"
    does = "nothing: the client asks the upstream, whose own cost this is"

    def version(self) -> str:
        return version()

    def start(self, folder: Path, upstream: Upstream) -> None:
        self.port, self._pid = upstream.ports[0], upstream.pid

    @property
    def pid(self) -> int:
        return self._pid
