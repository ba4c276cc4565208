"""Every bad file is refused with a sentence that names the file, the line and the remedy, whole or in batches."""

import gzip
import io
import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from bad_files import ARROW, BAD, NEWS, PARQUET, TABLE, idx, sheet

from rosenblatt.data import batches, read
from rosenblatt.errors import FileError, RosenblattError


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("door", [read, lambda *a, **k: list(batches(*a, **k))], ids=["read", "batches"])
def test_a_bad_file_is_refused_by_name(case, door, tmp_path):
    name, content, options, line, words = BAD[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        door(str(path), **options)
    message = str(caught.value)
    assert words in message
    assert str(path) in message
    if door is read:
        assert caught.value.line == line
    if line is not None:
        assert f"line {caught.value.line:,}" in message
    assert message.endswith((".", "?", ")"))


@pytest.mark.parametrize("case", [case for case in BAD if "far down" not in case])
def test_a_bad_stream_is_refused_like_the_file(case):
    _, content, options, _, words = BAD[case]
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(content), **options)
    assert words in str(caught.value)
    assert "the stream" in str(caught.value)


def test_damage_anywhere_is_refused_or_read_but_never_a_foreign_error(tmp_path):
    """Bytes overwritten and cut at many places: only our own errors may come out."""
    random = np.random.default_rng(0)
    path = tmp_path / "a.parquet"
    for original in (
        PARQUET,
        ARROW,
        gzip.compress(TABLE, mtime=0),
        NEWS,
        idx(2, 3, 3, data=bytes(18)),
        TABLE,
        b"1 1:1 2:0.5\n" * 50,
    ):
        for _ in range(60):
            content = bytearray(original)
            at = int(random.integers(len(content)))
            if random.random() < 0.5:
                content[at] ^= 1 << int(random.integers(8))
            else:
                del content[at:]
            path.write_bytes(content)
            with suppress(RosenblattError):
                assert len(read(path)) > 0


def test_a_missing_file_names_the_closest(tmp_path):
    (tmp_path / "income.csv").write_bytes(TABLE)
    with pytest.raises(FileError, match=r"Did you mean '.*income\.csv'"):
        read(tmp_path / "incomes.csv")


def test_a_missing_file_may_have_meant_a_known_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="Did you mean 'mushrooms'"):
        read("mushroms")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileError, match="no folder"):
        read(tmp_path / "nowhere" / "a.csv")


def test_a_folder_without_classes_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(TABLE)
    (tmp_path / "notes.txt").write_text("not a table")
    with pytest.raises(FileError, match="one folder per class"):
        read(tmp_path)


def test_class_folders_without_files_are_refused(tmp_path):
    (tmp_path / "spam").mkdir()
    with pytest.raises(FileError, match="hold no files"):
        read(tmp_path)


def test_a_folder_is_not_a_csv(tmp_path):
    with pytest.raises(FileError, match="it is a folder"):
        read(tmp_path, format="csv")


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "a.csv").write_bytes(TABLE)
    with pytest.raises(FileError, match="not a folder"):
        read(tmp_path / "a.csv", format="folder")


def test_a_dangling_link_is_refused(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(FileError, match="no such file"):
        read(tmp_path / "a.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE)
    path.chmod(0)
    with pytest.raises(FileError, match=r"chmod \+r"):
        read(path)


def test_permission_is_explained(tmp_path, monkeypatch):
    """The same for root, to whom the system refuses nothing."""
    path = tmp_path / "a.csv"
    path.write_bytes(TABLE)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FileError, match=r"chmod \+r"):
        read(path)


@pytest.mark.parametrize("path", ["", "a\0b.csv"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(FileError):
        read(path)


def test_labels_that_do_not_match_the_images_are_refused(tmp_path):
    (tmp_path / "a-images-idx3-ubyte").write_bytes(idx(2, 3, 3, data=bytes(18)))
    (tmp_path / "a-labels-idx1-ubyte").write_bytes(idx(3, data=bytes(3)))
    with pytest.raises(FileError, match="3 labels for the 2 images"):
        read(tmp_path / "a-images-idx3-ubyte")


def test_an_empty_column_of_a_sheet_is_not_told_by_whoever_reads_it(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(sheet("A1", "C1", "A2", "C2", "A3", "C3"))
    code = "import sys, rosenblatt; print(rosenblatt.read(sys.argv[1]).rows.shape)"
    command = [sys.executable, "-c", code, str(tmp_path / "a.xlsx")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("(2, 2)\n", "")
