"""Kernel training in blocks is the one-at-a-time algorithm, and its views are their literal definitions."""

import copy
import pickle
from dataclasses import dataclass

import kernel_oracle
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_circles
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

import rosenblatt
from rosenblatt import KernelPerceptron
from rosenblatt.engine import rules
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.kernel import kernels
from rosenblatt.learning.kernel.model import View
from rosenblatt.learning.kernel.training import Design, Sizes, train_kernel
from rosenblatt.learning.plan import Plan

FORMS = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": sp.csr_array,
    "CSR float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}


SMALL = Sizes(block=3, columns=2, leaving=2)  # so that small data fill many blocks


@dataclass
class Case:
    X: np.ndarray
    codes: np.ndarray
    classes: int
    multi_class: str
    degree: int
    offset: int
    epochs: int
    seed: int
    form: str

    @property
    def vectors(self):
        return 1 if self.classes == 2 else self.classes

    @property
    def one_rival(self):
        return self.classes > 2 and self.multi_class == "one_rival"

    def learn(self, rule=None, budget=None, order="shuffled"):
        examples = for_classes(FORMS[self.form](self.X), self.codes, np.arange(self.classes))
        kernel = kernels.Polynomial(self.degree, self.offset)
        plan = Plan(epochs=self.epochs, order=order, seed=self.seed, fit_intercept=False)
        return train_kernel(
            examples, rule or rules.Perceptron(), kernel, plan, Design(self.multi_class, budget), sizes=SMALL
        )

    def ask_oracle(self, epochs, **options):
        order = oracle.order_of_epochs(len(self.X), self.seed, epochs)
        kernel = kernel_oracle.polynomial(self.degree, self.offset)
        rows, options = self.X.astype(int).tolist(), options | {"vectors": self.vectors, "one_rival": self.one_rival}
        return kernel_oracle.learn(rows, self.codes.tolist(), order, kernel, **options)


@st.composite
def cases(draw):
    n, d, classes = draw(st.integers(1, 12)), draw(st.integers(1, 6)), draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-3, 4, (n, d)).astype(float)
    for i in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        X[i] = 0
    for i in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        X[i] = X[0]
    return Case(
        X,
        random.integers(0, classes, n),
        classes,
        draw(st.sampled_from(["one_rival", "ovr"])),
        draw(st.integers(1, 4)),
        draw(st.integers(0, 1)),
        draw(st.integers(1, 4)),
        draw(st.integers(0, 99)),
        draw(st.sampled_from(sorted(FORMS))),
    )


def entries(log):
    return list(zip(log.t.tolist(), log.row.tolist(), log.rival.tolist(), log.tau.tolist(), strict=True))


@given(cases())
def test_on_whole_numbers_the_log_is_exactly_the_one_at_a_time_algorithms(engine, case):
    run = case.learn()
    told = case.ask_oracle(len(run.history))
    assert [entries(log) for log in run.dual.logs] == list(told.logs.values())
    assert run.dual.support.tolist() == told.support
    assert run.zero_rows == told.zero_rows
    assert run.history["mistakes"].sum() == told.mistakes
    assert run.converged == (run.history[-1].updates == 0)
    np.testing.assert_array_equal(
        run.dual.rows.toarray() if sp.issparse(run.dual.rows) else run.dual.rows, case.X[told.support]
    )


@given(cases(), st.sampled_from(sorted(FORMS)))
def test_last_averaged_and_voted_scores_are_exactly_their_definitions(engine, case, form):
    run = case.learn()
    told = case.ask_oracle(len(run.history))
    tests = np.random.default_rng(case.seed).integers(-3, 4, (5, case.X.shape[1])).astype(float)
    rows = tests.astype(int).tolist()
    last, averaged, voted = run.dual.scores_in(
        FORMS[form](tests), [View("last"), View("averaged"), View("voted")], most_rows=4
    )
    np.testing.assert_array_equal(last.reshape(5, -1), [told.scores(x) for x in rows])
    np.testing.assert_array_equal(averaged.reshape(5, -1), [list(map(float, told.averaged(x))) for x in rows])
    np.testing.assert_array_equal(voted.reshape(5, -1), [told.voted(x, case.one_rival) for x in rows])


@given(cases(), st.data())
def test_a_view_after_some_examples_is_what_a_shorter_run_would_give(case, data):
    run = case.learn()
    after = data.draw(st.integers(1, run.dual.t))
    order = oracle.order_of_epochs(len(case.X), case.seed, case.epochs)[:after]
    kernel = kernel_oracle.polynomial(case.degree, case.offset)
    rows = case.X.astype(int).tolist()
    told = kernel_oracle.learn(rows, case.codes.tolist(), order, kernel, vectors=case.vectors, one_rival=case.one_rival)
    last, averaged, voted = run.dual.scores_in(case.X, [View(name, after) for name in ("last", "averaged", "voted")])
    n = len(rows)
    np.testing.assert_array_equal(last.reshape(n, -1), [told.scores(x) for x in rows])
    np.testing.assert_array_equal(averaged.reshape(n, -1), [list(map(float, told.averaged(x))) for x in rows])
    np.testing.assert_array_equal(voted.reshape(n, -1), [told.voted(x, case.one_rival) for x in rows])


@given(cases())
def test_a_randomly_drawn_survivor_scores_each_row(case):
    run = case.learn()
    told = case.ask_oracle(len(run.history))
    words = np.random.PCG64([3, 7]).random_raw(len(case.X)).tolist()  # a stream of its own, seed 7
    drawn = run.dual.scorer(View("random", seed=7)).scores(case.X).reshape(len(case.X), -1)
    for x, word, scores in zip(case.X.astype(int).tolist(), words, drawn.tolist(), strict=True):
        assert scores == told.scores(x, told.survivors()[word % run.dual.t])


@given(cases(), st.sampled_from([0.0, 0.6]))
def test_mira_in_the_dual_takes_the_oracles_steps(case, p):
    run = case.learn(rules.Mira(p))
    told = case.ask_oracle(len(run.history), p=p)
    assume(not told.tie)
    for log, expected in zip(run.dual.logs, told.logs.values(), strict=True):
        assert [entry[:3] for entry in entries(log)] == [entry[:3] for entry in expected]
        np.testing.assert_allclose(log.tau, [float(entry[3]) for entry in expected], rtol=1e-7)


@given(cases(), st.integers(1, 5))
def test_a_budget_is_kept_and_the_oldest_support_example_goes(case, budget):
    run = case.learn(budget=budget)
    told = case.ask_oracle(len(run.history), budget=budget)
    assert len(run.dual.support) <= budget
    assert run.dual.support.tolist() == told.support
    np.testing.assert_array_equal(
        run.dual.scorer().scores(case.X).reshape(len(case.X), -1), [told.scores(x) for x in case.X.astype(int).tolist()]
    )
    norm2 = sum(step * told.scores(told.X[row])[vector] for row, vector, step in told.moves)
    np.testing.assert_allclose(run.history[-1].norm ** 2, norm2, rtol=1e-9, atol=1e-9)


@given(cases())
def test_the_history_tells_the_length_of_w_in_the_kernels_space(case):
    run = case.learn()
    told = case.ask_oracle(len(run.history))
    norm2 = sum(step * told.scores(told.X[row])[vector] for row, vector, step in told.moves)
    np.testing.assert_allclose(run.history[-1].norm ** 2, norm2, rtol=1e-12)


@given(cases())
def test_rows_drawn_with_replacement_end_only_when_all_are_right(case):
    case.epochs = 30
    run = case.learn(order="replacement")
    if run.converged:
        wrong = run.dual.scorer().predict(case.X) != case.codes
        powers = (case.offset + (case.X**2).sum(axis=1)) ** case.degree
        assert case.multi_class == "ovr" or not wrong[powers > 0].any()


@pytest.mark.parametrize("kind", ["perceptron", "mira"])
@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize("classes", [2, 3])
def test_the_linear_kernel_gives_the_linear_learners_weights(kind, form, classes):
    random = np.random.default_rng(classes)
    X, y = random.integers(-3, 4, (40, 5)).astype(float), random.integers(0, classes, 40)
    for bias in (True, False):
        options = {"max_iter": 4, "random_state": 2, "fit_intercept": bias}
        linear = (rosenblatt.Perceptron if kind == "perceptron" else rosenblatt.Mira)(**options).fit(X, y)
        kernel = KernelPerceptron(kernel="linear", rule=kind, **options).fit(FORMS[form](X), y)
        rows = X[kernel.support_]
        np.testing.assert_allclose(kernel.dual_coef_ @ rows, linear.coef_, rtol=0, atol=1e-11)
        assert kernel.n_updates_ == linear.n_updates_
        for view in ("last", "averaged"):
            got, wanted = (clf.view(view).decision_function(X) for clf in (kernel, linear))
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)


def test_sample_weights_and_rates_are_the_linear_learners():
    random = np.random.default_rng(5)
    X, y, weight = random.normal(size=(60, 4)), random.integers(0, 3, 60), random.choice([0.0, 0.5, 1.0, 3.0], 60)
    for rule, schedule in (("mira", "constant"), ("perceptron", "1/updates"), ("perceptron", "1/examples")):
        options = {"max_iter": 3, "random_state": 1}
        rate = {} if rule == "mira" else {"learning_rate": schedule, "eta0": 2.0}
        made = rosenblatt.Mira(**options) if rule == "mira" else rosenblatt.Perceptron(**options, **rate)
        linear = made.fit(X, y, sample_weight=weight)
        kernel = KernelPerceptron(kernel="linear", rule=rule, **options, **rate).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-9)


def test_whole_numbers_too_large_for_float32_are_still_exact():
    # Pixels of 0 … 255: |x|² up to 784 · 255² = 51 million, beyond the 2^24 that float32 holds exactly.
    random = np.random.default_rng(0)
    X, y = random.integers(0, 256, (60, 784)), random.integers(0, 3, 60)
    run = train_kernel(for_classes(X.astype(np.float32), y), rules.Perceptron(), kernels.Linear(), Plan(epochs=2, seed=4))
    order = oracle.order_of_epochs(60, 4, len(run.history))
    told = kernel_oracle.learn(
        np.column_stack([X, np.ones(60, int)]).tolist(), y.tolist(), order, kernel_oracle.linear, vectors=3, one_rival=True
    )
    assert entries(run.dual.logs[0]) == told.logs[0]


def test_the_kernels_are_scikit_learns():
    random = np.random.default_rng(3)
    A, B = random.normal(size=(6, 4)), random.normal(size=(5, 4))
    for degree in range(1, 8):
        expected = polynomial_kernel(A, B, degree=degree, gamma=1, coef0=0.5)
        np.testing.assert_allclose(kernels.Polynomial(degree, 0.5)(A, B), expected, rtol=1e-12)
    np.testing.assert_allclose(kernels.RBF(0.7)(A, B), rbf_kernel(A, B, gamma=0.7), rtol=1e-12)
    np.testing.assert_allclose(kernels.RBF(0.7)(sp.csr_array(A), sp.csr_array(B)), rbf_kernel(A, B, gamma=0.7), rtol=1e-12)
    assert kernels.scale_gamma(A) == pytest.approx(1 / (4 * A.var()))
    assert kernels.scale_gamma(sp.csr_array(A)) == pytest.approx(1 / (4 * A.var()))


def test_xor_is_separable_by_a_kernel_and_by_a_product_of_columns_but_not_by_a_line():
    # U1: the basis functions x1, x2, x1·x2 by hand, and the kernel that holds them.
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    by_hand = np.column_stack([X, X[:, 0] * X[:, 1]])
    assert not rosenblatt.Perceptron(max_iter=500, random_state=0).fit(X, y).converged_
    assert rosenblatt.Perceptron(max_iter=500, random_state=0).fit(by_hand, y).score(by_hand, y) == 1
    for kernel in ({"kernel": "poly", "degree": 2}, {"kernel": "rbf", "gamma": 1.0}):
        clf = KernelPerceptron(**kernel, max_iter=500, random_state=0).fit(X, y)
        assert clf.converged_
        assert clf.score(X, y) == 1


def test_rings_are_separable_by_kernels_and_by_the_squared_radius():
    X, y = make_circles(200, noise=0.05, factor=0.4, random_state=0)
    assert rosenblatt.Perceptron(random_state=0, max_iter=50).fit(X, y).score(X, y) < 0.8
    radius = (X**2).sum(axis=1, keepdims=True)
    assert rosenblatt.Perceptron(random_state=0, max_iter=500).fit(radius, y).score(radius, y) == 1
    for kernel in ({"kernel": "poly", "degree": 2}, {"kernel": "rbf"}):
        clf = KernelPerceptron(**kernel, max_iter=500, random_state=0).fit(X, y)
        assert clf.converged_
        assert clf.score(X, y) == 1


def raises(A, B):
    raise RuntimeError("no product today")


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (lambda A, B: np.full((A.shape[0], B.shape[0]), np.nan), "gave nan"),
        (lambda A, B: np.full((A.shape[0], B.shape[0]), np.inf), "gave inf"),
        (lambda A, B: np.ones((A.shape[0], B.shape[0] + 1)), "expected numbers of shape"),
        (lambda A, B: 1.0, "expected numbers of shape"),
        (lambda A, B: np.full((A.shape[0], B.shape[0]), "x"), "expected numbers"),
        (lambda A, B: -np.ones((A.shape[0], B.shape[0])), "squared length"),
        (raises, "kernel raises raised RuntimeError.*no product today"),
    ],
)
def test_a_bad_kernel_is_named_and_leaves_no_fit(kernel, said):
    clf = KernelPerceptron(kernel=kernel)
    with pytest.raises(rosenblatt.KernelError, match=said):
        clf.fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    assert not hasattr(clf, "dual_")


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"kernel": "sigmoid"}, "kernel"),
        ({"kernel": "poly", "degree": 0}, "degree"),
        ({"kernel": "poly", "degree": 1.5}, "degree"),
        ({"kernel": "poly", "coef0": -1}, "coef0"),
        ({"gamma": 0.0}, "gamma"),
        ({"gamma": "auto"}, "gamma"),
        ({"rule": "logistic"}, "rule"),
        ({"rule": "mira", "p": 1.0}, "p is"),
        ({"eta0": 0.0}, "eta0 is"),
        ({"multi_class": "ovo"}, "multi_class"),
        ({"budget": 0}, "budget"),
        ({"budget": 5, "score_with": "voted"}, "budget"),
        ({"score_with": "best"}, "score_with"),
        ({"max_iter": 0}, "max_iter"),
        ({"shuffle": "often"}, "shuffle"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(parameters, named):
    with pytest.raises(rosenblatt.SettingError, match=named):
        KernelPerceptron(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_numbers_that_overflow_are_told_with_a_remedy():
    X, y = np.array([[1e60], [2e60], [-1e60]]), [0, 1, 0]
    with pytest.raises(rosenblatt.KernelError, match=r"polynomial gave inf.*lower degree"):
        KernelPerceptron(kernel="poly", degree=6).fit(X, y)
    with pytest.raises(rosenblatt.NotFiniteError, match="row 1, column 0"):
        KernelPerceptron().fit([[1.0], [np.nan]], [0, 1])


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:200], y[:200]


@pytest.mark.parametrize("parameters", [{}, {"budget": 15}, {"kernel": "poly", "degree": 2, "rule": "mira"}])
def test_partial_fit_over_any_split_equals_one_pass_in_the_order_given(parameters, cancer):
    X, y = cancer
    parameters = {"gamma": 0.05} | parameters
    whole = KernelPerceptron(shuffle=False, max_iter=1, **parameters).fit(X, y)
    for pieces in (2, 7):
        parts = KernelPerceptron(**parameters)
        for rows in np.array_split(np.arange(len(X)), pieces):
            parts.partial_fit(X[rows], y[rows], classes=[0, 1])
        np.testing.assert_array_equal(parts.support_, whole.support_)
        np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-9)
        if "budget" not in parameters:
            voted = parts.view("voted").decision_function(X)
            np.testing.assert_array_equal(voted, whole.view("voted").decision_function(X))


@pytest.mark.parametrize("copied", [lambda clf: pickle.loads(pickle.dumps(clf)), copy.deepcopy])
def test_copies_predict_and_go_on_learning_alike(copied, cancer):
    X, y = cancer
    clf = KernelPerceptron(random_state=0, score_with="voted").fit(sp.csr_matrix(X), y)
    twin = copied(clf)
    np.testing.assert_array_equal(twin.predict(X), clf.predict(X))
    clf.partial_fit(X[:30], 1 - y[:30])
    twin.partial_fit(X[:30], 1 - y[:30])
    np.testing.assert_array_equal(twin.decision_function(X), clf.decision_function(X))
    assert not hasattr(clone(clf), "dual_")


def test_views_of_one_fit_and_refusals(cancer):
    X, y = cancer
    clf = KernelPerceptron(random_state=0, max_iter=2).fit(X, y)
    before = clf.view("voted")
    votes = before.decision_function(X)
    assert np.abs(votes).max() <= 2 * len(X)
    clf.partial_fit(X[:20], 1 - y[:20])
    np.testing.assert_array_equal(before.decision_function(X), votes)  # a view stays what it was
    with pytest.raises(rosenblatt.SettingError, match="median"):
        clf.view("median")
    bounded = KernelPerceptron(random_state=0, budget=10).fit(X, y)
    with pytest.raises(rosenblatt.SettingError, match="only the last weights"):
        bounded.view("averaged")
    assert not hasattr(bounded, "logs_")
    with pytest.raises(rosenblatt.SettingError, match="budget"):
        bounded.set_params(budget=None).partial_fit(X, y)
    with pytest.raises(rosenblatt.DataError, match="features"):
        clf.dual_.scorer().scores(X[:, :3])
    with pytest.raises(rosenblatt.SettingError, match="moves at every example"):
        train_kernel(for_classes(X, y), rules.Logistic(), kernels.Linear(), Plan())


def test_ctrl_c_keeps_what_was_learned(cancer, monkeypatch, capsys):
    clf = KernelPerceptron(verbose=1, random_state=0, gamma=0.01)
    report = clf._report

    def interrupt_in_the_second_epoch(run):
        report(run)
        if len(run.history) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(clf, "_report", interrupt_in_the_second_epoch)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*cancer)
    assert clf.n_iter_ == 2
    shorter = KernelPerceptron(random_state=0, gamma=0.01, max_iter=2).fit(*cancer)
    np.testing.assert_array_equal(clf.dual_coef_, shorter.dual_coef_)
    assert capsys.readouterr().out.count("mistakes") == 2


@pytest.mark.parametrize("plan", [{"tol": 1e-3}, {"patience": 2}])
def test_what_kernel_training_cannot_stop_by_is_refused(plan):
    with pytest.raises(rosenblatt.SettingError, match="leave out tol and patience"):
        train_kernel(for_classes([[1.0], [2.0]], [0, 1]), rules.Perceptron(), kernels.Linear(), Plan(**plan))
