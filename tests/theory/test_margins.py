"""Margins, radius and losses with the numbers of the slides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import data_sets

from rosenblatt import SettingError
from rosenblatt.engine import rules
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import train
from rosenblatt.theory import losses, margins

# LECTURES B3: the worked example, w = [1, 0], b = 0 at the start and w = [0.5, 1], b = -1 at the end.
POINTS, LABELS = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0]
START = Model(np.array([0, 1]), np.array([[1.0, 0.0]]), np.array([0.0]))
END = Model(np.array([0, 1]), np.array([[0.5, 1.0]]), np.array([-1.0]))


def test_b3_the_start_is_wrong_about_the_second_point_only_and_the_end_about_none():
    # The slide's activations: 1 and 0.5 by the start, then -2.5 and -0.5 by what the update made.
    assert margins.functional_margins(START, POINTS, LABELS)[:2].tolist() == [1, -0.5]
    assert margins.functional_margins(END, POINTS, LABELS)[2:].tolist() == [2.5, 0.5]
    at_start, at_end = (margins.functional_margins(model, POINTS, LABELS) for model in (START, END))
    assert losses.zero_one(at_start).tolist() == [0, 1, 0, 0]
    assert losses.zero_one(at_end).sum() == 0
    assert losses.perceptron_criterion(at_start).tolist() == [0, 0.5, 0, 0]


def test_b6_the_margin_of_a_set_is_the_least_or_minus_infinity():
    assert margins.margin_of_set(START, POINTS, LABELS) == -np.inf
    assert margins.margin_of_set(END, POINTS, LABELS) == 0.5
    on_the_plane = Model(np.array([0, 1]), np.array([[1.0, 1.0]]), np.array([0.0]))  # (-1, 1) lies on it
    assert margins.margin_of_set(on_the_plane, POINTS, LABELS) == -np.inf


def test_h5_a_margin_of_zero_is_an_error_and_costs_nothing():
    on_the_plane = margins.functional_margins(START, [[0.0, 3.0]], [1])
    assert losses.zero_one(on_the_plane).tolist() == [1]
    assert losses.perceptron_criterion(on_the_plane).tolist() == [0]


def test_h6_geometric_margins_divide_by_w_or_by_w_and_b():
    functional = np.array([0.5, 1.75, 2.5, 0.5])  # y (0.5 x1 + x2 - 1), by hand
    np.testing.assert_allclose(margins.functional_margins(END, POINTS, LABELS), functional)
    np.testing.assert_allclose(margins.geometric_margins(END, POINTS, LABELS, by="w"), functional / np.sqrt(1.25))
    np.testing.assert_allclose(margins.geometric_margins(END, POINTS, LABELS, by="w and b"), functional / 1.5)
    assert margins.margin_of_set(END, POINTS, LABELS, by="w and b") == pytest.approx(1 / 3)
    with pytest.raises(SettingError, match="'w and b'"):
        margins.geometric_margins(END, POINTS, LABELS, by="b")


def test_h1_the_plane_lies_at_minus_b_over_the_length_of_w():
    # LECTURES, errata: HMC's plane moves by b / |θ|, not by b.
    model = Model(np.array([0, 1]), np.array([[3.0, 4.0]]), np.array([10.0]))
    assert margins.distances(model, [[0.0, 0.0], [-6 / 5, -8 / 5]]).round(12).tolist() == [2, 0]


def test_the_errata_example_has_margin_one_without_the_constant_feature_and_needs_two_updates_with_it():
    X, y = [[1.0], [-1.0]], [1, 0]
    plane = Model(np.array([0, 1]), np.array([[1.0]]), np.array([0.0]))
    assert margins.margin_of_set(plane, X, y, by="w") == 1
    assert margins.radius(X, fit_intercept=False) == 1
    run = train(X, y, rules.Perceptron(), order="given")
    assert run.converged
    assert run.weights.updates == 2  # R²/γ² would be 1 without the constant feature; with it, it is 2
    assert margins.radius(X) ** 2 / margins.margin_of_set(plane, X, y, by="w and b") ** 2 == pytest.approx(2)


@given(data=data_sets("floats", weighted=False), factor=st.sampled_from([0.5, 2.0, 64.0]))
def test_twice_the_weights_double_functional_margins_and_leave_geometric_ones(data, factor):
    random = np.random.default_rng(data.seed)
    coef, intercept = random.normal(size=(data.vectors, data.X.shape[1])), random.normal(size=data.vectors)
    model = Model(np.arange(data.classes), coef, intercept)
    larger = Model(np.arange(data.classes), factor * coef, factor * intercept)
    arguments = data.X, data.codes
    np.testing.assert_array_equal(
        margins.functional_margins(larger, *arguments), factor * margins.functional_margins(model, *arguments)
    )
    for by in margins.BY:
        np.testing.assert_allclose(
            margins.geometric_margins(larger, *arguments, by), margins.geometric_margins(model, *arguments, by), rtol=1e-12
        )


@given(data=data_sets("floats", classes=4, weighted=False))
def test_moving_a_row_by_its_distance_brings_it_to_the_border_of_its_class(data):
    random = np.random.default_rng(data.seed)
    model = Model(np.arange(4), random.normal(size=(4, data.X.shape[1])), random.normal(size=4))
    for x, distance in zip(data.X, margins.distances(model, data.X), strict=True):
        scores = model.coef @ x + model.intercept
        best = scores.argmax()
        # Straight towards each border in turn: the nearest is reached after exactly this distance, none before.
        reached = [
            (scores[best] - scores[r]) / np.linalg.norm(model.coef[best] - model.coef[r]) for r in range(4) if r != best
        ]
        assert distance == pytest.approx(min(reached), abs=1e-12)


def test_the_radius_counts_the_constant_feature_where_there_is_one():
    assert margins.radius([[3.0, 4.0], [0.0, 1.0]], fit_intercept=False) == 5
    assert margins.radius([[3.0, 4.0], [0.0, 1.0]]) == pytest.approx(np.sqrt(26))
