"""Bad input through the command line itself: exit code, a sentence with the place, no traceback, and no file left."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from bad_files import BAD, TABLE

from rosenblatt.cli import in_options, run

OPTIONS = {name: f"--{name}" for name in ("target", "delimiter", "format", "missing", "encoding")}
PYTHON_ONLY = {"n_features"}  # the command line has no option for it


def as_options(settings):
    """Keywords of `read` as a user would type them."""
    typed = [part for name, option in OPTIONS.items() if name in settings for part in (option, str(settings[name]))]
    if settings.get("header") is False:
        typed.append("--no-header")
    if "names" in settings:
        typed += ["--names", ",".join(settings["names"])]
    if "zero_based" in settings:
        typed.append("--zero-based" if settings["zero_based"] else "--one-based")
    return typed


@pytest.mark.parametrize("case", [case for case in BAD if not PYTHON_ONLY & set(BAD[case][2])])
def test_a_bad_file_ends_train_with_its_place_and_leaves_nothing(case, tmp_path, capsys):
    name, content, settings, line, words = BAD[case]
    path, model = tmp_path / name, tmp_path / "m.rosenblatt"
    path.write_bytes(content)
    code = 2 if case.startswith(("no such target", "target")) else 1  # the file is fine, the option is not
    assert run(["train", str(path), "-o", str(model), "--quiet", *as_options(settings)]) == code
    message = capsys.readouterr()
    assert message.out == ""
    assert in_options(words) in message.err
    assert str(path) in message.err
    if line is not None:
        assert f"line {line:,}" in message.err
    assert "Traceback" not in message.err
    assert "bug of rosenblatt" not in message.err
    assert sorted(os.listdir(tmp_path)) == [name]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TABLE.replace(b"0,x", b"0,y"))  # a job that is the same in every row would be left out
    return str(path)


@pytest.mark.parametrize(
    ("dev", "words"),
    [
        (b"age,job\n1,x\n", "'buys'"),
        (b"age,job,buys\n1,x,perhaps\n", "'perhaps'"),
        (b"age,buys\n1,yes\n", "lacks 'job'"),
        (b"age,job,buys\n", "no rows"),
        (b"age,job,buys\n1,x\n", "2 cells"),
        (b"", "empty"),
    ],
)
def test_a_bad_dev_file_is_named(dev, words, table, tmp_path, capsys):
    path = tmp_path / "dev.csv"
    path.write_bytes(dev)
    assert run(["train", table, "--target", "buys", "--dev", str(path), "-o", str(tmp_path / "m.rosenblatt"), "-q"]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "m.rosenblatt").exists()


def command(*arguments, **how):
    return subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
    )


def test_a_full_disk_leaves_the_old_model_as_it_was(table, tmp_path):
    """The system refuses every byte beyond a limit, as it does when the disk is full."""

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    model = tmp_path / "m.rosenblatt"
    model.write_bytes(b"the old one")
    process = command("train", table, "--target", "buys", "-o", model, "-q", preexec_fn=limited)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert str(model) in err.decode()
    assert b"Traceback" not in err
    assert model.read_bytes() == b"the old one"
    assert sorted(os.listdir(tmp_path)) == ["m.rosenblatt", "people.csv"]


@contextlib.contextmanager
def nobody():
    """Somebody whom the system refuses what root may do; a test that does not run as root is that already."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_file_and_a_folder_without_permission_are_named(capsys):
    with tempfile.TemporaryDirectory() as name:  # the folders of pytest are closed to others further up
        folder = Path(name)
        table, model = folder / "people.csv", folder / "m.rosenblatt"
        table.write_bytes(TABLE)
        train = ["train", str(table), "--target", "buys", "-o", str(model), "-q"]
        assert run(train) == 0  # all that has to be imported is
        model.unlink()
        capsys.readouterr()
        folder.chmod(0o555)
        with nobody():
            assert run(train) == 1
        message = capsys.readouterr().err
        assert str(model) in message
        assert "ermission denied" in message
        table.chmod(0)
        with nobody():
            assert run(train) == 1
        assert "chmod +r" in capsys.readouterr().err
        folder.chmod(0o755)
        assert os.listdir(folder) == ["people.csv"]


def test_a_reader_that_has_seen_enough_ends_predict_quietly(table, tmp_path):
    model = tmp_path / "m.rosenblatt"
    assert run(["train", table, "--target", "buys", "-o", str(model), "-q"]) == 0
    many = tmp_path / "many.csv"
    many.write_bytes(b"age,job\n" + b"1,x\n" * 500_000)
    process = command("predict", model, many)
    assert process.stdout.readline() == b"prediction\n"
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (0, b"")
    process.stderr.close()


def test_ctrl_c_ends_train_with_130_and_no_model(table, tmp_path):
    model = tmp_path / "m.rosenblatt"
    process = command("train", table, "--target", "buys", "--epochs", 10**8, "--learner", "logistic", "-o", model)
    while b"examples" not in process.stderr.readline():  # the head of the progress table: training has begun
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)  # a shell shows both as 130
    assert b"nterrupted" in err
    assert b"Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["people.csv"]


def test_libsvm_files_of_one_model_start_at_the_same_index(tmp_path, capsys):
    """Without an index 0 a file looks as if it started at 1; the model knows better."""
    train, new, model = tmp_path / "a.libsvm", tmp_path / "b.libsvm", tmp_path / "m.rosenblatt"
    train.write_bytes(b"1 0:1 2:1\n-1 1:1\n" * 20)
    new.write_bytes(b"1 2:1\n-1 1:1\n")
    assert run(["train", str(train), "--dev", str(new), "-o", str(model), "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(new), "--only-labels", "-q"]) == 0
    assert capsys.readouterr().out == "1\n-1\n"
    assert run(["evaluate", str(model), str(new), "--one-based", "-q"]) == 1
    assert "--zero-based" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "t.csv", "-t", "y", "--holdout", "0.5", "--group", ""],
        ["train", "t.csv", "-t", "y", "--holdout", "0.5", "--after", ""],
        ["train", "t.csv", "-t", "y", "--only", ""],
        ["train", "t.csv", "-t", "y", "--drop", ""],
        ["train", "t.csv", "-t", "y", "--names", ""],
        ["train", "t.csv", "-t", "y", "--dev", ""],
        ["compare", "t.csv", "-t", "y", "--dev", ""],
        ["predict", "m.rosenblatt", "t.csv", "--id", ""],
        ["predict", "m.rosenblatt", "t.csv", "--keep", ""],
        ["facts", "t.csv", "-t", "y", "--plot", ""],
        ["worksheet", "--students", "", "-o", "s.md"],
        ["worksheet", "--check", ""],
        ["play", "", "-o", "p.html"],
        ["lab", ""],
    ],
    ids=" ".join,
)
def test_an_empty_name_is_refused_and_not_taken_for_none(arguments, tmp_path, monkeypatch, capsys):
    """As an unset variable of a shell leaves it: `--group "$COLUMN"` must not hold out at random."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,y\n1,p\n2,q\n")
    assert run(arguments) == 2
    assert "it is empty: give a name, or leave it out" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("arguments", [["worksheet"], ["worksheet", "-o", "-"], ["play", "-o", "-"]], ids=" ".join)
def test_json_is_refused_where_standard_output_holds_the_result_itself(arguments, capsys):
    assert run([*arguments, "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "name a file with -o" in err


def test_a_folder_in_the_place_of_a_picture_or_a_report_is_refused_before_the_work(tmp_path, capsys, monkeypatch):
    def work(*arguments):
        raise AssertionError("begun")

    monkeypatch.setattr("rosenblatt.lab.perform", work)
    assert run(["lab", "rate", "-o", str(tmp_path / "no" / "x.svg")]) == 1
    assert "make it first" in capsys.readouterr().err
    (tmp_path / "x.svg").mkdir()
    assert run(["lab", "rate", "-o", str(tmp_path / "x.svg")]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_a_column_to_drop_that_is_not_there_is_told_with_its_option(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,y\n1,p\n2,q\n")
    assert run(["train", str(tmp_path / "t.csv"), "-t", "y", "--drop", "zz"]) == 2
    assert "--drop" in capsys.readouterr().err


def test_a_row_of_another_kind_is_refused_by_explain_as_by_predict(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,y\n1,p\n2,q\n")
    (tmp_path / "s.libsvm").write_text("1 1:1\n-1 2:1\n")
    assert run(["train", "s.libsvm", "-q", "-o", "m.rosenblatt"]) == 0
    capsys.readouterr()
    assert run(["predict", "m.rosenblatt", "t.csv"]) == 1
    told = capsys.readouterr().err
    assert run(["explain", "m.rosenblatt", "t.csv", "--row", "1"]) == 1
    assert capsys.readouterr().err == told
    assert "Pass --format libsvm" in told


@pytest.mark.parametrize(("name", "words"), [("", "its name is empty"), ("-", "cannot come from standard input")])
def test_no_model_has_such_a_name(name, words, capsys):
    assert run(["predict", name, "rows.csv"]) == 3
    assert words in capsys.readouterr().err
