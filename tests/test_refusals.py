"""Labels, tables, weights and settings that cannot be: each is refused by name, at the door."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt.engine import rules
from rosenblatt.errors import DataError, LabelError, NotFiniteError, SettingError
from rosenblatt.learning.examples import encode, for_classes, for_regression
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import train
from rosenblatt.theory.walk import walk


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.0, 1.0, math.nan], "row 2"),
        ([0.0, 1.0, math.inf], "row 2"),
        (["a", None, "b"], "row 1"),
        (np.array(["a", math.nan, "b"], dtype=object), "row 1"),
        (["a", math.nan, "b"], "row 1"),  # numpy would make it the string "nan"
        (np.array(["2020-01-01", "NaT", "2021-01-01"], dtype="M8[D]"), "row 1"),
        (np.array([1, "a", 2], dtype=object), "int, str"),
        (["a", "a", "a"], "'a'"),
        ([[0], [1], [0]], "2 dimension"),
        ([0, 1], "3 rows but 2 labels"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(y, message):
    with pytest.raises(DataError, match=message):
        train(np.eye(3), y)


def test_pandas_missing_labels_are_refused():
    pandas = pytest.importorskip("pandas")
    for y in (pandas.Series(["a", None, "b"]), pandas.Series(["a", pandas.NA, "b"], dtype="string")):
        with pytest.raises(LabelError, match="row 1"):
            encode(y)


def test_a_label_that_was_not_named_first_is_refused():
    with pytest.raises(LabelError, match="'z'"):
        for_classes(np.eye(3), ["a", "b", "z"], classes=np.array(["a", "b"]))


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.empty((0, 3)), []),
        (np.empty((3, 0)), [0, 1, 0]),
        (sp.csr_array((3, 0)), [0, 1, 0]),
        (np.zeros(3), [0, 1, 0]),
        (np.zeros((3, 2, 2)), [0, 1, 0]),
        (5.0, [0]),
        (np.zeros((3, 2), dtype=complex), [0, 1, 0]),
        (sp.csr_array(np.eye(3, dtype=complex)), [0, 1, 0]),
        (sp.coo_array(np.array([1.0, 2])), [0, 1]),
        ([["a", "b"], ["c", "d"]], [0, 1]),
        ([[1, 2], [3]], [0, 1]),
        ([[{}, 1], [2, 3]], [0, 1]),
        (None, [0, 1]),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, y):
    with pytest.raises(DataError):
        train(X, y)


def test_none_in_a_table_is_a_missing_number():
    with pytest.raises(NotFiniteError, match="row 1, column 0"):
        train([[1, 2], [None, 3]], [0, 1], order="given")


@pytest.mark.parametrize("y", [[1, math.nan], [1, math.inf], [[1.0], [2.0]], ["a", "b"], [1, 2, 3], [1j, 2], []])
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_targets_that_cannot_be_predicted_are_refused(y):
    with pytest.raises(DataError):
        for_regression(np.eye(2), y)


@pytest.mark.parametrize("weight", [[1, -1, 1], [1, math.nan, 1], [1, math.inf, 1], [0, 0, 0], [1, 1], ["a", "b", "c"]])
def test_sample_weights_that_cannot_be_are_refused(weight):
    with pytest.raises(DataError):
        train(np.eye(3), [0, 1, 0], sample_weight=weight)


@pytest.mark.parametrize(
    "class_weight", [{0: -1}, {0: math.nan}, {0: math.inf}, {0: 0, 1: 0}, {2: 1}, "even", 3, {0: "a"}, [1, 2]]
)
def test_class_weights_that_cannot_be_are_refused(class_weight):
    with pytest.raises((SettingError, DataError)):
        for_classes(np.eye(3), [0, 1, 0], class_weight=class_weight)


@pytest.mark.parametrize(
    "coef", [np.array([[4, 2]]), np.array([[4, 0, 2, 0]], float)[:, ::2], np.array([[4, 2]], np.float32)]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_model_scores_whatever_array_its_weights_are_in(engine, coef, form):
    X = form(np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert Model(np.array([0, 1]), coef, np.array([-3.0])).scores(X).tolist() == [3, -1]
    assert Model(np.array([0, 1]), coef, np.array([-3])).scores(X).tolist() == [3, -1]
    three = np.asfortranarray(np.vstack([coef, 2 * coef, -coef]).astype(float))
    assert Model(np.arange(3), three, np.zeros(3)).scores(X).tolist() == [[6, 12, -6], [2, 4, -2]]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_scoring_other_columns_than_trained_with_is_refused_and_no_rows_give_no_scores(engine, form):
    model = Model(np.array([0, 1]), np.ones((1, 3)), np.zeros(1))
    with pytest.raises(DataError, match=r"4 features.*3"):
        model.scores(form(np.ones((2, 4))))
    assert model.predict(form(np.ones((0, 3)))).tolist() == []


@pytest.mark.parametrize(
    ("rule", "settings"),
    [
        (rules.Perceptron, {"rate": 0}),
        (rules.Perceptron, {"rate": math.nan}),
        (rules.Perceptron, {"rate": "fast"}),
        (rules.Perceptron, {"schedule": "1/t"}),
        (rules.Mira, {"p": 1}),
        (rules.Mira, {"p": -0.1}),
        (rules.Mira, {"p": None}),
        (rules.PassiveAggressive, {"C": 0}),
        (rules.PassiveAggressive, {"C": -1}),
        (rules.PassiveAggressive, {"variant": "III"}),
        (rules.Logistic, {"rate": 2, "l2": 0.5}),
        (rules.Logistic, {"l2": -1}),
        (rules.Logistic, {"l2": math.nan}),
        (rules.WidrowHoff, {"rate": math.inf}),
        (rules.WidrowHoff, {"rate": -1}),
        (rules.WidrowHoff, {"schedule": "1/updates"}),
    ],
)
def test_settings_of_a_rule_that_cannot_be_are_refused(rule, settings):
    with pytest.raises(SettingError):
        train(np.eye(2), [0, 1], rule(**settings))


def test_a_rule_names_its_own_keywords_and_an_estimator_its_own():
    with pytest.raises(SettingError, match=r"^rate is -1: "):
        rules.Perceptron(rate=-1)
    with pytest.raises(SettingError, match="0 ≤ l2 < 1 / rate"):
        rules.Logistic(rate=2, l2=0.5)
    with pytest.raises(SettingError, match=r"^eta0 is -1: "):
        rules.Perceptron.from_public({"eta0": -1})


@pytest.mark.parametrize("rule", ["mira", rules.Mira, 0.5])
def test_what_is_no_rule_is_refused_with_the_names_of_rules(rule):
    for learn in (train, walk):
        with pytest.raises(SettingError, match=r"expected one of rosenblatt\.rules, .* PassiveAggressive"):
            learn(np.eye(2), [0, 1], rule)


@pytest.mark.parametrize("plan", [
    {"epochs": 0}, {"epochs": -1}, {"epochs": 1.5}, {"epochs": True}, {"epochs": "ten"}, {"epochs": math.nan},
    {"epochs": None}, {"patience": 0}, {"patience": 3}, {"tol": -1}, {"tol": math.nan}, {"tol": "small"},
    {"order": "sorted"}, {"seed": -1}, {"seed": "lucky"},
])  # fmt: skip
def test_settings_of_a_plan_that_cannot_be_are_refused(plan):
    with pytest.raises(SettingError):
        train(np.eye(2), [0, 1], **plan)


@pytest.mark.parametrize(
    "y",
    [
        [True, False, True],
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([-(2**63), -(2**63) + 2, -(2**63)]),
        [0, 10**6, 10**6],
        [0.5, -1.5, 0.5],
        ["ä", "b", "a"],
        np.array(["x", "yy", "x"], dtype=object),
        np.array(["2021-01-01", "2020-01-01", "2021-01-01"], dtype="M8[D]"),
    ],
)
def test_labels_of_any_kind_are_sorted_and_coded(y):
    classes, codes = encode(y)
    expected = np.unique(np.asarray(y))
    assert classes.dtype == expected.dtype
    assert classes.tolist() == expected.tolist()
    assert classes[codes].tolist() == np.asarray(y).tolist()
    assert codes.dtype == np.int32


POINTS = [[1.0], [2.0]], [0, 1]


@pytest.mark.parametrize(
    ("call", "door", "name", "meant"),
    [
        (lambda: rosenblatt.train(*POINTS, epoch=3), "train", "epoch", "'epochs'"),
        (
            lambda: rosenblatt.train(*POINTS, sample_weights=[1, 1]),
            "train",
            "sample_weights",
            "'sample_weight'",
        ),
        (lambda: rosenblatt.walk(*POINTS, starts=[1]), "walk", "starts", "'start'"),
        (lambda: rosenblatt.walk(*POINTS, fit_bias=False), "walk", "fit_bias", "fit_intercept"),
        (lambda: rosenblatt.learn(rosenblatt.read("iris"), leaner="mira"), "learn", "leaner", "'learner'"),
        (lambda: rosenblatt.Recipe(epoch=3), "Recipe", "epoch", "'epochs'"),
        (lambda: rosenblatt.Plan(oder="given"), "Plan", "oder", "'order'"),
    ],
)
def test_a_keyword_that_is_none_is_refused_by_name_with_the_nearest_that_is_one(call, door, name, meant):
    with pytest.raises(SettingError, match=f"^{door} has no keyword '{name}': .*{meant}"):
        call()


def test_learn_takes_the_settings_of_a_recipe():
    iris = rosenblatt.read("iris")
    made = rosenblatt.learn(iris, rosenblatt.Recipe("perceptron", seed=3), epochs=2)
    assert made.recipe == rosenblatt.Recipe("perceptron", seed=3, epochs=2)
    assert rosenblatt.learn(iris, learner="mira").recipe == rosenblatt.Recipe("mira")


def test_plans_and_recipes_copy_and_pickle():
    for made in (rosenblatt.Plan(epochs=3), rosenblatt.Recipe("mira", parameters={"p": 0.5})):
        assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
