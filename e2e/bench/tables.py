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
    # Of words, not of figures, which stand to the right.
    is_text: bool = False

    def __str__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[n]) for line in lines) for n in range(len(self.columns))]
        ruled = [self._line(self.columns, widths), self._rule(widths)]
        ruled += [self._line(row, widths) for row in self.rows]
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join([f"**{self.title}**", "", *ruled, *notes])

    def _line(self, cells: list[str], widths: list[int]) -> str:
        padded = (
            cell.rjust(width) if self._is_figure(n) else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "| " + " | ".join(padded) + " |"

    def _rule(self, widths: list[int]) -> str:
        ruled = (
            "-" * (width - 1) + ":" if self._is_figure(n) else "-" * width
            for n, width in enumerate(widths)
        )
        return "| " + " | ".join(ruled) + " |"

    def _is_figure(self, column: int) -> bool:
        return column > 0 and not self.is_text


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
