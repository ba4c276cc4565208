"""What `train --auto` finds, beside what people would take instead: plain pipelines of scikit-learn on the same splits.

    python bench/auto.py                   the tables of bench/quality.py, a split of 80 and 20 % each
    python bench/auto.py --splits 3        the mean of three splits
    python bench/auto.py wine fair         some tables

Logistic regression and a linear SVM get scaled numbers and one-hot categories, gradient boosting numbers and codes; nothing
is tuned. A search has a minute (`--budget 60`).
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import polars as pl
from quality import bundled, of_statsmodels, shared
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

from rosenblatt import learn
from rosenblatt.data import Dataset
from rosenblatt.learning.learners import Recipe
from rosenblatt.studies.auto import choose_recipe

BUDGET = 60.0  # seconds


def pipelines() -> dict[str, Any]:
    numbers = make_column_selector(dtype_include="number")
    categories = make_column_selector(dtype_exclude="number")
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    one_hot = make_column_transformer((scaled, numbers), (OneHotEncoder(handle_unknown="ignore"), categories))
    coded = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    codes = make_column_transformer((coded, categories), remainder="passthrough")
    return {
        "logistic regression": make_pipeline(one_hot, LogisticRegression(max_iter=1000)),
        "linear SVM": make_pipeline(one_hot, LinearSVC()),
        "boosting": make_pipeline(codes, HistGradientBoostingClassifier(random_state=0)),
    }


def as_pandas(rows: pl.DataFrame) -> Any:
    """Numbers as floats, all else as texts."""
    import pandas as pd

    numbers = {column.name: column.cast(pl.Float64).to_numpy() for column in rows if column.dtype.is_numeric()}
    texts = {column.name: column.cast(pl.String).fill_null("").to_list() for column in rows if column.name not in numbers}
    return pd.DataFrame(numbers | texts)


def split_errors(data: Dataset, seed: int) -> dict[str, float]:
    """Per cent of the held-out rows that are wrong: of the search, the default and the pipelines."""
    labels = np.asarray(data.labels).astype(str)
    train, test = np.split(np.random.default_rng(seed).permutation(len(data)), [int(0.8 * len(data))])
    search = choose_recipe(data.take(train), Recipe(seed=seed), seconds=BUDGET)
    rows = data.take(test).rows

    def error(predicted: Any) -> float:
        return float(100 * np.mean(np.asarray(predicted).astype(str) != labels[test]))

    errors = {
        "auto": error(learn(data.take(train), recipe=search.winner.recipe).predict(rows)),
        "default": error(learn(data.take(train), seed=seed).predict(rows)),
        "told": float(any(trial is not None and trial.line_is_not_enough for trial in (search.kernel, search.trees))),
    }
    learned, asked = as_pandas(data.take(train).rows), as_pandas(rows)
    return errors | {name: error(one.fit(learned, labels[train]).predict(asked)) for name, one in pipelines().items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help="tables whose names begin so; all by default")
    parser.add_argument("--splits", type=int, default=1, help="splits of each table")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    near = tables = 0
    peers = list(pipelines())
    header = ["data", "rows", "auto", "default", *peers, "within a point of the best", "a line is not enough"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for data in [*bundled(), *of_statsmodels(), *shared()]:
        if arguments.names and not data.name.startswith(tuple(arguments.names)):
            continue
        started = time.perf_counter()
        splits = [split_errors(data, seed) for seed in range(arguments.splits)]
        mean = {name: float(np.mean([split[name] for split in splits])) for name in splits[0]}
        within = mean["auto"] <= min(mean[name] for name in peers) + 1
        near, tables = near + within, tables + 1
        cells = [f"{mean[name]:.2f} %" for name in ("auto", "default", *peers)]
        told = f"told in {mean['told'] * len(splits):.0f} of {len(splits)}"
        print(f"| {data.name} | {len(data):,} | {' | '.join(cells)} | {'yes' if within else 'no'} | {told} |", flush=True)
        print(f"  {time.perf_counter() - started:.0f} s", flush=True)
    print(f"within a point of the best: {near} of {tables}")


if __name__ == "__main__":
    main()
