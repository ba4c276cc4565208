"""predict --dask and evaluate --dask: what workers write and count is what one process does."""

import json

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.cluster.blocks import plan_blocks, scan, with_scans
from rosenblatt.cluster.scoring_files import confusion_of, parts_in, predict_part
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import DataError, SaveError
from rosenblatt.learning.predicted import WantedColumns

pytest.importorskip("distributed", reason="dask is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    draw, n = np.random.default_rng(0), 600
    folder = tmp_path_factory.mktemp("rows")
    a, kind = draw.normal(size=n).round(3), draw.choice(["x", 'y "z"', "two\nlines"], n)
    label = np.where(a + (kind == "x") > 0.5, "high", "low")
    pl.DataFrame({"a": a, "kind": kind, "label": label}).write_csv(folder / "rows.csv")
    rb.learn(rb.read(folder / "rows.csv", target="label"), learner="logistic").save(folder / "model.rosenblatt")
    return folder


def test_the_parts_below_one_another_are_the_file_of_one_process(files, tmp_path, capsys):
    model, rows = str(files / "model.rosenblatt"), str(files / "rows.csv")
    options = ["--scores", "--proba", "-q"]
    assert run(["predict", model, rows, *options, "-o", str(tmp_path / "one.csv")]) == 0
    assert run(["predict", model, rows, *options, "--dask", "local", "-o", str(tmp_path / "parts")]) == 0
    assert (tmp_path / "parts" / "part-00000.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert run(["predict", model, rows, "--dask", "local", "-o", str(tmp_path / "parts")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert run(["evaluate", model, rows, "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert run(["evaluate", model, rows, "--json", "--dask", "local"]) == 0
    several = json.loads(capsys.readouterr().out)
    assert several == {name: one[name] for name in several}
    assert run(["evaluate", model, rows, "--dask", "local", "--view", "last"]) == 2
    assert "--view would change nothing on a cluster" in capsys.readouterr().err


def test_blocks_however_small_give_the_rows_of_the_whole(files, tmp_path):
    model = rb.load(files / "model.rosenblatt")
    blocks = plan_blocks(str(files / "rows.csv"), ReadOptions(as_text=True), 700)
    blocks = with_scans(blocks, [scan(block) for block in blocks])
    assert len(blocks) > 10
    parts = parts_in(tmp_path, blocks)
    for part in parts:
        predict_part(part, model, WantedColumns(scores=True))
    together = pl.concat([pl.read_csv(part.path) for part in parts])
    data = rb.read(files / "rows.csv", target="label")
    assert together["prediction"].to_list() == model.predict(data.rows).tolist()
    labelled = plan_blocks(str(files / "rows.csv"), ReadOptions(target="label"), 700)
    labelled = with_scans(labelled, [scan(block) for block in labelled])
    confusion = sum(confusion_of(block, model, "refuse") for block in labelled)
    truth, predicted = data.labels.to_numpy(), model.predict(data.rows)
    for i, right in enumerate(model.classes):
        for j, wrong in enumerate(model.classes):
            assert confusion[i, j] == ((truth == right) & (predicted == wrong)).sum()


def test_a_table_without_the_columns_of_training_is_refused_by_part(files, tmp_path):
    (tmp_path / "other.csv").write_text("b,kind\n1,x\n")
    block = plan_blocks(str(tmp_path / "other.csv"), ReadOptions(as_text=True))[0]
    with pytest.raises(DataError, match=r"other.csv, part-00000: .*'a'"):
        predict_part(parts_in(tmp_path, [block])[0], rb.load(files / "model.rosenblatt"), WantedColumns())
    assert not (tmp_path / "part-00000.csv").exists()


def test_what_is_wrong_with_a_file_is_not_blamed_on_the_cluster(files, tmp_path, capsys):
    """Errors of reading are OSErrors or ValueErrors, as those of a scheduler that does not answer."""
    (tmp_path / "rows.xlsx").write_bytes(b"PK\3\4" + bytes(26) + b"xl/")
    model, options = str(files / "model.rosenblatt"), ["--dask", "local", "-o", str(tmp_path / "parts")]
    assert run(["predict", model, str(tmp_path / "rows.xlsx"), *options]) != 0
    errors = capsys.readouterr().err
    assert "of the format excel: a cluster reads csv" in errors
    assert "scheduler" not in errors
    assert run(["predict", model, "-", *options]) == 2
    assert "standard input can be read once, and workers read a file again and again" in capsys.readouterr().err


def test_a_part_that_cannot_be_written_is_named(files, tmp_path):
    blocks = plan_blocks(str(files / "rows.csv"), ReadOptions(as_text=True), 10**6)
    (part,) = parts_in(tmp_path / "nowhere", with_scans(blocks, [scan(block) for block in blocks]))
    with pytest.raises(SaveError, match=r"part-00000.csv was not written: No such file or directory"):
        predict_part(part, rb.load(files / "model.rosenblatt"), WantedColumns())
