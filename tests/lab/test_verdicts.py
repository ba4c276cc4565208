"""Every verdict of the lab can come out either way: numbers that bear the claim out, and numbers that refute it."""

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.lab import EXPERIMENTS
from rosenblatt.lab.chance import decided
from rosenblatt.lab.margins import judge_aggressiveness, judge_order, judge_overtraining
from rosenblatt.lab.ranking import judge_cost, judge_income
from rosenblatt.lab.regression import judge_distant_points, judge_large_margins
from rosenblatt.lab.tips import judge_averaging, judge_rate, judge_scaling, judge_shuffling
from rosenblatt.lab.views import CURVE_SIZES, judge_mpg, judge_naive_bayes
from rosenblatt.studies.compare import LearnerResult
from rosenblatt.studies.order import OrderResult, OrderStudy

LOW, HIGH = [4.0, 5.0, 6.0], [14.0, 18.0, 25.0]


def rates(constant, by_updates, by_examples, too_fast, moved=(10.0, 1.0, 0.1)):
    names = ("constant", "1/updates", "1/examples", "1/examples²")
    errors = {
        name: [mean - 1, mean + 1] for name, mean in zip(names, (constant, by_updates, by_examples, too_fast), strict=True)
    }
    return errors, {name: [length, length] for name, length in zip(names, moved, strict=False)}


def scales(radii, margins, updates, errors=(20, 10, 5)):
    names = ("raw", "centred", "centred, unit variance")
    columns = zip(names, radii, margins, updates, errors, strict=True)
    return ([(name, R, margin, (R / margin) ** 2, count, "yes", error, 1.0) for name, R, margin, count, error in columns],)


def curves(shape, noise=0.3):
    """Held-out errors of 15 splits with this mean, epoch by epoch."""
    return 20 + np.zeros((15, len(shape))), shape + np.random.default_rng(0).normal(scale=noise, size=(15, len(shape)))


def orders(least, most, cosine):
    shuffled = OrderResult("perceptron", "shuffled", 30, (least + most) / 2, 0.01, least, most, 50.0, cosine)
    sorted_rows = replace(shuffled, order="by class", runs=1, error_sd=None)
    return (OrderStudy([shuffled, sorted_rows, replace(shuffled, learner="averaged")], [], 10, 20.0),)


def learning(bayes, logistic):
    slope = np.linspace(0, 1, len(CURVE_SIZES))
    means = np.array([a + (b - a) * slope for a, b in (bayes, logistic)])
    noise = np.random.default_rng(0).normal(scale=0.5, size=(4, 2, len(CURVE_SIZES), 10))
    return ({f"set {k}": means[:, :, None] + noise[k] for k in range(4)},)


def compared(majority, bayes, logistic, averaged):
    errors = {"majority": majority, "naive Bayes": bayes, "logistic regression": logistic, "averaged": averaged}
    return ([LearnerResult(name, error, 0.01, None, 0.0, False, 1.0) for name, error in errors.items()],)


def people(perceptron, mira, averaged, others=0.15):
    alike = ("averaged mira", "logistic regression, λ = 1", "linear SVM")
    errors = {"perceptron": [perceptron], "mira": [mira], "averaged": [averaged], **{name: [others] for name in alike}}
    return (errors,)


N = (1_000, 4_000, 16_000, 64_000)


def costs(distances=lambda n: n, weights=lambda n: 51, kept=lambda n: 0.4 * n, linear_kept=lambda n: 0.4):
    """Of 50 features; of two, a tree always saves most."""
    few = [(2, n, 0.02 * n, 0.02, 10.0 + np.log(n), 3, 1.0, 1.0) for n in N]
    many = [(50, n, kept(n), linear_kept(n), distances(n), weights(n), 30.0, 1.0) for n in N]
    return few + many, []


FALLS_AND_RISES, FALLS, RISES, FLAT = np.array([9, 8, 7, 6, 7, 8, 9]), np.arange(9, 2, -1), np.arange(2, 9), np.full(40, 7)
LARGER_P = [(0.0, 20.0, 10.0, 16.0), (0.5, 70.0, 60.0, 40.0), (0.9, 95.0, 90.0, 120.0)]

# Numbers that decide nothing: differences of 0, or smaller than chance.
UNDECIDED = {
    "averaging": (judge_averaging, [(LOW, LOW), ([4.0, 5.0, 30.0], LOW)]),
    "shuffling": (judge_shuffling, [({"given": LOW, "shuffled": LOW},), ({"given": [4.0, 5.0, 9.0], "shuffled": LOW},)]),
    "rate": (judge_rate, [rates(16, 12, 10, 22, moved=(1.0, 1.0, 0.1))]),
    "scaling": (judge_scaling, [scales((9, 6, 3), (1, 2, 3), (90, 50, 10), errors=(7, 7, 5))]),
    "overtraining": (judge_overtraining, [curves(FLAT, noise=3)]),
    "naive-bayes": (judge_naive_bayes, [learning((9, 9), (9, 9)), learning((10, 8), (20, 8))]),
    "mpg": (judge_mpg, [compared(0.4, 0.199, 0.1, 0.1)]),
    "income": (judge_income, [people(0.21, 0.2, 0.15), people(0.25, 0.145, 0.15)]),
}

# Experiment, its verdict, numbers that bear the claim out, and several that refute it.
CASES = {
    "averaging": (judge_averaging, (HIGH, LOW), [(LOW, HIGH), ([6.0, 6.5, 7.0], [1.0, 2.0, 12.0])]),
    "shuffling": (
        judge_shuffling,
        ({"given": HIGH, "shuffled": LOW},),
        [({"given": LOW, "shuffled": HIGH},)],
    ),
    "rate": (
        judge_rate,
        rates(16, 12, 10, 22),
        [rates(16, 12, 10, 9), rates(16, 17, 10, 22), rates(16, 12, 10, 22, moved=(1.0, 2.0, 0.1))],
    ),
    "scaling": (
        judge_scaling,
        scales((9, 6, 3), (1, 2, 3), (90, 50, 10)),
        [
            scales((6, 9, 3), (1, 2, 3), (90, 50, 10)),
            scales((9, 6, 3), (1, 3, 2), (90, 50, 10)),
            scales((9, 6, 3), (1, 2, 3), (10, 50, 90)),
            scales((9, 6, 3), (1, 2, 3), (90, 50, 10), errors=(5, 7, 9)),
        ],
    ),
    "aggressiveness": (
        judge_aggressiveness,
        (LARGER_P,),
        [(LARGER_P[::-1],), ([*LARGER_P[:2], (0.9, 60.0, 50.0, 120.0)],), ([*LARGER_P[:2], (0.9, 95.0, 90.0, 30.0)],)],
    ),
    "overtraining": (judge_overtraining, curves(FALLS_AND_RISES), [curves(FALLS), curves(RISES)]),
    "order": (
        judge_order,
        orders(0.02, 0.1, 0.9),
        [orders(0.05, 0.05, 0.9), orders(0.02, 0.1, 1.0), orders(0.05, 0.055, 0.9)],
    ),
    "naive-bayes": (
        judge_naive_bayes,
        learning((10, 8), (20, 5)),
        [learning((20, 8), (10, 5)), learning((10, 5), (20, 8))],
    ),
    "distant-points": (
        judge_distant_points,
        ([(0, 0.0, 0.0, 0.0, 0.0), (40, 0.8, 0.0, 15.0, 0.0)],),
        [
            ([(0, 0.0, 0.0, 0.0, 0.0), (40, 0.0, 0.8, 0.0, 15.0)],),
            ([(0, 0.0, 0.0, 0.0, 0.0), (40, 0.8, 0.8, 15.0, 15.0)],),
            ([(0, 0.0, 0.0, 0.0, 0.0), (40, 0.0, 0.0, 0.0, 0.0)],),
        ],
    ),
    "large-margins": (
        judge_large_margins,
        ([("logistic, λ = 1", 60.0), ("logistic, λ = 0.0001", 99.0), ("perceptron", 40.0)],),
        [
            ([("logistic, λ = 1", 99.0), ("logistic, λ = 0.0001", 60.0), ("perceptron", 40.0)],),
            ([("logistic, λ = 1", 60.0), ("logistic, λ = 0.0001", 99.0), ("perceptron", 99.9)],),
            ([("logistic, λ = 1", 50.0), ("logistic, λ = 0.0001", 80.0), ("perceptron", 40.0)],),
        ],
    ),
    "mpg": (judge_mpg, compared(0.4, 0.15, 0.1, 0.1), [compared(0.4, 0.25, 0.1, 0.1), compared(0.4, 0.15, 0.1, 0.3)]),
    "income": (
        judge_income,
        people(0.25, 0.2, 0.15),
        [people(0.2, 0.25, 0.15), people(0.25, 0.2, 0.17), people(0.25, 0.1, 0.15)],
    ),
    "cost": (
        judge_cost,
        costs(),
        [
            costs(distances=lambda n: 100 * np.log(n)),  # a tree that finds its way past most examples
            costs(distances=lambda n: n**0.5),
            costs(kept=lambda n: 400.0),  # neighbours that forget
            costs(weights=lambda n: n // 100),  # a model that grows with what it has seen, as kernels do
            costs(linear_kept=lambda n: 0.1 * n),
        ],
    ),
}


def test_every_experiment_is_here():
    assert set(CASES) == set(EXPERIMENTS)


@pytest.mark.parametrize("name", CASES)
def test_numbers_that_bear_the_claim_out_do(name):
    judge, supporting, _ = CASES[name]
    verdict = judge(*supporting)
    assert verdict.holds is True
    assert verdict.verdict.startswith("Holds: ")


@pytest.mark.parametrize(("name", "case"), [(name, k) for name in CASES for k in range(len(CASES[name][2]))])
def test_numbers_that_refute_the_claim_do(name, case):
    judge, _, refuting = CASES[name]
    verdict = judge(*refuting[case])
    assert verdict.holds is False
    assert verdict.verdict.startswith("Refuted: ")


def test_chance_alone_makes_no_overtraining():
    """Curves that only go up and down at random have a least epoch, too; that is no finding."""
    random = np.random.default_rng(4)
    held = [judge_overtraining(flat, flat).holds for flat in random.normal(7, 1, size=(200, 15, 40))]
    assert np.mean([verdict is True for verdict in held]) < 0.05


@pytest.mark.parametrize(("name", "case"), [(name, k) for name in UNDECIDED for k in range(len(UNDECIDED[name][1]))])
def test_numbers_that_decide_nothing_are_told_so(name, case):
    judge, cases = UNDECIDED[name]
    verdict = judge(*cases[case])
    assert verdict.holds is None
    assert verdict.verdict.startswith("Not decided by these data: ")


def test_chance_alone_decides_seldom():
    """Of differences that are noise around 0, one in twenty is beyond two standard errors."""
    noise = np.random.default_rng(8).normal(size=(2000, 30))
    verdicts = [decided(row) for row in noise]
    assert 0.93 < np.mean([verdict is None for verdict in verdicts]) < 0.97


def test_people_decide_about_shuffling_where_splits_do_not():
    wrong = np.repeat([100.0, 0.0], 500)
    alike = {"given": LOW, "shuffled": LOW}
    assert judge_shuffling(alike, (wrong, np.where(np.arange(1000) < 100, 100.0, 0.0))).holds is True
    assert judge_shuffling(alike, (wrong, wrong)).holds is None
