"""What predicts: something that scores rows, and decides by the scores. Linear weights, votes and kernels are all that."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from rosenblatt.engine.compiled import core, cores, formulas
from rosenblatt.engine.packed_rows import UNPACKED_AT_ONCE, PackedRows, RowBuffer
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.threads import share
from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples

SCORED_AT_ONCE = 2**18  # rows
DECIDED_AT_ONCE = 2**14
LEAST_WORK = 2**18  # multiplications that are worth a thread of their own
BLOCKS_EACH = 8  # that a thread scores if all are equally fast


class Scorer(ABC):
    """Scores rows and decides: a number a row for two classes, a column a class for more."""

    classes: np.ndarray | None  # None: a regression
    by_votes: bool = False  # are the scores counts of votes?
    cut: float | None = None  # the score from which on the second of two classes is predicted; None: as ever

    @abstractmethod
    def scores(self, X: Any) -> np.ndarray:
        """The scores of rows of features."""

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Class codes from these scores."""
        return decide(scores, self.by_votes, self.cut)

    def with_cut(self, cut: float) -> Self:
        """This scorer, predicting the second of two classes from this score on."""
        twin = copy.copy(self)
        object.__setattr__(twin, "cut", cut)
        return twin

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; in a regression, its score."""
        return self.labels(self.scores(X))

    def labels(self, scores: np.ndarray, threads: int = 1) -> np.ndarray:
        """The class of each row with these scores; in a regression, the scores themselves."""
        classes = self.classes
        if classes is None:
            return scores
        labels = np.empty(len(scores), classes.dtype)

        def decide_blocks(starts: Iterator[int]) -> None:
            for start in starts:  # codes of all rows would be as large as the scores
                some = slice(start, start + DECIDED_AT_ONCE)
                classes.take(self.decide(scores[some]), out=labels[some], mode="clip")  # "raise" would copy once more

        share(range(0, len(scores), DECIDED_AT_ONCE), decide_blocks, threads if scores.size >= LEAST_WORK else 1)
        return labels

    def winner_and_runner_up(self, X: Any) -> tuple[int, int]:
        """The two classes with the highest scores of the first row, of more than two."""
        first, second = np.argsort(-self.scores(X)[0], kind="stable")[:2].tolist()
        return first, second


def decide(scores: np.ndarray, by_votes: bool = False, cut: float | None = None) -> np.ndarray:
    """Class codes from scores. This is where ties between classes are decided.

    A score of 0 or more is the positive one of two classes; where a threshold was chosen, a score of `cut` or more. Of equal
    votes, and with many classes, the first class wins.

    >>> decide(np.array([0.0, -0.5])), decide(np.array([3.0, 0.0, -3.0]), by_votes=True), decide(np.array([[1, 3, 3]]))
    (array([1, 0]), array([1, 0, 0]), array([1]))
    """
    if scores.ndim == 2:
        winners: np.ndarray = scores.argmax(axis=1)
        return winners
    if cut is not None:
        return (scores >= cut).astype(np.intp)
    return (scores > 0 if by_votes else scores >= 0).astype(np.intp)


def probabilities(scores: np.ndarray) -> np.ndarray:
    """P(class | x) of a logistic model, from its scores: σ(score) for two classes, the softmax of the scores for more.

    >>> probabilities(np.array([0.0]))
    array([[0.5, 0.5]])
    """
    from scipy.special import expit, softmax

    return np.stack([expit(-scores), expit(scores)], axis=1) if scores.ndim == 1 else np.asarray(softmax(scores, axis=1))


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """log P(class | x) of a logistic model, right also where the probability itself rounds to 0."""
    from scipy.special import log_expit, log_softmax

    if scores.ndim == 1:
        return np.stack([log_expit(-scores), log_expit(scores)], axis=1)
    return np.asarray(log_softmax(scores, axis=1))


def as_rows(X: Any, features: int) -> Rows:
    """Rows of features, checked to be as many as the model was trained with."""
    rows = X if isinstance(X, Rows) else Rows(X)
    if rows.d != features:
        raise DataError(f"X has {rows.d} features, but the model was trained with {features}.")
    return rows


@dataclass(frozen=True)
class Model(Scorer):
    """A linear classifier: sign(w·x + b) for two classes, the highest w_k·x + b_k for more.

    >>> spam = Model(np.array(["ham", "spam"]), coef=np.array([[4.0, 2.0]]), intercept=np.array([-3.0]))
    >>> spam.scores([[1, 1]])  # free: 1, money: 1
    array([3.])
    >>> spam.predict([[1, 1], [0, 1]])
    array(['spam', 'ham'], dtype='<U4')
    """

    classes: np.ndarray | None  # None: a regression
    coef: np.ndarray  # one row for two classes or a regression, else one a class
    intercept: np.ndarray
    _laid_out: dict[bool, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    def scores(self, X: Any, threads: int | None = None) -> np.ndarray:
        """w·x + b: a number a row for two classes, a column a class for more."""
        rows = as_rows(X, self.coef.shape[1])
        if rows.dense not in self._laid_out:
            self._laid_out[rows.dense] = layout(self.coef, rows)
        scores = score(rows, self._laid_out[rows.dense], self.intercept, threads)
        return scores[:, 0] if len(self.coef) == 1 else scores


def score(rows: Rows, coef: np.ndarray, intercept: np.ndarray, threads: int | None = None) -> np.ndarray:
    """w_k·x + b_k for every row and vector, in core: n × vectors. The bits are the same for any number of threads.

    `coef` is read in place where `layout` says that it lies as the rows need it, else copied first.
    """
    vectors = len(coef)
    w, bias = layout(coef, rows), np.array(intercept, dtype=float)
    out = np.empty(rows.n * vectors)
    work = vectors * rows.entries
    most = min(rows.n, work // LEAST_WORK)
    threads = min(most, threads or cores()) if most > 1 else 1
    blocks = 1 if threads == 1 else min(most, BLOCKS_EACH * threads)
    height = -(-rows.n // (4 * blocks)) * 4  # rows that are scored at a time: whole tiles of four
    height = min(height, UNPACKED_AT_ONCE) if isinstance(rows, PackedRows) else height
    not_finite: list[int] = []

    def score_blocks(starts: Iterator[int]) -> None:
        still = SimpleNamespace(w=w, u=w, sigma=None, vectors=vectors, fit_intercept=True)
        still.bias = still.bias_u = still.bias_sigma = bias
        still.scale, still.weight, still.t, still.settled, still.updates, still.largest = 1.0, 0.0, 0, 0, 0, 0.0
        still.scores = np.empty(4 * vectors)
        buffer = RowBuffer(rows, min(height, rows.n)) if isinstance(rows, PackedRows) else None
        scorer = core.Loop(
            buffer.rows if buffer else rows, still, formulas.Formula(formulas.PERCEPTRON, 0.0), (None, None, None)
        )
        with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what is looked at here
            for start in starts:
                stop = min(start + height, rows.n)
                if buffer is None:
                    bad = int(scorer.score_rows(out, start, stop))
                else:
                    buffer.fill(None, start, stop)
                    bad = int(scorer.score_rows(out[start * vectors :], 0, stop - start))
                if bad >= 0:
                    not_finite.append(bad if buffer is None else start + bad)

    starts = range(0, rows.n, max(1, height))
    if threads == 1:
        score_blocks(iter(starts))
    else:
        share(starts, score_blocks, threads)
    if not_finite:
        raise rows.blame(min(not_finite))
    return out.reshape(rows.n, vectors)


def layout(coef: np.ndarray, rows: Rows) -> np.ndarray:
    """Weights as rows of this kind read them: vector after vector, or, where sparse, column after column."""
    if rows.dense or len(coef) == 1:
        return np.ascontiguousarray(coef, dtype=float)
    return np.asfortranarray(coef, dtype=float)


def margins_and_rivals(scores: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(margins, rivals) of rows with these scores and class codes.

    Two classes, one score a row, in a column or not: y (w·x + b), and the other class. More, a column a class: the right
    class's score less the rival's, the highest-scoring other class, the lowest index on a tie.

    >>> margins_and_rivals(np.array([2.0, -3.0]), np.array([1, 1]))
    (array([ 2., -3.]), array([0, 0]))
    >>> margins_and_rivals(np.array([[1.0, 3.0, 3.0]]), np.array([0]))
    (array([-2.]), array([1]))
    """
    if scores.ndim == 1 or scores.shape[1] == 1:
        scores = scores.reshape(-1)
        return np.where(codes == 1, scores, -scores), 1 - codes
    every = np.arange(len(scores))
    others = scores.copy()
    others[every, codes] = -np.inf
    rivals = others.argmax(axis=1)
    return scores[every, codes] - others[every, rivals], rivals


def margins_against_rest(model: Scorer, examples: Examples) -> np.ndarray:
    """The least margin of every example of more than two classes, each class against the rest."""
    scores = -model.scores(examples.rows)
    every = np.arange(len(scores))
    scores[every, examples.codes] *= -1
    return np.asarray(scores.min(axis=1))


def example_margins(model: Scorer, examples: Examples) -> np.ndarray:
    """The margin of every example by a model."""
    return margins_and_rivals(model.scores(examples.rows), examples.codes)[0]


def scores_in_blocks(model: Model, rows: Rows, at_once: int = SCORED_AT_ONCE) -> Iterator[tuple[slice, np.ndarray]]:
    """The scores of all rows, about `at_once` of them at a time: together they may be larger than the rows."""
    at_once = max(1, at_once // len(model.coef))
    for start in range(0, rows.n, at_once):
        part = slice(start, min(start + at_once, rows.n))
        try:
            yield part, model.scores(rows.block(part.start, part.stop))
        except NotFiniteError as problem:
            raise rows.blame(start + (problem.row or 0)) from None


def error(model: Scorer, examples: AnyExamples, weights: np.ndarray | None = None) -> float:
    """Share of examples that the model gets wrong; in a regression, the mean squared error. `weights` weigh the rows."""
    if isinstance(model, Model) and isinstance(examples, Examples) and weights is None and examples.rows.n:
        blocks = scores_in_blocks(model, examples.rows)
        wrong = sum(np.count_nonzero(model.decide(scores) != examples.codes[part]) for part, scores in blocks)
        return float(wrong / examples.rows.n)
    return mean_loss(model.scores(examples.rows), examples, model.decide, weights)


def mean_loss(
    scores: np.ndarray,
    examples: AnyExamples,
    decided: Callable[[np.ndarray], np.ndarray],
    weights: np.ndarray | None = None,
) -> float:
    """The error of rows that were scored."""
    if isinstance(examples, RegressionExamples):
        losses = (scores - examples.targets) ** 2
    else:
        losses = decided(scores) != examples.codes
    return float(np.average(losses, weights=weights))
