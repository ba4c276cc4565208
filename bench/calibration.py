"""How far probabilities are from the truth: the expected calibration error (15 bins) on held-out parts of real data.

    ROSENBLATT_DATA=folder python bench/calibration.py [learner …]

Each row is held out once, in five folds; a model is trained on the other four, with default settings, and gives its
probabilities: out of fold (`calibrate=True`), or on a quarter of its rows that is set aside (`dev`). The error is that of
all held-out rows together. That of a single fold is higher by chance alone, the more so the fewer its rows: "floor" is what
perfect probabilities of the same sizes would show in one fold, on average.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

import rosenblatt
from rosenblatt.data.splits import CrossValidation, split
from rosenblatt.learning.measures import Reliability, ScoredRows, brier_score, log_loss
from rosenblatt.studies.compare import fold_parts
from rosenblatt.studies.evaluate import score_rows

FILES = {
    "adult": ("adult/adult.data", {"header": False, "target": -1}),
    "a9a": ("a9a/a9a", {}),
    "MNIST": ("mnist/train-images-idx3-ubyte.gz", {}),
    "20 newsgroups": ("20newsgroups/20news-bydate-train.tar.gz", {}),
}


def measure(data: rosenblatt.Dataset, learner: str, way: str) -> tuple[list[ScoredRows], str]:
    parts, method = [], "its own"
    for rest, test in fold_parts(data, CrossValidation(splits=5, folds=5)):
        if way == "dev":
            train, dev = split(rest, 0.25)
            model = rosenblatt.learn(train, learner=learner, dev=dev, calibrate=True)
        else:
            model = rosenblatt.learn(rest, learner=learner, calibrate=True)
        method = model.calibration.method
        parts.append(score_rows(model, model.examples(test)[0]))
    return parts, method


def joined(parts: list[ScoredRows]) -> ScoredRows:
    names = ("codes", "scores", "predicted", "probabilities")
    return ScoredRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def floor(part: ScoredRows, times: int = 50) -> float:
    """The mean error of labels that are drawn from the probabilities themselves."""
    bits, found = np.random.default_rng(0), []
    for _ in range(times):
        drawn = (part.probabilities.cumsum(axis=1) < bits.random(len(part.codes))[:, None]).sum(axis=1)
        codes = np.minimum(drawn, part.probabilities.shape[1] - 1)
        found.append(Reliability.of_rows(ScoredRows(codes, part.scores, part.predicted, part.probabilities)).error)
    return float(np.mean(found))


def main(learners: list[str]) -> None:
    folder = Path(os.environ["ROSENBLATT_DATA"])
    print("| data | learner | rows for it | map | all held-out rows | a fold | floor of a fold | log loss | Brier score |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (file, reading) in FILES.items():
        data = rosenblatt.read(folder / file, **reading)
        for learner in learners:
            for way in ("out of fold", "dev"):
                parts, method = measure(data, learner, way)
                every = joined(parts)
                one = np.mean([Reliability.of_rows(part).error for part in parts])
                numbers = (Reliability.of_rows(every).error, one, floor(parts[0]))
                shares = " | ".join(f"{100 * number:.2f} %" for number in numbers)
                losses = f"{log_loss(every):.4f} | {brier_score(every):.4f}"
                print(f"| {name} | {learner} | {way} | {method} | {shares} | {losses} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["averaged"])
