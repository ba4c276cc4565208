"""predict --dask and evaluate --dask: what workers write and count is what one process does."""

import json
from functools import reduce

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.cluster.blocks import plan_blocks, scan, with_scans
from rosenblatt.cluster.scoring_files import add_up, measure_block, parts_in, predict_part
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
    assert {"balanced_accuracy", "f1"} <= several.keys()
    assert run(["evaluate", model, rows, "--dask", "local"]) == 0
    assert f"F1 of low {one['f1']:.4f}" in " ".join(capsys.readouterr().out.split())
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
    confusion = reduce(add_up, (measure_block(block, model, "refuse") for block in labelled)).confusion
    truth, predicted = data.labels.to_numpy(), model.predict(data.rows)
    for i, right in enumerate(model.classes):
        for j, wrong in enumerate(model.classes):
            assert confusion[i, j] == ((truth == right) & (predicted == wrong)).sum()


def test_what_is_overlooked_in_labelled_rows_is_told(files, tmp_path, capsys):
    """Rows of a class that training never saw stand at the end, as those of a file that is sorted: whole blocks of them."""
    frame = pl.read_csv(files / "rows.csv").with_columns(pl.col("a").cast(str), more=1)
    row = pl.int_range(600)
    frame = frame.with_columns(
        a=pl.when(row == 5).then(pl.lit("broken")).otherwise("a"),
        kind=pl.when(row == 7).then(pl.lit("strange")).otherwise("kind"),
        label=pl.when(row >= 400).then(pl.lit("new")).when(row % 100 == 9).then(None).otherwise("label"),
    )
    frame.write_csv(path := tmp_path / "rows.csv")
    command = ["evaluate", str(files / "model.rosenblatt"), str(path), "--unseen", "skip", "--unlabelled", "skip"]
    assert run(command) == 0
    one = capsys.readouterr()
    assert "note: 200 rows are left out: training never saw such labels." in one.err
    assert "note: 4 rows have no label and were left out of" in one.err
    assert one.err.count("note: ") == 5
    assert run([*command, "--dask", "local"]) == 0
    several = capsys.readouterr()
    assert several.err == one.err
    assert one.out.startswith(several.out.partition("balanced accuracy")[0])
    assert run([*command, "--dask", "local", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    labelled = plan_blocks(str(path), ReadOptions(target="label", unlabelled="skip"), 700)
    labelled = with_scans(labelled, [scan(block) for block in labelled])
    model = rb.load(files / "model.rosenblatt")
    measured = reduce(add_up, (measure_block(block, model, "skip") for block in labelled))
    assert (measured.confusion.sum(), measured.left_out) == (396, 200)
    assert measured.notes.unseen == {"kind": 1}
    assert measured.notes.unreadable == {"a": 1}
    assert measured.about_files == (f"4 rows have no label and were left out of {path}.",)


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
