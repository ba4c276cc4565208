"""Features lose digits of a table: what contradicts itself only because of that is told as such, and never as a theorem."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.features import TableMap
from rosenblatt.learning.examples import feature_rows
from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.precision import recheck_with_all_digits
from rosenblatt.theory.problem import SeparabilityProblem
from rosenblatt.theory.separability import certify

PLAIN = "no line can separate"
BASES = (0, 2**24, 10**9, 2**53, 10**18)


def certified(columns, labels, fit_intercept=True, **options):
    frame = pl.DataFrame(columns)
    return certify(feature_rows(TableMap(**options).fit(frame), frame), labels, fit_intercept)


@given(
    base=st.sampled_from(BASES),
    steps=st.lists(st.integers(0, 99), min_size=2, max_size=30, unique=True),
    outlier=st.sampled_from([[], [4 * 10**10], [4 * 10**18]]),
    scale=st.booleans(),
    double=st.booleans(),
)
def test_a_threshold_on_whole_numbers_is_never_said_to_be_impossible(base, steps, outlier, scale, double):
    # Python's whole numbers are the witness: a threshold separates them, whatever floats make of them.
    values = [base + step for step in steps] + [max(value, base + 100) for value in outlier]
    labels = [int(value > min(values) + 40) for value in values]
    if len(set(labels)) < 2:
        return
    certificate = certified({"a": values}, labels, scale=scale, double=double)
    assert PLAIN not in certificate.sentence().lower()
    if certificate.separable is False:
        assert certificate.check()  # of the features it is a theorem
        assert certificate.grain is not None
        assert certificate.to_dict()["separable"] is None


@given(
    base=st.sampled_from(BASES[:3]),
    steps=st.lists(st.integers(0, 9), min_size=2, max_size=30),
    double=st.booleans(),
    scale=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_that_are_identical_in_the_table_are_still_a_proof(base, steps, double, scale, seed):
    labels = np.random.default_rng(seed).integers(0, 2, len(steps))
    labels[:2] = 0, 1
    values = [base + steps[0], base + steps[0], *(base + step for step in steps[2:])]
    certificate = certified({"a": values}, labels, scale=scale, double=double)
    assert certificate.separable is False
    assert certificate.grain is None
    assert certificate.sentence().startswith("no line can separate these rows: rows ")
    assert all(values[i] == values[j] and labels[i] != labels[j] for i, j in certificate.conflicts)


def test_a_contradiction_of_32_bits_that_64_bits_undo_is_told_as_such():
    # As float32, 2^24 + 1 is 2^24: the middle row lies between the two others, which it does not in the table.
    columns, labels = {"a": [2**24, 2**24 + 1, 2**24], "b": [0, 1, 2]}, ["out", "in", "out"]
    certificate = certified(columns, labels, scale=False)
    assert certificate.proof.kind == "exact combination"
    assert certificate.sentence() == (
        "as 32-bit numbers a row of in is also a weighted mean of 2 rows of out; --double (double=True) keeps them apart"
    )
    assert certificate.obstacle == "no line can separate the data as 32-bit numbers"
    assert (certificate.to_dict()["separable"], certificate.to_dict()["grain"]) == (None, "as 32-bit numbers")
    assert certified(columns, labels, scale=False, double=True).separable is True


@pytest.mark.parametrize(("end", "word"), [(np.inf, "keeps"), (0.0, "may keep")])
def test_where_the_seconds_are_over_it_is_not_said_what_more_digits_would_show(end, word):
    frame = pl.DataFrame({"a": [2**24, 2**24 + 1, 2**24], "b": [0, 1, 2]})
    rows, labels = feature_rows(TableMap(scale=False).fit(frame), frame), ["out", "in", "out"]
    certificate = replace(certify(rows, labels), grain=None)
    problem = SeparabilityProblem(certificate.signed, SearchLimits(end))
    recheck_with_all_digits(certificate, problem)
    assert certificate.sentence().endswith(f"--double (double=True) {word} them apart")


def test_a_contradiction_that_64_bits_keep_is_a_theorem_though_its_numbers_were_rounded():
    certificate = certified({"a": [0.1, 0.7, 0.2, 0.31], "b": [0.1, 0.2, 0.9, 0.42]}, [0, 0, 0, 1])
    assert certificate.separable is False
    assert certificate.grain is None
    assert certificate.sentence().startswith(PLAIN)


def test_rows_that_even_64_bits_merge_are_not_called_identical_without_saying_how():
    certificate = certified({"a": [1e-300, 2e-300, 1e300, -1e300]}, [0, 1, 1, 0], double=True)
    assert certificate.sentence(first=1) == (
        "as scaled numbers rows 1 and 2 are identical but labelled differently; --no-scale (scale=False) keeps them apart"
    )
    certificate = certified({"a": [2**53 + 1, 2**53]}, [0, 1], double=True, scale=False)
    assert certificate.sentence() == (
        "as 64-bit numbers rows 0 and 1 are identical but labelled differently; in the table they differ"
    )


def test_pairs_of_classes_that_only_rounding_merges_are_undecided():
    near, far = [2**24, 2**24 + 1], [0, 0]
    certificate = certified({"a": [*near, 0, 5], "b": [*far, 7, 9]}, ["a", "b", "c", "c"], scale=False)
    verdicts = {pair.classes: pair.separable for pair in certificate.pairs}
    assert verdicts == {("a", "b"): None, ("a", "c"): True, ("b", "c"): True}
    assert certificate.grain is not None
    # c lies between two rows of b in the table as well: that proves it for all.
    certificate = certified({"a": [*near, 0, 5, 10], "b": [*far, 7, 7, 7]}, ["a", "b", "c", "d", "c"], scale=False)
    assert certificate.separable is False
    assert certificate.grain is None
    assert certificate.check()
    assert {pair.classes for pair in certificate.pairs if pair.separable is False} == {("c", "d")}


@pytest.mark.parametrize("first", [0, 1])
def test_the_conflicts_that_are_told_are_those_of_the_table(first):
    # Rows 0 and 1 are one row as 32-bit numbers only; rows 2 and 3 are one row in the table.
    certificate = certified({"a": [10**9, 10**9 + 1, 5, 5]}, ["x", "y", "x", "y"], scale=False)
    assert certificate.conflicts == [(2, 3)]
    assert certificate.grain is None
    assert f"rows {2 + first} and {3 + first} are identical" in certificate.sentence(first)
