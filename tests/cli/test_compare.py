"""rosenblatt compare, through the door that users take."""

import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.cli.compare import compare as command
from rosenblatt.data import Dataset, open_known, read
from rosenblatt.data.splits import split
from rosenblatt.errors import DataError
from rosenblatt.estimators.neighbours.entrants import ENTRANTS
from rosenblatt.features import TableMap
from rosenblatt.learning.learner_names import COMPARED
from rosenblatt.studies.compare import compare
from rosenblatt.studies.order import mean_cosine

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"

KEYS = [
    "learner",
    "error_mean",
    "error_sd",
    "updates",
    "seconds",
    "differs_from_best",
    "p_value",
    "metric_mean",
    "metric_se",
]


def rows_of(capsys, *arguments):
    assert run(["compare", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)["rows"]


def noisy(path, n=600):
    """Two numbers, of which the first tells the class and the second nothing; one label in ten is wrong."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 2))
    y = np.where((x[:, 0] > 0) ^ (rng.random(n) < 0.1), "yes", "no")
    path.write_text("a,b,y\n" + "".join(f"{a:.4f},{b:.4f},{label}\n" for (a, b), label in zip(x, y, strict=True)))
    return str(path)


@pytest.mark.parametrize("example", re.findall(r"^ *rosenblatt (compare .*)$", command.help, re.M))
def test_the_examples_in_help_run(example, capsys):
    assert run(shlex.split(example)) == 0
    assert ("cosine" if "--orders" in example else "majority") in capsys.readouterr().out


def test_json_has_the_keys_of_the_contract_and_all_learners_with_the_majority_first(capsys):
    rows = rows_of(capsys, "iris", "--seeds", "2")
    assert all(list(row) == KEYS for row in rows)
    assert rows[0]["learner"] == "majority"
    assert {row["learner"] for row in rows[1:]} == set(COMPARED)
    errors = [row["error_mean"] for row in rows[1:]]
    assert errors == sorted(errors)


class Recorder:
    """A learner that always answers one class, and records the rows that it is given, by their number in column `row`."""

    def __init__(self, records, answer=0):
        self.records, self.answer = records, answer

    def fit(self, X, codes):
        self.train = X.ravel().astype(int).tolist()
        return self

    def predict(self, X):
        self.records.append((self.train, X.ravel().astype(int).tolist()))
        return np.full(len(X), self.answer)


UNSCALED = rosenblatt.Recipe(features={"scale": False})


def numbered(labels):
    """Rows with these labels, whose one feature is their number."""
    return Dataset("table", pl.DataFrame({"row": np.arange(len(labels), dtype=float)}), pl.Series(labels), "numbered")


def splits_of(labels, splits, holdout):
    """(rows to learn from, rows held out) of each split, by their numbers."""
    records = []
    compare(numbered(labels), [], splits, holdout, UNSCALED, also={"recorder": lambda seed: Recorder(records)})
    return records


@given(
    st.lists(st.sampled_from("aaaab"), min_size=8, max_size=60).filter(lambda labels: len(set(labels)) > 1),
    st.integers(2, 6),
    st.integers(1, 3),
)
def test_every_row_is_held_out_once_in_a_repetition_and_folds_are_equal_in_every_class(labels, folds, repetitions):
    """What scikit-learn's KFold and StratifiedKFold promise."""
    records = splits_of(labels, folds * repetitions, 1 / folds)
    cuts = set()
    for start in range(0, len(records), folds):
        repetition = records[start : start + folds]
        assert sorted(row for _, test in repetition for row in test) == list(range(len(labels)))
        for kind in ("a", "b", "ab"):
            counts = [sum(labels[row] in kind for row in test) for _, test in repetition]
            assert max(counts) - min(counts) <= 1
        cuts.add(tuple(tuple(test) for _, test in repetition))
    for train, test in records:
        assert sorted(train + test) == list(range(len(labels)))
    if len(labels) >= 30:
        assert len(cuts) == repetitions  # each is shuffled anew


@pytest.mark.parametrize(("share", "folds"), [(0.2, 5), (0.25, 4), (0.3, 3), (0.5, 2), (0.7, 2), (0.99, 2), (0.06, 17)])
def test_a_share_becomes_equal_folds_and_half_of_the_rows_are_the_most(share, folds, capsys, tmp_path):
    path = noisy(tmp_path / "noisy.csv", n=100)
    assert run(["compare", path, "-t", "y", "-l", "averaged", "--holdout", str(share), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["splits"], printed["folds"], printed["holdout"]) == (5, folds, 1 / folds)
    assert "Nadeau" in printed["test"]
    assert run(["compare", path, "-t", "y", "-l", "averaged", "--holdout", str(share), "-q"]) == 0
    out = capsys.readouterr().out
    assert ("in place of the share" in out) == (share in (0.3, 0.7, 0.99))
    assert f"{folds} disjoint folds, stratified by class" in out


def test_by_default_every_row_is_held_out_once_and_the_output_says_so(capsys, tmp_path):
    path = noisy(tmp_path / "noisy.csv", n=100)
    for seeds, words in (
        ([], "held out once"),
        (["--seeds", "10"], "held out twice"),
        (["--seeds", "3"], "3 of 5 disjoint"),
    ):
        assert run(["compare", path, "-t", "y", "-l", "averaged", "-q", *seeds]) == 0
        assert words in capsys.readouterr().out


def test_the_majority_row_is_the_share_of_the_other_classes_in_the_held_out_rows(capsys, tmp_path):
    path = noisy(tmp_path / "noisy.csv")
    result = rows_of(capsys, path, "--target", "y", "--seeds", "3", "--learners", "averaged")[0]
    labels, errors = read(path, target="y").labels.to_list(), []
    for train, test in splits_of(labels, 3, 0.2):
        truth = [labels[row] for row in train]
        most = max(set(truth), key=truth.count)
        errors.append(sum(labels[row] != most for row in test) / len(test))
    assert result["error_mean"] == pytest.approx(np.mean(errors))
    assert result["error_sd"] == pytest.approx(np.std(errors, ddof=1))
    assert result["updates"] == 0


def test_a_learner_gives_what_learn_gives_on_the_same_split(capsys):
    rows = rows_of(capsys, "breast-cancer", "--seeds", "3", "--learners", "mira,averaged mira,averaged", "--holdout", "0.25")
    by_name, data = {row["learner"]: row for row in rows}, open_known("breast-cancer")
    splits = splits_of(data.labels.to_list(), 3, 0.25)
    for name, learner, view in (("mira", "mira", "last"), ("averaged mira", "mira", "averaged"), ("averaged",) * 3):
        errors, updates = [], []
        for seed, (train, test) in enumerate(splits):
            model = rosenblatt.learn(data.take(train), dev=data.take(test), learner=learner, seed=seed)
            errors.append(model.summary["dev_error"][view])
            updates.append(model.summary["updates"])
        assert by_name[name]["error_mean"] == pytest.approx(np.mean(errors))
        assert by_name[name]["updates"] == pytest.approx(np.mean(updates))


def test_two_names_of_one_learner_do_the_same_and_do_not_differ(capsys, tmp_path):
    rows = rows_of(capsys, noisy(tmp_path / "noisy.csv"), "-t", "y", "--learners", "averaged,averaged perceptron")
    assert rows[1]["error_mean"] == rows[2]["error_mean"]
    assert [row["differs_from_best"] for row in rows] == [True, False, False]


class Scripted(Recorder):
    """Gets wrong, in split after split, as many of the held-out rows as it is told; the codes of all rows are 0 and 1."""

    def __init__(self, codes, wrong):
        self.codes, self.wrong = codes, wrong

    def predict(self, X):
        answers = self.codes[X.ravel().astype(int)]
        answers[: self.wrong] = 1 - answers[: self.wrong]
        return answers


def p_value_of(wrong_a, wrong_b, rows_a_fold, holdout):
    """p of two learners that err on so many rows of each split."""
    codes = np.arange(round(rows_a_fold / holdout)) % 2
    scripts = {"a": wrong_a, "b": wrong_b}
    also = {name: lambda seed, wrong=wrong: Scripted(codes, wrong[seed]) for name, wrong in scripts.items()}
    rows = compare(numbered(codes), [], len(wrong_a), holdout, UNSCALED, also=also)
    assert all(row.differs_from_best == (row.p_value < 0.05) for row in rows)
    assert rows[1].p_value == 1
    return rows[2].p_value


def test_the_p_value_is_that_of_the_corrected_repeated_k_fold_t_test():
    """Nadeau and Bengio (2003); by hand: d = 1, 4, 2, 5, 3 of 20 rows, mean 3/20, variance 2.5/400."""
    statistic = (3 / 20) / np.sqrt((1 / 5 + 20 / 80) * 2.5 / 400)
    expected = 2 * t.sf(statistic, df=4)
    assert p_value_of([0] * 5, [1, 4, 2, 5, 3], 20, 0.2) == pytest.approx(expected)
    assert p_value_of([1, 4, 2, 5, 3], [0] * 5, 20, 0.2) == pytest.approx(expected)
    # Twice two folds (Bouckaert and Frank, 2004): k r = 4 differences 1, 3, 2, 2 of 30, variance 2/3 / 900.
    expected = 2 * t.sf((2 / 30) / np.sqrt((1 / 4 + 1) * (2 / 3) / 900), df=3)
    assert p_value_of([0] * 4, [1, 3, 2, 2], 30, 0.5) == pytest.approx(expected)


def test_equal_differences_in_all_splits_are_no_star_by_themselves():
    assert p_value_of([2] * 5, [2] * 5, 20, 0.2) == 1  # 0/0
    assert p_value_of([0] * 5, [10] * 5, 20, 0.2) < 0.05  # half of the rows: no chance
    assert p_value_of([0] * 2, [1] * 2, 20, 0.2) > 0.05  # one row a split, twice: a coin falls so every other time


def test_equal_learners_get_a_star_in_one_comparison_of_twenty_not_more():
    """Two learners that see one of two like features each: equally good, by symmetry. McNemar's test, pooled over random
    splits that overlap, which stood here before, marks far more."""
    simulations = 400 if FULL else 150

    class Threshold:
        def __init__(self, column):
            self.column = column

        def fit(self, X, codes):
            x = X[:, self.column]
            self.cut = (x[codes == 0].mean() + x[codes == 1].mean()) / 2
            return self

        def predict(self, X):
            return (X[:, self.column] > self.cut).astype(int)

    draw, stars, pooled = np.random.default_rng(3), 0, 0
    also = {"first": lambda seed: Threshold(0), "second": lambda seed: Threshold(1)}
    for _ in range(simulations):
        codes = np.arange(60) % 2
        X = draw.normal(size=(60, 2)) + codes[:, None]
        data = Dataset("table", pl.DataFrame(X, schema=["a", "b"]), pl.Series(codes), "drawn")
        stars += compare(data, [], 5, recipe=UNSCALED, also=also)[2].differs_from_best
        only = [0, 0]
        for seed in range(5):
            train, test = (part.numbers for part in split(data, 0.2, seed))
            right = [Threshold(k).fit(X[train], codes[train]).predict(X[test]) == codes[test] for k in (0, 1)]
            only = [only[k] + np.sum(right[k] & ~right[1 - k]) for k in (0, 1)]
        pooled += binomtest(only[0], sum(only)).pvalue < 0.05 if sum(only) else 0
    assert stars <= 0.08 * simulations < pooled


def test_one_split_has_no_spread_and_says_none(capsys):
    rows = rows_of(capsys, "iris", "--seeds", "1")
    assert {(row["error_sd"], row["p_value"], row["differs_from_best"]) for row in rows} == {(None, None, False)}
    assert run(["compare", "iris", "--seeds", "1"]) == 0
    out = capsys.readouterr().out
    assert "±" not in out
    assert "One split cannot tell a difference from chance" in out


def test_progress_goes_to_standard_error_and_quiet_leaves_it_out(capsys):
    assert run(["compare", "iris", "--seeds", "2"]) == 0
    out, err = capsys.readouterr()
    assert err == "split 1 of 2\nsplit 2 of 2\n"
    assert "Nadeau and Bengio, 2003" in out
    assert run(["compare", "iris", "--seeds", "2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_a_class_that_only_the_held_out_rows_have_is_one_error_more(tmp_path):
    path = tmp_path / "rare.csv"
    path.write_text("a,y\n" + "p,p\nn,n\n" * 20 + "p,rare\n")
    averaged = compare(read(path, target="y"), ["averaged"], seeds=20)[1]
    # p and n separate the rest, so what is wrong is the rare row; where training has it, `a` cannot tell it from p. It is
    # held out in one of five splits, with eight others at most.
    assert averaged.error_mean >= 1 / 5 / 9


@pytest.mark.parametrize("rows", ["p,a\nq,b\nr,c\ns,d\nt,e\n", "p,a\n" * 9 + "q,b\n", "p,a\nq,b\n" * 3])
def test_classes_too_rare_for_every_fold_are_compared_all_the_same(rows, tmp_path, capsys):
    path = tmp_path / "rare.csv"
    path.write_text("x,y\n" + rows)
    for others in ([], ["--with", "neighbours"]):
        assert run(["compare", str(path), "-t", "y", "--seeds", "7", "-l", "averaged,logistic", "-q", *others]) == 0
        assert "stratified by class" in capsys.readouterr().out


def test_where_every_other_learner_refuses_there_is_nothing_to_compare():
    with pytest.raises(DataError, match="None of max margin can learn"):
        compare(numbered(["a", "b"] * 10), [], also={"max margin": ENTRANTS["max margin"]})


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["iris", "--learners", "mirra"], 2, "Did you mean 'mira'"),
        (["iris", "--learners", "averaged averaged"], 2, "There is no learner"),
        (["iris", "--learners", ","], 2, "no learner to compare"),
        (["iris", "--seeds", "0"], 2, "--seeds"),
        (["iris", "--orders", "1"], 2, "--orders"),
        (["iris", "--orders", "5", "--seeds", "5"], 2, "not both"),
        (["iris", "--holdout", "1.5"], 2, "between 0 and 1"),
        (["iris", "--epochs", "0"], 2, "epochs"),
        (["iris", "--numeric", "no"], 2, "--numeric"),
        (["iris", "--target", "colour"], 2, "colour"),
        (["nowhere.csv", "--target", "y"], 1, "nowhere.csv"),
        ([], 2, "FILE"),
    ],
)
def test_what_cannot_be_is_refused_with_a_code_and_a_reason(arguments, code, message, capsys):
    assert run(["compare", *arguments]) == code
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize("text", ["a,y\n1,only\n2,only\n3,only\n4,only\n5,only\n", "a,y\n1,p\n2,n\n", "a,y\n1,p\n,\n2,\n"])
def test_data_that_cannot_be_compared_on_end_with_exit_code_1(text, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert run(["compare", str(path), "--target", "y"]) == 1
    assert "Error: " in capsys.readouterr().err


def test_compare_on_a_file_imports_neither_scikit_learn_nor_matplotlib(tmp_path):
    code = (
        "import sys; from rosenblatt.cli import run; "
        f"assert run(['compare', {noisy(tmp_path / 'noisy.csv')!r}, '-t', 'y', '-q']) == 0; "
        "print(sorted({'sklearn', 'matplotlib', 'pandas', 'scipy.stats'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


ORDER_KEYS = ["learner", "order", "runs", "error_mean", "error_sd", "error_least", "error_most", "updates", "cosine"]


def orders_of(capsys, *arguments):
    assert run(["compare", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_h8_shuffles_differ_and_averages_less(capsys, tmp_path):
    result = orders_of(capsys, noisy(tmp_path / "noisy.csv"), "-t", "y", "--orders", "12", "-l", "perceptron,averaged")
    assert all(list(row) == ORDER_KEYS for row in result["rows"])
    by = {(row["learner"], row["order"]): row for row in result["rows"]}
    last, averaged = by["perceptron", "shuffled"], by["averaged", "shuffled"]
    assert last["error_sd"] > averaged["error_sd"]  # H8: the order matters, and averaging makes it matter less
    assert last["cosine"] < averaged["cosine"] <= 1
    assert last["error_least"] <= last["error_mean"] <= last["error_most"]
    assert result["warnings"] == []


def test_u4_drawing_with_replacement_is_one_of_the_orders(capsys, tmp_path):
    path = noisy(tmp_path / "noisy.csv")
    result = orders_of(capsys, path, "-t", "y", "--orders", "3", "-l", "perceptron")
    (drawn,) = [row for row in result["rows"] if row["order"] == "replacement"]
    errors, updates = [], []
    for seed in range(3):  # the same through `train`, whose split is that of its seed
        data, dev = split(read(path, target="y"), 0.2, 0)
        model = rosenblatt.learn(data, rosenblatt.Recipe("perceptron", order="replacement", seed=seed), dev=dev)
        errors.append(model.summary["dev_error"]["last"])
        updates.append(model.summary["updates"])
    assert drawn["error_mean"] == pytest.approx(np.mean(errors))
    assert drawn["updates"] == pytest.approx(np.mean(updates))


def test_h8_a_file_sorted_by_class_is_warned_of(capsys, tmp_path):
    path = tmp_path / "noisy.csv"
    noisy(path)
    header, *rows = path.read_text().splitlines()
    path.write_text("\n".join([header, *sorted(rows, key=lambda row: row.split(",")[-1])]) + "\n")
    result = orders_of(capsys, str(path), "-t", "y", "--orders", "5", "-l", "perceptron")
    by = {row["order"]: row for row in result["rows"]}
    assert result["changes"] == 1
    assert by["as given"]["error_mean"] == by["by class"]["error_mean"] > by["shuffled"]["error_most"]
    assert "sorted by class" in result["warnings"][0]
    assert "the order of the file hurts" in result["warnings"][1]
    assert run(["compare", str(path), "-t", "y", "--orders", "5", "-l", "perceptron", "-q"]) == 0
    assert "warning: The file is sorted by class" in capsys.readouterr().out


def test_an_order_that_is_a_little_worse_than_the_shuffles_is_no_cause_for_alarm(data_dir, capsys):
    result = orders_of(capsys, "income", "--orders", "5", "-l", "averaged")  # 16.40 % beside 15.30 to 16.00 %
    by = {row["order"]: row for row in result["rows"]}
    assert by["as given"]["error_mean"] > by["shuffled"]["error_most"]
    assert result["warnings"] == []


def test_h8_income_sorted_by_class_ends_at_the_majority_rate(data_dir, capsys):
    # data/README.md: positives first, the perceptron calls all rows the class that came last.
    result = orders_of(capsys, "income", "--numeric", "category", "--orders", "5", "-l", "perceptron")
    held_out = split(read("income"), 0.2)[1].labels.to_list()
    majority = held_out.count(">50K") / len(held_out)
    by = {row["order"]: row["error_mean"] for row in result["rows"]}
    assert by["by class, backwards"] == pytest.approx(majority, abs=0.02)
    assert by["by class"] == pytest.approx(1 - majority, abs=0.02)


def test_the_cosine_is_the_mean_over_pairs():
    random = np.random.default_rng(0)
    u = random.normal(size=(7, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    pairs = [u[i] @ u[j] for i in range(7) for j in range(i)]
    assert mean_cosine(u) == pytest.approx(np.mean(pairs))


def test_with_neighbours_they_run_on_the_same_splits_and_the_others_stay_as_they_were(capsys):
    arguments = ["breast-cancer", "--seeds", "2", "--learners", "perceptron,averaged"]
    alone = {row["learner"]: row["error_mean"] for row in rows_of(capsys, *arguments)}
    assert run(["compare", *arguments, "--with", "neighbours", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    rows = {row["learner"]: row for row in result["rows"]}
    assert {name: rows[name]["error_mean"] for name in alone} == alone
    assert set(rows) | set(result["left_out"]) == {*alone, *ENTRANTS}
    assert {rows[name]["updates"] for name in rows if name in ENTRANTS} == {None}
    # The same splits and features by hand, for one of ours and one of scikit-learn's.
    data, errors = open_known("breast-cancer"), {"ridge": [], "nearest neighbours": []}
    for numbers in splits_of(data.labels.to_list(), 2, 0.2):
        train, test = (data.take(part) for part in numbers)
        table = TableMap().fit(train.rows)
        (X, y), (Z, z) = ((table.transform(part.rows), part.labels.to_list()) for part in (train, test))
        for name, clf in (("ridge", Ridge()), ("nearest neighbours", KNeighborsClassifier())):
            signs = np.array([label == "malignant" for label in y]) * 2 - 1
            guess = np.where(clf.fit(X, signs).predict(Z) > 0, "malignant", "benign")
            errors[name].append(np.mean(guess != np.array(z)))
    for name, by_hand in errors.items():
        assert rows[name]["error_mean"] == pytest.approx(np.mean(by_hand))


def test_a_hard_margin_is_left_out_where_no_plane_separates(capsys, tmp_path):
    arguments = ["compare", noisy(tmp_path / "noisy.csv", n=200), "-t", "y", "--seeds", "1", "-l", "averaged"]
    assert run([*arguments, "--with", "neighbours"]) == 0
    out, err = capsys.readouterr()
    assert "cannot be learned that way: max margin." in out
    assert "Warning" not in err
    assert run([*arguments, "--with", "relatives"]) == 2
    assert "'neighbours'" in capsys.readouterr().err


def test_another_measure_ranks_with_its_corrected_standard_error(capsys):
    """The areas of each fold by scikit-learn, from models trained by hand; the error of their mean by Nadeau and Bengio."""
    from sklearn.metrics import roc_auc_score

    import rosenblatt
    from rosenblatt.data import open_known
    from rosenblatt.data.splits import CrossValidation
    from rosenblatt.studies.compare import fold_parts

    rows = rows_of(capsys, "breast-cancer", "--metric", "roc-auc", "--learners", "perceptron,averaged,widrow-hoff")
    values = [row["metric_mean"] for row in rows[1:]]
    assert values == sorted(values, reverse=True)
    assert rows[0]["metric_mean"] == 0.5
    data, areas, sizes = open_known("breast-cancer"), [], []
    for seed, (train, test) in enumerate(fold_parts(data, CrossValidation(5, 5))):
        scores = rosenblatt.learn(train, seed=seed).scores(test.rows)
        areas.append(roc_auc_score(np.asarray(test.labels) == "malignant", scores))
        sizes.append((len(test), len(train)))
    (own,) = (row for row in rows if row["learner"] == "averaged")
    tested, learned = map(sum, zip(*sizes, strict=True))
    assert own["metric_mean"] == pytest.approx(np.mean(areas), abs=1e-12)
    assert own["metric_se"] == pytest.approx(np.sqrt((1 / 5 + tested / learned) * np.var(areas, ddof=1)), abs=1e-12)


@pytest.mark.parametrize("metric", ["balanced-accuracy", "f1", "average-precision", "log-loss", "brier-score"])
def test_every_learner_has_every_measure(capsys, metric):
    rows = rows_of(capsys, "iris", "--metric", metric, "--seeds", "2", "--with", "neighbours")
    assert all(row["metric_mean"] is not None for row in rows)
    losses = [row["metric_mean"] * (1 if metric in ("log-loss", "brier-score") else -1) for row in rows[1:]]
    assert losses == sorted(losses)


def test_a_measure_that_no_split_defines_is_refused(tmp_path, capsys):
    (tmp_path / "few.csv").write_text("a,kind\n" + "".join(f"{i},{'rare' if i == 3 else 'usual'}\n" for i in range(20)))
    data = tmp_path / "one.csv"
    data.write_text("a,kind\n" + "".join(f"{i},usual\n" for i in range(9)))
    assert run(["compare", str(tmp_path / "few.csv"), "--dev", str(data), "-t", "kind", "--metric", "roc-auc", "-q"]) == 1
    assert "roc-auc is not defined on any split" in capsys.readouterr().err


def test_rows_to_measure_on_may_be_a_file(tmp_path, capsys):
    """The error of each learner is that of `evaluate` on the same file."""
    from rosenblatt.data import open_known
    from rosenblatt.data.splits import split

    parts = dict(zip(("train", "dev"), split(open_known("breast-cancer"), 0.3), strict=True))
    for name, part in parts.items():
        part.rows.with_columns(kind=part.labels).write_csv(tmp_path / f"{name}.csv")
    train, dev = str(tmp_path / "train.csv"), str(tmp_path / "dev.csv")
    rows = rows_of(capsys, train, "--dev", dev, "-t", "kind", "--learners", "perceptron,logistic")
    for row in rows[1:]:
        assert run(["train", train, "-t", "kind", "-l", row["learner"], "-o", str(tmp_path / "m"), "-q"]) == 0
        capsys.readouterr()
        assert run(["evaluate", str(tmp_path / "m"), dev, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["error"] == pytest.approx(row["error_mean"])
    for useless in (["--seeds", "3"], ["--holdout", "0.3"], ["--orders", "3"]):
        assert run(["compare", train, "--dev", dev, "-t", "kind", *useless]) == 2


def test_a_best_learner_that_is_no_better_than_the_majority_is_warned_of(tmp_path, capsys):
    bits = np.random.default_rng(0)
    lines = (f"{a},{b},{'yes' if i % 100 == 7 else 'no'}" for i, (a, b) in enumerate(bits.normal(size=(500, 2))))
    (tmp_path / "rare.csv").write_text("a,b,fraud\n" + "\n".join(lines))
    rare = ["compare", str(tmp_path / "rare.csv"), "-t", "fraud"]
    assert run(rare) == 0
    assert "is no better than always naming the most frequent class" in capsys.readouterr().err
    assert run([*rare, "--json"]) == 0
    assert "no better than" in json.loads(capsys.readouterr().out)["notes"][0]
    assert run(["compare", "iris"]) == 0
    assert "no better" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "left_out", [["--drop", "gives_away"], ["--only", "a,b"], ["--column", "gives_away=drop"], ["--column", "gives_away=id"]]
)
def test_a_column_that_train_warns_of_can_be_left_out_here_too(left_out, tmp_path, capsys):
    plain, file = noisy(tmp_path / "plain.csv", 200), tmp_path / "leak.csv"
    table = pl.read_csv(plain)
    table.with_columns(gives_away=table["y"]).write_csv(file)
    chosen = ["--target", "y", "-l", "averaged", "--numeric", "number"]
    assert rows_of(capsys, str(file), *chosen)[1]["error_mean"] == 0
    mended, expected = rows_of(capsys, str(file), *chosen, *left_out), rows_of(capsys, plain, *chosen)
    assert [row["error_mean"] for row in mended] == [row["error_mean"] for row in expected]
