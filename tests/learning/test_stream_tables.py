"""Tables on disk: in whatever format and parts they come, the model is that of the table in memory, byte for byte."""

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.split_on_disk import split_on_disk
from rosenblatt.data.splits import split
from rosenblatt.data.table_to_disk import table_on_disk
from rosenblatt.errors import SettingError
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.stream import DiskSource, learn_stream

LINEAR = [name for name in LEARNERS if name != "voted"]
FORMATS = [
    "people.csv",
    "people.tsv",
    "people.csv.gz",
    "people.jsonl",
    "people.parquet",
    "people.arrow",
    "csv",
    "parts-*.parquet",
]
SMALL = BufferSizes(table_block=2**14)  # so that a table of some thousand bytes comes in parts
TINY = BufferSizes(table_block=2**11)


def people(n: int, seed: int = 0) -> pl.DataFrame:
    """Numbers, whole and not, categories, a date, an ID, a code, a constant, and missing cells."""
    draw = np.random.default_rng(seed)
    age, income, score = draw.integers(17, 90, n), draw.lognormal(8, 1, n).round(2), draw.normal(size=n)
    sector = np.array(["private", "state", "own", "none"])[draw.integers(0, 4, n)]
    rich = age / 40 + np.log(income) / 8 + score / 2 + (sector == "own") + draw.normal(0, 0.5, n) > 3
    since = np.datetime64("2019-12-30") + draw.integers(0, 900, n)
    table = pl.DataFrame(
        {
            "id": 10_000 + np.arange(n),
            "age": age,
            "income": income,
            "score": score,
            "sector": sector,
            "zip": [f"{z:05}" for z in draw.integers(0, 40, n)],
            "since": since.astype(str),
            "kids": draw.integers(0, 4, n),
            "land": ["X"] * n,
            "rich": np.where(rich, "yes", "no"),
        }
    )
    missing = pl.Series(draw.random(n) < 0.1)
    return table.with_columns(
        pl.when(~missing).then(pl.col("income")).alias("income"),
        pl.when(missing).then(None).otherwise("sector").alias("sector"),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One table in every format; the numbers of CSV print back, so that it is one table in all of them."""
    folder, table = tmp_path_factory.mktemp("tables"), people(800)
    table.write_csv(folder / "people.csv")
    table.write_csv(folder / "people.tsv", separator="\t")
    (folder / "people.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    (folder / "people.jsonl").write_text("\n".join(map(json.dumps, table.to_dicts())) + "\n")
    table.write_parquet(folder / "people.parquet")
    table.write_ipc(folder / "people.arrow")
    (folder / "csv").mkdir()
    for number, start in enumerate(range(0, 800, 300)):
        table[start : start + 300].write_csv(folder / "csv" / f"{number}.csv")
        table[start : start + 300].write_parquet(folder / f"parts-{number}.parquet")
    return folder


def assert_same_model(path, recipe, tmp_path, sizes=SMALL, **reading):
    """What a stream of small parts learns is what all rows in memory give."""
    rb.learn(rb.read(path, **reading), recipe).save(tmp_path / "memory")
    (tmp_path / "rows").mkdir()
    learned = learn_stream(DiskSource(path, tmp_path / "rows", ReadOptions(**reading, sizes=sizes)), recipe)
    learned.classifier.save(tmp_path / "stream")
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()
    return learned


@pytest.mark.parametrize("learner", LINEAR)
def test_every_learner_ends_on_the_bytes_of_memory(learner, folder, tmp_path):
    assert_same_model(folder / "people.csv", Recipe(learner=learner, epochs=2), tmp_path, target="rich")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_ends_on_the_bytes_of_memory(name, folder, tmp_path):
    assert_same_model(str(folder / name), Recipe(epochs=2), tmp_path, target="rich")


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_marks_of_missing_cells_in_texts_with_types_are_those_of_memory(form, tmp_path):
    """Texts that are new in a later file, come back there, have blanks around them, or stand for a missing cell."""
    draw = np.random.default_rng(1)
    of_files = (["red", " NA ", "blue"], ["?", "red", None], [None, "NA"], ["green", "blue", " red"])
    for number, texts in enumerate(of_files):
        cells = [texts[k] for k in draw.integers(0, len(texts), 150)]
        rich = ["yes" if cell == "red" or x > 0.8 else "no" for cell, x in zip(cells, draw.random(150), strict=True)]
        part = pl.DataFrame({"colour": pl.Series(cells, dtype=pl.String), "x": draw.random(150), "rich": rich})
        (part.write_parquet if form == "parquet" else part.write_ipc)(tmp_path / f"{number}.{form}")
    learned = assert_same_model(str(tmp_path / f"*.{form}"), Recipe(epochs=2), tmp_path, target="rich")
    assert [name for name in learned.classifier.features.names if name.startswith("colour")] == [
        f"colour{value}" for value in ("=blue", "=green", "=red", " is missing")
    ]


@pytest.mark.parametrize(
    "features",
    [
        {"numeric": "number"},
        {"numeric": "category"},
        {"numeric": "both"},
        {"numeric": "bins"},
        {"products": "all"},
        {"products": "auto"},
        {"products": [("sector", "zip"), ("age", "income")]},
        {"hashing": 6},
        {"double": True, "scale": False},
        {"only": ["age", "income", "score"], "numeric": "number"},  # dense rows
        {"only": ["zip", "kids"], "per_column": {"kids": "category"}},  # one-hot rows
        {"only": ["zip", "sector"]},  # one-hot rows, but for those of which some value is missing
        {"per_column": {"id": "number", "since": "category", "zip": "drop"}},
    ],
)
def test_every_kind_of_feature_is_that_of_memory(features, folder, tmp_path):
    assert_same_model(folder / "people.csv", Recipe(epochs=2, features=features), tmp_path, target="rich")


@pytest.mark.parametrize("target", ["kids", "income", "age"])
def test_classes_of_numbers_and_quantities_are_those_of_memory(target, folder, tmp_path):
    learned = assert_same_model(folder / "people.parquet", Recipe(epochs=2), tmp_path, target=target, unlabelled="skip")
    assert learned.classifier.predicts_numbers == (target != "kids")


CELLS = {  # of a column whose last cells, far from the first, say what it is
    "a fraction after whole numbers": (["1", "2", "3"], "4.5"),
    "a word after numbers": (["1", "2.5", "3"], "four"),
    "a zero in front": (["1", "2", "3"], "007"),
    "a fraction after a zero in front": (["01", "2", "3"], "4.5"),
    "a negative number after one of 64 bits": (["18446744073709551615", "2"], "-1"),
    "a large number after a negative one": (["-1", "2"], "18446744073709551615"),
    "a mark of missing values": (["1", "2", "3"], "n/a"),
    "numbers after nothing": (["", "?"], "7"),
    "words after nothing": (["", "?"], "seven"),
    "a date among dates": (["2024-01-31", "2024-02-29"], "-"),
    "thousands": (["1.234", "987"], "1.000"),
    "thousands that are none": (["1.234", "987"], "0.5"),
}


@pytest.mark.parametrize("cells", CELLS.values(), ids=list(CELLS))
def test_the_last_cell_of_a_column_counts_as_the_first(cells, tmp_path):
    draw, (usual, last) = np.random.default_rng(1), cells
    column = [*(usual[i] for i in draw.integers(0, len(usual), 900)), last, last]
    lines = [f"{cell};{'ab'[i % 2]};{'yn'[(i // 2) % 2]}" for i, cell in enumerate(column)]
    (tmp_path / "late.csv").write_text("x;y;label\n" + "\n".join(lines) + "\n")
    assert_same_model(tmp_path / "late.csv", Recipe(epochs=1), tmp_path, TINY, target="label", delimiter=";")


def test_labels_are_texts_if_the_last_is_one(tmp_path):
    labels = [*(["0", "1"] * 600), "01"]
    (tmp_path / "late.csv").write_text("x,label\n" + "".join(f"{i % 7},{label}\n" for i, label in enumerate(labels)))
    learned = assert_same_model(tmp_path / "late.csv", Recipe(epochs=1), tmp_path, TINY, target="label")
    assert learned.classifier.classes.tolist() == ["0", "01", "1"]


def test_members_that_only_some_objects_have_are_columns(tmp_path):
    rows = [{"a": i % 5, "label": "yn"[i % 2]} for i in range(400)] + [{"a": 1.5, "b": "late", "label": "y"}] * 3
    (tmp_path / "late.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert_same_model(tmp_path / "late.jsonl", Recipe(epochs=1), tmp_path, TINY, target="label")


def test_a_table_on_disk_gives_its_rows_and_columns_back(folder, tmp_path):
    data = table_on_disk(folder / "people.csv", ReadOptions(target="rich", sizes=SMALL), tmp_path)
    whole = rb.read(folder / "people.csv", target="rich")
    texts = {pl.Enum: pl.String}
    numbers = np.random.default_rng(0).integers(0, 800, 50)
    assert len(data.rows.heights) > 2
    assert data.rows[numbers].cast(texts).equals(whole.rows[numbers].cast(texts))
    columns = [data.rows[name] for name in data.rows.columns]
    assert [column.cast(texts.get(type(column.dtype), column.dtype)).to_list() for column in columns] == [
        column.to_list() for column in whole.rows
    ]
    assert data.labels.to_polars().to_list() == whole.labels.to_list()


def test_the_command_line_gives_the_same_bytes(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    train = ["train", "people.csv", "--target", "rich", "--dev", "people.parquet", "--patience", "1", "-q", "-o"]
    assert run([*train, str(tmp_path / "memory")]) == 0
    assert run([*train, str(tmp_path / "stream"), "--stream"]) == 0
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize("target", ["rich", "kids", "sector", "income"])
@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_rows_are_held_out_as_in_memory(name, target, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    train = ["train", name, "--target", target, "--unlabelled", "skip", "--holdout", "0.25", "-s", "3", "--json", "-o"]
    told = []
    for how in ("memory", "stream"):
        assert run([*train, str(tmp_path / how), *["--stream"] * (how == "stream")]) == 0
        facts = json.loads(capsys.readouterr().out)
        told.append({name: fact for name, fact in facts.items() if name not in ("seconds", "model")})
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()
    assert told[0] == told[1]


SPLITS = {
    "group of texts": ["--holdout", "0.3", "--group", "zip"],
    "after a number that is no feature": ["--holdout", "0.3", "--after", "income", "--drop", "income"],
    "group with missing cells": ["--holdout", "0.3", "--group", "sector"],
    "after a date": ["--holdout", "0.2", "--after", "since"],
    "after a number": ["--holdout", "0.2", "--after", "age", "--threshold", "f1"],
    "calibrated": ["--calibrate"],
    "calibrated, with a threshold": ["--calibrate", "--threshold", "0.4", "--balanced"],
    "calibrated on held-out rows": ["--calibrate", "--holdout", "0.3"],
}


@pytest.mark.parametrize("options", list(SPLITS.values()), ids=list(SPLITS))
def test_splits_and_probabilities_are_those_of_memory(options, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    train = ["train", "csv", "--target", "rich", "--json", "-e", "2", *options, "-o"]
    told = []
    for how in ("memory", "stream"):
        assert run([*train, str(tmp_path / how), *["--stream"] * (how == "stream")]) == 0
        facts = json.loads(capsys.readouterr().out)
        told.append({name: fact for name, fact in facts.items() if name not in ("seconds", "model")})
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()
    assert told[0] == told[1]


def test_a_group_of_more_texts_than_are_kept_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rosenblatt.data.table_to_disk.MOST_TEXTS", 100)
    table = pl.DataFrame({"customer": [f"c{i // 2}" for i in range(600)], "x": range(600), "y": ["a", "b", "b"] * 200})
    table.unique("customer", maintain_order=True).write_csv(tmp_path / "t.csv")
    train = ["train", str(tmp_path / "t.csv"), "--target", "y", "--holdout", "0.2", "--stream", "--group", "customer"]
    assert run([*train, "-o", str(tmp_path / "m")]) == 1
    assert "customer" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()


def test_no_class_is_made_of_labels_that_are_only_held_out(tmp_path):
    (tmp_path / "t.csv").write_text("x,label\n" + "".join(f"{i % 7},{'yn'[i % 2] if i else 'rare'}\n" for i in range(400)))
    for seed in range(40):  # until the one row is held out
        held_out = split(rb.read(tmp_path / "t.csv", target="label"), 0.5, seed)[1]
        if "rare" in held_out.labels.to_list():
            break
    (tmp_path / "rows").mkdir()
    data = table_on_disk(tmp_path / "t.csv", ReadOptions(target="label", sizes=TINY), tmp_path / "rows")
    learned, measured = split_on_disk(data, 0.5, seed)
    assert sorted(learned.labels.texts) == ["n", "y"]
    assert measured.labels.to_polars().to_list() == held_out.labels.to_list()
    assert measured.rows["x"].to_list() == held_out.rows["x"].to_list()


def test_a_full_disk_is_named_and_leaves_no_model(folder, tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))"
    start = f"{limit}\nfrom rosenblatt.__main__ import main\nmain()"
    command = [sys.executable, "-c", start, "train", str(folder / "people.csv"), "--target", "rich", "--stream", "-q"]
    done = subprocess.run([*command, "-o", str(tmp_path / "m")], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "there is no room for the rows (File too large)" in done.stderr
    assert not (tmp_path / "m").exists()


def test_learn_takes_the_name_of_files_with_the_same_bytes(folder, tmp_path):
    where = str(folder / "parts-*.parquet")
    rb.learn(rb.read(where, target="rich"), epochs=2).save(tmp_path / "memory")
    for _ in range(2):  # the second time from the cache
        model = rb.learn(where, stream=True, target="rich", epochs=2, cache=tmp_path / "kept")
        model.save(tmp_path / "stream")
        assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()
    with pytest.raises(SettingError, match="only with stream=True"):
        rb.learn(where)
    with pytest.raises(SettingError, match="this is a data set"):
        rb.learn(rb.read("iris"), stream=True)
    with pytest.raises(SettingError, match="did you mean 'epochs'"):
        rb.learn(where, stream=True, epoch=2)


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (lambda i: f"the word number {i} of {i * i}", "The column 'x' holds sentences"),
        (lambda i: f"name{i % 150}", "more than 100 different texts stand in it"),
    ],
)
def test_what_a_table_on_disk_cannot_hold_is_named_with_the_remedy(column, reason, tmp_path, monkeypatch, capsys):
    if "100" in reason:
        monkeypatch.setattr("rosenblatt.data.table_to_disk.MOST_TEXTS", 100)
    rows = "".join(f"{column(i)},{i % 3},{'yn'[i % 2]}\n" for i in range(300))
    (tmp_path / "t.csv").write_text("x,y,label\n" + rows)
    train = ["train", str(tmp_path / "t.csv"), "--target", "label", "--stream", "-q"]
    assert run(train) > 0
    message = capsys.readouterr().err
    assert reason in message
    assert "--column x=drop" in message
    assert run([*train, "--column", "x=drop"]) == 0


def test_an_id_of_more_texts_than_are_kept_is_left_out_as_in_memory(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rosenblatt.data.table_to_disk.MOST_TEXTS", 100)
    table, options = tmp_path / "t.csv", {"target": "label", "epochs": 2}
    table.write_text("x,y,label\n" + "".join(f"name{i},{i % 3},{'yn'[i % 2]}\n" for i in range(300)))
    memory, stream = rb.learn(rb.read(table, target="label"), epochs=2), rb.learn(str(table), stream=True, **options)
    kinds = [[reading.kind for reading in model.features.readings.columns] for model in (memory, stream)]
    assert kinds == [["id", "number"]] * 2
    rows = rb.read(table, target="label").rows
    assert stream.scores(rows).tolist() == memory.scores(rows).tolist()
    assert run(["train", str(table), "--target", "label", "--stream", "-q", "--column", "x=category"]) > 0
    assert "leave out --column x=category, or --stream" in capsys.readouterr().err


@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="make test-full")
def test_a_larger_table_ends_on_the_bytes_of_memory(tmp_path):
    people(400_000).write_csv(tmp_path / "people.csv")
    for learner in LINEAR:
        recipe, where = replace(Recipe(), learner=learner, epochs=2), tmp_path / learner
        where.mkdir()
        rb.learn(rb.read(tmp_path / "people.csv", target="rich"), recipe).save(tmp_path / "memory")
        learn_stream(DiskSource(tmp_path / "people.csv", where, ReadOptions(target="rich")), recipe).classifier.save(
            tmp_path / "stream"
        )
        assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize("empty", [0, 2])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_files_without_rows_are_passed_over(tmp_path, suffix, empty):  # Spark writes one where a partition is empty
    table = people(300)
    parts = [table.head(100), table.slice(100, 100), table.tail(100)]
    parts.insert(empty, table.clear())
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(parts):
        write = part.write_csv if suffix == "csv" else part.write_parquet
        write(tmp_path / "parts" / f"{number}.{suffix}")
    streamed = rb.learn(str(tmp_path / "parts"), stream=True, target="rich", epochs=2)
    streamed.save(tmp_path / "stream")
    rb.learn(rb.read(tmp_path / "parts", target="rich"), epochs=2).save(tmp_path / "memory")
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()
    assert streamed.summary.examples == 300


def test_a_folder_of_which_no_file_has_rows_is_refused(tmp_path):
    for number in range(2):
        people(5).clear().write_parquet(tmp_path / f"{number}.parquet")
    with pytest.raises(rb.FileError, match="none of the 2 parquet files has rows"):
        rb.read(tmp_path, target="rich")
    with pytest.raises(rb.FileError, match="none of the 2 parquet files has rows"):
        rb.learn(str(tmp_path), stream=True, target="rich")


def test_a_folder_of_folders_of_tables_says_how_to_name_its_files(tmp_path):
    for year in (2023, 2024):
        (tmp_path / f"year={year}").mkdir()
        people(40, year).write_parquet(tmp_path / f"year={year}" / "0.parquet")
    with pytest.raises(rb.TargetError, match=r"folders of tables: name the files themselves, '.*\*\*.*\*\.parquet'"):
        rb.learn(str(tmp_path), stream=True, target="rich")
    assert rb.learn(f"{tmp_path}/**/*.parquet", stream=True, target="rich", epochs=1).summary.examples == 80


def test_a_column_of_texts_in_one_file_and_of_numbers_in_another_can_be_left_out(tmp_path):
    people(40).write_parquet(tmp_path / "0.parquet")
    people(40, 1).with_columns(pl.col("kids").cast(pl.String)).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(rb.FileError, match=r"column 'kids': it holds texts in some rows.*--column kids=drop"):
        rb.learn(str(tmp_path), stream=True, target="rich")
    without = {"per_column": {"kids": "drop"}}
    assert rb.learn(str(tmp_path), stream=True, target="rich", epochs=1, features=without).summary.examples == 80


def test_a_long_run_proves_without_the_table_that_rows_contradict_each_other(tmp_path, capsys):
    """After many epochs a proof is looked for, when the table on disk has gone: it is one about features."""
    draw = np.random.default_rng(0)
    age, buys = draw.integers(18, 60, 300), draw.choice(["yes", "no"], 300)
    pl.DataFrame({"age": age, "city": draw.choice(list("abc"), 300), "buys": buys}).write_csv(tmp_path / "people.csv")
    margins = []
    for options in ([], ["--stream"]):
        train = ["train", str(tmp_path / "people.csv"), "--target", "buys", "-e", "400", "-o", str(tmp_path / f"m{options}")]
        assert run([*train, *options]) == 0
        margins += [line for line in capsys.readouterr().out.splitlines() if line.startswith("margin")]
    assert margins[0] == margins[1]
    assert "No line can separate these rows" in margins[0]
    assert (tmp_path / "m[]").read_bytes() == (tmp_path / "m['--stream']").read_bytes()
