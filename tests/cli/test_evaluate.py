"""rosenblatt evaluate, held to scikit-learn's metrics, to the oracle's loop and to numbers worked out by hand."""

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest
from sklearn import metrics

from rosenblatt.cli import run
from rosenblatt.cli.evaluate import evaluate
from rosenblatt.studies.evaluate import measure, wilson

TRAIN = "colour,size,fruit\n" + "red,1,apple\ngreen,1,apple\nyellow,3,banana\nyellow,2,banana\norange,1,orange\n" * 4
DEV = "size,fruit,colour\n1,apple,red\n3,banana,yellow\n1,apple,orange\n1,orange,orange\n"


@pytest.fixture
def fruit(tmp_path, monkeypatch, capsys):
    """A folder with a model of three classes, and rows that it gets wrong once: an apple that is orange."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.csv").write_text(TRAIN)
    (tmp_path / "dev.csv").write_text(DEV)
    assert run(["train", "train.csv", "-t", "fruit", "-o", "fruit.rosenblatt", "--quiet"]) == 0
    capsys.readouterr()
    return tmp_path


def measured(capsys, *arguments):
    assert run(["evaluate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_counts_of_four_rows_are_those_worked_out_by_hand(fruit, capsys):
    result = measured(capsys, "fruit.rosenblatt", "dev.csv", "-t", "fruit")
    assert list(result) == [
        "examples", "errors", "error", "accuracy", "interval", "confusion", "per_class",
        "balanced_accuracy", "f1", "roc_auc", "average_precision", "threshold",
    ]  # fmt: skip
    assert result["balanced_accuracy"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert result["f1"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert (result["examples"], result["errors"], result["error"], result["accuracy"]) == (4, 1, 0.25, 0.75)
    assert result["confusion"] == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert [row["label"] for row in result["per_class"]] == ["apple", "banana", "orange"]
    assert [row["precision"] for row in result["per_class"]] == [1, 1, 0.5]
    assert [row["recall"] for row in result["per_class"]] == [0.5, 1, 1]


def test_people_read_accuracy_with_counts_and_the_named_matrix(fruit, capsys):
    assert run(["evaluate", "fruit.rosenblatt", "dev.csv", "-t", "fruit"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Accuracy = 75.00% (3/4)"
    assert lines[1].startswith("Error    = 25.00 %, 95 % interval 4.56 % to 69.94 %")  # R: binom::binom.wilson(1, 4)
    assert lines[4].split() == ["apple", "banana", "orange"]
    assert lines[5].split() == ["apple", "1", "0", "1"]


def test_confusion_precision_and_recall_are_scikit_learns():
    random = np.random.default_rng(0)
    truth, predicted = random.integers(0, 5, 300), random.integers(0, 4, 300)  # class 4 is never predicted
    result = measure(truth, predicted, 5)
    assert result.confusion.tolist() == metrics.confusion_matrix(truth, predicted).tolist()
    precision, recall, _, _ = metrics.precision_recall_fscore_support(truth, predicted, zero_division=0)
    assert result.precision[4] is None
    assert [p or 0 for p in result.precision] == pytest.approx(precision.tolist())
    assert result.recall == pytest.approx(recall.tolist())


def test_wilsons_interval_is_that_of_the_literature():
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    table = {(81, 263): (0.2553, 0.3662), (15, 148): (0.0624, 0.1605), (0, 20): (0, 0.1611), (1, 29): (0.0061, 0.1718)}
    for (errors, n), interval in table.items():
        assert wilson(errors, n) == pytest.approx(interval, abs=5e-5)
    assert wilson(7, 7)[1] == 1


def test_progressive_predicts_before_it_learns(tmp_path, monkeypatch, capsys):
    """By hand: a perceptron in plain Python goes on from the saved weights."""
    from rosenblatt.learning.loading import load

    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    for name in ("train", "more"):
        X = random.integers(-3, 4, (60, 3))
        y = np.where(X @ [1, -2, 1] + random.integers(-2, 3, 60) >= 0, "up", "down")
        rows = "".join(f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X, y, strict=True))
        (tmp_path / f"{name}.csv").write_text("a,b,c,y\n" + rows)
    assert run(["train", "train.csv", "-t", "y", "-l", "perceptron", "--no-scale", "-o", "m.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    before = (tmp_path / "m.rosenblatt").read_bytes()
    w, b = (part.copy() for part in load("m.rosenblatt").views["last"])
    expected = np.zeros((2, 2), int)
    mistakes = 0
    for x, label in zip(X, y, strict=True):
        score, sign = float(w[0] @ x + b[0]), 1 if label == "up" else -1
        expected[int(sign > 0), int(score >= 0)] += 1
        if sign * score <= 0:
            mistakes += 1
            w, b = w + sign * x, b + sign
    assert run(["evaluate", "m.rosenblatt", "more.csv", "-t", "y", "--progressive", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["confusion"] == expected.tolist()
    assert f"training counted {mistakes} mistakes" in err
    assert (tmp_path / "m.rosenblatt").read_bytes() == before


@pytest.mark.parametrize("learner", ["averaged", "mira", "passive-aggressive", "arow", "logistic", "widrow-hoff"])
def test_progressive_counts_the_mistakes_of_one_pass_as_given(fruit, capsys, learner):
    from rosenblatt.data import read
    from rosenblatt.learning.loading import load
    from rosenblatt.learning.plan import Plan
    from rosenblatt.learning.training import run as train
    from rosenblatt.studies.evaluate import last_weights, predict_then_learn

    assert run(["train", "train.csv", "-t", "fruit", "-l", learner, "-e", "1", "-o", "m.rosenblatt", "-q"]) == 0
    model = load("m.rosenblatt")
    examples = model.examples(read("dev.csv", target="fruit"))[0]
    scored, mistakes = predict_then_learn(model, examples)
    pass_ = train(examples, model.recipe.rule(), Plan(epochs=1, order="given"), weights=last_weights(model, examples))
    assert mistakes == pass_.history[0].mistakes
    assert scored.predicted[0] == model.model("last").scores(examples.rows)[0].argmax()


def test_the_help_example_runs(tmp_path, monkeypatch, capsys, data_dir):
    monkeypatch.chdir(tmp_path)
    lines = [line.strip() for line in evaluate.help.splitlines() if line.strip().startswith("rosenblatt ")]
    assert len(lines) == 2
    for line in lines:
        assert run(shlex.split(line)[1:]) == 0
    assert "(850/1000)" in capsys.readouterr().out


def test_labels_that_training_never_saw(fruit, capsys):
    (fruit / "new.csv").write_text(DEV + "2,kiwi,green\n")
    assert run(["evaluate", "fruit.rosenblatt", "new.csv", "-t", "fruit"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "'kiwi'" in err
    assert "--unseen skip" in err
    assert run(["evaluate", "fruit.rosenblatt", "new.csv", "-t", "fruit", "--unseen", "skip"]) == 0
    out, err = capsys.readouterr()
    assert "(3/4)" in out
    assert "1 row is left out" in err


def test_notes_go_to_standard_error_unless_quiet(fruit, capsys):
    (fruit / "dev2.csv").write_text("id,size,fruit,colour\n7,1,apple,pink\n")
    assert run(["evaluate", "fruit.rosenblatt", "dev2.csv", "-t", "fruit"]) == 0
    err = capsys.readouterr().err
    assert "colour: 1 value in 1 row was never seen" in err
    assert "ignored: id" in err
    assert run(["evaluate", "fruit.rosenblatt", "dev2.csv", "-t", "fruit", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_numbers_as_labels_of_a_model_whose_labels_are_text(fruit, capsys):
    (fruit / "t.csv").write_text("a,y\n" + "1,1\n2,x\n" * 5)
    (fruit / "d.csv").write_text("a,y\n1,1\n1,1\n")
    assert run(["train", "t.csv", "-t", "y", "-o", "t.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    assert measured(capsys, "t.rosenblatt", "d.csv", "-t", "y")["errors"] == 0
    # And the other way: text among the labels of a model whose labels are numbers.
    (fruit / "n.csv").write_text("a,y\n" + "1,0\n2,1\n" * 5)
    (fruit / "e.csv").write_text("a,y\n1,0\n1,maybe\n2,1\n")
    assert run(["train", "n.csv", "-t", "y", "-o", "n.rosenblatt", "-q"]) == 0
    assert run(["evaluate", "n.rosenblatt", "e.csv", "-t", "y"]) == 1
    assert "'maybe'" in capsys.readouterr().err
    assert measured(capsys, "n.rosenblatt", "e.csv", "-t", "y", "--unseen", "skip")["examples"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("fruit.rosenblatt dev.csv -t nothing", 2, "no column 'nothing'"),
        ("fruit.rosenblatt dev.csv -t colour", 1, "never seen in training"),
        ("fruit.rosenblatt gone.csv -t fruit", 1, "gone.csv"),
        ("fruit.rosenblatt dev.csv -t fruit --view best", 2, "no best weights"),
        ("fruit.rosenblatt dev.csv -t fruit --view last --progressive", 2, "--view"),
        ("dev.csv dev.csv -t fruit", 3, "not a model"),
        ("gone.rosenblatt dev.csv -t fruit", 3, "was not found"),
    ],
)
def test_refusals(fruit, capsys, arguments, code, message):
    assert run(["evaluate", *arguments.split()]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_many_classes_list_their_commonest_confusions(fruit, capsys):
    rows = "".join(f"v{k},c{k}\n" for k in range(40))
    (fruit / "many.csv").write_text("a,y\n" + rows * 3)
    (fruit / "swapped.csv").write_text("a,y\n" + rows + "v1,c2\n" * 7)
    assert run(["train", "many.csv", "-t", "y", "-o", "many.rosenblatt", "-q"]) == 0
    capsys.readouterr()
    assert run(["evaluate", "many.rosenblatt", "swapped.csv", "-t", "y"]) == 0
    assert "       7  c2 taken for c1" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("verb", ["evaluate", "predict"])
def test_no_heavy_library_is_imported(fruit, verb):
    arguments = [verb, "fruit.rosenblatt", "dev.csv", "-q", *(["-t", "fruit"] if verb == "evaluate" else [])]
    script = (
        f"import sys; from rosenblatt.cli import run; code = run({arguments}); "
        "print(code, [m for m in ('sklearn', 'matplotlib', 'pandas') if m in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stderr == "0 []\n"


def test_the_model_knows_its_target(fruit, capsys):
    assert run(["evaluate", "fruit.rosenblatt", "dev.csv", "--json"]) == 0
    by_itself = capsys.readouterr().out
    assert run(["evaluate", "fruit.rosenblatt", "dev.csv", "--target", "fruit", "--json"]) == 0
    assert capsys.readouterr().out == by_itself


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "mira", "voted"])
@pytest.mark.parametrize("name", ["breast-cancer", "iris"])
def test_the_table_by_epoch_is_that_of_shorter_runs(name, learner, tmp_path, capsys):
    """The weights after epoch k are those that training for k epochs ends with."""
    import rosenblatt
    from rosenblatt.data import open_known
    from rosenblatt.data.splits import split

    model = str(tmp_path / "m")
    arguments = ["--holdout", "0.3", "-e", "3", "-l", learner, "--keep-log", "-q", "--json", "-o", model]
    assert run(["train", name, *arguments]) == 0
    history = json.loads(capsys.readouterr().out)["history"]
    data, dev = split(open_known(name), 0.3)
    dev.rows.with_columns(kind=dev.labels).write_csv(tmp_path / "dev.csv")
    view = "last" if learner in ("perceptron", "mira") else "averaged"
    for chosen in ("last", "averaged"):
        assert (
            run(["evaluate", model, str(tmp_path / "dev.csv"), "-t", "kind", "--per-epoch", "--view", chosen, "--json"]) == 0
        )
        table = json.loads(capsys.readouterr().out)["epochs"]
        assert len(table) == len(history)
        for number, epoch in enumerate(table, start=1):
            shorter = rosenblatt.learn(data, learner=learner, epochs=number)
            predicted = shorter.predict(dev.rows, chosen)
            assert epoch["error"] == float(np.mean(predicted != np.asarray(dev.labels)))
            assert epoch["predicted"] == [float(np.mean(predicted == label)) for label in shorter.classes]
            assert epoch["updates"] == history[number - 1]["updates"]
            if chosen == view and learner != "voted":
                assert history[number - 1]["dev_predicted"] == epoch["predicted"]
                assert history[number - 1]["dev_error"] == epoch["error"]


def test_the_table_by_epoch_needs_the_log(fruit, capsys):
    assert run(["evaluate", "fruit.rosenblatt", "dev.csv", "-t", "fruit", "--per-epoch"]) == 2
    assert "train with --keep-log" in capsys.readouterr().err
    assert run(["evaluate", "fruit.rosenblatt", "dev.csv", "-t", "fruit", "--per-epoch", "--progressive"]) == 2
