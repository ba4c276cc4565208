"""What an experiment gives: a table, a picture, and one sentence that the numbers decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.data import markup
from rosenblatt.show.canvas import pyplot, saved

TableRows = list[tuple[Any, ...]]  # numbers and words


@dataclass(frozen=True)
class Finding:
    """The outcome of one experiment.

    Everything but `measured` is the same to the bit in every run; what a clock says stands there, apart.
    """

    claim: str  # what the lectures say
    items: tuple[str, ...]  # of LECTURES.md
    columns: tuple[str, ...]
    rows: TableRows
    holds: bool | None  # do these numbers bear the claim out? None: they do not decide it
    sentence: str  # what they say, in any case
    draw: Callable[[Any], None] = field(repr=False, compare=False)  # onto axes
    measured: TableRows = field(default_factory=list, compare=False)  # with a clock; a line a row

    @property
    def verdict(self) -> str:
        words = {True: "Holds: ", False: "Refuted: ", None: "Not decided by these data: "}
        return words[self.holds] + self.sentence

    def to_dict(self) -> dict[str, object]:
        """What is reproducible, as JSON has it."""
        return {
            "claim": self.claim,
            "items": list(self.items),
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "holds": self.holds,
            "finding": self.sentence,
        }

    def picture(self, format: str = "svg") -> bytes:
        """The plot as a file's content, `svg` or `png`; the same numbers give the same bytes."""
        plt = pyplot()
        figure, ax = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
        try:
            self.draw(ax)
            return saved(figure, format)
        finally:
            plt.close(figure)

    def _repr_html_(self) -> str:
        """How a notebook shows it: the verdict, the numbers, the picture."""
        claim = markup.facts("Finding", {"claim": self.claim, "verdict": self.verdict, "lectures": ", ".join(self.items)})
        numbers = markup.table("", self.columns, [[_format(value) for value in row] for row in self.rows])
        svg = self.picture().decode("utf-8")
        return claim + numbers + svg[svg.index("<svg") :]


def table(columns: tuple[str, ...], rows: TableRows) -> str:
    """Columns under each other, numbers to the right.

    >>> print(table(("learner", "error %"), [("averaged", 14.456), ("mira", 9.0)]))
    learner   error %
    averaged    14.46
    mira         9.00
    """
    cells = [[_format(value) for value in row] for row in rows]
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]
    numbers = [all(not isinstance(row[j], str) for row in rows) for j in range(len(columns))]
    lines = []
    for row in [list(columns), *cells]:
        aligned = (t.rjust(w) if n else t.ljust(w) for t, w, n in zip(row, widths, numbers, strict=True))
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def _format(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 0.1 and value else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else "–" if value is None else str(value)
