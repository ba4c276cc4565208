"""A table comes out of its file as it went in, whatever the file does with quotes, blanks and line ends."""

import csv
import gzip
import io
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.data import Dataset, ReadOptions, batches, read
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.data.reading import batches_of, read_with
from rosenblatt.errors import SettingError

TABLE = b"age,job,buys\n39,clerk,no\n50,?,yes\n,cook,no\n"
EXPECTED = [(39, "clerk", "no"), (50, None, "yes"), (None, "cook", "no")]


def rows_of(content, **options):
    return read(io.BytesIO(content), **options).rows.rows()


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.rstrip(b"\n"),
        TABLE + b"\n\n\n",
        b"\n\n" + TABLE,
        b"\xef\xbb\xbf" + TABLE,
        TABLE.replace(b"\n", b"\r"),  # as Excel writes for old Macs
        b"\xef\xbb\xbf" + TABLE.replace(b"\n", b"\r").rstrip(b"\r"),
        TABLE.replace(b"\n", b"\r\n"),
        TABLE.replace(b"\n", b"\r\n") + b"\r\n",
        b"\xef\xbb\xbf" + TABLE.replace(b"\n", b"\r\n"),
        TABLE.replace(b",", b", "),
        TABLE.replace(b",", b" , "),
        TABLE.replace(b",", b"\t"),
        TABLE.replace(b",", b";"),
        TABLE.replace(b",", b"|"),
        TABLE.replace(b"clerk", b'"clerk"').replace(b"cook", b'" cook "'),
        TABLE.replace(b"clerk", b' "clerk"'),
        TABLE.replace(b"clerk", b'"clerk" '),
        TABLE.replace(b"50", b'"50"'),
        TABLE.replace(b"39,clerk,no\n", b"39,clerk,no\n\n   \n"),
        gzip.compress(TABLE, mtime=0),
        gzip.compress(TABLE[:20], mtime=0) + gzip.compress(TABLE[20:], mtime=0),
    ],
)
def test_the_same_table_in_every_dress(content, tmp_path):
    assert rows_of(content) == EXPECTED
    path = tmp_path / "table"
    path.write_bytes(content)
    assert read(path).rows.rows() == EXPECTED
    assert [row for part in batches(path, rows=2) for row in part.rows.rows()] == EXPECTED
    data = read(path, target="buys")
    assert data.kind == "table"
    assert data.rows.columns == ["age", "job"]
    assert data.labels.to_list() == ["no", "yes", "no"]


@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc, pl.DataFrame.write_ipc_stream])
def test_parquet_and_arrow_are_recognised_by_content(write, tmp_path):
    frame = pl.DataFrame({"age": [39, 50], "kind": pl.Series(["a", "b"], dtype=pl.Categorical), "y": [True, False]})
    write(frame, tmp_path / "data.bin")
    data = read(tmp_path / "data.bin", target="y")
    assert data.rows.rows() == [(39, "a"), (50, "b")]
    assert data.labels.to_list() == [True, False]
    assert [len(part) for part in batches(tmp_path / "data.bin", rows=1, target="y")] == [1, 1]


def test_dates_become_text_and_decimals_numbers(tmp_path):
    frame = pl.DataFrame({"day": ["2024-02-29"], "price": ["1.50"]})
    frame = frame.select(pl.col("day").str.to_date(), pl.col("price").cast(pl.Decimal(10, 2)))
    frame.write_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").rows.rows() == [("2024-02-29", 1.5)]


@pytest.mark.parametrize(
    ("target", "labels"), [(1, [1, 4]), ("1", [1, 4]), (-1, ["x", "y"]), ("-1", ["x", "y"]), (3, ["x", "y"])]
)
def test_without_a_header_columns_are_counted(target, labels):
    data = read(io.BytesIO(b"1,2.5,x\n4,5,y\n"), header=False, target=target)
    assert data.labels.to_list() == labels


def test_without_a_header_names_are_generated_or_given():
    assert read(io.BytesIO(b"1,x\n"), header=False).rows.columns == ["column_1", "column_2"]
    assert read(io.BytesIO(b"1,x\n"), header=False, names=["n", "s"], target="s").rows.columns == ["n"]
    assert read(io.BytesIO(b"a,b\n1,x\n"), names=["n", "s"]).rows.columns == ["n", "s"]


def test_numbers_stay_numbers_and_text_text():
    frame = read(io.BytesIO(b"i,f,e,s,b,mixed\n1,1.5,1e3,x,true,1\n-2,2,.5,y,false,a\n")).rows
    assert [str(t) for t in frame.dtypes] == ["Int64", "Float64", "Float64", "String", "String", "String"]


def test_a_type_that_changes_late_changes_the_whole_column(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"a,b,c\n" + b"1,2,3\n" * 900_000 + b"1.5,x,3\n")
    frame = read(path).rows
    assert frame.row(0) == (1.0, "2", 3)
    assert frame.row(-1) == (1.5, "x", 3)
    assert frame.height == 900_001


def test_missing_marks_can_be_chosen():
    content = b"a,b\n1,?\nNA,x\nnan,y\n"
    assert rows_of(content, missing=["NA", "nan"]) == [(1, "?"), (None, "x"), (None, "y")]
    assert rows_of(b"a,b\n1,x\n-9,y\n", missing="-9") == [(1, "x"), (None, "y")]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Float64])
@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_a_mark_that_is_a_number_is_missing_in_a_typed_column_too(dtype, write):
    content = io.BytesIO()
    write(pl.DataFrame({"a": pl.Series([1, 99, None], dtype=dtype), "b": ["99", "x", "y"]}), content)
    rows = read(io.BytesIO(content.getvalue()), missing="99").rows.rows()
    assert rows == [(1, None), (None, "x"), (None, "y")]


def test_half_floats_are_numbers_as_others_are():
    content = io.BytesIO()
    pl.DataFrame({"a": pl.Series([0.1, float("nan")], dtype=pl.Float32).cast(pl.Float16)}).write_ipc(content)
    assert read(io.BytesIO(content.getvalue())).rows["a"].is_null().to_list() == [False, True]


def test_nan_in_parquet_is_missing(tmp_path):
    pl.DataFrame({"a": [1.0, float("nan")]}).write_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").rows.rows() == [(1.0,), (None,)]


def test_quotes_inside_words_are_no_quotes():
    assert rows_of(b'a,b\n5" pipe,x\n3" pipe,y\n7,z\n') == [('5" pipe', "x"), ('3" pipe', "y"), ("7", "z")]


def test_blanks_around_quotes_are_seen_at_every_place():
    """Blocks of a few bytes, so that the edge falls between the blank and the quote."""
    for size in range(1, 12):
        options = ReadOptions(sizes=BufferSizes(count_block=size))
        for cell in (b' "clerk"', b'"clerk" ', b'"clerk"'):
            assert read_with(io.BytesIO(TABLE.replace(b"clerk", cell)), options).rows.rows() == EXPECTED


def test_blanks_between_columns():
    content = b'18.0   8   ?   3504.  1\t"chevrolet chevelle"\n15.0   4   165.0   3693.  2\t"buick"\n'
    expected = [(18.0, 8, None, 3504.0, 1, "chevrolet chevelle"), (15.0, 4, 165.0, 3693.0, 2, "buick")]
    assert rows_of(content, header=False) == expected
    assert rows_of(content, header=False, delimiter=" ") == expected


def test_a_column_of_commas_does_not_hide_the_semicolons():
    assert rows_of(b"a;b\n1,5;x\n2,5;y\n") == [("1,5", "x"), ("2,5", "y")]


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(gzip.compress(TABLE, mtime=0))

    monkeypatch.setattr(sys, "stdin", Stdin)
    data = read("-")
    assert data.name == "standard input"
    assert data.rows.rows() == EXPECTED


def test_settings_are_checked_at_the_door():
    for options in ({"format": "exel"}, {"delimiter": "ab"}, {"names": "a,b"}, {"n_features": 0}):
        with pytest.raises(SettingError):
            read(io.BytesIO(TABLE), **options)
    with pytest.raises(SettingError, match="mode 'rb'"):
        read(io.StringIO("a,b\n1,2\n"))
    with pytest.raises(SettingError):
        read(42)
    with pytest.raises(SettingError):
        batches(io.BytesIO(TABLE), rows=0)


def test_take_and_slice_agree_between_kinds():
    table = read(io.BytesIO(TABLE), target="buys")
    assert table.take(np.array([2, 0])).labels.to_list() == ["no", "no"]
    assert table.take(np.array([False, True, False])).rows.rows() == [(50, None)]
    assert table.slice(1).rows.rows() == table.take(np.array([1, 2])).rows.rows()
    sparse = read(io.BytesIO(b"1 1:1\n2 2:1\n3 1:5\n"))
    assert sparse.take(np.array([2, 1])).rows.toarray().tolist() == [[5, 0], [0, 1]]
    assert sparse.slice(0, 1).labels.tolist() == [1]
    assert len(Dataset("sparse", sparse.rows, None, "x").take(np.array([0]))) == 1


# Cells that survive: no blanks at the edges (they are stripped by design), not a mark for "missing", not a number.
cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=12).map(
    lambda text: "v" + text.strip() + "w"
)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=8)),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_what_pythons_csv_writes_is_read_back(rows, delimiter, end, quoting):
    """The witness is Python's csv module, writing."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    names = [f"c{i}" for i in range(len(rows[0]))]
    writer.writerows([names, *rows])
    content = text.getvalue().encode()
    data = read(io.BytesIO(content), format="csv", delimiter=delimiter)
    assert data.rows.columns == names
    assert [list(row) for row in data.rows.rows()] == rows
    parts = batches(io.BytesIO(content), rows=3, format="csv", delimiter=delimiter)
    assert [list(row) for part in parts for row in part.rows.rows()] == rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_are_read_back_bit_for_bit(numbers):
    content = "x,y\n" + "".join(f"{x!r},a\n" for x in numbers)
    assert read(io.BytesIO(content.encode())).rows["x"].to_list() == numbers


@pytest.mark.parametrize("rows", [3_000, 400_000])
def test_a_missing_mark_that_is_a_number_is_missing_in_large_files_too(rows, tmp_path):
    path = tmp_path / "sensor.csv"
    path.write_text("a,b\n" + "".join(f"{-999 if i % 1000 == 7 else i},{i % 3}\n" for i in range(rows)))
    table = read(path, missing=["", "-999"]).rows
    assert table["a"].null_count() == rows // 1000
    assert table["a"].min() >= 0


@pytest.mark.parametrize("name", ["PAR1", "ARROW1", "FEA1", "BZhours", "%PDF", "PAR1 a"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_column_may_be_called_as_files_of_another_format_begin(name, delimiter):
    content = f"{name}{delimiter}y\n1{delimiter}u\n2{delimiter}v\n".encode()
    assert read(io.BytesIO(content), target="y").rows.to_dict(as_series=False) == {name: [1, 2]}


def test_a_target_may_be_called_as_all_columns():
    data = read(io.BytesIO(b"*,a\nu,1\nv,2\n"), target="*")
    assert (data.rows.columns, data.labels.to_list()) == (["a"], ["u", "v"])


@pytest.mark.parametrize("folder", ["~", "file:"])
@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_batches_come_from_the_file_that_was_named(folder, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / folder).mkdir()
    with open(f"{folder}/rows", "wb") as file:
        write(pl.DataFrame({"a": [1]}), file)
    write(pl.DataFrame({"a": [2]}), tmp_path / "rows")
    assert [part.rows["a"].to_list() for part in batches(f"{folder}/rows")] == [[1]]


def test_what_stands_behind_a_closing_quote_belongs_to_the_cell():
    """As Python's csv reads it; polars gives a comma alone."""
    assert rows_of(b'a:b\n"","":1\n', delimiter=":") == [(',""', 1)]
    assert rows_of(b'a:b\n"",""":1\n"x"y:2\n', delimiter=":") == [(',"""', 1), ("xy", 2)]


@pytest.mark.parametrize("ahead", [True, False])
def test_a_large_group_of_rows_of_a_parquet_file_is_decoded_in_parts(ahead, tmp_path, monkeypatch):
    n, heights, collect = 600_000, [], pl.LazyFrame.collect
    x = np.arange(n)
    pl.DataFrame({"x": x, "y": np.where(x % 3, "a", "b")}).write_parquet(tmp_path / "t.parquet", row_group_size=n)

    def counted(self, *arguments, **named):
        frame = collect(self, *arguments, **named)
        heights.append(frame.height)
        return frame

    monkeypatch.setattr(pl.LazyFrame, "collect", counted)
    parts = list(batches_of(tmp_path / "t.parquet", None, ReadOptions(target="y", ahead=ahead)))
    assert sum(heights) >= n  # all of them, and no more than this at a time
    assert max(heights) == 2**18
    assert np.array_equal(np.concatenate([part.rows["x"].to_numpy() for part in parts]), x)
