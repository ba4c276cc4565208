"""How good the predictions of a model are: counts, shares, and how sure one can be of them.

>>> from rosenblatt.learning.learn import learn
>>> from rosenblatt.data import open_known
>>> iris = open_known("iris")
>>> evaluation = evaluate(learn(iris), iris)
>>> evaluation.measures.errors, evaluation.measures.examples, evaluation.left_out
(5, 150, 0)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError
from rosenblatt.features import Notes
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import AnyExamples, Examples, class_factors, codes_among, labels_of, text_array
from rosenblatt.learning.learn import Learned
from rosenblatt.learning.measures import ScoredRows
from rosenblatt.learning.training import LinearRun, model_of, zero_weights

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Measures:
    """Predictions against the truth; everything follows from the confusion matrix (rows: truth, columns: prediction).

    >>> measures = measure(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 1]), 2)
    >>> measures.confusion
    array([[1, 1],
           [0, 3]])
    >>> measures.errors, measures.accuracy
    (1, 0.8)
    """

    confusion: np.ndarray

    @property
    def examples(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.examples - int(np.trace(self.confusion))

    @property
    def error(self) -> float:
        return self.errors / self.examples

    @property
    def accuracy(self) -> float:
        return (self.examples - self.errors) / self.examples

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true error lies, in 95 of 100 such samples."""
        return wilson(self.errors, self.examples)

    @property
    def truths(self) -> np.ndarray:
        """How many examples each class has."""
        return np.asarray(self.confusion.sum(axis=1))

    @property
    def predictions(self) -> np.ndarray:
        """How often each class was predicted."""
        return np.asarray(self.confusion.sum(axis=0))

    @property
    def precision(self) -> list[float | None]:
        """Per class: the share of its predictions that are right; None if it was never predicted."""
        return shares(np.diag(self.confusion), self.predictions)

    @property
    def recall(self) -> list[float | None]:
        """Per class: the share of its examples that were found; None if there are none."""
        return shares(np.diag(self.confusion), self.truths)


@dataclass(frozen=True)
class Evaluation:
    """A model on labelled rows: what it predicted, and how good that is."""

    examples: Examples
    scored: ScoredRows  # truth, scores, decisions and, where the model has them, probabilities
    measures: Measures
    kept: np.ndarray  # the numbers of the rows that were measured
    left_out: int  # rows with labels that training never saw
    notes: Notes  # what of the rows had to be overlooked
    training_mistakes: int | None = None  # counted by a model that learned on the way: a score of 0 is one

    @property
    def predicted(self) -> np.ndarray:
        """Class codes."""
        return self.scored.predicted


def evaluate(
    model: Classifier, data: Dataset, unseen: str = "refuse", view: str | None = None, progressive: bool = False
) -> Evaluation:
    """Measures a model on labelled rows.

    unseen       "refuse", or "skip": rows with labels that training never saw
    view         weights other than those that predict
    progressive  predict each row, then learn from it, from the last weights on; the model itself is not changed
    """
    model.refuse_numbers()
    examples, notes, kept = model.examples(with_labels_like(model.classes, data), unseen)
    mistakes = None
    if progressive:
        scored, mistakes = predict_then_learn(model, examples)
    else:
        scored = score_rows(model, examples, view)
    measures = measure(examples.codes, scored.predicted, len(model.classes))
    return Evaluation(examples, scored, measures, kept, len(data) - len(kept), notes, mistakes)


def score_rows(model: Classifier, examples: Examples, view: str | None = None) -> ScoredRows:
    """Examples with the scores, decisions and, where there are any, probabilities of a model."""
    scorer = model.model(view)
    scores = scorer.scores(examples.rows)
    known = model.probabilities(scores, view) if model.has_probabilities(view) else None
    return ScoredRows(examples.codes, scores, scorer.decide(scores), known)


def score_held_out(learned: Learned) -> ScoredRows | None:
    """The rows that were held out in training; probabilities that were fitted on them are cross-fitted, so that no row is
    measured by a map that it has helped to fit.
    """
    from rosenblatt.learning.calibration import cross_fitted

    model, held_out = learned.classifier, learned.held_out
    if held_out is None:
        return None
    scored = score_rows(model, held_out)
    if model.calibration is None:
        return scored
    return replace(scored, probabilities=cross_fitted(scored.scores, scored.codes))


@dataclass(frozen=True)
class EpochMeasures:
    """What the weights after an epoch do on labelled rows."""

    epoch: int  # from 1
    mistakes: int  # in training
    updates: int
    error: float
    predicted: list[float]  # the share of the rows that each class is predicted for

    @property
    def positive(self) -> float | None:
        """The share of the second of two classes."""
        return self.predicted[1] if len(self.predicted) == 2 else None


def evaluate_epochs(
    model: Classifier, data: Dataset, unseen: str = "refuse", view: str | None = None
) -> tuple[str, list[EpochMeasures]]:
    """(the view, the table by epoch) of a model that was saved with its log, which gives the weights of every epoch again.

    Votes, and the best weights, are those of a whole run: of these it is the weights that stopping watches.
    """
    memory, history = model.remembered(), model.history
    if sum(epoch.examples for epoch in history) != memory.last:
        raise SettingError(
            "The history is that of the last call of partial_fit, and the log that of all: they do not match."
        )
    name = view or model.view
    name = name if name in ("last", "averaged") else "averaged" if model.recipe.averages or model.recipe.votes else "last"
    examples = model.examples(with_labels_like(model.classes, data), unseen)[0]
    table, seen = [], 0
    for number, epoch in enumerate(history, start=1):
        seen += epoch.examples
        weights = memory.replay(int(np.searchsorted(memory.log.t, seen)))
        weights.advance(seen)
        scorer = model_of(weights, model.classes, name)
        predicted = scorer.decide(scorer.scores(examples.rows))
        shares = np.bincount(predicted, minlength=len(model.classes)) / len(predicted)
        wrong = float(np.mean(predicted != examples.codes))
        table.append(EpochMeasures(number, epoch.mistakes, epoch.updates, wrong, shares.tolist()))
    return name, table


def predict_then_learn(model: Classifier, examples: Examples) -> tuple[ScoredRows, int]:
    """Progressive validation, each row once and in the order given.

    Gives the score and the class code predicted for each row before it is learned, and the mistakes that training counts.
    """
    last = model.linear("last")
    factors = class_factors(model.recipe.class_weight, model.classes, counts_of_training(model))
    if factors is not None:
        examples = replace(examples, importance=factors[examples.codes])
    plan = replace(model.recipe.plan(), epochs=1, order="given", tol=None, patience=None, keep_log=False)
    run = LinearRun(examples, model.recipe.rule(), plan, last_weights(model, examples))
    scores = np.empty((examples.rows.n, examples.vectors))
    for row in range(examples.rows.n):
        with np.errstate(all="ignore"):  # what is not finite is refused when it is learned from
            scores[row] = run.score(row)
        if examples.importance is None or examples.importance[row]:
            run.pass_over(None, row + 1, place=row)
    run.refuse_overflow()
    scores = scores[:, 0] if examples.vectors == 1 else scores
    return ScoredRows(examples.codes, scores, last.decide(scores)), run.counts().mistakes


def counts_of_training(model: Classifier) -> np.ndarray | None:
    """How many rows of training each class had: what balanced classes are weighted by."""
    if model.class_counts is None and model.recipe.class_weight == "balanced":
        raise SettingError(
            "The model was trained with balanced classes, but its file does not tell how many rows each had: "
            "train it again, or leave out --progressive."
        )
    return model.class_counts


def last_weights(model: Classifier, examples: AnyExamples) -> Weights:
    """A copy of the weights that training ended with, to be moved on; falling rates go on falling."""
    if model.weights is not None:
        return model.weights.copy().with_layout(sparse=not examples.rows.dense)
    weights = zero_weights(examples, model.recipe.rule(), model.recipe.fit_intercept)
    weights.start_from(*model.views["last"])
    if weights.sigma is not None and model.variances is not None:
        weights.sigma[...], weights.bias_sigma[...] = model.variances
    weights.updates = model.summary.updates or 0
    # The history of an estimator is that of its last call, but `seen` counts all.
    weights.t = weights.settled = model.summary.seen or sum(epoch.examples for epoch in model.history)
    return weights


def with_labels_like(classes: np.ndarray, data: Dataset) -> Dataset:
    """The data with labels in the type of the classes: a column may be all numbers in one file, and text in another.

    >>> data = Dataset("sparse", None, np.array([1, 1]), "numbers")
    >>> with_labels_like(np.array(["1", "x"]), data).labels.tolist()
    ['1', '1']
    >>> with_labels_like(np.array([0, 1]), replace(data, labels=np.array(["1", "x"]))).labels.tolist()
    [1, 'x']
    """
    labels = labels_of(data)
    codes = codes_among(classes, labels)
    alike = np.asarray(classes.astype(object)[codes])
    strange = codes < 0
    if not strange.any():
        return replace(data, labels=classes[codes])
    alike[strange] = np.asarray(labels)[strange].astype(str)
    return replace(data, labels=text_array(alike.tolist()) if classes.dtype.kind == "U" else alike)


def measure(truth: np.ndarray, predicted: np.ndarray, classes: int) -> Measures:
    """Counts how often each class (a code from 0) was predicted as each."""
    pairs = np.bincount(truth.astype(np.int64) * classes + predicted, minlength=classes**2)
    return Measures(pairs.reshape(classes, classes))


def shares(parts: np.ndarray, wholes: np.ndarray) -> list[float | None]:
    """part / whole, None where there is nothing to divide by.

    >>> shares(np.array([1, 0]), np.array([4, 0]))
    [0.25, None]
    """
    return [int(part) / int(whole) if whole else None for part, whole in zip(parts, wholes, strict=True)]


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The interval of shares p from which the observed share k/n is at most z = 1.96 standard deviations away.

    (k + z²/2 ± z √(k (n − k) / n + z²/4)) / (n + z²)   (Wilson, 1927)

    It stays within 0 and 1, and has a width even if nothing, or everything, is a success.

    >>> [round(end, 4) for end in wilson(151, 1000)]
    [0.1301, 0.1745]
    >>> wilson(0, 10)[0]
    0.0
    """
    z = NORMAL_95
    middle = successes + z * z / 2
    half = z * sqrt(successes * (trials - successes) / trials + z * z / 4)
    low, high = (middle - half) / (trials + z * z), (middle + half) / (trials + z * z)
    # In exact arithmetic these ends are 0 and 1; rounding must not push them out.
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)
