"""rosenblatt predict: the CSV, streams, pipes, and files that are whole or not there."""

import csv
import io
import json
import os
import shlex
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt.cli import run
from rosenblatt.cli.predict import predict
from rosenblatt.data import read
from rosenblatt.learning.loading import load

AWKWARD = ["a,b", 'say "no"', "plain", "two\nlines"]


def table(rows, header="colour,size,fruit"):
    return header + "\n" + "".join(f"{row}\n" for row in rows)


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """Two models, of two and of three classes, and rows for them."""
    monkeypatch.chdir(tmp_path)
    rows = ["red,1,apple", "yellow,3,banana", "yellow,2,banana", "green,1,apple", "orange,1,orange"] * 4
    (tmp_path / "three.csv").write_text(table(rows))
    (tmp_path / "two.csv").write_text(table(row for row in rows if "orange" not in row))
    (tmp_path / "new.csv").write_text("size,colour\n3,yellow\n1,red\n2,yellow\n")
    for name in ("two", "three"):
        assert run(["train", f"{name}.csv", "-t", "fruit", "-o", f"{name}.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    return tmp_path


def test_a_line_a_row_in_order_under_a_header(folder, capsys):
    assert run(["predict", "two.rosenblatt", "new.csv"]) == 0
    out, err = capsys.readouterr()
    assert out == "prediction\nbanana\napple\nbanana\n"
    assert err == ""


def test_bare_labels(folder, capsys):
    assert run(["predict", "two.rosenblatt", "new.csv", "--only-labels"]) == 0
    assert capsys.readouterr().out == "banana\napple\nbanana\n"


@pytest.mark.parametrize(
    ("model", "names"), [("two", ["score"]), ("three", ["score_apple", "score_banana", "score_orange"])]
)
def test_scores_are_the_librarys_to_the_last_bit(folder, capsys, model, names):
    assert run(["predict", f"{model}.rosenblatt", "new.csv", "--scores"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["prediction", *names]
    expected = load(f"{model}.rosenblatt").scores(read("new.csv").rows).reshape(3, -1)
    assert [[float(row[name]) for name in names] for row in rows] == expected.tolist()


def test_json_is_one_object(folder, capsys):
    assert run(["predict", "two.rosenblatt", "two.csv", "--json", "--scores", "-q"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result["predictions"][0]) == ["prediction", "score"]
    assert [row["prediction"] for row in result["predictions"][:2]] == ["apple", "banana"]
    assert result["notes"] == []  # the target is there, and no stranger


def test_labels_with_commas_quotes_and_line_ends_come_back(folder, capsys):
    with open("awkward.csv", "w", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *([f"v{k}", label] for k, label in enumerate(AWKWARD) for _ in range(3))])
    assert run(["train", "awkward.csv", "-t", "y", "-o", "awkward.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", "awkward.rosenblatt", "awkward.csv", "-q", "--scores"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert [row["prediction"] for row in rows] == [label for label in AWKWARD for _ in range(3)]
    assert set(rows[0]) == {"prediction", *(f"score_{label}" for label in AWKWARD)}
    assert run(["predict", "awkward.rosenblatt", "awkward.csv", "--only-labels"]) == 2
    assert "line break" in capsys.readouterr().err


def test_other_columns_are_ignored_with_a_note_summed_over_batches_and_the_target_without(folder, capsys):
    rows = table(["pink,1,apple,9", "red,2,apple,9"] * 50_000).replace("fruit\n", "fruit,price\n", 1)
    (folder / "long.csv").write_text(rows)
    assert run(["predict", "two.rosenblatt", "long.csv"]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 100_001
    assert "colour: 50,000 values in 100,000 rows were never seen" in err
    assert "ignored: price." in err
    assert run(["predict", "two.rosenblatt", "long.csv", "--quiet", "-o", "out.csv"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (folder / "out.csv").read_text() == out


def test_libsvm_rows_narrower_and_wider_than_training(folder, capsys):
    (folder / "t.svm").write_text("+1 1:1 3:1\n-1 2:1 4:1\n" * 5)
    (folder / "p.svm").write_text("0 1:1\n0 2:1\n0 1:1 9:3\n")
    assert run(["train", "t.svm", "-o", "t.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", "t.rosenblatt", "p.svm"]) == 0
    out, err = capsys.readouterr()
    assert out == "prediction\n1\n-1\n1\n"
    assert "never seen in training" in err


def test_the_help_example_runs(tmp_path, monkeypatch, capsys, data_dir):
    monkeypatch.chdir(tmp_path)
    lines = [line.strip() for line in predict.help.splitlines() if line.strip().startswith("rosenblatt ")]
    assert len(lines) == 2
    for line in lines:
        assert run(shlex.split(line)[1:]) == 0
    written = (tmp_path / "labels.csv").read_text().splitlines()
    assert written[0] == "prediction,score"
    assert len(written) == 1001
    predicted = np.array([line.split(",")[0] for line in written[1:]])
    truth = read(str(data_dir / "income" / "income.dev.txt"), header=False, target=-1).labels.to_numpy()
    assert (predicted == truth).sum() == 850  # as `evaluate` says


def command(*arguments, **options):
    return subprocess.Popen([sys.executable, "-m", "rosenblatt", "predict", *arguments], **options)


def test_standard_input_and_a_reader_that_has_seen_enough(folder):
    rows = ("size,colour\n" + "3,yellow\n" * 60_000).encode()
    (folder / "many.csv").write_bytes(rows)
    whole = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "predict", "two.rosenblatt", "-"], input=rows, capture_output=True, check=True
    )
    assert whole.stdout == b"prediction\n" + b"banana\n" * 60_000
    process = command("two.rosenblatt", "many.csv", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"prediction\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
    process.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    "arguments", [["predict", "two.rosenblatt", "new.csv"], ["evaluate", "two.rosenblatt", "two.csv", "-t", "fruit"]]
)
def test_a_full_disk_is_told_without_a_traceback(folder, arguments):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "rosenblatt", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert ended.returncode == 1
    assert "No space left" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_device_is_written_to_as_it_is(folder):
    ended = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "predict", "two.rosenblatt", "new.csv", "-o", "/dev/stdout"],
        capture_output=True,
    )
    assert (ended.stdout, ended.stderr) == (b"prediction\nbanana\napple\nbanana\n", b"")


def test_after_a_failure_there_is_the_old_file_or_none(folder, capsys):
    row = f"{3:.90f},yellow\n"  # long, so that few rows are more than BufferSizes.table_block: some are written by then
    (folder / "bad.csv").write_text("size,colour\n" + row * 150_000 + "3,yellow,too many\n")
    before = sorted(os.listdir())
    assert run(["predict", "two.rosenblatt", "bad.csv", "-o", "out.csv"]) == 1
    assert "line 150,002" in capsys.readouterr().err
    assert sorted(os.listdir()) == before
    (folder / "old.csv").write_text("old")
    assert run(["predict", "two.rosenblatt", "bad.csv", "-o", "old.csv"]) == 1
    assert (folder / "old.csv").read_text() == "old"
    assert run(["predict", "two.rosenblatt", "new.csv", "-o", "old.csv"]) == 0
    assert (folder / "old.csv").read_text().startswith("prediction\n")
    assert sorted(os.listdir()) == sorted([*before, "old.csv"])


def test_memory_does_not_grow_with_the_file(folder):
    """Twelve times the rows may cost a few batches more, not twelve times the memory."""
    for rows in (400_000, 4_800_000):
        with open(f"{rows}.csv", "w") as file:
            file.write("size,colour\n" + "3,yellow\n1,red\n" * (rows // 2))
    script = """
import resource
from rosenblatt.cli import run
for rows in (400_000, 4_800_000):
    assert run(["predict", "two.rosenblatt", f"{rows}.csv", "-o", "/dev/null"]) == 0
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # the most so far
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    small, large = map(int, ended.stdout.split())
    assert large < 1.3 * small


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("two.rosenblatt gone.csv", 1, "gone.csv"),
        ("two.rosenblatt lacking.csv", 1, "lacking.csv, rows 1 to 1: The table lacks 'colour'"),
        ("two.rosenblatt some.svm", 1, "was read as sparse"),
        ("two.rosenblatt new.csv -o nowhere/out.csv", 1, "nowhere/out.csv was not written"),
        ("two.rosenblatt new.csv --only-labels --scores", 2, "--only-labels"),
        ("two.rosenblatt new.csv --format strange", 2, "no format 'strange'"),
        ("two.rosenblatt .", 1, ". is a folder"),
        ("two.rosenblatt new.csv -o .", 1, "Is a directory"),
        ("two.rosenblatt new.csv -o new.csv", 2, "-o new.csv would replace new.csv, which is read"),
        ("two.rosenblatt new.csv -o two.rosenblatt", 2, "would replace two.rosenblatt"),
        ("new.csv new.csv", 3, "not a model"),
        ("new.csv two.rosenblatt", 3, "new.csv is not a model, but two.rosenblatt is: name the model first"),
        ("gone.csv two.rosenblatt", 3, "name the model first"),
        ("damaged.rosenblatt two.rosenblatt", 3, "damaged.rosenblatt cannot be read: it is damaged"),
        ("two.rosenblatt two.rosenblatt", 1, "it is a model that `rosenblatt train` wrote"),
    ],
)
def test_refusals(folder, capsys, arguments, code, message):
    (folder / "lacking.csv").write_text("size\n3\n")
    (folder / "some.svm").write_text("1 1:1\n-1 2:1\n")
    (folder / "damaged.rosenblatt").write_bytes((folder / "two.rosenblatt").read_bytes()[:-1])
    assert run(["predict", *arguments.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_a_header_that_is_data_is_told_where_training_had_none(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.csv").write_text("3,red,yes\n1,blue,no\n2,red,yes\n")
    assert run(["train", "bare.csv", "--no-header", "-t", "-1", "-q", "-o", "m.rosenblatt"]) == 0
    (tmp_path / "wide.csv").write_text("3,red,yes,7\n1,blue,no,7\n2,red,yes,7\n")
    assert run(["predict", "m.rosenblatt", "wide.csv"]) == 1  # of as many columns as in training it could be told
    assert "pass --no-header." in capsys.readouterr().err
    assert run(["predict", "m.rosenblatt", "wide.csv", "--no-header"]) == 0


def test_columns_are_copied_in_front_of_the_prediction(tmp_path, capsys):
    notes = {1: "=1+1", 3: "-0.5"}
    rows = "".join(f"C{k:03d},{notes.get(k, 'x')},{k % 4},{'?' if k == 2 else k % 3},{'ab'[k % 2]}\n" for k in range(40))
    (tmp_path / "rows.csv").write_text("id,note,n,m,y\n" + rows)
    model, file = str(tmp_path / "m.rosenblatt"), str(tmp_path / "rows.csv")
    assert run(["train", file, "--target", "y", "-o", model, "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", model, file, "--id", "id", "--keep", "m,note", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "id,m,note,prediction"
    assert lines[2].startswith("C001,1,=1+1,")
    assert lines[3].startswith("C002,?,x,")  # as it stands in the file
    assert run(["predict", model, file, "--only-labels", "-q"]) == 0
    assert [line.rsplit(",", 1)[1] for line in lines[1:]] == capsys.readouterr().out.splitlines()
    assert run(["predict", model, file, "--keep", "all", "--for-spreadsheet", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "id,note,n,m,y,prediction"
    assert lines[2].startswith("C001,'=1+1,1,1,b,")
    assert lines[4].startswith("C003,-0.5,"), "a number with its sign is no formula"
    assert run(["predict", model, file, "--keep", "nope"]) == 2
    assert "no column 'nope'" in capsys.readouterr().err
