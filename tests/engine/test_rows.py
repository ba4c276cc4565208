"""Rows are read where they lie, in whatever order their columns come; only what repeats is summed."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from strategies import data_sets

from rosenblatt import Arow, Mira, Perceptron, SoftPerceptron
from rosenblatt.engine import entries as slow_entries
from rosenblatt.engine import rules
from rosenblatt.engine.compiled import core, entries
from rosenblatt.engine.rows import SPARSE_KINDS, OneHot, Rows
from rosenblatt.engine.threads import map_on_cores, share
from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.learning import scoring, training
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model, layout, score, scores_in_blocks


def words(rng, n=60, d=40, most=12, whole=True, repeats=0.0):
    """CSR rows as TfidfVectorizer leaves them: columns in any order; with `repeats`, a share of rows names one twice."""
    indptr, indices = [0], []
    for _ in range(n):
        columns = rng.permutation(d)[: rng.integers(0, most)]
        if len(columns) and rng.random() < repeats:
            columns = np.append(columns, columns[0])
        indices.extend(columns)
        indptr.append(len(indices))
    values = rng.integers(-4, 5, len(indices)) if whole else rng.normal(size=len(indices))
    return sp.csr_array((values.astype(float), np.array(indices, np.int32), np.array(indptr, np.int32)), shape=(n, d))


def test_unsorted_rows_are_not_copied():
    X = words(np.random.default_rng(0))
    assert not X.has_sorted_indices
    rows = Rows(X)
    assert np.shares_memory(rows.indices, X.indices)
    assert np.shares_memory(rows.values, X.data)


@given(st.integers(0, 2**32), st.sampled_from([2, 3, 20]))
def test_whole_numbers_in_any_order_give_the_bits_of_sorted_rows(seed, classes):
    rng = np.random.default_rng(seed)
    X, y = words(rng), rng.permutation(np.arange(60) % classes)
    in_order = X.copy()
    in_order.sort_indices()
    runs = [training.train(rows, y, epochs=3) for rows in (X, in_order)]
    for view in ("last", "averaged"):
        models = [run.view(view) for run in runs]
        np.testing.assert_array_equal(models[0].coef, models[1].coef)
        np.testing.assert_allclose(models[0].scores(X), models[1].scores(in_order), rtol=1e-12, atol=1e-12)


@given(st.integers(0, 2**32))
def test_only_rows_with_repeated_columns_are_summed(seed):
    rng = np.random.default_rng(seed)
    X = words(rng, repeats=0.2, whole=False)
    rows, given_rows = Rows(X), Rows(X, to_learn=False)
    np.testing.assert_allclose(rows.csr().toarray(), X.toarray(), rtol=1e-12)
    assert np.shares_memory(given_rows.indices, X.indices)
    for i in range(X.shape[0]):
        (columns, values), (theirs, numbers) = rows.row(i), given_rows.row(i)
        assert len(np.unique(columns)) == len(columns)
        if len(np.unique(theirs)) == len(theirs):
            assert columns.tolist() == theirs.tolist()
            assert values.tolist() == numbers.tolist()
    w, b = rng.normal(size=(3, X.shape[1])), rng.normal(size=3)
    np.testing.assert_allclose(score(given_rows, w, b), score(rows, w, b), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("multiclass", ["rival", "rest"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.usefixtures("engine")
def test_a_column_named_twice_is_learned_from_as_its_sum(classes, multiclass):
    rng = np.random.default_rng(classes)
    X, y = words(rng, repeats=0.3), rng.permutation(np.arange(60) % classes)
    assert Rows(X, repeats=True).entries == X.nnz > Rows(X).entries
    runs = [training.train(Rows(X, repeats=repeats), y, epochs=3, multiclass=multiclass) for repeats in (True, False)]
    for view in ("last", "averaged"):
        np.testing.assert_array_equal(*(run.view(view).coef for run in runs))


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        Perceptron(fit_intercept=False),
        Perceptron(tol=0.0),
        Perceptron(keep_log=True),
        Mira(),
        Arow(),
        SoftPerceptron(),
    ],
    ids=repr,
)
def test_estimators_learn_from_a_column_named_twice_as_from_its_sum(learner):
    rng = np.random.default_rng(0)
    X, y = words(rng, repeats=0.3), rng.integers(0, 2, 60)
    X.data[:], X.data[X.indptr[1:-1][::3] - 1] = 1, -1  # so that some cancel each other
    summed = X.copy()
    summed.sum_duplicates()
    fits = [clone(learner).set_params(random_state=0, max_iter=5).fit(rows, y) for rows in (X, summed)]
    np.testing.assert_allclose(fits[0].coef_, fits[1].coef_, rtol=1e-12, atol=1e-12)
    assert fits[0].training_.zero_rows == fits[1].training_.zero_rows
    np.testing.assert_allclose(fits[0].history_["updates"], fits[1].history_["updates"])


@given(st.integers(0, 2**32), st.sampled_from([np.int32, np.int64]), st.sampled_from([15, 1000]))
def test_repeats_are_found_as_the_slow_twin_finds_them(seed, index, d):  # few columns remember rows, many have a bit each
    X = words(np.random.default_rng(seed), d=d, repeats=0.1)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    rows = Rows(X, to_learn=False)
    marks, slow_marks = np.zeros(rows.n, np.uint8), np.zeros(rows.n, np.uint8)
    assert entries.mark_repeats(rows, marks) == slow_entries.mark_repeats(rows, slow_marks)
    assert marks.tolist() == slow_marks.tolist()


@pytest.mark.parametrize("apart", [1, 255, 256, 65_534, 65_535, 65_536])
def test_a_column_of_two_rows_is_no_repeat_however_far_apart_they_are(apart):
    columns = np.zeros(2 * (apart + 2), np.int32)
    columns[1::2] = np.arange(apart + 2) % 7 + 1  # every row names column 0 and another one
    columns[2::2][:-1] = 8 + np.arange(apart) % 3
    columns[-2:] = [0, 0]
    X = sp.csr_matrix((np.ones(len(columns)), columns, np.arange(0, len(columns) + 1, 2)), shape=(apart + 2, 11))
    rows, marks = Rows(X, to_learn=False), np.zeros(apart + 2, np.uint8)
    assert entries.mark_repeats(rows, marks) == 1
    assert np.flatnonzero(marks).tolist() == [apart + 1]


@given(st.integers(0, 2**32), st.integers(0, 9), st.sampled_from([(2, 1), (3, 1), (2, 5), (3, 4)]), st.booleans())
def test_cells_are_copied_and_added_up_as_the_slow_twin_does(seed, count, shape, whole):
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(12, *shape)) * 10.0 ** rng.integers(-100, 100)
    columns = None if whole else np.sort(rng.choice(12, count, replace=False))
    copies = [np.empty((12 if whole else count, *shape)) for _ in range(2)]
    sums = [twin.copy_cells(cells, columns, copy) for twin, copy in zip((entries, slow_entries), copies, strict=True)]
    assert sums[0] == sums[1]
    np.testing.assert_array_equal(copies[0], cells if whole else cells[columns])
    np.testing.assert_array_equal(*copies)
    w, others = copies[0][:, 0], copies[0][:, 1:]
    assert sums[0][0] == pytest.approx(float((w**2).sum()), rel=1e-12)
    assert sums[0][1] == pytest.approx(float(others.sum()), abs=1e-12 * float(abs(others).sum()))


@given(st.integers(0, 2**32), st.sampled_from(["sorted", "swapped", "any"]), st.data())
def test_rows_are_checked_as_the_slow_twin_checks_them(seed, order, data):
    """Long rows in any order tell early that they are unsorted; the first column outside the data is named all the same."""
    rng = np.random.default_rng(seed)
    X = words(rng, d=40, most=data.draw(st.sampled_from([2, 12, 40])))
    if order != "any":
        X.sort_indices()
    if order == "swapped" and X.nnz > 1:
        X.indices[-2:] = X.indices[-2:][::-1].copy()
    index = data.draw(st.sampled_from([np.int32, np.int64]))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    rows = Rows(X, to_learn=False)
    assert np.shares_memory(rows.indices, X.indices)
    for increasing in (False, True):
        assert entries.check(rows, increasing) == slow_entries.check(rows, increasing)
    if X.nnz:
        X.indices[data.draw(st.integers(0, X.nnz - 1))] = data.draw(st.sampled_from([-1, 40, 2**31 - 1]))
        assert entries.check(rows, True) == slow_entries.check(rows, True)
        X.indptr[-1] += 1
        assert entries.check(rows, True) == slow_entries.check(rows, True)


@given(st.integers(0, 2**32), st.sampled_from(["fine", "indptr", "index"]), st.integers(2, 5), st.data())
def test_parts_of_rows_are_checked_as_the_whole_is(seed, fault, threads, data):
    X = words(np.random.default_rng(seed), d=40, repeats=0.1)
    X.sort_indices()
    if fault == "indptr":
        X.indptr[data.draw(st.integers(0, X.shape[0]))] += data.draw(st.sampled_from([-50, 50, 2**30]))
    if fault == "index" and X.nnz:
        X.indices[data.draw(st.integers(0, X.nnz - 1))] = data.draw(st.sampled_from([-1, 40, 2**31 - 1]))
    outcomes = []
    for many in (2**20, 0):  # entries from which on threads check
        try:
            outcomes.append(Rows(X, to_learn=False, threads=threads, many_entries=many).n)
        except DataError as problem:
            outcomes.append(str(problem))
    assert outcomes[0] == outcomes[1]
    rows = Rows(words(np.random.default_rng(seed), d=40, repeats=0.1), to_learn=False)
    for part in rows._parts(threads):
        assert entries.check(part, True, True)[0] == slow_entries.check(part, True, True)[0]


@pytest.mark.parametrize("vectors", [1, 2, 3, 7, 8, 20, 33, 70])
@pytest.mark.parametrize("kernel", ["plain", "avx2", "avx512"])
def test_every_class_has_the_bits_of_its_own_sum(vectors, kernel):
    if not core.use_kernel(kernel):
        pytest.skip("not on this CPU")
    try:
        rng = np.random.default_rng(0)
        rows = Rows(words(rng, whole=False))
        w, b = rng.normal(size=(vectors, rows.d)), rng.normal(size=vectors)
        together = score(rows, w, b)
    finally:
        next(name for name in ("avx512", "avx2", "plain") if core.use_kernel(name))
    expected = np.zeros_like(together)
    for i in range(rows.n):
        for column, value in zip(*rows.row(i), strict=True):
            expected[i] += w[:, column] * value
    # One vector alone is summed in four lanes.
    np.testing.assert_allclose(together, expected + b, rtol=0 if vectors > 1 else 1e-12, atol=0 if vectors > 1 else 1e-12)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("vectors", [1, 5])
def test_any_number_of_threads_gives_the_same_bits(form, vectors, monkeypatch):
    monkeypatch.setattr(scoring, "LEAST_WORK", 10)
    rng = np.random.default_rng(0)
    X = words(rng, n=101, whole=False)
    rows = Rows(X if form == "sparse" else X.toarray())
    w, b = rng.normal(size=(vectors, rows.d)), rng.normal(size=vectors)
    alone = score(rows, w, b, threads=1)
    for threads in (2, 3, 8, 200):
        np.testing.assert_array_equal(score(rows, w, b, threads=threads), alone)


def test_a_forked_process_scores_with_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(scoring, "LEAST_WORK", 10)
    rng = np.random.default_rng(0)
    rows, w, b = Rows(words(rng)), rng.normal(size=(1, 40)), np.zeros(1)
    expected = score(rows, w, b, threads=3)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(score(rows, w, b, threads=3), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_name_the_first_row_that_is_not_finite(monkeypatch):
    monkeypatch.setattr(scoring, "LEAST_WORK", 10)
    X = np.ones((400, 3))
    X[[77, 300, 399], 1] = np.nan
    with pytest.raises(NotFiniteError, match="row 77, column 1"):
        score(Rows(X), np.ones((1, 3)), np.zeros(1), threads=4)


def test_an_error_in_a_thread_is_raised_where_it_was_called():
    def work(blocks):
        for block in blocks:
            if block == 3:
                raise ZeroDivisionError

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            share(range(8), work, threads=4)


@given(st.integers(0, 2**32), st.sampled_from([2, 3]), st.sampled_from([np.float32, np.float64]))
def test_rows_of_ones_give_the_bits_of_rows_with_values(seed, classes, dtype):
    rng = np.random.default_rng(seed)
    X = words(rng).astype(dtype)
    X.data[:] = 1
    rows, read = Rows(X), Rows(X)
    read.kind = SPARSE_KINDS[np.dtype(dtype).itemsize, 4]
    assert rows.kind == SPARSE_KINDS[0, 4]
    assert np.shares_memory(rows.values, X.data)
    for rule in (rules.Perceptron(rate=0.3), rules.Mira()):
        runs = [training.run(for_classes(one, np.arange(60) % classes), rule, Plan(epochs=3)) for one in (rows, read)]
        for one, other in zip(*(run.weights.averaged for run in runs), strict=True):
            np.testing.assert_array_equal(one, other)


def test_rows_with_one_other_value_are_read_with_their_values():
    X = words(np.random.default_rng(0))
    X.data[:] = 1
    X.data[-1] = 2
    assert Rows(X).kind == SPARSE_KINDS[8, 4]


def test_weights_that_lie_as_rows_need_them_are_not_copied():
    rng = np.random.default_rng(0)
    X = words(rng)
    for rows in (Rows(X), Rows(X.toarray())):
        model = training.train(rows, np.arange(60) % 3, epochs=1).view("averaged")
        assert np.shares_memory(layout(model.coef, rows), model.coef)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("module", [entries, slow_entries])
def test_entries_are_counted_by_class_and_summed_by_column_as_in_a_table(index, value, module):
    random = np.random.default_rng(0)
    table = random.integers(-2, 3, (40, 7)).astype(value)
    X = sp.csr_array(table)
    X.data[:3] = 0  # entries that are there, and 0
    X.indices, X.indptr, codes = X.indices.astype(index), X.indptr.astype(index), random.integers(0, 3, 40).astype(np.int32)
    rows, table = Rows(X), X.toarray()
    counts, sums = np.ones((3, 7), dtype=np.int64), np.ones(7)
    module.count_by_class(rows, codes, counts)
    module.sum_by_column(rows, 0, 20, sums)
    module.sum_by_column(rows, 20, X.nnz, sums)
    assert counts.tolist() == [(1 + (table[codes == k] != 0).sum(axis=0)).tolist() for k in range(3)]
    assert sums.tolist() == (1 + table.sum(axis=0)).tolist()
    one_hot = Rows(OneHot(np.array([[0, 2], [1, 2]], dtype=index), 3))
    counts = np.zeros((2, 3), dtype=np.int64)
    module.count_by_class(one_hot, np.array([1, 0], dtype=np.int32), counts)
    assert counts.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_the_first_failure_among_the_items_is_told_whichever_thread_came_first():
    def refuse_odd(number):
        if number % 2:
            raise ValueError(number)
        return number

    for _ in range(20):
        with pytest.raises(ValueError, match=r"^3$"):
            map_on_cores(refuse_odd, [0, 2, 3, 4, 5, 7, 9, 11])


@given(data=data_sets("floats"), at_once=st.integers(1, 9))
def test_scores_in_blocks_are_those_of_all_rows_to_the_bit(data, at_once):
    random = np.random.default_rng(data.seed)
    d = data.X.shape[1]
    model = Model(np.arange(max(2, data.vectors)), random.normal(size=(data.vectors, d)), random.normal(size=data.vectors))
    ones = OneHot(np.sort(random.integers(0, d, (len(data.X), 1)), axis=1), d)
    for X in (data.X, data.X.astype(np.float32), sp.csr_array(data.X), ones):
        rows = Rows(X)
        blocks = list(scores_in_blocks(model, rows, at_once))
        step = max(1, at_once // data.vectors)  # so many scores at once, not rows
        assert [part for part, _ in blocks] == [slice(start, min(start + step, rows.n)) for start in range(0, rows.n, step)]
        assert np.concatenate([scores for _, scores in blocks]).tobytes() == model.scores(rows).tobytes()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_row_that_cannot_be_scored_is_named_by_its_number_among_all(form):
    X = np.ones((7, 2))
    X[5, 1] = np.nan
    with pytest.raises(NotFiniteError, match="row 5, column 1"):
        list(scores_in_blocks(Model(np.arange(2), np.ones((1, 2)), np.zeros(1)), Rows(form(X)), at_once=2))


@given(st.integers(0, 2**32), st.sampled_from([np.int32, np.int64]), st.sampled_from([1, 63, 64, 65, 200, 5000]))
def test_columns_are_listed_as_the_slow_twin_lists_them(seed, index, d):
    X = words(np.random.default_rng(seed), d=d, most=min(d, 40) + 1, repeats=0.1)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    rows = Rows(X, to_learn=False)
    listed = entries.list_columns(rows)
    assert listed.dtype == np.int64
    assert listed.tolist() == slow_entries.list_columns(rows).tolist()
