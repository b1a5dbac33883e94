"""Tables of medians: the same lines for the terminal and for docs/performance.md."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

NONE = "-"


@dataclass
class Table:
    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[n]) for line in lines) for n in range(len(self.columns))]
        ruled = [self._line(self.columns, widths), self._rule(widths)]
        ruled += [self._line(row, widths) for row in self.rows]
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join([f"**{self.title}**", "", *ruled, *notes])

    @staticmethod
    def _line(cells: list[str], widths: list[int]) -> str:
        first, *others = (
            cell.rjust(width) if n else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "| " + " | ".join([first, *others]) + " |"

    @staticmethod
    def _rule(widths: list[int]) -> str:
        first, *others = widths
        return "| " + " | ".join(["-" * first, *("-" * (w - 1) + ":" for w in others)]) + " |"


def spread(samples: Sequence[float], digits: int = 1) -> str:
    """The median, and the least and the greatest beside it."""
    if not samples:
        return NONE
    median = f"{statistics.median(samples):,.{digits}f}"
    if len(samples) == 1:
        return median
    return f"{median} ({min(samples):,.{digits}f} to {max(samples):,.{digits}f})"


def ratio(samples: Sequence[float], to: Sequence[float]) -> str:
    """How many times as much, by medians."""
    if not samples or not to or not statistics.median(to):
        return NONE
    return f"{statistics.median(samples) / statistics.median(to):.2f}"


def less(samples: Sequence[float], base: Sequence[float]) -> list[float]:
    """What each round added to the base's same round."""
    return [a - b for a, b in zip(samples, base, strict=False)]
