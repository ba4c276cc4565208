"""A shard of files as encoded rows in a folder of the machine that learns from it: found by what it is of, or made again.

A task knows all that it takes to make the rows, so nothing is lost with a worker but time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import features
from rosenblatt.cluster.blocks import AnyBlock
from rosenblatt.cluster.mixing import MixSettings, Part, Start, learn_shard
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.row_cache import RowCacheWriter, checksum, open_rows
from rosenblatt.engine.file_arrays import release_pages
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError, FileError
from rosenblatt.features.notes import Notes
from rosenblatt.learning.examples import Examples, codes_among, labels_of
from rosenblatt.learning.learn import counts_and_means
from rosenblatt.learning.scoring import Model, error
from rosenblatt.learning.stream import naming_full_disk

FOLDER = "rosenblatt-rows"
CODES, NOTES = "codes.npy", "notes.json"
MOST_OPEN = 256  # shards that a process has mapped at a time


@dataclass(frozen=True)
class Encoding:
    """How rows become examples, whatever shard they are of."""

    map: dict[str, Any]  # the feature map, as JSON
    classes: list[Any]
    label_type: str  # the kind of the classes' array
    factors: list[float] | None  # by which the rows of each class count
    first_index: int  # of sparse rows
    folder: str | None = None  # where encoded rows lie; None: where the worker has its own files

    def classes_array(self) -> np.ndarray:
        from rosenblatt.learning.examples import saved_classes

        return saved_classes(self.classes, self.label_type)


@dataclass(frozen=True)
class FileShard:
    """A shard that is a list of blocks, of each some rows."""

    number: int
    pieces: tuple[tuple[AnyBlock, int, int], ...]  # block, first row, last row

    @property
    def rows(self) -> int:
        return sum(last - first for _, first, last in self.pieces)


@dataclass(frozen=True)
class ShardFacts:
    """What all rows of a shard, or of several, add to a model besides weights."""

    examples: tuple[int, ...]  # that an epoch has, of each shard
    checksums: tuple[int, ...]
    counts: np.ndarray  # in how many rows of each class a feature is not 0
    sums: np.ndarray  # of every feature
    by_class: np.ndarray  # rows of each shard, by class
    dense: bool
    notes: Notes  # cells that could not be read


def merge_facts(a: ShardFacts, b: ShardFacts) -> ShardFacts:
    by_class = np.concatenate([a.by_class, b.by_class])
    return ShardFacts(
        a.examples + b.examples,
        a.checksums + b.checksums,
        a.counts + b.counts,
        a.sums + b.sums,
        by_class,
        a.dense and b.dense,
        a.notes + b.notes,
    )


def cut_rows(blocks: Sequence[AnyBlock], rows: list[int], cuts: list[tuple[int, int]]) -> list[FileShard]:
    """Shards of so many rows each, of blocks that have so many rows."""
    shards, ends = [], np.cumsum([0, *rows]).tolist()
    for number, (first, last) in enumerate(cuts):
        pieces = []
        for place, block in enumerate(blocks):
            begin, end = max(first, ends[place]), min(last, ends[place + 1])
            if begin < end:
                pieces.append((block, begin - ends[place], end - ends[place]))
        shards.append(FileShard(number, tuple(pieces)))
    return shards


OPEN: dict[str, tuple[Examples, Notes]] = {}  # what this process has mapped, and found to be whole


def examples_of(shard: FileShard, encoding: Encoding) -> tuple[Examples, Notes]:
    """The examples of a shard, mapped; encoded first where this machine has them not, or they are damaged.

    The notes tell of cells that could not be read.
    """
    name = fingerprint(shard, encoding)
    if name in OPEN:
        return OPEN[name]
    folder = local_folder(encoding) / name
    try:
        examples = opened(folder, encoding)
    except (DataError, OSError, ValueError, LookupError):
        with naming_shard(shard), naming_full_disk(folder.parent):
            encode(shard, encoding, folder)
            examples = opened(folder, encoding)
    while len(OPEN) >= MOST_OPEN:
        OPEN.pop(next(iter(OPEN)))
    OPEN[name] = examples
    return examples


@contextmanager
def mapped_examples(shard: FileShard, encoding: Encoding) -> Iterator[Examples]:
    """The examples of a shard, which afterwards count no longer as memory of this worker: it may have a limit."""
    examples, _ = examples_of(shard, encoding)
    try:
        yield examples
    finally:
        release_pages(examples.rows)


@contextmanager
def naming_shard(shard: FileShard) -> Iterator[None]:
    """An error in a file says also in which shard it came up."""
    try:
        yield
    except FileError as problem:
        raise with_place(problem, f"shard {shard.number}") from None


def with_place(problem: FileError, place: str) -> FileError:
    """The same error, with the shard or block that it came up in."""
    named = FileError(f"{problem} ({place})")
    named.path, named.line, named.column = problem.path, problem.line, problem.column
    return named


def fingerprint(shard: FileShard, encoding: Encoding) -> str:
    """What tells the rows of a shard from all others."""
    from rosenblatt import __version__

    pieces = [[block.identity(), first, last] for block, first, last in shard.pieces]
    about = [__version__, shard.number, pieces, asdict(replace(encoding, folder=None))]
    return hashlib.sha256(json.dumps(about, default=str, sort_keys=True).encode()).hexdigest()[:32]


def local_folder(encoding: Encoding) -> Path:
    """Where encoded rows lie on this machine: beside the folders of its workers, who share them."""
    if encoding.folder is not None:
        return Path(encoding.folder)
    from distributed import get_worker

    return Path(get_worker().local_directory).parent / FOLDER


def encode(shard: FileShard, encoding: Encoding, folder: Path) -> None:
    """Reads the shard and writes its examples into the folder, which is there as a whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        mapping, classes = features.from_json(encoding.map), encoding.classes_array()
        writer, codes, notes = RowCacheWriter(beside), [], Notes()
        for block, first, last in shard.pieces:
            data = read_for_several(block)
            if data.rows is None or len(data) < last:
                raise FileError("it has fewer rows than when it was first read.", path=block.path)
            data = data.slice(first, last)
            rows = data.rows
            if data.kind == "sparse" and encoding.first_index:  # a slice of CSR is a copy
                rows.indices -= encoding.first_index
            writer.add(mapping.transform(rows))
            notes += mapping.notes
            codes.append(codes_among(classes, labels_of(data)))
        writer.finish(mapping.n_features)
        np.save(beside / CODES, np.concatenate(codes).astype(np.int32))
        told = {"rows": notes.rows, "unreadable": notes.unreadable, "undated": notes.undated}
        (beside / NOTES).write_text(json.dumps(told), "utf-8")
        digest = checksum(beside / CODES, np.dtype(np.uint8))
        (beside / "whole").write_text(str(digest), "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.replace(beside, folder)
        except OSError:  # another worker of this machine was faster: the same rows
            if not (folder / "whole").exists():
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


LAST_READ: dict[str, Dataset] = {}  # the block that this process has read last: small shards share one


def read_for_several(block: AnyBlock) -> Dataset:
    """The rows of a block, not to be changed; read again only where another was read meanwhile."""
    name = json.dumps(block.identity(), default=str)
    if name not in LAST_READ:
        LAST_READ.clear()
        LAST_READ[name] = block.read()
    return LAST_READ[name]


def opened(folder: Path, encoding: Encoding) -> tuple[Examples, Notes]:
    """The examples in a folder; what is damaged is refused."""
    if checksum(folder / CODES, np.dtype(np.uint8)) != int((folder / "whole").read_text("utf-8")):
        raise DataError(f"The classes in {folder} are not those that were written.")
    notes = Notes(**json.loads((folder / NOTES).read_text("utf-8")))
    rows, codes = Rows(open_rows(folder)), np.load(folder / CODES)
    importance = None if encoding.factors is None else np.array(encoding.factors)[codes]
    return Examples(rows, codes, np.arange(len(encoding.classes)), importance=importance), notes


def facts_of(shard: FileShard, encoding: Encoding) -> ShardFacts:
    """Encodes the shard, and tells what its rows add to a model."""
    with mapped_examples(shard, encoding) as examples:
        counts, means = counts_and_means(examples)
        sums = means * examples.rows.n
        by_class = examples.class_counts()[np.newaxis]
        _, notes = examples_of(shard, encoding)
        size, digest = (len(examples.pool()),), (examples.checksum(),)
        return ShardFacts(size, digest, counts, sums, by_class, examples.rows.dense, notes)


def learn_file_shard(shard: FileShard, encoding: Encoding, settings: MixSettings, start: Start) -> Part:
    """An epoch over a shard."""
    with mapped_examples(shard, encoding) as examples:
        return learn_shard(examples, settings, start, shard.number)


def mistakes_of(shard: FileShard, encoding: Encoding, model: Model) -> int:
    """How many rows of a shard a model gets wrong."""
    with mapped_examples(shard, encoding) as examples:
        wrong: int = round(error(model, examples) * examples.rows.n)
    return wrong
