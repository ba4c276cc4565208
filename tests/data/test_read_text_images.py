"""Labelled text in its three forms, and idx images with the labels beside them."""

import errno
import gzip
import io
import os
import tarfile

import numpy as np
import pytest

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.errors import FileError

MESSAGES = [
    ("ham", "hello there, you"),
    ("spam", 'win "now" a prize'),
    ("ham", "see you\tlater then"),
    ("ham", "café ok fine"),
]
LINES = "".join(f"{label}\t{text}\n" for label, text in MESSAGES).encode()


def pairs(data):
    return list(zip(data.labels.to_list(), data.rows["text"].to_list(), strict=True))


def write_folders(root):
    for i, (label, text) in enumerate(MESSAGES):
        (root / label).mkdir(parents=True, exist_ok=True)
        (root / label / f"{i}").write_text(text, encoding="utf-8")
    (root / "spam" / ".DS_Store").write_bytes(b"\0\1")
    (root / "ham" / "9").write_bytes(b"stray \xff byte")


@pytest.mark.parametrize(
    "content",
    [LINES, LINES.replace(b"\n", b"\r\n"), LINES + b"\n\n", gzip.compress(LINES, mtime=0), b"\xef\xbb\xbf" + LINES],
)
def test_label_tab_text(content, tmp_path):
    (tmp_path / "messages").write_bytes(content)
    data = read(tmp_path / "messages")
    assert data.kind == "text"
    assert pairs(data) == MESSAGES
    assert [p for part in batches(tmp_path / "messages", rows=3) for p in pairs(part)] == MESSAGES


def test_messages_without_a_label_are_refused_or_left_out_and_counted(tmp_path, capsys):
    half = "".join(f"{label if k % 3 else ' '}\t{text}\n" for k, (label, text) in enumerate(MESSAGES * 3)).encode()
    known = [pair for k, pair in enumerate(MESSAGES * 3) if k % 3]
    (tmp_path / "half").write_bytes(half)
    with pytest.raises(FileError, match=r"half, line 1: 4 rows have no label: fill it in, or pass unlabelled='skip'"):
        read(tmp_path / "half", format="text")
    data = read(tmp_path / "half", format="text", unlabelled="skip")
    assert pairs(data) == known
    assert data.notes == (f"4 rows have no label and were left out of {tmp_path / 'half'}.",)
    parts = [*batches(tmp_path / "half", rows=5, format="text", unlabelled="skip")]
    assert [pair for part in parts for pair in pairs(part)] == known
    model = str(tmp_path / "m.rosenblatt")
    train = ["train", str(tmp_path / "half"), "--format", "text", "-o", model, "-q"]
    assert run(train) == 1
    assert "pass --unlabelled skip" in capsys.readouterr().err
    assert run([*train, "--unlabelled", "skip"]) == 0
    capsys.readouterr()
    assert run(["predict", model, str(tmp_path / "half"), "--format", "text"]) == 0  # every row is predicted
    assert len(capsys.readouterr().out.splitlines()) == 1 + 12


def test_a_tsv_by_name_or_with_a_target_is_a_table(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"label\ttext\n" + LINES.replace(b"you\tlater", b"you later"))
    assert read(tmp_path / "a.tsv").kind == "table"
    (tmp_path / "a.txt").write_bytes((tmp_path / "a.tsv").read_bytes())
    data = read(tmp_path / "a.txt", target="label")
    assert data.kind == "table"
    assert data.rows["text"][1] == 'win "now" a prize'


def test_lines_without_labels():
    data = read(io.BytesIO(b"hello there\nwin\ta prize\n"), format="lines")
    assert data.labels is None
    assert data.rows["text"].to_list() == ["hello there", "win\ta prize"]


def test_every_line_is_a_message_so_that_predictions_stand_beside_their_lines(tmp_path):
    (tmp_path / "lines").write_bytes(b"hello there\n\nwin\ta prize\n \n")
    expected = ["hello there", "", "win\ta prize", " "]
    assert read(tmp_path / "lines", format="lines").rows["text"].to_list() == expected
    assert [text for part in batches(tmp_path / "lines", rows=1, format="lines") for text in part.rows["text"]] == expected


def test_a_folder_a_class(tmp_path):
    write_folders(tmp_path)
    data = read(tmp_path)
    assert sorted(pairs(data)) == sorted([*MESSAGES, ("ham", "stray \ufffd byte")])
    assert [len(part) for part in batches(tmp_path, rows=2)] == [2, 2, 1]


def test_no_message_of_a_folder_is_passed_over(tmp_path, monkeypatch):
    write_folders(tmp_path)
    (tmp_path / "ham" / ".old").mkdir()
    (tmp_path / "ham" / ".old" / "1").write_text("hidden, as in an archive")
    (tmp_path / "spam" / "10").write_text("prix réduit", encoding="utf-16")
    assert sorted(pairs(read(tmp_path))) == sorted([*MESSAGES, ("ham", "stray \ufffd byte"), ("spam", "prix réduit")])
    (tmp_path / "spam" / "more").symlink_to(tmp_path / "ham")
    with pytest.raises(FileError, match="more: it is a link to a folder"):
        read(tmp_path)
    (tmp_path / "spam" / "more").unlink()
    (tmp_path / "spam" / "more").mkdir()
    may_list = os.scandir

    def refuse(path):
        if str(path).endswith("more"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return may_list(path)

    monkeypatch.setattr(os, "scandir", refuse)  # a mode would not keep root out
    with pytest.raises(FileError, match="more: you may not read it"):
        read(tmp_path)


def test_a_class_must_have_a_name_that_can_be_written(tmp_path):
    os.makedirs(os.path.join(os.fsencode(tmp_path), b"sp\xe4m"))
    with pytest.raises(FileError, match="not UTF-8"):
        read(tmp_path)


def test_folders_in_an_archive(tmp_path):
    write_folders(tmp_path / "mail")
    with tarfile.open(tmp_path / "mail.tgz", "w:gz") as archive:
        archive.add(tmp_path / "mail", "mail")
    data = read(tmp_path / "mail.tgz")
    assert sorted(pairs(data)) == sorted(pairs(read(tmp_path / "mail")))


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("labels_suffix", ["", ".gz"])
def test_images_with_labels_beside_them(suffix, labels_suffix, tmp_path):
    pixels = np.arange(5 * 3 * 2, dtype=np.uint8).reshape(5, 3, 2)
    header = bytes([0, 0, 8, 3]) + np.array([5, 3, 2], dtype=">u4").tobytes()
    labels = bytes([0, 0, 8, 1]) + np.array([5], dtype=">u4").tobytes() + bytes([7, 1, 4, 0, 9])
    pack = {"": bytes, ".gz": gzip.compress}
    path = tmp_path / f"t-images-idx3-ubyte{suffix}"
    path.write_bytes(pack[suffix](header + pixels.tobytes()))
    assert read(path).labels is None
    (tmp_path / f"t-labels-idx1-ubyte{labels_suffix}").write_bytes(pack[labels_suffix](labels))
    data = read(path)
    assert data.kind == "images"
    np.testing.assert_array_equal(data.rows, pixels)
    assert data.labels.tolist() == [7, 1, 4, 0, 9]
    parts = list(batches(path, rows=2))
    np.testing.assert_array_equal(np.concatenate([part.rows for part in parts]), pixels)
    assert [part.labels.tolist() for part in parts] == [[7, 1], [4, 0], [9]]
    (tmp_path / f"t-labels-idx1-ubyte{labels_suffix}").write_bytes(pack[labels_suffix](labels + b"1"))
    with pytest.raises(FileError, match="more bytes than 5 labels need"):
        read(path)
