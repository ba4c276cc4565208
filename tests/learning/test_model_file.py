"""A model file comes back bit for bit or not at all, and saving leaves the old file or the new one."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import math
import os
import pickle
import random
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.errors import ModelFileError, RosenblattError, SaveError
from rosenblatt.learning import model_file
from rosenblatt.learning.model_file import read, write

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
DTYPES = ["float32", "float64", "int32", "int64"]

SMALL_MODELS = {
    "two classes": ({"labels": ["ham", "spam"]}, {"coef": np.array([[4.0, 2.0]]), "intercept": np.array([-3.0])}),
    "nothing": ({}, {}),
    "all types": (
        {"ä": [None, True, -0.0, math.inf, 10**20], "b": {"c": "0" * 64}},
        {name: np.arange(3).astype(name) for name in DTYPES} | {"none": np.zeros((0, 2))},
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.rosenblatt"


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def same_json(a, b):
    """Equal with types and the sign of zero, which == does not see; keys in any order."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    return repr(a) == repr(b)


# ---- what goes in comes out ----

keys = st.text().filter(lambda key: key != "$float")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**300), 10**300) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
headers = st.dictionaries(keys, values, max_size=5)
shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
arrays_of_all_kinds = st.dictionaries(
    st.text().filter(lambda name: name != "__metadata__"),
    st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(dtype, shapes)),
    max_size=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(header=headers, arrays=arrays_of_all_kinds)
def test_reading_gives_what_was_written(path, header, arrays):
    write(path, header, arrays)
    header_again, arrays_again = read(path)
    assert same_json(header_again, header)
    assert arrays_again.keys() == arrays.keys()
    assert all(same_bits(arrays_again[name], arrays[name]) for name in arrays)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
@given(header=headers, arrays=arrays_of_all_kinds)
def test_the_official_library_reads_the_same_arrays(path, header, arrays):
    write(path, header, arrays)
    theirs = safetensors.numpy.load(path.read_bytes())
    assert theirs.keys() == arrays.keys()
    assert all(same_bits(theirs[name], arrays[name]) for name in arrays)
    with safetensors.safe_open(path, "np") as opened:
        assert list(opened.metadata()) == ["rosenblatt"]
        assert json.loads(opened.metadata()["rosenblatt"])["bytes"] == path.stat().st_size


def test_every_array_starts_at_a_multiple_of_its_width(path):
    """So that the file can be mapped and used in place."""
    write(path, {}, {"a": np.zeros(1, "f4"), "b": np.zeros(1), "c": np.zeros(3, "i4"), "d": np.zeros(2, "i8")})
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    entries = json.loads(content[8 : 8 + length])
    assert (8 + length) % 8 == 0
    for name, width in {"a": 4, "b": 8, "c": 4, "d": 8}.items():
        assert entries[name]["data_offsets"][0] % width == 0


def test_arrays_read_can_be_changed_and_trained_on(path):
    write(path, {}, {"w": np.zeros(3)})
    w = read(path)[1]["w"]
    w += 1
    assert w.flags.aligned
    assert w.dtype.isnative


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(10, dtype="i4")[::-2],
        np.arange(4, dtype=">f8"),
        np.array([np.nan, np.inf, -0.0, 5e-324]),
        np.array(7, dtype=np.longlong),
        np.broadcast_to(np.float32(3), (2, 2)),
    ],
    ids=["transposed", "reversed", "big-endian", "not finite", "longlong", "broadcast"],
)
def test_arrays_come_back_whatever_their_memory_looked_like(path, array):
    write(path, {}, {"a": array})
    again = read(path)[1]["a"]
    assert again.shape == array.shape
    np.testing.assert_array_equal(again, array)


def test_tuples_come_back_as_lists_and_infinities_as_infinities(path):
    write(path, {"C": math.inf, "range": (1, 2), "low": [-math.inf]}, {})
    assert read(path)[0] == {"C": math.inf, "range": [1, 2], "low": [-math.inf]}
    with safetensors.safe_open(path, "np") as opened:
        strict = json.loads(opened.metadata()["rosenblatt"], parse_constant=pytest.fail)
    assert strict["header"]["C"] == {"$float": "inf"}


@pytest.mark.parametrize("padding", range(40))
def test_the_length_in_the_file_is_its_length_also_where_digits_roll_over(path, padding):
    write(path, {"x": ""}, {})
    bare = path.stat().st_size
    write(path, {"x": "y" * (1000 - bare - 20 + padding)}, {})  # sizes around 1,000: three digits become four
    assert read(path)[0]["x"].strip("y") == ""


# ---- the same bytes everywhere ----

SAVE_IN_SOME_ORDER = """
import sys, numpy as np
from rosenblatt.learning.model_file import write
names = list({"coef", "intercept", "average", "ß", "u1", "u2"})
header = {name: {inner: 1.5 for inner in set("abcdef")} for name in set(names)}
write(sys.argv[1], header, {name: np.arange(3, dtype="f4" if name < "d" else "i8") for name in names})
"""


def test_equal_models_are_equal_bytes_in_every_process(tmp_path):
    written = set()
    for seed in range(4 if FULL else 2):
        path = tmp_path / f"{seed}.rosenblatt"
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        subprocess.run([sys.executable, "-c", SAVE_IN_SOME_ORDER, path], env=environment, check=True)
        written.add(path.read_bytes())
    assert len(written) == 1


def test_bytes_are_those_that_the_format_prescribes(path):
    """Built here by hand from the description, so that no later change alters files unnoticed."""
    write(path, {"a": 1}, {"w": np.array([1.0, -2.0])})
    assert path.read_bytes() == forge(GOOD, GOOD_DATA)


# ---- damage ----


@pytest.mark.parametrize("name", SMALL_MODELS)
def test_every_bit_flip_is_refused(path, name):
    write(path, *SMALL_MODELS[name])
    content = bytearray(path.read_bytes())
    accepted = []
    with path.open("r+b", buffering=0) as file:
        for bit in range(8 * len(content)):
            byte = content[bit // 8]
            os.pwrite(file.fileno(), bytes([byte ^ 1 << bit % 8]), bit // 8)
            try:
                read(path)
                accepted.append(bit)
            except ModelFileError as error:
                assert str(path) in str(error)  # noqa: PT017
            os.pwrite(file.fileno(), bytes([byte]), bit // 8)
    assert accepted == []
    read(path)  # whole again


@pytest.mark.parametrize("name", SMALL_MODELS)
def test_every_truncation_and_every_appended_byte_is_refused(path, name):
    write(path, *SMALL_MODELS[name])
    content = path.read_bytes()
    damaged = [content[:length] for length in range(len(content))]
    damaged += [content + bytes([byte]) for byte in range(256)] + [content + bytes(n) for n in (7, 8, 4096)] + [content * 2]
    for bytes_ in damaged:
        path.write_bytes(bytes_)
        with pytest.raises(ModelFileError):
            read(path)


# ---- crafted files: every checksum right, the content wrong ----

GOOD = (
    r'{"__metadata__":{"rosenblatt":"{\"bytes\":@BYTES@,\"digest\":\"@DIGEST@\",\"format\":3,\"header\":{\"a\":1}}"},'
    r'"w":{"data_offsets":[0,16],"dtype":"F64","shape":[2]}}'
)
GOOD_DATA = struct.pack("<dd", 1.0, -2.0)
ENTRY = r'"w":{"data_offsets":[0,16],"dtype":"F64","shape":[2]}'
HEADER = r"{\"a\":1}"


def forge(head, data=GOOD_DATA, length=None):
    """A file with the right size and checksum around any head."""
    head = head.encode("utf-8", "surrogatepass")
    for size in range(len(head), len(head) + len(data) + 100):
        sized = head.replace(b"@BYTES@", str(size).encode()).replace(b"@DIGEST@", b"0" * 64)
        sized += b" " * (-len(sized) % 8)
        if 8 + len(sized) + len(data) == size:
            break
    content = struct.pack("<Q", len(sized) if length is None else length) + sized + data
    return content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1)


def swap(old, new):
    assert old in GOOD
    return forge(GOOD.replace(old, new))


def entry(offsets="[0,16]", dtype='"F64"', shape="[2]"):
    return swap(ENTRY, f'"w":{{"data_offsets":{offsets},"dtype":{dtype},"shape":{shape}}}')


def two(first, second, data=GOOD_DATA):
    return forge(
        GOOD.replace(
            ENTRY,
            ",".join(
                f'"{n}":{{"data_offsets":{o},"dtype":"F64","shape":[1]}}' for n, o in zip("vw", (first, second), strict=True)
            ),
        ),
        data,
    )


def inner(header):
    return swap(HEADER, json.dumps(header)[1:-1])


CRAFTED = {
    "format 4": (
        swap(r"\"format\":3", r"\"format\":4"),
        r"newer rosenblatt \(format 4\); this one reads up to 3",
    ),
    "format 0": (swap(r"\"format\":3", r"\"format\":0"), "another program"),
    "format as text": (swap(r"\"format\":3", r"\"format\":\"1\""), "another program"),
    "format twice": (swap(r"\"format\":3", r"\"format\":3,\"format\":3"), "a key twice"),
    "no rosenblatt key": (forge("{" + ENTRY + "}"), "another program"),
    "key of another program": (swap('"rosenblatt"', '"torch"'), "another program"),
    "second metadata key": (swap('}"},"w"', '}","x":"y"},"w"'), "none that rosenblatt writes"),
    "metadata twice": (swap(ENTRY, ENTRY + ',"__metadata__":{"rosenblatt":"{}"}'), "JSON"),
    "metadata a number": (swap(ENTRY, ENTRY + ',"__metadata__":1'), "JSON"),
    "metadata null": (swap(ENTRY, ENTRY + ',"__metadata__":{"rosenblatt":null}'), "JSON"),
    "inner JSON cut": (swap('}}"}', '}"}'), "JSON"),
    "outer JSON cut": (forge(GOOD[:-1]), "JSON"),
    "text after the JSON": (forge(GOOD + "x"), "JSON"),
    "newline after the JSON": (forge(GOOD + "\n"), "none that rosenblatt writes"),
    "more spaces than needed": (forge(GOOD + " " * 16), "none that rosenblatt writes"),
    "not UTF-8": (forge(GOOD.replace('"w"', '"\udc80"')), "JSON"),
    "array twice": (swap(ENTRY, ENTRY + "," + ENTRY), "a key twice"),
    "bfloat16": (entry(dtype='"BF16"'), "'w' has a type or shape"),
    "float8": (entry(dtype='"F8_E4M3"'), "'w' has a type or shape"),
    "boolean": (entry(dtype='"BOOL"'), "'w' has a type or shape"),
    "unsigned": (entry(dtype='"U64"'), "'w' has a type or shape"),
    "object": (entry(dtype='"O"'), "'w' has a type or shape"),
    "type not text": (entry(dtype='["F64"]'), "'w' has a type or shape"),
    "type left out": (swap('"dtype":"F64",', ""), "'w' has a type or shape"),
    "entry a list": (swap(ENTRY, '"w":[]'), "'w' has a type or shape"),
    "more in an entry": (swap('"shape":[2]', '"shape":[2],"x":1'), "none that rosenblatt writes"),
    "shape negative": (entry(shape="[-2]"), "'w' has a type or shape"),
    "shape of two negatives": (entry(shape="[-1,-2]"), "'w' has a type or shape"),
    "shape a fraction": (entry(shape="[2.0]"), "'w' has a type or shape"),
    "shape boolean": (entry(shape="[2,true]"), "'w' has a type or shape"),
    "shape text": (entry(shape='"2"'), "'w' has a type or shape"),
    "shape beyond memory": (entry(shape="[4611686018427387904]"), "'w' has a type or shape"),
    "shape overflows to 2": (entry(shape="[4294967296,4294967296,2]"), "'w' has a type or shape"),
    "shape empty but huge": (entry("[0,0]", shape="[0,9223372036854775807,9223372036854775807]"), "'w' has a type or shape"),
    "shape of 65 dimensions": (entry(shape=f"[{'1,' * 64}2]"), "'w' has a type or shape"),
    "shape of digits without end": (entry(shape=f"[{'9' * 5000}]"), "JSON"),
    "shape larger than the data": (entry(shape="[3]"), "out of place"),
    "shape smaller than the data": (entry(shape="[1]"), "out of place"),
    "offsets beyond the end": (entry("[16,32]"), "out of place"),
    "offsets negative": (entry("[-16,0]"), "out of place"),
    "offsets reversed": (entry("[16,0]"), "out of place"),
    "offsets as fractions": (entry("[0.0,16.0]"), "out of place"),
    "offsets not two": (entry("[0,16,16]"), "out of place"),
    "arrays overlap": (two("[0,8]", "[0,8]"), "out of place"),
    "arrays overlap in part": (two("[0,8]", "[4,12]"), "out of place"),
    "gap between arrays": (two("[0,8]", "[16,24]", GOOD_DATA + bytes(8)), "out of place"),
    "arrays in another order": (two("[8,16]", "[0,8]"), "out of place"),
    "data that no array owns": (forge(GOOD, GOOD_DATA + bytes(8)), "none that rosenblatt writes"),
    "data missing": (forge(GOOD, GOOD_DATA[:8]), "none that rosenblatt writes"),
    "header a list": (inner("[1]"), "not a JSON object"),
    "header a number that is no object": (inner('{"$float":"inf"}'), "not a JSON object"),
    "header key twice": (inner('{"a":1,"a":2}'), "a key twice"),
    "header keys unsorted": (inner('{"b":1,"a":2}'), "another spelling"),
    "header with spaces": (inner('{"a": 1}'), "another spelling"),
    "header number spelled otherwise": (inner('{"a":1e0}'), "another spelling"),
    "header character spelled otherwise": (inner('{"a":"\\u0041"}'), "another spelling"),
    "header with nan": (inner('{"a":NaN}'), "nan"),
    "header with Infinity": (inner('{"a":Infinity}'), "another spelling"),
    "header that overflows": (inner('{"a":1e999}'), "another spelling"),
    "header with a false infinity": (inner('{"a":{"$float":"nan"}}'), r"\$float"),
    "header with half a surrogate pair": (inner('{"a":"\\ud800"}'), "cannot be stored"),
    "header nested 101 deep": (inner('{"a":' + "[" * 101 + "]" * 101 + "}"), "deep"),
    "header nested 100,000 deep": (inner('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), "JSON"),
    "header objects 100,000 deep": (inner('{"a":' * 100_000 + "1" + "}" * 100_000), "JSON"),
    "entry nested 100,000 deep": (swap(ENTRY, '"w":' + "[" * 100_000 + "]" * 100_000), "JSON"),
    "header left out": (swap(r",\"header\":{\"a\":1}", r",\"other\":{}"), "JSON"),
    "more beside the header": (swap(HEADER, HEADER + r",\"x\":1"), "none that rosenblatt writes"),
    "head longer than the file": (forge(GOOD, length=10_000), "claims a head"),
    "head of 64 MB and a byte": (forge(GOOD, length=64 * 2**20 + 1), "claims a head"),
    "head of 2^64 - 1": (forge(GOOD, length=2**64 - 1), "claims a head"),
    "head of 0": (forge(GOOD, length=0), "claims a head"),
    "head that ends within itself": (forge(GOOD, length=200), "JSON"),
    "head that takes in the data": (forge(GOOD, length=len(forge(GOOD)) - 8), "JSON"),
    "size that lies": (forge(GOOD.replace("@BYTES@", "999")), "was written with 999"),
    "size beyond 64 bits": (forge(GOOD.replace("@BYTES@", "9" * 30)), "another program"),
    "digest in capitals": (forge(GOOD).replace(b"digest", b"DIGEST"), "another program"),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_file_is_refused(path, name):
    content, reason = CRAFTED[name]
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=reason) as refused:
        read(path)
    message = str(refused.value)
    assert message.startswith(f"{path} cannot be read: ")
    assert "; " in message  # the remedy
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300


def test_a_huge_head_is_refused_before_memory_is_taken(path):
    """A sparse file of 8 GB whose head would be 8 GB: little of it may be read."""
    size = 8 * 2**30
    path.write_bytes(forge(GOOD.replace("@BYTES@", str(size)), length=size - 8))
    os.truncate(path, size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelFileError, match="at most 64 MB"):
        read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


class RunsCode:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("model.npy", bytes(100))
    return buffer.getvalue()


FOREIGN = {
    "empty": (b"", "it is empty"),
    "one byte": (b"\x80", "not a model"),
    "text": (b"age,sector\n37,Private\n", "not a model"),
    "JSON": (b'{"labels": ["a", "b"], "coef": [1, 2]}', "not a model"),
    "zip": (zipped(), "zip"),
    "pickle 0": (pickle.dumps(RunsCode(), 0), "not a model"),
    **{f"pickle {p}": (pickle.dumps(RunsCode(), p), "pickle") for p in range(2, 6)},
    "zeros": (bytes(4096), "not a model"),
    "safetensors": (safetensors.numpy.save({"w": np.zeros(3)}), "another program"),
    "safetensors with metadata": (safetensors.numpy.save({"w": np.zeros(3)}, {"format": "pt"}), "another program"),
    "safetensors, 640 bytes of head": (safetensors.numpy.save({"w": np.zeros(3)}, {"x": "y" * 558}), "another program"),
    "our key, other text": (safetensors.numpy.save({"w": np.zeros(3)}, {"rosenblatt": "{}"}), "another program"),
    "gzip": (b"\x1f\x8b\x08" + bytes(50), "not a model"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused_by_its_kind(path, name):
    content, kind = FOREIGN[name]
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=kind):
        read(path)


def test_the_table_has_a_head_that_could_pass_for_a_pickle():
    assert FOREIGN["safetensors, 640 bytes of head"][0].startswith(b"\x80\x02")


def test_random_bytes_never_raise_anything_else(path):
    write(path, *SMALL_MODELS["all types"])
    content = path.read_bytes()
    rng = random.Random(7)
    for _ in range(2000):
        mixed = bytearray(content)
        for _ in range(rng.randint(1, 6)):
            start = rng.randrange(len(mixed))
            mixed[start : start + rng.randint(0, 9)] = rng.randbytes(rng.randint(0, 9))
        if bytes(mixed) != content:
            path.write_bytes(mixed)
            with pytest.raises(ModelFileError):
                read(path)


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket"])
def test_only_ordinary_files_are_read_or_replaced(tmp_path, kind):
    odd = tmp_path / "odd"
    if kind == "folder":
        odd.mkdir()
    elif kind == "fifo":
        os.mkfifo(odd)
    else:
        os.mknod(odd, stat.S_IFSOCK | 0o600)
    with pytest.raises(ModelFileError, match=r"folder|ordinary"):
        read(odd)
    with pytest.raises(SaveError, match="not an ordinary file"):
        write(odd, {}, {})
    assert not stat.S_ISREG(odd.stat().st_mode)


def test_a_device_is_not_read():
    with pytest.raises(ModelFileError, match="not an ordinary file"):
        read("/dev/zero")


def test_a_missing_file_is_answered_with_the_closest_name(tmp_path):
    write(tmp_path / "income.rosenblatt", {}, {})
    for wrong in ("incme.rosenblatt", "income", "Income.rosenblat"):
        with pytest.raises(ModelFileError, match=r"not found; the closest name there is income\.rosenblatt\."):
            read(tmp_path / wrong)
    with pytest.raises(ModelFileError, match="there is no folder"):
        read(tmp_path / "models" / "income.rosenblatt")
    with pytest.raises(ModelFileError, match="not found; name a file"):
        read(tmp_path / "zzz")


@pytest.mark.parametrize("odd", ["a\0b", "x" * 300])
def test_a_path_that_cannot_be_is_an_error_of_ours(tmp_path, odd):
    with pytest.raises(ModelFileError):
        read(tmp_path / odd)
    with pytest.raises(SaveError):
        write(tmp_path / odd, {}, {})


# ---- what cannot be stored ----


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"C": math.nan}, r"header\['C'\] is nan"),
        ({"a": {"b": [np.float64("nan")]}}, r"header\['a'\]\['b'\] is nan"),
        ({"labels": [np.int64(3)]}, r"header\['labels'\] is of type int64"),
        ({"labels": np.array([3])}, "type ndarray"),
        ({"when": time.gmtime}, "of type"),
        ({1: "a"}, "the key 1"),
        ({"a": {"$float": "inf"}}, r"the key '\$float'"),
        ({"a": "\ud800"}, "cannot be stored"),
        ({"a": 10**5000}, "cannot be stored"),
        ({"a": b"bytes"}, "type bytes"),
        ({"a": "x" * (64 * 2**20)}, "hash the words or values that it knows"),
    ],
)
def test_a_header_that_json_cannot_hold_is_refused_and_nothing_written(path, header, reason):
    with pytest.raises(ModelFileError, match=reason):
        write(path, header, {})
    assert list(path.parent.iterdir()) == []


def test_a_header_without_end_is_refused(path):
    circle = {}
    circle["again"] = circle
    with pytest.raises(ModelFileError, match="deep"):
        write(path, circle, {})


@pytest.mark.parametrize("dtype", ["float16", "bool", "uint64", "int8", "complex64", "U3", "O", "M8[s]", "V8", "longdouble"])
def test_an_array_of_another_type_is_refused(path, dtype):
    with pytest.raises(ModelFileError, match="'w' of type"):
        write(path, {}, {"w": np.zeros(2, dtype)})
    assert not path.exists()


def test_an_array_cannot_take_the_name_of_the_metadata(path):
    with pytest.raises(ModelFileError, match="give it another name"):
        write(path, {}, {"__metadata__": np.zeros(2)})


# ---- all or nothing ----

OLD = ({"model": "old"}, {"w": np.arange(3.0)})
NEW = ({"model": "new"}, {"w": np.arange(5.0)})


def fail_with(error):
    def fail(*_args, **_kwargs):
        raise error

    return fail


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), SaveError),
        (OSError(errno.EIO, "Input/output error"), SaveError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (MemoryError(), MemoryError),
    ],
    ids=["full", "broken", "interrupted", "memory"],
)
def test_a_failed_save_leaves_the_old_file_and_nothing_else(path, monkeypatch, call, error, raised):
    write(path, *OLD)
    before = path.read_bytes()
    monkeypatch.setattr(model_file.os, call, fail_with(error))
    with pytest.raises(raised):
        write(path, *NEW)
    monkeypatch.undo()
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == before


@pytest.mark.parametrize("old", [False, True])
def test_bytes_reach_the_disk_before_the_name_and_the_name_before_return(path, monkeypatch, old):
    if old:
        path.write_bytes(b"old")
    done = []
    for call in ("fsync", "link", "replace"):
        real = getattr(os, call)

        def spy(*args, real=real, call=call, **keywords):
            kind = "folder" if call == "fsync" and stat.S_ISDIR(os.fstat(args[0]).st_mode) else "file"
            size = os.fstat(args[0]).st_size if call == "fsync" and kind == "file" else None
            done.append((call, kind, size))
            return real(*args, **keywords)

        monkeypatch.setattr(model_file.os, call, spy)
    write(path, *NEW)
    first, *naming, last = done
    assert (first, last) == (("fsync", "file", path.stat().st_size), ("fsync", "folder", None))
    # A new file gets its name at once; where there is an old one, the new one has another name in between.
    named = [call for call, *_ in naming]
    assert named in ([["link", "link", "replace"]] if old else [["link"]]) or named == ["replace"]


def test_a_folder_that_cannot_be_synced_still_gets_the_file(path, monkeypatch):
    """Some network file systems answer EINVAL to fsync on a folder."""
    real = os.fsync

    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(model_file.os, "fsync", fsync)
    open_before = len(os.listdir("/proc/self/fd"))
    write(path, *NEW)
    assert len(os.listdir("/proc/self/fd")) == open_before
    assert read(path)[0] == NEW[0]


SAVE_BEYOND_THE_LIMIT = """
import resource, sys, numpy as np
from rosenblatt.errors import SaveError
from rosenblatt.learning.model_file import write
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    write(sys.argv[1], {}, {"w": np.zeros(100_000)})
except SaveError as error:
    print(error)
"""


@pytest.mark.parametrize("limit", [0, 1, 200, 4096, 800_000])
def test_a_disk_that_fills_up_leaves_the_old_file_and_nothing_else(path, limit):
    """The kernel stops the write after `limit` bytes, as a full disk or a quota does."""
    write(path, *OLD)
    before = path.read_bytes()
    command = [sys.executable, "-c", SAVE_BEYOND_THE_LIMIT, path, str(limit)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == f"{path} was not written: File too large; free some space or save it on another disk.\n"
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == before


@pytest.fixture
def not_root():
    """File permissions hold for everyone but root; a folder that others can reach."""
    was = os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        if was == 0:
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(was)


def test_a_folder_that_may_not_be_written_to_is_named(not_root):
    folder = not_root / "closed"
    folder.mkdir(mode=0o555)
    with pytest.raises(
        SaveError, match=r"closed/m\.rosenblatt was not written: Permission denied; save it in a folder that"
    ):
        write(folder / "m.rosenblatt", *NEW)
    assert list(folder.iterdir()) == []


def test_a_file_that_may_not_be_read_is_named(not_root):
    path = not_root / "m.rosenblatt"
    write(path, *NEW)
    path.chmod(0)
    with pytest.raises(ModelFileError, match="Permission denied"):
        read(path)


def test_a_write_protected_model_is_not_replaced(not_root):
    path = not_root / "m.rosenblatt"
    write(path, *OLD)
    path.chmod(0o444)
    with pytest.raises(SaveError, match="Permission denied"):
        write(path, *NEW)
    assert read(path)[0] == OLD[0]
    assert list(not_root.iterdir()) == [path]


def test_a_missing_folder_and_standard_output_are_refused(tmp_path, monkeypatch):
    with pytest.raises(SaveError, match="make the folder first"):
        write(tmp_path / "no" / "m.rosenblatt", *NEW)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaveError, match="standard output"):
        write("-", *NEW)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_follows_the_umask_and_a_replaced_one_keeps_its_mode(path, umask):
    before = os.umask(umask)
    try:
        write(path, *OLD)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
        path.chmod(0o640)
        write(path, *NEW)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "models").mkdir()
    target, link = tmp_path / "models" / "a.rosenblatt", tmp_path / "latest.rosenblatt"
    write(target, *OLD)
    link.symlink_to(target)
    write(link, *NEW)
    assert link.is_symlink()
    assert read(target)[0] == NEW[0]


def test_a_relative_name_and_a_name_of_255_bytes_can_be_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("m.rosenblatt", "x" * 244 + ".rosenblatt", "modèle ü.rosenblatt"):
        write(name, *NEW)
        assert read(name)[0] == NEW[0]


def test_errors_are_of_the_tree_and_of_the_usual_kinds():
    assert issubclass(ModelFileError, RosenblattError)
    assert issubclass(ModelFileError, ValueError)
    assert issubclass(SaveError, RosenblattError)
    assert issubclass(SaveError, OSError)
    assert not issubclass(SaveError, ModelFileError)  # a full disk is no damaged model: another exit code


# ---- killed ----

# Every line that it reads starts a process that saves for ever, and says its number after each save.
SAVE_FOR_EVER = """
import os, sys, numpy as np
from rosenblatt.learning.model_file import write
for _ in sys.stdin:
    saving = os.fork()
    while not saving:
        for value in (0, 1):
            write(sys.argv[1], {"value": value}, {"w": np.full(200_000, value, dtype=float)})
            print(os.getpid(), flush=True)
    os.waitpid(saving, 0)
    print("killed", flush=True)
"""


@pytest.mark.parametrize(
    "kills", [20, pytest.param(200, marks=[pytest.mark.full, pytest.mark.skipif(not FULL, reason="ROSENBLATT_TESTS=full")])]
)
def test_a_killed_save_leaves_the_old_file_or_the_new(path, kills):
    whole = []
    for value in (0, 1):
        write(path, {"value": value}, {"w": np.full(200_000, value, dtype=float)})
        whole.append(path.read_bytes())
    rng = random.Random(kills)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    parent = subprocess.Popen([sys.executable, "-c", SAVE_FOR_EVER, path], **pipes)
    for _ in range(kills):
        print(file=parent.stdin, flush=True)
        saving = int(parent.stdout.readline())  # at least one save is done
        time.sleep(rng.uniform(0, 0.03))
        os.kill(saving, signal.SIGKILL)
        while not parent.stdout.readline().endswith("killed\n"):  # its last number may have been cut off
            pass
        assert path.read_bytes() in whole
        value = read(path)[0]["value"]
        assert (read(path)[1]["w"] == value).all()
        # Between naming a new file and putting it in the place of the old one, a kill leaves both, and both are whole.
        assert all(other.read_bytes() in whole for other in path.parent.iterdir())
    parent.communicate()
    assert parent.returncode == 0
    write(path, {"value": 0}, {"w": np.zeros(200_000)})
    assert list(path.parent.iterdir()) == [path], "the next save did not remove what a killed one had left"
