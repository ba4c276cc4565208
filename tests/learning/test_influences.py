"""Influences of training examples sum to scores and to weights; the log that they need is saved with the model."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from strategies import ADDS_ROWS, data_sets

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.errors import DataError, ModelFileError, SettingError
from rosenblatt.learning import model_file
from rosenblatt.learning.influences import on_score, on_weight


def close(got, expected, parts):
    """To 1e-9, relative to the largest number in the sum."""
    assert abs(got - expected) <= 1e-9 * max([abs(expected), *map(abs, parts)])


@pytest.mark.parametrize("name", ADDS_ROWS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@given(data=data_sets("floats"))
def test_influences_sum_to_the_score_and_to_the_weight(name, form, data):
    trained = data.train(ADDS_ROWS[name][0], X=form(data.X), keep_log=True)
    memory, log = trained.memory(), trained.log
    # A row that was added and taken again leaves nothing but rounding: what counts is how large its updates were.
    moves = log.tau * (np.abs(data.X[log.row]) @ np.abs(data.X[0]) + data.bias)
    moves_of_weight = log.tau * np.abs(data.X[log.row, 0])
    for view in ("last", "averaged"):
        model = trained.view(view)
        scores = model.scores(data.X[:1]).reshape(1, -1)[0]
        for k, score in enumerate(scores):
            found = on_score(memory, Rows(data.X[:1]), view, k)
            close(found.score, score, moves)
            close(sum(part.contribution for part in found.examples), score, moves)
            assert sum(part.updates for part in found.examples) == len(memory.log)
            close(on_weight(memory, 0, view, k).score, model.coef[k, 0], moves_of_weight)
        if len(scores) > 1:
            close(on_score(memory, Rows(data.X[:1]), view, 1, 0).score, scores[1] - scores[0], moves)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e-9, 1e6])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_score_of_influences_keeps_its_digits_beside_a_bias(scale, classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 4)) * scale, rng.integers(0, classes, 80)
    clf = rosenblatt.Perceptron(keep_log=True, max_iter=3, random_state=0).fit(X, y)
    scores = np.atleast_1d(clf.decision_function(X[:1])[0])
    for k, score in enumerate(scores):
        assert on_score(clf.memory_, Rows(X[:1]), "last", k).score == pytest.approx(score, rel=1e-9)


def test_the_start_of_training_has_its_part():
    X, y = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, 0, 0, 0]
    clf = rosenblatt.Perceptron(shuffle=False, keep_log=True).fit(X, y, coef_init=[[1, 0]])
    found = on_score(clf.memory_, Rows(np.array([[3.0, 2.0]])), "last")
    assert found.start == 3.0
    close(found.score, clf.decision_function([[3.0, 2.0]])[0], [found.start])


@pytest.mark.parametrize("estimator", [rosenblatt.Perceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron])
@pytest.mark.parametrize("classes", [2, 3])
def test_an_estimator_tells_the_influences_on_its_decision(estimator, classes):
    rng = np.random.default_rng(classes)
    X, y = rng.standard_normal((40, 3)), rng.integers(0, classes, 40)
    clf = estimator(keep_log=True, max_iter=3, random_state=0).fit(X, y)
    found = clf.influences(X[:1])
    linear = clf.view("averaged") if estimator is rosenblatt.VotedPerceptron else clf
    scores = np.sort(np.atleast_1d(linear.decision_function(X[:1])[0]))
    close(found.score, scores[-1] - (scores[-2] if classes > 2 else 0), [part.contribution for part in found.examples])
    with pytest.raises(DataError, match="there are 2"):
        clf.influences(X[:2])
    with pytest.raises(AttributeError, match="keep_log=True"):
        rosenblatt.Perceptron().fit(X, y).influences(X[:1])


def test_an_unknown_view_is_told_all_that_there_are():
    clf = rosenblatt.VotedPerceptron().fit([[1.0], [-1.0]], [1, 0])
    with pytest.raises(SettingError, match="'foo': choose 'last', 'averaged', 'best', 'voted' or 'random'"):
        clf.view("foo")


SMALL = {
    "dense": np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [-1.0, 1.0, 0.0], [2.0, 1.0, 1.0], [0.0, 0.0, -2.0]]),
    "float32": np.eye(5, 3, dtype=np.float32),
    "csr": sp.csr_array(np.eye(5, 3)),
    "one-hot": OneHot(np.array([[0], [1], [2], [1], [0]]), 3),
}


@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 1], ["a", "b", "c", "b", "c"]])
@pytest.mark.parametrize("form", SMALL)
def test_a_saved_voter_votes_alike_and_no_changed_bit_is_read(form, labels, tmp_path):
    X, path = SMALL[form], tmp_path / "voted.rosenblatt"
    clf = rosenblatt.VotedPerceptron(random_state=0).fit(X, labels)
    rosenblatt.save(clf, path)
    loaded = rosenblatt.load(path)
    rows = X.toarray() if hasattr(X, "toarray") else X
    np.testing.assert_array_equal(loaded.scores(rows), clf.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(rows), clf.predict(X))
    np.testing.assert_array_equal(loaded.scores(rows, "last"), clf.view("last").decision_function(X))
    assert loaded.memory.replay().last[0].tobytes() == clf.view("last").coef_.tobytes()
    loaded.save(tmp_path / "again.rosenblatt")
    assert (tmp_path / "again.rosenblatt").read_bytes() == path.read_bytes()
    content = path.read_bytes()
    for place in np.random.default_rng(0).integers(0, 8 * len(content), 200).tolist():
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            rosenblatt.load(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("log.row", lambda row: row + 100),
        ("log.row", lambda row: row - 100),
        ("log.row", lambda row: row.astype(np.int64)),
        ("log.rival", lambda rival: rival + 5),
        ("log.rival", lambda rival: rival - 5),
        ("log.codes", lambda codes: codes + 7),
        ("log.codes", lambda codes: codes[1:]),
        ("log.t", lambda t: t[::-1]),
        ("log.t", lambda t: t + 10**9),
        ("log.tau", lambda tau: tau * np.inf),
        ("log.tau", lambda tau: tau[1:]),
        ("log.values", lambda values: values[:, 1:]),
        ("log.values", lambda values: values[1:]),
    ],
)
def test_a_whole_file_with_an_impossible_log_is_refused(name, change, tmp_path):
    """The count of votes trusts the numbers in the log: a file by someone else must not lead it astray."""
    path = tmp_path / "voted.rosenblatt"
    rosenblatt.VotedPerceptron(random_state=0).fit(SMALL["dense"], [0, 1, 2, 1, 2]).save(path)
    header, arrays = model_file.read(path)
    model_file.write(path, header, arrays | {name: np.ascontiguousarray(change(arrays[name]))})
    with pytest.raises(ModelFileError, match="holds no classifier"):
        rosenblatt.load(path)


@pytest.fixture
def iris(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["train", "iris", "--learner", "voted", "--holdout", "0.2", "-q", "-o", "voted.rosenblatt"]) == 0
    capsys.readouterr()
    return rosenblatt.read("iris")


def test_the_command_line_votes_as_the_estimator_does(iris, capsys):
    assert run(["predict", "voted.rosenblatt", "iris", "--scores", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["predictions"]
    model, (part, _) = rosenblatt.load("voted.rosenblatt"), rosenblatt.split(iris, 0.2)
    X = np.asarray(model.features.transform(part.rows))
    clf = rosenblatt.VotedPerceptron(max_iter=5, random_state=0).fit(X, np.asarray(part.labels))
    votes = clf.decision_function(np.asarray(model.features.transform(iris.rows)))
    assert [[row[f"score_{label}"] for label in model.classes] for row in found] == votes.tolist()
    assert [row["prediction"] for row in found] == model.classes[votes.argmax(axis=1)].tolist()
    assert run(["evaluate", "voted.rosenblatt", "iris", "--json"]) == 0
    right = np.mean([row["prediction"] == label for row, label in zip(found, iris.labels, strict=True)])
    assert json.loads(capsys.readouterr().out)["accuracy"] == pytest.approx(right)


def test_explaining_by_example_names_rows_of_the_file(iris, capsys):
    model = rosenblatt.load("voted.rosenblatt")
    assert run(["explain", "voted.rosenblatt", "iris", "--row", "71", "--by", "example", "--json"]) == 0
    why = json.loads(capsys.readouterr().out)
    scores = np.sort(model.scores(iris.rows[70], "averaged")[0])
    assert sum(part["contribution"] for part in why["influences"]) == pytest.approx(scores[-1] - scores[-2], rel=1e-9)
    for part in why["influences"]:
        assert part["label"] == iris.labels[part["training_row"] - 1]
        place = model.memory.numbers.tolist().index(part["training_row"] - 1)
        x = model.features.transform(iris.rows[part["training_row"] - 1])
        assert np.array_equal(model.memory.rows.csr()[[place]].toarray(), np.asarray(x))
    assert run(["explain", "voted.rosenblatt", "--weight", "petal width (cm)", "--json"]) == 0
    weights = json.loads(capsys.readouterr().out)["weights"]
    for k, found in enumerate(weights):
        total = sum(part["contribution"] for part in found["influences"])
        assert total == pytest.approx(model.linear("averaged").coef[k, 3], rel=1e-9)
    assert run(["explain", "voted.rosenblatt", "iris", "--row", "71", "--by", "example"]) == 0
    assert "examples:" in capsys.readouterr().out


def test_explaining_a_voted_model_tells_what_the_votes_say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{'yes' if a + rng.normal() > 0 else 'no'}" for a, b in rng.normal(size=(80, 2))]
    (tmp_path / "noisy.csv").write_text("\n".join(["a,b,y", *lines]))
    assert run(["train", "noisy.csv", "-t", "y", "--learner", "voted", "-q", "-o", "m.rosenblatt"]) == 0
    capsys.readouterr()
    model, rows = rosenblatt.load("m.rosenblatt"), rosenblatt.read("noisy.csv", target="y").rows
    voted, averaged = model.predict(rows), model.predict(rows, "averaged")
    (other, *_), (same, *_) = np.flatnonzero(voted != averaged), np.flatnonzero(voted == averaged)
    for row, words in ((other, f"say {averaged[other]}"), (same, "say so, too")):
        for more in ([], ["--by", "example"]):
            command = ["explain", "m.rosenblatt", "noisy.csv", "--row", str(row + 1), *more]
            assert run(command) == 0
            headline = capsys.readouterr().out.splitlines()[0]
            assert f"{voted[row]} by votes; the averaged weights, whose score follows, {words}" in headline
            assert run([*command, "--json"]) == 0
            found = json.loads(capsys.readouterr().out)
            assert [found["prediction"], found["prediction_of_view"]] == [voted[row], averaged[row]]
            assert found["view"] == "averaged"


def test_without_the_log_it_is_said_how_to_keep_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["train", "iris", "-q", "-o", "plain.rosenblatt"]) == 0
    for arguments in (["iris", "--row", "1", "--by", "example"], ["--weight", "petal width (cm)"]):
        capsys.readouterr()
        assert run(["explain", "plain.rosenblatt", *arguments]) == 2
        assert "--keep-log" in capsys.readouterr().err
    assert run(["evaluate", "plain.rosenblatt", "iris", "--view", "voted"]) == 2
    assert run(["explain", "plain.rosenblatt", "--by", "example"]) == 2
    assert run(["train", "iris", "--learner", "logistic", "--keep-log"]) == 2
    assert "mistake-driven" in capsys.readouterr().err
    with pytest.raises(SettingError, match="keep_log"):
        rosenblatt.Perceptron().fit(np.eye(2), [0, 1]).view("voted")


def test_compare_knows_the_voted_perceptron(capsys):
    assert run(["compare", "iris", "--learners", "voted,averaged", "--seeds", "2", "--json"]) == 0
    assert {row["learner"] for row in json.loads(capsys.readouterr().out)["rows"]} == {"majority", "voted", "averaged"}


def test_partial_fit_votes_with_all_that_it_has_seen():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, (200, 4)).astype(float), rng.integers(0, 3, 200)
    whole = rosenblatt.VotedPerceptron(shuffle=False, max_iter=1).fit(X, y)
    parts = rosenblatt.VotedPerceptron()
    for rows in np.split(np.arange(200), [1, 50, 51, 120]):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        parts.predict(X[:3])
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))
    assert parts.memory_.numbers[parts.memory_.log.row].tolist() == whole.log_.row.tolist()


def test_what_is_kept_survives_a_pickle():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    clf = rosenblatt.Perceptron(keep_log=True, random_state=1).fit(sp.csr_array(X), y)
    twin = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(twin.view("voted").decision_function(X), clf.view("voted").decision_function(X))
    assert str(twin.forget([3, 4])) == str(clf.forget([3, 4]))
    np.testing.assert_array_equal(twin.coef_, clf.coef_)
    assert not hasattr(rosenblatt.Perceptron().fit(X, y), "memory_")


def test_all_four_predictors_come_from_one_run():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 2, 100)
    for name in ("voted", "averaged", "last", "random"):
        one = rosenblatt.VotedPerceptron(score_with=name, random_state=4).fit(X, y)
        other = rosenblatt.VotedPerceptron(random_state=4).fit(X, y).view(name)
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
        assert hasattr(one, "coef_") == (name in ("averaged", "last"))
    plain = rosenblatt.Perceptron(random_state=4).fit(X, y)
    np.testing.assert_array_equal(one.view("last").coef_, plain.coef_)
    with pytest.raises(SettingError, match="score_with"):
        rosenblatt.VotedPerceptron(score_with="median").fit(X, y)
