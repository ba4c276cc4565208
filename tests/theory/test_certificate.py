"""certify: verdicts known by construction or by an exact oracle, proofs that check, and proofs that were tampered with."""

import copy
import time
from fractions import Fraction
from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from separable_sets import (
    contradicts_itself,
    with_a_point_inside,
    with_hostile_numbers,
    with_planted_contradiction,
    with_planted_margin,
    with_radon_points,
)

import rosenblatt
from rosenblatt import certify
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.theory import rounding
from rosenblatt.theory.exact import decide_exactly, whole_numbers
from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.problem import SeparabilityProblem
from rosenblatt.theory.separability import certify_problem
from rosenblatt.theory.separator import max_margin
from rosenblatt.theory.signed import SignedExamples


@given(planted=with_planted_margin())
def test_a_planted_margin_is_found_and_its_proof_checks(planted):
    certificate = certify(planted.X, planted.y, planted.bias)
    assert certificate.separable is True
    assert certificate.check()
    signed = np.where(planted.y == planted.y.max(), 1, -1)
    assert (signed * (planted.X @ certificate.w + certificate.b) > 0).all()


@given(planted=with_planted_margin(classes=4))
def test_a_planted_margin_of_many_classes_is_found_and_with_it_every_pair(planted):
    certificate = certify(planted.X, planted.y, planted.bias)
    assert certificate.separable is True
    assert certificate.check()
    if len(certificate.classes) > 2:
        assert all(pair.separable for pair in certificate.pairs)
        assert (
            np.array(certificate.classes)[(planted.X @ certificate.w.T + certificate.b).argmax(axis=1)] == planted.y
        ).all()


def refuted(planted):
    """The certificate of rows that contradict each other, with the proof added up in fractions, without the package."""
    certificate = certify(planted.X, planted.y, planted.bias)
    assert certificate.separable is False
    assert certificate.check()
    assert len(certificate.proof.rows) <= planted.X.shape[1] + 2
    rows = planted.signed()
    total = [
        sum(int(w) * rows[i][j] for i, w in zip(certificate.proof.rows, certificate.proof.weights, strict=True))
        for j in range(len(rows[0]))
    ]
    assert not any(total)
    assert min(certificate.proof.weights) > 0


@given(planted=with_planted_contradiction())
def test_planted_radon_points_are_found_and_their_proof_checks_in_whole_numbers(planted):
    refuted(planted)


@given(planted=with_radon_points())
def test_so_are_those_of_any_numbers_at_every_scale(planted):
    refuted(planted)


@given(planted=with_a_point_inside())
def test_a_point_inside_the_other_class_is_a_contradiction_at_every_scale(planted):
    refuted(planted)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 7),
    d=st.integers(1, 3),
    bias=st.booleans(),
    form=st.sampled_from(["dense", "csr"]),
)
def test_small_sets_get_the_verdict_of_the_exact_oracle(seed, n, d, bias, form):
    random = np.random.default_rng(seed)
    X, y = random.integers(-2, 3, (n, d)).astype(float), random.integers(0, 2, n)
    sign = np.where(y == y.max(), 1, -1)
    rows = [[int(s * v) for v in [*x, *([1] if bias else [])]] for s, x in zip(sign, X.astype(int).tolist(), strict=True)]
    wanted = not contradicts_itself([[Fraction(value) for value in row] for row in rows])
    certificate = certify(X if form == "dense" else sp.csr_array(X), y, bias)
    assert certificate.separable is wanted
    assert certificate.check()


@given(planted=with_hostile_numbers())
def test_small_sets_are_decided_whatever_their_numbers(planted):
    certificate = certify(planted.X, planted.y, planted.bias)
    assert certificate.separable is not None
    assert certificate.check()
    assert certificate.margin is None or certificate.margin > 0
    if len(certificate.classes) == 2 and certificate.separable is False:
        rows = planted.signed()
        weighted = [
            [w * value for value in rows[i]] for i, w in zip(certificate.proof.rows, certificate.proof.weights, strict=True)
        ]
        assert not any(map(sum, zip(*weighted, strict=True)))
    elif len(certificate.classes) == 2:
        v = [Fraction(value) for value in certificate.proof.weights]
        assert all(sum(a * b for a, b in zip(row, v, strict=True)) > 0 for row in planted.signed())


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 7), d=st.integers(1, 3))
def test_the_simplex_method_in_whole_numbers_agrees_with_the_exact_oracle(seed, n, d):
    random = np.random.default_rng(seed)
    Z = random.integers(-2, 3, (n, d)) * 10.0 ** random.integers(-8, 9, (n, 1))
    weights, v = decide_exactly(sp.csr_array(Z))
    rows = [[Fraction(value) for value in row] for row in Z.tolist()]
    assert (v is None) == contradicts_itself(rows)
    if v is None:
        assert min(weights) >= 0
        assert any(weights)
        assert not any(sum(w * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(d))
    else:
        assert all(sum(a * b for a, b in zip(row, v, strict=True)) > 0 for row in rows)


def test_a_margin_too_small_for_floats_is_proved_with_whole_numbers():
    # z1 and z2 point in opposite directions up to the last bit: v must be orthogonal to 16 digits, and then some.
    u = np.array([0.1, 0.7, 0.3])
    X = np.array([3 * u, -7 * u * (1 + 2.0**-52 * np.array([1, 0, 2]))])
    certificate = certify(X, [1, 1], fit_intercept=False)
    assert certificate.separable is True
    assert 0 < certificate.margin < 1e-14
    assert certificate.check()
    assert certificate.proof.kind in ("weights", "exact weights")
    certificate.proof.weights[0] += 1
    assert not certificate.check()


def xor():
    return certify([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"])


def boulder():
    return certify([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["+", "-", "-", "-"])


def test_u3_xor_is_not_separable_and_its_two_means_are_the_proof():
    certificate = xor()
    assert certificate.separable is False
    assert certificate.proof.kind == "exact combination"
    assert sorted(zip(certificate.proof.rows, certificate.proof.weights, strict=True)) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert certificate.sentence() == (
        "no line can separate these rows: a weighted mean of 2 rows of different is also a weighted mean of 2 rows of same"
    )


def test_b6_boulders_points_are_separable_with_the_margin_of_an_independent_solver():
    from scipy.optimize import minimize

    certificate = boulder()
    Z = np.array([[1, 1, 1], [-0.5, 1, -1], [1, 1, -1], [1, -1, -1]])
    witness = minimize(
        lambda v: v @ v / 2, np.ones(3), jac=lambda v: v, constraints={"type": "ineq", "fun": lambda v: Z @ v - 1}
    )
    assert certificate.margin == pytest.approx(1 / np.linalg.norm(witness.x), rel=1e-6)
    assert certificate.radius == pytest.approx(np.sqrt(3))
    assert certificate.bound == pytest.approx(3 * witness.x @ witness.x, rel=1e-6)
    assert certificate.optimal


@pytest.mark.parametrize("bias", ["feature", "free"])
def test_the_margin_is_that_of_scikit_learns_svm(bias):
    from sklearn.svm import SVC

    random = np.random.default_rng(5)
    X = random.normal(size=(80, 4))
    score = X @ [1, -2, 0.5, 1] + 0.3
    X, y = X[abs(score) > 0.4], score[abs(score) > 0.4] > 0
    separator = max_margin(X, y, bias=bias)
    if bias == "free":
        svm = SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
        margin = 1 / np.linalg.norm(svm.coef_)
        assert set(separator.support) == set(svm.support_)
    else:  # the constant feature as a column, and scikit-learn's own bias taken away by mirroring every row
        Z = np.column_stack([X, np.ones(len(X))]) * np.where(y, 1, -1)[:, None]
        svm = SVC(kernel="linear", C=1e8, tol=1e-8).fit(np.vstack([Z, -Z]), np.repeat([1, 0], len(Z)))
        margin = 1 / np.linalg.norm(svm.coef_)
    assert separator.margin == pytest.approx(margin, rel=1e-4)
    signs = np.where(y, 1, -1)
    np.testing.assert_allclose(
        separator.w, (separator.multipliers * signs[separator.support]) @ X[separator.support], rtol=1e-3, atol=1e-3
    )


def test_max_margin_refuses_what_cannot_be_separated():
    with pytest.raises(rosenblatt.DataError, match="certify"):
        max_margin([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 0, 0])
    with pytest.raises(rosenblatt.SettingError, match="'free'"):
        max_margin([[0.0], [1.0]], [0, 1], bias="none")


TAMPERED = {
    "another row": lambda p: p.rows.__setitem__(0, (p.rows[0] + 1) % 4),
    "another weight": lambda p: p.weights.__setitem__(0, p.weights[0] * 2),
    "a negative weight": lambda p: p.weights.__setitem__(0, -p.weights[0]),
    "no weights": lambda p: p.weights.clear(),
    "all weights 0": lambda p: p.weights.__setitem__(slice(None), [0] * len(p.weights)),
    "a row that is not there": lambda p: p.rows.__setitem__(0, 99),
    "a row from the end": lambda p: p.rows.__setitem__(0, p.rows[0] - 4),
    "a weight that is nearly right": lambda p: p.weights.__setitem__(0, p.weights[0] * (1 + 1e-15) + 1e-15),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_contradiction_that_was_tampered_with_does_not_check(how):
    certificate = xor()
    assert certificate.check()
    TAMPERED[how](certificate.proof)
    assert not certificate.check()


@pytest.mark.parametrize("part", [0, 1, 2])
def test_weights_that_were_tampered_with_do_not_check(part):
    certificate = boulder()
    assert certificate.check()
    certificate.proof.weights[part] = -certificate.proof.weights[part]
    assert not certificate.check()


def test_a_margin_or_verdict_that_was_tampered_with_does_not_check():
    for change in ({"margin": 0.7}, {"radius": 1.0}, {"separable": False}, {"separable": None}, {"proof": None}):
        certificate = copy.copy(boulder())
        for name, value in change.items():
            setattr(certificate, name, value)
        assert not certificate.check()
    lie = xor()
    lie.separable = True
    assert not lie.check()


def test_proofs_of_other_data_do_not_check():
    certificate, other = xor(), boulder()
    certificate.signed = other.signed
    assert not certificate.check()


def test_identical_rows_with_different_labels_are_named_in_every_form():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0], [5.0, 5.0], [2.0, 3.0], [2.0, 3.0]])
    y = ["a", "b", "a", "b", "a", "c"]
    for form in (X, X.astype(np.float32), sp.csr_array(X), np.asfortranarray(X)):
        certificate = certify(form, y)
        assert certificate.conflicts == [(1, 4), (1, 5)]
        assert certificate.proof.kind == "identical rows"
        assert certificate.proof.rows == [1, 4]
        assert certificate.check()
        assert (
            certificate.sentence(first=1)
            == "no line can separate these rows: rows 2 and 5 are identical but labelled differently"
        )


def test_zeros_that_are_stored_are_zeros_that_are_not():
    stored = sp.csr_array((np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert certify(stored, [0, 1]).conflicts == [(0, 1)]


def test_without_a_bias_a_row_of_zeros_is_itself_the_proof():
    certificate = certify([[1.0], [0.0]], [1, 0], fit_intercept=False)
    assert certificate.separable is False
    assert (certificate.proof.rows, certificate.proof.weights) == ([1], [1])
    assert certificate.check()
    assert "row 1 is all zeros" in certificate.sentence()
    assert certify([[1.0], [0.0]], [1, 0]).separable is True
    many = certify([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [0, 1, 2], fit_intercept=False)
    assert many.separable is False
    assert many.check()


def test_one_class_alone_is_separable_with_a_bias_and_without_one_if_it_lies_on_one_side():
    assert certify([[1.0], [-1.0]], ["a", "a"]).check()
    assert certify([[1.0], [2.0]], ["a", "a"], fit_intercept=False).separable is True
    both_sides = certify([[1.0], [-2.0]], ["a", "a"], fit_intercept=False)
    assert both_sides.separable is False
    assert both_sides.check()


def test_many_classes_may_be_separable_in_pairs_and_not_at_once():
    # Three classes on a line: each pair has a threshold, but the middle one cannot score highest between two others
    # unless the weights grow along it, which they can; on a circle twice around, they cannot.
    at_once = certify([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    assert at_once.separable is True
    inside = certify([[0.0, 0.0], [3.0, 0.0], [-3.0, 3.0], [-3.0, -3.0], [0.1, 0.0]], ["a", "b", "b", "b", "c"])
    assert inside.separable is False
    assert inside.check()
    verdicts = {pair.classes: pair.separable for pair in inside.pairs}
    assert verdicts == {("a", "b"): False, ("a", "c"): True, ("b", "c"): False}


def test_the_rounding_bound_proves_what_exact_arithmetic_proves_and_nothing_false():
    random = np.random.default_rng(3)
    proved = 0
    for _ in range(50):
        d = int(random.integers(1, 6))
        Z = random.normal(size=(d + 1, d))
        _, _, vt = np.linalg.svd(Z.T)
        weights = vt[-1]
        exists = bool((weights > 0).all() or (weights < 0).all())
        for tilt in (0.0, 1e-12):
            claimed = rounding.combination_exists(sp.csr_array(Z), np.abs(weights) * (1 + tilt))
            assert claimed <= exists
            proved += claimed
        Z *= np.sign(weights)[:, None]
        assert rounding.combination_exists(sp.csr_array(Z), np.abs(weights))
    assert proved > 0


def certify_within_limits(X, y, limits, **options):
    """What certify(X, y) gives, with other limits than the usual ones."""
    return certify_problem(SeparabilityProblem(SignedExamples(for_classes(X, y)), limits, **options), sorted(set(y)))


def test_large_contradictions_fall_back_to_the_rounding_bound_and_say_so():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), random.integers(0, 2, 60)
    certificate = certify_within_limits(X, y, SearchLimits(exact_work=0))
    assert certificate.separable is False
    assert certificate.proof.kind == "rounding bound"
    assert certificate.check()
    certificate.proof.weights[0] *= -1
    assert not certificate.check()


def test_margins_within_rounding_of_zero_are_decided_in_fractions():
    # (1 + 2^-52) - 1 against 0: a margin of 2^-52 after terms of size 1.
    X, y = [[1.0 + 2.0**-52, -1.0], [-1.0, 1.0 + 2.0**-52]], [1, 1]
    signed = SignedExamples(Examples(Rows(X), np.array(y, dtype=np.int32), np.arange(2)), bias=False)
    assert rounding.separates(signed, np.array([[1.0, 1.0]]), np.zeros(1))
    assert not rounding.separates(signed, np.array([[1.0, 1.0 + 2.0**-51]]), np.zeros(1))


def test_squares_that_underflow_do_not_hide_rounding():
    # 0.1 + 0.2 - 0.3 in parts of 1e-200 times 1e200: floats say 5.6e-17, the products' exact sum may have another sign.
    X = np.array([[1e-201, 2e-201, -3e-201]])
    w = np.array([[1e200, 1e200, 1e200]])
    signed = SignedExamples(Examples(Rows(X), np.array([1], dtype=np.int32), np.arange(2)), bias=False)
    exact = sum(Fraction(a) * Fraction(b) for a, b in zip(X[0].tolist(), w[0].tolist(), strict=True))
    assert signed.errors(w, np.zeros(1))[0] >= abs(Fraction(float(signed.margins(w, np.zeros(1))[0])) - exact)
    assert rounding.separates(signed, w, np.zeros(1)) == (exact > 0)


def test_whole_numbers_are_the_floats_themselves():
    values = [[0.1, 1e-8, 0.0], [1e8, -1e-300, 3.0]]
    rows = whole_numbers(sp.csr_array(values))[0]
    dense = [[dict(row).get(j, 0) for j in range(3)] for row in rows]
    for j in range(3):
        a, b = (Fraction(values[i][j]) for i in range(2))
        assert dense[0][j] * b == dense[1][j] * a


def test_the_working_set_gives_the_same_verdict_as_all_at_once():
    random = np.random.default_rng(8)
    X = random.normal(size=(3000, 6))
    score = X @ np.arange(1, 7) + 1
    noisy = np.where(random.random(3000) < 0.02, score < 0, score > 0)
    verdicts = {}
    for limit in (SearchLimits().solver_work, 0):
        sentences = []
        verdicts[limit] = [
            certify_within_limits(form, y, SearchLimits(solver_work=limit), report=sentences.append)
            for form in (X, sp.csr_array(X), X.astype(np.float32))
            for y in (score > 0, noisy)
        ]
        assert any("too many for the solver at once" in sentence for sentence in sentences) == (limit == 0)
    for one, other in zip(*verdicts.values(), strict=True):
        assert one.separable is other.separable
        assert one.check()
        assert other.check()
        if one.separable:
            assert one.margin == pytest.approx(other.margin, rel=1e-5)
            assert other.optimal
    assert [certificate.separable for certificate in verdicts[0]] == [True, False] * 3


def test_what_cannot_be_decided_in_time_is_undecided_with_what_is_still_possible():
    random = np.random.default_rng(1)
    X = random.normal(size=(20000, 40))
    certificate = certify(X, X @ np.arange(40) > 0, seconds=1e-6)  # less than one step of the solver takes
    assert certificate.separable is None
    assert not certificate.check()
    assert certificate.proof is None
    assert "undecided" in certificate.sentence()
    with pytest.raises(rosenblatt.SettingError, match="seconds"):
        certify(X, X[:, 0] > 0, seconds=0)


@pytest.mark.parametrize("solver_work", [SearchLimits().solver_work, 0])
def test_without_seconds_no_clock_decides(monkeypatch, solver_work):
    random = np.random.default_rng(4)
    X = random.normal(size=(400, 5))
    labels = [X @ np.arange(1, 6) > 1, random.random(400) < 0.5, (X @ random.normal(size=(5, 3))).argmax(axis=1)]
    usual = [certify_within_limits(X, y, SearchLimits(solver_work=solver_work)).to_dict() for y in labels]
    ticks = count(step=10**6)  # a machine on which every look at the clock finds eleven days gone
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(ticks)))
    assert [certify_within_limits(X, y, SearchLimits(solver_work=solver_work)).to_dict() for y in labels] == usual


def test_numbers_that_are_not_finite_are_refused_by_row_and_column():
    with pytest.raises(rosenblatt.NotFiniteError, match="row 1, column 0"):
        certify([[0.0], [np.nan]], [0, 1])


@given(planted=with_planted_margin(scales=(1.0,)), seed=st.integers(0, 99))
def test_a_perceptron_never_needs_more_updates_than_the_certificate_allows(planted, seed):
    certificate = certify(planted.X, planted.y, planted.bias)
    if len(certificate.classes) == 1 or certificate.bound > 20000:
        return
    run = rosenblatt.train(planted.X, planted.y, seed=seed, epochs=30000, fit_intercept=planted.bias)
    assert run.converged
    assert run.weights.updates <= certificate.bound * (1 + 1e-9)


@given(planted=with_planted_margin(classes=3, scales=(1.0,)), seed=st.integers(0, 99))
def test_nor_with_many_classes(planted, seed):
    certificate = certify(planted.X, planted.y, planted.bias)
    if len(certificate.classes) < 3 or certificate.bound > 20000:
        return
    run = rosenblatt.train(planted.X, planted.y, seed=seed, epochs=30000, fit_intercept=planted.bias)
    assert run.converged
    assert run.weights.updates <= certificate.bound * (1 + 1e-9)
