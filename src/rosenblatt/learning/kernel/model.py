"""What kernel training gives: support examples and the log of their updates, which score and predict in several views.

    last       Σ tau y K(x_j, x)                          the weights at the end
    averaged   Σ tau y (T − t) / T K(x_j, x)              their mean after every one of T examples
    voted      Σ_k c_k sign(w_k·φ(x))                     every weight vector votes as often as the examples that it survived
    random     w_k·φ(x), k drawn for each row by c_k

All of them come from one run, and from one matrix of kernels, in blocks: of the rows to decide about with the support
examples. With every class against the rest, each has votes of its own, and the most win (Freund & Schapire, 1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.engine import order
from rosenblatt.engine.rows import Rows, is_sparse
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.influences import Influences, deciding_vectors, ranked
from rosenblatt.learning.kernel import kernels
from rosenblatt.learning.kernel.expansion import Expansion, Space
from rosenblatt.learning.kernel.kernels import Block, matrix_of, precise
from rosenblatt.learning.learners import KERNEL_VIEWS
from rosenblatt.learning.log import Log, restored_rows, stored_rows, within
from rosenblatt.learning.scoring import Scorer, as_rows
from rosenblatt.learning.votes import Survivors, count_votes

KERNELS_AT_A_TIME = 2**20  # kernel values at a time in a prediction: what bounds its memory
LEAST_ROWS, MOST_ROWS = 16, 1024  # in a block


@dataclass(frozen=True)
class View:
    """Which of the run's weights decide, after how many of its examples (None: all), and the seed of random ones."""

    name: str = "last"
    after: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.name not in KERNEL_VIEWS:
            raise SettingError(f"There is no view {self.name!r}: choose {', '.join(map(repr, KERNEL_VIEWS))}.")


@dataclass(frozen=True)
class Dual:
    """Support examples in the order of their first updates, and a log for each problem: one, or one a class with "ovr"."""

    space: Space
    classes: np.ndarray
    one_rival: bool  # many classes in one problem; else one vector a problem
    rows: Block  # the support examples, dense or CSR
    support: np.ndarray  # their numbers among all rows ever seen
    codes: np.ndarray  # their classes
    coef: np.ndarray  # support × vectors, of the last weights
    logs: tuple[Log, ...] | None  # None with a budget: what has gone is forgotten
    updates_by_problem: tuple[int, ...]
    t: int = 0  # examples seen
    rows_seen: int = 0
    norm2: float = 0.0  # |w|², the constant feature counted

    @classmethod
    def empty(cls, space: Space, examples: Examples, multi_class: str) -> Dual:
        """w = 0."""
        X, vectors = matrix_of(examples.rows), examples.vectors
        one_rival = vectors > 1 and multi_class == "one_rival"
        problems = 1 if one_rival else vectors
        none = np.zeros(0, np.int64)
        logs = (Log(),) * problems
        coef = np.zeros((0, vectors))
        return cls(space, examples.classes, one_rival, X[:0], none, none.astype(np.int32), coef, logs, (0,) * problems)

    @property
    def vectors(self) -> int:
        return int(self.coef.shape[1])

    @property
    def updates(self) -> int:
        return sum(self.updates_by_problem)

    def signs(self, codes: np.ndarray) -> np.ndarray:
        """±1 for every row and vector: is this its class?"""
        own = codes[:, None] == (np.ones(1) if self.vectors == 1 else np.arange(self.vectors))
        return np.where(own, 1.0, -1.0)

    def like_support(self, X: Block) -> Block:
        """Rows of the kind, dense or CSR, that the support examples have."""
        if is_sparse(self.rows) == is_sparse(X):
            return X
        if is_sparse(X):
            return X.toarray()
        from scipy.sparse import csr_array

        return csr_array(X)

    def as_expansion(self, X: Block, columns: int) -> Expansion:
        """The last weights as a sum that can grow by rows like X."""
        total = Expansion(self.space, X, self.vectors, columns)
        total.replace_by(self.support.tolist(), self.rows.astype(X.dtype), self.coef)
        return total

    def summed(self, logs: list[tuple[Log, np.ndarray | float]]) -> np.ndarray:
        """The coefficients, support × vectors, that the problems' updates, times these factors, add up to."""
        parts = [log.dual(self.problem_codes(p), self.problem_vectors, factors) for p, (log, factors) in enumerate(logs)]
        return np.ascontiguousarray(np.concatenate(parts).T)

    @property
    def problem_vectors(self) -> int:
        """Vectors that one log speaks of."""
        return self.vectors if self.one_rival else 1

    def problem_codes(self, problem: int) -> np.ndarray:
        """The support examples' classes as this problem sees them."""
        return self.codes if self.one_rival or self.vectors == 1 else (self.codes == problem).astype(np.int32)

    def scorer(self, view: View | None = None) -> KernelScorer:
        """What predicts in this view (the last weights)."""
        return KernelScorer(self, view or View())

    def scorer_called(self, name: str, seed: int) -> KernelScorer:
        """What predicts in the view of this name, which the run must have."""
        if name != "last":
            self.placed_logs(0)  # says why not
        return self.scorer(View(name, seed=seed))

    def scores_in(self, X: Any, views: Sequence[View], most_rows: int = MOST_ROWS) -> list[np.ndarray]:
        """The scores in several views, from one matrix of kernels, of at most so many rows at a time."""
        rows = as_rows(X, self.rows.shape[1])
        rows.refuse_not_finite()
        A = precise(self.space.kernel, matrix_of(rows))
        support = self.rows.astype(np.result_type(A, self.rows), copy=False)
        ballots = [Ballot(self, view, rows.n) for view in views]
        needed = max((ballot.needs for ballot in ballots), default=0)
        height = min(most_rows, max(LEAST_ROWS, KERNELS_AT_A_TIME // max(1, needed)))
        in_views = [np.zeros((rows.n, self.vectors)) for _ in views]
        for start in range(0, rows.n, height):
            part = slice(start, min(start + height, rows.n))
            block = self.like_support(A[part]).astype(support.dtype, copy=False)
            products = self.space.products(block, support[:needed])
            for scores, ballot in zip(in_views, ballots, strict=True):
                scores[part] = ballot.count(products, part)
        return [scores[:, 0] if self.vectors == 1 else scores for scores in in_views]

    def placed_logs(self, after: int) -> list[Log]:
        """The logs of the first `after` examples, with the places of support examples for row numbers."""
        if self.logs is None:
            raise SettingError(
                "With a budget there are only the last weights: averages and votes need the examples that have gone."
            )
        by_number = np.argsort(self.support)
        numbers = self.support[by_number]
        logs = []
        for log in self.logs:
            end = int(np.searchsorted(log.t, after))
            places = by_number[np.searchsorted(numbers, log.row[:end])].astype(np.int32)
            logs.append(Log(log.t[:end], places, log.rival[:end], log.tau[:end]))
        return logs

    def influences(self, x: Rows, view: str) -> Influences:
        """The support examples that made what decides about one row, for and against: Σ α_i K(x_i, x)."""
        scorer = self.scorer(View(view))
        gains, loses = deciding_vectors(scorer, x)
        ballot = Ballot(self, scorer.view, 1)
        alpha = np.zeros((len(self.support), self.vectors))
        alpha[: ballot.needs] = ballot.coef / (ballot.examples if view == "averaged" else 1)
        block = self.like_support(matrix_of(x)).astype(self.rows.dtype)
        products = self.space.products(block, self.rows)[0]
        parts = products * (alpha[:, gains] - (0.0 if loses is None else alpha[:, loses]))
        updates: list[int | None] = [None] * len(self.support)
        if self.logs is not None:
            rows = np.concatenate([log.row for log in self.placed_logs(self.t)])
            updates = np.bincount(rows, minlength=len(self.support)).tolist()
        facts = zip(self.support.tolist(), self.codes.tolist(), updates, strict=True)
        scores = np.atleast_2d(scorer.scores(x))[0]
        return ranked(facts, parts, 0.0, float(scores[gains] - (0.0 if loses is None else scores[loses])))

    def renumbered(self, numbers: np.ndarray) -> Dual:
        """With other numbers for the rows: those in the whole of the data, of which a part was learned from."""
        logs = self.logs and tuple(Log(log.t, numbers[log.row].astype(np.int32), log.rival, log.tau) for log in self.logs)
        return replace(self, support=numbers[self.support].astype(np.int64), logs=logs)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What a model file holds of it: facts and arrays."""
        kind, arrays = stored_rows(Rows(self.rows))
        arrays |= {"support": self.support, "codes": self.codes, "coef": np.ascontiguousarray(self.coef)}
        if self.logs is not None:
            arrays |= {
                name: np.concatenate([getattr(log, name) for log in self.placed_logs(self.t)])
                for name in ("t", "row", "rival", "tau")
            }
        facts = {
            "kernel": kernels.to_json(self.space.kernel),
            "constant": bool(self.space.constant),
            "one_rival": self.one_rival,
            "rows": kind,
            "shape": list(self.rows.shape),
            "examples": self.t,
            "rows_seen": self.rows_seen,
            "norm2": float(self.norm2),
            "updates": list(self.updates_by_problem),
            "log": self.logs is not None,
        }
        return facts, arrays

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray], classes: np.ndarray) -> Dual:
        """The reverse. Whatever the arrays hold, what comes back can be computed with; else a ValueError."""
        rows = restored_rows(facts["rows"], tuple(facts["shape"]), arrays)
        rows.refuse_not_finite()
        codes, support, logs = arrays["codes"], arrays["support"], None
        fine = within(codes, 0, len(classes)) and len(np.unique(support)) == len(support)
        if facts["log"]:
            vectors = 1 if len(classes) == 2 else len(classes)
            least, most = (0, vectors) if facts["one_rival"] else (-1, 0)
            ends = np.cumsum(facts["updates"])[:-1]
            parts = zip(*(np.split(arrays[name], ends) for name in ("t", "row", "rival", "tau")), strict=True)
            placed = [Log(*log) for log in parts]
            for log in placed:
                fine = fine and within(log.row, 0, rows.n) and within(log.rival, least, most)
                fine = fine and within(log.t, 0, facts["examples"]) and bool((np.diff(log.t) > 0).all())
            fine = fine and within(support, 0, 2**31)
            logs = tuple(replace(log, row=support[log.row].astype(np.int32)) for log in placed) if fine else None
        if not fine:
            raise ValueError("the support examples and their log do not match")
        return cls(
            Space(kernels.from_json(facts["kernel"]), float(facts["constant"])), classes, facts["one_rival"],
            matrix_of(rows), support, codes, arrays["coef"], logs, tuple(facts["updates"]), facts["examples"],
            facts["rows_seen"], facts["norm2"],
        )  # fmt: skip


@dataclass(frozen=True)
class KernelScorer(Scorer):
    """A sum of kernels, or the votes of such sums, that scores and decides."""

    dual: Dual
    view: View

    @property
    def classes(self) -> np.ndarray:  # type: ignore[override]
        return self.dual.classes

    @property
    def by_votes(self) -> bool:  # type: ignore[override]
        return self.view.name == "voted"

    def scores(self, X: Any) -> np.ndarray:
        """w·φ(x), or votes: a number a row for two classes, a column a class for more."""
        return self.dual.scores_in(X, [self.view])[0]


class Ballot:
    """One view of a run, ready to count."""

    def __init__(self, dual: Dual, view: View, rows: int):
        self.view = view
        self.examples = dual.t if view.after is None else view.after
        if not 0 < self.examples <= dual.t:
            raise SettingError(f"The view after {self.examples} examples: expected 1 to {dual.t}, as many as were seen.")
        if view.name == "last" and view.after is None:  # the one view that needs no log
            self.coef, self.needs = dual.coef, len(dual.coef)
            return
        logs = dual.placed_logs(self.examples)
        self.needs = 1 + max((int(log.row.max(initial=-1)) for log in logs), default=-1)
        if view.name in ("last", "averaged"):
            # For the average Σ (T − t) tau y: whole numbers stay whole, T divides at the end.
            factors = [self.examples - log.t if view.name == "averaged" else 1.0 for log in logs]
            self.coef = dual.summed(list(zip(logs, factors, strict=True)))[: self.needs]
        else:
            self.survivors = [
                Survivors.of(log, dual.problem_codes(problem), dual.problem_vectors, 0, self.examples)
                for problem, log in enumerate(logs)
            ]
        if view.name == "random":
            words = order.random_bits(view.seed, order.DRAW).random_raw(rows)
            self.drawn = (words % np.uint64(self.examples)).astype(np.int64)

    def count(self, products: np.ndarray, part: slice) -> np.ndarray:
        """Scores or votes of rows from their products with the support examples."""
        if self.view.name in ("last", "averaged"):
            scores: np.ndarray = products[:, : self.needs] @ self.coef
            return scores / self.examples if self.view.name == "averaged" else scores
        columns = [self._count_one(products, survivors, part) for survivors in self.survivors]
        return np.concatenate(columns, axis=1)

    def _count_one(self, products: np.ndarray, survivors: Survivors, part: slice) -> np.ndarray:
        if self.view.name == "voted":
            return np.asarray(count_votes(products, survivors, constant=0.0)[0])  # the constant is in the products
        chosen = np.searchsorted(np.cumsum(survivors.lived), self.drawn[part], side="right").tolist()
        scores = np.zeros((len(products), survivors.vectors))
        for row, product, k in zip(scores, products, chosen, strict=True):
            moves = survivors.steps[:k] * product[survivors.column[:k]]
            if survivors.vectors == 1:
                row[0] = moves.sum()
            else:
                row += np.bincount(survivors.gains[:k], moves, survivors.vectors)
                row -= np.bincount(survivors.loses[:k], moves, survivors.vectors)
        return scores
