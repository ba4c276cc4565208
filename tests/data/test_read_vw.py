"""Vowpal Wabbit's text format: what its manual says a line means, and the same rows as libsvm."""

import gzip
import io
import json

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data import batches
from rosenblatt.errors import FileError


def rows_of(text, **options):
    """Each row as a dict from names to values."""
    data = rosenblatt.read(io.BytesIO(text.encode()), format="vw", **options)
    dense = data.rows.matrix.toarray()
    return [{name: x for name, x in zip(data.rows.names, row, strict=True) if x} for row in dense.tolist()], data


# The line, its label, its features; from "Input format" of Vowpal Wabbit's manual, worked out by hand.
LINES = {
    "1 |a x:2.5 y |b x": (1, {"a^x": 2.5, "a^y": 1, "b^x": 1}),
    "-1 2.0 'tag |a x": (-1, {"a^x": 1}),
    "1 1.0 tag|a x": (1, {"a^x": 1}),
    "1 0.5 0.25 'tag|a x": (1, {"a^x": 1}),
    "1 | price:.23 sqft:.25 age:.05 2006": (1, {"price": 0.23, "sqft": 0.25, "age": 0.05, "2006": 1}),
    "1 |MetricFeatures:3.28 height:1.5 length:2.0 |Says black with white": (
        1,
        {
            "MetricFeatures^height": 3.28 * 1.5,
            "MetricFeatures^length": 3.28 * 2,
            "Says^black": 1,
            "Says^with": 1,
            "Says^white": 1,
        },
    ),
    "3 |a x x:2": (3, {"a^x": 3}),
    "2 |a": (2, {}),
    "-1e0 |a x:-1e-3": (-1, {"a^x": -0.001}),
}


def test_every_line_is_read_as_the_manual_says():
    rows, data = rows_of("\n".join(LINES) + "\n\n")
    assert data.labels.tolist() == [label for label, _ in LINES.values()]
    for row, (_, features) in zip(rows, LINES.values(), strict=True):
        assert row == pytest.approx(features)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 |a x:", "'x' has no number behind its colon"),
        ("1 |a x:nan", "'x' has no number behind its colon"),
        ("1 |a x:1_0", "'x' has no number behind its colon"),
        ("1 |a: x", "'a' has no number behind its colon"),
        ("1 |a :2", "has no name"),
        ("1 heavy |a x", "'heavy', which is no number"),
        ("1:0.5 |a x", "the label is '1:0.5'"),
        ("shared |a x", "the label is 'shared'"),
        ("1 a x", "there is no |"),
        ("|a x", "1 row has no label"),
    ],
)
def test_what_cannot_be_read_is_refused_by_line(line, message):
    with pytest.raises(FileError, match=r"line 2: ") as refused:
        rows_of(f"1 |a x\n{line}\n-1 |a y\n")
    assert message in str(refused.value)


def test_labels_are_numbers_or_texts_and_rows_without_one_are_skipped_on_request():
    assert rows_of("cat |a x\ndog |a y\n")[1].labels.tolist() == ["cat", "dog"]
    rows, data = rows_of("1 |a x\n|a y\n0.5 |a z\n", unlabelled="skip")
    assert (rows, data.labels.tolist()) == ([{"a^x": 1}, {"a^z": 1}], [1, 0.5])
    assert data.notes == ("1 row has no label and was left out of the stream.",)
    assert rows_of("|a x\n|a y\n")[1].labels is None


def test_importance_is_told_to_be_ignored():
    assert "importance weights: they are ignored" in rows_of("1 2 |a x\n-1 |a y\n")[1].notes[0]
    assert rows_of("1 1 |a x\n-1 1.0 |a y\n")[1].notes == ()


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 6)), 3) * (rng.random((120, 6)) < 0.7)
    return X, np.where(X @ rng.normal(size=6) > 0, 1, -1)


def as_vw(X, y, labelled=True):
    def features(row):
        return " ".join(f"x{j}:{x}" if x != 1 else f"x{j}" for j, x in enumerate(row.tolist()) if x)

    return "".join(f"{label if labelled else ''} |f {features(row)}\n" for row, label in zip(X, y, strict=True))


def as_libsvm(X, y):
    lines = (" ".join(f"{j + 1}:{x}" for j, x in enumerate(row.tolist()) if x) for row in X)
    return "".join(f"{label} {line}\n" for label, line in zip(y, lines, strict=True))


@pytest.mark.parametrize("name", ["rows.vw", "rows.txt", "rows.vw.gz"])
def test_a_model_of_it_predicts_as_that_of_the_same_rows_in_libsvm(rows, tmp_path, capsys, name):
    X, y = rows
    text = as_vw(X, y).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    (tmp_path / "new.vw").write_text(as_vw(X[::-1], y, labelled=False))
    (tmp_path / "rows.libsvm").write_text(as_libsvm(X, y))
    (tmp_path / "new.libsvm").write_text(as_libsvm(X[::-1], y))
    scores = []
    for file, new in ((name, "new.vw"), ("rows.libsvm", "new.libsvm")):
        model = str(tmp_path / "m.rosenblatt")
        assert run(["train", str(tmp_path / file), "-o", model, "-q", "-l", "perceptron", "-e", "1"]) == 0
        assert run(["evaluate", model, str(tmp_path / file), "--json"]) == 0
        measured = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert run(["predict", model, str(tmp_path / new), "--scores", "--json"]) == 0
        predicted = json.loads(capsys.readouterr().out)["predictions"]
        scores.append((measured["confusion"], [row["score"] for row in predicted]))
    assert scores[0][0] == scores[1][0]
    assert scores[0][1] == pytest.approx(scores[1][1], rel=1e-12)  # columns are summed in another order


def test_features_that_training_never_saw_are_counted_by_namespace(rows, tmp_path, capsys):
    X, y = rows
    (tmp_path / "rows.vw").write_text(as_vw(X, y))
    (tmp_path / "new.vw").write_text("|f x0:1 x99:2 |g y\n|f x98 x1\n")
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "rows.vw"), "-o", model, "-q"]) == 0
    assert run(["predict", model, str(tmp_path / "new.vw")]) == 0
    told = capsys.readouterr().err
    assert "namespace f: 2 values in 2 rows were never seen in training" in told
    assert "namespace g: 1 value in 2 rows was never seen" in told
    (tmp_path / "rows.libsvm").write_text(as_libsvm(X, y))
    assert run(["predict", model, str(tmp_path / "rows.libsvm")]) == 1  # by number, columns would be taken for others
    assert "knows its features by name" in capsys.readouterr().err
    assert run(["facts", str(tmp_path / "rows.vw")]) == 0
    assert "f^x0=not 0" in capsys.readouterr().out


def test_batches_are_the_rows_in_order(rows):
    X, y = rows
    parts = [*batches(io.BytesIO(as_vw(X, y).encode()), rows=50)]
    assert [len(part) for part in parts] == [50, 50, 20]
    assert np.concatenate([part.labels for part in parts]).tolist() == y.tolist()
    for start, part in zip((0, 50, 100), parts, strict=True):
        order = np.argsort([int(name[3:]) for name in part.rows.names])
        assert (part.rows.matrix.toarray()[:, order] == X[start : start + 50]).all()


@pytest.mark.parametrize(
    "text",
    [
        "a|b|y\n1|2|p\n3|4|q\n",
        "1 | red | p\n2 | blue | q\n",
        "id |name |y\n1 |Ann Lee |p\n2 |Bo Ray |q\n",
        "1 a|2 b|p\n1 c|2 d|q\n",
    ],
)
def test_tables_with_bars_stay_tables(text):
    assert rosenblatt.read(io.BytesIO(text.encode())).kind == "table"


def test_rows_of_unit_length_are_asked_for_as_of_any_sparse_rows(tmp_path):
    """(3, 4) has length 5, worked out by hand; what training never saw does not count."""
    (tmp_path / "a.vw").write_text("1 |f a:3 b:4\n-1 |f b:2\n" * 2)
    data = rosenblatt.read(tmp_path / "a.vw")
    model = rosenblatt.learn(data, features={"weighting": "unit"})
    np.testing.assert_allclose(model.features.transform(data.rows).toarray()[:2], [[0.6, 0.8], [0, 1]])
    model.save(tmp_path / "m.rosenblatt")
    new = rosenblatt.read(io.BytesIO(b"1 |f b:8 c:5 a:6\n"), format="vw")
    rows = rosenblatt.load(tmp_path / "m.rosenblatt").features.transform(new.rows).toarray()
    np.testing.assert_allclose(rows, [[0.6, 0.8]])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1_0", "2"], ["1_0", "2"]),  # which Python would read as ten
        (["100000000000000000000", "100000000000000000001"], ["100000000000000000000", "100000000000000000001"]),
        (["nan", "1"], ["nan", "1"]),
        (["+1", "-1.0", "cat"], ["1", "-1", "cat"]),  # as beside numbers alone
    ],
)
def test_labels_stay_apart_and_are_the_same_whatever_stands_beside_them(labels, expected):
    _, data = rows_of("".join(f"{label} |a x\n" for label in labels))
    assert data.labels.tolist() == expected


def test_one_long_label_does_not_make_every_row_as_long():
    _, data = rows_of("yes |a x\n" * 1000 + "y" * 10**6 + " |a x\n")
    assert data.labels.nbytes < 10**5  # an array of texts took 4 GB
