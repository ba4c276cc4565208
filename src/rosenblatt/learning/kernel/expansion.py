"""A function that is a sum of kernels, f(x) = Σ_j coef_j K(x, x_j), and the space in which that is w·φ(x)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt.engine.rows import is_sparse
from rosenblatt.errors import KernelError
from rosenblatt.learning.kernel.kernels import Block, Given, Kernel, function_name

COLUMNS = 2**12  # rows of the sum whose kernels are made at a time: what bounds the memory


@dataclass(frozen=True)
class Space:
    """Where a kernel learns: φ(x), and a constant feature 1 beside it where there is a bias."""

    kernel: Kernel
    constant: float  # 1 with a bias, which is the weight of a constant feature: the kernel plus 1

    @property
    def what(self) -> str:
        """The kernel's name."""
        return function_name(self.kernel.function) if isinstance(self.kernel, Given) else self.kernel.name

    def products(self, A: Block, B: Block) -> np.ndarray:
        """φ(a)·φ(b), the constant feature counted, for every row of A and of B."""
        with np.errstate(all="ignore"):  # what overflows is refused, by name
            K = self.kernel(A, B)
        self.refuse_not_finite(K, K)
        if self.constant:
            K = K + self.constant
        return K

    def scores(self, A: Block, rows: Block, coef: np.ndarray, columns: int = COLUMNS) -> np.ndarray:
        """Σ_j coef_j φ(a)·φ(x_j) for every row of A and every column of coef, in tiles."""
        total = np.zeros((A.shape[0], coef.shape[1]))
        total += self.constant * coef.sum(axis=0)
        for start in range(0, len(coef), columns):
            tile = slice(start, start + columns)
            with np.errstate(all="ignore"):
                K = self.kernel(A, rows[tile])
                total += K @ coef[tile]
            self.refuse_not_finite(total, K)
        return total

    def refuse_not_finite(self, sums: np.ndarray, K: np.ndarray) -> None:
        """A sum is not finite where a kernel is not: only then are all of them looked at."""
        if np.isfinite(sums).all():
            return
        bad = K[~np.isfinite(K)]
        if len(bad):
            raise KernelError(
                f"The kernel {self.what} gave {bad[0]:g}: not a finite number. Scale the features, or take a lower degree."
            )
        raise KernelError(f"Sums of the kernel {self.what} overflow: scale the features, or take a lower degree or rate.")

    def refuse_negative(self, sizes: np.ndarray) -> None:
        """K(x, x) = |φ(x)|² is no less than 0."""
        if sizes.min(initial=0) < 0:
            raise KernelError(
                f"The kernel {self.what} gave {sizes.min():g} for a row with itself: that is a squared length, 0 or more."
            )


class Expansion:
    """A growing sum: rows in the order in which they came, the oldest first, and for each a coefficient a vector."""

    def __init__(self, space: Space, X: Block, vectors: int, columns: int = COLUMNS):
        self.space, self.columns = space, columns
        self.numbers: list[int] = []  # of the rows
        self.places: dict[int, int] = {}  # of a row number in the sum, counted since the first row ever
        self.first = 0  # rows that have gone
        self._gone = 0  # of them, those that a sparse matrix still holds
        self._sparse = is_sparse(X)
        self._rows = X[:0]
        # Sparse rows that have come since the others were put together: blocks, and places in each. A row cut out alone
        # would cost more than the update that it is for.
        self._pending: list[tuple[Block, list[int]]] = []
        self._coef = np.zeros((0, vectors))

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def rows(self) -> Block:
        if not self._sparse:
            return self._rows[: len(self)]
        if self._pending:
            from scipy.sparse import vstack

            new = [A[places] for A, places in self._pending]
            self._rows, self._pending = vstack([self._rows, *new], format="csr"), []
        if self._gone:
            self._rows, self._gone = self._rows[self._gone :], 0
        return self._rows

    @property
    def coef(self) -> np.ndarray:
        return self._coef[: len(self)]

    def replace_by(self, numbers: list[int], rows: Block, coef: np.ndarray) -> None:
        """The sum of these rows in place of what it was."""
        self.numbers, self._rows, self._coef = list(numbers), rows, coef.copy()
        self.places = {number: place for place, number in enumerate(numbers)}

    def add(self, number: int, A: Block, k: int, vector: int, step: float) -> None:
        """f of this vector gains step K(·, x), where x, the row of this number, is row k of the block A."""
        if number not in self.places:
            self._append(number, A, k)
        self._coef[self.places[number] - self.first, vector] += step

    def _append(self, number: int, A: Block, k: int) -> None:
        size = len(self)
        self.places[number] = self.first + size
        self.numbers.append(number)
        if size == len(self._coef):
            self._coef = np.concatenate([self._coef, np.zeros((max(64, size), self._coef.shape[1]))])
        if self._sparse:
            if not self._pending or self._pending[-1][0] is not A:
                self._pending.append((A, []))
            self._pending[-1][1].append(k)
            return
        if size == len(self._rows):
            more = np.empty((len(self._coef) - size, A.shape[1]), dtype=A.dtype)
            self._rows = np.concatenate([self._rows, more])
        self._rows[size] = A[k]

    def drop_oldest(self) -> np.ndarray:
        """Takes the oldest row out of the sum; the coefficients that it had."""
        coef: np.ndarray = self._coef[0]
        del self.places[self.numbers.pop(0)]
        self.first += 1
        self._coef = self._coef[1:]
        if self._sparse:
            self._gone += 1
        else:
            self._rows = self._rows[1:]
        return coef

    def scores(self, A: Block, since: int = 0) -> np.ndarray:
        """f of each vector for every row of A, counting the rows of the sum from place `since` on."""
        return self.space.scores(A, self.rows[since:], self.coef[since:], self.columns)


class Leaving:
    """What the scores of a block lose as the oldest rows leave a sum: kernels are computed for many of these at once."""

    def __init__(self, total: Expansion, A: Block, many: int):
        self.total, self.A, self.many = total, A, many
        self.begin = total.first  # the row whose products are the first column
        self.products = np.empty((A.shape[0], 0))

    def drop_oldest(self, since: int) -> np.ndarray:
        """Takes the oldest row out of the sum; what the scores of the block lose by that, from its row `since` on."""
        if since == self.A.shape[0]:
            return np.zeros((0, len(self.total.drop_oldest())))
        place = self.total.first - self.begin
        if place >= self.products.shape[1]:
            self.begin, place = self.total.first, 0
            self.products = self.total.space.products(self.A, self.total.rows[: self.many])
        lost: np.ndarray = self.products[since:, place, None] * self.total.drop_oldest()
        return lost
