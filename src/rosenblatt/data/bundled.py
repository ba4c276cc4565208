"""scikit-learn's own small data sets, which need no file; scikit-learn is imported only when one is asked for."""

from __future__ import annotations

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.table import split_target
from rosenblatt.errors import FileError, SettingError

LOADERS = {
    "breast-cancer": "load_breast_cancer",
    "iris": "load_iris",
    "digits": "load_digits",
    "wine": "load_wine",
}


def load(name: str, part: str = "train", target: str | int | None = None) -> Dataset:
    """The data set as a table, its classes by name.

    >>> iris = load("iris")
    >>> iris.rows.shape, iris.labels.unique().sort().to_list()
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    """
    import polars as pl

    if part != "train":
        raise SettingError(f"The data set {name} has no part {part!r}: it comes in one piece.")
    try:
        from sklearn import datasets
    except ImportError:
        raise FileError(f"the data set {name} comes with scikit-learn: pip install scikit-learn.") from None
    bunch = getattr(datasets, LOADERS[name])()
    frame = pl.DataFrame(
        {str(feature): bunch.data[:, j] for j, feature in enumerate(bunch.feature_names)}
        | {"target": bunch.target_names[bunch.target].tolist()}
    )
    rows, labels = split_target(frame, ReadOptions(target="target" if target is None else target), name)
    return Dataset("table", rows, labels, name)
