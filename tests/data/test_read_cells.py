"""The compiled reader of plain tables: the readers that come after it are the witness for every value and every error."""

import hashlib
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.cli.predict import Predictions
from rosenblatt.data import batches, splits
from rosenblatt.data.coded import CodedTable
from rosenblatt.data.delimited.coded import read_coded, split, split_in_halves
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.reading import read_with
from rosenblatt.errors import RosenblattError
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe
from rosenblatt.studies import compare, explain, facts

compiled = pytest.importorskip("rosenblatt.data._cells", reason="built without a compiler")

CELLS = ["", "?", "39", "39.0", "007", "-0", "1e3", "9223372036854775808", "Männlich", "日本", "a b", "seven77", "eight888",
         "nine99999", "a cell of more than sixteen bytes", "a cell of more than sixteen bytez"]  # fmt: skip
ODD = ["nan", "inf", " ", " 39", "40 ", "\t7", "\u00a0x", "x\x0b", 'a"b', '"39"', "a\rb", "a,b", "\0", "\ufeffx"]


@st.composite
def tables(draw, odd=True):
    """The bytes of a table in which texts repeat, and sometimes with all that can be wrong with it."""
    width, n = draw(st.integers(2, 4)), draw(st.integers(1, 24))
    some = st.lists(st.sampled_from(CELLS + (ODD if odd else [])), min_size=1, max_size=4)
    columns = [draw(st.lists(st.sampled_from(draw(some)), min_size=n, max_size=n)) for _ in range(width)]
    lines = [",".join(row) for row in [[f"c{j}" for j in range(width)], *zip(*columns, strict=True)]]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    if odd and draw(st.integers(0, 4)) == 0:
        lines.insert(draw(st.integers(1, len(lines))), draw(st.sampled_from(["", "a", "," * (width - 1), "," * width])))
    content = end.join(lines).encode() + draw(st.sampled_from(["", end])).encode()
    return content + b"\xff" if odd and draw(st.integers(0, 19)) == 0 else content


def both_ways(action, **sizes):
    """What a function of buffer sizes gives when tables of any size are coded, and when none is; or the error in words."""
    outcomes = []
    for smallest in (-1, 2**40):
        try:
            outcomes.append(action(BufferSizes(coded_above=smallest, **sizes)))
        except RosenblattError as problem:
            outcomes.append(f"{type(problem).__name__}: {problem}")
    return outcomes


def read(source, **options):
    return read_with(source, ReadOptions(**options))


def shown(frame):
    """A frame with texts in place of their codes."""
    return frame.with_columns(column.cast(pl.String) for column in frame if column.dtype == pl.Enum)


def same(a, b):
    return a == b if isinstance(a, str) or isinstance(b, str) else a.equals(b) and a.schema == b.schema


def test_the_compiled_reader_is_made_of_this_source():
    if not compiled.DIGEST:
        pytest.skip("not built by setup.py")
    source = Path(splits.__file__).with_name("_cells.c")
    assert hashlib.sha256(source.read_bytes()).hexdigest() == compiled.DIGEST


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.text("ab-é", max_size=20), min_size=width, max_size=width).filter(any), min_size=1, max_size=40
        )
    ),
    st.booleans(),
)
def test_codes_and_texts_are_the_cells(rows, finished):
    content = "\n".join(";".join(row) for row in rows).encode() + b"\n" * finished
    # An array that ends where its memory does: a reader that goes too far is seen by the sanitizer.
    found = compiled.split(np.frombuffer(bytearray(content), dtype=np.uint8), 0, ord(";"), len(rows[0]), 10)
    expected = [len(set(column)) for column in zip(*rows, strict=True)]
    if sum(count > 10 for count in expected) * 2 > len(expected):
        assert found is None
        return
    for column, count, answer in zip(zip(*rows, strict=True), expected, found, strict=True):
        if count > 10:
            assert answer is None
        else:
            codes, texts = answer
            assert texts == list(dict.fromkeys(column))
            assert [texts[code] for code in np.frombuffer(codes, dtype=np.uint32)] == list(column)


def test_many_texts_make_the_table_of_a_column_grow():
    texts = [f"{number * 7919 % 10_007:x}-{'long' * (number % 5)}" for number in range(10_007)]
    content = "".join(f"{text},{text[:2]}\n" * 3 for text in texts).encode()
    (codes, found), (_, short) = compiled.split(content, 0, ord(","), 2, 20_000)
    assert found == texts
    assert np.frombuffer(codes, dtype=np.uint32).tolist() == np.repeat(np.arange(10_007), 3).tolist()
    assert short == list(dict.fromkeys(text[:2] for text in texts))


def test_codes_are_written_where_there_is_room_and_nowhere_else():
    content, room = b"a;x\nb;x\na;y\n", np.full((2, 7), 99, dtype=np.uint32)
    assert compiled.count(content) == 3
    assert compiled.split(content, 0, ord(";"), 2, 10, room, 2) == [(None, ["a", "b"]), (None, ["x", "y"])]
    assert room.tolist() == [[99, 99, 0, 1, 0, 99, 99], [99, 99, 0, 0, 1, 99, 99]]
    for first in (-1, 5, 8, 2**62):
        with pytest.raises(ValueError, match=r"room|range"):
            compiled.split(content, 0, ord(";"), 2, 10, room, first)
    for no_room in (room[:, ::2], room[:, :2].copy(), room.tobytes()):
        with pytest.raises((ValueError, BufferError)):
            compiled.split(content, 0, ord(";"), 2, 10, no_room, 0)
    assert [compiled.count(content) for content in (b"", b"a", b'a\n"b', b"a\rb\n", b"a\r\nb\r\n")] == [0, 1, -1, -1, 2]


@pytest.mark.skipif(not hasattr(compiled, "read_file"), reason="only where there is pread")
def test_a_file_is_read_from_its_beginning_as_far_as_it_goes(tmp_path):
    content = np.random.default_rng(0).bytes(5_000_000)
    (tmp_path / "file").write_bytes(content)
    with open(tmp_path / "file", "rb") as file:
        file.seek(1000)
        for size in (0, 1, 4096, 5_000_000, 5_000_001, 9_000_000):
            assert compiled.read_file(file.fileno(), size) == content[:size]
        assert file.tell() == 1000
    with pytest.raises(OSError, match="descriptor"):
        compiled.read_file(10**6, 10)


def test_thousands_of_texts_that_never_repeat_are_left_to_others():
    content = "".join(f"{number},{number % 2}\n" for number in range(10_000)).encode()
    numbers, (_, parity) = compiled.split(content, 0, ord(","), 2, 20_000)
    assert numbers is None
    assert parity == ["0", "1"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"a,b\n\n",
        b"a\n",
        b"a,b,c\n",
        b"a,b\nc",
        b'a,"b"\n',
        b"a,\0\n",
        b"a,b\r",
        b"a\r,b\n",
        b"a,\xff\n",
        b",\n",
        b",\r\n",
    ],
)
def test_what_is_not_plain_is_left_to_others(content):
    assert compiled.split(content, 0, ord(","), 2, 10) is None


@pytest.mark.parametrize("arguments", [(-1, 44, 2, 9), (6, 44, 2, 9), (0, 44, 0, 9), (0, 44, 2, 0), (0, 44, 2, 2**40)])
def test_arguments_out_of_range_are_refused(arguments):
    with pytest.raises(ValueError, match="out of range"):
        compiled.split(b"a,b\nc", *arguments)


@given(tables(), st.sampled_from([("", "?"), ("", "nan", "39"), ("?",)]), st.sampled_from([1, 3, 100]))
def test_values_types_and_errors_are_those_of_the_other_readers(content, missing, most):
    def frame(sizes):
        return shown(read(io.BytesIO(content), format="csv", delimiter=",", missing=missing, sizes=sizes).rows)

    assert same(*both_ways(frame, coded_texts=most))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("padding", ["", " "])
@pytest.mark.parametrize("name", ["a", "*", ""])
def test_columns_with_too_many_texts_are_read_by_polars(end, padding, name):
    lines = [f"b,{name},c,d", *(f"{k % 3}x{padding},{k / 8},{'?' if k == 40 else k % 2},id {k}" for k in range(50))]

    def frame(sizes):
        return shown(read(io.BytesIO(end.join(lines).encode()), sizes=sizes).rows)

    coded, plain = both_ways(frame, coded_texts=5)
    assert same(coded, plain)
    assert plain.dtypes == [pl.String, pl.Float64, pl.Int64, pl.String]


@given(tables(), st.integers(16, 200), st.sampled_from([None, 1, 7]))
def test_batches_are_those_of_the_other_readers(content, size, rows):
    def frames(sizes):
        parts = batches(io.BytesIO(content), rows, format="csv", delimiter=",", sizes=sizes)
        return [shown(part.rows) for part in parts]

    coded, plain = both_ways(frames, table_block=size)
    assert coded == plain if isinstance(plain, str) else all(same(a, b) for a, b in zip(coded, plain, strict=True))


RECIPES = [
    {},
    {"numeric": "category"},
    {"numeric": "both", "products": "all"},
    {"numeric": "category", "hashing": 4},
    {"per_column": {"c0": "number"}},
]


@given(tables(odd=False), st.sampled_from(RECIPES))
def test_models_and_predictions_are_the_same_to_the_last_byte(tmp_path_factory, content, options):
    folder = tmp_path_factory.mktemp("both")
    (folder / "rows.csv").write_bytes(content)

    def model_and_predictions(sizes):
        model = learn(read(folder / "rows.csv", target="c1", delimiter=",", sizes=sizes), Recipe(features=options))
        model.save(folder / "model")
        predictions = Predictions(model, str(folder / "rows.csv"), {"delimiter": ",", "sizes": sizes}, scores=True)
        return (folder / "model").read_bytes(), b"".join(predictions.as_csv()), predictions.notes

    coded, plain = both_ways(model_and_predictions)
    assert coded == plain


@given(tables(), st.sampled_from([("", "?"), ("", "nan", "39")]), st.sampled_from([None, "c0", -1]), st.booleans())
def test_a_table_of_codes_is_the_table_of_polars(content, missing, target, as_text):
    """Texts without polars: where a column may hold numbers, or something is wrong, polars reads it as ever."""

    def read_both(coded):
        try:
            options = {"missing": missing, "target": target, "as_text": as_text, "coded": coded}
            data = read(io.BytesIO(content), format="csv", delimiter=",", **options)
        except RosenblattError as problem:
            return f"{type(problem).__name__}: {problem}"
        rows, labels = data.rows, data.labels
        if isinstance(rows, CodedTable):
            rows, labels = rows.to_polars(), None if labels is None else labels.to_polars()
        return rows if labels is None else rows.with_columns(labels.alias("the label"))

    without, by_polars = read_both(True), read_both(False)
    assert without == by_polars if isinstance(by_polars, str) else same(shown(without), shown(by_polars))


WORDS = [f"{word}{end}" for word in ("Ada", "Bo", ">50K", "été", "7th", " Ada", "Bo ") for end in ("", "-1", " x")] + [
    "",
    "?",
]


@given(
    st.lists(st.tuples(*[st.sampled_from(WORDS)] * 2, st.sampled_from(["yes", "no", " no"])), min_size=2, max_size=30),
    st.sampled_from([*RECIPES, {"hashing": 3, "products": "all"}]),
)
def test_a_model_of_codes_has_the_same_bytes_and_predicts_the_same(tmp_path_factory, rows, options):
    folder = tmp_path_factory.mktemp("codes")
    lines = [",".join(row) for row in [("c0", "c1", "y"), ("Bo", "7th x", "yes"), ("Zoë", "x", "no"), *rows]]
    (folder / "rows.csv").write_text("\n".join(lines), "utf-8")
    (folder / "new.csv").write_text("c1,c0\n7th x,40\n40.0,Bo \n?,4.5\n", "utf-8")
    outcomes = []
    for coded in (True, False):
        data = read(folder / "rows.csv", target="y", coded=coded)
        assert isinstance(data.rows, CodedTable) == coded
        model = learn(data, Recipe(features=options))
        model.save(folder / "model")
        found = [(folder / "model").read_bytes()]
        for name in ("rows.csv", "new.csv"):
            predictions = Predictions(model, str(folder / name), {"as_text": True}, scores=False)
            if not coded:
                predictions.read["coded"] = False
                predictions.plain_lines = lambda: None  # polars writes the CSV
            found += [b"".join(predictions.as_csv()), predictions.notes]
        outcomes.append(found)
    assert outcomes[0] == outcomes[1]


@given(
    st.lists(st.tuples(st.text("ab-é", max_size=3), st.text("abc\r", min_size=1, max_size=2)), min_size=1, max_size=40),
    st.sampled_from([2, 5, 100]),
)
def test_two_halves_give_the_codes_and_texts_of_the_whole(rows, most):
    data = memoryview("".join(f"{a};{b}\n" for a, b in rows).encode())
    halves, whole = split_in_halves(data, ord(";"), 2, most, first_half=1), split(data, ord(";"), 2, most)
    if halves is not None:
        for a, b in zip(halves, whole, strict=True):
            assert (a is None) == (b is None)
            assert a is None or (a.texts == b.texts and a.codes.tolist() == b.codes.tolist())


def test_two_threads_read_a_large_table_as_one_does():
    lines = [f"{k % 7} a,{k // 8} b,{'late' if k > 39_000 else k % 3},{k % 9}\n" for k in range(40_000)]
    content = "".join(["a,b,c,d\n", *lines]).encode()
    for most in (10_000, 5_000, 4_999):
        one, two = (read_coded(content, 8, ",", 4, most, halves) for halves in (False, True))
        for a, b in zip(one, two, strict=True):
            assert (a is None) == (b is None) == (most == 4_999 and a is one[1])
            assert a is None or (a.texts == b.texts and a.codes.tolist() == b.codes.tolist())
    assert split_in_halves(memoryview(content)[8:], ord(","), 4, 10_000) is not None


PEOPLE = b"".join(
    [b"sex,age,born,work,income\n"]
    + [
        f"{sex},{age},{born},{work},{'high' if age > 40 else 'low'}\n".encode()
        for sex in ("Male", "Female", "?")
        for age in (17, 40, 66)
        for born in ("1950-01-02", "1999-12-31")
        for work in ("none", "office", "field")
    ]
)


def test_texts_that_repeat_in_a_large_table_are_an_enum_in_the_order_of_text():
    people = read(io.BytesIO(PEOPLE), target="income", sizes=BufferSizes(coded_above=-1))
    assert people.rows.schema["sex"] == pl.Enum(["Female", "Male"])
    assert people.rows.schema["age"] == pl.Int64
    assert people.labels.dtype == pl.Enum(["high", "low"])
    assert people.rows["work"].sort().to_list() == sorted(people.rows["work"].to_list())


def people(sizes):
    return read(io.BytesIO(PEOPLE), target="income", sizes=sizes)


def learned(part):
    return learn(part, Recipe(epochs=2))


@pytest.mark.parametrize(
    "use",
    [
        lambda sizes: facts.examine_data(people(sizes), pairs=True),
        lambda sizes: [row.error_mean for row in compare.compare(people(sizes), seeds=2, learners=["averaged", "mira"])],
        lambda sizes: explain.explain(learned(people(sizes)), people(sizes).slice(0, 1)),
        lambda sizes: [part.rows.rows() for part in splits.split(people(sizes), 0.3, group="work")],
        lambda sizes: [part.rows.rows() for part in splits.split(people(sizes), 0.3, after="born")],
        lambda sizes: learned(splits.split(people(sizes), 0.3)[0]).predict(people(sizes).rows).tolist(),
        lambda sizes: learned(people(sizes)).predict(people(sizes).rows.cast({"sex": pl.String})).tolist(),
        lambda sizes: learned(people(sizes).slice(0, 30)).examples(people(sizes))[0].codes.tolist(),
        lambda sizes: (people(sizes).rows.write_csv(), people(sizes).rows.to_dicts(), people(sizes).labels.to_list()),
    ],
    ids=["facts", "compare", "explain", "group", "after", "split", "texts", "other labels", "output"],
)
def test_whoever_uses_a_table_sees_no_difference(use):
    coded, plain = both_ways(use)
    assert coded == plain


def test_labels_that_training_never_saw_are_named_as_ever():
    def strange(sizes):
        model = learn(people(sizes), Recipe(epochs=1))
        return model.examples(read(io.BytesIO(PEOPLE.replace(b"high", b"medium")), target="income", sizes=sizes))

    coded, plain = both_ways(strange)
    assert coded == plain
    assert "1 label of the stream never seen in training: 'medium'" in plain


@pytest.mark.parametrize("cell", [lambda i, j: i * j % 7, lambda i, j: "abc"[(i + j) % 3], lambda i, j: i * 1001 + j + 0.5])
def test_a_table_may_have_more_than_a_thousand_columns(cell):
    names = [f"c{j}" for j in range(1_500)]
    rows = [",".join(str(cell(i, j)) for j in range(len(names))) for i in range(40)]
    content = "\n".join([",".join(names), *rows, ""]).encode()
    coded = read_with(io.BytesIO(content), ReadOptions(sizes=BufferSizes(coded_above=-1)))
    assert coded.rows.columns == names
    assert coded.rows.cast({pl.Enum: pl.String}).equals(read(io.BytesIO(content)).rows)
