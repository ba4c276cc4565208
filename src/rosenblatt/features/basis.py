"""Basis functions φ: R^D → R^M: a linear classifier of φ(x) has a curved boundary in x (U1).

>>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
>>> square = PolynomialMap(degree=2).fit(X)
>>> square.names
['x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
>>> square.transform(X)[3]
array([1., 1., 1., 1., 1.])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np

from rosenblatt.engine.parameters import Whole, check
from rosenblatt.engine.rows import as_float
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.notes import Notes


class BasisMap:
    """What all have in common: dense rows of numbers in, the values of M functions out; the constant is left to the bias."""

    def __init__(self) -> None:
        self.columns = 0
        self.notes = Notes()

    def fit(self, rows: Any) -> Self:
        """Learns how many columns there are."""
        self.columns = dense_table(rows).shape[1]
        return self

    def transform(self, rows: Any) -> np.ndarray:
        """φ(x) of every row."""
        X = dense_table(rows)
        if X.shape[1] != self.columns:
            raise DataError(f"X has {X.shape[1]} columns, but the basis was fitted on {self.columns}.")
        self.notes = Notes(rows=len(X))
        return self.values(X)

    def values(self, X: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} has no functions.")

    @property
    def names(self) -> list[str]:
        raise TypeError(f"{type(self).__name__} has no functions.")

    @property
    def n_features(self) -> int:
        return len(self.names)


class PolynomialMap(BasisMap):
    """All products of up to `degree` columns: x0, x1, x0², x0 x1, x1², …"""

    def __init__(self, degree: int = 2):
        super().__init__()
        self.degree = int(check("degree", degree, Whole(1)))

    @property
    def products(self) -> list[tuple[int, ...]]:
        """The columns that are multiplied, for every feature."""
        every = range(1, self.degree + 1)
        return [product for size in every for product in combinations_with_replacement(range(self.columns), size)]

    @property
    def n_features(self) -> int:
        """C(columns + degree, degree) − 1: the products need not be listed."""
        return math.comb(self.columns + self.degree, self.degree) - 1

    def values(self, X: np.ndarray) -> np.ndarray:
        features = np.empty((len(X), self.n_features))
        place = {product: j for j, product in enumerate(self.products)}
        for product, j in place.items():  # a longer product is a shorter one times a column
            shorter = features[:, place[product[:-1]]] if len(product) > 1 else 1.0
            features[:, j] = shorter * X[:, product[-1]]
        return features

    @property
    def names(self) -> list[str]:
        powers = [[(column, product.count(column)) for column in sorted(set(product))] for product in self.products]
        return [" ".join(f"x{column}" if times == 1 else f"x{column}^{times}" for column, times in one) for one in powers]

    def to_json(self) -> dict[str, Any]:
        return {"map": "polynomial", "degree": self.degree, "columns": self.columns}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> PolynomialMap:
        mapping = cls(int(saved["degree"]))
        mapping.columns = int(saved["columns"])
        return mapping


class RadialMap(BasisMap):
    """Bumps around centres: φ_m(x) = exp(−|x − c_m|² / 2 width²).

    centres: rows, or how many of the training rows to draw, with `seed`.
    width: of a bump; None means the median distance between centres.

    >>> bumps = RadialMap(centres=[[0.0], [2.0]], width=1.0).fit([[0.0]])
    >>> bumps.transform([[0.0]]).round(4)  # 1, e^(−2)
    array([[1.    , 0.1353]])
    """

    def __init__(self, centres: Any = 10, width: float | None = None, seed: int = 0):
        super().__init__()
        if width is not None and not 0 < width < np.inf:
            raise SettingError(f"width is {width!r}: expected a finite number above 0, or None.")
        self.given, self.width, self.seed = centres, width, seed
        self.centres, self.scale = np.empty((0, 0)), 1.0

    def fit(self, rows: Any) -> Self:
        """Chooses the centres, and the width from them if none was given."""
        X = dense_table(rows)
        self.columns = X.shape[1]
        self.centres = self._draw_centres(X) if np.ndim(self.given) == 0 else dense_table(self.given)
        if self.centres.shape[1] != self.columns:
            raise SettingError(f"The centres have {self.centres.shape[1]} columns, the rows {self.columns}.")
        distances = np.sqrt(squared_distances(self.centres, self.centres)[np.triu_indices(len(self.centres), 1)])
        typical = float(np.median(distances)) if len(distances) else 0.0
        self.scale = float(self.width) if self.width is not None else typical or 1.0
        return self

    def _draw_centres(self, X: np.ndarray) -> np.ndarray:
        if isinstance(self.given, bool) or not isinstance(self.given, int | np.integer) or self.given < 1:
            raise SettingError(f"centres is {self.given!r}: expected a whole number, 1 or more, or rows.")
        distinct = np.unique(X, axis=0)
        shuffled = np.argsort(np.random.PCG64(self.seed).random_raw(len(distinct)), kind="stable")
        chosen: np.ndarray = distinct[np.sort(shuffled[: self.given])]
        return chosen

    def values(self, X: np.ndarray) -> np.ndarray:
        return np.exp(-squared_distances(X, self.centres) / (2 * self.scale**2))

    @property
    def names(self) -> list[str]:
        return [f"near ({', '.join(f'{value:g}' for value in centre)})" for centre in self.centres.tolist()]

    @property
    def n_features(self) -> int:
        return len(self.centres)

    def to_json(self) -> dict[str, Any]:
        return {"map": "radial", "centres": self.centres.tolist(), "width": self.scale}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> RadialMap:
        mapping = cls(np.array(saved["centres"], dtype=float), float(saved["width"]))
        mapping.centres, mapping.scale = dense_table(mapping.given), float(saved["width"])
        mapping.columns = mapping.centres.shape[1]
        return mapping


def squared_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """|a − b|² of every row of A and of B.

    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """
    return np.stack([((A - b) ** 2).sum(axis=1) for b in B], axis=1)


class FunctionMap(BasisMap):
    """Functions of one's own, each of the whole table, giving a number or some numbers a row.

    >>> ring = FunctionMap(lambda X: X, lambda X: (X**2).sum(axis=1)).fit([[3.0, 4.0]])
    >>> ring.transform([[3.0, 4.0]])
    array([[ 3.,  4., 25.]])
    """

    def __init__(self, *functions: Callable[[np.ndarray], Any]):
        super().__init__()
        if not functions or not all(map(callable, functions)):
            raise SettingError("A basis needs one function or more, each of a table of rows.")
        self.functions: Sequence[Callable[[np.ndarray], Any]] = functions
        self.widths: list[int] = []

    def fit(self, rows: Any) -> Self:
        """Asks every function how many numbers it gives."""
        X = dense_table(rows)
        self.columns = X.shape[1]
        self.widths = [self._call(function, X).shape[1] for function in self.functions]
        return self

    def _call(self, function: Callable[[np.ndarray], Any], X: np.ndarray) -> np.ndarray:
        values = np.asarray(function(X), dtype=float)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or len(values) != len(X):
            raise DataError(
                f"{name_of(function)} gave shape {values.shape} for {len(X)} rows: expected a number or more a row."
            )
        return values

    def values(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([self._call(function, X) for function in self.functions])

    @property
    def names(self) -> list[str]:
        names: list[str] = []
        for function, width in zip(self.functions, self.widths, strict=True):
            name = name_of(function)
            names += [name] if width == 1 else [f"{name}[{j}]" for j in range(width)]
        return names

    def to_json(self) -> dict[str, Any]:
        raise DataError("A model file holds no code, so functions of one's own cannot be saved in one.")


def name_of(function: Callable[..., Any]) -> str:
    """What a function calls itself.

    >>> name_of(np.sin)
    'sin'
    """
    return str(getattr(function, "__name__", type(function).__name__))


def dense_table(rows: Any) -> np.ndarray:
    """Rows of numbers in double precision, all finite."""
    X = np.asarray(rows)
    if X.ndim != 2:
        raise DataError(f"X has {X.ndim} dimension(s): expected a table of rows and columns.")
    X = as_float(X).astype(float, copy=False)
    if not np.isfinite(X).all():
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(X)))
        raise DataError(f"Row {row}, column {column} is {X[row, column]}: expected finite numbers.")
    return X
