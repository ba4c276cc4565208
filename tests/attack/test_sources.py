"""Attacks on the door for bytes: pipes, files that change or end while they are read, input without an end."""

import io
import os
import tarfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.data.source import HEAD_BYTES, Source, replacing
from rosenblatt.errors import FileError

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
ROWS = 40_000  # some 400 kB: more than is read to recognise a format


@contextmanager
def pipe(path, content):
    """A FIFO that gives the content once, as <(…) of a shell does."""
    os.mkfifo(path)

    def fill():
        with open(path, "wb") as stream:
            stream.write(content)

    writer = threading.Thread(target=fill, daemon=True)
    writer.start()
    yield str(path)
    writer.join(10)
    assert not writer.is_alive(), "not all of it was read"


def table(rows=ROWS):
    return b"a,b,y\n" + b"".join(b"%d,%d,%s\n" % (i, i * i % 97, b"no" if i % 3 else b"yes") for i in range(rows))


@pytest.mark.parametrize("name", ["rows", "rows.csv"])
def test_a_pipe_is_read_whole(tmp_path, name):
    content = table()
    assert len(content) > HEAD_BYTES
    with pipe(tmp_path / name, content) as path:
        assert read(path, target="y").rows.equals(read(io.BytesIO(content), target="y").rows)


def test_batches_of_a_pipe_lose_no_row(tmp_path):
    with pipe(tmp_path / "rows", table()) as path:
        assert sum(len(part) for part in batches(path, target="y")) == ROWS


def test_training_from_a_pipe_sees_every_row(tmp_path, capsys):
    with pipe(tmp_path / "rows", table()) as path:
        assert run(["train", path, "--target", "y", "--epochs", "1", "--json"]) == 0
    assert f'"examples": {ROWS}' in capsys.readouterr().out


def test_a_pipe_is_no_file_to_stream_from(tmp_path, capsys):
    """It was opened twice, and the second time it was empty."""
    os.mkfifo(tmp_path / "rows")
    assert run(["train", str(tmp_path / "rows"), "--target", "y", "--stream"]) == 2
    message = capsys.readouterr().err
    assert "can be read once, and --stream reads a file again and again" in message
    assert "train - --stream --hash 20" in message


def test_a_file_that_takes_the_name_of_another_is_not_mixed_with_it(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(table(10))
    source = Source(path)
    (tmp_path / "other").write_bytes(b"y,b,a\nno,1,2\n")
    os.replace(tmp_path / "other", path)
    assert source.read() == table(10)


@pytest.mark.parametrize("change", ["overwritten", "longer", "shorter"])
@pytest.mark.parametrize("ending", ["csv", "libsvm", "tsv"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, ending, change):
    path = tmp_path / f"rows.{ending}"
    line = {"csv": b"1,2,x\n", "tsv": b"1\t2\tx\n", "libsvm": b"1 1:2 3:4\n"}[ending]
    header = {"csv": b"a,b,y\n", "tsv": b"a\tb\ty\n", "libsvm": b""}[ending]
    path.write_bytes(header + line * 40_000)
    parts = batches(path, rows=50, zero_based=False, sizes=SHORT_LINES)
    next(parts)
    os.utime(path, ns=(1, 1))  # so that a write is seen, however coarse the clock
    with path.open("r+b") as file:
        if change == "overwritten":
            file.write(header + line.replace(b"2", b"7") * 40_000)
        else:
            file.truncate(100_000 if change == "shorter" else 1_000_000)
    with pytest.raises(FileError):
        for _ in parts:
            pass


def test_a_file_that_shrinks_in_the_middle_of_a_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_bytes(table())
    opened = Source(path).open()
    opened.__enter__().read(1000)
    os.truncate(path, 2000)
    with pytest.raises(FileError, match="changed while it was read"):
        opened.__exit__(None, None, None)


def test_a_long_header_and_a_long_cell_are_read(tmp_path):
    names = [f"a rather long name of the column with number {j:05}" for j in range(20_000 if FULL else 8_000)]
    wide = (",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode()
    assert len(wide) > HEAD_BYTES
    assert read(io.BytesIO(wide)).rows.columns == names
    long = b"text,y\n" + b"x" * 200_000 + b",no\nz,yes\n"
    for content in (long, long.replace(b"xx", b'"x', 1).replace(b"x,", b'x",', 1)):
        assert read(io.BytesIO(content), target="y").labels.to_list() == ["no", "yes"]
    quoted = b'text,y\n"' + b"x" * 200_000 + b'",no\n z,"yes"\n'
    assert read(io.BytesIO(quoted), target="y").rows["text"].str.len_chars().to_list() == [200_000, 1]


SHORT_LINES = BufferSizes(table_block=2**18, libsvm_chunk=2**18, longest_line=2**20)


class Endless(io.RawIOBase):
    """A beginning, and then the same byte for ever."""

    def __init__(self, start, forever):
        self.start, self.forever, self.given = start, forever, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self.start[: len(buffer)] or self.forever * len(buffer)
        self.start = self.start[len(data) :]
        buffer[: len(data)] = data
        self.given += len(data)
        return len(data)


@pytest.mark.parametrize(
    ("start", "forever", "format"),
    [
        (b"1 1:1\n1 2:1", b"0", "libsvm"),
        (b"1 1:1\n1 ", b" ", "libsvm"),
        (b"ham\tsee you\nspam\twin a prize", b"!", "text"),
        (b"see you\nwin a prize", b"!", "lines"),
        (b"a,b\n1,2\n3,", b"4", "csv"),
        (b'a,b\n1,2\n3,"', b"\n", "csv"),
        (b"a,b", b"c", "csv"),
        (b"a b\n1 2\n3 ", b"4", "blanks"),
    ],
)
def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(start, forever, format):
    stream = Endless(start, forever)
    with pytest.raises(FileError):
        for _ in batches(io.BufferedReader(stream), format=format, sizes=SHORT_LINES):
            pass
    assert stream.given <= 4 * SHORT_LINES.longest_line


def test_a_sparse_archive_that_claims_much_is_refused(tmp_path):
    header = tarfile.TarInfo("ham/1")
    header.size = 50 << 30
    path = tmp_path / "mail.tar"
    path.write_bytes(header.tobuf() + b"\0" * 1024)
    with pytest.raises(FileError, match=r"a message of 51,200 MB or more: 64 MB are the limit"):
        read(path)


def test_a_link_to_a_device_in_a_folder_is_refused(tmp_path):
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham" / "1").write_text("see you")
    (tmp_path / "ham" / "2").symlink_to("/dev/zero")
    with pytest.raises(FileError, match="not an ordinary file"):
        read(tmp_path)


def test_images_that_are_not_there_take_no_room(tmp_path):
    path = tmp_path / "images-idx3-ubyte"
    path.write_bytes(b"\0\0\x08\x03" + (2**32 - 1).to_bytes(4, "big") * 3)
    with pytest.raises(FileError, match="truncated"):
        read(path)


BLANK_LINES = ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]  # where Python cuts lines, and no file does


@pytest.mark.parametrize("mark", BLANK_LINES)
def test_only_a_line_feed_ends_a_line(mark):
    content = f"a{mark}b,y\n1{mark}2,no\n3,yes\n".encode()
    rows = read(io.BytesIO(content), target="y").rows
    assert rows.columns == [f"a{mark}b"]
    assert rows.to_series().to_list() == [f"1{mark}2", "3"]


def test_blanks_are_those_that_polars_strips():
    from rosenblatt.data.table import BLANKS

    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    kept = pl.Series(every).str.strip_chars()
    assert {letter for letter, rest in zip(every, kept, strict=True) if rest == ""} == set(BLANKS)


@pytest.mark.parametrize("blank", ["\xa0", "\u3000", "\x85", "\v", " ", "\t", "\u2007"])
@pytest.mark.parametrize("large", [False, True])
def test_a_cell_is_stripped_of_every_blank_whatever_stands_beside_it(blank, large):
    rows = 600_000 if large else 3
    content = ("a,b,y\n" + f"x,{blank}1{blank},no\n" + "x,2,yes\n" * rows).encode()
    first = read(io.BytesIO(content), target="y").rows.row(0)
    assert first == ("x", 1)
    assert next(batches(io.BytesIO(content), target="y")).rows.row(0) == ("x", 1)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0"], [1, 0]),
        (["01", "1"], ["01", "1"]),
        (["1", "+1"], ["1", "+1"]),
        (["1.0", "2.0"], [1.0, 2.0]),
        (["1.0", "2.50"], ["1.0", "2.50"]),
        (["12345678901234567890", "12345678901234567891"], ["12345678901234567890", "12345678901234567891"]),
        (["1e5", "2"], ["1e5", "2"]),
    ],
)
@pytest.mark.parametrize("rows", [1, 500_000])
def test_labels_are_numbers_only_where_they_print_back(labels, expected, rows):
    content = ("x,y\n" + "".join(f"1,{label}\n" for label in labels) * rows).encode()
    data = read(io.BytesIO(content), target="y")
    assert data.labels[: len(labels)].to_list() == expected
    assert data.labels.n_unique() == len(labels)


@pytest.mark.parametrize("value", ["1e100000", "1e-100000", "1e0000000000001", "0." + "0" * 9_990 + "1e100000", "-0e999999"])
def test_exponents_of_many_digits_mean_what_python_says(value):
    line = f"1 1:{value}\n".encode()
    if np.isfinite(float(value)):
        assert read(io.BytesIO(b"0 2:1\n" + line), format="libsvm").rows[1, 0] == float(value)
    else:
        with pytest.raises(FileError, match="finite"):
            read(io.BytesIO(b"0 2:1\n" + line), format="libsvm")


@pytest.mark.parametrize("zeros", [1, 11, 25, 5000])
def test_leading_zeros_of_an_index_count_for_nothing(zeros):
    content = b"1 " + b"0" * zeros + b"3:5\n0 " + b"0" * zeros + b"1:1\n"
    assert read(io.BytesIO(content), format="libsvm").rows.toarray().tolist() == [[0, 0, 5], [1, 0, 0]]


def test_an_index_of_many_zeros_is_index_zero(tmp_path):
    path = tmp_path / "rows.libsvm"
    path.write_bytes(b"1 1:1\n" * 5 + b"0 000:2\n")
    assert read(path).zero_based
    assert all(part.zero_based for part in batches(path, rows=2))
    assert Path(path).read_bytes().endswith(b"000:2\n")


def test_a_save_removes_what_a_killed_one_left_and_nothing_that_is_being_written(tmp_path):
    stale = tmp_path / ".rosenblatt-0123456789abcdef.tmp"
    stale.write_bytes(b"left by a process that was killed")
    with replacing(tmp_path / "first") as first:
        assert not stale.exists()
        first.write(b"1")
        written = tmp_path / ".rosenblatt-fedcba9876543210.tmp"
        os.link(f"/proc/self/fd/{first.fileno()}", written, src_dir_fd=first.fileno())  # as just before a rename
        with replacing(tmp_path / "second") as second:
            second.write(b"2")
        assert written.exists()
    assert (tmp_path / "first").read_bytes() == b"1"
    with replacing(tmp_path / "second") as second:
        second.write(b"3")
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second"}
