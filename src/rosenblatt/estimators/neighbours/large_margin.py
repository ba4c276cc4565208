"""Large margins: the widest street between the classes (W9), and one that some rows may stand in, at a price."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.engine.parameters import Choice, Real, parameter
from rosenblatt.errors import DataError, NotFiniteError, needs_parts
from rosenblatt.estimators.declared import estimator
from rosenblatt.estimators.neighbours.linear import LinearNeighbour, as_examples
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.separator import max_margin
from rosenblatt.theory.signed import SignedExamples

MOST_ENTRIES = 20_000_000  # of the program's constraints: some minutes, some gigabytes
NEARLY_HARD = 1000.0  # of a shortfall, where a hard margin cannot be
SOLVED = ("Solved", "AlmostSolved")


@estimator
class MaxMargin(LinearNeighbour):
    """The plane that lies in the widest street between the classes.

    Two classes:  ½ |w|² as small as it can be with y (w·x + b) ≥ 1 for every row; the street is 2/|w| wide.
    More:         ½ Σ |w_k|²  with  w_y·x + b_y ≥ w_k·x + b_k + 1 for every row and every other class k.

    It is the solver of `certify`, in one piece.

    >>> clf = MaxMargin().fit([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]], ["yes", "no", "yes"])
    >>> clf.coef_.round(4) + 0.0, clf.intercept_.round(4), round(clf.margin_, 4), clf.support_
    (array([[1., 0.]]), array([-1.]), 1.0, array([0, 1]))
    """

    bias: str = parameter(
        "free",
        Choice(("free", "feature")),
        help='"free", as support vector machines have it, or "feature": the weight of a constant feature 1, part of |w|, '
        "as in the perceptron's bound.",
    )
    inseparable: str = parameter(
        "soft",
        Choice(("soft", "refuse")),
        help='What to do with rows that no plane separates: "soft" takes the soft margin with C = 1000, warns, and says so '
        'in `separable_`; "refuse" raises an error.',
    )
    _attributes: ClassVar[dict[str, str]] = {
        "margin_ : float": "The distance of the nearest row from the plane, by the length that `bias` names.",
        "support_ : ndarray": "The rows that hold the plane where it is.",
        "separable_ : bool": "Does a plane separate the rows?",
    }
    _most_entries: ClassVar[int] = MOST_ENTRIES

    def fit(self, X: Any, y: Any) -> Self:
        """Solves the quadratic program for rows X with labels y."""
        examples = refuse_large_program(as_examples(self, X, y), self._most_entries)
        try:
            separator = max_margin(examples.rows.matrix(), examples.codes, self.fit_intercept, bias=self.bias)
        except DataError as refused:
            if self.inseparable == "refuse" or isinstance(refused, NotFiniteError):
                raise
            return self._fit_soft_margin(examples)
        self._set_weights(separator.coef, separator.intercept)
        self.margin_, self.support_, self.separable_ = separator.margin, separator.support, True
        return self

    def _fit_soft_margin(self, examples: Examples) -> Self:
        signed = SignedExamples(examples, self.fit_intercept)
        self._set_weights(*signed.weights(soft_margin(signed, NEARLY_HARD), scaled=False))
        margins = signed.margins(self.coef_, self.intercept_)
        self.margin_ = float(margins.min() / max(np.linalg.norm(self.coef_), np.finfo(float).tiny))
        self.support_ = np.flatnonzero((margins if margins.ndim == 1 else margins.min(axis=1)) <= 1 + 1e-6)
        self.separable_ = False
        warnings.warn(
            f"MaxMargin found no plane that separates these rows: this is the soft margin with C = {NEARLY_HARD:g}. Take "
            "SoftMargin and choose C, or ask certify(X, y) for the proof.",
            ConvergenceWarning,
            stacklevel=3,
        )
        return self


@estimator
class SoftMargin(LinearNeighbour):
    """½ |w|² + C Σ ξ as small as it can be, with y (w·x + b) ≥ 1 − ξ and ξ ≥ 0: the linear support vector machine.

    With many classes  s_y ≥ s_k + 1 − ξ  for every other class k, one ξ a row (Crammer and Singer, 2001).

    Solved exactly, as a quadratic program: for some ten thousand rows. scikit-learn's LinearSVC is for more, but makes the
    bias part of |w| and squares ξ.

    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], ["no", "no", "yes", "yes", "yes"]
    >>> SoftMargin(C=100.0).fit(X, y).coef_.round(4)  # the street from −1 to 0 costs nothing
    array([[2.]])
    >>> SoftMargin(C=1.0).fit(X, y).coef_.round(4)  # twice as wide, at the price of rows that stand in it
    array([[1.]])
    """

    C: float = parameter(
        1.0,
        Real(above=0),
        help="The price of a row's shortfall; a large C comes near the hard margin, where there is one.",
    )
    _most_entries: ClassVar[int] = MOST_ENTRIES

    def fit(self, X: Any, y: Any) -> Self:
        """Solves the quadratic program for rows X with labels y."""
        signed = SignedExamples(refuse_large_program(as_examples(self, X, y), self._most_entries), self.fit_intercept)
        self._set_weights(*signed.weights(soft_margin(signed, self.C), scaled=False))
        return self


def refuse_large_program(examples: Examples, most_entries: int) -> Examples:
    """The examples, if an exact solver can take them."""
    rows = examples.rows
    entries = rows.entries * (1 if examples.vectors == 1 else 2 * examples.vectors - 2)
    if entries > most_entries:
        raise DataError(
            f"{rows.n:,} rows and {examples.vectors} vector(s) of weights make a program of {entries:,} entries, more than "
            f"the {most_entries:,} that are solved exactly: take fewer rows, or scikit-learn's LinearSVC."
        )
    return examples


def soft_margin(signed: SignedExamples, price: float) -> np.ndarray:
    """The v of the soft margin: all classes' (w, b) side by side.

    Variables (v, ξ);  −Z v − ξ ≤ −1,  −ξ ≤ 0
    """
    with needs_parts("The exact soft margin"):
        import clarabel
    from scipy.sparse import block_array, csc_array, csr_array, diags_array, eye_array

    numbers, n, d = signed.all().numbers, signed.rows.n, signed.dimension
    Z = signed.matrix(numbers, scaled=False)
    of_row = csr_array((np.ones(len(numbers)), (np.arange(len(numbers)), signed.row_of(numbers))), shape=(len(numbers), n))
    fined = np.ones(d)
    if signed.bias:
        fined[signed.rows.d :: signed.width] = 0.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    answer = clarabel.DefaultSolver(
        csc_array(diags_array(np.append(fined, np.zeros(n)))),
        np.append(np.zeros(d), np.full(n, price)),
        csc_array(block_array([[-Z, -of_row], [None, -eye_array(n)]])),
        np.append(-np.ones(len(numbers)), np.zeros(n)),
        [clarabel.NonnegativeConeT(len(numbers) + n)],
        settings,
    ).solve()
    if str(answer.status) not in SOLVED:
        raise DataError(f"The solver of the soft margin gave up ({answer.status}): scale the features, or take a smaller C.")
    return np.array(answer.x)[:d]
