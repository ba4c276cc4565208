"""Probabilities for a classifier, and a threshold on them, from rows that its weights did not see.

>>> from rosenblatt.data import open_known
>>> from rosenblatt.data.splits import split
>>> from rosenblatt.learning.learn import learn
>>> data, dev = split(open_known("breast-cancer"), 0.25)
>>> model = learn(data, dev=dev, threshold=0.3)
>>> model.calibration.method, model.calibration.rows, model.threshold.probability
('sigmoid', 142, 0.3)
>>> bool((model.predict(dev.rows) == model.classes[(model.predict_proba(dev.rows)[:, 1] >= 0.3).astype(int)]).all())
True
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.errors import LabelError, SettingError
from rosenblatt.learning.calibration import Calibration, out_of_fold_scores
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.learn import Learned
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.scoring import Scorer, error
from rosenblatt.learning.threshold import Threshold, choose, least_score
from rosenblatt.learning.training import run
from rosenblatt.learning.votes import Voter

HELD_OUT, OUT_OF_FOLD, LATER = "held-out rows", "rows of training, each scored out of fold", "rows given later"

LAST_WEIGHTS = (
    "Last weights differ from run to run, and those of the folds say little about those of the model: probabilities are "
    "nearer the truth with --average, or with --holdout or --dev in the place of --calibrate."
)


def add_probabilities(learned: Learned) -> Learned:
    """Adds what the recipe asks for; held-out rows give probabilities to all learners but those that have them."""
    model, recipe, held_out = learned.classifier, learned.classifier.recipe, learned.held_out
    unseen: tuple[np.ndarray, np.ndarray] | None = None
    if held_out is not None:
        unseen = model.model().scores(held_out.rows), held_out.codes
        if recipe.calibrate or not model.has_probabilities():
            try:
                model.calibration = Calibration.fit(*unseen, model.classes, model.view, HELD_OUT)
            except LabelError as problem:
                if recipe.calibrate or recipe.threshold is not None:
                    raise
                return replace(learned, notes=(*learned.notes, f"The model has no probabilities. {problem}"))
    elif recipe.calibrate:
        unseen = out_of_fold_scores(learned.examples, model.model(), lambda part: train_again(part, recipe), recipe.seed)
        model.calibration = Calibration.fit(*unseen, model.classes, model.view, OUT_OF_FOLD)
        if model.view == "last":
            learned = replace(learned, notes=(*learned.notes, LAST_WEIGHTS))
    if recipe.threshold is not None:
        set_threshold(model, recipe.threshold, unseen)
        model.summary.train_error = error(model.model(), learned.examples)
        if held_out is not None and model.summary.dev_error is not None:
            model.summary.dev_error[model.view] = error(model.model(), held_out)
    return learned


def train_again(examples: Examples, recipe: Recipe) -> Scorer:
    """What the recipe learns from other examples, predicting as its model would."""
    if recipe.with_kernel:
        from rosenblatt.learning.kernel.training import train_recipe

        return train_recipe(examples, recipe).dual.scorer_called(recipe.view, recipe.seed)
    trained = run(examples, recipe.rule(), replace(recipe.plan(), patience=None))
    return Voter(examples.classes, trained.memory()) if recipe.votes else trained.view(recipe.view)


def calibrate(model: Classifier, examples: Examples) -> None:
    """Gives a model probabilities, or others, from examples that it has not learned from."""
    scores = model.model().scores(examples.rows)
    model.calibration = Calibration.fit(scores, examples.codes, model.classes, model.view, LATER)
    if model.threshold is not None:  # the same probability is another score now
        model.threshold = replace(model.threshold, score=score_of(model, model.threshold.probability))


def set_threshold(model: Classifier, wanted: float | str, unseen: tuple[np.ndarray, np.ndarray] | None) -> None:
    """The threshold that is wanted, or the best by a measure on the scores and class codes of rows that it has not seen."""
    if len(model.classes) != 2:
        raise SettingError(
            f"A threshold is of two classes, and the model has {len(model.classes)}: of more, the highest score wins."
        )
    model.refuse_no_probabilities()
    if isinstance(wanted, str) and unseen is None:
        raise SettingError(
            f"The threshold {wanted} is chosen on rows that were not learned from: hold some out with --holdout SHARE or "
            "--dev FILE, or score them out of fold with --calibrate."
        )
    probability, chosen = wanted, "given"
    if isinstance(wanted, str):
        assert unseen is not None
        probability, chosen = choose(wanted, unseen[1], model.probabilities(unseen[0])[:, 1]), wanted
    assert not isinstance(probability, str)
    model.threshold = Threshold(float(probability), score_of(model, float(probability)), chosen, model.view)


def score_of(model: Classifier, probability: float) -> float:
    """The least score of this probability."""
    return least_score(lambda scores: model.probabilities(scores)[:, 1], probability)
