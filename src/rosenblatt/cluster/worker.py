"""A process that learns from shards, for where the loop is uncompiled.

Tasks come by standard input, parts go by standard output, nothing else does.

python -m rosenblatt.cluster.worker ROWS BESIDE maps the rows in one folder, with what belongs to them in the other. A task
is the settings of a run, what all shards begin an epoch with, or a range of rows; the answer to a range is its part, or the
error. The process ends with its input.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np

from rosenblatt.cluster.mixed_run import cut
from rosenblatt.cluster.mixing import MixSettings, Start, learn_shard
from rosenblatt.data.row_cache import HEAD, RowCacheWriter, open_rows
from rosenblatt.engine.rows import Rows, checked_rows, mapping_of
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples

LENGTH = 8  # bytes before every message: how long it is
BESIDE = ("codes", "targets", "importance", "classes")  # arrays beside the rows, each in a file


def write_examples(examples: AnyExamples, folder: Path) -> Path:
    """Puts examples where workers can map them; rows that lie in files stay in the folder that is given back."""
    rows = examples.rows
    beside = mapped_in(rows)
    if beside is None:
        one_hot, writer = not rows.dense and rows.indptr is None, RowCacheWriter(folder, checked=False)
        writer.add(rows.values if rows.dense else rows.one_hot() if one_hot else rows.csr())
        writer.finish(rows.d)
    for name in BESIDE:
        array = getattr(examples, name, None)
        if array is not None:  # classes may be objects: their number is all that a worker needs
            np.save(folder / f"{name}.npy", np.arange(len(array)) if name == "classes" else array)
    return beside or folder


def mapped_in(rows: Rows) -> Path | None:
    """The folder in which just these rows lie; None where they do not lie in one."""
    files = {file for array in rows.arrays if (file := file_of(array)) is not None}
    folder = min(files).parent if files else None
    if folder is None or {file.parent for file in files} != {folder} or not (folder / HEAD).exists():
        return None
    head = json.loads((folder / HEAD).read_text("utf-8"))
    return folder if (head["rows"], head["columns"]) == (rows.n, rows.d) else None


def file_of(array: Any) -> Path | None:
    """The file that an array, or that of which it is a view, is mapped from."""
    mapping = mapping_of(array)
    return None if mapping is None or mapping.filename is None else Path(mapping.filename)


def read_examples(rows_in: Path, folder: Path) -> AnyExamples:
    """The examples in two folders, mapped."""
    rows = checked_rows(open_rows(rows_in, verify=False))
    beside = {name: np.load(folder / f"{name}.npy") for name in BESIDE if (folder / f"{name}.npy").exists()}
    if "codes" in beside:
        return Examples(rows, beside["codes"], beside["classes"], importance=beside.get("importance"))
    return RegressionExamples(rows, beside["targets"], importance=beside.get("importance"))


def send(pipe: IO[bytes], message: Any) -> None:
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(len(content).to_bytes(LENGTH, "little"))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message; EOFError where there is none, or half of one."""
    length = pipe.read(LENGTH)
    content = pipe.read(int.from_bytes(length, "little")) if len(length) == LENGTH else b""
    if len(length) < LENGTH or len(content) < int.from_bytes(length, "little"):
        raise EOFError
    return pickle.loads(content)


def serve(examples: Callable[[], AnyExamples], tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Learns from one range after the other, until no task comes any more."""
    rows: AnyExamples | None = None
    settings: MixSettings | None = None
    start: Start | None = None
    while True:
        try:
            task = receive(tasks)
        except EOFError:
            return
        if isinstance(task, MixSettings):
            settings = task
        elif isinstance(task, Start):
            start = task
        else:
            try:
                assert settings is not None
                assert start is not None
                rows = rows or examples()
                answer: Any = learn_shard(cut(rows, task.first, task.last), settings, start, task.shard)
            except Exception as problem:
                answer = problem
            send(answers, answer)


if __name__ == "__main__":
    # Ctrl-C is for the process that asks: this one ends when it does. What somebody prints is not to be taken for an answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(lambda: read_examples(Path(sys.argv[1]), Path(sys.argv[2])), sys.stdin.buffer, answers)
