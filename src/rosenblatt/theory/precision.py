"""Rows that contradict each other: do they in the table, or only in features that have lost digits of it?

Features of a table are 32-bit numbers unless told otherwise. A contradiction of such features says that no line separates
the *features*; that none separates the rows is a theorem only if the rows of the proof contradict each other with all
their digits, too. Only those rows are made into features again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.features.precision import PrecisionLoss
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.certificate import Certificate, Proof
from rosenblatt.theory.conflicts import conflicting_pairs, identical
from rosenblatt.theory.problem import SeparabilityProblem
from rosenblatt.theory.signed import SignedExamples


def conflicts_in_table(signed: SignedExamples) -> tuple[list[tuple[int, int]], PrecisionLoss | None]:
    """Pairs of identical rows with different labels: those of the table, else those of the features with their grain."""
    pairs = conflicting_pairs(signed.rows, signed.codes)
    if not pairs or signed.rows.finer is None:
        return pairs, None
    numbers = np.unique(pairs)
    place = {number: k for k, number in enumerate(numbers.tolist())}
    for grain, finer in signed.rows.finer.with_more_digits(numbers, unscaled=True):
        still_identical = [(i, j) for i, j in pairs if identical(finer, place[i], place[j])]
        if not still_identical:
            return pairs, grain
        pairs = still_identical
    return pairs, None


def recheck_with_all_digits(certificate: Certificate, problem: SeparabilityProblem) -> None:
    """Gives a contradiction of features its grain if the rows of the proof do not contradict each other in finer ones."""
    if problem.signed.rows.finer is None:
        return
    for pair in certificate.pairs:
        if pair.separable is False and grain_of_proof(certificate, pair.proof, problem) is not None:
            pair.separable = None
    proved = next((pair for pair in certificate.pairs if pair.separable is False), None)
    if proved is not None and certificate.grain is not None:  # two classes contradict each other in the table, after all
        certificate.proof, certificate.grain, certificate.conflicts = proved.proof, None, []
    elif certificate.separable is False and certificate.grain is None:
        certificate.grain = grain_of_proof(certificate, certificate.proof, problem)


def grain_of_proof(certificate: Certificate, proof: Proof | None, problem: SeparabilityProblem) -> PrecisionLoss | None:
    """The grain at which these rows contradict each other while they do not, or perhaps not, at a finer one.

    Perhaps: where the user's seconds are over before the finer rows are decided.
    """
    if proof is None or proof.kind == "identical rows":  # `conflicts_in_table` has looked at all of those
        return certificate.grain
    signed = problem.signed
    numbers, place = np.unique(proof.rows, return_inverse=True)
    grain: PrecisionLoss
    for grain, finer in signed.rows.finer.with_more_digits(numbers):
        examples = Examples(finer, signed.codes[numbers], signed.examples.classes)
        finer_signed = SignedExamples(examples, signed.bias)
        same_proof = replace(proof, rows=place.tolist())
        if replace(certificate, separable=False, proof=same_proof, signed=finer_signed).check():
            continue
        verdict = replace(problem, signed=finer_signed).decide()
        if verdict.separable is not False:
            return replace(grain, surely=verdict.separable is True)
    return None
