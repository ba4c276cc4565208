"""--most-values: the most frequent values of a category have a feature each, all others one together."""

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.errors import SettingError
from rosenblatt.features import TableMap
from rosenblatt.learning.learners import Recipe

TOWNS = ["Rome"] * 5 + ["Bari"] * 3 + ["Pisa"] * 3 + ["Asti", "Enna", None]


def test_the_most_frequent_values_stay_and_ties_go_to_the_first_in_order():
    mapping = TableMap(most_values=2).fit(pl.DataFrame({"town": TOWNS}))
    assert mapping.names == ["town=Bari", "town=Rome", "town is missing", "town is rare"]
    assert mapping.pooled == {"town": (3, 5)}  # Pisa 3, Asti, Enna


@pytest.mark.parametrize("how", ["texts", "enum", "numbers"])
def test_every_other_value_is_rare_but_a_missing_cell_is_not(how):
    """By hand: also what training never saw is rare; a missing cell, where training had none, has no feature."""
    known = ["7"] * 3 + ["8"] * 2 + ["9", "10"]
    rows = ["8", "11", None, " 7", "9", ""]
    kind = {"texts": pl.String, "enum": pl.Enum(sorted({*known, *rows} - {None})), "numbers": pl.Int64}[how]
    train = pl.Series("code", known).cast(kind)
    mapping = TableMap(most_values=2, per_column={"code": "category"}).fit(pl.DataFrame({"code": train}))
    assert mapping.names == ["code=7", "code=8", "code is rare"]
    new = pl.Series("code", rows if how != "numbers" else ["8", "11", None, "7", "9", None]).cast(kind)
    matrix = mapping.transform(pl.DataFrame({"code": new})).toarray()
    assert matrix.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert mapping.notes.unseen == {"code": 2}


def test_columns_of_few_values_are_as_without(tmp_path):
    table = pl.DataFrame({"town": TOWNS, "size": ["big", "small"] * 7})
    assert TableMap(most_values=5).fit(table).names == TableMap().fit(table).names


@pytest.fixture
def visits(tmp_path):
    """Towns as people live in them: few large ones, many small ones; some cells are missing."""
    draw = np.random.default_rng(3)
    towns = np.minimum(draw.zipf(1.5, 3000), 900)
    rich = np.where((towns < 4) ^ (draw.random(3000) < 0.2), "yes", "no")
    cells = [None if x < 0.05 else f"t{town}" for town, x in zip(towns.tolist(), draw.random(3000), strict=True)]
    path = tmp_path / "visits.csv"
    pl.DataFrame({"town": cells, "age": draw.integers(17, 90, 3000), "rich": rich}).write_csv(path)
    return path


@pytest.mark.parametrize("products", [[], ["--product", "town,age"]])
def test_a_stream_pools_the_same_values_to_the_byte_and_says_so(products, visits, tmp_path, capsys):
    command = ["train", str(visits), "--target", "rich", "--most-values", "20", "-e", "2", *products, "-o"]
    assert run([*command, str(tmp_path / "memory")]) == 0
    told = capsys.readouterr().err
    assert run([*command, str(tmp_path / "stream"), "--stream"]) == 0
    assert (tmp_path / "memory").read_bytes() == (tmp_path / "stream").read_bytes()
    counts = Counter(pl.read_csv(visits)["town"].drop_nulls().to_list())
    rare = sorted(counts.values())[:-20]
    sentence = f"town: {len(rare):,} rare values, in {sum(rare):,} of 3,000 rows"
    assert sentence in told
    assert sentence in capsys.readouterr().err


def test_the_model_file_keeps_what_is_rare(visits, tmp_path, capsys):
    data = rb.read(visits, target="rich")
    model = rb.learn(data, Recipe(epochs=2, features={"most_values": 20}))
    model.save(tmp_path / "m")
    again = rb.load(tmp_path / "m")
    new = pl.DataFrame({"town": ["t1", "nowhere", "t899"], "age": [40, 40, 40]})
    assert again.predict(new).tolist() == model.predict(new).tolist()
    assert again.features.to_json() == model.features.to_json()
    new.write_csv(tmp_path / "new.csv")
    assert run(["explain", str(tmp_path / "m"), str(tmp_path / "new.csv"), "--row", "2", "--json"]) == 0
    assert "town is rare" in json.dumps(json.loads(capsys.readouterr().out))


def test_an_update_pools_values_that_are_new(visits):
    data = rb.read(visits, target="rich")
    model = rb.learn(data, Recipe(epochs=1, features={"most_values": 20}))
    names = model.features.names
    report = model.update(pl.DataFrame({"town": ["nowhere"] * 9, "age": [40] * 9}), ["yes", "no", "no"] * 3)
    assert model.features.names == names
    assert not report.new_values


@pytest.mark.parametrize(
    ("options", "reason"), [({"most_values": 0}, "most_values"), ({"most_values": 3, "hashing": 4}, "pool")]
)
def test_what_cannot_be_is_refused(options, reason):
    with pytest.raises(SettingError, match=reason):
        TableMap(**options)
