"""Every kernel gives the same bits: sixteen lanes are sixteen lanes, however many fit into a register."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from strategies import MISTAKE_DRIVEN, RULES

import rosenblatt
from rosenblatt.engine import compiled as engine
from rosenblatt.engine import rules
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import run


def available_kernels():
    """The kernels that run here, widest first; leaves the one that was chosen at work."""
    names = [name for name in engine.KERNELS if engine.core.use_kernel(name)]
    engine.use_kernel(os.environ.get("ROSENBLATT_CPU") or names[0])
    return names


KERNELS = available_kernels()
EQUAL_BITS = MISTAKE_DRIVEN | {name: both for name, both in RULES.items() if "widrow" in name}

several = pytest.mark.skipif(len(KERNELS) < 2, reason="one kernel only, on this CPU or without a compiler")


@pytest.fixture
def chosen_again():
    """Leaves the kernel as it was."""
    yield
    available_kernels()


def digest(rule, X, y):
    """A hash of all that training and scoring compute: weights, averages, scores."""
    trained = run(for_classes(X, y), rule, Plan(epochs=2, seed=1))
    model = trained.view("averaged")
    parts = [*trained.weights.last, *trained.weights.averaged, model.scores(X)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


def layouts(d, classes, n=11):
    """Rows of width d, dense and sparse, float and double, 32 and 64 bits; not round, so that the order of sums shows."""
    random = np.random.default_rng(d)
    X, y = random.normal(size=(n, d)) / np.sqrt(d), random.integers(0, classes, n)
    y[:classes] = range(classes)
    csr = sp.csr_array(X * (random.random((n, d)) < 0.7))
    wide = csr.copy()
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return y, [X, X.astype(np.float32), csr, csr.astype(np.float32), wide, wide.astype(np.float32)]


@several
@pytest.mark.usefixtures("chosen_again")
@pytest.mark.parametrize("classes", [2, 3, 4, 11])
@pytest.mark.parametrize("name", EQUAL_BITS)
def test_all_kernels_give_equal_bits(name, classes):
    rule = EQUAL_BITS[name][0]
    widths = range(1, 71) if name in ("mira", "widrow-hoff") else (1, 2, 7, 15, 16, 17, 31, 33, 48, 70)
    for d in widths:
        y, forms = layouts(d, classes)
        for form, X in enumerate(forms):
            found = set()
            for kernel in KERNELS:
                engine.use_kernel(kernel)
                found.add(digest(rule, X, y))
            assert len(found) == 1, (d, form)


@several
@pytest.mark.usefixtures("chosen_again")
def test_tiles_of_four_rows_score_as_single_rows_do():
    random = np.random.default_rng(0)
    for d in (1, 5, 16, 21, 64, 67):
        for classes in (3, 4, 7):
            X = random.normal(size=(9, d)).astype(np.float32)
            model = Model(np.arange(classes), random.normal(size=(classes, d)), random.normal(size=classes))
            for kernel in KERNELS:
                engine.use_kernel(kernel)
                single = np.array([model.scores(X[i : i + 1])[0] for i in range(9)])
                np.testing.assert_array_equal(model.scores(X), single)


@pytest.mark.usefixtures("chosen_again")
@pytest.mark.parametrize("threshold", [0.0, 0.5])
@pytest.mark.parametrize("bias", [True, False])
def test_steps_that_the_search_takes_are_those_of_the_loop(bias, threshold):
    """A log is kept by the loop alone: with one, every step is `learn_from`'s."""
    for d in (1, 14, 30, 64):
        y, forms = layouts(d, classes=2, n=60)
        for kernel in KERNELS:
            engine.use_kernel(kernel)
            for X in [*forms, sp.csr_array(forms[2] != 0).astype(float)]:
                for order in ("shuffled", "given"):
                    examples = for_classes(X, y)
                    plan = Plan(epochs=4, seed=3, fit_intercept=bias, order=order)
                    quick, logged = (run(examples, Margin(threshold), replace(plan, keep_log=log)) for log in (False, True))
                    for one, other in zip(everything(quick), everything(logged), strict=True):
                        np.testing.assert_array_equal(one, other)
                    assert quick.steps == logged.steps
                    assert quick.history == logged.history


@pytest.mark.usefixtures("chosen_again")
@pytest.mark.parametrize("bias", [True, False])
def test_arows_steps_in_the_search_are_those_of_the_loop(bias):
    for d in (1, 14, 30, 67):
        y, forms = layouts(d, classes=2, n=60)
        for kernel in KERNELS:
            engine.use_kernel(kernel)
            for X in [*forms, sp.csr_array(forms[2] != 0).astype(float)]:
                examples, plan = for_classes(X, y), Plan(epochs=3, seed=3, fit_intercept=bias)
                quick, logged = (run(examples, rules.Arow(0.7), replace(plan, keep_log=log)) for log in (False, True))
                for one, other in zip(everything(quick), everything(logged), strict=True):
                    np.testing.assert_array_equal(one, other)
                np.testing.assert_array_equal(quick.weights.sigma, logged.weights.sigma)
                np.testing.assert_array_equal(quick.weights.bias_sigma, logged.weights.bias_sigma)
                assert quick.history == logged.history


class Margin(rules.Perceptron):
    """A perceptron that also moves at right answers of a small margin."""

    def __init__(self, threshold):
        super().__init__(rate=0.3)
        object.__setattr__(self, "least", threshold)

    def formula(self):
        return engine.formulas.Formula(engine.formulas.PERCEPTRON, self.least, self.rate)


def everything(trained):
    weights = trained.weights
    return [*weights.last, *weights.averaged, weights.t, weights.updates, weights.weight]


@pytest.mark.usefixtures("chosen_again")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_kernel_reads_beyond_the_last_column(dtype):
    for d in range(1, 36):
        table = np.full((9, d + 16), np.nan, dtype)
        table[:, :d] = np.random.default_rng(d).normal(size=(9, d))
        y = np.arange(9) % 2
        for kernel in KERNELS:
            engine.use_kernel(kernel)
            assert digest(rules.Mira(0.5), table[:, :d], y) == digest(rules.Mira(0.5), table[:, :d].copy(), y)


def in_a_new_process(cpu):
    program = """
import sys; sys.path.insert(0, sys.argv[1])
from test_kernels import digest, layouts
from rosenblatt.engine import rules
y, forms = layouts(37, 3)
print(*(digest(rules.Mira(0.5), X, y) for X in forms))
"""
    source = Path(rosenblatt.__file__).parents[1]
    environment = os.environ | {
        "ROSENBLATT_CPU": cpu,
        "PYTHONPATH": os.pathsep.join([str(source), str(Path(__file__).parents[1])]),
    }
    command = [sys.executable, "-W", "error", "-c", program, str(Path(__file__).parent)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@several
def test_rosenblatt_cpu_chooses_the_kernel_and_changes_no_bit():
    answers = [in_a_new_process(kernel) for kernel in KERNELS]
    assert [answer.returncode for answer in answers] == [0] * len(KERNELS), answers[0].stderr
    y, forms = layouts(37, 3)
    here = " ".join(digest(rules.Mira(0.5), X, y) for X in forms)
    assert {answer.stdout.strip() for answer in answers} == {here}


def test_rosenblatt_cpu_with_an_unknown_name_is_refused_by_name():
    answer = in_a_new_process("abacus")
    assert answer.returncode != 0
    assert "SettingError" in answer.stderr
    assert "abacus" in answer.stderr


@pytest.mark.usefixtures("chosen_again")
def test_an_unknown_kernel_is_refused():
    with pytest.raises(SettingError, match=r"'sse9'.*avx512, avx2, plain"):
        engine.use_kernel("sse9")
