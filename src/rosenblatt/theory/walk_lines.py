"""A walk as lines of text: a table for a terminal, Markdown, LaTeX, CSV, or a JSON object a line, made as they are read.

>>> from rosenblatt.theory.walk import walk
>>> run = walk([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], start=[1, 0], order="given", epochs=1)
>>> print("\\n".join(walk_lines(run)))
t  epoch  example   y  activation  margin  mistake  tau   w1  w2   b
1      1        1   1           1       1             0    1   0   0
2      1        2  -1         0.5    -0.5      yes    1  0.5   1  -1
3      1        3  -1        -2.5     2.5             0  0.5   1  -1
4      1        4  -1        -0.5     0.5             0  0.5   1  -1
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.learning.scoring import Model
from rosenblatt.theory.convergence import ConvergenceProof, ProofQuantities
from rosenblatt.theory.walk import Step, Walk

WALK_FORMATS = ("table", "markdown", "latex", "csv", "json")
WEIGHTS_WITH_COLUMNS = {"table": 8, "markdown": 8, "latex": 8, "csv": 1000, "json": 1000}  # weights that have a column each
MOVED_FEATURES_SHOWN = 4  # features whose weights moved, in one cell
LINES_MEASURED = 100  # lines looked at for the widths of a terminal's columns
LARGEST_PLAIN = 1e6  # beyond, a short number has an exponent


@dataclass(frozen=True)
class WalkLayout:
    """Which lines and columns of a walk are shown, and in which format."""

    format: str = "table"
    proof: ConvergenceProof | None = None
    names: Sequence[str] | None = None  # of the features
    first: int = 0  # lines first … stop − 1
    stop: int | None = None
    every_weight: bool | None = None  # or only those that moved; None: as many as fit

    def __post_init__(self) -> None:
        if self.format not in WALK_FORMATS:
            raise SettingError(f"There is no format {self.format!r}: choose one of {', '.join(WALK_FORMATS)}.")


@dataclass(frozen=True)
class WalkColumn:
    """One quantity: its heading, in LaTeX too, its key in CSV and JSON, and its value at a step."""

    heading: str
    key: str
    value: Callable[[Step], object]
    latex: str = field(default="")


def walk_lines(walk: Walk, layout: WalkLayout | None = None) -> Iterator[str]:
    """The walk in the format of the layout."""
    layout = layout or WalkLayout()
    every_weight = layout.every_weight
    if every_weight is None:
        every_weight = walk.examples.vectors * walk.examples.rows.d <= WEIGHTS_WITH_COLUMNS[layout.format]
    columns = columns_of(walk, layout, every_weight)
    steps = walk.steps(layout.first, layout.stop, weights=every_weight or layout.proof is not None)
    if layout.format == "json":
        return json_lines(columns, steps, every_weight)
    exact = layout.format == "csv"
    cells = ([cell_text(column.value(step), exact) for column in columns] for step in steps)
    if layout.format == "csv":
        return csv_lines([column.key for column in columns], cells)
    if layout.format == "latex":
        return latex_lines([column.latex or escaped(column.heading) for column in columns], cells)
    return (table_lines if layout.format == "table" else markdown_lines)([column.heading for column in columns], cells)


def columns_of(walk: Walk, layout: WalkLayout, every_weight: bool) -> list[WalkColumn]:
    many = walk.examples.vectors > 1
    columns = [
        WalkColumn("t", "t", lambda step: step.t, "$t$"),
        WalkColumn("epoch", "epoch", lambda step: step.epoch),
        WalkColumn("example", "example", lambda step: step.row + 1),
        WalkColumn("y", "y", lambda step: step.y, "$y$"),
        *([WalkColumn("rival", "rival", lambda step: step.rival)] if many else []),
        WalkColumn("activation", "activation", lambda step: step.activation),
        WalkColumn("margin", "margin", lambda step: step.margin),
        WalkColumn("mistake", "mistake", lambda step: step.mistake),
        WalkColumn("tau", "tau", lambda step: step.tau, r"$\tau$"),
    ]
    if not every_weight:
        columns.append(moved_weights_column(walk, layout))
    elif layout.format != "json":  # there they are lists
        columns += weight_columns(walk, layout)
    return columns + (proof_columns(layout.proof) if layout.proof else [])


def weight_columns(walk: Walk, layout: WalkLayout) -> list[WalkColumn]:
    """A column a weight, and the biases."""
    columns: list[WalkColumn] = []
    many = walk.examples.vectors > 1
    for k in range(walk.examples.vectors):
        of_class = f"{class_name(walk, k)}:" if many else ""
        for j in range(walk.examples.rows.d):
            name = of_class + (f"w{j + 1}" if layout.names is None else layout.names[j])
            latex = f"$w_{{{j + 1}}}$" if layout.names is None and not many else ""
            key = name if layout.names is None else f"w[{name}]"  # a feature may be called `margin`
            columns.append(WalkColumn(name, key, weight_at(k, j), latex))
        if walk.has_bias:
            columns.append(WalkColumn(f"{of_class}b", f"{of_class}b", bias_at(k), "" if many else "$b$"))
    return columns


def describe_weights(walk: Walk, model: Model, names: Sequence[str] | None = None) -> str:
    """Weights in a sentence: all of few, the largest of many, and the biases.

    >>> from rosenblatt.theory.walk import walk
    >>> run = walk([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], order="given", epochs=1)
    >>> describe_weights(run, run.training.view("averaged"))  # (1, 1, 1), (0.5, 2, 0) twice, (1.5, 1, -1)
    'w1 = 0.875, w2 = 1.5, b = 0'
    """
    sentences, many = [], walk.examples.vectors > 1
    each = WEIGHTS_WITH_COLUMNS["table"] // walk.examples.vectors or 1
    for k in range(walk.examples.vectors):
        largest = np.sort(np.argsort(-np.abs(model.coef[k]), kind="stable")[:each]).tolist()
        parts = [f"w{j + 1}" if names is None else names[j] for j in largest]
        parts = [f"{name} = {short_number(float(model.coef[k, j]))}" for name, j in zip(parts, largest, strict=True)]
        parts += [f"… {walk.examples.rows.d - each:,} more"] * (walk.examples.rows.d > each)
        parts += [f"b = {short_number(float(model.intercept[k]))}"] * walk.has_bias
        sentences.append((f"{class_name(walk, k)}: " if many else "") + ", ".join(parts))
    return "; ".join(sentences)


def weight_at(k: int, j: int) -> Callable[[Step], float]:
    return lambda step: float(step.coef[k, j])  # type: ignore[index]


def bias_at(k: int) -> Callable[[Step], float]:
    return lambda step: float(step.intercept[k])


def moved_weights_column(walk: Walk, layout: WalkLayout) -> WalkColumn:
    """The weights of the example's features after an update, in one cell: all of them where numbers are exact."""
    exact, latex = layout.format in ("csv", "json"), layout.format == "latex"
    word, number, arrow = (escaped, latex_number, r"$\to$") if latex else (str, str, "→")

    def moved(step: Step) -> object:
        if not step.moved:
            return {} if exact else ""
        phrases = []
        by_name: dict[str, float] = {}
        places = np.arange(len(step.columns)) if exact else largest_entries(walk, step)
        for k in moved_vectors(walk, step):
            weights = {"b": float(step.intercept[k])} if walk.has_bias else {}
            for place in places.tolist():
                j = int(step.columns[place])
                weights[f"w{j + 1}" if layout.names is None else layout.names[j]] = float(step.new[k, place])
            of_class = f"{class_name(walk, k)}: " if walk.examples.vectors > 1 else ""
            by_name |= {of_class + name: value for name, value in weights.items()}
            each = (f"{word(name)} {arrow} {number(short_number(value))}" for name, value in weights.items())
            phrases.append(word(of_class) + ", ".join(each))
        more = len(step.columns) - len(places)
        if exact:
            return by_name
        cell = "; ".join(phrases) + (f"; {word('…')} {more} more" if more else "")
        return LatexCell(cell) if latex else cell

    return WalkColumn("weights moved", "moved", moved)


def largest_entries(walk: Walk, step: Step) -> np.ndarray:
    """Places of the few columns in which x is largest: what moved most."""
    x = walk.examples.rows.row(step.row)[1]
    most = np.argsort(-np.abs(x[x != 0]), kind="stable")[: MOVED_FEATURES_SHOWN // walk.examples.vectors or 1]
    return np.sort(most)


def moved_vectors(walk: Walk, step: Step) -> list[int]:
    """The vectors that an update moves: the only one; the right one's and the rival's; or all."""
    if walk.examples.vectors == 1:
        return [0]
    if step.tau is None:
        return list(range(walk.examples.vectors))
    return [step.code, walk.examples.classes.tolist().index(step.rival)]


def class_name(walk: Walk, k: int) -> str:
    return str(walk.examples.classes[k])


def proof_columns(proof: ConvergenceProof) -> list[WalkColumn]:
    """The two curves of the proof, and where θ is between them."""

    latest: tuple[Step, ProofQuantities] | None = None  # five columns ask for it

    def at(step: Step) -> ProofQuantities:
        nonlocal latest
        if latest is None or latest[0] is not step:
            assert step.coef is not None
            latest = step, proof.quantities_after(step.updates, step.coef, step.intercept)
        return latest[1]

    lower, latex_lower = "least θ·θ*", r"least $\theta\cdot\theta^*$"
    upper, latex_upper = "most |θ|", r"most $|\theta|$"
    if proof.equal_steps:
        lower, latex_lower, upper, latex_upper = "kγ", r"$k\gamma$", "√k R", r"$\sqrt{k}R$"
    return [
        WalkColumn("a′y", "margin_after", lambda step: step.margin_after, "$a'y$"),
        WalkColumn("k", "k", lambda step: step.updates, "$k$"),
        WalkColumn(lower, "least_along", lambda step: at(step).lower, latex_lower),
        WalkColumn("θ·θ*", "along", lambda step: at(step).along, r"$\theta\cdot\theta^*$"),
        WalkColumn("|θ|", "norm", lambda step: at(step).norm, r"$|\theta|$"),
        WalkColumn(upper, "most_norm", lambda step: at(step).upper, latex_upper),
        WalkColumn("cos", "cosine", lambda step: at(step).cosine, r"$\cos(\theta,\theta^*)$"),
    ]


def cell_text(value: object, exact: bool) -> str:
    """A value in a cell: numbers shortly, or with all their digits."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(int(value)) if exact else ("yes" if value else "")
    if isinstance(value, dict):
        return ";".join(f"{name}={number!r}" for name, number in value.items())
    if isinstance(value, float):
        return repr(value) if exact else short_number(value)
    return value if isinstance(value, LatexCell) else str(value)


def short_number(value: float) -> str:
    """A number as people write it.

    >>> [short_number(value) for value in (0.5, -2.5, -0.0, 1 / 3, 2.0**20, 1e9 / 3)]
    ['0.5', '-2.5', '0', '0.3333', '1.049e+06', '3.333e+08']
    """
    if value == 0:
        return "0"
    if value == math.floor(value) and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return f"{value:.4g}" if abs(value) < 1000 or abs(value) >= LARGEST_PLAIN else f"{value:.1f}"


def table_lines(headings: list[str], cells: Iterator[list[str]]) -> Iterator[str]:
    """Aligned columns, as wide as the first lines need."""
    first = list(islice(cells, LINES_MEASURED))
    widths = [max(len(row[j]) for row in [headings, *first]) for j in range(len(headings))]
    left = {j for j, heading in enumerate(headings) if heading == "weights moved"}
    for row in chain([headings], first, cells):
        yield "  ".join(
            cell.ljust(width) if j in left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def markdown_lines(headings: list[str], cells: Iterator[list[str]]) -> Iterator[str]:
    rule = ["---:"] * len(headings)
    for row in chain([headings, rule], cells):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def latex_lines(headings: list[str], cells: Iterator[list[str]]) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{'r' * len(headings)}}}"
    yield r"\hline"
    yield " & ".join(headings) + r" \\"
    yield r"\hline"
    for row in cells:
        yield " & ".join(cell if isinstance(cell, LatexCell) else latex_number(cell) for cell in row) + r" \\"
    yield r"\hline"
    yield r"\end{tabular}"


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "→": r"$\to$", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "²": "$^2$",
}  # fmt: skip
NUMBER = re.compile(r"(-?)([\d.]+)(?:e([+-]\d+))?")


class LatexCell(str):
    """A cell that is LaTeX already."""


def latex_number(cell: str) -> str:
    """A cell for LaTeX: numbers with a minus or a power of ten as formulas, all else as text.

    >>> latex_number("-0.5"), latex_number("3.333e-08"), latex_number("17"), latex_number("-b")
    ('$-0.5$', '$3.333\\\\cdot10^{-8}$', '17', '-b')
    """
    number = NUMBER.fullmatch(cell)
    if number is None or not (number[1] or number[3]):
        return escaped(cell)
    power = rf"\cdot10^{{{int(number[3])}}}" if number[3] else ""
    return f"${number[1]}{number[2]}{power}$"


def escaped(cell: str) -> str:
    """Text that LaTeX prints as it is.

    >>> escaped("50%_of {x}")
    '50\\\\%\\\\_of \\\\{x\\\\}'
    """
    return "".join(LATEX_ESCAPES.get(letter, letter) for letter in cell)


def csv_lines(headings: list[str], cells: Iterator[list[str]]) -> Iterator[str]:
    import csv
    import io

    for row in chain([headings], cells):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(row)
        yield line.getvalue()


def json_lines(columns: list[WalkColumn], steps: Iterator[Step], every_weight: bool) -> Iterator[str]:
    """An object a line; numbers with all their digits."""
    for step in steps:
        line = {column.key: column.value(step) for column in columns} | {"scores": step.scores.tolist()}
        if every_weight:
            assert step.coef is not None
            line |= {"w": step.coef.tolist(), "b": step.intercept.tolist()}
        yield json.dumps(line, ensure_ascii=False)
