"""A saved estimator is the estimator: its file says how it was trained, and what reads the file goes on from there."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import mean_squared_error

import rosenblatt as rb

ROWS, COLUMNS = 60, 5


def run(arguments):
    """A command, where the parts that it takes are installed."""
    for part in ("click", "polars"):
        pytest.importorskip(part)
    from rosenblatt.cli import run

    return run(arguments)


def entries(classes=2, seed=0):
    """Sparse rows of whole numbers, and labels that no plane separates."""
    draw = np.random.default_rng(seed)
    X = sp.csr_array(
        np.where(draw.random((ROWS, COLUMNS)) < 0.6, draw.integers(-4, 5, (ROWS, COLUMNS)), 0).astype(np.float32)
    )
    codes = (X @ np.arange(1, COLUMNS + 1) + draw.integers(-6, 7, ROWS) > 0).astype(int)
    return X, codes + (draw.integers(0, 3, ROWS) == 0) * (classes - 2)


def saved(fitted, tmp_path):
    rb.save(fitted, tmp_path / "m.rosenblatt")
    return rb.load(tmp_path / "m.rosenblatt")


def write_libsvm(path, X, y):
    lines = []
    for i, label in enumerate(y):
        row = X[[i]].tocoo()
        lines.append(" ".join([str(label), *(f"{j + 1}:{value:g}" for j, value in zip(row.col, row.data, strict=True))]))
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")


ESTIMATORS = {
    "perceptron": rb.Perceptron(eta0=0.5, learning_rate="1/updates", random_state=3, shuffle="once"),
    "averaged": rb.AveragedPerceptron(max_iter=3, fit_intercept=False, random_state=np.int64(4)),
    "averaged last": rb.AveragedPerceptron(max_iter=3, average=False, random_state=1),
    "perceptron averaged": rb.Perceptron(max_iter=4, average=True, random_state=2, shuffle="replacement"),
    "mira": rb.Mira(p=0.25, max_iter=2, shuffle=False, average=True),
    "passive-aggressive": rb.PassiveAggressive(C=0.01, variant="II", fit_intercept=False, max_iter=3, random_state=7),
    "passive-aggressive I": rb.PassiveAggressive(C=np.float32(0.5), tol=0.05, random_state=np.random.RandomState(0)),
    "soft": rb.SoftPerceptron(eta0=0.05, l2=0.01, learning_rate="1/examples", max_iter=3, shuffle="blocks", random_state=1),
    "soft with log": rb.SoftPerceptron(eta0=0.05, max_iter=2, keep_log=True),
    "soft last": rb.SoftPerceptron(max_iter=2, average=False, random_state=0),
    "arow": rb.Arow(r=0.5, max_iter=2, random_state=0),
    "arow averaged": rb.Arow(max_iter=2, average=True, random_state=0, keep_log=True),
    "against the rest": rb.Mira(multiclass="rest", max_iter=2, random_state=0, keep_log=True),
    "widrow-hoff": rb.WidrowHoff(eta0=0.001, max_iter=np.int64(3), random_state=0),
    "widrow-hoff without rate": rb.WidrowHoff(max_iter=2),
    "voted": rb.VotedPerceptron(max_iter=2, random_state=9),
    "voted averaged": rb.VotedPerceptron(max_iter=2, random_state=9, score_with="averaged", eta0=2.0),
    "voted last": rb.VotedPerceptron(max_iter=2, random_state=9, score_with="last"),
    "balanced": rb.Perceptron(class_weight="balanced", keep_log=True, max_iter=3, random_state=0),
    "weighted": rb.Mira(class_weight={0: 0.25, np.int64(1): 2.0}, max_iter=3),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("classes", [2, 3])
def test_learning_by_the_recipe_in_the_file_gives_the_same_model(name, classes, tmp_path):
    """The witness is another door: `learn` with nothing but the recipe comes to the same bits, views and log."""
    X, y = entries(classes)
    fitted = ESTIMATORS[name].fit(X, y)
    model = saved(fitted, tmp_path)
    again = rb.learn(rb.Dataset("sparse", X, y, "made", zero_based=False), model.recipe)
    assert again.view == model.view
    for view, (coef, intercept) in model.views.items():
        np.testing.assert_array_equal(again.views[view][0], coef)
        np.testing.assert_array_equal(again.views[view][1], intercept)
    np.testing.assert_array_equal(again.scores(X), model.scores(X))
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    differing = {key for key, value in again.summary.to_dict().items() if value != model.summary[key]}
    assert differing <= {"train_error"}
    assert model.class_counts.tolist() == again.class_counts.tolist()
    if not name.startswith("soft"):
        assert (model.memory is None) == (again.memory is None)


def test_parameters_have_their_public_names(tmp_path):
    X, y = entries()
    recipe = saved(ESTIMATORS["passive-aggressive"].fit(X, y), tmp_path).recipe
    assert (recipe.learner, recipe.parameters, recipe.fit_intercept) == (
        "passive-aggressive", {"C": 0.01, "variant": "II"}, False,
    )  # fmt: skip
    assert (recipe.epochs, recipe.seed, recipe.order, recipe.average, recipe.tol) == (3, 7, "shuffled", None, None)


def test_early_stopping_is_told_with_its_errors(tmp_path):
    X, y = entries()
    fitted = rb.Perceptron(early_stopping=True, validation_fraction=0.25, n_iter_no_change=2, random_state=0).fit(X, y)
    model = saved(fitted, tmp_path)
    last = fitted.history_[-1]
    assert model.view == "best"
    assert model.recipe.patience == 2
    best = min(fitted.history_["held_out_last"])
    assert model.summary["dev_error"] == {"last": last.held_out_last, "averaged": last.held_out_averaged, "best": best}
    assert model.summary["examples"] == fitted.history_[0].examples == model.class_counts.sum()


def test_parameters_that_change_after_the_fit_do_not_change_the_file(tmp_path):
    X, y = entries()
    fitted = rb.PassiveAggressive(C=0.5, max_iter=2, random_state=1, class_weight={0: 2.0, 1: 1.0}).fit(X, y)
    fitted.class_weight[0] = 5.0
    fitted.set_params(C=7.0, max_iter=50, random_state=2, fit_intercept=False)
    recipe = saved(fitted, tmp_path).recipe
    assert recipe.parameters["C"] == 0.5
    assert (recipe.epochs, recipe.seed, recipe.fit_intercept, recipe.class_weight) == (2, 1, True, {0: 2.0, 1: 1.0})


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (1.0, 2.0), ("a", "b"), (-(2**40), 2**40)], ids=str)
def test_weights_of_classes_keep_the_type_of_their_labels(labels, tmp_path):
    """In files of estimators and of `learn` alike: keys of JSON are texts, labels need not be."""
    X, codes = entries()
    y = np.array(labels)[codes]
    weight = {labels[0]: 2.0, labels[1]: 0.5}
    fitted = rb.Perceptron(class_weight=weight, max_iter=2, random_state=0).fit(X, y)
    learned = rb.learn(rb.Dataset("sparse", X, y, "made"), learner="perceptron", epochs=2, class_weight=weight)
    for model in (saved(fitted, tmp_path), saved(learned, tmp_path)):
        assert list(map(repr, model.recipe.class_weight.items())) == list(map(repr, weight.items()))
        np.testing.assert_array_equal(model.views["last"][0], fitted.coef_)


def test_what_was_forgotten_is_not_counted(tmp_path):
    X, y = entries()
    fitted = rb.Perceptron(keep_log=True, random_state=0).fit(X, y)
    fitted.forget([0, 1, 2])
    fitted.forget([3])
    assert saved(fitted, tmp_path).class_counts.tolist() == np.bincount(y[4:]).tolist()


def test_rows_of_all_calls_of_partial_fit_are_counted(tmp_path):
    X, y = entries()
    fitted = rb.Mira()
    for start in range(0, ROWS, 20):
        fitted.partial_fit(X[start : start + 20], y[start : start + 20], classes=[0, 1])
    model = saved(fitted, tmp_path)
    assert model.class_counts.tolist() == np.bincount(y).tolist()
    again = rb.learn(rb.Dataset("sparse", X, y, "made"), model.recipe)
    np.testing.assert_array_equal(again.views["averaged"][0], model.views["averaged"][0])
    assert saved(fitted.fit(X[:30], y[:30]), tmp_path).summary["examples"] == 30


def test_rows_of_all_warm_started_fits_are_counted(tmp_path):
    X, y = entries()
    fitted = rb.Mira(warm_start=True, random_state=0, max_iter=2).fit(X[:40], y[:40]).fit(X[20:], y[20:])
    assert saved(fitted, tmp_path).class_counts.tolist() == (np.bincount(y[:40]) + np.bincount(y[20:])).tolist()


@pytest.mark.parametrize(("view", "name"), [("voted", "voted"), ("last", "perceptron"), ("averaged", "averaged")])
def test_compare_names_a_saved_voter_by_what_predicts(view, name, tmp_path):
    fitted = rb.VotedPerceptron(score_with=view, max_iter=2, random_state=0).fit(*entries())
    assert saved(fitted, tmp_path).recipe.compared_name == name


def test_random_votes_are_drawn_as_the_estimator_draws_them(tmp_path):
    X, y = entries()
    fitted = rb.VotedPerceptron(score_with="random", random_state=12, max_iter=2).fit(X, y)
    np.testing.assert_array_equal(saved(fitted, tmp_path).scores(X), fitted.decision_function(X))
    fitted = rb.VotedPerceptron(score_with="random", random_state=12).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(saved(fitted, tmp_path).scores(X), fitted.decision_function(X))


def test_votes_by_another_rule_are_of_that_rule(tmp_path):
    X, y = entries()
    fitted = rb.Mira(p=0.5, keep_log=True, max_iter=2).fit(X, y).view("voted")
    model = saved(fitted, tmp_path)
    assert (model.recipe.learner, model.recipe.parameters, model.view) == ("mira", {"p": 0.5}, "voted")
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [
        rb.PassiveAggressive(C=0.01, variant="II", fit_intercept=False),
        rb.Perceptron(learning_rate="1/examples"),
        rb.Mira(p=0.5, class_weight={0: 3.0, 1: 0.25}),
        rb.SoftPerceptron(eta0=0.3, learning_rate="1/updates", l2=0.1),
        rb.WidrowHoff(eta0=0.002),
        rb.Arow(r=0.5),
        rb.VotedPerceptron(eta0=2.0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_evaluate_goes_on_from_a_saved_estimator_as_partial_fit_does(estimator, tmp_path, monkeypatch, capsys):
    """Predict, then learn: the rule, its parameters, the bias, the weights of classes and falling rates go on."""
    monkeypatch.chdir(tmp_path)
    X, y = entries()
    for part in (slice(0, 20), slice(20, 40)):
        estimator.partial_fit(X[part], y[part], classes=[0, 1])
    rb.save(estimator, "m.rosenblatt")
    write_libsvm("rest.libsvm", X[40:], y[40:])
    errors = 0
    for i in range(40, ROWS):
        errors += int(estimator.view("last").predict(X[[i]])[0] != y[i])
        estimator.partial_fit(X[[i]], y[[i]])
    assert run(["evaluate", "m.rosenblatt", "rest.libsvm", "--one-based", "--progressive", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["errors"] == errors


def test_what_the_estimator_never_counted_is_said_to_be_unknown(tmp_path, monkeypatch, capsys):
    """No number is invented, and none is divided by."""
    monkeypatch.chdir(tmp_path)
    X, y = entries()
    rb.save(rb.PassiveAggressive(C=0.01, variant="II", fit_intercept=False).fit(X, y), "m.rosenblatt")
    assert run(["explain", "m.rosenblatt"]) == 0
    shown = capsys.readouterr().out
    assert "60 rows in training" in shown
    assert "not known" in shown
    assert run(["explain", "m.rosenblatt", "--json"]) == 0
    assert {part["count"] for part in json.loads(capsys.readouterr().out)["weights"]} == {None}
    assert run(["report", "m.rosenblatt", "-o", "page.html", "-q"]) == 0
    page = Path("page.html").read_text("utf-8")
    assert "not known: the model was saved by an estimator" in page
    assert "C 0.01, variant II" in page
    assert "no bias" in page
    notebook = rb.load("m.rosenblatt")._repr_html_()
    assert "passive-aggressive" in notebook
    assert "training error" not in notebook


KERNELS = {
    "rbf": rb.KernelPerceptron(max_iter=4, random_state=1),
    "rbf, gamma": rb.KernelPerceptron(gamma=0.25, score_with="averaged", shuffle=False, max_iter=3),
    "polynomial": rb.KernelPerceptron(kernel="poly", degree=np.int64(2), score_with="voted", max_iter=3, random_state=2),
    "mira": rb.KernelPerceptron(kernel="linear", rule="mira", p=0.5, class_weight="balanced", max_iter=2),
    "no bias": rb.KernelPerceptron(kernel="linear", fit_intercept=False, eta0=0.5, learning_rate="1/updates", max_iter=2),
    "rest": rb.KernelPerceptron(
        kernel="poly", coef0=0.0, multi_class="ovr", score_with="random", random_state=3, max_iter=2
    ),
    "budget": rb.KernelPerceptron(budget=9, multi_class="ovr", random_state=4, max_iter=3),
}


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_comes_back_whole(name, classes, dense, tmp_path):
    """Scores in every view, support, log and recipe; and the recipe alone leads to the same model through `learn`."""
    X, y = entries(classes)
    X = X.toarray() if dense else X
    fitted = KERNELS[name].fit(X, y)
    model = saved(fitted, tmp_path)
    np.testing.assert_array_equal(model.scores(X), fitted.view(fitted.score_with).decision_function(X))
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    for view in ("last", "averaged", "voted") if fitted.budget is None else ("last",):
        np.testing.assert_array_equal(model.scores(X, view), fitted.view(view).decision_function(X))
    np.testing.assert_array_equal(model.dual.support, fitted.support_)
    np.testing.assert_array_equal(model.dual.coef, fitted.dual_coef_.T)
    for read, kept in zip(model.dual.logs or (), fitted.dual_.logs or (), strict=True):
        assert all(np.array_equal(getattr(read, part), getattr(kept, part)) for part in ("t", "row", "rival", "tau"))
    assert (model.dual.t, model.dual.rows_seen, model.dual.norm2) == (fitted.dual_.t, ROWS, fitted.dual_.norm2)
    set_by_hand = {key: value for key, value in fitted.get_params().items() if key in model.recipe.parameters}
    assert model.recipe.parameters == set_by_hand | {"kernel": model.dual.space.kernel.name}
    if not dense:  # products of dense rows round otherwise, and a tie may go the other way
        again = rb.learn(rb.Dataset("sparse", X, y, "made", zero_based=False), model.recipe)
        np.testing.assert_array_equal(again.scores(X), model.scores(X))
        assert again.summary.updates == model.summary.updates == fitted.n_updates_
    rb.save(model, tmp_path / "again.rosenblatt")
    assert (tmp_path / "again.rosenblatt").read_bytes() == (tmp_path / "m.rosenblatt").read_bytes()


def test_a_kernel_explains_by_its_examples(tmp_path):
    X, y = entries(3)
    for name in ("rbf, gamma", "rest", "budget"):
        model = saved(KERNELS[name].fit(X, y), tmp_path)
        view = model.linear_view()
        for row in range(0, ROWS, 7):
            influences = model.influences(X[[row]])
            first, second = np.sort(model.scores(X[[row]], view)[0])[::-1][:2]
            assert influences.score == pytest.approx(first - second, abs=1e-12)
            assert sum(part.contribution for part in influences.examples) == pytest.approx(influences.score, abs=1e-9)
            assert [part.updates is None for part in influences.examples] == [name == "budget"] * len(influences.examples)


def test_a_kernel_that_has_seen_only_zeros_has_no_support_and_is_saved(tmp_path):
    fitted = rb.KernelPerceptron(kernel="linear", fit_intercept=False, max_iter=1).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert len(fitted.support_) == 0
    assert saved(fitted, tmp_path).predict(np.ones((2, 2))).tolist() == [1, 1]


def test_a_kernel_that_is_a_function_is_not_saved_and_says_why(tmp_path):
    fitted = rb.KernelPerceptron(kernel=lambda A, B: (A @ B.T).toarray()).fit(*entries())
    with pytest.raises(rb.SettingError, match="is a function, which a model file cannot hold: pickle"):
        fitted.save(tmp_path / "m.rosenblatt")
    assert not (tmp_path / "m.rosenblatt").exists()


def test_names_of_columns_are_kept_and_read_from_tables(tmp_path, monkeypatch, capsys):
    """From pandas, from polars in another order, and from a CSV on the command line."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    X, y = entries()
    frame = pd.DataFrame(X.toarray(), columns=list("abcde"))
    fitted = rb.Perceptron(random_state=0).fit(frame, y)
    model = saved(fitted, tmp_path)
    assert model.features.names == list("abcde")
    expected = fitted.predict(frame).tolist()
    assert model.predict(frame).tolist() == model.predict(pl.from_pandas(frame[list("ebacd")])).tolist() == expected
    frame[list("ecbad")].assign(note="x").to_csv("rows.csv", index=False)
    assert run(["predict", "m.rosenblatt", "rows.csv", "--only-labels", "-q"]) == 0
    assert list(map(int, capsys.readouterr().out.split())) == expected
    for bad, wrong in ((frame[list("abce")], "There is no column 'd'"), (frame.assign(d="x"), "holds something else")):
        with pytest.raises(rb.DataError, match=wrong):
            model.predict(bad)
    unnamed = saved(rb.Perceptron(random_state=0).fit(X, y), tmp_path)
    assert unnamed.features.names[0] == "column 0"


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_come_back(classes, tmp_path):
    X, y = entries(classes)
    fitted = rb.SoftPerceptron(max_iter=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(saved(fitted, tmp_path).predict_proba(X), fitted.predict_proba(X))
    with pytest.raises(rb.SettingError, match="mira gives scores and no probabilities: train it with"):
        saved(rb.Mira().fit(X, y), tmp_path).predict_proba(X)


REGRESSORS = {
    "widrow-hoff": rb.WidrowHoffRegressor(eta0=0.01, max_iter=4, average=True, random_state=0),
    "early stopping": rb.WidrowHoffRegressor(early_stopping=True, validation_fraction=0.2, random_state=1),
    "passive-aggressive": rb.PassiveAggressiveRegressor(C=0.1, epsilon=0.5, loss="squared_epsilon_insensitive", max_iter=3),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_comes_back_and_predicts_its_numbers(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = entries()
    targets = X @ np.arange(1.0, COLUMNS + 1) + y
    fitted = REGRESSORS[name].fit(X, targets)
    model = saved(fitted, tmp_path)
    assert model.predicts_numbers
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    assert model.recipe.rule() == fitted._rule()
    assert "Regressor" in model._repr_html_()
    assert "classes" not in model._repr_html_()
    write_libsvm("rows.libsvm", X, np.ones(ROWS, int))
    assert run(["predict", "m.rosenblatt", "rows.libsvm", "--only-labels", "--one-based", "-q"]) == 0
    assert list(map(float, capsys.readouterr().out.split())) == fitted.predict(X).tolist()
    assert run(["evaluate", "m.rosenblatt", "rows.libsvm", "--one-based", "--json", "-q"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["mean_squared_error"] == pytest.approx(mean_squared_error(np.ones(ROWS), fitted.predict(X)), rel=1e-12)
    assert measured["of_mean"] is None  # an estimator does not tell it
    assert run(["report", "m.rosenblatt", "-o", "page.html", "-q"]) == 0
    assert run(["explain", "m.rosenblatt", "--weight", "1"]) == 2
    assert "keeps no log" in capsys.readouterr().err
    rb.save(model, "again.rosenblatt")
    assert Path("again.rosenblatt").read_bytes() == Path("m.rosenblatt").read_bytes()


def test_a_learner_of_classes_is_none_of_numbers():
    with pytest.raises(rb.SettingError, match="mira learns classes, not numbers: for these there are passive-"):
        rb.Recipe(learner="mira", regression=True).rule()


@pytest.mark.parametrize("calibrate", [False, True])
def test_a_file_gives_the_scores_of_the_estimator_to_the_bit_dense_and_sparse(calibrate, tmp_path):
    """Sums over dense rows are added in another order than over sparse ones; each is kept."""
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(90, 37)), draw.integers(0, 3, 90)
    for classes in (2, 3):
        fitted = rb.AveragedPerceptron(calibrate=calibrate, max_iter=3, random_state=0).fit(X, y % classes)
        model = saved(fitted, tmp_path)
        for rows in (X, X.astype(np.float32), sp.csr_array(X)):
            assert model.scores(rows).tobytes() == fitted.decision_function(rows).tobytes()
            if calibrate:
                assert model.predict_proba(rows).tobytes() == fitted.predict_proba(rows).tobytes()
