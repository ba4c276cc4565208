"""How well the defaults do: held-out error of `learn` as it is, beside its features of before, on public data.

    python bench/quality.py            tables of scikit-learn, of statsmodels where it is installed, and of ROSENBLATT_DATA
    python bench/quality.py --large    and adult, a9a, sms-spam, 20 newsgroups and MNIST

Every row is the mean over seeded splits of 80 and 20 %, both ways on the same splits; ± is the difference's standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
from sklearn import datasets

from rosenblatt import learn, read
from rosenblatt.data import Dataset
from rosenblatt.errors import FileError

BEFORE = {"table": {"numeric": "number", "weighting": "counts"}, "text": {"weighting": "counts"}}


def as_dataset(name: str, rows: pl.DataFrame, labels: pl.Series) -> Dataset:
    return Dataset("table", rows, labels.cast(pl.String).alias("target"), name)


def bundled() -> Iterator[Dataset]:
    """Of scikit-learn; diabetes as a question: above the median?"""
    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        bunch = getattr(datasets, f"load_{name}")()
        rows = pl.DataFrame(bunch.data, schema=[f"x{j}" for j in range(bunch.data.shape[1])], orient="row")
        target = bunch.target > np.median(bunch.target) if name == "diabetes" else bunch.target
        yield as_dataset(name, rows, pl.Series(target.astype(str)))


def of_statsmodels() -> Iterator[Dataset]:
    spec = find_spec("statsmodels")
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent / "datasets"
    for name, separator, target in (
        ("anes96", "\t", "vote"), ("fair", ",", "affairs"), ("modechoice", ";", "choice"), ("randhie", ",", "hlthg"),
    ):  # fmt: skip
        table = pl.read_csv(folder / name / f"{name}.csv", separator=separator, infer_schema_length=None)
        table = table.rename(lambda column: column.strip("'"))
        labels = table[target] > 0 if name == "fair" else table[target]
        yield as_dataset(name, table.drop(target), labels)


def shared() -> Iterator[Dataset]:
    """The lectures' tables; adult also with other columns as targets."""
    for name, options in (
        ("income", {"target": 10}),
        ("auto-mpg", {"target": 8}),
        ("adult", {"target": 10}),
        ("adult", {"target": 6}),
        ("adult", {"target": 2}),
    ):
        try:
            data = read(name, unlabelled="skip", **options)
        except FileError as problem:
            print(f"left out: {problem}", file=sys.stderr)
            continue
        yield Dataset("table", data.rows, data.labels, f"{name}, column {options['target']}")


def large() -> Iterator[Dataset]:
    for name, options in (("adult", {"target": 15}), ("a9a", {}), ("sms-spam", {}), ("20newsgroups", {})):
        data = read(name, **options)
        yield Dataset(data.kind, data.rows, data.labels, name)


def errors(data: Dataset, splits: int) -> np.ndarray:
    """Per cent of held-out rows that are wrong: a row a split, as before and by default."""
    labels = np.asarray(data.labels).astype(str)
    shares = []
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(data))
        train, test = np.split(order, [int(0.8 * len(data))])
        models = [learn(data.take(train), seed=seed, features=features) for features in (BEFORE.get(data.kind, {}), {})]
        rows = data.take(test).rows
        shares.append([100 * np.mean(model.predict(rows).astype(str) != labels[test]) for model in models])
    return np.array(shares)


def main() -> None:
    chosen = [*bundled(), *of_statsmodels(), *shared()]
    if "--large" in sys.argv:
        chosen += large()
    print("| data | rows | before | now | difference |\n|---|---|---|---|---|")
    differences = []
    for data in chosen:
        both = errors(data, 20 if len(data) < 2000 else 10 if len(data) < 10_000 else 5)
        difference = both[:, 1] - both[:, 0]
        spread = difference.std(ddof=1) / len(both) ** 0.5
        differences.append(difference.mean())
        before, now = both.mean(axis=0)
        print(
            f"| {data.name} | {len(data):,} | {before:.2f} % | {now:.2f} % | {difference.mean():+.2f} ± {spread:.2f} |",
            flush=True,
        )
    print(f"mean difference {np.mean(differences):+.2f}")
    if "--large" in sys.argv:
        model, test = learn(read("mnist")), read("mnist:test")
        print(f"MNIST, its own split: {100 * np.mean(model.predict(test.rows) != test.labels):.2f} %")


if __name__ == "__main__":
    main()
