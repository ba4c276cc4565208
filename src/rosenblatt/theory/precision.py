"""A second look at rows that contradict each other: do they in the table, or only in features that have lost digits of it?

Features of a table are 32-bit numbers unless told otherwise. A contradiction of such features says that no line separates
the *features*; that none separates the rows is a theorem only if the rows of the proof contradict each other with all
their digits, too. Only those rows are made into features again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.features.finer import Grain
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.certificate import Certificate, Proof
from rosenblatt.theory.conflicts import conflicts, identical
from rosenblatt.theory.problem import SeparabilityProblem
from rosenblatt.theory.signed import SignedExamples

AT_LEAST = 0.5  # seconds for a second look, however little time is left


def contradicting(signed: SignedExamples) -> tuple[list[tuple[int, int]], Grain | None]:
    """Pairs of identical rows with different labels: those of the table, else those of the features with their grain."""
    pairs = conflicts(signed.rows, signed.codes)
    if not pairs or signed.rows.finer is None:
        return pairs, None
    numbers = np.unique(pairs)
    place = {number: k for k, number in enumerate(numbers.tolist())}
    for grain, finer in signed.rows.finer.views(numbers, own=True):
        still = [(i, j) for i, j in pairs if identical(finer, place[i], place[j])]
        if not still:
            return pairs, grain
        pairs = still
    return pairs, None


def look_again(made: Certificate, case: SeparabilityProblem) -> None:
    """Gives a contradiction of features its grain if the rows of the proof do not contradict each other in finer ones."""
    if case.signed.rows.finer is None:
        return
    for pair in made.pairs:
        if pair.separable is False and lost(made, pair.proof, case) is not None:
            pair.separable = None
    stuck = next((pair for pair in made.pairs if pair.separable is False), None)
    if stuck is not None and made.grain is not None:  # two classes that contradict each other in the table, after all
        made.proof, made.grain, made.conflicts = stuck.proof, None, []
    elif made.separable is False and made.grain is None:
        made.grain = lost(made, made.proof, case)


def lost(made: Certificate, proof: Proof | None, case: SeparabilityProblem) -> Grain | None:
    """The grain at which these rows contradict each other while they do not, or perhaps not, at a finer one."""
    if proof is None or proof.kind == "identical rows":  # `contradicting` has looked at all of those
        return made.grain
    numbers, place = np.unique(proof.rows, return_inverse=True)
    grain: Grain
    for grain, finer in case.signed.rows.finer.views(numbers):
        part = of_rows(case.signed, numbers, finer)
        again = replace(made, separable=False, proof=replace(proof, rows=place.tolist()), signed=part)
        if again.check():
            continue
        left: Any = case.clock.left()
        found = replace(case, signed=part).decide(None if left is None else max(AT_LEAST, left))
        if found.separable is not False:
            return replace(grain, surely=found.separable is True)
    return None


def of_rows(signed: SignedExamples, numbers: np.ndarray, rows: Rows) -> SignedExamples:
    """The examples of these numbers with other features."""
    return SignedExamples(Examples(rows, signed.codes[numbers], signed.examples.classes), signed.bias)
