"""certify beyond the range of squares: numbers near the largest and the smallest floats."""

import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from separable_sets import with_a_point_inside, with_planted_contradiction

import rosenblatt
from rosenblatt import certify
from rosenblatt.engine import rules
from rosenblatt.theory.bounds import NoBound, ProblemGeometry, bound_for

TINY = (1e-160, 2.0**-600, 1e-300, 1e-310)


@given(
    planted=with_planted_contradiction(),
    scale=st.sampled_from([2.0**600, 2.0**900, 2.0**-600, 2.0**-900]),
    form=st.sampled_from([np.asarray, sp.csr_array]),
)
def test_a_contradiction_is_found_though_squares_overflow_or_vanish(planted, scale, form):
    # Powers of two: the contradiction of the whole numbers is one of the scaled ones.
    certificate = certify(form(planted.X * scale), planted.y, planted.bias)
    assert certificate.separable is False
    assert certificate.check()
    assert str(certificate).startswith("No line can separate")
    assert certificate.to_dict()["radius"] is None or certificate.to_dict()["radius"] < np.inf


@given(planted=with_a_point_inside(), scale=st.sampled_from([1e160, 1e290, 1e-160, 1e-290]))
def test_so_is_one_that_rounding_cannot_undo(planted, scale):
    certificate = certify(planted.X * scale, planted.y, planted.bias)
    assert certificate.separable is False
    assert certificate.check()


def at_scale(scale):
    """Rows that a line separates, with and without a bias; the first column is large."""
    return np.array([[1.0, 0.0], [2.0, 0.1], [8.0, 0.2], [-9.0, 0.3]]) * [scale, 1.0], [0, 0, 0, 1]


@pytest.mark.parametrize("scale", [1e160, 2.0**600, 1e300])
@pytest.mark.parametrize("bias", [True, False])
def test_where_squares_overflow_what_would_be_separable_is_refused_by_row_and_column(scale, bias):
    X, y = at_scale(scale)
    with pytest.raises(rosenblatt.NotFiniteError, match=r"column 0 is .* Scale the features") as refused:
        certify(X, y, bias)
    assert abs(X[refused.value.row, refused.value.column]) > 1e154  # its square is beyond floats


@pytest.mark.parametrize("scale", [1e100, 1e152])
@pytest.mark.parametrize("bias", [True, False])
def test_where_they_do_not_it_is_told(scale, bias):
    certificate = certify(*at_scale(scale), bias)
    assert certificate.separable is True
    assert certificate.check()
    assert str(certificate).startswith("A line separates these rows")


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from(TINY), bias=st.booleans())
def test_tiny_numbers_get_a_margin_that_is_one_and_a_bound_that_holds(seed, scale, bias):
    random = np.random.default_rng(seed)
    X = random.integers(-9, 10, (8, 2)) * scale
    score = X @ [1.0, 2.0] - (0.5 * scale if bias else 0.0)
    X, y = X[score != 0], score[score != 0] > 0
    if len(set(y)) < 2:
        return
    certificate = certify(X, y, bias)
    assert certificate.separable is True
    assert certificate.check()
    assert certificate.margin > 0
    signs = np.where(y, 1, -1)
    exact = [
        int(s)
        * sum((Fraction(a) * Fraction(w) for a, w in zip(x, certificate.w.tolist(), strict=True)), Fraction(certificate.b))
        for x, s in zip(X.tolist(), signs, strict=True)
    ]
    assert min(exact) > 0
    if not bias:  # the bound does not depend on the unit then
        whole = certify(np.round(X / scale), y, bias)
        assert certificate.bound >= whole.bound * (1 - 1e-6)


@pytest.mark.parametrize(("small", "large"), [(1e-300, 1e12), (5e-324, 1.0)])
@pytest.mark.parametrize("labels", [[0, 1], [1, 0]])
def test_a_row_that_is_tiny_beside_another_contradicts_it(small, large, labels):
    """Scaled as the other is, its numbers are subnormal: no power of two that is a float brings them near 1."""
    certificate = certify([[small], [large]], labels, False)  # on the same side of 0
    assert certificate.separable is False
    assert certificate.check()


def test_what_only_rounded_rows_allow_is_not_told_as_separable():
    """In columns that reach from 1e-160 to 1e154 the small numbers are rounded by scaling; these rows had a false proof."""
    X = [[1e128, 2e-160], [-3e-160, -1e154], [2e-36, -5e-161], [-1e154, -3e-160], [-1e69, 1.5e-160], [7e153, -1.4]]
    certificate = certify(X, [0, 1, 2, 0, 1, 2])
    assert certificate.separable is None or certificate.check()


def test_beside_a_row_whose_square_overflows_it_is_refused():
    with pytest.raises(rosenblatt.NotFiniteError, match=r"Row 1, column 0 is 2e\+300"):
        certify([[2e-20], [2e300]], [0, 1], False)


def test_a_margin_too_small_for_any_float_is_told_as_such():
    certificate = certify([[5e-324], [1e-323]], [0, 1])  # half of the smallest float apart from the plane between them
    assert certificate.separable is True
    assert certificate.check()
    assert certificate.bound is None
    assert certificate.sentence() == "a line separates these rows, with a margin that is too small for a float"
    assert "above 0" in str(certificate)


@pytest.mark.parametrize("rule", [rules.Perceptron(), rules.Mira(p=0.5), rules.PassiveAggressive(C=1.0)])
def test_a_bound_too_large_for_a_float_is_none(rule):
    bound = bound_for(rule, ProblemGeometry(radius=1.0, margin=1e-200))
    assert isinstance(bound, NoBound)
    assert "too large for a float" in str(bound)


def test_a_huge_bound_is_a_power_of_ten_that_is_no_smaller():
    certificate = certify([[1e9 + 1], [1e9 + 2]], [0, 1])
    number = re.search(r"at most (\S+) updates", certificate.sentence())[1]
    assert re.fullmatch(r"\d\.\d+e\+\d+", number)
    assert certificate.bound <= float(number) <= 1.001 * certificate.bound
    assert len(max(re.findall(r"[\d,]+", str(certificate)), key=len)) < 20
