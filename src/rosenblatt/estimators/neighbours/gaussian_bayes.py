"""Gaussian naive Bayes, with variances that the classes share or have each its own (W2)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.parameters import Flag, Real, parameter
from rosenblatt.errors import SettingError
from rosenblatt.estimators.declared import estimator
from rosenblatt.estimators.neighbours.linear import N_FEATURES, as_examples, as_matrix
from rosenblatt.learning.scoring import Model, decide


@estimator
class GaussianBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Every feature a bell curve in every class, independent of the others: P(class | x) by Bayes' rule.

    x_i | class k ~ Normal(μ_ik, σ_i²)  or, with shared=False,  Normal(μ_ik, σ_ik²)

    >>> clf = GaussianBayes().fit([[1.0], [3.0], [5.0], [7.0]], ["a", "a", "b", "b"])
    >>> clf.theta_.ravel(), clf.var_.ravel().round(6), clf.parameters_
    (array([2., 6.]), array([1.]), 4)
    >>> logistic = clf.as_linear()  # (6 − 2) / 1;  ln(½ / ½) + (2² − 6²) / 2
    >>> logistic.coef.round(6), logistic.intercept.round(6)
    (array([[4.]]), array([-16.]))
    """

    shared: bool = parameter(
        True,
        Flag(),
        help="One variance a feature for all classes. Then the terms in x² cancel, and the classifier is a logistic model, "
        "`as_linear()`, whose weights are computed and not searched for. Sparse rows are welcome.",
    )
    var_smoothing: float = parameter(
        1e-9,
        Real(least=0),
        help="This part of the largest variance is added to all, that a feature that never varies divides nothing.",
    )
    _attributes: ClassVar[dict[str, str]] = {
        "classes_ : ndarray of shape (n_classes,)": "The labels, sorted.",
        "class_count_ : ndarray of shape (n_classes,)": "Rows of each class.",
        "class_prior_ : ndarray of shape (n_classes,)": "P(class).",
        "theta_ : ndarray of shape (n_classes, n_features)": "Means.",
        "var_ : ndarray of shape (1 or n_classes, n_features)": "Variances; one row if shared.",
        "parameters_ : int": "How many numbers were learned.",
        **N_FEATURES,
    }

    def fit(self, X: Any, y: Any) -> Self:
        """Counts classes, and takes means and variances."""
        examples = as_examples(self, X, y)
        X, codes = examples.rows.matrix(), examples.codes
        counts = np.bincount(codes)
        self.class_count_, self.class_prior_ = counts, counts / len(codes)
        self.theta_, squares = means_and_squares(X, codes, counts)
        variances = squares.sum(axis=0, keepdims=True) / len(codes) if self.shared else squares / counts[:, None]
        overall = (squares.sum(axis=0) + counts @ (self.theta_ - self.class_prior_ @ self.theta_) ** 2) / len(codes)
        self.var_ = variances + self.var_smoothing * overall.max()
        if not (self.var_ > 0).all():
            self.var_ = np.maximum(self.var_, np.finfo(float).tiny ** 0.5)
        return self

    def as_linear(self) -> Model:
        """The logistic model that this is, where variances are shared: P(1 | x) = σ(w·x + b).

        w_i = (μ_i1 − μ_i0) / σ_i²,   b = ln(π₁ / π₀) + Σ (μ_i0² − μ_i1²) / 2σ_i²
        More than two classes:   w_ik = μ_ik / σ_i²,   b_k = ln π_k − Σ μ_ik² / 2σ_i²
        """
        check_is_fitted(self)
        if not self.shared:
            raise SettingError(
                "With a variance for every class the boundary is curved: only GaussianBayes(shared=True) is linear."
            )
        coef = self.theta_ / self.var_
        if len(self.classes_) > 2:
            return Model(self.classes_, coef, np.log(self.class_prior_) - (self.theta_**2 / self.var_).sum(axis=1) / 2)
        (mean_0, mean_1), (prior_0, prior_1) = self.theta_, self.class_prior_
        intercept = np.log(prior_1 / prior_0) + ((mean_0 - mean_1) * (mean_0 + mean_1) / (2 * self.var_[0])).sum()
        return Model(self.classes_, ((mean_1 - mean_0) / self.var_[0])[None, :], np.array([intercept]))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log odds for two classes (0 or more: classes_[1]); for more ln P(class, x), where shared less what all share."""
        check_is_fitted(self)
        X = as_matrix(self, X, reset=False)
        if self.shared:
            return self.as_linear().scores(X)
        exponents = -0.5 * np.stack(
            [((X - mean) ** 2 / var).sum(axis=1) for mean, var in zip(self.theta_, self.var_, strict=True)], axis=1
        )
        joint = exponents - 0.5 * np.log(2 * np.pi * self.var_).sum(axis=1) + np.log(self.class_prior_)
        return np.asarray(joint[:, 1] - joint[:, 0] if len(self.classes_) == 2 else joint)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        codes = decide(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(class | x), a column a class."""
        scores = self.decision_function(X)
        columns = np.stack([np.zeros_like(scores), scores], axis=1) if scores.ndim == 1 else scores
        return np.asarray(log_softmax(columns, axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @property
    def parameters_(self) -> int:
        """How many numbers were learned: for two classes and n features 3n + 1, with variances of their own 4n + 1."""
        check_is_fitted(self)
        return int(self.theta_.size + self.var_.size + len(self.classes_) - 1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.shared
        return tags


def means_and_squares(X: Any, codes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means, and sums of squared distances from them, by class and feature; in two passes, that nothing cancels."""
    shape = (len(counts), X.shape[1])
    if isinstance(X, np.ndarray):
        means = np.stack([X[codes == k].mean(axis=0) for k in range(len(counts))])
        return means, np.stack([((X[codes == k] - means[k]) ** 2).sum(axis=0) for k in range(len(counts))])
    entries = X.tocoo()
    row, column = entries.coords if hasattr(entries, "coords") else (entries.row, entries.col)
    cell = codes[row].astype(np.int64) * X.shape[1] + column
    size = shape[0] * shape[1]
    means = (np.bincount(cell, entries.data, size) / np.repeat(counts, shape[1])).reshape(shape)
    nonzero = np.bincount(cell, minlength=size).reshape(shape)
    squares = np.bincount(cell, (entries.data - means.ravel()[cell]) ** 2, size).reshape(shape)
    return means, squares + (counts[:, None] - nonzero) * means**2
