"""Training on a cluster, from files to a classifier: blocks are summed up, a feature map is made of it, shards are encoded
where they are learned from, and epochs are mixed. The same function runs in one process, or on any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.cluster.blocks import Block, plan_blocks, scan, with_scans
from rosenblatt.cluster.encoded import (
    Encoding,
    FileShard,
    ShardFacts,
    cut_rows,
    facts_of,
    learn_file_shard,
    merge_facts,
    mistakes_of,
)
from rosenblatt.cluster.left_out import wrongly_left_out
from rosenblatt.cluster.local import SHARDS, refuse_no_shards
from rosenblatt.cluster.mixed_run import ShardDone, ranges, sorted_notes, train_shards
from rosenblatt.cluster.mixing import MixSettings, Part, Start, add
from rosenblatt.cluster.partitions import PartitionSource
from rosenblatt.cluster.repeated_rows import count_repeated
from rosenblatt.cluster.summaries import (
    SAMPLE_ROWS,
    WRITTEN,
    category_products,
    classes_among,
    completed,
    merge,
    merge_pairs,
    occurring_pairs,
    sample_map,
    sample_of,
    shares_of_sample,
    summary_of,
    whole_sample,
    with_pairs,
)
from rosenblatt.cluster.tasks import Tasks
from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.parts import read_as_one
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.engine.weights import refuse_beyond_memory
from rosenblatt.errors import FileError, LabelError
from rosenblatt.features import FeatureMap, TableMap
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import Examples, class_factors, labels_of
from rosenblatt.learning.learn import Learned, by_code, cells_not_read, record_training, untrained, values_pooled
from rosenblatt.learning.learners import Recipe


@dataclass(frozen=True)
class FileSource:
    """Files to learn from, and how they are read and cut."""

    where: str
    options: ReadOptions
    block_bytes: int | None = None  # None: as many as are usual
    folder: str | None = None  # of encoded rows; None: where each worker has its own files
    sample_rows: int = SAMPLE_ROWS
    tell: Callable[[str], None] = lambda step: None  # called with what is being done

    def blocks(self, tasks: Tasks) -> list[Block]:
        """The blocks; quotes and lines in them are counted by the workers."""
        given = () if self.block_bytes is None else (self.block_bytes, self.block_bytes)
        blocks = [block for block in plan_blocks(self.where, self.options, *given) if block.first < block.last]
        if not blocks:
            raise FileError("the file has no rows.", path=self.where)
        return blocks if blocks[0].format == "parquet" else with_scans(blocks, tasks.map(scan, blocks))


@dataclass(frozen=True)
class PreparedShards:
    """Shards that are encoded, and what was learned on the way; what `train_shards` learns from."""

    tasks: Tasks
    shards: list[FileShard]
    encoding: Encoding
    facts: ShardFacts
    classes: np.ndarray

    @property
    def empty(self) -> Examples:
        d = self.facts.counts.shape[1]
        rows = Rows(np.zeros((0, d)) if self.facts.dense else OneHot(np.zeros((0, 1), dtype=np.int32), d))
        return Examples(rows, np.zeros(0, dtype=np.int32), self.classes)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.facts.examples

    def learn(self, settings: MixSettings, start: Start, done: ShardDone) -> Part:
        common = self.tasks.shared(self.encoding), self.tasks.shared(settings), self.tasks.shared(start)
        join = partial(add, d=start.w.shape[1])
        join.__name__ = "add"  # type: ignore[attr-defined]
        part: Part = self.tasks.reduce(learn_file_shard, self.shards, join, *common)
        done(part)
        return part

    def checksums(self) -> list[int]:
        return list(self.facts.checksums)


def learn_on_cluster(
    source: FileSource | PartitionSource,
    recipe: Recipe,
    tasks: Tasks,
    dev: Dataset | None = None,
    watch: Callbacks | None = None,
) -> Learned:
    """What `learn` does, from files that are read and learned from by tasks; examples are without their rows."""
    recipe = replace(recipe, shards=recipe.shards or SHARDS)
    refuse_no_shards(recipe)
    rule = replace(recipe, regression=False).rule()
    sample, mapping, prepared, class_counts = prepare_shards(source, recipe, tasks)
    settings = MixSettings(rule, recipe.plan(), len(prepared.shards), recipe.mix)
    facts, rows = prepared.facts, sum(shard.rows for shard in prepared.shards)
    refuse_beyond_memory(prepared.empty.vectors, facts.counts.shape[1])
    means = facts.sums / rows if sample.kind == "table" else None
    model = untrained(sample, recipe, mapping, prepared.classes, class_counts, facts.counts, means)
    held_out = None if dev is None else model.examples(dev)[0]
    trained = train_shards(prepared, settings, held_out, watch)
    record_training(model, trained, prepared.empty, held_out)
    source.tell("measuring")
    common = tasks.shared(prepared.encoding), tasks.shared(replace_classes(model.model(), len(prepared.classes)))
    wrong = sum(tasks.map(mistakes_of, prepared.shards, *common))
    model.summary.examples, model.summary.train_error = rows, wrong / rows
    about_cells = (*cells_not_read(facts.notes), *values_pooled(mapping, rows))
    notes = (*sample.notes, *about_cells, *sorted_notes(facts.by_class))
    repeated = None
    if held_out is not None and sample.kind == "table":
        repeated = count_repeated(tasks, prepared.shards, prepared.encoding, held_out)
    return Learned(model, trained, prepared.empty, held_out, notes, repeated)


def replace_classes(model: Any, classes: int) -> Any:
    """The weights alone, as workers know classes: by number."""
    return replace(model, classes=np.arange(classes))


def prepare_shards(
    source: FileSource | PartitionSource, recipe: Recipe, tasks: Tasks
) -> tuple[Dataset, FeatureMap, PreparedShards, np.ndarray]:
    """The first pass over the files, and the shards that are encoded by what it gave."""
    source.tell("reading")
    blocks = source.blocks(tasks)
    shares = shares_of_sample(blocks, source.sample_rows)
    samples = tasks.map(sample_of, [(number, *both) for number, both in enumerate(zip(blocks, shares, strict=True))])
    summary = samples[0][0]
    for other, _ in samples[1:]:
        summary = merge(summary, other)
    rows = list(summary.rows)
    sample, complete = whole_sample([part for _, part in samples], sum(rows), blocks)
    if recipe.learns_numbers(labels_of(sample)):
        raise LabelError(f"The target of {source.where} is a quantity, and Dask learns classes only: take --workers.")
    classes, class_counts = classes_among(summary.labels, sample, blocks[0].format in WRITTEN)
    files, first_index = {block.path for block in blocks}, 0
    if isinstance(source, FileSource) and sample.kind == "table" and len(files) > 1:
        together = read_as_one(len(files), blocks[0].format, source.where)
        sample = replace(sample, notes=(together, *sample.notes))
    if sample.kind == "sparse":
        first_index = 1 if source.options.zero_based is None and summary.least > 0 else 0
        sample = replace(sample, zero_based=bool(source.options.zero_based) or first_index == 0)
    source.tell("learning what the columns hold")
    mapping = sample_map(sample, classes, recipe, complete)
    if not complete:
        if sample.kind == "table":
            summary = tasks.reduce(summary_of, blocks, merge, tasks.shared(mapping.to_json()))
            readings = mapping.readings if isinstance(mapping, TableMap) else None
            assert isinstance(readings, TableReadings)
            sample = replace(sample, notes=(*sample.notes, *wrongly_left_out(readings, summary.left_out)))
        mapping = completed(mapping, summary, zero_based=first_index == 0)
        if isinstance(mapping, TableMap) and category_products(mapping):
            with_pairs(mapping, tasks.reduce(occurring_pairs, blocks, merge_pairs, tasks.shared(mapping.to_json())))
    factors = class_factors(by_code(recipe.class_weight, classes), np.arange(len(classes)), class_counts)
    encoding = Encoding(
        mapping.to_json(), classes.tolist(), classes.dtype.kind, None if factors is None else factors.tolist(), first_index,
        source.folder,
    )  # fmt: skip
    shards = cut_rows(blocks, rows, ranges(sum(rows), recipe.shards or SHARDS))
    source.tell("encoding")
    facts: ShardFacts = tasks.reduce(facts_of, shards, merge_facts, tasks.shared(encoding))
    return sample, mapping, PreparedShards(tasks, shards, encoding, facts, classes), class_counts
