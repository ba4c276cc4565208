"""train --auto: the search is honest, bounded and told."""

import io
import json

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons

from rosenblatt import Recipe, SettingError, read
from rosenblatt.cli import run
from rosenblatt.cli.train_search import print_search
from rosenblatt.studies.auto import FOLDS, REPETITIONS, choose_recipe, rounds


def table(X, y):
    lines = "".join(f"{a:.4f},{b:.4f},{'yes' if label else 'no'}\n" for (a, b), label in zip(X, y, strict=True))
    return read(io.BytesIO(f"a,b,y\n{lines}".encode()), target="y")


@pytest.fixture(scope="module")
def moons():
    return table(*make_moons(150, noise=0.25, random_state=0))


KERNEL = Recipe("kernel", parameters={"score_with": "averaged"}, features={"numeric": "number"})
OTHERS = [KERNEL, *(Recipe(name, average=True, features={"numeric": "bins"}) for name in ("mira", "logistic", "arow"))]


@pytest.fixture(scope="module")
def search(moons):
    return choose_recipe(moons, others=OTHERS)


def test_rounds_grow_until_they_hold_all_rows():
    assert list(rounds(100)) == [(100, 1), (100, REPETITIONS)]
    assert list(rounds(3000)) == [(2000, 1), (3000, REPETITIONS)]
    assert list(rounds(20_001)) == [(2000, 1), (6000, 1), (18_000, 1), (20_001, 1)]


def test_every_finalist_is_measured_on_each_row_once_a_repetition(search):
    finalists = [one for one in search.ranked if one.repetitions == REPETITIONS]
    assert search.default in finalists
    for one in finalists:
        assert len(one.trials) == FOLDS * REPETITIONS
        assert sum(map(len, one.right)) == 150 * REPETITIONS
    errors = [one.error for one in finalists]
    assert errors == sorted(errors)
    assert search.ranked[0].error <= search.default.error


def test_the_search_is_the_same_on_every_run(moons, search):
    again = choose_recipe(moons, others=OTHERS)
    assert [(one.label, one.error) for one in again.ranked] == [(one.label, one.error) for one in search.ranked]


def test_a_circle_is_told_to_need_more_than_a_line():
    circle = table(*make_circles(150, noise=0.05, factor=0.5, random_state=0))
    curved = choose_recipe(circle, Recipe(features={"numeric": "number"}), others=[KERNEL, Recipe("mira", average=True)])
    assert curved.kernel.line_is_not_enough
    assert curved.winner.recipe.with_kernel
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    straight = choose_recipe(table(X, X[:, 0] + X[:, 1] > 0), others=OTHERS)
    assert not straight.kernel.line_is_not_enough
    assert not straight.trees.line_is_not_enough


def test_trees_tell_of_what_neither_a_line_nor_a_kernel_sees(capsys):
    """The class alternates between neighbouring numbers, as schools differ: XOR of parities, learned by no smooth curve."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, size=(600, 2))
    boxes = choose_recipe(table(X, (X[:, 0] // 3 + X[:, 1] // 3) % 2), others=[KERNEL])
    assert boxes.trees.line_is_not_enough
    assert boxes.trees.curve_error < 0.1 < boxes.trees.line_error
    assert boxes.winner.entrant is None  # the trees are a witness, and never trained
    print_search(boxes)
    assert "with gradient-boosted trees, " in capsys.readouterr().out


def test_a_budget_ends_the_search_and_something_is_trained(moons, tmp_path, capsys):
    search = choose_recipe(moons, seconds=1e-9)
    assert search.ended_by == "budget"
    assert search.winner is search.default
    (tmp_path / "m.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'x' if i % 7 > 3 else 'z'}\n" for i in range(120))
    )
    call = [
        "train",
        str(tmp_path / "m.csv"),
        "--target",
        "y",
        "--auto",
        "--budget",
        "5",
        "-o",
        str(tmp_path / "m.rosenblatt"),
    ]
    assert run([*call, "--json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["auto"]["candidates"][0]["error"] == 0
    assert told["train_error"] == 0
    assert (tmp_path / "m.rosenblatt").exists()
    assert run(call) == 0
    printed = capsys.readouterr()
    assert "round 1: " in printed.err
    assert "The default" in printed.out


@pytest.mark.parametrize("option", [["-l", "mira"], ["--epochs", "3"], ["--C", "1"], ["--last"]])
def test_what_auto_chooses_cannot_be_said_beside_it(option, capsys):
    assert run(["train", "iris", "--auto", *option]) == 2
    assert "with --auto, which chooses" in capsys.readouterr().err


def test_a_class_of_one_row_cannot_be_measured():
    data = read(io.BytesIO(b"a,y\n1,x\n2,x\n3,z\n"), target="y")
    with pytest.raises(SettingError, match="Of the class z there is one row only"):
        choose_recipe(data)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (["--auto", "--budget", "-1"], "--budget) is -1: give the seconds"),
        (["--budget", "5"], "--auto has it, in seconds, and -l kernel, in examples"),
        (["--epsilon", "0.5"], "--task numbers -l passive-aggressive has it"),
        (["--C", "1"], "-l passive-aggressive has it"),
        (["--task", "numbers"], "No target in"),
    ],
)
def test_a_setting_of_something_else_is_refused_with_where_it_belongs(options, remedy, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "1,p\n2,q\n3,p\n" * 10)
    assert run(["train", str(path), "--target", "y", *options]) in (1, 2)
    assert remedy in capsys.readouterr().err
