"""scikit-learn's own tests of its learners, run against ours by replacing the import.

Every one that fails does so for a difference that docs/moving-from-scikit-learn.md names.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

THEIRS = Path(sklearn.__file__).parent / "linear_model" / "tests"
PAGE = Path(__file__).parents[2] / "docs" / "moving-from-scikit-learn.md"

# What fails, by its name, and the words of the page that say why.
PENALTY, AGGRESSIVE, LOSS = "`penalty`, `alpha`, `l1_ratio`", "|x|² of passive-aggressive", "the `loss` of SGD"
RATE, WORDS, AVERAGE, COUNT = "`learning_rate`", "the words of an error", "`average=10`", "`t_` with `warm_start`"
STOPPING = "stopping"
DIFFERENCES = {
    "test_perceptron_l1_ratio": PENALTY,  # it trains with penalty="elasticnet"
    "test_classifier_correctness": AGGRESSIVE,
    "test_regressor_correctness": AGGRESSIVE,
    "test_passive_aggressive_classifier_vs_sgd": AGGRESSIVE,
    "test_passive_aggressive_regressor_vs_sgd": AGGRESSIVE,
    "test_class_deprecation": "PassiveAggressive is leaving scikit-learn",
    # of SGD
    "test_adaptive_longer_than_constant": RATE,
    "test_partial_fit_equal_fit": RATE,
    "test_partial_fit_equal_fit_classif": RATE,
    "test_power_t_limits": RATE,
    "test_warm_start": COUNT,
    "test_warm_start_multiclass": COUNT,
    "test_average_binary_computed_correctly": LOSS,
    "test_balanced_weight": LOSS,  # these expect what the hinge does
    "test_class_weights": LOSS,
    "test_equal_class_weight": LOSS,
    "test_loss_function_epsilon": LOSS,
    "test_numerical_stability_large_gradient": LOSS,
    "test_regression_losses": LOSS,
    "test_sample_weights": LOSS,
    "test_sgd_clf": LOSS,
    "test_sgd_epsilon_insensitive": LOSS,
    "test_sgd_huber_fit": LOSS,
    "test_sgd_predict_proba_method_access": LOSS,
    "test_sgd_proba": LOSS,
    "test_underflow_or_overflow": LOSS,
    "test_average_sparse": PENALTY,
    "test_clone": PENALTY,
    "test_elasticnet_convergence": PENALTY,
    "test_l1_ratio": PENALTY,
    "test_large_regularization": PENALTY,
    "test_multi_core_gridsearch_and_early_stopping": PENALTY,
    "test_sgd_averaged_computed_correctly": PENALTY,
    "test_sgd_averaged_partial_fit": PENALTY,
    "test_sgd_failing_penalty_validation": PENALTY,
    "test_sgd_l1": PENALTY,
    "test_sgd_l1_ratio_not_used": PENALTY,
    "test_late_onset_averaging_not_reached": AVERAGE,
    "test_late_onset_averaging_reached": AVERAGE,
    "test_partial_fit_multiclass_average": AVERAGE,
    "test_sgd_multiclass_average": LOSS,
    "test_plain_has_no_average_attr": "last and averaged weights",
    "test_early_stopping": STOPPING,
    "test_tol_parameter": STOPPING,
    "test_sgd_random_state": "all epochs done",
    "test_sgd_dtype_match": "`coef_`",
    "test_validation_set_not_used_for_training": "`early_stopping`",
    "test_validation_mask_correctly_subsets": "`early_stopping`",  # it looks into a private class
    "test_partial_fit_weight_class_balanced": WORDS,
    "test_provide_coef": WORDS,
    "test_set_intercept_offset": WORDS,
    "test_sgd_early_stopping_with_partial_fit": WORDS,
    "test_sgd_error_on_zero_validation_weight": WORDS,
}

pytestmark = pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="a suite of its own: make test-full")


@pytest.mark.parametrize("file", ["test_perceptron.py", "test_passive_aggressive.py", "test_sgd.py"])
def test_what_fails_differs_as_the_page_says(file, tmp_path):
    if not (THEIRS / file).exists():
        pytest.skip(f"this scikit-learn has no {file}")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "our_names", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    report = subprocess.run(
        [*command, "--rootdir", tmp_path, "-k", "not oneclass and not ocsvm and not OneClass", THEIRS / file],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    failed = set(re.findall(r"^(?:FAILED|ERROR) .*::(\w+)", report, re.MULTILINE))
    passed = re.findall(r"^PASSED .*::", report, re.MULTILINE)
    assert len(passed) > 4, report
    assert failed <= DIFFERENCES.keys(), report
    for name in failed:
        assert DIFFERENCES[name] in PAGE.read_text()
