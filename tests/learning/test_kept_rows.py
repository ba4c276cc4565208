"""Kept rows: the next run starts from them and ends on the same bytes; what does not fit is named and built anew."""

import errno
import hashlib
import json
import os
import subprocess
import sys
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cli import run
from rosenblatt.data.locking import locked
from rosenblatt.data.row_cache import head_checksum
from rosenblatt.engine.packed_rows import RecordLayout, Slot

ROWS = np.random.default_rng(0).normal(size=(600, 2))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{a:.3f},{'xyz'[i % 3]},{'yes' if a + b > 0 else 'no'}\n" for i, (a, b) in enumerate(ROWS)]
    (tmp_path / "t.csv").write_text("a,k,label\n" + "".join(lines))
    (tmp_path / "t.libsvm").write_text("".join(f"{int(a > b)} 1:{a:.3f} {2 + i % 4}:1\n" for i, (a, b) in enumerate(ROWS)))
    return tmp_path


def train(name, *options, capsys=None):
    target = ["--target", "label"] if name.endswith(".csv") else []
    assert run(["train", name, *target, "-e", "3", "-o", "model", *options]) == 0
    return Path("model").read_bytes(), "" if capsys is None else capsys.readouterr().err


KEPT, FOLDER = ("--stream", "--cache", "kept"), "kept/rosenblatt-rows"


@pytest.mark.parametrize("name", ["t.csv", "t.libsvm"])
def test_the_next_run_reads_nothing_and_ends_on_the_same_bytes(name, files, monkeypatch, capsys):
    whole, _ = train(name)
    assert train(name, *KEPT)[0] == whole
    monkeypatch.setattr("rosenblatt.learning.stream.DiskSource.rows_on_disk", None)  # so it is not called any more
    again, message = train(name, *KEPT, capsys=capsys)
    assert again == whole
    assert "built anew" not in message
    assert not any(file.startswith("part-") for file in os.listdir(FOLDER))


def cut_codes():
    os.truncate(f"{FOLDER}/codes.npy", 200)


def lengthen_head():
    with open(f"{FOLDER}/about.json", "ab") as file:
        file.write(b" ")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda: os.utime("t.csv", (1, 1)), "is of other files"),
        (lambda: None, "is of other features"),
        (cut_codes, "is damaged"),
        (lengthen_head, "is damaged"),
    ],
)
def test_what_does_not_fit_is_named_and_built_anew(change, named, files, capsys):
    options = ["--numeric", "bins"]
    train("t.csv", *KEPT, *options)
    change()
    options = ["--numeric", "number"] if "features" in named else options
    again, message = train("t.csv", *KEPT, *options, capsys=capsys)
    assert f"The cache {FOLDER} {named}: it is built anew." in message
    assert again == train("t.csv", *options)[0]


def test_flipped_bits_of_kept_files_are_found(files, capsys):
    whole, _ = train("t.csv", *KEPT)
    for name in ("records", "codes.npy", "about.json", "head.json"):
        path = files / FOLDER / name
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 4
        path.write_bytes(content)
        again, message = train("t.csv", *KEPT, capsys=capsys)
        assert "built anew" in message, name
        assert again == whole


def forge_about(**changes):
    """Writes other facts about the rows, with the right checksum."""
    _, _, text = Path(FOLDER, "about.json").read_bytes().partition(b"\n")
    text = json.dumps(json.loads(text) | changes).encode()
    Path(FOLDER, "about.json").write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)


def forge_codes(code):
    codes = np.full(600, code, np.int32)
    np.save(f"{FOLDER}/codes.npy", codes)
    forge_about(codes=zlib.crc32(codes.data))


def forge_head(**changes):
    head = Path(FOLDER, "head.json")
    head.write_text(json.dumps(json.loads(head.read_text()) | changes))


def forge_value(value):
    """Puts a number that no encoded row has among the others, with the right checksum."""
    head = json.loads(Path(FOLDER, "head.json").read_text())
    layout = RecordLayout(tuple(Slot(*slot) for slot in head["slots"]), head["value"])
    records = np.fromfile(f"{FOLDER}/records", layout.fields)
    records["v0"][-1] = value
    records.tofile(f"{FOLDER}/records")
    head["arrays"]["records"]["crc"] = zlib.crc32(records.tobytes())
    forge_head(**head)


def forge_slots(*slots):
    """Says that features lie elsewhere, with the right checksum."""
    head = json.loads(Path(FOLDER, "head.json").read_text()) | {"slots": slots}
    forge_head(**(head | {"own": head_checksum(head)}))


def pipe(name):
    os.unlink(f"{FOLDER}/{name}")
    os.mkfifo(f"{FOLDER}/{name}")


@pytest.mark.parametrize(
    "forge",
    [
        lambda: forge_codes(-1),  # places before the weights of the first class, and
        lambda: forge_codes(2**31 - 1),  # far behind those of the last: the loop would read there
        lambda: forge_about(labels=[]),
        lambda: forge_about(labels=["a", "b", "c"], label_type=[]),
        lambda: forge_about(of=None),
        lambda: forge_about(kind=[1]),
        lambda: forge_about(missing=[1, 2, 3]),
        lambda: forge_about(map={"map": "table"}),
        lambda: forge_about(target=5),
        lambda: forge_value(np.nan),
        lambda: forge_value(-np.inf),
        lambda: forge_slots([0, 2**31 - 1, True]),  # features behind the last one, and
        lambda: forge_slots([-(2**31), 1, True], [1, 2, False]),  # before the first
        lambda: forge_slots([0, 1, True], [0, 2, False]),  # the same features twice
        lambda: forge_slots([0, None, True]),
        lambda: forge_head(entries=1),
        lambda: forge_head(value="<f8"),
        lambda: forge_head(columns=2**70),
        lambda: forge_head(columns=2**31),
        lambda: forge_head(arrays=[]),
        lambda: forge_head(layout="dense"),
        lambda: Path(FOLDER, "head.json").write_text("[" * 100_000),
        lambda: os.truncate(f"{FOLDER}/codes.npy", 0),
        lambda: pipe("about.json"),  # to which nobody writes
        lambda: pipe("head.json"),
        lambda: pipe("codes.npy"),
        lambda: pipe("records"),
    ],
)
def test_a_forged_cache_is_built_anew(forge, files, capsys):
    whole, _ = train("t.csv", *KEPT, "--numeric", "number")
    forge()
    again, message = train("t.csv", *KEPT, "--numeric", "number", capsys=capsys)
    assert f"The cache {FOLDER} is damaged: it is built anew." in message
    assert again == whole


def test_other_learners_share_rows_whose_features_were_not_chosen_by_trial(files, monkeypatch):
    train("t.csv", *KEPT, "--numeric", "bins")
    monkeypatch.setattr("rosenblatt.learning.stream.DiskSource.rows_on_disk", None)
    for learner in ("mira", "logistic"):
        options = ("--numeric", "bins", "-l", learner)
        assert train("t.csv", *KEPT, *options)[0] == train("t.csv", *options)[0]


@pytest.mark.parametrize(
    ("options", "reason"), [(["--cache", "c"], "needs --stream"), ([*KEPT, "--task", "numbers"], "a quantity")]
)
def test_what_cannot_be_kept_says_so(options, reason, files, capsys):
    assert run(["train", "t.libsvm", *options]) > 0
    assert reason in capsys.readouterr().err


def test_files_of_others_in_the_folder_are_not_touched(files):
    others = ("about.json", "values", "codes.npy", "part-000000.arrow", "numbers-1")
    (files / "kept").mkdir()
    for name in others:
        (files / "kept" / name).write_text("mine")
    train("t.csv", *KEPT)
    os.utime("t.csv", (1, 1))
    train("t.csv", *KEPT)
    assert all((files / "kept" / name).read_text() == "mine" for name in others)


def test_runs_that_begin_together_share_one_cache(files):
    """One writes it, the others wait: none reads what is half written, and all end on the same bytes."""
    whole, _ = train("t.csv")
    command = [sys.executable, "-m", "rosenblatt", "train", "t.csv", "--target", "label", "-e", "3", *KEPT]
    runs = [
        subprocess.Popen([*command, "-o", f"model{i}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(4)
    ]
    told = [run.communicate()[1].decode() for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, told
    assert {Path(f"model{i}").read_bytes() for i in range(4)} == {whole}


def test_who_waits_for_a_cache_says_so(files):
    (files / FOLDER).mkdir(parents=True)
    command = [sys.executable, "-m", "rosenblatt", "train", "t.csv", "--target", "label", "-e", "3", *KEPT]
    with locked(files / FOLDER / "lock", lambda: None):
        waiting = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        told = next(line for line in waiting.stderr if "waits" in line)
        assert waiting.poll() is None
    assert "Another run writes the cache" in told
    waiting.communicate()
    assert waiting.returncode == 0


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()])
def test_a_run_that_fails_leaves_no_half_written_rows(failure, files, monkeypatch):
    def fail(*given):
        assert any(name.startswith("part-") for name in os.listdir(FOLDER))  # the table is there
        raise failure

    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr("rosenblatt.learning.kept_rows.prepare", fail)
        assert run(["train", "t.csv", "--target", "label", "-o", "model", *KEPT]) == 1
    assert os.listdir(FOLDER) == ["lock"]
    assert train("t.csv", *KEPT)[0] == train("t.csv")[0]
