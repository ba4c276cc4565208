"""What a cluster learns from files, and says of them, is what one process does: cut and sampled as they may be."""

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.local import learn_with_workers
from rosenblatt.cluster.tasks import TasksHere
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import FileError, SettingError
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.stream import DiskSource, learn_stream

RECIPE = Recipe(shards=3, epochs=2, features={"numeric": "number"})


def table(n=600):
    draw = np.random.default_rng(0)
    size, kind = draw.normal(5, 2, n).round(2), draw.choice(["plain", "fine", "rare, too"], n)
    wanted = np.where((size + 2 * (kind == "plain") > 6) ^ (draw.random(n) < 0.1), "yes", "no")
    return pl.DataFrame({"size": size, "kind": kind, "wanted": wanted})


def on_cluster(where, folder, recipe=RECIPE, sample_rows=2**16, **options):
    reading = ReadOptions(target="wanted", **options)
    source = FileSource(str(where), reading, block_bytes=4000, folder=str(folder), sample_rows=sample_rows)
    return learn_on_cluster(source, recipe, TasksHere())


def write_parts(folder, frames, format="csv"):
    folder.mkdir()
    for number, frame in enumerate(frames):
        getattr(frame, f"write_{format}")(folder / f"part-{number}.{format}")
    return folder


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_files_of_a_folder_may_order_their_columns_otherwise(format, tmp_path):
    whole = table()
    frames = [whole[:200], whole[200:400].select("wanted", "kind", "size"), whole[400:]]
    folder = write_parts(tmp_path / "parts", frames, format)
    (folder / "_SUCCESS").touch()  # as Spark leaves it
    learned, data = on_cluster(folder, tmp_path / "rows"), rb.read(folder, target="wanted")
    expected = learn_with_workers(data, 1, RECIPE)
    assert learned.classifier.features.names == expected.features.names
    assert learned.classifier.linear().coef.tobytes() == expected.linear().coef.tobytes()
    assert learned.notes == data.notes == (f"3 {format} files of {folder} were read as one table.",)


@pytest.mark.parametrize(
    ("format", "change"),
    [
        ("csv", lambda frame: frame.drop("kind")),
        ("csv", lambda frame: frame.with_columns(more=1)),
        ("parquet", lambda frame: frame.with_columns(more=1)),
        ("parquet", lambda frame: frame.with_columns(pl.col("size").cast(str))),
    ],
)
def test_files_that_are_no_parts_of_one_table_are_refused_in_the_same_words(format, change, tmp_path):
    folder = write_parts(tmp_path / "parts", [table(), change(table())], format)
    with pytest.raises(FileError) as expected:
        rb.read(folder, target="wanted")
    with pytest.raises(FileError) as problem:
        on_cluster(folder, tmp_path / "rows", sample_rows=50)
    assert str(problem.value) == str(expected.value)


@pytest.mark.parametrize("sample_rows", [2**16, 60])
def test_rows_that_repeat_the_names_are_no_rows(sample_rows, tmp_path):
    """As where files were put below one another."""
    lines = table().write_csv().splitlines(keepends=True)
    (tmp_path / "rows.csv").write_text("".join([*lines, lines[0], *lines[1:300], lines[0], *lines[300:]]))
    data = rb.read(tmp_path / "rows.csv", target="wanted")
    learned = on_cluster(tmp_path / "rows.csv", tmp_path / "rows", sample_rows=sample_rows)
    assert learned.classifier.classes.tolist() == ["no", "yes"]
    assert learned.classifier.summary.examples == len(data) == 1200
    assert learned.notes == data.notes
    assert "2 rows of" in learned.notes[0]


def test_rows_without_a_label_are_counted_once_by_every_door(tmp_path):
    """Blocks and batches each have some of them: they are told together."""
    frame = table().with_columns(pl.when(pl.int_range(600) % 9 > 0).then("wanted").alias("wanted"))
    frame.write_csv(path := tmp_path / "rows.csv")
    options = {"target": "wanted", "unlabelled": "skip"}
    expected = rb.read(path, **options).notes
    assert expected == (f"67 rows have no label and were left out of {path}.",)
    assert on_cluster(path, tmp_path / "rows", unlabelled="skip").notes == expected
    (tmp_path / "disk").mkdir()
    small = ReadOptions(sizes=ReadOptions().sizes.__class__(table_block=1000), **options)
    assert learn_stream(DiskSource(path, tmp_path / "disk", small), RECIPE).notes == expected


@pytest.mark.parametrize("header", [True, False])
def test_a_column_that_only_counts_the_rows_is_left_out_by_a_sample_too(header, tmp_path):
    """As pandas writes its index, without a name."""
    frame = table(6000).with_row_index("")
    frame.write_csv(path := tmp_path / "rows.csv", include_header=header)
    options = {} if header else {"header": False, "target": 4}
    reading = ReadOptions(**{"target": "wanted", **options})
    source = FileSource(str(path), reading, block_bytes=40_000, folder=str(tmp_path / "rows"), sample_rows=1000)
    learned = learn_on_cluster(source, RECIPE, TasksHere()).classifier
    expected = learn_from(rb.read(path, **{"target": "wanted", **options}), RECIPE).classifier
    assert "column_1" not in " ".join(learned.features.names)
    assert learned.features.names == expected.features.names
    assert learned.file_columns == expected.file_columns


def test_what_the_sample_did_not_show_is_told(tmp_path):
    n = 4000
    frame, row = table(n).with_columns(pl.col("size").cast(str)), pl.int_range(n)
    frame = frame.with_columns(
        size=pl.when(row == 3001).then(pl.lit("broken")).otherwise("size"),
        day=pl.when(row == 3003).then(pl.lit("soon")).otherwise(pl.lit("2024-03-") + (row % 28 + 1).cast(str).str.zfill(2)),
        shop=pl.when(row == 3001).then(pl.lit("B")).otherwise(pl.lit("A")),
        blank=pl.when(row == 3001).then(pl.lit("C")).otherwise(pl.lit("NULL")),
        always=pl.lit("A"),
        never=pl.when(row % 2 == 1).then(pl.lit("NULL")),
        buyer=pl.lit("buyer ") + pl.when(row < 100).then(row).otherwise(row // 4).cast(str),
        order=pl.lit("order ") + row.cast(str),
    )
    frame.write_csv(path := tmp_path / "rows.csv")
    learned = on_cluster(path, tmp_path / "rows", sample_rows=400)
    assert learned.classifier.summary.examples == n
    assert learned.notes == (
        "shop was left out (A in every row of a sample), but not all rows are so: --column shop=category keeps it.",
        "blank was left out (empty in every row of a sample), but not all rows are so: --column blank=category keeps it.",
        "buyer was left out as an ID, but its 4,000 cells hold 1,000 values: --column buyer=category keeps it.",
        "size: 1 value was not a number and taken as missing.",
        "day: 1 value was not a date as in training and taken as missing.",
    )


def test_values_that_repeat_only_from_block_to_block_are_told(tmp_path):
    """No block has a buyer twice, and the sample hardly any."""
    row, n = pl.int_range(20_000), 20_000
    frame = table(n).with_columns(buyer=pl.lit("buyer ") + (row % 5000).cast(str), order=pl.lit("order ") + row.cast(str))
    frame.write_csv(path := tmp_path / "rows.csv")
    reading = ReadOptions(target="wanted")
    source = FileSource(str(path), reading, block_bytes=80_000, folder=str(tmp_path / "rows"), sample_rows=300)
    told = learn_on_cluster(source, RECIPE, TasksHere()).notes
    assert [note for note in told if "ID" in note] == [
        "buyer was left out as an ID, but its 20,000 cells hold about 5,000 values: --column buyer=category keeps it."
    ]


def test_a_short_block_does_not_outweigh_the_others_in_the_sample(tmp_path):
    """Words in 3 % of the rows are missing numbers, also where a block of their own has them."""
    row = pl.int_range(4000)
    frame = table(4000).with_columns(size=pl.when(row >= 3880).then(pl.lit("broken")).otherwise(pl.col("size").cast(str)))
    frame.write_csv(path := tmp_path / "rows.csv")
    reading, size = ReadOptions(target="wanted"), path.stat().st_size
    source = FileSource(str(path), reading, int(size * 0.97), folder=str(tmp_path / "rows"), sample_rows=2000)
    learned = learn_on_cluster(source, RECIPE, TasksHere()).classifier
    assert learned.features.names == learn_from(rb.read(path, target="wanted"), RECIPE).classifier.features.names


def test_cells_that_are_not_read_are_told_where_the_sample_is_all_rows(tmp_path):
    table().with_columns(size=pl.when(pl.int_range(600) < 100).then(pl.lit("big")).otherwise(pl.lit("7"))).write_csv(
        path := tmp_path / "rows.csv"
    )
    recipe = Recipe(shards=3, epochs=2, features={"numeric": "number", "per_column": {"size": "number"}})
    expected = learn_from(rb.read(path, target="wanted"), recipe).notes
    assert expected == ("size: 100 values were not a number and taken as missing.",)
    assert on_cluster(path, tmp_path / "rows", recipe).notes == expected
    assert on_cluster(path, tmp_path / "rows", recipe).notes == expected  # of rows that were encoded before


def test_sentences_are_refused_with_what_a_cluster_can_do(tmp_path):
    words = np.random.default_rng(0).choice(["late", "again", "please", "refund", "order", "call"], (600, 8))
    table().with_columns(note=pl.Series([" ".join(line) for line in words])).write_csv(tmp_path / "rows.csv")
    with pytest.raises(SettingError, match=r"'note' holds sentences.* on a cluster\. .*take --workers in place of --dask"):
        on_cluster(tmp_path / "rows.csv", tmp_path / "rows", sample_rows=60)


def test_rare_classes_are_told(tmp_path, capsys):
    pytest.importorskip("distributed", reason="dask is not installed")
    frame = table().with_columns(wanted=pl.when(pl.int_range(600) == 7).then(pl.lit("maybe")).otherwise("wanted"))
    frame.write_csv(tmp_path / "rare.csv")
    command = ["train", str(tmp_path / "rare.csv"), "--target", "wanted", "--numeric", "number"]
    assert run(command) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert "maybe is the class of 0.17 % of the rows" in told[0]
    assert run([*command, "--dask", "local", "--workers", "1"]) == 0
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")] == told
