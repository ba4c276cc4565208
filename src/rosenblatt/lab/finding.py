"""What an experiment gives: a table, a picture, and one sentence that the numbers decide."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosenblatt.canvas import pyplot


@dataclass(frozen=True)
class Finding:
    """The outcome of one experiment.

    Everything but `measured` is the same to the bit in every run; what a clock says stands there, apart.
    """

    claim: str  # what the lectures say
    items: tuple[str, ...]  # of LECTURES.md
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    holds: bool  # do these numbers bear the claim out?
    sentence: str  # what they say, in any case
    draw: Callable[[Any], None] = field(repr=False, compare=False)  # onto axes
    measured: list[tuple[Any, ...]] = field(default_factory=list, compare=False)  # with a clock; a line a row

    @property
    def verdict(self) -> str:
        return ("Holds: " if self.holds else "Refuted: ") + self.sentence

    def to_dict(self) -> dict[str, Any]:
        """What is reproducible, as JSON has it."""
        return {
            "claim": self.claim,
            "items": list(self.items),
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "holds": self.holds,
            "finding": self.sentence,
        }

    def save_plot(self, path: Path) -> None:
        """Draws into a file; the same numbers give the same bytes."""
        plt = pyplot()
        with plt.rc_context({"svg.hashsalt": "rosenblatt", "svg.fonttype": "path"}):
            figure, ax = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
            with contextlib.closing(_Figure(figure)):
                self.draw(ax)
                figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)


class _Figure:
    """A figure that is closed whatever happens."""

    def __init__(self, figure: Any):
        self.figure = figure

    def close(self) -> None:
        pyplot().close(self.figure)


def table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Columns under each other, numbers to the right.

    >>> print(table(("learner", "error %"), [("averaged", 14.456), ("mira", 9.0)]))
    learner   error %
    averaged    14.46
    mira         9.00
    """
    cells = [[_shown(value) for value in row] for row in rows]
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]
    numbers = [all(not isinstance(row[j], str) for row in rows) for j in range(len(columns))]
    lines = []
    for row in [list(columns), *cells]:
        aligned = (t.rjust(w) if n else t.ljust(w) for t, w, n in zip(row, widths, numbers, strict=True))
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 0.1 and value else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else "–" if value is None else str(value)
