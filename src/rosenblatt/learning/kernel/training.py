"""Learning where w is never built: a kernel, the examples that made mistakes, and their coefficients.

    w = Σ tau y φ(x) over the log, so   w·φ(x) = Σ tau_j y_j K(x_j, x)

It is THE loop, with the rules' own formulas, and |x|² = K(x, x). It goes in blocks: the scores of a block under the sum
so far come from one matrix of kernels, by BLAS; then the block is walked one example at a time, and every update corrects
the scores of the examples behind it. So the result is that of the loop over single examples: to the bit where the sums are
exact, as on whole numbers.

>>> from rosenblatt.learning.examples import for_classes
>>> from rosenblatt.learning.kernel.kernels import Polynomial
>>> xor = for_classes([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
>>> run = train_kernel(xor, rules.Perceptron(), Polynomial(degree=2), Plan(order="given", fit_intercept=False))
>>> run.converged, run.dual.scorer().predict([[0, 1], [1, 1]])
(True, array([1, 0]))
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.rows import is_sparse
from rosenblatt.errors import KernelError, SettingError
from rosenblatt.learning.driver import Callbacks, Counts, EpochDriver, Outcome
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.kernel.expansion import COLUMNS, Expansion, Leaving, Space
from rosenblatt.learning.kernel.kernels import Block, Given, Kernel, fitted, matrix_of, precise
from rosenblatt.learning.kernel.model import Dual
from rosenblatt.learning.learners import KERNEL, Recipe
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Design, Plan
from rosenblatt.learning.scoring import margins_and_rivals


@dataclass(frozen=True)
class Sizes:
    """How much is computed at a time: the result is the same."""

    block: int = 256  # examples whose scores are computed at once
    columns: int = COLUMNS  # rows of the sum whose kernels are
    leaving: int = 64  # the oldest rows of a sum with a budget, whose kernels with a block are computed before they leave


@dataclass
class KernelTraining(Outcome):
    """A run: what it learned, what happened, and why it ended."""

    dual: Dual

    @property
    def updates(self) -> int:
        return self.dual.updates


def train_recipe(examples: Examples, recipe: Recipe, callbacks: Callbacks | None = None) -> KernelTraining:
    """Trains as a recipe says. A bias is the constant feature of φ; where φ holds one by itself, there is no other."""
    design = KERNEL.make_design(recipe.parameters)
    kernel = fitted(design.kernel, design.degree, design.coef0, design.gamma, examples.rows)
    plan = replace(recipe.plan(), fit_intercept=recipe.fit_intercept and not kernel.has_constant)
    return train_kernel(examples, recipe.rule(), kernel, plan, design, callbacks=callbacks)


def train_kernel(
    examples: Examples,
    rule: rules.Rule,
    kernel: Kernel,
    plan: Plan,
    design: Design | None = None,
    before: Dual | None = None,
    callbacks: Callbacks | None = None,
    sizes: Sizes | None = None,
) -> KernelTraining:
    """Trains on checked examples, from 0 or onwards from what was learned before.

    `plan.fit_intercept` adds a constant feature, 1, to φ. Stopping on a tolerance or on held-out data is not for kernels.
    """
    if rule.moves_always:
        raise SettingError(f"The rule {rule.name} moves at every example: a kernel needs one that moves at mistakes only.")
    if plan.tol is not None or plan.patience is not None:
        raise SettingError("Kernel training stops by epochs or convergence only: leave out tol and patience.")
    examples.rows.refuse_not_finite()
    design = design or Design()
    if before is not None and (before.logs is None) != (design.budget is not None):
        raise SettingError("A budget is for all of the training or none of it: begin anew to change that.")
    space = Space(kernel, 1.0 if plan.fit_intercept else 0.0) if before is None else before.space
    begin = before or Dual.empty(space, examples, design.multi_class)
    return KernelRun(examples, rule, plan, design, begin, callbacks, sizes or Sizes()).go()


class KernelRun(EpochDriver[KernelTraining]):
    """Kernel training while it goes."""

    examples: Examples

    def __init__(
        self,
        examples: Examples,
        rule: rules.Rule,
        plan: Plan,
        design: Design,
        before: Dual,
        callbacks: Callbacks | None,
        sizes: Sizes,
    ):
        super().__init__(examples, rule, plan, KernelTraining(before), callbacks)
        self.core_rule, self.design, self.before, self.sizes = rule.formula(), design, before, sizes
        self.space, self.vectors = before.space, before.vectors
        X = precise(self.space.kernel, before.like_support(matrix_of(examples.rows)))
        self.X = X.astype(np.result_type(X, before.rows), copy=False) if before.t else X
        anew = before.t == 0 and design.budget is None
        self.columns = columns_in_use(self.space.kernel, self.X) if anew else None
        self.codes = examples.codes
        self.signs = before.signs(examples.codes)
        self.one_rival = before.one_rival
        self.importance = np.ones(examples.rows.n) if examples.importance is None else examples.importance
        self.start = self.t = before.t
        self.updates = np.array(before.updates_by_problem)
        self.norm2 = before.norm2
        self.entries: list[list[Any]] = [[array(kind) for kind in LOG_CODES] for _ in self.updates]  # t, row, rival, tau
        self.sum = self.empty_sum() if anew else before.as_expansion(self.X, self.sizes.columns)
        # Scores at the beginning of the epoch, so that only rows that have changed since need kernels. With a budget, and
        # where an epoch may see a row twice, the whole sum is the cheaper.
        keeps = design.budget is None and plan.order != "replacement" and plan.epochs > 1
        self.base = np.zeros((examples.rows.n, self.vectors)) if keeps else None
        self.seen: list[tuple[np.ndarray, int]] = []  # blocks of this epoch, and how long the sum was before each
        self.zero_rows = self.mistakes = 0

    def counts(self) -> Counts:
        return Counts(self.mistakes, int(self.updates.sum()), 0.0)

    def examples_seen(self) -> int:
        return self.t

    def norm(self) -> float:
        """|w|, of a sum that forgets as it is: √(Σ coef_i coef_j K(x_i, x_j))."""
        norm2 = self.norm2
        if self.design.budget is not None:
            norm2 = float((self.sum.coef * self.sum.scores(self.sum.rows)).sum())
        return float(np.sqrt(max(norm2, 0.0)))

    def begin_epoch(self, number: int) -> None:
        """Brings the scores of all rows to the end of the last epoch: what each block has not seen are the rows after it."""
        if self.base is None or number == 1:
            return
        for numbers, length in self.seen:
            if length < len(self.sum):
                self.base[numbers] += self.sum.scores(self.rows_at(numbers), since=length)
        self.seen = []
        self.sum = self.empty_sum()

    def learn(self, row_numbers: np.ndarray | None, place: int, stop: int) -> int:
        """A block of rows, one after the other."""
        end = min(stop, place + self.sizes.block)
        self.block(np.arange(place, end, dtype=np.int32) if row_numbers is None else row_numbers[place:end].copy())
        return end

    def empty_sum(self) -> Expansion:
        return Expansion(self.space, self.rows_at(slice(0)), self.vectors, self.sizes.columns)

    def rows_at(self, numbers: np.ndarray | slice) -> Block:
        """A block of rows, with the columns that products need."""
        return self.X[numbers] if self.columns is None else self.X[numbers].take(self.columns, axis=1)

    def block(self, numbers: np.ndarray) -> None:
        """Learns from these rows, one after the other."""
        A = self.rows_at(numbers)
        scores = self.sum.scores(A)
        self.leaving = Leaving(self.sum, A, self.sizes.leaving)
        if self.base is not None:
            scores += self.base[numbers]
            self.base[numbers] = scores
            self.seen.append((numbers, len(self.sum)))
        # Row k of G holds the products of every example of the block with example k, which may be the one that moves.
        G = np.ascontiguousarray(self.space.products(A, A).T)
        self.space.refuse_negative(np.diagonal(G))
        walk = self.walk_with_rivals if self.one_rival else self.walk
        margins = walk(numbers, A, scores, G)
        wrong = (margins <= 0).any(axis=1)
        self.mistakes += int(wrong.sum())
        self.zero_rows += int((wrong & (np.diagonal(G) == 0)).sum())
        self.t += len(numbers)

    def walk(self, numbers: np.ndarray, A: Block, scores: np.ndarray, G: np.ndarray) -> np.ndarray:
        """Two classes, or each against the rest: the margins that the examples had when their turn came."""
        signs = self.signs[numbers]
        margins: np.ndarray = np.multiply(signs, scores, order="C")
        flat = margins.reshape(-1)
        place = self.core_rule.first_move(flat, 0)
        while place < len(flat):
            k, c = divmod(place, self.vectors)
            tau = self.tau(numbers, k, c, flat[place], G[k, k])
            if tau:
                step = tau * signs[k, c]
                margins[k + 1 :, c] += signs[k + 1 :, c] * (step * G[k, k + 1 :])
                self.record(c, int(numbers[k]), k, -1, tau)
                self.sum.add(self.before.rows_seen + int(numbers[k]), A, k, c, step)
            place = self.core_rule.first_move(flat, place + 1)
            if self.over_budget() and place >= (k + 1) * self.vectors:  # when every class has had its turn
                margins[k + 1 :] -= signs[k + 1 :] * self.leaving.drop_oldest(k + 1)
                place = self.core_rule.first_move(flat, (k + 1) * self.vectors)
        return margins

    def walk_with_rivals(self, numbers: np.ndarray, A: Block, scores: np.ndarray, G: np.ndarray) -> np.ndarray:
        """Many classes, each example against its one rival."""
        right = self.codes[numbers].astype(np.intp)
        margins, rivals = margins_and_rivals(scores, right)
        k = self.core_rule.first_move(margins, 0)
        while k < len(margins):
            tau = self.tau(numbers, k, 0, margins[k], 2 * G[k, k])  # the update moves by two copies of x
            if tau:
                behind, rival = slice(k + 1, None), int(rivals[k])
                scores[behind, right[k]] += tau * G[k, behind]
                scores[behind, rival] -= tau * G[k, behind]
                self.record(0, int(numbers[k]), k, rival, tau)
                number = self.before.rows_seen + int(numbers[k])
                self.sum.add(number, A, k, int(right[k]), tau)
                self.sum.add(number, A, k, rival, -tau)
                if self.over_budget():
                    scores[behind] -= self.leaving.drop_oldest(k + 1)
                margins[behind], rivals[behind] = margins_and_rivals(scores[behind], right[behind])
            k = self.core_rule.first_move(margins, k + 1)
        return np.asarray(margins[:, None])

    def tau(self, numbers: np.ndarray, k: int, problem: int, margin: float, size: float) -> float:
        """How far example k of the block moves; a row of norm 0 never divides."""
        if size == 0:
            return 0.0
        rate = self.core_rule.rate_at(int(self.updates[problem]) + 1, self.t + k + 1)
        tau = float(self.core_rule.weighted_tau(margin, size, rate, self.importance[numbers[k]]))
        if not math.isfinite(tau) or not math.isfinite(margin):
            raise KernelError(f"Row {numbers[k]} has |φ(x)|² = {size:g}: a step of that size overflows. Scale the features.")
        self.norm2 += tau * (2 * margin + tau * size)  # |w + tau y φ|² = |w|² + 2 tau margin + tau² |φ|²
        return tau

    def record(self, problem: int, number: int, k: int, rival: int, tau: float) -> None:
        self.updates[problem] += 1
        if self.design.budget is None:
            entry = self.t + k, self.before.rows_seen + number, rival, tau
            for column, value in zip(self.entries[problem], entry, strict=True):
                column.append(value)

    def over_budget(self) -> bool:
        return self.design.budget is not None and len(self.sum) > self.design.budget

    def no_row_would_move(self) -> bool:
        pool = self.pool()
        for start in range(0, len(pool), self.sizes.block):
            numbers = pool[start : start + self.sizes.block]
            A = self.rows_at(numbers)
            scores = self.sum.scores(A)
            if self.one_rival:
                margins = margins_and_rivals(scores, self.codes[numbers].astype(np.intp))[0]
            else:
                margins = (self.signs[numbers] * scores).reshape(-1)
            place = self.core_rule.first_move(margins, 0)
            while place < len(margins):
                row = place * len(numbers) // len(margins)
                if self.space.products(A[row : row + 1], A[row : row + 1])[0, 0] > 0:
                    return False
                place = self.core_rule.first_move(margins, place + 1)
        return True

    def finish(self) -> KernelTraining:
        self.outcome.zero_rows = self.zero_rows
        grown = replace(
            self.before,
            updates_by_problem=tuple(self.updates.tolist()),
            t=self.t,
            rows_seen=self.before.rows_seen + self.examples.rows.n,
            norm2=self.norm2,
        )
        self.outcome.dual = self.with_log(grown) if self.design.budget is None else self.without_log(grown)
        return self.outcome

    def with_log(self, dual: Dual) -> Dual:
        """With logs longer by this run, and the rows that they speak of, in the order of their first updates."""
        before = self.before
        assert before.logs is not None
        more = [Log(*map(np.array, entries)) for entries in self.entries]
        t, rows = (np.concatenate([getattr(log, name) for log in more]) for name in ("t", "row"))
        moved = rows[np.lexsort((rows, t))].astype(np.int64)
        numbers = moved[np.sort(np.unique(moved, return_index=True)[1])]
        new = numbers[numbers >= before.rows_seen] - before.rows_seen
        dual = replace(
            dual,
            support=np.concatenate([before.support, new + before.rows_seen]),
            codes=np.concatenate([before.codes, self.codes[new]]),
            rows=stack_rows(before.rows.astype(self.X.dtype), self.X[new]),
            logs=tuple(join_logs(*logs) for logs in zip(before.logs, more, strict=True)),
        )
        return replace(dual, coef=dual.summed([(log, 1.0) for log in dual.placed_logs(dual.t)]))

    def without_log(self, dual: Dual) -> Dual:
        """With the rows that are in the sum, and their coefficients."""
        before, numbers = self.before, self.sum.numbers
        known = dict(zip(before.support.tolist(), before.codes.tolist(), strict=True))
        codes = [known[n] if n < before.rows_seen else self.codes[n - before.rows_seen] for n in numbers]
        support, codes_of_rows = np.array(numbers, np.int64), np.array(codes, np.int32)
        coef, rows = self.sum.coef.copy(), self.sum.rows.copy()
        return replace(dual, support=support, codes=codes_of_rows, rows=rows, coef=coef, logs=None)


def columns_in_use(kernel: Kernel, X: Block) -> np.ndarray | None:
    """The columns of dense rows that are not 0 throughout; None: all, or those of a kernel that only its author knows."""
    if is_sparse(X) or isinstance(kernel, Given):
        return None
    used = np.flatnonzero(X.any(axis=0))
    return used if len(used) < X.shape[1] else None


def stack_rows(one: Block, other: Block) -> Block:
    """Rows of one above rows of the other."""
    if not is_sparse(one):
        return np.concatenate([one, other])
    from scipy.sparse import vstack

    return vstack([one, other], format="csr")


def join_logs(one: Log, other: Log) -> Log:
    """One log after the other."""
    return Log(*(np.concatenate([getattr(log, name) for log in (one, other)]) for name in ("t", "row", "rival", "tau")))


LOG_CODES = "qiid"  # the types of a log's columns, as `array` names them
