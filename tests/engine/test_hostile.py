"""Input that lies about itself gives a named error, never a crash, and never silently wrong weights."""

import math

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from strategies import RULES, assert_close

from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.engine.rules import Logistic
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, DivergenceError, NotFiniteError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import run, train

# ---- CSR that points outside its data. Each corruption gives the row that it spoils (None: no one row).


def index_too_large(X, row, random):
    X.indices[X.indptr[row]] = X.shape[1] + random.integers(0, 3)
    return row


def index_negative(X, row, random):
    X.indices[X.indptr[row]] = -random.integers(1, 9)
    return row


def index_at_the_end_of_the_row(X, row, random):
    X.indices[X.indptr[row + 1] - 1] = 2**31 - 1
    return row


def index_2_to_31(X, row, random):
    X.indices = X.indices.astype(np.int64)
    X.indices[X.indptr[row]] = 2**31
    return row


def index_2_to_40(X, row, random):
    X.indices = X.indices.astype(np.int64)
    X.indices[X.indptr[row]] = 2**40 + random.integers(0, 9)
    return row


def index_2_to_32_more(X, row, random):
    """Right in its lower half only: a cut to 32 bits would accept it."""
    X.indices = X.indices.astype(np.int64)
    X.indices[X.indptr[row]] += 2**32
    return row


def index_unsigned(X, row, random):
    X.indices = X.indices.astype(np.uint32)
    X.indices[X.indptr[row]] = 2**31 + 1
    return row


def indptr_falls(X, row, random):
    X.indptr[row + 1] = X.indptr[row] - 1
    return row


def indptr_starts_late(X, row, random):
    X.indptr[0] = 1
    return 0


def indptr_starts_below_0(X, row, random):
    X.indptr[0] = -random.integers(1, 2**20)
    return 0


def indptr_beyond_the_data(X, row, random):
    X.indptr[row + 1] = len(X.data) + random.integers(1, 2**20)
    return row


def indptr_2_to_62(X, row, random):
    X.indptr = X.indptr.astype(np.int64)
    X.indptr[row + 1] = 2**62
    return row


def indptr_too_short(X, row, random):
    X.indptr = X.indptr[: row + 1]


def indptr_too_long(X, row, random):
    X.indptr = np.append(X.indptr, X.indptr[-1])


def data_shorter_than_indices(X, row, random):
    X.data = X.data[: X.indptr[row] + 1]
    return next(r for r in range(X.shape[0]) if X.indptr[r + 1] > len(X.data))


def indices_shorter_than_data(X, row, random):
    X.indices = X.indices[: X.indptr[row]]
    return row


CORRUPTIONS = [
    index_too_large, index_negative, index_at_the_end_of_the_row, index_2_to_31, index_2_to_40, index_2_to_32_more,
    index_unsigned, indptr_falls, indptr_starts_late, indptr_starts_below_0, indptr_beyond_the_data, indptr_2_to_62,
    indptr_too_short, indptr_too_long, data_shorter_than_indices, indices_shorter_than_data,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("corrupt", CORRUPTIONS)
def test_hostile_csr_is_refused_naming_the_row(engine, corrupt, seed):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(1, 9)), int(random.integers(2, 30))
    dense = random.normal(size=(n, d))
    dense[:, 1:][random.random((n, d - 1)) < 0.4] = 0
    X = sp.csr_array(dense.astype(random.choice([np.float32, np.float64])))
    if seed % 2:
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if seed % 3 == 0:  # every row has two entries at least, and the first out of order
        X.indices[X.indptr[:-1]], X.indices[X.indptr[1:] - 1] = X.indices[X.indptr[1:] - 1], X.indices[X.indptr[:-1]]
    row = corrupt(X, int(random.integers(0, n)), random)
    expected = "indptr has" if row is None else rf"Row {row} "
    with pytest.raises(DataError, match=expected):
        Rows(X)
    with pytest.raises(DataError, match=expected):
        train(X, np.arange(n) % 2 if n > 1 else [0])


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("bad", [-1, 5, 6, 2**31 - 1])
def test_hostile_one_hot_codes_are_refused_naming_the_row(engine, width, bad):
    columns = np.array([[0, 1], [2, 3], [1, 4]], dtype=width)
    columns[1, 1] = bad
    with pytest.raises(DataError, match=f"Row 1 has column index {bad}: expected 0 to 4"):
        Rows(OneHot(columns, 5))


@pytest.mark.parametrize("columns", [[[0, 1], [3, 2]], [[0, 1], [2, 2]]])
def test_one_hot_columns_that_do_not_increase_are_refused(engine, columns):
    with pytest.raises(DataError, match="increase"):
        Rows(OneHot(np.array(columns), 5))


def test_one_hot_codes_of_the_wrong_shape_or_type_are_refused():
    for columns in (np.array([0, 1]), np.array([[0.5, 1.5]]), np.zeros((1, 1, 1), int)):
        with pytest.raises(DataError):
            Rows(OneHot(columns, 5))


def test_a_flag_that_claims_sorted_columns_is_not_believed(engine):
    X = sp.csr_array((np.array([1.0, 2, 3]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    X.has_canonical_format = X.has_sorted_indices = True
    rows = Rows(X)
    assert rows.indices.tolist() == [0, 1]
    assert rows.values.tolist() == [2, 4]
    assert X.indices.tolist() == [1, 0, 1]  # the user's own array is as it was


# ---- numbers that are none


def spoiled(form, value, row, column):
    random = np.random.default_rng(row + column)
    X = random.normal(size=(6, 20))
    X[row, column] = value
    return {"float64": X, "float32": X.astype(np.float32), "csr": sp.csr_array(X)}[form]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("form", ["float64", "float32", "csr"])
@pytest.mark.parametrize("name", RULES)
def test_a_number_that_is_not_finite_is_refused_by_row_and_column(engine, name, form, value):
    random = np.random.default_rng(list(f"{name} {form} {value}".encode()))
    rule = RULES[name][0]
    for classes in (2, 3):
        row, column = int(random.integers(0, 6)), int(random.integers(0, 20))
        X, y = spoiled(form, value, row, column), np.arange(6) % classes
        for order in ("given", "shuffled"):
            with pytest.raises(NotFiniteError) as caught:
                train(X, y, rule, order=order)
            assert (caught.value.row, caught.value.column) == (row, column)
            assert f"row {row}, column {column}" in str(caught.value)


@pytest.mark.parametrize("name", RULES)
def test_a_bad_row_leaves_the_weights_as_the_rows_before_made_them(engine, name):
    rule, learner = RULES[name]
    X, y = spoiled("float64", math.nan, 4, 7), np.arange(6) % 2
    weights = Weights(1, 20, second_order=rule.second_order)
    with pytest.raises(NotFiniteError):
        run(for_classes(X, y), rule, Plan(order="given"), weights)
    witness = oracle.learn(learner, X, y, range(4))
    assert weights.t == 4
    assert_close(weights.last, witness.last, witness.largest)
    assert_close(weights.averaged, witness.averaged, witness.largest)


def test_a_row_that_is_too_large_does_not_shrink_the_weights_before_it_is_refused(engine):
    # Its margin, 1e200, is a number; its norm, which tol asks for, is not.
    weights = Weights(1, 1, fit_intercept=False)
    weights.start_from(np.ones((1, 1)), np.zeros(1))
    examples = for_classes(np.array([[1e200]]), [1], np.array([0, 1]))
    with pytest.raises(NotFiniteError, match="Row 0, column 0"):
        run(examples, Logistic(l2=0.1), Plan(order="given", tol=1e-9), weights)
    assert weights.last[0].tolist() == [[1.0]]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_scoring_refuses_what_is_not_finite(engine, value):
    for coef in (np.ones((1, 20)), np.zeros((3, 20))):
        model = Model(np.arange(max(2, len(coef))), coef, np.zeros(len(coef)))
        with pytest.raises(NotFiniteError, match="row 5, column 13"):
            model.predict(spoiled("csr", value, 5, 13))


# ---- numbers of extreme size: a separable set, scaled

TOY = np.array([[1, 2], [2, 1], [-1, -1.5], [-2, -1], [1.5, 1], [-1, -2.5]])
SIDES = np.array([1, 1, 0, 0, 1, 0])
CORNERS = np.array([[4, 0], [3, 0.5], [-2, 3], [-2, 4], [-3, -3], [-2, -4]])


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e150, 1e-150, 1e-140, 1e-310, 5e-324, 1e307])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", RULES)
def test_extreme_scales_give_a_named_error_or_weights_that_work(engine, name, fit_intercept, scale):
    for X, y in (TOY, SIDES), (CORNERS, np.arange(6) // 2):
        for order in ("given", "shuffled"):
            named = None
            try:
                trained = train(X * scale, y, RULES[name][0], epochs=50, order=order, fit_intercept=fit_intercept)
                right = (trained.view("last").predict(X * scale) == y).all()
            except NotFiniteError as error:
                named = error
            if named:
                assert None not in (named.row, named.column)
                continue
            coef, intercept = trained.weights.last
            assert np.isfinite(coef).all()
            assert np.isfinite(intercept).all()
            assert coef.any(), "silently zero weights"
            assert np.isfinite(trained.weights.averaged[0]).all()
            if trained.converged:
                assert right


@pytest.mark.parametrize("name", RULES)
def test_one_huge_row_among_tame_ones_is_named(engine, name):
    X = TOY.copy()
    X[3, 1] = 1e200
    for seed in range(5):
        blamed = (3, 1)
        try:
            trained = train(X, SIDES, RULES[name][0], seed=seed)
            assert np.isfinite(np.append(*trained.weights.last)).all()
        except NotFiniteError as error:
            blamed = (error.row, error.column)
        except DivergenceError:  # one step took w to infinity, and an innocent row noticed
            blamed = (3, 1) if "widrow" in name else None
        assert blamed == (3, 1)


def test_float32_denormals_are_learned_from(engine):
    X = (TOY * 1e-41).astype(np.float32)
    trained = train(X, SIDES, fit_intercept=False, epochs=50)
    assert trained.converged
    assert (trained.view("last").predict(X) == SIDES).all()


def test_nothing_but_zero_rows_is_counted_and_moves_nothing_without_a_bias(engine):
    trained = train(np.zeros((4, 3)), [0, 1, 0, 1], fit_intercept=False, epochs=1)
    assert trained.zero_rows == 4
    assert trained.weights.updates == 0
    assert train(np.zeros((4, 3)), [0, 1, 0, 1], epochs=1).weights.updates > 0  # the constant feature is no zero row


@pytest.mark.parametrize("wrong", ["columns", "vectors", "bias", "type", "codes", "negative code", "too few codes", "room"])
def test_what_does_not_fit_the_rows_never_reaches_the_loop(engine, wrong):
    from rosenblatt.engine import rules
    from rosenblatt.engine.rows import Rows
    from rosenblatt.engine.weights import Weights
    from rosenblatt.learning import training

    rows, weights, y = Rows(np.ones((4, 3))), Weights(3, 3), np.array([0, 1, 2, 0], np.int32)
    build = lambda: training.core.Loop(rows, weights, rules.Perceptron().formula(), (y, None, None))  # noqa: E731
    assert build().run(None, 0, 4) == 4
    if wrong == "columns":
        weights.w, weights.u = np.zeros((2, 3, 2))
    elif wrong == "vectors":
        weights.w, weights.u = np.zeros((2, 2, 3))
    elif wrong == "bias":
        weights.bias = np.zeros(2)
    elif wrong == "type":
        weights.w, weights.u = np.zeros((2, 3, 3), np.float32)
    elif wrong == "codes":
        y[3] = 3
    elif wrong == "negative code":
        y[3] = -1
    elif wrong == "too few codes":
        y = y[:3]
    else:
        loop = build()
        for impossible in (lambda: loop.run(None, 0, 5), lambda: loop.score_rows(np.empty(11), 0, 4)):
            with pytest.raises(ValueError, match="There are no"):
                impossible()
        return
    with pytest.raises(ValueError, match="do not fit"):
        build()


@pytest.mark.parametrize("part", ["column", "gains", "loses", "lived", "products", "votes"])
def test_a_log_that_points_elsewhere_never_reaches_the_count_of_votes(engine, part):
    from rosenblatt.learning import votes

    log = {
        "column": np.array([0, 1], np.int32),
        "gains": np.array([0, 2], np.int32),
        "loses": np.array([1, 0], np.int32),
        "steps": np.ones(2),
        "lived": np.array([1, 1, 1]),
    }
    sizes = {"products": (5, 2), "votes": (5, 3)}
    if part in ("column", "gains", "loses"):
        log[part][1] = 3
    elif part == "lived":
        log[part] = log[part][:2]
    else:
        sizes[part] = (4, sizes[part][1])

    def count():
        counter = votes.vote_counter.VoteCounter(tuple(log.values()), 1.0, np.empty(3))
        counter.count(np.ones(sizes["products"]), np.zeros((5, 3)), np.zeros(sizes["votes"], np.int64))

    with pytest.raises(ValueError, match="fit"):
        count()
