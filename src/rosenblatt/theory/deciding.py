"""`certify`: can a line separate the classes? Which tools are tried, in which order, and for how long.

1. Identical rows with different labels.
2. Where the data are small enough for it: the maximum-margin program on all rows. It gives a separator, which is
   checked with a bound on rounding or in fractions; or it says that there is none, and a linear program and exact
   arithmetic make that a proof.
3. Where they are not: the perceptron's own run, which is a proof if it converges; then the same programs on a working
   set, to which the rows that its separator gets most wrong are added until nothing is wrong, or the set contradicts
   itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.examples import Examples, encode, match_lengths
from rosenblatt.rows import Rows
from rosenblatt.theory.case import Case, Verdict
from rosenblatt.theory.certificate import Certificate, Pair, Proof
from rosenblatt.theory.identical import conflicts
from rosenblatt.theory.separator import length
from rosenblatt.theory.signed import Signed

MOST_PAIRS = 200  # of classes that are looked at one by one


class Clock:
    """How much of the time is left."""

    def __init__(self, seconds: float | None):
        self.started = time.perf_counter()
        self.end = None if seconds is None else self.started + seconds

    def spent(self) -> float:
        return time.perf_counter() - self.started

    def left(self, share: float = 1.0) -> float | None:
        """Seconds left, or this share of them; None: as many as it takes."""
        return None if self.end is None else max(0.0, self.end - time.perf_counter()) * share

    def over(self) -> bool:
        return self.end is not None and time.perf_counter() >= self.end


def certify(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    *,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Certificate:
    """Decides, with a proof, whether a line (plane, hyperplane) separates the classes of rows X with labels y.

    A margin of 0 is a mistake: separable means that some (w, b) gives every margin above 0. With more than two classes,
    that every row's own class scores above all others. One class alone is separable with a bias (by a constant), and
    without one if its rows lie on one side of the origin. `seconds` is a budget, `progress` gets sentences about what
    is being tried.

    >>> found = certify([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["+", "-", "-", "-"])
    >>> found.separable, round(found.margin, 4), found.check()
    (True, 0.686, True)
    >>> print(certify([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]).sentence())
    no line can separate these rows: a weighted mean of 2 rows of different equals one of 2 rows of same
    """
    if seconds is not None and not seconds > 0:
        raise SettingError(f"seconds is {seconds!r}: expected None or a number above 0.")
    clock, say = Clock(seconds), progress or (lambda sentence: None)
    rows = X if isinstance(X, Rows) else Rows(X)
    classes, codes = encode(y)
    match_lengths(rows, codes, "labels")
    rows.refuse_not_finite()
    codes = np.ones(rows.n, dtype=np.int32) if len(classes) == 1 else codes
    signed = Signed(Examples(rows, codes, np.arange(max(2, len(classes)))), fit_intercept)
    made = Certificate(None, classes.tolist(), float(np.sqrt(signed.norms2.max())), fit_intercept, signed=signed)
    made.conflicts = conflicts(rows, codes)
    if made.conflicts:
        i, j = made.conflicts[0]
        say(f"{len(made.conflicts):,} pair(s) of identical rows with different labels")
        rivals = [int(codes[j]), int(codes[i])] if signed.vectors > 1 else None
        made.separable, made.proof, made.method = False, Proof("identical rows", [i, j], [1, 1], rivals), "comparing rows"
    else:
        share = 1.0 if signed.vectors == 1 else 0.5
        enter(made, Case(signed, clock, seed, say).decide(clock.left(share)), signed)
    if len(classes) > 2:
        look_at_pairs(made, signed, Case(signed, clock, seed, say))
    made.seconds = clock.spent()
    return made


def enter(made: Certificate, verdict: Verdict, signed: Signed) -> None:
    """Puts a verdict into the certificate."""
    made.separable, made.method = verdict.separable, verdict.method
    made.margin_at_most = None if not np.isfinite(verdict.margin_at_most) else verdict.margin_at_most
    if verdict.separable:
        assert verdict.coef is not None
        assert verdict.intercept is not None
        coef, intercept = verdict.coef, verdict.intercept
        made.margin = float(signed.margins(coef, intercept).min()) / length(coef, intercept)
        made.margin_at_most = max(verdict.margin_at_most, made.margin)
        made.support = verdict.support.tolist()
        made.w, made.b = (coef[0], float(intercept[0])) if signed.vectors == 1 else (coef, intercept)
        v = np.column_stack([coef, intercept]) if signed.bias else coef
        made.proof = Proof("weights", made.support, v.ravel().tolist())
    elif verdict.separable is False:
        made.proof = proof_of(signed, verdict)


def proof_of(signed: Signed, verdict: Verdict) -> Proof:
    """The contradiction, by rows."""
    rows = signed.row_of(verdict.numbers).tolist()
    rivals = signed.rival_of(verdict.numbers).tolist() if signed.vectors > 1 else None
    return Proof(verdict.kind, rows, list(verdict.weights), rivals)


def look_at_pairs(made: Certificate, signed: Signed, case: Case) -> None:
    """A verdict for each pair of classes; two that cannot be separated prove that all cannot."""
    k = len(made.classes)
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    if made.separable or len(pairs) > MOST_PAIRS:
        known = True if made.separable else None
        made.pairs = [Pair((made.classes[a], made.classes[b]), known) for a, b in pairs]
        return
    touched: dict[tuple[int, ...], tuple[int, int]] = {}
    for i, j in made.conflicts:
        touched.setdefault(tuple(sorted((int(signed.codes[i]), int(signed.codes[j])))), (i, j))
    for place, (a, b) in enumerate(pairs):
        names = made.classes[a], made.classes[b]
        if (a, b) in touched:
            i, j = touched[a, b]
            rivals = [int(signed.codes[j]), int(signed.codes[i])]
            made.pairs.append(Pair(names, False, Proof("identical rows", [i, j], [1, 1], rivals)))
            continue
        if case.clock.over():
            made.pairs.append(Pair(names, None))
            continue
        case.say(f"classes {names[0]} and {names[1]}")
        numbers = np.flatnonzero((signed.codes == a) | (signed.codes == b))
        two = Examples(signed.rows.take(numbers), (signed.codes[numbers] == b).astype(np.int32), np.arange(2))
        part = Signed(two, signed.bias)
        verdict = replace(case, signed=part).decide(case.clock.left(2 / (len(pairs) - place + 1)))
        proof = proof_of(part, verdict) if verdict.separable is False else None
        if proof is not None:
            proof.rows = numbers[proof.rows].tolist()
            proof.rivals = [a + b - int(signed.codes[row]) for row in proof.rows]
            if made.separable is None:
                made.separable, made.proof, made.method = False, proof, f"{verdict.method}, on {names[0]} and {names[1]}"
        made.pairs.append(Pair(names, verdict.separable, proof))
