"""Basis functions as scikit-learn transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.estimators.feature_maps import MappedFeatures
from rosenblatt.features.basis import FunctionMap, PolynomialMap, RadialMap


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
