"""One set of signed vectors and a budget: the tools that decide it, the cheapest first."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DivergenceError, NotFiniteError
from rosenblatt.learning import training
from rosenblatt.theory import contradiction
from rosenblatt.theory.contradiction import balanced
from rosenblatt.theory.exact import combination
from rosenblatt.theory.rounding import separates
from rosenblatt.theory.separator import Separator, Solved, length, separator, shortest, solve
from rosenblatt.theory.signed import SignedExamples
from rosenblatt.theory.simplex import decide_exactly

# Multiplications in one step of the interior-point method: it takes some twenty steps, and does about 10^9 a second.
AT_ONCE, IN_A_ROUND = 5e7, 5e8
BEARABLE = 1500  # dimensions in which a round on three times as many rows still ends within seconds
EXACT_COMBINATION, ROUNDING_BOUND = "exact combination", "rounding bound"
PERCEPTRON_EPOCHS = 200  # of the perceptron, where no budget is given
POLISHES = 3
ROUNDS = 60  # of the working set, likewise


@dataclass
class Verdict:
    """What is known of one set of signed vectors."""

    separable: bool | None = None
    method: str = "the perceptron and the solver"
    coef: np.ndarray | None = None
    intercept: np.ndarray | None = None
    margin_at_most: float = np.inf
    support: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    weights: Any = ()
    kind: str = ""
    exact: list[int] | None = None  # v in whole numbers, where floats do not separate


class OutOfTimeError(Exception):
    """The perceptron's share of the budget is over."""


@dataclass
class SeparabilityProblem:
    """A set of signed vectors to be decided, until the clock says stop."""

    signed: SignedExamples
    clock: Any
    seed: int
    say: Callable[[str], None]

    def decide(self, seconds: float | None) -> Verdict:
        """The verdict, after about so many seconds at most."""
        signed = self.signed
        self.deadline = np.inf if seconds is None else time.perf_counter() + seconds
        if not signed.bias:
            empty = next((i for i in np.flatnonzero(signed.norms2 == 0) if not signed.rows.row(int(i))[1].any()), None)
            if empty is not None:
                number = int(empty) * signed.vectors + (int(signed.codes[empty]) == 0) * (signed.vectors > 1)
                return Verdict(
                    False, "looking for rows of zeros", numbers=np.array([number]), weights=[1], kind=EXACT_COMBINATION
                )
        work = self.work(signed.count)
        if work <= AT_ONCE and work / 2e7 <= self.left():
            return self.all_at_once()
        size = f"{signed.rows.n:,} rows × {signed.rows.d:,} features"
        self.say(f"{size} are too many for the solver at once ({work:.0e} operations a step): the perceptron runs first")
        weights = Weights(signed.vectors, signed.rows.d, signed.bias, sparse=not signed.rows.dense)
        # A working set smaller than the dimension can hardly contradict itself: then the perceptron is the better hope.
        share = 0.25 if self.largest_set() >= 2 * signed.dimension else 0.75
        verdict = self.working_set(self.perceptron(weights, share))
        if verdict.separable is None and np.isfinite(self.left()) and self.left() > 0.1:
            self.say("the perceptron again, for the rest of the time")
            most, verdict = verdict.margin_at_most, self.perceptron(weights, share=1.0, patient=True)
            verdict.margin_at_most = most
        return verdict

    def left(self) -> float:
        return max(0.0, self.deadline - time.perf_counter())

    def limit(self) -> float | None:
        """Seconds for a solver; None: as many as it takes."""
        return None if np.isinf(self.deadline) else self.left()

    def work(self, count: int) -> float:
        """Multiplications in a step of the solver, with so many signed vectors."""
        entries = float(np.mean(self.signed.lengths)) + self.signed.bias
        entries *= 1 if self.signed.vectors == 1 else 2
        return count * entries**2 + min(count, self.signed.dimension) ** 3 / 3

    def all_at_once(self) -> Verdict:
        """The solver on all signed vectors; where it errs, linear programs."""
        signed, numbers = self.signed, self.signed.numbers()
        solved = solve(signed, numbers, seconds=self.limit())
        verdict = Verdict(margin_at_most=shortest(signed, numbers, solved.multipliers))
        if solved.verdict and self.accept(verdict, separator(signed, numbers, solved)):
            verdict.method = "the maximum-margin program"
            return self.polish(verdict, numbers, solved)
        if self.contradict(verdict, numbers, solved):
            return verdict
        # Features of very different sizes, or a margin of next to nothing: look for any separator.
        solved = solve(signed, numbers, seconds=self.limit(), own_metric=False)
        if solved.verdict and self.accept(verdict, separator(signed, numbers, solved)):
            verdict.method = "the maximum-margin program in scaled features"
            return self.polish(verdict, numbers, solved)
        v = contradiction.widest(signed, numbers, self.limit())
        if v is not None and self.accept(verdict, separator(signed, numbers, Solved(True, v, solved.multipliers))):
            verdict.method = "a linear program"
            return verdict
        return self.exactly(verdict, numbers)

    def polish(self, verdict: Verdict, numbers: np.ndarray, solved: Solved) -> Verdict:
        """Solves again where the margin is not yet known to six digits, with tolerances that suit its size."""
        for _ in range(POLISHES):
            reached = self.reached(verdict)
            if reached >= (1 - 1e-6) * verdict.margin_at_most or self.left() < 0.05:
                break
            again = solve(self.signed, numbers, seconds=self.limit(), near=solved.v)
            if not again.verdict:
                break
            solved, found = again, separator(self.signed, numbers, again)
            verdict.margin_at_most = min(verdict.margin_at_most, found.margin_at_most)
            if not found.margin > reached or not self.accept(verdict, found):
                break
        return verdict

    def exactly(self, verdict: Verdict, numbers: np.ndarray) -> Verdict:
        """Where floats come to no verdict: whole numbers, if the set is small enough for them."""
        Z = self.signed.matrix(numbers)
        weights, v = decide_exactly(balanced(Z), self.deadline)
        if v is not None:
            verdict.method = "a linear program in whole numbers"
            largest = max(map(abs, v))
            floats = np.array([float(Fraction(value, largest)) for value in v])
            found = separator(self.signed, numbers, Solved(True, floats, np.zeros(len(numbers))))
            if not self.accept(verdict, found):  # the margin is so small that no floats near v reach it
                verdict.separable, verdict.coef, verdict.intercept = True, found.coef, found.intercept
                scale = np.tile(self.signed.scale, self.signed.vectors).tolist()
                exact = [Fraction(s) * value for s, value in zip(scale, v, strict=True)]
                common = max(value.denominator for value in exact)
                verdict.exact = [int(value * common) for value in exact]
        elif weights is not None:
            kept = np.flatnonzero(weights)
            whole = combination(self.signed.matrix(numbers[kept], scaled=False))
            if whole is not None:
                verdict.separable, verdict.numbers, verdict.weights = False, numbers[kept], whole
                verdict.kind, verdict.method = EXACT_COMBINATION, "a linear program in whole numbers"
        return verdict

    def accept(self, verdict: Verdict, found: Separator) -> bool:
        """Takes over a separator if every margin is above 0 for certain."""
        if not separates(self.signed, found.coef, found.intercept):
            return False
        verdict.separable = True
        verdict.coef, verdict.intercept, verdict.support = found.coef, found.intercept, found.support
        verdict.margin_at_most = min(verdict.margin_at_most, found.margin_at_most)
        return True

    def contradict(self, verdict: Verdict, numbers: np.ndarray, solved: Solved) -> bool:
        """Looks for a combination that vanishes, first where the solver's multipliers are large."""
        largest = solved.multipliers.max(initial=0)
        likely = np.flatnonzero(solved.multipliers > 1e-4 * largest)
        for some in [numbers[likely], numbers] if 0 < len(likely) < len(numbers) else [numbers]:
            self.say(f"a linear program over {len(some):,} rows, then exact arithmetic")
            found = contradiction.find(self.signed, some, self.limit())
            if found is not None:
                verdict.separable, verdict.numbers, verdict.weights = False, found.numbers, found.weights
                verdict.kind = EXACT_COMBINATION if isinstance(found.weights[0], int) else ROUNDING_BOUND
                verdict.method = "a linear program and exact arithmetic"
                return True
        return False

    def perceptron(self, weights: Weights, share: float, patient: bool = False) -> Verdict:
        """The perceptron's own run, a proof if an epoch has no mistake; unless patient, it gives up if it gets nowhere."""
        signed, verdict = self.signed, Verdict()
        end = time.perf_counter() + share * self.left()
        seen = [np.inf]

        def watch_time(now: training.Progress) -> None:
            if time.perf_counter() > end:
                raise OutOfTimeError

        def tell(run: training.Training) -> None:
            epochs, mistakes = len(run.history), run.history[-1].mistakes
            if epochs & (epochs - 1) == 0:
                self.say(f"perceptron, epoch {epochs}: {mistakes:,} mistakes")
                if epochs >= 16 and mistakes > 0.9 * seen[-1] and not patient:
                    raise OutOfTimeError
                seen.append(mistakes)

        epochs = PERCEPTRON_EPOCHS if np.isinf(self.deadline) else 1000 * PERCEPTRON_EPOCHS
        plan = training.Plan(epochs=epochs, seed=self.seed, fit_intercept=signed.bias)
        watch = training.Watch(epoch=tell, progress=watch_time)
        with contextlib.suppress(OutOfTimeError, DivergenceError, NotFiniteError):
            training.run(signed.examples, rules.Perceptron(), plan, weights, watch=watch)
        verdict.coef, verdict.intercept = weights.last
        if separates(signed, verdict.coef, verdict.intercept):
            verdict.separable, verdict.method = True, "the perceptron's own run"
            margins = signed.margins(verdict.coef, verdict.intercept).ravel()
            verdict.support = np.unique(signed.row_of(np.flatnonzero(margins <= margins.min())))
            self.say(f"separable: the perceptron has converged after {weights.updates:,} updates")
        else:
            verdict.coef, verdict.intercept = weights.averaged
        return verdict

    def working_set(self, verdict: Verdict) -> Verdict:
        """The solver on few vectors, then on those too that its separator gets most wrong, and so on."""
        signed = self.signed
        assert verdict.coef is not None
        assert verdict.intercept is not None
        most = self.largest_set()
        size = min(most, max(500, 2 * signed.dimension))
        numbers = lowest(signed, verdict.coef, verdict.intercept, size)
        best = self.reached(verdict) if verdict.separable else -np.inf
        took, before = 0.0, len(numbers)
        for number in range(ROUNDS):
            # A round that would not end in time is not begun.
            if self.left() < max(0.05, took * (len(numbers) / before) ** 2):
                break
            started, before = time.perf_counter(), len(numbers)
            solved = solve(signed, numbers, seconds=self.limit())
            took = time.perf_counter() - started
            if solved.verdict is None and self.left() < 0.05:
                break
            if solved.verdict is not True:
                if not verdict.separable and self.contradict(verdict, numbers, solved):
                    return verdict
                if len(numbers) >= most:
                    break
                numbers = self.joined(numbers, verdict.coef, verdict.intercept, 2 * len(numbers), most)
                continue
            found = separator(signed, numbers, solved)
            verdict.margin_at_most = min(verdict.margin_at_most, found.margin_at_most)
            known = f"{found.margin:.4g} to {verdict.margin_at_most:.4g}"
            self.say(f"round {number + 1}, {len(numbers):,} rows: the margin is {known}")
            if found.margin > best and self.accept(verdict, found):
                best, verdict.method = found.margin, "the maximum-margin program on a working set"
                if found.margin >= (1 - 1e-6) * verdict.margin_at_most:
                    return verdict
            useful = numbers[solved.multipliers > 1e-7 * solved.multipliers.max()]
            base = numbers if 1.5 * len(numbers) <= most else useful
            numbers = self.joined(base, found.coef, found.intercept, max(200, len(numbers) // 2), most)
            if len(numbers) == len(base):
                break
        return verdict

    def largest_set(self) -> int:
        """How many vectors the solver can take in a step of moderate length."""
        size = 2 * self.signed.count
        while size > 200 and self.work(size) > IN_A_ROUND:
            size = size * 3 // 4
        # Fewer rows than dimensions hardly ever contradict each other: where more are bearable, they are taken.
        if self.signed.dimension <= BEARABLE:
            size = max(size, 3 * self.signed.dimension)
        return min(size, self.signed.count)

    def reached(self, verdict: Verdict) -> float:
        assert verdict.coef is not None
        assert verdict.intercept is not None
        return float(self.signed.margins(verdict.coef, verdict.intercept).min()) / length(verdict.coef, verdict.intercept)

    def joined(self, numbers: np.ndarray, coef: np.ndarray, intercept: np.ndarray, more: int, most: int) -> np.ndarray:
        """These vectors and those with the lowest margins, `most` together."""
        others = lowest(self.signed, coef, intercept, len(numbers) + more)
        others = others[~np.isin(others, numbers)][: min(more, max(0, most - len(numbers)))]
        return np.concatenate([numbers, others])


def lowest(signed: SignedExamples, coef: np.ndarray, intercept: np.ndarray, count: int) -> np.ndarray:
    """The numbers of the vectors with the lowest margins, lowest first."""
    margins = signed.margins(coef, intercept).ravel()
    count = min(count, signed.count)
    some = np.argpartition(margins, count - 1)[:count]
    return some[np.argsort(margins[some], kind="stable")]
