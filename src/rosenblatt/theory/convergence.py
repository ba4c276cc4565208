"""The convergence proof along a run: two curves that must cross.

Every update adds tau z to θ, z = y (x, 1) (with more than two classes +x for the right one and −x for the rival). Then

    θ·θ* ≥ θ₀·θ* + γ Σ tau            for every unit vector θ* with margin γ, since z·θ* ≥ γ
    |θ|² ≤ |θ₀|² + R² c Σ tau²        since z·θ is small where θ is moved

with c = 1 for the perceptron and MIRA, which move at margins ≤ 0, and (1 + p)/(1 − p) for p-aggressive MIRA, which lands on
margin 1 from below p. For the perceptron from 0 that is kγ ≤ θ·θ* ≤ |θ| ≤ √k R, so k ≤ R²/γ² (Block 1962; Novikoff 1962).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.scoring import Model, example_margins
from rosenblatt.theory.bounds import Bound, NoBound, ProblemGeometry, bound_for
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.margins import radius
from rosenblatt.theory.separability import certify
from rosenblatt.theory.walk import Walk


@dataclass(frozen=True)
class ProofQuantities:
    """The proof's quantities after a step; None where the theory says nothing."""

    norm: float  # |θ|
    along: float | None  # θ·θ*
    cosine: float | None
    lower: float | None  # what θ·θ* is at least
    upper: float | None  # what |θ| is at most


class ConvergenceProof:
    """A walk beside a separator.

    >>> from rosenblatt.theory.walk import walk
    >>> run = walk([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], order="given", every="update")
    >>> proof = ConvergenceProof(run, separator=([2, 2], -1))
    >>> print(proof.bound)
    at most R²/γ² = 27 updates (Block 1962; Novikoff 1962)
    >>> for step in run:
    ...     quantities = proof.quantities_after(step.updates, step.coef, step.intercept)
    ...     print(f"{quantities.lower:.3f} ≤ {quantities.along:.3f}   {quantities.norm:.3f} ≤ {quantities.upper:.3f}")
    0.333 ≤ 1.000   1.732 ≤ 1.732
    0.667 ≤ 1.667   2.062 ≤ 2.449
    1.000 ≤ 2.000   2.062 ≤ 3.000
    """

    def __init__(self, walk: Walk, separator: tuple[Any, Any] | None = None, certificate: Certificate | None = None):
        """Beside the separator (w, b) that is given, or else that of a certificate, where there is one."""
        examples, bias = walk.examples, walk.plan.fit_intercept
        self.walk, self.certificate, obstacle = walk, certificate, ""
        self.best = separator is None and certificate is not None and certificate.optimal  # has it the largest margin?
        if separator is None and certificate is not None:
            separator, obstacle = (certificate.w, certificate.b) if certificate.separable else None, certificate.obstacle
        self.radius = radius(examples.rows, bias)
        self.gamma: float | None = None
        self.star: np.ndarray | None = None
        if separator is not None:
            self.star, self.gamma = unit_separator(examples, bias, separator)
        classes = 2 if examples.classes is None else len(examples.classes)
        weighted = examples.importance is not None
        self.geometry = ProblemGeometry(
            self.radius, self.gamma, classes, walk.from_zero, weighted, walk.training.against_rest
        )
        self.bound: Bound | NoBound = bound_for(walk.rule, self.geometry)
        if not self.bound and self.gamma is None and obstacle:
            self.bound = NoBound(obstacle)
        log = walk.training.log
        assert log is not None
        self.sums = np.append(0.0, np.cumsum(log.tau)), np.append(0.0, np.cumsum(log.tau**2))
        self.logged = len(log) == walk.training.weights.updates
        self.theta0 = flat(*walk.start.last, bias)

    @property
    def equal_steps(self) -> bool:
        """Are the curves kγ and √k R: equal steps of 1 from 0?"""
        return self.walk.rule == rules.Perceptron() and self.walk.from_zero and self.walk.examples.importance is None

    def quantities_after(self, updates: int, coef: np.ndarray, intercept: np.ndarray) -> ProofQuantities:
        """The quantities where there have been so many updates and the weights are these."""
        theta = flat(coef, intercept, self.walk.plan.fit_intercept)
        norm = float(np.linalg.norm(theta))
        along = cosine = None
        if self.star is not None:
            along = float(theta @ self.star)
            cosine = along / norm if norm else None
        return ProofQuantities(norm, along, cosine, self.lower(updates), self.upper(updates))

    def lower(self, updates: int) -> float | None:
        """θ₀·θ* + γ Σ tau."""
        if self.star is None or self.gamma is None or not self.logged or not self.walk.adds_rows:
            return None
        return float(self.theta0 @ self.star + self.gamma * self.sums[0][updates])

    def upper(self, updates: int) -> float | None:
        """√(|θ₀|² + R² c Σ tau²)."""
        growth = norm_growth(self.walk.rule)
        if growth is None or self.walk.examples.importance is not None:
            return None
        return math.sqrt(float(self.theta0 @ self.theta0) + self.geometry.update_norm2 * growth * self.sums[1][updates])


def norm_growth(rule: rules.Rule) -> float | None:
    """c in |θ|² ≤ |θ₀|² + R² c Σ tau²: an update from margin m adds 2 tau m + tau² |z|².

    For MIRA, tau = (1 − m)/|z|², so that is tau² |z|² (1 + m)/(1 − m), which grows with m < p.
    """
    if isinstance(rule, rules.Perceptron):
        return 1.0
    if isinstance(rule, rules.Mira):
        return (1 + rule.p) / (1 - rule.p)
    return None


def flat(coef: np.ndarray, intercept: np.ndarray, bias: bool) -> np.ndarray:
    """θ: the weights of all classes, with their biases, as one vector."""
    return np.append(np.ravel(coef), intercept) if bias else np.ravel(coef)


def unit_separator(examples: Examples, bias: bool, separator: tuple[Any, Any]) -> tuple[np.ndarray, float]:
    """(θ* of length 1, its margin on the examples, evaluated)."""
    coef = np.asarray(separator[0], dtype=float).reshape(examples.vectors, examples.rows.d)
    intercept = np.asarray(separator[1], dtype=float).reshape(-1) * np.ones(examples.vectors)
    theta = flat(coef, intercept, bias)
    length = float(np.linalg.norm(theta))
    margins = example_margins(Model(examples.classes, coef, intercept), examples)[examples.pool()]
    return theta / length, float(margins.min()) / length


def prove(walk: Walk, seconds: float | None = None) -> ConvergenceProof:
    """The proof beside a walk, with the best separator that `certify` finds in so many seconds."""
    examples = walk.examples
    labels = examples.classes[examples.codes]
    return ConvergenceProof(walk, certificate=certify(examples.rows, labels, walk.plan.fit_intercept, seconds=seconds))
