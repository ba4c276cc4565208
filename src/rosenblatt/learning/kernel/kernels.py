"""Kernels: products of rows in a space of features that is never built.

K(x, x′) = φ(x)·φ(x′), so a learner that only ever needs products of examples learns in the space of φ:

| kernel | K(x, x′) | φ(x) holds |
|---|---|---|
| linear | x·x′ | the columns |
| polynomial | (offset + x·x′)^degree | all products of up to `degree` columns (exactly `degree` where the offset is 0) |
| RBF | exp(−gamma |x − x′|²) | infinitely many bumps |

A kernel takes two blocks of rows and gives the matrix of all their products, as float64.

>>> Polynomial(degree=2)(np.array([[1.0, 2.0]]), np.array([[0.0, 1.0], [3.0, 0.0]]))
array([[ 9., 16.]])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.engine.parameters import Real, Settings, Whole, parameter
from rosenblatt.engine.rows import Rows, is_sparse
from rosenblatt.errors import KernelError, SettingError

Block = Any  # rows as kernels take them: a dense array, or a CSR array of scipy, which has no types
# Whole numbers up to this are exact in float32; |x·x′| and every part of that sum are at most the largest |x|².
EXACT_IN_FLOAT32 = 2**24
KERNEL_TILE = 2**17  # kernel values made at a time: small enough to stay in the cache between the steps


class Kernel:
    """What all kernels have; see the subclasses for the formulas."""

    name: ClassVar[str]
    # Does φ hold a constant feature, or do as well without one? Then a separate bias is not learned by default.
    has_constant: bool = True
    in_double: ClassVar[bool] = False  # are products of float32 rows too coarse for it?

    def __call__(self, A: Block, B: Block) -> np.ndarray:
        """K(a, b) for every row a of A and b of B."""
        raise TypeError(f"{type(self).__name__} has no formula.")


@dataclass(frozen=True)
class Linear(Kernel):
    """K(x, x′) = x·x′: the perceptron itself, in the dual.

    >>> Linear()(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[11.]])
    """

    name: ClassVar[str] = "linear"
    has_constant = False

    def __call__(self, A: Block, B: Block) -> np.ndarray:
        return products(A, B).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Polynomial(Settings, Kernel):
    """K(x, x′) = (offset + x·x′)^degree      (Freund & Schapire, 1999, with offset 1)

    Degree 1 and offset 1 is the linear kernel with a bias; the offset is the constant feature.

    >>> Polynomial(degree=3, offset=0.0)(np.array([[1.0, 1.0]]), np.array([[1.0, 1.0]]))
    array([[8.]])
    """

    degree: int = parameter(3, Whole(1))
    offset: float = parameter(1.0, Real(least=0), name="coef0")
    name: ClassVar[str] = "polynomial"

    @property
    def has_constant(self) -> bool:  # type: ignore[override]
        return self.offset > 0

    def __call__(self, A: Block, B: Block) -> np.ndarray:
        dots = products(A, B)
        K = np.empty(dots.shape)
        step = max(1, KERNEL_TILE // max(1, dots.shape[1]))
        for start in range(0, len(K), step):
            part = K[start : start + step]
            np.add(dots[start : start + step], self.offset, out=part)
            power(part, int(self.degree))
        return K


def power(values: np.ndarray, degree: int) -> None:
    """values ** degree in place, by squaring: numpy's own power is some twenty times slower, and need not be exact.

    >>> values = np.array([3.0]); power(values, 5); values
    array([243.])
    """
    factor = None  # what the odd bits of the degree still have to multiply
    while degree > 1:
        if degree & 1:
            factor = values.copy() if factor is None else np.multiply(factor, values, out=factor)
        np.multiply(values, values, out=values)
        degree >>= 1
    if factor is not None:
        np.multiply(values, factor, out=values)


@dataclass(frozen=True)
class RBF(Settings, Kernel):
    """K(x, x′) = exp(−gamma |x − x′|²)

    |x − x′|² comes from |x|² + |x′|² − 2 x·x′, in float64 also for float32 rows: near rows would cancel.

    >>> RBF(gamma=1.0)(np.array([[0.0], [1.0]]), np.array([[0.0]])).round(4)
    array([[1.    ],
           [0.3679]])
    """

    gamma: float = parameter(1.0, Real(above=0))
    name: ClassVar[str] = "rbf"
    in_double: ClassVar[bool] = True

    def __call__(self, A: Block, B: Block) -> np.ndarray:
        K = products(A, B).astype(np.float64, copy=False)
        K *= -2
        K += squared_norms(A)[:, None]
        K += squared_norms(B)
        np.maximum(K, 0, out=K)
        K *= -float(self.gamma)
        return np.exp(K, out=K)


@dataclass(frozen=True)
class Given(Kernel):
    """Any function of two blocks of rows that gives the matrix of their products.

    >>> Given(lambda A, B: np.minimum(A[:, None], B).sum(axis=2))(np.array([[1.0, 5.0]]), np.array([[2.0, 3.0]]))
    array([[4.]])
    """

    function: Callable[[Block, Block], Block]
    name: ClassVar[str] = "given"

    def __call__(self, A: Block, B: Block) -> np.ndarray:
        try:
            K = self.function(A, B)
            K = K.toarray() if is_sparse(K) else np.asarray(K)
            if K.dtype.kind in "biuf":
                K = K.astype(np.float64, copy=False)
        except Exception as error:
            raise KernelError(
                f"The kernel {function_name(self.function)} raised {type(error).__name__} on rows of shapes {A.shape} and "
                f"{B.shape}: {error}"
            ) from error
        if K.shape != (A.shape[0], B.shape[0]) or K.dtype != np.float64:
            raise KernelError(
                f"The kernel {function_name(self.function)} gave {K.dtype} of shape {K.shape} for rows of shapes {A.shape} "
                f"and {B.shape}: expected numbers of shape {(A.shape[0], B.shape[0])}, one for each pair of rows."
            )
        return K


def function_name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def products(A: Block, B: Block) -> np.ndarray:
    """x·x′ of every row of A with every row of B, dense: by BLAS, or by CSR products."""
    dots = A @ B.T
    return dots.toarray() if is_sparse(dots) else np.asarray(dots)


def squared_norms(A: Block) -> np.ndarray:
    """|x|² of every row, in float64."""
    if is_sparse(A):
        return np.asarray(A.astype(np.float64).power(2).sum(axis=1)).reshape(-1)
    return np.asarray(np.einsum("ij,ij->i", A, A, dtype=np.float64))


def matrix_of(rows: Rows) -> Block:
    """Rows as what kernels take: a dense array, or a CSR array."""
    return rows.values if rows.dense else rows.csr()


def precise(kernel: Kernel, X: Block) -> Block:
    """X in the type whose products serve this kernel: float64 where float32 would round whole numbers, or cancel.

    Products of float32 rows are taken in float32, twice as fast. That is exact for whole numbers while |x|² ≤ 2^24.
    """
    if X.dtype == np.float64 or kernel.in_double:
        return X.astype(np.float64, copy=False)
    values = X.data if is_sparse(X) else X
    rounds = squared_norms(X).max(initial=0) > EXACT_IN_FLOAT32 and (np.rint(values) == values).all()
    return X.astype(np.float64) if rounds else X


def scale_gamma(X: Block) -> float:
    """scikit-learn's gamma="scale": 1 / (columns · variance of all entries); 1 where nothing varies.

    >>> scale_gamma(np.array([[0.0, 2.0], [2.0, 0.0]]))
    0.5
    """
    if is_sparse(X):
        size = X.shape[0] * X.shape[1]
        mean = X.sum(dtype=np.float64) / size
        variance = float(X.astype(np.float64).power(2).sum() / size - mean**2)
    else:
        variance = float(X.var(dtype=np.float64))
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


NAMES = ("linear", "polynomial", "rbf")


def fitted(kernel: Any, degree: int, offset: float, gamma: float | str, rows: Rows) -> Kernel:
    """The kernel of this name (see `by_name`); "scale" for gamma is measured on these rows."""
    if gamma == "scale":
        rows.refuse_not_finite()
        gamma = scale_gamma(matrix_of(rows)) if isinstance(kernel, str) and kernel == "rbf" else 1.0
    return by_name(kernel, degree, offset, gamma)  # type: ignore[arg-type]


def by_name(
    kernel: Kernel | str | Callable[[Block, Block], Block], degree: int = 3, offset: float = 1.0, gamma: float = 1.0
) -> Kernel:
    """The kernel of this name ("poly" is "polynomial"), a Kernel as it is, or any function K(A, B).

    >>> by_name("poly", degree=2)
    Polynomial(degree=2, offset=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if kernel == "linear":
        return Linear()
    if kernel in ("polynomial", "poly"):
        return Polynomial(degree, offset)
    if kernel == "rbf":
        return RBF(gamma)
    if callable(kernel):
        return Given(kernel)
    raise SettingError(f"kernel is {kernel!r}: expected one of {', '.join(NAMES)}, or a function K(A, B).")


def to_json(kernel: Kernel) -> dict[str, Any]:
    """What a model file holds of it: its name and its numbers.

    >>> to_json(Polynomial(degree=2)), from_json({"name": "rbf", "gamma": 0.5})
    ({'name': 'polynomial', 'degree': 2, 'coef0': 1.0}, RBF(gamma=0.5))
    """
    match kernel:
        case Linear():
            return {"name": kernel.name}
        case Polynomial():
            return {"name": kernel.name, "degree": int(kernel.degree), "coef0": float(kernel.offset)}
        case RBF():
            return {"name": kernel.name, "gamma": float(kernel.gamma)}
    name = function_name(kernel.function) if isinstance(kernel, Given) else type(kernel).__name__
    raise SettingError(
        f"The kernel {name} is a function, which a model file cannot hold: pickle the estimator (joblib.dump), "
        "or learn with one of linear, polynomial and rbf."
    )


def from_json(saved: dict[str, Any]) -> Kernel:
    """The reverse."""
    return by_name(saved["name"], saved.get("degree", 3), saved.get("coef0", 1.0), saved.get("gamma", 1.0))
