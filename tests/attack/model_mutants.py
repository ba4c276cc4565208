"""Model files that nobody wrote: sound ones, changed at random, with size and checksum made right again.

    python tests/attack/model_mutants.py FIRST LAST < FILES    tries these mutants, and prints what went wrong, a JSON a line

FILES is JSON: for each model file, the rows to predict and how they are read (test_model_files.py knows them).

A mutant is known by its number. It must be refused with ModelFileError, or work: whatever is then asked of it ends well
or in a RosenblattError, within the time (of the processor, not of a busy machine) and the memory below.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(threads, "1")
if __name__ == "__main__":  # not where it is imported for its doctests
    os.environ["ROSENBLATT_TRACEBACK"] = "1"  # what a verb would call a bug is raised

import numpy as np  # noqa: E402

import rosenblatt as rb  # noqa: E402
from rosenblatt.cli import run  # noqa: E402
from rosenblatt.learning import model_file  # noqa: E402
from rosenblatt.learning.deciding import calibrate  # noqa: E402
from rosenblatt.studies.evaluate import evaluate  # noqa: E402
from rosenblatt.studies.explain import explain, weights  # noqa: E402

SANITIZED = "ASAN_OPTIONS" in os.environ
SECONDS, BYTES = (20 if SANITIZED else 5), 200 * 2**20  # a sanitizer makes Python three times as slow
VIEWS = ("last", "averaged", "best", "voted", "random")
# A limit on addresses, far above that on memory: who asks for more has been found, and the machine is not brought down.
ADDRESSES = 4 * 2**30

NUMBERS = [0, 1, -1, 2, 3, 31, 10**6, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30, 10**310, 0.5, -0.0, 1e308, -1e308, 5e-324]
TEXTS = ["", "x", "all", "voted", "random", "best", "balanced", "a" * 10**5, "\0", "yes\0", "é" * 300, "hash 1", "category"]
OTHERS = [None, True, False, [], {}, [[]], {"a": 1}, [None], ["a", "a"], [0] * 10**4, ["x"] * 10**4, [["a", "b"]] * 10**3]
EXTRA_MAPS = [
    {"map": "scale", "mean": [0.0, 1.0], "sd": [1.0, 0.0]},
    {"map": "polynomial", "degree": 3, "columns": 2},
    {"map": "radial", "centres": [[0.0, 1.0], [1.0, 2.0]], "width": 0.5},
    {"map": "numbers", "columns": 5},
]


# ---- mutations of the header ----


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


def places(value, chosen):
    """A random place in JSON: what holds it, and its key there."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = chosen.choice(keys)
        inside = value[key]
        if not isinstance(inside, dict | list) or not inside or chosen.random() < 0.2:
            return value, key
        value = inside


def nasty(value, chosen):
    """A value in the place of this one."""
    near = [[value], {"v": value}, str(value)[:1000]]
    if isinstance(value, int | float):
        half = value * 0.5 if abs(value) < 2**1000 else value // 2  # a whole number may be too large for a float
        near += [value + 1, value - 1, -value, value * 2, half, math.inf, -math.inf]
    if isinstance(value, list):
        near += [value * 2, value[::-1], value[1:], value[:-1], sorted(map(str, value)), chosen.sample(value, len(value))]
        near += [(value * 10**4)[: 10**4]]
    if isinstance(value, str):
        near += [value.upper(), value + "\0", value * 1000, value[::-1]]
    every = [*near, *near, *near, chosen.choice(NUMBERS), chosen.choice(TEXTS), chosen.choice(OTHERS), nested(60)]
    return copy.deepcopy(chosen.choice(every))


def change_header(header, chosen):
    holder, key = places(header, chosen)
    action = chosen.choice(["replace"] * 6 + ["delete", "copy", "swap", "rename", "add"])
    if action == "replace":
        holder[key] = nasty(holder[key], chosen)
    elif action == "delete":
        del holder[key]
    elif action in ("copy", "swap"):
        other, its_key = places(header, chosen)
        copied = copy.deepcopy(other[its_key])
        if action == "swap":
            other[its_key] = copy.deepcopy(holder[key])
        holder[key] = copied
    elif isinstance(holder, dict):
        holder[chosen.choice(["x", "map", "$", "double", "number", "category", "log"])] = (
            holder.pop(key) if action == "rename" else nasty(holder[key], chosen)
        )
    else:
        holder.append(nasty(holder[key], chosen))
    return f"{action} {key}"


# ---- mutations of the arrays ----


def change_arrays(arrays, chosen):
    name = chosen.choice(list(arrays))
    array = np.atleast_1d(arrays[name])
    action = chosen.choice(
        ["type", "shape", "value", "value", "value", "all", "order", "delete", "rename", "swap", "unknown"]
    )
    with np.errstate(all="ignore"):
        if action == "type":
            arrays[name] = array.astype(chosen.choice(["float32", "float64", "int32", "int64"]))
        elif action == "shape":
            arrays[name] = chosen.choice(SHAPES)(array)
        elif action in ("value", "all") and array.size:
            whole = [-1, 0, 1, 2, len(array), 2**31 - 1, -(2**31)] + ([2**62, -(2**63)] if array.itemsize == 8 else [])
            fraction = [math.nan, math.inf, -math.inf, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e30]
            value = chosen.choice(fraction if array.dtype.kind == "f" else whole)
            changed = array.copy()
            changed.reshape(-1)[slice(None) if action == "all" else chosen.randrange(array.size)] = value
            arrays[name] = changed
        elif action == "order":
            arrays[name] = np.ascontiguousarray(array[::-1])
        elif action == "delete":
            del arrays[name]
        elif action == "rename":
            arrays[chosen.choice(["best.coef", "best.intercept", "log.start.coef", "counts", "log.values", "x"])] = (
                arrays.pop(name)
            )
        elif action == "swap":
            other = chosen.choice(list(arrays))
            arrays[name], arrays[other] = arrays[other], arrays[name]
        else:
            arrays["log.unknown"] = array
    return f"{action} {name}"


SHAPES = [
    lambda array: np.ascontiguousarray(array.T),
    lambda array: array.reshape(-1),
    lambda array: array[None],
    lambda array: array[:0],
    lambda array: array[:-1],
    lambda array: array[..., :-1],
    lambda array: np.concatenate([array, array]),
    lambda array: np.repeat(array, 1000, axis=0)[:2000],
    lambda array: np.zeros((0, 2**40), array.dtype),
    lambda array: np.array(array.reshape(-1)[0]) if array.size else array,
]


def resize(header, arrays, chosen):
    """Another map or other labels, with arrays of the shapes that go with them: what no shape refuses."""
    if header["kind"] == "sparse" and "log" not in header and chosen.random() < 0.7:
        header["feature_map"] = copy.deepcopy(chosen.choice(EXTRA_MAPS))
        d = rb.features.from_json(header["feature_map"]).n_features
        header["summary"]["features"] = d
        for name in [name for name in arrays if name.endswith("coef") or name == "counts"]:
            arrays[name] = np.resize(arrays[name], (len(arrays[name]), d))
        return "other map"
    labels = chosen.choice([["a", "b" * 10**5], [False, True], [0.5, 1.5], ["a", "a\0"], [2**63, 2**64 - 1], ["", "\0x"]])
    if len(header["labels"]) == 2:
        header["labels"], header["label_type"] = labels, {str: "U", bool: "b", float: "f", int: "u"}[type(labels[0])]
        header["summary"]["classes"] = labels
    return "other labels"


def mutant(number, header, arrays):
    """(what was changed, the file's bytes), of a sound header and its arrays; None where it cannot even be written."""
    chosen = random.Random(number)
    header, arrays = copy.deepcopy(header), dict(arrays)
    changes = [resize(header, arrays, chosen)] if chosen.random() < 0.15 else []
    for _ in range(chosen.choice([1, 1, 1, 2, 3])):
        if chosen.random() < 0.6 or not arrays:
            changes.append(change_header(header, chosen) if header else "nothing left")
        else:
            changes.append(change_arrays(arrays, chosen))
    try:
        return changes, model_file._pack(header, arrays)
    except (model_file._FormatError, RecursionError, MemoryError):  # of a long text in a long list: gigabytes
        return changes, None


# ---- what is asked of each ----


def ask_everything(path, data, file):
    """Whether it could be loaded. Every question may be answered with a RosenblattError; verbs read the file themselves."""
    try:
        model = rb.load(path)
    except rb.ModelFileError as refusal:
        if len(str(refusal)) > 1000:
            raise ValueError("the refusal itself is too long") from None
        return False
    row = data.take(np.array([0]))
    questions = [
        lambda: model.predict(data.rows),
        *(lambda view=view: model.scores(data.rows, view) for view in VIEWS),
        *(lambda view=view: check_probabilities(model, data, view) for view in (None, *VIEWS)),
        lambda: evaluate(model, data, unseen="skip"),
        lambda: evaluate(model, data, unseen="skip", progressive=True),
        lambda: calibrate(rb.load(path), model.examples(data, "skip")[0]),
        lambda: weights(model),
        lambda: explain(model, row),
        lambda: model.influences(row.rows, "last"),
        lambda: model.influences(row.rows, "averaged"),
        lambda: model._repr_html_(),
        lambda: model.save(f"{path}.again"),
    ]
    for question in questions:
        try:
            question()
        except rb.RosenblattError:
            continue
    for verb in ("predict", "predict --json --scores", "predict --json --proba", "explain --row 1 --json", "explain --json"):
        name, *options = verb.split()
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as shown:
            if run([name, path, *([] if verb == "explain --json" else [file]), "-q", *options]) == 0 and "--json" in options:
                shown.flush()
                json.loads(shown.buffer.getvalue(), parse_constant=not_json)
    return True


def check_probabilities(model, data, view):
    """Those of a row lie between 0 and 1 and sum to 1, and a threshold decides by them."""
    each = model.predict_proba(data.rows, view)
    if not ((each >= 0) & (each <= 1)).all() or not np.allclose(each.sum(axis=1), 1):
        raise ValueError(f"probabilities are {each[:3]}")


def not_json(name):
    raise ValueError(f"{name} is no JSON")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def too_slow(*_):
    raise TimeoutError(f"more than {SECONDS} s")


def main(first, last, files):
    warnings.simplefilter("ignore")
    sound, data = {}, {}
    if not SANITIZED:  # a sanitizer takes terabytes of addresses, and no memory
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    signal.signal(signal.SIGPROF, too_slow)
    loaded = 0
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "m.rosenblatt")
        for number in range(first, last):
            kind = list(files)[number % len(files)]
            if kind not in sound:
                rows, reading = files[kind]
                sound[kind] = model_file.read(kind)
                data[kind] = rb.read(rows, **reading)
            changes, content = mutant(number, *sound[kind])
            if content is None:
                continue
            path.write_bytes(content)
            before, begin, wrong = peak(), time.process_time(), None
            print(json.dumps({"trying": number}), file=sys.stderr)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                loaded += ask_everything(str(path), data[kind], files[kind][0])
            except BaseException as error:  # whatever it is, it is what is looked for
                last_lines = traceback.format_exc().strip().splitlines()
                wrong = f"{type(error).__name__}: {str(error)[:200]}", last_lines[-6:]
            signal.setitimer(signal.ITIMER_PROF, 0)
            if time.process_time() - begin > SECONDS:
                wrong = wrong or (f"took {time.process_time() - begin:.1f} s", [])
            if peak() - before > BYTES:
                wrong = f"took {(peak() - before) / 2**20:.0f} MB", wrong[1] if wrong else []
            if wrong:
                print(json.dumps({"mutant": number, "kind": Path(kind).stem, "changes": changes, "wrong": wrong}))
    print(json.dumps({"tried": last - first, "loaded": loaded}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), json.load(sys.stdin))
