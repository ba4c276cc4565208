"""Rows to measure on that a cluster has learned from: told as one process tells them."""

import numpy as np
import polars as pl
import pytest

from rosenblatt.cli import run
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.tasks import TasksHere
from rosenblatt.data import ReadOptions, read
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.studies.cautions import about_repeated, rows_in_both

RECIPE = Recipe(shards=5, epochs=2, features={"numeric": "number"})


def table(n, seed, many):
    """Rows of two categories, and of a number where they are to differ."""
    draw = np.random.default_rng(seed)
    kind, place = draw.choice(["a", "b", "c"], n), draw.choice(["x", "y"], n)
    wanted = np.where((kind == "a") ^ (draw.random(n) < 0.2), "yes", "no")
    frame = pl.DataFrame({"kind": kind, "place": place, "wanted": wanted})
    return frame.with_columns(size=draw.normal(size=n).round(4)) if many else frame


@pytest.mark.parametrize("many", [True, False])
@pytest.mark.parametrize("missing", [True, False])
def test_they_are_counted_as_in_one_process(many, missing, tmp_path):
    train, other = table(3000, 0, many), table(200, 1, many)
    if missing:  # so that the rows of one file may be laid out otherwise than those of the other
        train = train.with_columns(place=pl.when(pl.int_range(3000) % 9 == 0).then(None).otherwise("place"))
    train.write_csv(path := tmp_path / "train.csv")
    pl.concat([other, train[100:150]]).write_csv(tmp_path / "dev.csv")
    data, dev = (read(tmp_path / name, target="wanted") for name in ("train.csv", "dev.csv"))
    expected = rows_in_both(learn_from(data, RECIPE).classifier, data, dev)
    source = FileSource(str(path), ReadOptions(target="wanted"), 5000, str(tmp_path / "rows"), sample_rows=500)
    learned = learn_on_cluster(source, RECIPE, TasksHere(), dev)
    assert learned.repeated == expected
    assert len(about_repeated(expected, len(dev))) == many  # where rows are all alike, they repeat by chance


def test_a_cluster_warns_of_them_as_one_process_does(tmp_path, capsys):
    pytest.importorskip("distributed", reason="dask is not installed")
    train = table(400, 0, many=True)
    train.write_csv(tmp_path / "train.csv")
    train[:90].filter(pl.col("wanted") == "yes").write_csv(tmp_path / "dev.csv")
    command = ["train", str(tmp_path / "train.csv"), "--target", "wanted", "--dev", str(tmp_path / "dev.csv")]
    warnings = []
    for more in ([], ["--dask", "local", "--workers", "1"]):
        assert run([*command, *more]) == 0
        warnings.append([line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")])
    assert "rows to measure on are among the training rows, too" in warnings[0][0]
    assert warnings[0] == warnings[1]
