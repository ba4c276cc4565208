"""Small model files of every kind, the rows to predict, and what they predicted on the day they were written.

    python tests/golden/golden_models.py --write    adds the files that are missing, and never writes over one

A model file is read for ever and predicts what it did: those in models/ stay as they are when the format changes, and
files of the new format join them. All data are invented here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb

FOLDER = Path(__file__).parent / "models"
EXPECTED = FOLDER / "predictions.json"
VIEWS = ("last", "averaged", "best", "voted", "random")

# ---- the rows ----


def word(i: int, salt: int) -> int:
    """A number that looks random, by a formula of whole numbers (splitmix64)."""
    z = (i * 1000 + salt) * 0x9E3779B97F4A7C15 % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def thing(i: int) -> list[str]:
    """A row of things.csv: two categories, a whole number, a fraction, and two columns that can be predicted."""
    colour, taste = ("red", "green", "blue")[word(i, 1) % 3], ("sweet", "sour", "dull")[word(i, 2) % 3]
    size, weight = 1 + word(i, 3) % 40, 50 + word(i, 4) % 100
    ripe = "yes" if size + 20 * (colour == "red") + weight // 10 + word(i, 5) % 9 > 40 else "no"
    shape = ("flat", "long", "round")[(size + word(i, 6) % 5) // 15]
    return [colour, taste, str(size), f"{weight // 10}.{weight % 10}", ripe, shape]


def things(first: int, last: int, strange: bool) -> str:
    """A table; where it is to be predicted, columns in another order, with missing and unseen cells and one more column."""
    names = ["colour", "taste", "size", "weight", "ripe", "shape"]
    rows = [thing(i) for i in range(first, last)]
    if strange:
        for row, column, cell in ((1, 0, "?"), (2, 2, ""), (3, 0, "violet"), (4, 3, "?"), (5, 1, "salty"), (6, 2, "4000")):
            rows[row][column] = cell
        order = [3, 5, 0, 4, 2, 1]
        names, rows = [names[k] for k in order] + ["note"], [[row[k] for k in order] + ["x"] for row in rows]
    return "\n".join(",".join(row) for row in [names, *rows]) + "\n"


def exports(first: int, last: int, strange: bool) -> str:
    """A raw table as offices have them: an ID, dates, amounts, codes, yes and no, remarks, NULLs."""
    lines = ["number;since;amount;zip;member;remark;paid"]
    for i in range(first, last):
        since = f"{1 + word(i, 201) % 28:02d}.{1 + word(i, 202) % 12:02d}.{2020 + word(i, 203) % 4}"
        cents = word(i, 204) % 300_000
        euros = f"{cents / 100:,.2f}".translate(str.maketrans(",.", ".,")) + " €"
        calm, cross = ["thank", "you", "very", "much", "fine"], ["please", "call", "about", "this", "refund"]
        paid = (cents < 120_000) + (word(i, 205) % 3 > 0) > 1
        words = [(calm if paid == (word(i, 210 + k) % 4 > 0) else cross)[word(i, 220 + k) % 5] for k in range(6)]
        member = "Yes" if word(i, 206) % 2 else "No"
        remark = " ".join([*words, f"no {i}"])
        cells = [f"K-{i:05d}", since, "NULL" if i % 7 == 3 else euros, f"{word(i, 207) % 9:05d}", member, remark]
        lines.append(";".join([*cells, "yes" if paid else "no"]))
    if strange:
        lines[2] = lines[2].replace(";Yes;", ";perhaps;").replace(";No;", ";perhaps;")
        lines[3] = "K-x;31.02.2021;12 USD;00001;Yes;nobody knows;no"
        lines[4] = "K-y;-;1.5;;;;yes"
    return "\n".join(lines) + "\n"


def letters(first: int, last: int) -> str:
    """Labelled texts."""
    ham = ["meeting", "tomorrow", "about", "the", "report", "with", "lunch", "and", "a", "train", "to", "the", "river"]
    spam = ["free", "money", "now", "win", "a", "prize", "click", "the", "offer", "today", "and", "money", "again"]
    lines = []
    for i in range(first, last):
        label, own, other = ("spam", spam, ham) if word(i, 7) % 2 else ("ham", ham, spam)
        words = [(own if word(i, 8 + k) % 4 else other)[word(i, 30 + k) % len(own)] for k in range(6)]
        lines.append(f"{label}\t{' '.join(words)}\n")
    return "".join(lines)


def counts(first: int, last: int, classes: int, start: int) -> str:
    """libsvm lines, with indices from `start`."""
    lines = []
    for i in range(first, last):
        values = {j: word(i, 50 + j) % 7 / 2 for j in range(9) if word(i, 70 + j) % 3 == 0}
        total = sum((j - 4) * value for j, value in values.items())
        label = (1 if total > 0 else -1) if classes == 2 else int(np.digitize(total, [-3, 3]))
        lines.append(" ".join([str(label), *(f"{j + start}:{value}" for j, value in values.items())]) + "\n")
    return "".join(lines)


def pictures(first: int, last: int) -> tuple[bytes, bytes]:
    """idx files of 5 × 4 pixels and of their labels: bright rows, bright columns, or neither."""
    images, labels = [], []
    for i in range(first, last):
        image = np.array([[word(i, 100 + 4 * r + c) % 120 for c in range(4)] for r in range(5)], np.uint8)
        label = word(i, 99) % 3
        if label == 1:
            image[word(i, 98) % 5] = 250
        if label == 2:
            image[:, word(i, 97) % 4] = 250
        images.append(image)
        labels.append(label)
    sizes = np.array([len(images), 5, 4], ">u4").tobytes()
    body = np.stack(images).tobytes()
    return b"\0\0\x08\x03" + sizes + body, b"\0\0\x08\x01" + sizes[:4] + np.array(labels, np.uint8).tobytes()


def files() -> dict[str, bytes]:
    """The rows by the names of their files: those to learn from, and those to predict."""
    texts = {
        "things.csv": things(0, 48, strange=False),
        "things-new.csv": things(48, 64, strange=True),
        "exports.csv": exports(0, 48, strange=False),
        "exports-new.csv": exports(48, 60, strange=True),
        "letters.txt": letters(0, 24),
        "letters-new.txt": letters(24, 36),
        "counts.libsvm": counts(0, 40, 2, 1),
        "counts-new.libsvm": counts(40, 52, 2, 1),
        "counts3.libsvm": counts(0, 40, 3, 0),
        "counts3-new.libsvm": counts(40, 52, 3, 0),
    }
    contents = {name: text.encode() for name, text in texts.items()}
    for name, first, last in (("", 0, 36), ("-new", 36, 46)):
        images, labels = pictures(first, last)
        contents |= {f"pictures{name}-images-idx3-ubyte": images, f"pictures{name}-labels-idx1-ubyte": labels}
    return contents


# ---- the models: the rows to learn from, those to predict, and how they are read ----

RIPE, SHAPE = {"target": "ripe"}, {"target": "shape"}
TRAINED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "table": ("things.csv", RIPE, {}),
    "table-unscaled": ("things.csv", RIPE, {"learner": "mira", "features": {"scale": False, "double": True}}),
    "table-categories": ("things.csv", RIPE, {"learner": "perceptron", "features": {"numeric": "category"}}),
    "table-products": ("things.csv", RIPE, {"features": {"products": [["colour", "taste"], ["size", "colour"]]}}),
    "table-hashed": ("things.csv", RIPE, {"features": {"hashing": 5, "numeric": "both"}}),
    "table-pooled": ("things.csv", RIPE, {"features": {"most_values": 2, "numeric": "category"}}),
    "table-three": ("things.csv", SHAPE, {"learner": "passive-aggressive", "parameters": {"C": 0.5, "variant": "II"}}),
    "table-arow": ("things.csv", SHAPE, {"learner": "arow", "parameters": {"r": 2.0}, "epochs": 3}),
    "table-rest": ("things.csv", SHAPE, {"multiclass": "rest", "epochs": 3}),
    "table-best": ("things.csv", SHAPE, {"epochs": 12, "patience": 2}),
    "table-balanced": ("things.csv", RIPE, {"class_weight": "balanced", "fit_intercept": False, "order": "once"}),
    "table-class-weights": ("things.csv", RIPE, {"class_weight": {"yes": 2.0, "no": 0.5}, "seed": 4, "tol": 0.001}),
    "table-log": ("things.csv", RIPE, {"keep_log": True}),
    "table-voted": ("things.csv", RIPE, {"learner": "voted", "epochs": 3}),
    "raw": ("exports.csv", {"target": "paid"}, {}),
    "raw-chosen": (
        "exports.csv",
        {"target": "paid"},
        {
            "features": {
                "per_column": {"zip": "number", "remark": "drop", "amount": "both"},
                "missing": ["K-00001"],
                "hashing": 6,
            }
        },
    ),
    "text": ("letters.txt", {}, {"features": {"ngrams": 2}}),
    "text-voted": ("letters.txt", {}, {"learner": "voted", "seed": 3}),
    "sparse": ("counts.libsvm", {}, {"learner": "mira", "parameters": {"p": 0.5}, "fit_intercept": False}),
    "sparse-logistic": ("counts3.libsvm", {}, {"learner": "logistic", "parameters": {"eta0": 0.05, "l2": 0.01}}),
    "sparse-voted": ("counts3.libsvm", {}, {"learner": "voted", "order": "given", "epochs": 2}),
    "kernel": ("things.csv", RIPE, {"learner": "kernel", "epochs": 3}),
    "kernel-three": (
        "things.csv",
        SHAPE,
        {"learner": "kernel", "parameters": {"kernel": "polynomial", "rule": "mira", "p": 0.5}, "epochs": 2},
    ),
    "kernel-rest": (
        "counts3.libsvm",
        {},
        {"learner": "kernel", "parameters": {"kernel": "linear", "multi_class": "ovr", "score_with": "voted"}, "epochs": 2},
    ),
    "kernel-budget": ("counts.libsvm", {}, {"learner": "kernel", "parameters": {"budget": 5, "gamma": 0.5}, "epochs": 2}),
    "numbers": ("things.csv", {"target": "weight", "unlabelled": "skip"}, {}),
    "numbers-best": (
        "things.csv",
        {"target": "weight", "unlabelled": "skip"},
        {"learner": "widrow-hoff", "parameters": {"eta0": 0.02}, "epochs": 12, "patience": 2, "regression": True},
    ),
    "numbers-raw": (
        "exports.csv",
        {"target": "amount", "unlabelled": "skip"},
        {"learner": "passive-aggressive", "parameters": {"epsilon": 0.1}, "average": False, "fit_intercept": False},
    ),
    "table-threshold": ("things.csv", {"target": "ripe"}, {"calibrate": True, "threshold": 0.4}),
    "images": ("pictures-images-idx3-ubyte", {}, {"keep_log": True, "epochs": 3}),
    "images-widrow-hoff": ("pictures-images-idx3-ubyte", {}, {"learner": "widrow-hoff", "average": True}),
}
ESTIMATORS = {
    "estimator-perceptron": ("counts.libsvm", rb.Perceptron(eta0=0.5, random_state=1)),
    "estimator-averaged": ("counts3.libsvm", rb.AveragedPerceptron(keep_log=True, max_iter=4, random_state=0)),
    "estimator-mira-best": ("counts.libsvm", rb.Mira(early_stopping=True, validation_fraction=0.2, random_state=2)),
    "estimator-passive-aggressive": (
        "counts.libsvm",
        rb.PassiveAggressive(C=0.01, variant="II", fit_intercept=False, shuffle=False, max_iter=3),
    ),
    "estimator-soft": ("counts3.libsvm", rb.SoftPerceptron(l2=0.02, max_iter=5, random_state=0, average=False)),
    "estimator-voted": ("counts.libsvm", rb.VotedPerceptron(max_iter=3, random_state=0)),
    "estimator-random": ("counts.libsvm", rb.VotedPerceptron(max_iter=3, random_state=6, score_with="random")),
    "estimator-widrow-hoff": ("counts3.libsvm", rb.WidrowHoff(average=True, shuffle="once", random_state=5)),
    "estimator-kernel": ("counts3.libsvm", rb.KernelPerceptron(kernel="poly", degree=2, score_with="averaged", max_iter=3)),
    "estimator-regressor": ("counts.libsvm", rb.PassiveAggressiveRegressor(epsilon=0.25, average=True, random_state=0)),
    "estimator-calibrated": ("counts3.libsvm", rb.Mira(calibrate=True, average=True, max_iter=3, random_state=0)),
    "estimator-weighted": ("counts.libsvm", rb.Perceptron(class_weight={-1: 2.0, 1: 0.5}, max_iter=2, random_state=0)),
}


def rows_to_predict(name: str) -> tuple[str, dict[str, Any]]:
    """The file of rows for a model, and how it is read."""
    file, reading = TRAINED[name][:2] if name in TRAINED else (ESTIMATORS[name][0], {})
    new = file.replace("-images", "-new-images") if "-images" in file else "-new.".join(file.split("."))
    return new, reading | ({"zero_based": "3" in file} if "counts" in file else {})


def train(name: str, folder: Path) -> Any:
    """The model of this name as today's code makes it: a classifier, or a fitted estimator."""
    if name in TRAINED:
        file, reading, settings = TRAINED[name]
        data = rb.read(folder / file, **reading)
        new, reading = rows_to_predict(name)
        dev = rb.read(folder / new, **reading) if "patience" in settings else None
        return rb.learn(data, dev=dev, **settings)
    file, estimator = ESTIMATORS[name]
    data = rb.read(folder / file)
    X = data.rows.toarray() if "counts3" in file else sp.csr_array(data.rows)
    return estimator.fit(X, data.labels)


def predictions(path: Path, rows: Any) -> dict[str, Any]:
    """Labels, and the scores of every view that the file has."""
    model = rb.load(path)
    scores = {}
    for view in VIEWS:
        try:
            scores[view] = model.scores(rows, view).tolist()
        except rb.SettingError:
            continue
    return {"labels": model.predict(rows).tolist(), "predicts_with": model.view, "scores": scores}


def write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, content in files().items():
        if not (FOLDER / name).exists():
            (FOLDER / name).write_bytes(content)
    expected = json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}
    for name in (*TRAINED, *ESTIMATORS):
        path = FOLDER / f"{name}.rosenblatt"
        if path.exists():
            continue
        rb.save(train(name, FOLDER), path)
        file, reading = rows_to_predict(name)
        expected[name] = predictions(path, rb.read(FOLDER / file, **reading).rows)
        print(f"{path.name}: {path.stat().st_size:,} bytes, views {', '.join(expected[name]['scores'])}")
    lines = (f"{json.dumps(name)}: {json.dumps(expected[name])}" for name in sorted(expected))
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__" and "--write" in sys.argv[1:]:
    write()
