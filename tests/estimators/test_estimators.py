"""The estimators keep scikit-learn's contract, and give the engine's own numbers."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt.engine import rules
from rosenblatt.learning import training

CLASSIFIERS = [
    rosenblatt.Perceptron,
    rosenblatt.AveragedPerceptron,
    rosenblatt.Mira,
    rosenblatt.PassiveAggressive,
    rosenblatt.PassiveAggressiveClassifier,
    rosenblatt.Arow,
    rosenblatt.SoftPerceptron,
    rosenblatt.WidrowHoff,
]
ESTIMATORS = [*CLASSIFIERS, rosenblatt.WidrowHoffRegressor, rosenblatt.PassiveAggressiveRegressor]
CHECKED = [*ESTIMATORS, rosenblatt.VotedPerceptron]  # without coef_: many weight vectors vote

# scikit-learn exempts its own Perceptron and SGD from the same two: an online learner that sees a row twice takes two
# steps, the second from where the first led, and that is not one step of twice the length.
REPEATED_ROWS = "an online learner that sees a row twice does not take one step of twice the length"
EXEMPT = {
    "check_sample_weight_equivalence_on_dense_data": REPEATED_ROWS,
    "check_sample_weight_equivalence_on_sparse_data": REPEATED_ROWS,
}


KERNELS = [
    rosenblatt.KernelPerceptron(),
    rosenblatt.KernelPerceptron(multi_class="ovr", score_with="voted"),
    rosenblatt.KernelPerceptron(rule="mira", budget=20),
]


@parametrize_with_checks([*(estimator() for estimator in CHECKED), *KERNELS], expected_failed_checks=lambda _: EXEMPT)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("data", ["cancer", "iris"])
def test_partial_fit_over_any_split_equals_one_pass_in_the_order_given(classifier, data, request):
    X, y = request.getfixturevalue(data)
    whole = classifier(shuffle=False, max_iter=1).fit(X, y)
    rng = np.random.default_rng(0)
    for pieces in (1, 2, 7, 50):
        cuts = np.sort(rng.integers(0, len(X) + 1, pieces - 1))
        parts = classifier()
        for rows in np.split(np.arange(len(X)), cuts):
            if len(rows):
                parts.partial_fit(X[rows], y[rows], classes=np.unique(y))
        for view in ("last", "averaged"):
            np.testing.assert_array_equal(parts.view(view).coef_, whole.view(view).coef_)
            np.testing.assert_array_equal(parts.view(view).intercept_, whole.view(view).intercept_)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_coef_and_intercept_have_scikit_learns_shapes(classifier, cancer, iris):
    two, three = classifier(random_state=0).fit(*cancer), classifier(random_state=0).fit(*iris)
    assert two.coef_.shape == (1, 30)
    assert two.intercept_.shape == (1,)
    assert three.coef_.shape == (3, 4)
    assert three.intercept_.shape == (3,)
    assert two.decision_function(cancer[0]).shape == (569,)
    assert three.decision_function(iris[0]).shape == (150, 3)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_scores_are_the_weights_times_the_rows(classifier, iris):
    X, y = iris
    clf = classifier(random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(X), X @ clf.coef_.T + clf.intercept_, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[(X @ clf.coef_.T + clf.intercept_).argmax(axis=1)])


@pytest.mark.parametrize(
    "form", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, np.asfortranarray, lambda X: X.astype(np.float64)]
)
def test_the_same_rows_in_another_form_give_the_same_predictions(form, cancer):
    X, y = cancer
    plain = rosenblatt.AveragedPerceptron(random_state=3).fit(X, y)
    other = rosenblatt.AveragedPerceptron(random_state=3).fit(form(X), y)
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_array_equal(other.predict(form(X)), plain.predict(X))


@pytest.mark.parametrize(("library", "maker"), [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")])
def test_tables_keep_their_column_names(library, maker):
    frame = getattr(pytest.importorskip(library), maker)
    iris = load_iris()
    names = [name.replace(" ", "_") for name in iris.feature_names]
    table = dict(zip(names, iris.data.T, strict=True))
    clf = rosenblatt.Perceptron(random_state=0).fit(frame(table), iris.target)
    assert clf.feature_names_in_.tolist() == names
    plain = rosenblatt.Perceptron(random_state=0).fit(iris.data, iris.target)
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    swapped = frame({name: table[name] for name in reversed(names)})
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(swapped)


def test_views_of_one_fit_are_the_engines_own_weights(cancer):
    X, y = cancer
    clf = rosenblatt.Perceptron(random_state=5, early_stopping=True, max_iter=30).fit(X, y)
    last, averaged = clf.training_.weights.last, clf.training_.weights.averaged
    np.testing.assert_array_equal(clf.view("last").coef_, last[0])
    np.testing.assert_array_equal(clf.view("averaged").intercept_, averaged[1])
    np.testing.assert_array_equal(clf.view("best").coef_, clf.coef_)
    assert clf.training_.best_error == clf.history_["held_out_last"].min()
    with pytest.raises(rosenblatt.SettingError, match="best"):
        rosenblatt.Perceptron().fit(X, y).view("best")
    with pytest.raises(rosenblatt.SettingError, match="median"):
        clf.view("median")


def test_the_estimator_and_train_give_the_same_bits(iris):
    X, y = iris
    clf = rosenblatt.Mira(p=0.5, random_state=9, max_iter=4).fit(X, y)
    run = training.train(X, y, rules.Mira(p=0.5), seed=9, epochs=4)
    np.testing.assert_array_equal(clf.coef_, run.view("last").coef)
    np.testing.assert_array_equal(clf.view("averaged").coef_, run.view("averaged").coef)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    "copied", [pickle.dumps, copy.deepcopy, copy.copy, "joblib"], ids=["pickle", "deepcopy", "copy", "joblib"]
)
def test_fitted_estimators_survive_copies_and_go_on_learning_alike(estimator, copied, cancer, tmp_path):
    X, y = cancer
    fitted = estimator(random_state=0, max_iter=2).fit(sp.csr_matrix(X), y)
    if copied == "joblib":
        joblib.dump(fitted, tmp_path / "clf")
        twin = joblib.load(tmp_path / "clf")
    else:
        twin = copied(fitted)
        twin = pickle.loads(twin) if isinstance(twin, bytes) else twin
    np.testing.assert_array_equal(twin.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(twin.coef_, fitted.coef_)
    twin.partial_fit(X[:50], y[:50])
    fitted.partial_fit(X[:50], y[:50])
    np.testing.assert_array_equal(twin.coef_, fitted.coef_)


def test_clone_forgets_the_fit_and_keeps_the_parameters(cancer):
    clf = rosenblatt.PassiveAggressive(C=0.25, variant="II", random_state=0).fit(*cancer)
    twin = clone(clf)
    assert twin.get_params() == clf.get_params()
    assert not hasattr(twin, "training_")


def test_grid_search_and_pipelines_work(cancer):
    pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler().set_output(transform="pandas"), rosenblatt.AveragedPerceptron(random_state=0)),
        {"averagedperceptron__max_iter": [1, 10]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.95


def test_warm_start_goes_on_where_the_last_fit_ended(cancer):
    X, y = cancer
    once = rosenblatt.AveragedPerceptron(shuffle=False, max_iter=6).fit(X, y)
    twice = rosenblatt.AveragedPerceptron(shuffle=False, max_iter=3, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_array_equal(twice.coef_, once.coef_)
    assert twice.n_updates_ == once.n_updates_
    for other, labels in ((X[:, :5], y), (X, np.arange(len(y)) % 3)):
        with pytest.raises(rosenblatt.SettingError, match=r"warm_start goes on with weights of shape \(1, 30\)"):
            twice.fit(other, labels)


@pytest.mark.parametrize("start", ["warm_start", "partial_fit"])
def test_who_goes_on_with_other_classes_or_another_bias_is_told(start, cancer):
    X, y = cancer
    clf = rosenblatt.Perceptron(warm_start=True, random_state=0).fit(X, y)
    go_on = clf.fit if start == "warm_start" else clf.partial_fit
    weights = clf.coef_
    if start == "warm_start":
        with pytest.raises(rosenblatt.SettingError, match=r"warm_start goes on with the classes \[0, 1\]"):
            go_on(X, y + 1)
    clf.set_params(fit_intercept=False)
    with pytest.raises(rosenblatt.SettingError, match=f"{start} goes on with weights of fit_intercept=True"):
        go_on(X, y)
    np.testing.assert_array_equal(clf.coef_, weights)
    assert clf.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("estimator", [rosenblatt.Perceptron, rosenblatt.WidrowHoffRegressor, rosenblatt.KernelPerceptron])
@pytest.mark.parametrize("again", ["fit", "partial_fit"])
def test_after_an_error_an_estimator_is_as_before(estimator, again, cancer):
    X, y = cancer
    clf = estimator(random_state=0, max_iter=2).fit(X, y)
    before, predicted = dict(vars(clf)), clf.predict(X)
    spoiled = X[:100, :7].copy() if again == "fit" else X[:100].copy()
    spoiled[60, 3] = np.nan
    with pytest.raises(rosenblatt.NotFiniteError, match="row 60"):
        getattr(clf, again)(spoiled, y[:100] if again == "partial_fit" else np.arange(100) % 3)
    assert vars(clf).keys() == before.keys()
    assert all(vars(clf)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(clf.predict(X), predicted)


@pytest.mark.parametrize("view", ["last", "averaged", "voted", "random"])
def test_a_view_stays_as_it_is_when_learning_goes_on(view, cancer):
    X, y = cancer
    clf = rosenblatt.Perceptron(keep_log=True, max_iter=2, random_state=0).fit(X[:200], y[:200])
    seen = clf.view(view)
    before, updates, memory = seen.decision_function(X), len(seen.memory_.log), seen.view("last").coef_
    clf.partial_fit(X[200:], y[200:])
    assert clf.training_.weights.t > 400
    np.testing.assert_array_equal(seen.decision_function(X), before)
    np.testing.assert_array_equal(seen.view("last").coef_, memory)
    np.testing.assert_array_equal(seen.view("averaged").coef_, seen.training_.weights.averaged[0])
    assert len(seen.memory_.log) == updates < len(clf.memory_.log)


def test_without_a_log_there_is_none_of_the_fit_before(cancer):
    clf = rosenblatt.Perceptron(keep_log=True, random_state=0).fit(*cancer)
    assert len(clf.log_) == clf.n_updates_
    assert not hasattr(clf.set_params(keep_log=False).fit(*cancer), "log_")


@pytest.mark.parametrize("estimator", [rosenblatt.VotedPerceptron, rosenblatt.KernelPerceptron])
def test_random_votes_are_drawn_once_for_a_fit(estimator, cancer):
    """Without a seed of its own too: scores of one fitted estimator are scores of one estimator."""
    X, y = cancer
    y = np.where(np.arange(len(y)) % 5 == 0, 1 - y, y)  # so that survivors disagree
    clf = estimator(score_with="random", random_state=np.random.RandomState(3), max_iter=2).fit(X, y)
    np.testing.assert_array_equal(clf.decision_function(X), clf.decision_function(X))


def test_what_votes_print_of_held_out_rows_is_what_early_stopping_watches(cancer, capsys):
    X, y = cancer
    clf = rosenblatt.VotedPerceptron(early_stopping=True, verbose=1, random_state=0, max_iter=3).fit(X, y)
    told = [line.split("held-out error ")[1] for line in capsys.readouterr().out.splitlines()]
    assert told == [f"{error:.4f}" for error in clf.history_["held_out_averaged"]]


@pytest.mark.parametrize("estimator", [rosenblatt.Perceptron, rosenblatt.WidrowHoffRegressor, rosenblatt.KernelPerceptron])
def test_errors_name_the_parameters_of_the_estimator(estimator, cancer):
    X, y = cancer
    with pytest.raises(rosenblatt.SettingError, match="max_iter is 0"):
        estimator(max_iter=0).fit(X, y)
    if estimator is not rosenblatt.KernelPerceptron:
        with pytest.raises(rosenblatt.SettingError, match="n_iter_no_change is 0"):
            estimator(early_stopping=True, n_iter_no_change=0).fit(X, y)


def test_initial_weights_are_where_training_starts():
    # H3 of the lectures: from [1, 0] without bias, five updates, ends at [1.5, 1].
    X, y = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0]
    clf = rosenblatt.Perceptron(shuffle=False, fit_intercept=False).fit(X, y, coef_init=[[1, 0]])
    assert clf.coef_.tolist() == [[1.5, 1.0]]
    assert clf.n_updates_ == 5
    assert clf.converged_
    with pytest.raises(rosenblatt.SettingError, match="coef_init"):
        rosenblatt.Perceptron().fit(X, y, coef_init=[[1, 0, 0]])


def test_class_weight_is_a_sample_weight(cancer):
    X, y = cancer
    by_class = rosenblatt.Mira(class_weight={0: 2.0, 1: 0.5}, random_state=0).fit(X, y)
    by_row = rosenblatt.Mira(random_state=0).fit(X, y, sample_weight=np.where(y == 0, 2.0, 0.5))
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)


def test_probabilities_sum_to_one_and_follow_the_scores(cancer, iris):
    for X, y in (cancer, iris):
        clf = rosenblatt.SoftPerceptron(random_state=0).fit(X, y)
        p = clf.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(clf.classes_[p.argmax(axis=1)], clf.predict(X))
        np.testing.assert_allclose(np.exp(clf.predict_log_proba(X)), p)


def test_one_hot_codes_learn_what_the_dense_rows_learn():
    rng = np.random.default_rng(1)
    columns = np.stack([rng.integers(0, 5, 200), 5 + rng.integers(0, 7, 200)], axis=1)
    codes = rosenblatt.OneHot(columns, n_features=12)
    y = (columns.sum(axis=1) + rng.integers(0, 3, 200)) > 11
    sparse, dense = (rosenblatt.Perceptron(random_state=0).fit(X, y) for X in (codes, codes.toarray()))
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)
    np.testing.assert_array_equal(sparse.predict(codes), dense.predict(codes.toarray()))


def test_a_bad_row_changes_nothing_in_partial_fit(cancer):
    X, y = cancer
    clf = rosenblatt.AveragedPerceptron().partial_fit(X, y, classes=[0, 1])
    before = clf.coef_.copy()
    spoiled = X[:100].copy()
    spoiled[60, 7] = np.nan
    with pytest.raises(rosenblatt.NotFiniteError, match="row 60, column 7"):
        clf.partial_fit(spoiled, y[:100])
    np.testing.assert_array_equal(clf.coef_, before)
    clf.partial_fit(X, y)
    twice = rosenblatt.AveragedPerceptron(shuffle=False, max_iter=2).fit(X, y)
    np.testing.assert_array_equal(clf.coef_, twice.coef_)


def test_ctrl_c_keeps_what_was_learned(cancer, monkeypatch, capsys):
    clf = rosenblatt.Perceptron(verbose=1, random_state=0)
    report = clf._report

    def interrupt_in_the_third_epoch(run):
        report(run)
        if len(run.history) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(clf, "_report", interrupt_in_the_third_epoch)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*cancer)
    assert clf.n_iter_ == 3
    assert clf.score(*cancer) > 0.9
    assert capsys.readouterr().out.count("mistakes") == 3


def test_a_rate_too_large_says_so_and_keeps_the_last_good_epoch():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20)) * 10
    reg = rosenblatt.WidrowHoffRegressor(eta0=0.01, random_state=0, max_iter=500, fit_intercept=False)
    with pytest.raises(rosenblatt.DivergenceError, match="smaller eta0"):
        reg.fit(X, X @ rng.normal(size=20))
    assert np.isfinite(reg.coef_).all()


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"max_iter": 0}, "max_iter"),
        ({"max_iter": 2.5}, "max_iter"),
        ({"shuffle": "sometimes"}, "shuffle"),
        ({"shuffle": 1.0}, "shuffle"),
        ({"tol": -1.0}, "tol"),
        ({"eta0": 0.0}, "eta0"),
        ({"eta0": "fast"}, "eta0"),
        ({"learning_rate": "optimal"}, "learning_rate"),
        ({"early_stopping": True, "validation_fraction": 1.5}, "validation_fraction"),
        ({"class_weight": "equal"}, "class_weight"),
        ({"class_weight": {"x": 1}}, "class_weight"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(parameters, named, cancer):
    with pytest.raises(rosenblatt.SettingError, match=named):
        rosenblatt.Perceptron(**parameters).fit(*cancer)


def test_averaging_beats_last_weights_on_noisy_data(cancer):
    X, y = cancer
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.15, 1 - y, y)
    last = cross_val_score(rosenblatt.Perceptron(random_state=0), X, noisy, cv=5)
    averaged = cross_val_score(rosenblatt.AveragedPerceptron(random_state=0), X, noisy, cv=5)
    assert averaged.mean() > last.mean() + 0.02
