"""Rows that contradict each other: do they in the table, or only in features that have lost digits of it?

Rows that are identical but labelled differently are the shortest proof that no function of the row separates the classes.

Features of a table are 32-bit numbers unless told otherwise. A contradiction of such features says that no line separates
the *features*; that none separates the rows is a theorem only if the rows of the proof contradict each other with all
their digits, too. Only those rows are made into features again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.features.precision import PrecisionLoss
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.certificate import Certificate, Proof
from rosenblatt.theory.problem import SeparabilityProblem
from rosenblatt.theory.signed import SignedExamples, row_blocks

MIX = np.uint64(0x9E3779B97F4A7C15)


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


def conflicting_pairs(rows: Rows, codes: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, of identical rows with different classes: the first of them with the first of each further class.

    >>> conflicting_pairs(Rows([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]), np.array([0, 1, 1, 1]))
    [(0, 2)]
    """
    marks = fingerprints(rows)
    order = np.lexsort((np.arange(rows.n), codes, marks))
    other_row = np.diff(marks[order], prepend=marks[order][:1] + np.uint64(1)) != 0
    first_of_class = other_row | (np.diff(codes[order], prepend=-1) != 0)
    heads, group = order[first_of_class], np.cumsum(other_row)[first_of_class]
    members: dict[int, list[int]] = {}
    for place in np.flatnonzero(np.bincount(group)[group] > 1):
        members.setdefault(int(group[place]), []).append(int(heads[place]))
    pairs = [(min(same), row) for same in members.values() for row in same if row != min(same)]
    return sorted(pair for pair in pairs if identical(rows, *pair))


def identical(rows: Rows, i: int, j: int) -> bool:
    """Do two rows hold the same numbers? A zero that is stored is a zero that is not."""
    a, b = (sorted((c, v) for c, v in zip(*map(np.ndarray.tolist, rows.row(k)), strict=True) if v) for k in (i, j))
    return a == b


def fingerprints(rows: Rows) -> np.ndarray:
    """A 64-bit number a row that is the same for identical rows, and almost surely differs for others."""
    random = np.random.default_rng(1958)
    keys = random.integers(1, 2**63, (rows.d,), dtype=np.uint64) | np.uint64(1)
    marks = np.zeros(rows.n, dtype=np.uint64)
    for columns, values, start, stop, ends in row_blocks(rows):
        bits = (np.ascontiguousarray(values) + 0.0).view(np.uint64)  # + 0.0: minus zero is zero
        mixed = (bits ^ (bits >> np.uint64(29))) * MIX
        mixed ^= mixed >> np.uint64(32)
        if columns is None:
            marks[start:stop] = (mixed * keys).sum(axis=1, dtype=np.uint64)
            continue
        terms = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed * keys[columns], dtype=np.uint64)])
        marks[start:stop] = terms[ends[1:]] - terms[ends[:-1]]
    return marks


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
