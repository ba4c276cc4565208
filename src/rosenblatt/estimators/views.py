"""What a fitted linear estimator predicts with: one of the weights of its run, or the votes of all."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.compiled import cores
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import SettingError
from rosenblatt.estimators.saving import RunSettings
from rosenblatt.learning.log import Memory
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import Training
from rosenblatt.learning.votes import VOTING, Voter

if TYPE_CHECKING:
    from rosenblatt.learning.calibration import Calibration

LINEAR_VIEWS = ("last", "averaged", "best", *VOTING)


class LinearViews:
    """The views of a fit, and the memory that votes need; `fit` sets what is declared here."""

    training_: Training
    classes_: np.ndarray
    _settings: RunSettings
    _memories: tuple[tuple[Memory, int], ...]  # of each call, with the number of rows before it
    _chosen: str  # the view that predicts
    n_jobs: int | None
    _rows: Any
    _votes = False  # is it the votes of all weights that predict by itself?
    _sparse_coef = False
    _calibration: Calibration | None = None  # of the weights that predict, with `calibrate`

    def _shown(self, coef: np.ndarray) -> Any:
        """Weights as `coef_` gives them."""
        return csr_matrix(coef) if self._sparse_coef else coef

    def view(self, name: str) -> Self:
        """This estimator with the "last", "averaged" or "best" weights of the same fit, or all of them, "voted"; with
        "random" one of these decides about each row, drawn by `random_state`. Both need the log: `keep_log`.
        """
        check_is_fitted(self)
        if name not in LINEAR_VIEWS:
            raise SettingError(
                f"There is no view {name!r}: choose {', '.join(map(repr, LINEAR_VIEWS[:-1]))} or {LINEAR_VIEWS[-1]!r}."
            )
        if name not in VOTING:
            self.training_.view(name)  # says so where there are no best weights
        elif not self._memories:
            raise SettingError(
                "Votes need the log of a mistake-driven rule that adds rows (not of Arow, nor of multiclass='rest'): fit "
                "with keep_log=True."
            )
        self.training_.weights.shared = True
        twin = copy.copy(self)
        twin._chosen = name
        return twin

    @property
    def _model(self) -> Model | Voter:
        check_is_fitted(self)
        if self._chosen in VOTING:
            drawn = self._settings.plan.seed if self._chosen == "random" else None
            return Voter(self.classes_, self.memory_, drawn)
        return self.training_.view(self._chosen)

    @property
    def _linear(self) -> Model:
        """The weights that predict; votes are of many."""
        model = self._model
        if isinstance(model, Voter):
            raise AttributeError("Many weight vectors vote: view('averaged') and view('last') have a coef_ and intercept_.")
        return model

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        model, rows = self._model, self._rows_to_score(X)
        return model.scores(rows, self._threads()) if isinstance(model, Model) and rows.n > 1 else model.scores(rows)

    def _threads(self) -> int:
        from joblib import effective_n_jobs

        return min(cores(), int(effective_n_jobs(-1 if self.n_jobs is None else self.n_jobs)))

    def _rows_to_score(self, X: Any) -> Rows:
        to_learn = self._chosen in VOTING  # votes multiply rows with rows
        rows: Rows = self._rows(X, reset=False, to_learn=to_learn, threads=self._threads())
        return rows

    @property
    def t_(self) -> int:
        """Examples seen since training began, and 1, as scikit-learn counts them."""
        check_is_fitted(self)
        return self.training_.weights.t + 1

    @available_if(lambda self: not self._votes)  # type: ignore[untyped-decorator]
    def sparsify(self) -> Self:
        """From now on, until the next fit, `coef_` is a sparse matrix: for models most of whose weights are 0."""
        check_is_fitted(self)
        self._sparse_coef = True
        return self

    @available_if(lambda self: not self._votes)  # type: ignore[untyped-decorator]
    def densify(self) -> Self:
        """`coef_` is an array again."""
        check_is_fitted(self)
        self._sparse_coef = False
        return self

    @property
    def memory_(self) -> Memory:
        """The log since training began, with a copy of the rows that moved the weights."""
        if not getattr(self, "_memories", ()):
            raise AttributeError(
                "There is no memory_ without the log of a mistake-driven rule that adds rows (not of Arow, nor of "
                "multiclass='rest'): fit with keep_log=True."
            )
        parts = list(self._memories)
        while len(parts) > 1:  # neighbours, then pairs of them: no row is copied once for every call
            pairs = zip(parts[::2], parts[1::2], strict=False)
            joined = [(a.then(b, there - here), here) for (a, here), (b, there) in pairs]
            parts = joined + parts[2 * len(joined) :]
            self._memories = tuple(parts)
        return parts[0][0]


class ClassifierViews(LinearViews):
    """What a fitted classifier tells of its weights, and of rows."""

    @property
    def coef_(self) -> np.ndarray:
        """Weights: one row for two classes, else one a class."""
        return self._shown(self._linear.coef)  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> np.ndarray:
        """Biases: one for two classes, else one a class."""
        return self._linear.intercept

    def decision_function(self, X: Any) -> np.ndarray:
        """w·x + b: a number a row for two classes (0 or more: classes_[1]), a column a class for more.

        Voted, it is the votes, and of two classes with equal votes the first wins.
        """
        return self._scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self._scores(X)
        return self._model.labels(scores, self._threads())
