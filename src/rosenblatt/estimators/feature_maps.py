"""The feature maps, basis functions among them, as scikit-learn transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.engine.rows import OneHot
from rosenblatt.features import FeatureMap, map_for
from rosenblatt.features.basis import FunctionMap, PolynomialMap, RadialMap


class MappedFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What all have: the map learned by `fit` is `map_`; `map_.notes` tells what the last `transform` overlooked."""

    def _map(self) -> FeatureMap:
        raise TypeError(f"{type(self).__name__} has no map: use one of its subclasses.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns which features there are."""
        self.map_ = self._map().fit(X)
        return self

    def transform(self, X: Any) -> Any:
        """Rows of features: CSR, or an array where all are numbers."""
        check_is_fitted(self)
        rows = self.map_.transform(X)
        if isinstance(rows, OneHot):
            n, m = rows.columns.shape
            ones = np.ones(n * m, dtype=np.float32)
            return csr_matrix((ones, rows.columns.ravel(), np.arange(0, n * m + 1, m)), shape=rows.shape)
        return rows

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What each feature is."""
        check_is_fitted(self)
        return np.array(self.map_.names, dtype=object)


@dataclass(eq=False, repr=False, kw_only=True)
class TableFeatures(MappedFeatures):
    """A table (pandas, polars, Arrow or a dict of columns) as features; the parameters are those of `TableMap`.

    >>> people = {"education": ["Doctorate", "HS-grad"], "age": [40, 30]}
    >>> TableFeatures(scale=False).fit_transform(people).toarray()
    array([[ 1.,  0., 40.],
           [ 0.,  1., 30.]], dtype=float32)
    """

    numeric: str = "number"
    per_column: Any = None
    scale: bool = True
    products: Any = ()
    hashing: int | None = None
    double: bool = False

    def _map(self) -> FeatureMap:
        return map_for("table", **self.get_params())


@dataclass(eq=False, repr=False, kw_only=True)
class TextFeatures(MappedFeatures):
    """Texts as counts of their words; the parameters are those of `TextMap`.

    >>> words = TextFeatures().fit(["win the vote", "win the game"])
    >>> words.get_feature_names_out().tolist()
    ['word:game', 'word:the', 'word:vote', 'word:win']
    """

    ngrams: int = 1
    lowercase: bool = True
    min_count: int = 1
    counts: bool = True
    hashing: int | None = None

    def _map(self) -> FeatureMap:
        return map_for("text", **self.get_params())


class BasisFeatures(MappedFeatures):
    """What all have: a table of numbers in, φ(x) out."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns what the functions need to know of the rows."""
        return super().fit(validate_data(self, X, dtype=np.float64))

    def transform(self, X: Any) -> Any:
        """φ(x) of every row."""
        check_is_fitted(self)
        return super().transform(validate_data(self, X, reset=False, dtype=np.float64))


@dataclass(eq=False, repr=False, kw_only=True)
class PolynomialBasis(BasisFeatures):
    """All products of up to `degree` columns; the constant is left to the bias.

    >>> PolynomialBasis(degree=2).fit_transform([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    """

    degree: int = 2

    def _map(self) -> PolynomialMap:
        return PolynomialMap(self.degree)


@dataclass(eq=False, repr=False, kw_only=True)
class RadialBasis(BasisFeatures):
    """Bumps around centres: exp(−|x − c|² / 2 width²).

    centres: rows, or how many of the training rows to take, drawn with `random_state`.
    width: of a bump; None takes the median distance between centres.

    >>> RadialBasis(centres=[[0.0], [2.0]], width=1.0).fit_transform([[0.0]]).round(4)
    array([[1.    , 0.1353]])
    """

    centres: Any = 10
    width: float | None = None
    random_state: int = 0

    def _map(self) -> RadialMap:
        return RadialMap(self.centres, self.width, self.random_state)


@dataclass(eq=False, repr=False, kw_only=True)
class FunctionBasis(BasisFeatures):
    """Functions of one's own, each of the whole table, giving a number or some numbers a row.

    >>> FunctionBasis(functions=[np.sin, np.cos]).fit_transform([[0.0]])
    array([[0., 1.]])
    """

    functions: Sequence[Callable[[np.ndarray], Any]] = (np.asarray,)

    def _map(self) -> FunctionMap:
        return FunctionMap(*self.functions)
