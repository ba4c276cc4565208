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

# What fails, by the beginning of its name, and the words of the page that say why.
DIFFERENCES = {
    "test_perceptron_l1_ratio": "`penalty`, `alpha`, `l1_ratio`",  # it trains with penalty="elasticnet"
    "test_classifier_correctness": "|x|² of passive-aggressive",
    "test_regressor_correctness": "|x|² of passive-aggressive",
    "test_passive_aggressive_classifier_vs_sgd": "|x|² of passive-aggressive",
    "test_passive_aggressive_regressor_vs_sgd": "|x|² of passive-aggressive",
    "test_class_deprecation": "PassiveAggressive is leaving scikit-learn",
}

pytestmark = pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="a suite of its own: make test-full")


@pytest.mark.parametrize("file", ["test_perceptron.py", "test_passive_aggressive.py"])
def test_what_fails_differs_as_the_page_says(file, tmp_path):
    if not (THEIRS / file).exists():
        pytest.skip(f"this scikit-learn has no {file}")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "our_names", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    report = subprocess.run(
        [*command, "--rootdir", tmp_path, THEIRS / file],
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
