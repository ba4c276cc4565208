"""Checkpoints: a run that was stopped anywhere, even killed, ends on the bits of one that was not."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.data.dataset import Dataset
from rosenblatt.errors import SettingError
from rosenblatt.learning import model_file
from rosenblatt.learning.checkpoint import NAME, PREVIOUS, Checkpoints
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import LEARNERS, Recipe

LINEAR = [name for name in LEARNERS if name != "voted"]
FULL = os.environ.get("ROSENBLATT_TESTS") == "full"


def noisy(n, classes=2, seed=0):
    """Rows of which one in five has a wrong label, so that training never ends by itself."""
    import scipy.sparse as sp

    draw = np.random.default_rng(seed)
    X = sp.random(n, 40, 0.2, random_state=seed, format="csr")
    labels = np.digitize(X @ draw.normal(size=40), np.linspace(-0.4, 0.4, classes - 1))
    wrong = draw.random(n) < 0.2
    return Dataset("sparse", X, np.where(wrong, draw.integers(0, classes, n), labels), "noisy")


class StoppedHereError(Exception):
    """Stands for a power cut: nothing is written any more."""


def interrupted(data, recipe, folder, after, resume=False, dev=None):
    """A run that writes a checkpoint after so many stretches of examples, and is cut off right then."""
    stretches = 0
    checkpoints = Checkpoints(folder, recipe, lambda: stretches > after, resume=resume)
    usual = checkpoints.after_stretch

    def after_stretch(run, place):
        nonlocal stretches
        stretches += 1
        usual(run, place)
        if checkpoints.written:
            raise StoppedHereError

    checkpoints.after_stretch = after_stretch
    # Progress makes stretches short at first: they end wherever the number of examples has doubled.
    watch = Callbacks(progress=lambda _: None, checkpoints=checkpoints)
    try:
        return learn_from(data, recipe, dev, watch).classifier
    except StoppedHereError:
        return None


def assert_the_same(data, recipe, tmp_path, after, dev=None):
    rb.learn(data, recipe, dev=dev).save(tmp_path / "whole")
    model, stops = None, 0
    while model is None and stops < 50:
        model = interrupted(data, recipe, tmp_path / "folder", after, resume=stops > 0, dev=dev)
        stops += 1
    assert stops > 1
    model.save(tmp_path / "parts")
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", LINEAR)
def test_a_run_in_parts_ends_on_the_bits_of_the_whole(learner, classes, tmp_path):
    weight = "balanced" if learner == "mira" else None
    recipe = Recipe(learner=learner, epochs=4, class_weight=weight)
    assert_the_same(noisy(500, classes), recipe, tmp_path, after=3)


@pytest.mark.parametrize("order", ["once", "given", "replacement", "blocks"])
def test_in_every_order(order, tmp_path):
    assert_the_same(noisy(500), Recipe(order=order, epochs=4, multiclass="rest"), tmp_path, after=2)


def test_with_rows_held_out_and_patience(tmp_path):
    recipe = Recipe(learner="perceptron", epochs=30, patience=4)
    assert_the_same(noisy(300, 3), recipe, tmp_path, after=9, dev=noisy(200, 3))


@given(st.integers(0, 11), st.integers(0, 3))
def test_wherever_it_stops(tmp_path_factory, after, seed):
    assert_the_same(noisy(300, seed=seed), Recipe(epochs=3), tmp_path_factory.mktemp("runs"), after)


def test_the_checkpoint_before_is_kept_and_damage_is_named(tmp_path):
    data, folder = noisy(500), tmp_path / "folder"
    interrupted(data, Recipe(epochs=4), folder, after=5)
    first = (folder / NAME).read_bytes()
    interrupted(data, Recipe(epochs=4), folder, after=2, resume=True)
    assert (folder / PREVIOUS).read_bytes() == first
    for place in range(0, len(first), 41 if not FULL else 1):
        damaged = bytearray((folder / PREVIOUS).read_bytes())
        damaged[place] ^= 1
        (folder / NAME).write_bytes(damaged)
        with pytest.raises(rb.ModelFileError, match=f"{PREVIOUS} is the one before: rename it to {NAME}"):
            interrupted(data, Recipe(epochs=4), folder, after=2, resume=True)
    (folder / PREVIOUS).replace(folder / NAME)
    interrupted(data, Recipe(epochs=4), folder, after=10**9, resume=True).save(tmp_path / "resumed")
    rb.learn(data, Recipe(epochs=4)).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    (folder / NAME).write_bytes(first[:-1])
    with pytest.raises(rb.ModelFileError, match="There is none before it"):
        interrupted(data, Recipe(epochs=4), folder, after=2, resume=True)


FORGED = {  # what somebody puts into a checkpoint, with the right checksum
    "a key is missing": lambda header, arrays: header.pop("place"),
    "counts are texts": lambda header, arrays: header.update(counts=["many", 0, 0.0]),
    "counts are too few": lambda header, arrays: header.update(before=[1]),
    "an epoch that would take for ever to reach": lambda header, arrays: header.update(number=2**62),
    "a place before the first": lambda header, arrays: header.update(place=-1),
    "a place behind the last": lambda header, arrays: header.update(place=10**9),
    "epochs that never were": lambda header, arrays: header.update(history=[]),
    "an epoch of another kind": lambda header, arrays: header["history"][0].update(more=1),
    "weights without numbers": lambda header, arrays: header.update(weights={}),
    "a scale of 0": lambda header, arrays: header["weights"].update(scale=0.0),
    "no weights": lambda header, arrays: arrays.pop("w"),
    "weights that would be stretched": lambda header, arrays: arrays.update(w=arrays["w"][:, :1].copy()),
    "weights that are not finite": lambda header, arrays: arrays["w"].fill(np.nan),
    "whole numbers for weights": lambda header, arrays: arrays.update(u=arrays["u"].astype(np.int64)),
    "best weights of another size": lambda header, arrays: arrays.update({"best.coef": np.ones((1, 2))}),
    "arrays of nobody": lambda header, arrays: arrays.update({"predicted.7": np.ones(2)}),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_checkpoint_is_refused_as_no_checkpoint(what, tmp_path):
    """A checksum finds damage, not malice."""
    data, folder = noisy(500), tmp_path / "folder"
    interrupted(data, Recipe(epochs=4), folder, after=14)
    header, arrays = model_file.read(folder / NAME)
    assert header["history"]
    FORGED[what](header, arrays)
    model_file.write(folder / NAME, header, arrays)
    with pytest.raises(rb.ModelFileError, match=r"whole, but no checkpoint .* begin anew with --checkpoint"):
        interrupted(data, Recipe(epochs=4), folder, after=10**9, resume=True)


def test_a_folder_that_takes_no_checkpoint_is_refused_before_training(table, capsys):
    assert run(["train", str(table / "t.csv"), "--target", "label", "--checkpoint", "/proc/self"]) == 1
    assert "/proc/self cannot hold checkpoints" in capsys.readouterr().err


def test_other_settings_and_other_rows_are_refused_by_name(tmp_path):
    data, folder = noisy(500), tmp_path / "folder"
    interrupted(data, Recipe(epochs=4), folder, after=5)
    with pytest.raises(SettingError, match="seed was 0, and now it is 1"):
        interrupted(data, Recipe(epochs=4, seed=1), folder, after=5, resume=True)
    with pytest.raises(SettingError, match="is of other rows"):
        interrupted(noisy(500, seed=2), Recipe(epochs=4), folder, after=5, resume=True)
    with pytest.raises(SettingError, match="--tol"):
        Checkpoints(folder, Recipe(tol=0.1), lambda: False)
    with pytest.raises(SettingError, match="votes"):
        Checkpoints(folder, Recipe(learner="voted"), lambda: False)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    draw = np.random.default_rng(0)
    with open(folder / "t.csv", "w") as file:
        file.write("a,b,kind,label\n")
        for a, b in draw.normal(size=(20_000, 2)):
            file.write(f"{a:.3f},{b:.3f},{'xyz'[int(abs(a) * 10) % 3]},{'yes' if a * b > draw.normal() else 'no'}\n")
    assert run(["train", str(folder / "t.csv"), "--target", "label", "-e", "60", "-q", "-o", str(folder / "whole")]) == 0
    return folder


def start(table, folder, *options):
    """The same training as a process, with a checkpoint after every stretch."""
    command = [sys.executable, "-m", "rosenblatt", "train", str(table / "t.csv"), "--target", "label", "-e", "60", "-q"]
    command += ["--every", "0", "-o", str(folder / "model"), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_run_that_is_killed_again_and_again_ends_on_the_same_bytes(stream, table, tmp_path):
    draw, kills = np.random.default_rng(len(stream)), 150 if FULL else 1
    began = time.monotonic()
    start(table, tmp_path, "--checkpoint", str(tmp_path / "c"), *stream).communicate()
    took = time.monotonic() - began  # so that a moment may be any of a run's
    while kills:
        process = start(table, tmp_path, "--resume", str(tmp_path / "c"), *stream)
        try:
            process.communicate(timeout=float(draw.uniform(0.0, took)))  # it was faster: once more from the beginning
            (tmp_path / "c" / NAME).unlink(missing_ok=True)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills -= 1
    process = start(table, tmp_path, "--resume", str(tmp_path / "c"), *stream)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert (tmp_path / "model").read_bytes() == (table / "whole").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--every", "5"], "--every would change nothing without --checkpoint DIR"),
        (["--checkpoint", "a", "--resume", "b"], "leave out --checkpoint"),
        (["--checkpoint", "a", "--every", "nan"], "--every nan is no time in minutes"),
        (["--checkpoint", "a", "--every", "-1"], "-1.0 is not in the range"),
        (["--checkpoint", ""], "the name is empty: name a folder"),
        (["--checkpoint", __file__], "is a file: name a folder"),
        (["--stream", "--cache", ""], "the name is empty: name a folder"),
        (["--dask", ""], "the address is empty"),
        (["-o", "-"], "a model cannot go to standard output"),
        (["-o", "/dev/null"], "-o /dev/null is there and not an ordinary file"),
    ],
)
def test_options_without_a_sense_are_refused(arguments, reason, table, capsys):
    assert run(["train", str(table / "t.csv"), "--target", "label", *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_ctrl_c_writes_a_checkpoint_says_so_and_ends_with_130(table, tmp_path):
    command = ["--checkpoint", str(tmp_path / "c"), "-e", "100000", "--numeric", "number"]
    process = start(table, tmp_path, *command)
    while not (tmp_path / "c" / NAME).exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert not (tmp_path / "model").exists()
    assert "--resume" in errors
