"""Whatever is rearranged: training gives the bits that it gave, and old model files predict what they did."""

import json

import golden_models
import golden_weights
import numpy as np
import pytest

import rosenblatt

EXPECTED = json.loads(golden_models.EXPECTED.read_text("utf-8"))


def test_every_run_gives_the_weights_that_it_gave():
    """Every learner, layout, order, weighting, stopping rule, kernel and view; golden_weights.py names them."""
    computed = {name: run() for name, run in golden_weights.runs().items()}
    before = golden_weights.stored()
    others = sorted(name for name in computed.keys() | before.keys() if computed.get(name) != before.get(name))
    assert others == []


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_model_file_predicts_what_it_did(name):
    """Labels and scores of every view, to the bit."""
    expected = EXPECTED[name]
    model = rosenblatt.load(golden_models.FOLDER / f"{name}.rosenblatt")
    file, reading = golden_models.rows_to_predict(name)
    rows = rosenblatt.read(golden_models.FOLDER / file, **reading).rows
    assert model.predict(rows).tolist() == expected["labels"]
    assert model.view == expected["predicts_with"]
    for view, scores in expected["scores"].items():
        if view == "random" or model.dual is not None:  # sums that a BLAS makes
            np.testing.assert_allclose(model.scores(rows, view), scores, rtol=1e-12, atol=1e-12)
        else:
            assert model.scores(rows, view).tolist() == scores


def test_every_model_file_has_its_predictions():
    stored = {path.stem for path in golden_models.FOLDER.glob("*.rosenblatt")}
    assert stored == set(EXPECTED)
    assert {"table-voted", "text", "images", "sparse", "estimator-voted"} <= stored


def test_the_rows_are_those_that_the_formulas_give():
    for name, content in golden_models.files().items():
        assert (golden_models.FOLDER / name).read_bytes() == content
