"""A row is predicted the same whatever stands beside it, and whatever door it comes through."""

import io
import os
from datetime import datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

from rosenblatt import Dataset, learn, read
from rosenblatt.data import batches
from rosenblatt.data.read_options import BufferSizes

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
TABLES = 2000 if FULL else 40

WORDS = ["red", "blue", "Red", "New York", "a,b", 'say "hi"', "two\nlines", "naïve", "日本", "=1+2"]
NEARLY_NUMBERS = ["007", "7", "07", "7.0", "7.00", "+7", "1e3", "1000", "1_000", "0x7", "1,5", "-0", "0", "nan", "inf", "٣",
                  "12345678901234567890", "12345678901234567891", "0.1", ".1", "1.10", "1.1"]  # fmt: skip
ODD = [
    " red",
    "red ",
    "\xa0red",
    "blue\u3000",
    "\tblue",
    "",
    " ",
    "\xa0",
    "True",
    "true",
    "FALSE",
    "Tru",
    "null",
    "None",
    "-",
]
SENTENCE = ["the", "Red", "river", "7", "don't", "free", "naïve,", "日本", "\xa0two", "a"]
SIZES = [
    BufferSizes(),
    BufferSizes(table_block=40, coded_above=0),
    BufferSizes(table_block=200, coded_above=0, coded_texts=2),
]


def some(rng, choices, rows):
    return [choices[k] for k in rng.integers(0, len(choices), rows)]


def column(rng, rows):
    """A column of some type, with nulls in it."""
    kind = rng.integers(0, 9)
    if kind < 3:
        pool = [WORDS, NEARLY_NUMBERS, WORDS + NEARLY_NUMBERS + ODD][kind]
        values = pl.Series(some(rng, pool, rows), dtype=pl.String)
    elif kind == 3:
        values = pl.Series(rng.integers(-3, 50, rows))
    elif kind == 4:
        values = pl.Series(some(rng, [0.1, 7.0, -0.0, 1e30, 1e-300, 1.1, 40.0, 2.5e15, 1e16], rows), dtype=pl.Float64)
    elif kind == 5:
        values = pl.Series(some(rng, [True, False], rows))
    elif kind == 6:
        values = pl.Series(some(rng, [2**53, 2**53 + 1, -(2**62), 7, 40], rows), dtype=pl.Int64)
    elif kind == 8:
        values = pl.Series([" ".join(some(rng, SENTENCE, int(rng.integers(3, 9)))) for _ in range(rows)], dtype=pl.String)
    else:
        values = pl.Series(some(rng, WORDS[:3], rows), dtype=pl.Categorical)
    blank = pl.Series(rng.random(rows) < rng.choice([0, 0.2]))
    return values.set(blank, None) if blank.any() and kind != 7 else values


def table(rng, names, rows):
    return pl.DataFrame({name: column(rng, rows) for name in names})


def pieces(rng, rows):
    """Where a table of so many rows is cut."""
    inner = np.flatnonzero(rng.random(rows - 1) < rng.choice([0.1, 0.5, 1.0])) + 1
    return list(zip([0, *inner.tolist()], [*inner.tolist(), rows], strict=True))


def through_csv(rng, frame):
    """Read whole, and in batches of any size, from files of any length."""
    sizes = SIZES[rng.integers(0, len(SIZES))]
    for start, stop in pieces(rng, frame.height):
        content = frame[start:stop].write_csv().encode()
        if rng.random() < 0.5:
            yield read(io.BytesIO(content), format="csv", as_text=True).rows
        else:
            rows = int(rng.integers(1, 9))
            for part in batches(io.BytesIO(content), rows=rows, format="csv", as_text=True, delimiter=",", sizes=sizes):
                yield part.rows


def through_columns(rng, frame, format, write):
    for start, stop in pieces(rng, frame.height):
        buffer = io.BytesIO()
        write(frame[start:stop], buffer)
        yield read(io.BytesIO(buffer.getvalue()), format=format, as_text=True).rows


def through_python(rng, frame):
    for start, stop in pieces(rng, frame.height):
        part = frame[start:stop]
        yield part if rng.random() < 0.5 else {column.name: column for column in part}


DOORS = {
    "csv": through_csv,
    "parquet": lambda rng, frame: through_columns(rng, frame, "parquet", pl.DataFrame.write_parquet),
    "arrow": lambda rng, frame: through_columns(rng, frame, "arrow", pl.DataFrame.write_ipc),
    "python": through_python,
}


@pytest.mark.parametrize("seed", range(20))
def test_predictions_are_equal_row_by_row_however_a_table_is_cut(seed):
    for number in range(seed * TABLES // 20, (seed + 1) * TABLES // 20):
        rng = np.random.default_rng(number)
        names = [f"c{j}" for j in range(rng.integers(2, 5))]
        count = int(rng.choice([30, 150]))  # bins need 100
        train = table(rng, names, count)
        labels = pl.Series("y", ["no", "yes"] * 5 + some(rng, ["no", "yes"], count - 10))
        settings = {"numeric": str(rng.choice(["number", "category", "both", "bins", "auto"]))}
        settings |= {"hashing": 8} if rng.random() < 0.2 else {"weighting": str(rng.choice(["counts", "unit", "idf"]))}
        products = rng.choice(["none", "auto", "all", "pair"])
        settings |= {"none": {}, "pair": {"products": [("c0", "c1")]}}.get(products, {"products": products})
        recipe = {"epochs": 2, "features": settings} | ({"calibrate": True, "threshold": 0.4} if rng.random() < 0.3 else {})
        model = learn(Dataset("table", train, labels, "train"), learner="averaged", **recipe)
        # Half of the columns as they were in training, so that most values are known.
        new = table(rng, names, 12).with_columns(train[name].sample(12, seed=number) for name in names if rng.random() < 0.5)
        numeric = {c.name for c in model.features.columns if c.number}
        odd = [name for name in numeric if new[name].dtype in (pl.String, pl.Categorical)]
        new = new.with_columns(pl.col(odd).cast(pl.String).replace(["inf"], ["7"]))  # an infinity is refused, row by row
        alone = np.concatenate([np.atleast_1d(model.scores(new[k : k + 1])) for k in range(new.height)])
        for door, through in DOORS.items():
            scores = np.concatenate([np.atleast_1d(model.scores(part)) for part in through(rng, new)])
            assert scores.tobytes() == alone.tobytes(), f"table {number} through {door}"
        if model.calibration is not None:
            each = np.concatenate([model.predict_proba(new[k : k + 1]) for k in range(new.height)])
            assert model.predict_proba(new).tobytes() == each.tobytes(), f"probabilities of table {number}"
            assert (model.predict(new) == model.classes[(each[:, 1] >= 0.4).astype(int)]).all(), f"labels of table {number}"


MOMENTS = [datetime(2020, 1, 1), datetime(2020, 1, 2, 3, 4, 5), datetime(2021, 1, 1, 0, 0, 0, 123_000), None]
LARGE = [2**64 - 1, 2**64 - 2, 2**63 + 12_345, 5]
COLUMNS = {
    **{f"moments in {unit}": pl.Series(MOMENTS, dtype=pl.Datetime(unit)) for unit in ("ms", "us", "ns")},
    "moments somewhere": pl.Series(MOMENTS, dtype=pl.Datetime("ms")).dt.replace_time_zone("Europe/Berlin"),
    "dates": pl.Series(MOMENTS).cast(pl.Date),
    "times": pl.Series([time(1, 2, 3), time(1, 2, 3, 5), time(0), None]),
    "durations": pl.Series([timedelta(seconds=1), timedelta(days=1), timedelta(0), None], dtype=pl.Duration("ms")),
    "large numbers": pl.Series(LARGE, dtype=pl.UInt64),
    "larger numbers": pl.Series([1e22, 1e19, 2.5, 1e20], dtype=pl.Float64),
}


@pytest.mark.parametrize("numeric", ["number", "category"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_value_is_the_same_through_every_door_in_training_too(kind, numeric):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": COLUMNS[kind], "b": ["p", "q", "r", "s"]})
    # In a CSV a moment is what the program that wrote it made of it.
    doors = [door for door in DOORS if COLUMNS[kind].dtype.is_numeric() or door != "csv"]
    labels = pl.Series("y", ["no", "yes", "no", "yes"])
    for trained in doors:
        content = io.BytesIO()
        written = frame.with_columns(labels)
        if trained == "python":
            data = Dataset("table", frame, labels, "train")
        else:
            getattr(written, {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc"}[trained])(content)
            data = read(io.BytesIO(content.getvalue()), format=trained, target="y")
        model = learn(data, epochs=3, features={"numeric": numeric})
        expected = model.scores(data.rows)
        for door in doors:
            scores = np.concatenate([np.atleast_1d(model.scores(part)) for part in DOORS[door](rng, frame)])
            assert scores.tobytes() == expected.tobytes(), f"{kind}, trained through {trained}, predicted through {door}"
            assert not model.features.notes.unseen


def test_numbers_larger_than_64_bits_hold_are_one_value_however_they_are_spelled():
    train = b"a,y\n10000000000000000000000,no\n2.5,yes\n30000000000000000000000,yes\n"
    model = learn(read(io.BytesIO(train), target="y"), epochs=3, features={"numeric": "category"})
    rows = {"a": ["1e22", "10000000000000000000000", "10000000000000000000000.0", "1" + "0" * 400]}
    scores = model.scores(pl.DataFrame(rows))
    assert scores[0] == scores[1] == scores[2] != scores[3]
    assert model.features.notes.unseen == {"a": 1}
