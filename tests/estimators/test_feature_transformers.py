"""Feature maps in scikit-learn pipelines, and estimators in model files."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt import AveragedPerceptron, TableFeatures, TextFeatures

pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")


def people(n=200):
    rng = np.random.default_rng(0)
    job, age = rng.choice(["clerk", "boss", "cook"], n), rng.integers(18, 80, n)
    return pd.DataFrame({"job": job, "age": age}), np.where((job == "boss") | (age > 60), "high", "low")


def test_a_pipeline_learns_what_learn_learns():
    table, pay = people()
    pipeline = make_pipeline(TableFeatures(), AveragedPerceptron(max_iter=5, random_state=0)).fit(table, pay)
    data = rosenblatt.Dataset(
        "table", pl.DataFrame({name: table[name].to_numpy() for name in table}), pl.Series("pay", pay), "people"
    )
    model = rosenblatt.learn(data)
    np.testing.assert_allclose(pipeline[-1].coef_, model.model().coef, rtol=1e-12)
    np.testing.assert_array_equal(pipeline.predict(table), model.predict(table))


def test_transformers_clone_and_cross_validate():
    table, pay = people()
    pipeline = make_pipeline(TableFeatures(numeric="both"), AveragedPerceptron(random_state=0))
    assert cross_val_score(clone(pipeline), table, pay, cv=4).mean() > 0.9


def test_texts_in_a_pipeline():
    texts = ["win money now", "free money", "lunch at noon", "see you at lunch"]
    clf = make_pipeline(TextFeatures(), AveragedPerceptron(random_state=0)).fit(texts, ["spam", "spam", "ham", "ham"])
    assert clf.predict(["free lunch money"]).tolist() == ["spam"]


@pytest.mark.parametrize("classes", [2, 3])
def test_an_estimator_saved_and_loaded_predicts_alike(classes, tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], np.array(["a", "b", "c"])[y[y < classes]]
    clf = rosenblatt.Mira(p=0.5, random_state=0).fit(X, y)
    rosenblatt.save(clf, tmp_path / "iris.rosenblatt")
    model = rosenblatt.load(tmp_path / "iris.rosenblatt")
    np.testing.assert_array_equal(model.predict(X), clf.predict(X))
    np.testing.assert_allclose(model.scores(X), clf.decision_function(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.model("averaged").coef, clf.view("averaged").coef_)
