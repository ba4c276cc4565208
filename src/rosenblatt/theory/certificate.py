"""A verdict on linear separability with its proof, which can be checked again from the data.

Separable: weights with every margin above 0. Not separable: rows and weights λ ≥ 0, not all 0, with Σ λ z = 0, z the signed
rows. Neither: undecided, with the largest margin that is still possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine import rules
from rosenblatt.errors import counted
from rosenblatt.features.precision import PrecisionLoss
from rosenblatt.theory import rounding
from rosenblatt.theory.bounds import Bound, ProblemGeometry, at_most, bound_for
from rosenblatt.theory.exact import exact_margin, vanishes, whole_numbers
from rosenblatt.theory.signed import SignedExamples

MARGIN_TOLERANCE = 1e-9  # relative difference up to which a margin computed again is the same


@dataclass
class Proof:
    """What proves a verdict.

    | kind              | rows                | weights                                                        |
    |-------------------|---------------------|----------------------------------------------------------------|
    | weights           | the support         | (w, b): every margin is above 0                                |
    | exact weights     | none                | (w, b) in whole numbers, where the margin is too small for floats |
    | identical rows    | two                 | 1, 1: the signed rows cancel                                   |
    | exact combination | at most dimension+2 | whole numbers λ: the signed rows, so weighted, add up to 0     |
    | rounding bound    | at most dimension+2 | floats near such λ, which exist by a bound on rounding         |

    With more than two classes `rivals` are the classes (their codes) against which the rows stand.
    """

    kind: str
    rows: list[int]
    weights: list[int] | list[float]
    rivals: list[int] | None = None

    def whole_weights(self) -> list[int] | None:
        """The weights where all are whole numbers."""
        whole = [value for value in self.weights if isinstance(value, int)]
        return whole if len(whole) == len(self.weights) else None

    def to_dict(self, first: int = 0) -> dict[str, object]:
        """What `--json` prints; rows are counted from `first`."""
        weights = [as_text(value) if isinstance(value, int) else value for value in self.weights]
        rivals = {} if self.rivals is None else {"rivals": self.rivals}
        return {"kind": self.kind, "rows": [row + first for row in self.rows], "weights": weights, **rivals}


def as_text(value: int) -> str:
    """A whole number that `int(text, 0)` reads: decimal, or hexadecimal where it is very long.

    >>> as_text(17), as_text(2**9999)[:6]
    ('17', '0x8000')
    """
    return str(value) if abs(value) < 10**300 else hex(value)


@dataclass
class ClassPair:
    """Two of many classes, and whether they can be separated from each other."""

    classes: tuple[object, object]
    separable: bool | None
    proof: Proof | None = None  # None where all classes are separated at once, and these with them


@dataclass
class Certificate:
    """Can a line separate the classes? The verdict, what is known of the margin, and the proof.

    `margin` is the largest that was reached, γ* if `margin_at_most` agrees; the bias counts as a feature in both. It is 0
    only where it is too small for a float.
    `grain` is there where rows contradict each other only because their features have lost digits of the table: then
    `separable` is False of the features, and nothing is known of the table.
    """

    separable: bool | None
    classes: list[object]
    radius: float
    fit_intercept: bool = True
    margin: float | None = None
    margin_at_most: float | None = None
    support: list[int] = field(default_factory=list)
    w: np.ndarray | None = None
    b: float | np.ndarray | None = None
    conflicts: list[tuple[int, int]] = field(default_factory=list)
    proof: Proof | None = None
    pairs: list[ClassPair] = field(default_factory=list)
    method: str = ""
    seconds: float = 0.0
    signed: SignedExamples | None = field(default=None, repr=False)
    grain: PrecisionLoss | None = None

    @property
    def geometry(self) -> ProblemGeometry:
        """What theorems ask: R, γ and the number of classes."""
        return ProblemGeometry(self.radius, self.margin, max(2, len(self.classes)))

    @property
    def bound(self) -> float | None:
        """Updates at most of a perceptron from 0; None where nothing is known, and where it is too large for a float."""
        theorem = bound_for(rules.Perceptron(), self.geometry)
        return theorem.most if isinstance(theorem, Bound) else None

    @property
    def formula(self) -> str:
        """What `bound` is: R²/γ² for two classes, twice that for more, as |z|² = 2 |x|²."""
        return f"{self.geometry.update_symbol}/γ²"

    @property
    def gap(self) -> float | None:
        """Where undecided: if something separates the rows, its margin is at most this."""
        return self.margin_at_most if self.separable is None else None

    @property
    def optimal(self) -> bool:
        """Is `margin` γ*, to six digits?"""
        reached, most = self.margin, self.margin_at_most
        return bool(self.separable and reached and most and most - reached <= 1e-6 * most)

    def check(self) -> bool:
        """Does the proof hold? Everything is computed again from the data; False also where nothing was decided."""
        if self.signed is None or self.proof is None or self.separable is None:
            return False
        try:
            return self._check_weights(self.signed) if self.separable else self._check_combination(self.signed, self.proof)
        except (IndexError, TypeError, ValueError):  # rows that are not there, weights that are no numbers
            return False

    def _check_weights(self, signed: SignedExamples) -> bool:
        assert self.proof is not None
        if self.margin is None or not math.isclose(signed.radius, self.radius, rel_tol=MARGIN_TOLERANCE):
            return False
        if self.proof.kind == "exact weights":
            v = self.proof.whole_weights()
            exact = None if v is None else exact_margin(signed, v)
            return exact is not None and math.isclose(exact, self.margin, rel_tol=MARGIN_TOLERANCE)
        coef, intercept = signed.weights(np.array(self.proof.weights, dtype=float), scaled=False)
        if self.proof.kind != "weights" or not rounding.separates(signed, coef, intercept):
            return False
        return math.isclose(rounding.certain_margin(signed, coef, intercept), self.margin, rel_tol=MARGIN_TOLERANCE)

    def _check_combination(self, signed: SignedExamples, proof: Proof) -> bool:
        rows = np.array(proof.rows, dtype=int)
        if len(proof.weights) != len(rows) or not len(rows) or rows.min() < 0 or rows.max() >= signed.rows.n:
            return False
        numbers = rows
        if signed.vectors > 1:
            rivals = np.array(proof.rivals, dtype=int)
            if rivals.shape != rows.shape or rivals.min() < 0 or rivals.max() >= signed.vectors:
                return False
            if (rivals == signed.codes[rows]).any():
                return False
            numbers = rows * signed.vectors + rivals
        Z = signed.matrix(numbers, scaled=False)
        if proof.kind == "rounding bound":
            return rounding.combination_exists(Z, np.asarray(proof.weights, dtype=float))
        weights = proof.whole_weights()
        return weights is not None and vanishes(whole_numbers(Z)[0], weights)

    def sentence(self, first: int = 0, row: str = "row") -> str:
        """The verdict in one sentence; rows are counted from `first`, and called `row`s."""
        if self.separable:
            updates = "" if self.bound is None else f": a perceptron makes at most {at_most(self.bound, 'update')}"
            least = "" if self.optimal else "at least "
            margin = f"margin {least}{self.margin:.5g}" if self.margin else "a margin that is too small for a float"
            return f"a line separates these {row}s, with {margin}{updates}"
        if self.separable is None:
            most = "" if self.gap is None else f"; if a line separates them, its margin is at most {self.gap:.3g}"
            return (
                f"undecided after {self.seconds:.1f} seconds: neither a separating line nor a contradiction was found{most}"
            )
        assert self.proof is not None
        why = self._reason(self.proof, first, row)
        if self.grain is not None:
            return f"{self.grain.taken} {why}; {self.grain.apart()}"
        return f"no line can separate these {row}s: {why}"

    @property
    def obstacle(self) -> str:
        """Why there is no separator, shortly; empty where there is one."""
        if self.separable is None:
            return "whether the data can be separated is undecided"
        taken = "" if self.grain is None else f" {self.grain.taken}"
        return "" if self.separable else f"no line can separate the data{taken}"

    def _reason(self, proof: Proof, first: int, row: str) -> str:
        if proof.kind == "identical rows":
            i, j = (number + first for number in proof.rows)
            return f"{row}s {i:,} and {j:,} are identical but labelled differently"
        if len(proof.rows) == 1:
            return f"{row} {proof.rows[0] + first:,} is all zeros, and without a bias its score is always 0"
        assert self.signed is not None
        what = "mean" if self.fit_intercept else "sum"
        if self.signed.vectors > 1 or len(self.classes) < 2:
            return f"{len(proof.rows):,} of them contradict each other, weighted as the proof says"
        sides = np.bincount(self.signed.codes[np.array(proof.rows)], minlength=2).tolist()
        if 0 in sides:
            return f"a weighted sum of {max(sides):,} {row}s of one class is 0, and without a bias so is its score"
        alone = f"a {row}" if self.fit_intercept else f"a multiple of a {row}"
        one, other = (
            f"{alone} of {name}" if count == 1 else f"a weighted {what} of {count:,} {row}s of {name}"
            for count, name in zip(sides, self.classes, strict=True)
        )
        return f"{one} is also {other}"

    def __str__(self) -> str:
        return self.describe()

    def describe(self, first: int = 0) -> str:
        """The verdict, the numbers and the proof in a paragraph; rows are counted from `first`."""
        sentence = self.sentence(first)
        lines = [sentence[0].upper() + sentence[1:] + "."]
        space = "with the constant feature of the bias" if self.fit_intercept else "without bias"
        if self.separable:
            most = "" if self.optimal or self.margin_at_most is None else f" (at most {self.margin_at_most:.6g})"
            margin = f"{self.margin:.6g}" if self.margin else "0 in floats, but above 0"
            numbers = f"margin γ = {margin}{most}, radius R = {self.radius:.6g}, {space}"
            bound = "" if self.bound is None else f"; the bound on updates is {self.formula}"
            lines.append(f"{numbers}{bound}; {len(self.support):,} support rows.")
        if self.conflicts:
            shown = ", ".join(f"{i + first:,} and {j + first:,}" for i, j in self.conflicts[:3])
            shown += " …" if len(self.conflicts) > 3 else ""
            taken = "" if self.grain is None else f", {self.grain.taken}"
            lines.append(f"{len(self.conflicts):,} pair(s) of identical rows with different labels{taken}: {shown}.")
        if self.pairs:
            lines.append(self._describe_pairs())
        proof = "none" if self.proof is None else f"{self.proof.kind}, {counted(len(self.proof.rows), 'row')}"
        lines.append(f"Proof: {proof}; found by {self.method} in {self.seconds:.2f} s.")
        return "\n".join(lines)

    def _describe_pairs(self) -> str:
        apart = sum(pair.separable is True for pair in self.pairs)
        if apart == len(self.pairs):
            return f"All {apart} pairs of classes can be separated."
        overlapping = ", ".join(f"{pair.classes[0]} / {pair.classes[1]}" for pair in self.pairs if pair.separable is False)
        unknown = sum(pair.separable is None for pair in self.pairs)
        separated = f"Of {len(self.pairs)} pairs of classes {apart} can be separated"
        return (
            separated
            + (f"; {unknown} are undecided" if unknown else "")
            + (f"; not: {overlapping}." if overlapping else ".")
        )

    def to_dict(self, first: int = 0) -> dict[str, object]:
        """What `--json` prints; rows are counted from `first`."""
        return {
            "separable": self.separable if self.grain is None else None,
            "grain": None if self.grain is None else self.grain.taken,
            "margin": self.margin,
            "margin_at_most": self.margin_at_most,
            "radius": self.radius if np.isfinite(self.radius) else None,  # no number in JSON
            "bound": self.bound,
            "formula": self.formula,
            "support": [row + first for row in self.support],
            "conflicts": [[i + first, j + first] for i, j in self.conflicts],
            "proof": None if self.proof is None else self.proof.to_dict(first),
            "pairs": [{"classes": list(pair.classes), "separable": pair.separable} for pair in self.pairs],
            "gap": self.gap,
            "sentence": self.sentence(first),
            "method": self.method,
            "seconds": self.seconds,
        }

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        kind = None if self.proof is None else self.proof.kind
        facts = {"verdict": self.sentence(), "margin": self.margin, "radius": self.radius, "proof": kind}
        return markup.facts("Certificate", {name: value for name, value in facts.items() if value is not None})
