"""libsvm files: scikit-learn is the witness for what is read, Python's float for every number."""

import hashlib
import io
import random
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data import ReadOptions, batches, libsvm_lines, libsvm_plain, read
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.data.reading import read_with
from rosenblatt.errors import FileError

try:
    compiled = import_module("rosenblatt.data._libsvm")
except ImportError:
    compiled = None


@pytest.fixture(params=["compiled", "plain"])
def reader(request, monkeypatch):
    if request.param == "compiled" and compiled is None:
        pytest.skip("built without a compiler")
    monkeypatch.setattr(libsvm_lines, "parse", compiled.parse if request.param == "compiled" else libsvm_plain.parse)


pytestmark = pytest.mark.usefixtures("reader")


def parsed(content, **options):
    data = read_with(io.BytesIO(content), ReadOptions("libsvm", **options))
    return data.rows.toarray().tolist(), data.labels.tolist()


def test_the_compiled_reader_is_made_of_this_source():
    if compiled is None or not compiled.DIGEST:
        pytest.skip("not built by setup.py")
    source = Path(libsvm_lines.__file__).with_name("_libsvm.c")
    assert hashlib.sha256(source.read_bytes()).hexdigest() == compiled.DIGEST


@pytest.mark.parametrize(
    ("content", "rows", "labels"),
    [
        (b"1 1:2 3:4\n-1 2:1", [[2, 0, 4], [0, 1, 0]], [1, -1]),
        (b"+1 0:2 2:4\n0 1:1\n", [[2, 0, 4], [0, 1, 0]], [1, 0]),
        (b"1 1:2\r\n2 1:3\r\n", [[2], [3]], [1, 2]),
        (b"# a file\n1 1:2 # first\n\n   \n2 1:3# second\n", [[2], [3]], [1, 2]),
        (b"1 qid:3 1:2\n2 qid:4 1:3\n", [[2], [3]], [1, 2]),
        (b"1 3:1 1:2\n2 2:1\n", [[2, 0, 1], [0, 1, 0]], [1, 2]),
        (b"1\n2 1:1\n3\n", [[0], [1], [0]], [1, 2, 3]),
        (b"1.5 1:1\n-2e3 1:1\n", [[1], [1]], [1.5, -2000.0]),
        (b"1\t1:2\t2:3 \n  2   1:1  \n", [[2, 3], [1, 0]], [1, 2]),
        (b"1 1:.5 2:5. 3:+1 4:-0.0\n", [[0.5, 5, 1, 0]], [1]),
        (b"1 \x0b1:1\n2 1:2\n", [[1], [2]], [1, 2]),
    ],
)
def test_every_dress_of_a_line(content, rows, labels):
    assert parsed(content) == (rows, labels)


def test_where_counting_starts_can_be_said():
    assert parsed(b"1 1:5\n", zero_based=True)[0] == [[0, 5]]
    assert parsed(b"1 1:5\n", n_features=3)[0] == [[5, 0, 0]]


def test_a_late_zero_in_a_stream_is_refused():
    options = {"format": "libsvm", "sizes": BufferSizes(libsvm_chunk=8)}
    content = b"1 1:1\n" * 4 + b"1 0:1\n"
    with pytest.raises(FileError, match="zero_based=True"):
        list(batches(io.BytesIO(content), rows=2, **options))
    parts = list(batches(io.BytesIO(content), rows=2, zero_based=True, n_features=4, **options))
    assert [part.rows.shape for part in parts] == [(2, 4), (2, 4), (1, 4)]


def test_a_late_zero_in_a_file_is_seen_beforehand(tmp_path):
    (tmp_path / "late").write_bytes(b"1 1:1\n" * 4 + b"1 0:1\n")
    parts = list(batches(tmp_path / "late", rows=2, sizes=BufferSizes(libsvm_chunk=8)))
    assert [part.rows.toarray().tolist() for part in parts] == [[[0, 1], [0, 1]], [[0, 1], [0, 1]], [[1]]]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_what_scikit_learn_writes_is_read_as_scikit_learn_reads_it(data):
    n, d = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 8))
    numbers = st.just(0.0) | st.floats(-1e300, 1e300)
    X = np.array(data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)))
    zero_based = data.draw(st.booleans())
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=zero_based, comment="two words")
    options = {"n_features": d, "zero_based": zero_based}
    theirs, labels = load_svmlight_file(io.BytesIO(file.getvalue()), **options)
    ours = read(io.BytesIO(file.getvalue()), format="libsvm", **options)
    np.testing.assert_array_equal(ours.rows.toarray(), theirs.toarray())
    np.testing.assert_array_equal(ours.labels, labels)


def test_every_number_is_what_python_makes_of_it():
    """Hard cases: many digits, halves between two doubles, the smallest and largest exponents."""
    draw = random.Random(0)
    texts = [
        "5e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "9007199254740993",
        "0.1",
        "1e22",
        "1e23",
        "0e999",
    ]
    for _ in range(20_000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(1, 24)))
        point = draw.randint(0, len(digits))
        power = draw.choice(["", "", f"e{draw.randint(-30, 30)}", f"E{draw.randint(-300, 280):+d}"])
        texts.append(f"{draw.choice(['', '-'])}{digits[:point]}.{digits[point:]}{power}")
        x = draw.uniform(0.0001, 10)
        halves = f"{int(x * 2**53) * 2 + 1}e-17"  # odd in the 54th bit, where rounding is closest to a tie
        texts += [repr(x), f"{x:.16e}", halves]
    content = "1 " + " ".join(f"{i}:{text}" for i, text in enumerate(texts)) + "\n"
    X = read(io.BytesIO(content.encode()), format="libsvm").rows
    assert X.data.tolist() == [float(text) for text in texts]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([*b"0123456789", *b":  +-.eE#\t\r\n\n_\0\x0bqi", b"1 2:3", b" 7:", b"qid:1 ", b"nan", b"\n1 "]),
        max_size=40,
    )
)
def test_both_readers_agree_on_any_bytes(pieces):
    content = b"1 1:1\n" + b"".join(bytes([p]) if isinstance(p, int) else p for p in pieces)
    outcomes = []
    for parse in [libsvm_plain.parse, *([compiled.parse] if compiled else [])]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(libsvm_lines, "parse", parse)
            try:
                rows, labels = parsed(content)
                outcomes.append((repr(rows), labels))
            except FileError as error:
                outcomes.append(str(error))
    assert len(set(map(str, outcomes))) == 1


def test_rows_longer_than_a_chunk_and_chunks_of_rows():
    X = sp.random(300, 5000, density=0.05, format="csr", random_state=0)
    file = io.BytesIO()
    dump_svmlight_file(X, np.arange(300) % 3, file)
    X, _ = load_svmlight_file(io.BytesIO(file.getvalue()), n_features=5000)  # it writes 16 digits only
    options = {"format": "libsvm", "n_features": 5000, "sizes": BufferSizes(libsvm_chunk=1000)}
    data = read_with(io.BytesIO(file.getvalue()), ReadOptions(**options))
    assert (data.rows != X).nnz == 0
    parts = list(batches(io.BytesIO(file.getvalue()), rows=7, zero_based=True, **options))
    assert [len(part) for part in parts] == [7] * 42 + [6]
    assert (sp.vstack([part.rows for part in parts]) != X).nnz == 0
    assert np.concatenate([part.labels for part in parts]).tolist() == data.labels.tolist()


def test_the_line_is_right_in_a_late_chunk():
    for bad in (b"1 2:x\n", b"1 2:1 2:1\n"):
        with pytest.raises(FileError) as caught:
            parsed(b"1 1:1\n# comment\n" * 500 + bad, sizes=BufferSizes(libsvm_chunk=100))
        assert caught.value.line == 1001


def test_libsvm_is_recognised_by_content(tmp_path):
    for name in ("data", "data.txt", "data.csv", "data.gz"):
        (tmp_path / name).write_bytes(b"# produced by hand\n+1 3:0.5 9:1\n-1 1:1\n")
        assert read(tmp_path / name).kind == "sparse"
