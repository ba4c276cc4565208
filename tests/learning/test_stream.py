"""Rows on disk: the model that they give is that of rows in memory, byte for byte."""

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.data import batches
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.row_cache import RowCacheWriter, open_rows
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.stream import DiskSource, learn_batches, learn_stream

SMALL = ReadOptions(sizes=BufferSizes(libsvm_chunk=2000))
LINEAR = [name for name in LEARNERS if name != "voted"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """libsvm rows of two and of three classes, with fractions and with ones alone, and labelled texts."""
    folder, draw = tmp_path_factory.mktemp("rows"), np.random.default_rng(0)
    X = sp.random(700, 60, 0.1, random_state=1, format="csr")
    w = draw.normal(size=60)
    for name, signs, values in (("two", [0.0], True), ("three", [-0.4, 0.4], True), ("ones", [0.0], False)):
        labels = np.digitize(X @ w, signs)
        lines = []
        for i, label in enumerate(labels):
            entries = zip(X[[i]].indices + 1, X[[i]].data, strict=True)
            lines.append(" ".join([str(label), *(f"{j}:{v if values else 1}" for j, v in sorted(entries))]))
        (folder / f"{name}.libsvm").write_text("\n".join(lines) + "\n")
    words = np.array([f"word{k}" for k in range(80)])
    with open(folder / "letters.txt", "w") as file:
        for _ in range(600):
            some = draw.integers(0, 80, 8)
            file.write(f"{'ham' if some.mean() > 39 else 'spam'}\t{' '.join(words[some])}\n")
    return folder


@pytest.mark.parametrize("learner", LINEAR)
@pytest.mark.parametrize("name", ["two.libsvm", "three.libsvm", "ones.libsvm", "letters.txt"])
def test_the_model_is_that_of_memory_to_the_byte(name, learner, files, tmp_path):
    recipe = Recipe(learner=learner, epochs=3, class_weight="balanced" if learner == "mira" else None)
    rb.learn(rb.read(files / name), recipe).save(tmp_path / "memory")
    streamed = learn_stream(DiskSource(files / name, tmp_path, SMALL), recipe).classifier
    streamed.save(tmp_path / "stream")
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("weighting", ["counts", "unit"])
def test_an_index_0_counts_wherever_it_stands(first, weighting, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.formats.libsvm.ROWS_PER_BATCH", 50)
    lines = [f"{i % 2} {1 + i % 7}:{1 + i % 3} 9:1\n" for i in range(300)]
    (tmp_path / "late.libsvm").write_text("".join([*lines, f"1 {first}:1\n"]))
    recipe = Recipe(epochs=2, features={"weighting": weighting})
    rb.learn(rb.read(tmp_path / "late.libsvm"), recipe).save(tmp_path / "memory")
    model = learn_stream(DiskSource(tmp_path / "late.libsvm", tmp_path, SMALL), recipe).classifier
    model.save(tmp_path / "stream")
    assert model.zero_based == (first == 0)
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize("late", ["1 |n a:2 |m new", "cat |n a:2", "0.5 |n z"])
def test_rows_of_vowpal_wabbit_end_on_the_bytes_of_memory(late, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.formats.vw.ROWS_PER_BATCH", 50)
    draw = np.random.default_rng(0)
    lines = [
        f"{'+1' if x > 0.5 else '-1'} |n a:{x:.3f} b{i % 5} |m c{i % 11} c{i % 3}" for i, x in enumerate(draw.random(300))
    ]
    (tmp_path / "rows.vw").write_text("\n".join([*lines, late, late]) + "\n")
    rb.learn(rb.read(tmp_path / "rows.vw"), Recipe(epochs=2)).save(tmp_path / "memory")
    learn_stream(DiskSource(tmp_path / "rows.vw", tmp_path), Recipe(epochs=2)).classifier.save(tmp_path / "stream")
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        ["three.libsvm", "--weighting", "unit"],
        ["three.libsvm", "--order", "blocks", "-e", "2"],
        ["three.libsvm", "--dev", "three.libsvm"],
        ["three.libsvm", "--holdout", "0.3", "-s", "2"],
        ["two.libsvm", "--holdout", "0.3", "--patience", "1", "--threshold", "f1"],
        ["ones.libsvm", "--calibrate"],
        ["names.vw", "--holdout", "0.3"],
        ["texts.vw", "--holdout", "0.3"],
        ["letters.txt", "--calibrate"],
        ["letters.txt", "--holdout", "0.3", "-s", "5"],
        ["letters.txt", "--holdout", "0.3", "--ngrams", "2", "--patience", "1"],
        ["three.libsvm", "--holdout", "0.3", "--weighting", "unit"],
    ],
    ids=lambda options: " ".join(options[:2]),
)
def test_the_command_line_gives_the_same_bytes(options, files, tmp_path, monkeypatch):
    monkeypatch.chdir(files)
    for name, labels in (("names", ("1", "-1")), ("texts", ("cat", "dog"))):
        lines = [f"{labels[i % 7 > 3]} |n a:{i % 9} b{i % 5} |m c{i % 11}\n" for i in range(300)]
        (files / f"{name}.vw").write_text("".join(lines))
    train = ["train", *options, "-q", "-o"]
    assert run([*train, str(tmp_path / "memory")]) == 0
    assert run([*train, str(tmp_path / "stream"), "--stream"]) == 0
    assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


def test_a_label_of_held_out_texts_alone_is_refused_as_in_memory(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [f"{'rare' if i == 20 else 'ham' if i % 2 else 'spam'}\tword{i % 2} and word{i % 7}\n" for i in range(60)]
    (tmp_path / "t.txt").write_text("".join(lines))
    codes = {"": [], "--stream": []}
    for seed in range(6):
        for how, seen in codes.items():
            seen.append(run(["train", "t.txt", "--holdout", "0.4", "-s", str(seed), "-q", *[how] * bool(how)]))
    assert codes[""] == codes["--stream"]
    assert set(codes[""]) == {0, 1}
    assert "'rare'" in capsys.readouterr().err


def test_n_grams_hashed_words_and_their_weights_are_those_of_memory(files, tmp_path):
    for number, features in enumerate(({"ngrams": 2}, {"hashing": 6}, {"weighting": "counts", "min_count": 3})):
        recipe = Recipe(epochs=2, features=features)
        rb.learn(rb.read(files / "letters.txt"), recipe).save(tmp_path / "memory")
        (tmp_path / str(number)).mkdir()
        parts = learn_batches(lambda: batches(files / "letters.txt", rows=50), recipe, tmp_path / str(number))
        parts.classifier.save(tmp_path / "stream")
        assert (tmp_path / "stream").read_bytes() == (tmp_path / "memory").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["two.libsvm", "-l", "voted"], "voted keeps a log"),
        (["two.libsvm", "-l", "kernel"], "A kernel keeps the rows"),
        (["two.libsvm", "--keep-log"], "--keep-log takes all rows in memory, and --stream holds them on disk"),
        (["letters.txt", "--holdout", "0.2", "--group", "a"], "held out at random: leave out --group"),
        (["two.libsvm", "--certify", "1"], "--certify takes all rows in memory, and --stream holds them on disk"),
        (["two.libsvm", "--holdout", "0.2", "--cache", "kept"], "leave out one"),
        (["-"], "--hash BITS, say 20, gives each of them a feature"),
    ],
)
def test_what_cannot_be_streamed_says_so(arguments, reason, files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    assert run(["train", *arguments, "--stream"]) == 2
    assert reason in capsys.readouterr().err


def test_damaged_rows_are_refused(tmp_path):
    writer = RowCacheWriter(tmp_path)
    X = sp.random(50, 9, 0.3, random_state=0, format="csr", dtype=np.float32)
    for start in range(0, 50, 20):
        writer.add(X[start : start + 20])
    writer.finish(9)
    rows = open_rows(tmp_path)
    assert (rows != X).nnz == 0
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    del rows
    for name in ("indices", "values", "indptr"):
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(rb.DataError, match=f"its {name} are not those"):
            open_rows(tmp_path)
        (tmp_path / name).write_bytes(content[:-4])
        with pytest.raises(rb.DataError, match=f"its {name} are not those"):
            open_rows(tmp_path)
        (tmp_path / name).write_bytes(content)


def test_a_file_that_grows_between_the_passes_is_told(files, tmp_path):
    rows = rb.read(files / "two.libsvm")
    calls = iter([rows.slice(0, 100), rows.slice(0, 100), rows])
    with pytest.raises(rb.SettingError, match="has changed between the two passes"):
        learn_batches(lambda: iter([next(calls)]), Recipe(), tmp_path)
