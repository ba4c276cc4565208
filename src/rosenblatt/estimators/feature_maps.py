"""The feature maps, basis functions among them, as scikit-learn transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.engine.parameters import Anything, Choice, Flag, Real, Whole, parameter, refuse_wrong_parameters
from rosenblatt.engine.rows import OneHot
from rosenblatt.estimators.declared import estimator
from rosenblatt.features import FeatureMap, TableMap, TextMap
from rosenblatt.features.basis import FunctionMap, PolynomialMap, RadialMap
from rosenblatt.features.hashing import BITS
from rosenblatt.features.table.table_map import COLUMN_KINDS, MOST_VALUES
from rosenblatt.features.text import NGRAMS, WEIGHTINGS

WEIGHTING_HELP = "counts of words, rows of unit length, or these with rare words counting for more (idf)."
HASHING_HELP = "A number of bits: features go to one of 2^bits places by the hash of their name, and none is remembered."


class MappedFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What all have: the map learned by `fit`."""

    _attributes: ClassVar[dict[str, str]] = {
        "map_ : FeatureMap": "What was learned; `map_.notes` tells what the last `transform` overlooked."
    }

    def _map(self) -> FeatureMap:
        raise TypeError(f"{type(self).__name__} has no map: use one of its subclasses.")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns which features there are."""
        refuse_wrong_parameters(self)
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


@estimator
class TableFeatures(MappedFeatures):
    """A table (pandas, polars, Arrow or a dict of columns) as features.

    >>> people = {"education": ["Doctorate", "HS-grad"], "age": [40, 30]}
    >>> TableFeatures(scale=False).fit_transform(people).toarray()
    array([[ 1.,  0., 40.],
           [ 0.,  1., 30.]], dtype=float32)
    """

    numeric: str = parameter(
        "number",
        Choice(COLUMN_KINDS),
        help="What columns of numbers become: a number, one with bins and frequent values, a category (each value a "
        "feature), or number and category. auto is bins, unless `learn` finds them useless.",
    )
    per_column: Any = parameter(
        None,
        Anything("dict or None"),
        help='What columns are, where values are not to decide: {"zip": "code", "when": "date:%d/%m/%Y", "id": "drop"}.',
    )
    scale: bool = parameter(True, Flag(), help="Numbers get mean 0 and variance 1; binaries never do.")
    products: Any = parameter((), Anything("pairs of columns, 'all' or 'auto'"), help="Products of columns as features.")
    hashing: int | None = parameter(None, BITS, help=HASHING_HELP)
    double: bool = parameter(False, Flag(), help="Numbers as 64-bit features, to the last digit of the table; else 32-bit.")
    missing: Any = parameter(
        (), Anything("list of texts"), help="What else stands for a missing value, beside NA, NULL, - …"
    )
    only: Any = parameter(None, Anything("list of names or None"), help="The columns to use.")
    ngrams: int = parameter(1, NGRAMS, help="In columns of sentences, up to so many words in a row are a feature.")
    weighting: str = parameter("counts", Choice(WEIGHTINGS), help=f"In columns of sentences: {WEIGHTING_HELP}")
    most_values: int | None = parameter(
        None, MOST_VALUES, help="At most so many values of a category have a feature each; all others share one."
    )

    def _map(self) -> FeatureMap:
        return TableMap(**self.get_params())


@estimator
class TextFeatures(MappedFeatures):
    """Texts as counts of their words.

    >>> words = TextFeatures().fit(["win the vote", "win the game"])
    >>> words.get_feature_names_out().tolist()
    ['word:game', 'word:the', 'word:vote', 'word:win']
    """

    ngrams: int = parameter(1, NGRAMS, help="Up to so many words in a row are a feature.")
    lowercase: bool = parameter(True, Flag(), help="Take Win and win for one word.")
    min_count: int = parameter(1, Whole(1), help="Words that occur less often in all of training are left out.")
    counts: bool = parameter(True, Flag(), help="How often a word stands in a text; False: whether it does.")
    hashing: int | None = parameter(None, BITS, help=HASHING_HELP)
    weighting: str = parameter("counts", Choice(WEIGHTINGS), help=WEIGHTING_HELP)

    def _map(self) -> FeatureMap:
        return TextMap(**self.get_params())


class BasisFeatures(MappedFeatures):
    """What all have: a table of numbers in, φ(x) out."""

    _attributes: ClassVar[dict[str, str]] = {"n_features_in_ : int": "Columns in training."}

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns what the functions need to know of the rows."""
        return super().fit(validate_data(self, X, dtype=np.float64))

    def transform(self, X: Any) -> Any:
        """φ(x) of every row."""
        check_is_fitted(self)
        return super().transform(validate_data(self, X, reset=False, dtype=np.float64))


@estimator
class PolynomialBasis(BasisFeatures):
    """All products of up to `degree` columns; the constant is left to the bias.

    >>> PolynomialBasis(degree=2).fit_transform([[2.0, 3.0]])
    array([[2., 3., 4., 6., 9.]])
    """

    degree: int = parameter(2, Whole(1), help="Most columns in a product, repeated ones counted.")

    def _map(self) -> PolynomialMap:
        return PolynomialMap(self.degree)


@estimator
class RadialBasis(BasisFeatures):
    """Bumps around centres: exp(−|x − c|² / 2 width²).

    >>> RadialBasis(centres=[[0.0], [2.0]], width=1.0).fit_transform([[0.0]]).round(4)
    array([[1.    , 0.1353]])
    """

    centres: Any = parameter(10, Anything("int or array of rows"), help="Rows, or how many of the training rows to take.")
    width: float | None = parameter(
        None, Real(above=0, optional=True), help="Of a bump; None takes the median distance between centres."
    )
    random_state: int = parameter(0, Whole(0), help="Draws the centres.")

    def _map(self) -> RadialMap:
        return RadialMap(self.centres, self.width, self.random_state)


@estimator
class FunctionBasis(BasisFeatures):
    """Functions of one's own, each of the whole table, giving a number or some numbers a row.

    >>> FunctionBasis(functions=[np.sin, np.cos]).fit_transform([[0.0]])
    array([[0., 1.]])
    """

    functions: Sequence[Callable[[np.ndarray], Any]] = parameter(
        (np.asarray,), Anything("list of functions"), help="Each takes all rows and gives a number, or some, a row."
    )

    def _map(self) -> FunctionMap:
        return FunctionMap(*self.functions)
