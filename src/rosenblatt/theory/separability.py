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

from rosenblatt.data.labels import encode
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import score
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import Examples, match_lengths
from rosenblatt.theory import rounding
from rosenblatt.theory.certificate import Certificate, ClassPair, Proof, exact_margin
from rosenblatt.theory.precision import contradicting, look_again
from rosenblatt.theory.problem import SeparabilityProblem, Verdict
from rosenblatt.theory.signed import SignedExamples

MOST_CLASS_PAIRS = 200  # of classes that are looked at one by one
SOLVER_STEPS = 20  # that the interior-point method takes, about
RESERVE = 0.01  # of the time that is given, for the last step and the answer


class TimeBudget:
    """How much of the time is left."""

    def __init__(self, seconds: float | None):
        self.started = time.perf_counter()
        self.end = None if seconds is None else self.started + seconds * (1 - RESERVE)

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
    no line can separate these rows: a weighted mean of 2 rows of different is also a weighted mean of 2 rows of same
    """
    if seconds is not None and not seconds > 0:
        raise SettingError(f"seconds is {seconds!r}: expected None or a number above 0.")
    clock, say = TimeBudget(seconds), progress or (lambda sentence: None)
    rows = X if isinstance(X, Rows) else Rows(X)
    classes, codes = encode(y)
    match_lengths(rows, codes, "labels")
    rows.refuse_not_finite()
    codes = np.ones(rows.n, dtype=np.int32) if len(classes) == 1 else codes
    signed = SignedExamples(Examples(rows, codes, np.arange(max(2, len(classes)))), fit_intercept)
    case = SeparabilityProblem(signed, clock, seed, say)
    made, verdict = compare_rows(signed, classes.tolist()), Verdict(False)
    if made.separable is None and not np.isfinite(signed.norms2).all():
        return in_other_units(signed, lambda rows: certify(rows, y, fit_intercept, seconds=clock.left(), seed=seed))
    if made.separable is None:
        verdict = case.decide(clock.left(1.0 if signed.vectors == 1 else 0.3))
        enter(made, verdict, signed)
    else:
        say(f"{len(made.conflicts):,} pair(s) of identical rows with different labels")
    if len(classes) > 2:
        look_at_pairs(made, signed, case, verdict)
    look_again(made, case)
    made.seconds = clock.spent()
    return made


def in_other_units(signed: SignedExamples, decide: Callable[[Rows], Certificate]) -> Certificate:
    """A contradiction of rows whose squares overflow: it holds in every unit. Where there is none, the row is refused.

    A margin beside a constant feature 1 depends on the unit, and that of such rows is beyond floats.
    """
    units = signed.scale[: signed.rows.d]  # powers of two: no digit is lost, unless a column holds tiny numbers as well
    rows = signed.rows.matrix()
    found = decide(Rows(rows * units if signed.rows.dense else rows.multiply(units).tocsr()))
    found = replace(found, signed=signed, radius=signed.radius)
    if found.separable is not False or not found.check():
        raise signed.rows.blame(int(np.argmax(signed.norms2)))
    return found


def certify_within(signed: SignedExamples, multiplications: float) -> Certificate | None:
    """What so many multiplications decide of all classes at once, whatever the time; None: nothing.

    Comparing the rows takes two an entry; then the solvers take some twenty steps of known length.

    >>> from rosenblatt.learning.examples import for_classes
    >>> rows = SignedExamples(for_classes([[1.0], [2.0], [3.0]], ["a", "b", "a"]))
    >>> print(certify_within(rows, multiplications=1000).sentence())
    no line can separate these rows: a weighted mean of 2 rows of a is also a row of b
    >>> certify_within(rows, multiplications=100)
    """
    if 2 * signed.entries > multiplications:
        return None
    case = SeparabilityProblem(signed, TimeBudget(None), 0, lambda sentence: None)
    assert signed.examples.classes is not None
    certificate = compare_rows(signed, signed.examples.classes.tolist())
    if certificate.separable is None:
        affordable = 2 * signed.entries + SOLVER_STEPS * case.work(signed.count) <= multiplications
        if not affordable or not np.isfinite(signed.norms2).all():
            return None
        enter(certificate, case.decide(None), signed)
        look_again(certificate, case)
    certificate.seconds = case.clock.spent()
    return certificate


def compare_rows(signed: SignedExamples, classes: list[Any]) -> Certificate:
    """A certificate that says no if rows are identical but labelled differently, and else nothing yet."""
    made = Certificate(None, classes, signed.radius, signed.bias, signed=signed)
    made.conflicts, made.grain = contradicting(signed)
    if made.conflicts:
        i, j = made.conflicts[0]
        rivals = [int(signed.codes[j]), int(signed.codes[i])] if signed.vectors > 1 else None
        made.separable, made.proof, made.method = False, Proof("identical rows", [i, j], [1, 1], rivals), "comparing rows"
    return made


def enter(made: Certificate, verdict: Verdict, signed: SignedExamples) -> None:
    """Puts a verdict into the certificate."""
    made.separable, made.method = verdict.separable, verdict.method
    if verdict.separable is None and np.isfinite(verdict.margin_at_most):
        made.margin_at_most = verdict.margin_at_most
    if verdict.separable:
        assert verdict.coef is not None
        assert verdict.intercept is not None
        coef, intercept = verdict.coef, verdict.intercept
        exact = verdict.exact
        margin = rounding.margin(signed, coef, intercept) if exact is None else exact_margin(signed, exact)
        made.margin = margin or 0.0
        made.margin_at_most = max(verdict.margin_at_most, made.margin)
        made.support = verdict.support.tolist()
        made.w, made.b = (coef[0], float(intercept[0])) if signed.vectors == 1 else (coef, intercept)
    made.proof = proof_of(signed, verdict)


def proof_of(signed: SignedExamples, verdict: Verdict) -> Proof | None:
    """The weights or the contradiction; None where nothing was decided."""
    if verdict.separable is None:
        return None
    if verdict.exact is not None:
        return Proof("exact weights", [], list(verdict.exact))
    if verdict.separable:
        assert verdict.coef is not None
        assert verdict.intercept is not None
        v = np.column_stack([verdict.coef, verdict.intercept]) if signed.bias else verdict.coef
        return Proof("weights", verdict.support.tolist(), v.ravel().tolist())
    rows = signed.row_of(verdict.numbers).tolist()
    rivals = signed.rival_of(verdict.numbers).tolist() if signed.vectors > 1 else None
    return Proof(verdict.kind, rows, list(verdict.weights), rivals)


def look_at_pairs(made: Certificate, signed: SignedExamples, case: SeparabilityProblem, whole: Verdict) -> None:
    """A verdict for each pair of classes; two that cannot be separated prove that all cannot."""
    k = len(made.classes)
    pairs = [(a, b) for a in range(k) for b in range(a + 1, k)]
    if made.separable or len(pairs) > MOST_CLASS_PAIRS:
        known = True if made.separable else None
        made.pairs = [ClassPair((made.classes[a], made.classes[b]), known) for a, b in pairs]
        return
    found = {}
    for i, j in made.conflicts:
        a, b = sorted((int(signed.codes[i]), int(signed.codes[j])))
        rivals = [int(signed.codes[j]), int(signed.codes[i])]
        found[a, b] = ClassPair((made.classes[a], made.classes[b]), False, Proof("identical rows", [i, j], [1, 1], rivals))
    left = [pair for pair in most_confused_first(pairs, signed, whole) if pair not in found]
    for place, (a, b) in enumerate(left):
        names = made.classes[a], made.classes[b]
        found[a, b] = ClassPair(names, None)
        if case.clock.over():
            continue
        case.say(f"classes {names[0]} and {names[1]}")
        numbers = np.flatnonzero((signed.codes == a) | (signed.codes == b))
        two = Examples(signed.rows.take(numbers), (signed.codes[numbers] == b).astype(np.int32), np.arange(2))
        part = SignedExamples(two, signed.bias)
        # Until one contradiction is found, the pair at hand gets half of the time; then all get the same.
        share = 0.5 if made.separable is None else 1 / (len(left) - place)
        verdict = replace(case, signed=part).decide(case.clock.left(share))
        proof = proof_of(part, verdict)
        if proof is not None:
            proof.rows = numbers[np.array(proof.rows, dtype=int)].tolist()
        if proof is not None and verdict.separable is False:
            proof.rivals = [a + b - int(signed.codes[row]) for row in proof.rows]
            if made.separable is None:
                made.separable, made.proof, made.margin_at_most = False, proof, None
                made.method = f"{verdict.method}, on {names[0]} and {names[1]}"
        found[a, b] = ClassPair(names, verdict.separable, proof)
    made.pairs = [found[pair] for pair in pairs]


def most_confused_first(pairs: list[tuple[int, int]], signed: SignedExamples, verdict: Verdict) -> list[tuple[int, int]]:
    """The pairs, those first of which the weights at hand take most rows for each other."""
    if verdict.coef is None or verdict.intercept is None:
        return pairs
    k = signed.vectors
    winner = score(signed.rows, verdict.coef, verdict.intercept).argmax(axis=1)
    confused = np.bincount(signed.codes * k + winner, minlength=k * k).reshape(k, k)
    return sorted(pairs, key=lambda pair: -int(confused[pair] + confused[pair[::-1]]))
