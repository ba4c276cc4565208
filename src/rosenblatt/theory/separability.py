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
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import Examples, encode, match_lengths
from rosenblatt.learning.scoring import score
from rosenblatt.theory import rounding
from rosenblatt.theory.certificate import Certificate, ClassPair, Proof
from rosenblatt.theory.exact import exact_margin
from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.precision import conflicts_in_table, recheck_with_all_digits
from rosenblatt.theory.problem import SeparabilityProblem, Verdict, ignore
from rosenblatt.theory.signed import SignedExamples

MOST_CLASS_PAIRS = 200  # that are looked at one by one
SOLVER_STEPS = 20  # that the interior-point method takes, about
# Shares of the user's seconds: for all classes at once, and for the search where digits of a table may have to be looked at.
ALL_CLASSES, BEFORE_RECHECK = 0.3, 0.9


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
    without one if its rows lie on one side of the origin. `progress` gets sentences about what is being tried.

    The search ends with a proof; undecided, where `seconds` are over before. Without `seconds` counted work ends it
    (`SearchLimits`), so that a busy machine gives the same answer as an idle one.

    >>> certificate = certify([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["+", "-", "-", "-"])
    >>> certificate.separable, round(certificate.margin, 4), certificate.check()
    (True, 0.686, True)
    >>> print(certify([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]).sentence())
    no line can separate these rows: a weighted mean of 2 rows of different is also a weighted mean of 2 rows of same
    """
    if seconds is not None and not seconds > 0:
        raise SettingError(f"seconds is {seconds!r}: expected None or a number above 0.")
    started, limits = time.perf_counter(), SearchLimits.within(seconds)
    rows = X if isinstance(X, Rows) else Rows(X)
    classes, codes = encode(y)
    match_lengths(rows, codes, "labels")
    rows.refuse_not_finite()
    codes = np.ones(rows.n, dtype=np.int32) if len(classes) == 1 else codes
    signed = SignedExamples(Examples(rows, codes, np.arange(max(2, len(classes)))), fit_intercept)
    certificate = certify_problem(SeparabilityProblem(signed, limits, seed, progress or ignore), classes.tolist())
    certificate.seconds = time.perf_counter() - started
    return certificate


def certify_problem(problem: SeparabilityProblem, classes: list[object]) -> Certificate:
    """The certificate of a problem whose classes have these labels."""
    signed, limits = problem.signed, problem.limits
    certificate, verdict = compare_rows(signed, classes), Verdict(False)
    if certificate.separable is None and not np.isfinite(signed.norms2).all():
        return certify_in_other_units(problem, classes)
    search = problem if signed.rows.finer is None else replace(problem, limits=limits.part(BEFORE_RECHECK))
    if certificate.separable is None:
        share = 1.0 if signed.vectors == 1 else ALL_CLASSES
        verdict = replace(search, limits=search.limits.part(share)).decide()
        record_verdict(certificate, verdict, signed)
    else:
        problem.report(f"{len(certificate.conflicts):,} pair(s) of identical rows with different labels")
    if len(classes) > 2:
        decide_pairs(certificate, search, verdict)
    recheck_with_all_digits(certificate, problem)
    return certificate


def certify_in_other_units(problem: SeparabilityProblem, classes: list[object]) -> Certificate:
    """A contradiction of rows whose squares overflow: it holds in every unit. Where there is none, the row is refused.

    A margin beside a constant feature 1 depends on the unit, and that of such rows is beyond floats.
    """
    signed, rows = problem.signed, problem.signed.rows.matrix()
    units = signed.scale[: signed.rows.d]  # powers of two: no digit is lost, unless a column holds tiny numbers as well
    scaled = Rows(rows * units if signed.rows.dense else rows.multiply(units).tocsr())
    in_units = SignedExamples(replace(signed.examples, rows=scaled), signed.bias)
    certificate = certify_problem(replace(problem, signed=in_units), classes)
    certificate = replace(certificate, signed=signed, radius=signed.radius)
    if certificate.separable is not False or not certificate.check():
        raise signed.rows.blame(int(np.argmax(signed.norms2)))
    return certificate


def certify_within(signed: SignedExamples, multiplications: float) -> Certificate | None:
    """What so many multiplications decide of all classes at once, whatever the time; None: nothing.

    Comparing the rows takes two an entry; then the solvers take some twenty steps of known length.

    >>> from rosenblatt.learning.examples import for_classes
    >>> rows = SignedExamples(for_classes([[1.0], [2.0], [3.0]], ["a", "b", "a"]))
    >>> print(certify_within(rows, multiplications=1000).sentence())
    no line can separate these rows: a weighted mean of 2 rows of a is also a row of b
    >>> certify_within(rows, multiplications=100)
    """
    if 2 * signed.rows.entries > multiplications:
        return None
    started, problem = time.perf_counter(), SeparabilityProblem(signed)
    certificate = compare_rows(signed, signed.examples.classes.tolist())
    if certificate.separable is None:
        affordable = 2 * signed.rows.entries + SOLVER_STEPS * problem.solver_work(signed.count) <= multiplications
        if not affordable or not np.isfinite(signed.norms2).all():
            return None
        record_verdict(certificate, problem.decide(), signed)
        recheck_with_all_digits(certificate, problem)
    certificate.seconds = time.perf_counter() - started
    return certificate


def compare_rows(signed: SignedExamples, classes: list[object]) -> Certificate:
    """A certificate that says no if rows are identical but labelled differently, and else nothing yet."""
    certificate = Certificate(None, classes, signed.radius, signed.bias, signed=signed)
    certificate.conflicts, certificate.grain = conflicts_in_table(signed)
    if certificate.conflicts:
        certificate.separable, certificate.method = False, "comparing rows"
        certificate.proof = proof_of_conflict(signed, *certificate.conflicts[0])
    return certificate


def proof_of_conflict(signed: SignedExamples, i: int, j: int) -> Proof:
    """Two identical rows with different labels, each against the class of the other."""
    rivals = [int(signed.codes[j]), int(signed.codes[i])] if signed.vectors > 1 else None
    return Proof("identical rows", [i, j], [1, 1], rivals)


def record_verdict(certificate: Certificate, verdict: Verdict, signed: SignedExamples) -> None:
    """Puts a verdict into the certificate."""
    certificate.separable, certificate.method = verdict.separable, verdict.method
    certificate.proof = proof_of_verdict(signed, verdict)
    if verdict.separable is None and np.isfinite(verdict.margin_at_most):
        certificate.margin_at_most = verdict.margin_at_most
    if verdict.separable:
        assert verdict.plane is not None
        coef, intercept = verdict.plane
        exact = None if verdict.proof is None else verdict.proof.whole_weights()
        margin = rounding.certain_margin(signed, coef, intercept) if exact is None else exact_margin(signed, exact)
        certificate.margin = margin or 0.0
        certificate.margin_at_most = max(verdict.margin_at_most, certificate.margin)
        certificate.support = verdict.support.tolist()
        certificate.w, certificate.b = (coef[0], float(intercept[0])) if signed.vectors == 1 else (coef, intercept)


def proof_of_verdict(signed: SignedExamples, verdict: Verdict) -> Proof | None:
    """The weights or the contradiction; None where nothing was decided."""
    if verdict.proof is not None or not verdict.separable:
        return verdict.proof
    assert verdict.plane is not None
    v = np.column_stack(verdict.plane) if signed.bias else verdict.plane[0]
    return Proof("weights", verdict.support.tolist(), v.ravel().tolist())


def decide_pairs(certificate: Certificate, problem: SeparabilityProblem, verdict: Verdict) -> None:
    """A verdict for each pair of classes; two that cannot be separated prove that all cannot."""
    signed, classes = problem.signed, certificate.classes
    known = True if certificate.separable else None
    pairs = {(a, b): ClassPair((classes[a], classes[b]), known) for a, b in combinations(range(len(classes)), 2)}
    certificate.pairs = list(pairs.values())
    if certificate.separable or len(pairs) > MOST_CLASS_PAIRS:
        return
    for i, j in certificate.conflicts:
        a, b = sorted((int(signed.codes[i]), int(signed.codes[j])))
        pairs[a, b].separable, pairs[a, b].proof = False, proof_of_conflict(signed, i, j)
    undecided = [pair for pair in most_confused_first(list(pairs), signed, verdict) if pairs[pair].separable is None]
    for place, (a, b) in enumerate(undecided):
        pair, limits = pairs[a, b], problem.limits
        if not limits.left():
            break
        problem.report(f"classes {pair.classes[0]} and {pair.classes[1]}")
        numbers = np.flatnonzero((signed.codes == a) | (signed.codes == b))
        two = Examples(signed.rows.take(numbers), (signed.codes[numbers] == b).astype(np.int32), np.arange(2))
        part = SignedExamples(two, signed.bias)
        # Until one contradiction is found, the pair at hand gets half of the time; then all get the same.
        share = 0.5 if certificate.separable is None else 1 / (len(undecided) - place)
        decided = replace(problem, signed=part, limits=limits.part(share)).decide()
        pair.separable, pair.proof = decided.separable, proof_of_verdict(part, decided)
        if pair.proof is not None:
            pair.proof.rows = numbers[np.array(pair.proof.rows, dtype=int)].tolist()
        if pair.proof is not None and pair.separable is False:
            pair.proof.rivals = [a + b - int(signed.codes[row]) for row in pair.proof.rows]
            if certificate.separable is None:
                certificate.separable, certificate.proof, certificate.margin_at_most = False, pair.proof, None
                certificate.method = f"{decided.method}, on {pair.classes[0]} and {pair.classes[1]}"


def most_confused_first(pairs: list[tuple[int, int]], signed: SignedExamples, verdict: Verdict) -> list[tuple[int, int]]:
    """The pairs, those first of which the weights at hand take most rows for each other."""
    if verdict.plane is None:
        return pairs
    k = signed.vectors
    winner = score(signed.rows, *verdict.plane).argmax(axis=1)
    confused = np.bincount(signed.codes * k + winner, minlength=k * k).reshape(k, k)
    return sorted(pairs, key=lambda pair: -int(confused[pair] + confused[pair[::-1]]))
