"""rosenblatt explain: sums that equal the score, and flips that `predict` confirms."""

import json
import re

import numpy as np
import polars as pl
import pytest

from rosenblatt.cli import run
from rosenblatt.data import Dataset, read
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.loading import load
from rosenblatt.studies.explain import explain
from rosenblatt.studies.flips import TableDecision, other_number, score_columns, steady_numbers

FEATURES = [
    {},
    {"numeric": "category"},
    {"numeric": "both"},
    {"scale": False},
    {"products": "all"},
    {"hashing": 8},
    {"numeric": "bins"},
]


def labelled_table(classes, rows=120):
    """A table of two categories and two numbers, with missing cells."""
    draw = np.random.default_rng(classes)
    colour, shape = draw.choice(["red", "green", "blue"], rows), draw.choice(["round", "square"], rows)
    size, weight = draw.integers(1, 40, rows), draw.normal(5, 2, rows)
    score = size / 20 + weight / 5 + (colour == "red") + draw.normal(0, 0.3, rows)
    label = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    frame = pl.DataFrame({"colour": colour, "shape": shape, "size": size, "weight": weight, "y": [f"c{k}" for k in label]})
    frame[3, "colour"] = None
    frame[4, "weight"] = None
    return frame


@pytest.fixture(params=[2, 4])
def table(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labelled_table(request.param).write_csv("things.csv")
    assert run(["train", "things.csv", "--target", "y", "-q", "-o", "things.rosenblatt"]) == 0
    return read("things.csv", target="y")


def test_contributions_and_bias_add_up_to_the_score(table, capsys):
    capsys.readouterr()
    model = load("things.rosenblatt")
    for row in (1, 4, 5, 120):
        assert run(["explain", "things.rosenblatt", "things.csv", "--target", "y", "--row", str(row), "--json"]) == 0
        why = json.loads(capsys.readouterr().out)
        raw = table.rows[row - 1]
        scores = model.scores(raw)[0]
        expected = scores if scores.ndim == 0 else np.sort(scores)[-1] - np.sort(scores)[-2]
        total = why["bias"] + sum(part["contribution"] for part in why["contributions"])
        assert total == pytest.approx(why["score"], abs=1e-9)
        assert why["score"] == pytest.approx(float(expected), abs=1e-9)
        assert why["prediction"] == model.predict(raw)[0]
        assert why["label"] == table.labels[row - 1]
        sizes = [abs(part["contribution"]) for part in why["contributions"]]
        assert sizes == sorted(sizes, reverse=True)
        for part in why["contributions"]:
            assert part["contribution"] == part["weight"] * part["value"]


@pytest.mark.parametrize("features", FEATURES, ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_a_flip_really_flips_and_no_other_category_does_with_less(classes, features):
    frame = labelled_table(classes)
    data = Dataset("table", frame.drop("y"), frame["y"], "made")
    model = learn(data, Recipe(features=features))
    flipped = 0
    for i in range(40):
        row = data.slice(i, i + 1)
        flip = explain(model, row).flip
        now = model.predict(row.rows)[0]
        allowed = np.inf if flip is None else abs(flip.change)
        if flip is not None:
            flipped += 1
            column = pl.Series(flip.feature, [flip.after])
            assert model.predict(row.rows.drop(flip.feature).with_columns(column))[0] == flip.prediction != now
        # The witness: every other value of every categorical column, one a row.
        if classes == 2 and "hashing" not in features:
            for name in ("colour", "shape"):
                values = frame[name].drop_nulls().unique()
                others = pl.concat([row.rows] * len(values)).with_columns(values.alias(name))
                flips = model.predict(others) != now
                if flips.any():
                    changes = np.abs(model.scores(others)[flips] - model.scores(row.rows)[0])
                    assert (changes >= 0.99 * allowed).all()
                    assert flip is not None
    assert flipped or "hashing" in features


def test_without_a_row_the_weights_come_largest_first_with_counted_shares(table, capsys):
    capsys.readouterr()
    assert run(["explain", "things.rosenblatt", "--json", "--top", "0"]) == 0
    result = json.loads(capsys.readouterr().out)
    model = load("things.rosenblatt")
    red = table.rows["colour"] == "red"
    for label in model.classes.tolist():
        sizes = [abs(w["weight"]) for w in result["weights"] if w["class"] == label]
        assert sizes == sorted(sizes, reverse=True)
    reds = [w for w in result["weights"] if w["feature"] == "colour=red"]
    assert reds
    for w in reds:
        assert w["count"] == red.sum()
        assert w["share"] == pytest.approx((red & (table.labels == w["class"]).fill_null(False)).sum() / red.sum())
    assert len(result["bias"]) == 4 if len(model.classes) == 4 else isinstance(result["bias"], float)


def test_unscaled_numbers_are_warned_of(tmp_path, capsys):
    path, model = tmp_path / "wide.csv", str(tmp_path / "wide.rosenblatt")
    path.write_text("small,large,y\n" + "".join(f"{i % 7 / 10},{i * 1000},{'ab'[i % 7 > 3]}\n" for i in range(60)))
    for extra, warned in ([], False), (["--no-scale"], True):
        assert run(["train", str(path), "--target", "y", "-q", "-o", model, *extra]) == 0
        capsys.readouterr()
        assert run(["explain", model]) == 0
        assert ("not scaled" in capsys.readouterr().out) == warned


def test_a_word_can_flip_a_text(tmp_path, capsys):
    path, model = tmp_path / "messages.tsv", str(tmp_path / "messages.rosenblatt")
    path.write_text("spam\tfree prize\nspam\tfree entry\nham\tcall me\nham\tsee you tonight\n" * 3)
    assert run(["train", str(path), "--format", "text", "-q", "-o", model]) == 0
    capsys.readouterr()
    assert run(["explain", model, str(path), "--format", "text", "--row", "2", "--json"]) == 0
    why = json.loads(capsys.readouterr().out)
    assert why["prediction"] == "spam"
    assert {part["feature"] for part in why["contributions"]} <= {"word:free", "word:entry"}
    assert run(["explain", model, str(path), "--format", "text", "--row", "2"]) == 0
    text = capsys.readouterr().out
    assert "word:free" in text
    assert "would" in text


def test_every_example_of_the_help_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["explain", "--help"]) == 0
    examples = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip().startswith("rosenblatt ")]
    assert len(examples) == 4
    for arguments in examples:
        assert run(arguments) == 0
    assert "against" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["things.rosenblatt", "things.csv"], 2, "--row"),
        (["things.rosenblatt", "--row", "1"], 2, "FILE"),
        (["things.rosenblatt", "things.csv", "--row", "121"], 1, "120 rows"),
        (["things.rosenblatt", "things.csv", "--row", "0"], 2, "--row"),
        (["things.rosenblatt", "nothing.csv", "--row", "1"], 1, "nothing.csv"),
        (["things.rosenblatt", "--view", "best"], 2, "averaged"),
        (["things.csv"], 3, "things.csv"),
        (["gone.rosenblatt"], 3, "gone.rosenblatt"),
    ],
)
def test_mistakes_are_named(table, capsys, arguments, code, message):
    capsys.readouterr()
    assert run(["explain", *arguments]) == code
    output = capsys.readouterr()
    assert message in output.err
    assert not output.out


@pytest.mark.parametrize(
    "features",
    [{}, {"numeric": "bins"}, {"numeric": "number"}, {"scale": False}, {"products": [["size", "weight"]]}],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 4])
def test_no_nearer_number_flips_the_decision(classes, features):
    """The witness: every number of a fine grid over those of training, predicted one by one."""
    frame = labelled_table(classes, rows=400)
    data = Dataset("table", frame.drop("y"), frame["y"], "made")
    model = learn(data, Recipe(features=features))
    columns = {column.name: column for column in model.features.columns}
    for i in range(12):
        row = data.rows[i]
        scores = score_columns(model.scores(row))
        decision = TableDecision(model, model.linear(), row, model.features.clean(row).frame, scores)
        for name in ("size", "weight"):
            x = row[name][0]
            if x is None:
                continue
            flips = other_number(decision, columns[name], columns[name].number)
            grid = np.arange(1, 40) if name == "size" else np.linspace(*columns[name].number.range, 2000)
            others = pl.DataFrame({other: [row[other][0]] * len(grid) for other in row.columns} | {name: grid})
            changed = model.predict(others) != model.predict(row)[0]
            nearest = min((abs(number - x) for number in grid[changed].tolist()), default=np.inf)
            assert name not in steady_numbers(decision) or nearest == np.inf
            if flips:
                assert flips[0].after >= columns[name].number.range[0]
                assert flips[0].after <= columns[name].number.range[1]
                assert abs(flips[0].after - x) <= nearest + 1e-9
            else:
                assert nearest == np.inf


@pytest.mark.parametrize("features", [{}, {"numeric": "bins"}, {"products": "all"}, {"hashing": 8}], ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_columns_and_base_add_up_to_the_score_and_have_mean_0_over_training(classes, features):
    frame = labelled_table(classes, rows=150)
    data = Dataset("table", frame.drop("y"), frame["y"], "made")
    model = learn(data, Recipe(features=features))
    explained = [explain(model, data.slice(i, i + 1)) for i in range(150)]
    for why in explained:
        assert why.base + sum(part.contribution for part in why.columns) == pytest.approx(why.score, abs=1e-9)
    if classes == 2:
        assert len({why.base for why in explained}) == 1
        for name in ("colour", "shape", "size", "weight") if "hashing" not in features else ("size", "weight"):
            parts = [part.contribution for why in explained for part in why.columns if part.column == name]
            assert np.sum(parts) == pytest.approx(0, abs=1e-3)  # features have 32 bits


@pytest.mark.parametrize("seed", range(20))
def test_a_column_that_has_nothing_to_do_with_the_target_is_not_blamed(seed):
    """Its mean contribution is below a twentieth of the largest column's."""
    rng = np.random.default_rng(seed)
    rows = 12_000
    x, kind, coin = rng.normal(size=rows), rng.choice(["a", "b", "c"], rows), rng.choice(["heads", "tails"], rows)
    y = np.where(4 * x + 2 * (kind == "a") + rng.logistic(size=rows) > 1, "yes", "no")
    data = Dataset("table", pl.DataFrame({"x": x, "kind": kind, "coin": coin}), pl.Series("y", y), "made")
    model = learn(data, seed=seed)
    sizes: dict[str, list[float]] = {}
    for i in range(40):
        for part in explain(model, data.slice(i, i + 1)).columns:
            sizes.setdefault(part.column, []).append(abs(part.contribution))
    means = {column: np.mean(parts) for column, parts in sizes.items()}
    assert means["coin"] < 0.05 * max(means.values())


WORDS = [f"w{k}" for k in range(9)]


def texts_with_labels(classes, seed):
    """Short texts whose words lean towards a class each; words repeat."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, 60)
    leaning = np.ones((classes, len(WORDS))) + 4 * rng.random((classes, len(WORDS)))
    chosen = [rng.choice(WORDS, rng.integers(1, 7), p=leaning[c] / leaning[c].sum()) for c in labels]
    return [" ".join(words) for words in chosen], [f"c{c}" for c in labels]


@pytest.mark.parametrize(
    "features", [{"weighting": "counts"}, {"weighting": "unit"}, {"weighting": "idf"}, {"ngrams": 2}], ids=str
)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_word_that_flips_does_so_in_the_text_and_none_with_less(classes, features):
    texts, labels = texts_with_labels(classes, seed=classes)
    data = Dataset("text", pl.DataFrame({"text": texts}), pl.Series("label", labels), "texts")
    model = learn(data, epochs=3, features=features)

    def lead(text, winner):
        scores = np.atleast_2d(score_columns(model.scores([text])))[0]
        return scores[winner] - np.delete(scores, winner).max()

    flipped = 0
    for text in texts[:25]:
        flip = explain(model, Dataset("text", pl.DataFrame({"text": [text]}), None, "one")).flip
        now, words = model.predict([text])[0], text.split()
        winner = model.classes.tolist().index(now)
        # Every word taken out or added, by predict alone.
        others = {word: " ".join(w for w in words if w != word) if word in words else f"{text} {word}" for word in WORDS}
        changes = {
            word: lead(other, winner) - lead(text, winner)
            for word, other in others.items()
            if model.predict([other])[0] != now
        }
        if flip is None:
            assert not changes
            continue
        flipped += 1
        word = flip.feature.removeprefix("word:")
        assert flip.before == words.count(word)
        assert model.predict([others[word]])[0] == flip.prediction != now
        assert flip.change == pytest.approx(changes[word])
        assert abs(flip.change) == pytest.approx(min(map(abs, changes.values())))
    assert flipped > 5


def test_a_word_of_a_comment_beside_other_columns_can_flip(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    topics = {"yes": ["refund me", "cancel it", "too slow"], "no": ["thank you", "works well", "very fast"]}
    labels = ["yes", "no"] * 60
    comments = [" ".join(["my", "order", str(rng.integers(99)), *rng.permutation(topics[label])[:2]]) for label in labels]
    frame = pl.DataFrame({"size": rng.integers(1, 9, 120), "comment": comments, "churn": labels})
    frame.write_csv("c.csv")
    assert run(["train", "c.csv", "--target", "churn", "-q", "-o", "c.rosenblatt", "--column", "comment=text"]) == 0
    model, confirmed = load("c.rosenblatt"), 0
    for row in range(1, 40):
        capsys.readouterr()
        assert run(["explain", "c.rosenblatt", "c.csv", "--row", str(row), "--json"]) == 0
        why = json.loads(capsys.readouterr().out)
        column, _, word = (why["flip"]["feature"] if "flip" in why else "").partition(":")
        if column != "comment":
            continue
        words = comments[row - 1].split()
        text = " ".join(w for w in words if w != word) if why["flip"]["from"] else f"{comments[row - 1]} {word}"
        changed = frame[row - 1].drop("churn").with_columns(pl.Series("comment", [text]))
        assert model.predict(changed)[0] == why["flip"]["prediction"] != why["prediction"]
        confirmed += 1
    assert confirmed > 3


def test_one_thing_is_told_as_one_in_every_verb(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("one.csv").write_text("a,kind\n2,yes\n")
    tmp_path.joinpath("two.csv").write_text("a,kind\n2,yes\n1,no\n")
    commands = [
        "certify one.csv -t kind",
        "certify two.csv -t kind",
        "facts one.csv -t kind",
        "train two.csv -t kind --keep-log --epochs 1 -o m.rosenblatt",
        "explain m.rosenblatt",
        "explain m.rosenblatt two.csv --row 1 --by example",
    ]
    for command in commands:
        assert run(command.split()) == 0
        told = "".join(capsys.readouterr())
        assert not re.search(r"\b1 (rows|columns|features|classes|examples|updates|epochs)\b|-0\.0+\b(?!\d)", told), told
