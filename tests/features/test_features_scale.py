"""Mean and variance, checked with exact fractions, and scaling, checked with scikit-learn."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.features import Scale
from rosenblatt.features.table.numbers import Moments, MomentsFit, mean_and_sd

ANY = st.floats(allow_nan=False, allow_infinity=False)


def exactly(x):
    fractions = [Fraction(value) for value in x]
    mean = sum(fractions) / len(x)
    return mean, sum((value - mean) ** 2 for value in fractions) / len(x)


@given(st.lists(ANY, min_size=1, max_size=30))
def test_mean_and_sd_are_those_of_exact_arithmetic(x):
    mean, sd = mean_and_sd(np.array(x))
    true_mean, true_variance = exactly(x)
    largest = max(map(abs, x))
    assert abs(Fraction(mean) - true_mean) <= Fraction(largest) * Fraction(2.0**-50) + Fraction(5e-324)
    # In units of the largest number, where a float can hold the variance.
    unit = Fraction(largest) or Fraction(1)
    assert float(Fraction(sd) / unit) == pytest.approx(sqrt(true_variance / unit**2), rel=1e-9, abs=1e-15)


@given(ANY, st.integers(1, 50))
def test_a_constant_has_itself_as_mean_and_no_spread_at_all(value, n):
    assert mean_and_sd(np.full(n, value)) == (value, 0.0)


def test_a_small_spread_far_from_zero_is_not_lost():
    x = 5 + 1e-9 * np.random.default_rng(0).normal(size=300)
    mean, sd = mean_and_sd(x)
    true_mean, true_variance = exactly(x)
    assert abs(mean - float(true_mean)) <= np.spacing(5.0)
    assert sd == pytest.approx(sqrt(true_variance), rel=1e-6)


PARTS = st.lists(st.lists(st.one_of(st.integers(-99, 99), st.just(np.nan)), max_size=6), min_size=1, max_size=9)


@given(PARTS)
def test_moments_merge_to_those_of_all_numbers(parts):
    """Against means and variances in fractions."""
    whole = Moments()
    for part in parts:
        whole = whole.merged(Moments.of(np.array(part, dtype=float)))
    every = np.array([x for part in parts for x in part], dtype=float)
    numbers = every[~np.isnan(every)]
    assert whole.n == len(numbers)
    assert whole.missing == bool(np.isnan(every).any())
    if len(numbers):
        mean, variance = exactly(numbers)
        assert whole.mean == pytest.approx(float(mean), abs=1e-12)
        assert whole.sd == pytest.approx(sqrt(variance), rel=1e-9, abs=1e-9)
        assert (whole.low, whole.high) == (min(numbers), max(numbers))


@given(PARTS, st.integers(1, 5))
def test_moments_do_not_depend_on_the_parts_in_which_numbers_come(parts, block):
    in_parts, at_once = MomentsFit(block), MomentsFit(block)
    for part in parts:
        in_parts.add(np.array(part, dtype=float))
    at_once.add(np.array([x for part in parts for x in part], dtype=float))
    assert in_parts.finish() == at_once.finish()


@given(st.lists(st.floats(min_value=2.0**500, max_value=2.0**1000), min_size=2, max_size=9))
def test_no_square_of_a_large_number_overflows_or_of_its_reciprocal_vanishes(x):
    for numbers in (x, [1 / value for value in x]):
        column = MomentsFit(block=2)
        column.add(np.array(numbers))
        mean, variance = exactly(numbers)
        largest = Fraction(max(numbers))
        assert abs(Fraction(column.finish().mean) - mean) <= largest * Fraction(2.0**-48)
        assert float(Fraction(column.finish().sd) / largest) == pytest.approx(
            sqrt(variance / largest**2), rel=1e-9, abs=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_scaling_equals_scikit_learns_standard_scaler(dtype):
    X = np.random.default_rng(0).integers(0, 200, size=(40, 37)).astype(dtype)
    X[:, 5] = 3
    scaled = Scale().fit(X).transform(X, numbers_at_once=7 * 37)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, StandardScaler().fit_transform(X.astype(np.float64)), rtol=1e-6, atol=1e-6)


def test_scale_refuses_what_has_no_mean():
    for rows, message in ((np.zeros((0, 2)), "no rows"), (np.zeros(3), "1 dimension"), (np.array([["a"]]), "<U1")):
        with pytest.raises(DataError, match=message):
            Scale().fit(rows)
    X = np.zeros((3, 20))
    X[2, 17] = np.nan
    with pytest.raises(NotFiniteError, match="Row 2, column 17") as caught:
        Scale().fit(X)
    assert (caught.value.row, caught.value.column) == (2, 17)
    with pytest.raises(DataError, match="3 columns: training had 2"):
        Scale().fit(np.eye(2)).transform(np.eye(3))
