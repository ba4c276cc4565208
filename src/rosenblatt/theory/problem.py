"""One set of signed vectors to decide: the tools, the cheapest first."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights, weights_norm
from rosenblatt.errors import DivergenceError, NotFiniteError
from rosenblatt.learning import training
from rosenblatt.learning.driver import Callbacks, Progress
from rosenblatt.learning.plan import Plan
from rosenblatt.theory.certificate import Proof
from rosenblatt.theory.contradiction import find_combination, proof_by, separator_by_linear_program, with_even_rows
from rosenblatt.theory.exact import decide_exactly, exact_combination, exact_margin
from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.rounding import separates
from rosenblatt.theory.separator import Separator, SolverAnswer, margin_limit, separator_of, solve
from rosenblatt.theory.signed import SignedExamples, SignedSubset

MULTIPLICATIONS_A_SECOND = 2e7  # of one step of the solver, as it takes some twenty
SECONDS_OF_A_STEP = 0.05  # nothing is begun with less
BEARABLE = 1500  # dimensions in which a round on three times as many rows still ends within seconds
POLISHES = 3
OPTIMAL = 1 - 1e-6  # share of the largest possible margin from which the solver is done


@dataclass
class Verdict:
    """What is known of one set of signed vectors."""

    separable: bool | None = None
    method: str = "the perceptron and the solver"
    plane: tuple[np.ndarray, np.ndarray] | None = None  # (coef, intercept), the best so far, separating or not
    margin_at_most: float = np.inf
    support: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    proof: Proof | None = None  # where not separable, or where only whole numbers separate; else the plane is the proof

    def refute(self, proof: Proof, method: str) -> None:
        self.separable, self.proof, self.method = False, proof, method


class OutOfTimeError(Exception):
    """The perceptron's share of the time is over, or it gets nowhere."""


def ignore(sentence: str) -> None:
    """Says nothing."""


@dataclass(frozen=True)
class SeparabilityProblem:
    """Signed vectors z: is there a v with z·v > 0 for all of them? `report` gets sentences about what is being tried."""

    signed: SignedExamples
    limits: SearchLimits = field(default_factory=SearchLimits)
    seed: int = 0  # of the perceptron's order
    report: Callable[[str], None] = ignore

    def decide(self) -> Verdict:
        """The verdict; undecided where the limits end the search before."""
        signed, limits = self.signed, self.limits
        zero_row = None if signed.bias else self.zero_row()
        if zero_row is not None:
            return Verdict(False, "looking for rows of zeros", proof=zero_row)
        work = self.solver_work(signed.count)
        if work <= limits.solver_work and work / MULTIPLICATIONS_A_SECOND <= limits.left():
            return self.solve_all_at_once()
        size = f"{signed.rows.n:,} rows × {signed.rows.d:,} features"
        self.report(f"{size} are too many for the solver at once ({work:.0e} operations a step): the perceptron runs first")
        weights = Weights(signed.vectors, signed.rows.d, signed.bias, sparse=not signed.rows.dense)
        # A working set smaller than the dimension can hardly contradict itself: then the perceptron is the better hope.
        share = 0.25 if self.largest_set() >= 2 * signed.dimension else 0.75
        verdict = self.solve_working_sets(self.run_perceptron(weights, share))
        if verdict.separable is None and limits.timed and limits.left() > 2 * SECONDS_OF_A_STEP:
            self.report("the perceptron again, for the rest of the time")
            most, verdict = verdict.margin_at_most, self.run_perceptron(weights, share=1.0, patient=True)
            verdict.margin_at_most = most
        return verdict

    def zero_row(self) -> Proof | None:
        """A row of zeros, whose score is 0 without a bias, and so its own contradiction."""
        signed = self.signed
        for row in np.flatnonzero(signed.norms2 == 0).tolist():
            if not signed.rows.row(row)[1].any():
                any_rival = int(signed.codes[row] == 0) if signed.vectors > 1 else 0
                return proof_by(SignedSubset(signed, np.array([row * signed.vectors + any_rival])), [1])
        return None

    def solver_work(self, count: int) -> float:
        """Multiplications in a step of the solver, with so many signed vectors."""
        entries = float(np.mean(self.signed.lengths)) + self.signed.bias
        entries *= 1 if self.signed.vectors == 1 else 2
        return count * entries**2 + min(count, self.signed.dimension) ** 3 / 3

    def solve_all_at_once(self) -> Verdict:
        """The solver on all signed vectors; where it errs, linear programs."""
        vectors, limits = self.signed.all(), self.limits
        answer = solve(vectors, seconds=limits.seconds_left())
        verdict = Verdict(margin_at_most=margin_limit(vectors, answer.multipliers))
        if answer.separable and self.accept(verdict, separator_of(vectors, answer), "the maximum-margin program"):
            return self.polish(verdict, vectors, answer)
        if self.contradict(verdict, vectors, answer):
            return verdict
        # Features of very different sizes, or a margin of next to nothing: look for any separator.
        answer, method = solve(vectors, seconds=limits.seconds_left(), own_metric=False), "the maximum-margin program"
        if answer.separable and self.accept(verdict, separator_of(vectors, answer), f"{method} in scaled features"):
            return self.polish(verdict, vectors, answer)
        v = separator_by_linear_program(vectors, limits.seconds_left())
        if v is not None:
            answer = SolverAnswer(True, v, answer.multipliers)
            if self.accept(verdict, separator_of(vectors, answer), "a linear program"):
                return verdict
        return self.decide_in_whole_numbers(verdict, vectors)

    def polish(self, verdict: Verdict, vectors: SignedSubset, answer: SolverAnswer) -> Verdict:
        """Solves again where the margin is not yet known to six digits, with tolerances that suit its size."""
        for _ in range(POLISHES):
            margin = self.margin(verdict)
            if margin >= OPTIMAL * verdict.margin_at_most or self.limits.left() < SECONDS_OF_A_STEP:
                break
            answer = solve(vectors, seconds=self.limits.seconds_left(), near=answer.v)
            if not answer.separable:
                break
            separator = separator_of(vectors, answer)
            verdict.margin_at_most = min(verdict.margin_at_most, separator.margin_at_most)
            if not separator.margin > margin or not self.accept(verdict, separator, verdict.method):
                break
        return verdict

    def decide_in_whole_numbers(self, verdict: Verdict, vectors: SignedSubset) -> Verdict:
        """Where floats come to no verdict: the simplex method in whole numbers, if the set is small enough for it."""
        method = "a linear program in whole numbers"
        weights, v = decide_exactly(with_even_rows(vectors.matrix()), self.limits)
        if v is not None:
            largest = max(map(abs, v))
            floats = np.array([float(Fraction(value, largest)) for value in v])
            separator = separator_of(vectors, SolverAnswer(True, floats, np.zeros(len(vectors))))
            if not self.accept(verdict, separator, method):  # the margin is so small that no floats near v reach it
                scale = np.tile(self.signed.scale, self.signed.vectors).tolist()
                exact = [Fraction(s) * value for s, value in zip(scale, v, strict=True)]
                common = max(value.denominator for value in exact)
                whole = [int(value * common) for value in exact]
                # Numbers that scaling makes subnormal were rounded: what counts is the rows themselves.
                if exact_margin(self.signed, whole) is not None:
                    verdict.separable, verdict.method, verdict.plane = True, method, (separator.coef, separator.intercept)
                    verdict.proof = Proof("exact weights", [], whole)
        elif weights is not None:
            chosen = vectors.take(np.flatnonzero(weights))
            combination = exact_combination(chosen.matrix(scaled=False))
            if combination is not None:
                verdict.refute(proof_by(chosen, combination), method)
        return verdict

    def accept(self, verdict: Verdict, separator: Separator, method: str) -> bool:
        """Takes over a separator if every margin is above 0 for certain."""
        if not separates(self.signed, separator.coef, separator.intercept):
            return False
        verdict.separable, verdict.method = True, method
        verdict.plane, verdict.support = (separator.coef, separator.intercept), separator.support
        verdict.margin_at_most = min(verdict.margin_at_most, separator.margin_at_most)
        return True

    def contradict(self, verdict: Verdict, vectors: SignedSubset, answer: SolverAnswer) -> bool:
        """Looks for a combination that vanishes, first where the solver's multipliers are large."""
        likely = vectors.take(answer.multipliers > 1e-4 * answer.multipliers.max(initial=0))
        for some in [likely, vectors] if 0 < len(likely) < len(vectors) else [vectors]:
            self.report(f"a linear program over {len(some):,} rows, then exact arithmetic")
            proof = find_combination(some, self.limits)
            if proof is not None:
                verdict.refute(proof, "a linear program and exact arithmetic")
                return True
        return False

    def run_perceptron(self, weights: Weights, share: float, patient: bool = False) -> Verdict:
        """The perceptron's own run, a proof if an epoch has no mistake.

        It ends after this share of the user's seconds, or without them after a number of epochs; unless patient also
        where epochs hardly bring fewer mistakes.
        """
        signed, verdict, limits = self.signed, Verdict(), self.limits.part(share)
        earlier = np.inf

        def watch_time(now: Progress) -> None:
            if not limits.left():
                raise OutOfTimeError

        def watch_mistakes(run: training.Training) -> None:
            nonlocal earlier
            epochs, mistakes = len(run.history), run.history[-1].mistakes
            if epochs & (epochs - 1) == 0:
                self.report(f"perceptron, epoch {epochs}: {mistakes:,} mistakes")
                if epochs >= 16 and mistakes > 0.9 * earlier and not patient:
                    raise OutOfTimeError
                earlier = mistakes

        epochs = limits.perceptron_epochs * (1000 if limits.timed else 1)
        plan = Plan(epochs=epochs, seed=self.seed, fit_intercept=signed.bias)
        callbacks = Callbacks(epoch=watch_mistakes, progress=watch_time)
        with contextlib.suppress(OutOfTimeError, DivergenceError, NotFiniteError):
            training.run(signed.examples, rules.Perceptron(), plan, weights, callbacks=callbacks)
        if separates(signed, *weights.last):
            verdict.separable, verdict.method, verdict.plane = True, "the perceptron's own run", weights.last
            margins = signed.margins(*verdict.plane).ravel()
            verdict.support = np.unique(signed.row_of(np.flatnonzero(margins <= margins.min())))
            self.report(f"separable: the perceptron has converged after {weights.updates:,} updates")
        else:
            verdict.plane = weights.averaged
        return verdict

    def solve_working_sets(self, verdict: Verdict) -> Verdict:
        """The solver on few vectors, then on those too that its separator gets most wrong, and so on.

        It ends where the margin is known to six digits, the set contradicts itself or gains no vector, after a number
        of rounds, or where the next round would not end within the user's seconds.
        """
        signed, limits = self.signed, self.limits
        assert verdict.plane is not None
        most = self.largest_set()
        size = min(most, max(500, 2 * signed.dimension))
        vectors = SignedSubset(signed, signed.lowest_margins(*verdict.plane, size))
        best = self.margin(verdict) if verdict.separable else -np.inf
        took, before = 0.0, len(vectors)
        for number in range(limits.rounds):
            if limits.left() < max(SECONDS_OF_A_STEP, took * (len(vectors) / before) ** 2):
                break
            started, before = time.perf_counter(), len(vectors)
            answer = solve(vectors, seconds=limits.seconds_left())
            took = time.perf_counter() - started
            if answer.separable is None and limits.left() < SECONDS_OF_A_STEP:
                break
            if answer.separable is not True:
                if not verdict.separable and self.contradict(verdict, vectors, answer):
                    return verdict
                if len(vectors) >= most:
                    break
                vectors = self.with_lowest_margins(vectors, verdict.plane, min(most, 3 * len(vectors)))
                continue
            separator = separator_of(vectors, answer)
            verdict.margin_at_most = min(verdict.margin_at_most, separator.margin_at_most)
            known = f"{separator.margin:.4g} to {verdict.margin_at_most:.4g}"
            self.report(f"round {number + 1}, {len(vectors):,} rows: the margin is {known}")
            method = "the maximum-margin program on a working set"
            if separator.margin > best and self.accept(verdict, separator, method):
                best = separator.margin
                if best >= OPTIMAL * verdict.margin_at_most:
                    return verdict
            useful = vectors.take(answer.multipliers > 1e-7 * answer.multipliers.max())
            base = vectors if 1.5 * len(vectors) <= most else useful
            plane, more = (separator.coef, separator.intercept), max(200, len(vectors) // 2)
            vectors = self.with_lowest_margins(base, plane, min(most, len(base) + more))
            if len(vectors) == len(base):
                break
        return verdict

    def largest_set(self) -> int:
        """How many vectors the solver can take in a step of moderate length."""
        size = 2 * self.signed.count
        while size > 200 and self.solver_work(size) > self.limits.round_work:
            size = size * 3 // 4
        # Fewer rows than dimensions hardly ever contradict each other: where more are bearable, they are taken.
        if self.signed.dimension <= BEARABLE:
            size = max(size, 3 * self.signed.dimension)
        return min(size, self.signed.count)

    def margin(self, verdict: Verdict) -> float:
        """The least z·v / |v| of the plane at hand."""
        assert verdict.plane is not None
        return float(self.signed.margins(*verdict.plane).min()) / weights_norm(*verdict.plane)

    def with_lowest_margins(self, vectors: SignedSubset, plane: tuple[np.ndarray, np.ndarray], size: int) -> SignedSubset:
        """These vectors and those with the lowest margins, so many together."""
        lowest = self.signed.lowest_margins(*plane, size)
        others = lowest[~np.isin(lowest, vectors.numbers)][: max(0, size - len(vectors))]
        return SignedSubset(self.signed, np.concatenate([vectors.numbers, others]))
