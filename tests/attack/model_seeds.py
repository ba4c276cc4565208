"""Sound model files of today's code, one for each kind of content that a file of the golden models does not have.

They are trained when they are needed: what tomorrow's code adds to a file is then mutated, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt as rb

WORDS = ["free", "money", "now", "the", "river", "report", "a", "lunch"]


def row(rng: np.random.Generator) -> tuple[list[str], str, str]:
    """Cells, one of two classes, one of three: a curve of x, an exception at 0, a product of colour and taste, a word."""
    x = 0.0 if rng.random() < 0.3 else round(float(rng.normal(0, 2)), 2)
    colour, taste = rng.choice(["red", "green", "blue"]), rng.choice(["sweet", "sour"])
    remark = " ".join(rng.choice(WORDS, 6))
    score = (abs(x) > 1) * 2.0 - (x == 0) + ((colour == "red") == (taste == "sweet")) + remark.count("free") / 2
    score += rng.normal(0, 0.7)
    cells = [str(x), "" if rng.random() < 0.05 else str(rng.integers(0, 9)), str(colour), str(taste), remark]
    return cells, "yes" if score > 1.3 else "no", "low" if score < 0.6 else "high" if score > 2 else "middle"


def tables(folder: Path, rows: int = 1500) -> None:
    """things.csv with names, plain.csv without, letters.txt and things.vw: each to learn from, and -new to predict."""
    for part, count in (("", rows), ("-new", 12)):
        drawn = [row(np.random.default_rng([len(part), i])) for i in range(count)]
        names = "x,y,colour,taste,remark,ripe,level\n"
        table = [",".join([*cells, two, three]) for cells, two, three in drawn]
        plain = [",".join([*cells[:4], two]) for cells, two, _ in drawn]
        letters = [f"{three}\t{cells[4]}" for cells, _, three in drawn]
        vw = [f"{1 if two == 'yes' else -1} |n x:{c[0]} |w {c[4]} |c {c[2]}_{c[3]} {c[2]}" for c, two, _ in drawn]
        contents = {"things{}.csv": names + "\n".join(table), "plain{}.csv": "\n".join(plain)}
        contents |= {"letters{}.txt": "\n".join(letters), "things{}.vw": "\n".join(vw)}
        for name, content in contents.items():
            (folder / name.format(part)).write_text(content + "\n", "utf-8")


RIPE, LEVEL = {"target": "ripe"}, {"target": "level"}
PAIRS = [["x", "colour"], ["colour", "taste"], ["x", "y"]]
LAST = {"target": "column_5", "header": False}
SEEDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "bins-and-trials": ("things.csv", RIPE, {"features": {"numeric": "auto", "products": "auto"}}),
    "bins-unscaled": (
        "things.csv",
        LEVEL,
        {"features": {"numeric": "bins", "scale": False, "double": True, "products": PAIRS}},
    ),
    "bins-hashed": ("things.csv", RIPE, {"features": {"numeric": "bins", "hashing": 6}}),
    "words-idf": ("things.csv", LEVEL, {"features": {"weighting": "idf", "ngrams": 2, "numeric": "number"}}),
    "letters-idf": ("letters.txt", {}, {"features": {"weighting": "idf"}}),
    "letters-hashed": ("letters.txt", {}, {"features": {"weighting": "unit", "hashing": 5}, "calibrate": True}),
    "steps": ("things.csv", RIPE, {"calibrate": True, "threshold": "f1"}),
    "steps-three": ("things.csv", LEVEL, {"calibrate": True}),
    "sigmoid": ("few.csv", RIPE, {"calibrate": True, "threshold": "cost:1,5"}),
    "sigmoid-three": ("few.csv", LEVEL, {"calibrate": True}),
    "logistic": ("few.csv", RIPE, {"learner": "logistic", "threshold": 0.3}),
    "no-names": ("plain.csv", LAST, {"threshold": 0.4, "calibrate": True}),
    "by-name": ("things.vw", {}, {"calibrate": True, "features": {"weighting": "unit"}}),
    "voted": ("few.csv", RIPE, {"learner": "voted", "epochs": 2, "calibrate": True, "threshold": 0.4}),
    "kernel": ("few.csv", RIPE, {"learner": "kernel", "epochs": 2, "calibrate": True, "threshold": 0.4}),
    "best": ("few.csv", RIPE, {"epochs": 8, "patience": 2, "threshold": 0.4}),
}


def write(folder: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Trains them in this folder; for each, the rows to predict and how they are read."""
    tables(folder)
    few = (folder / "things.csv").read_text("utf-8").splitlines()[:161]
    (folder / "few.csv").write_text("\n".join(few) + "\n", "utf-8")
    (folder / "few-new.csv").write_bytes((folder / "things-new.csv").read_bytes())
    files = {}
    for name, (file, reading, settings) in SEEDS.items():
        new = str(folder / "-new.".join(file.split(".")))
        dev = rb.read(new, **reading) if "patience" in settings else None
        path = folder / f"{name}.rosenblatt"
        rb.learn(rb.read(folder / file, **reading), dev=dev, **settings).save(path)
        files[str(path)] = new, reading
    return files
