"""Training from files that are larger than memory: their rows are encoded once, into files, and learned from there.

A table is read once, and written to disk (data/disk_table.py): from then on it is a table as any other. Of other files, the
first pass learns what the feature map needs and which classes there are, and the second writes the encoded rows. Epochs run
over what was written. The order of the rows is that of training in memory, and so are the bits of the model.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.columns.kinds import Overrides
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.named_rows import NamedRows
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import Where, batches_of
from rosenblatt.data.row_cache import RowCacheWriter, open_rows
from rosenblatt.data.row_folder import folder_for_rows
from rosenblatt.data.sparse_to_disk import sparse_on_disk
from rosenblatt.data.table_to_disk import table_on_disk
from rosenblatt.engine.file_arrays import ArrayWriter
from rosenblatt.engine.parameters import keywords_of, refuse_unknown
from rosenblatt.engine.rows import Rows, checked_rows
from rosenblatt.engine.weights import refuse_beyond_memory
from rosenblatt.errors import FileError, LabelError, SettingError
from rosenblatt.features import FeatureMap, NumbersMap, TextMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import Examples, classes_of, codes_among, is_text, labels_of, text_array
from rosenblatt.learning.kept_rows import FOLDER, KeptRows
from rosenblatt.learning.label_codes import examples_of
from rosenblatt.learning.learn import Learned, LearnedNumbers, by_code, learn_classes, learn_from
from rosenblatt.learning.learners import Recipe

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
RowsRead = Callable[[int], None]
Batches = Callable[[], Iterator[Dataset]]  # the same batches at every call


def refuse_no_stream(recipe: Recipe) -> None:
    """Refuses learners that keep rows, before anything is read."""
    if recipe.with_kernel:
        raise SettingError("A kernel keeps the rows that it has learned from in memory: train another learner to stream.")
    if recipe.votes or recipe.keep_log:
        what = "voted keeps" if recipe.votes else "--keep-log (keep_log=True) keeps"
        raise SettingError(f"{what} a log of updates with their rows in memory: a stream has none. Leave it out.")


@dataclass(frozen=True)
class DiskSource:
    """What is read, and where its rows are held."""

    where: Where
    folder: Path
    options: ReadOptions = field(default_factory=ReadOptions)
    cache: Path | None = None  # a folder that keeps them, in place of the other
    tell: Callable[[str], None] = lambda sentence: None  # called where what is kept is of something else
    watch: RowsRead = lambda rows: None  # called with the number of rows read so far
    holdout: dict[str, Any] | None = None  # keywords of `split`: which rows to measure on

    def rows_on_disk(self, recipe: Recipe) -> Dataset | None:
        """The data, with rows in the folder; None of texts, and of rows to be divided by their length."""
        where, options, folder = self.where, self.options, self.cache or self.folder
        # Where indices start does not matter yet, and to find out takes a look at the whole file.
        anywhere = options if options.zero_based is not None else replace(options, zero_based=True)
        beginning = next(batches_of(where, None, anywhere))
        labels_of(beginning)  # refuses what has none, before all is read
        if beginning.kind == "table":
            split_by = [(self.holdout or {}).get(name) for name in ("group", "after")]
            unused = [name for name in unused_columns(beginning, recipe) if name not in split_by]
            data = table_on_disk(where, options, folder, unused, self.watch)
            return replace(data, rows=replace(data.rows, kept=self.cache is not None))
        if beginning.kind == "sparse" and recipe.map_options("sparse").get("weighting", "counts") == "counts":
            return sparse_on_disk(where, options, folder, self.watch)
        return None


def learn_stream(
    source: DiskSource, recipe: Recipe, dev: Dataset | None = None, watch: Callbacks | None = None
) -> Learned | LearnedNumbers:
    """What `learn_from` gives, from a source that is read in batches and held on disk."""
    refuse_no_stream(recipe)
    if source.cache is not None:
        source = replace(source, cache=source.cache / FOLDER)
    with naming_full_disk(source.cache or source.folder):
        if source.cache is not None:
            return learn_kept(source, source.cache, recipe, dev, watch)
        data, holdout = source.rows_on_disk(recipe), source.holdout
        if data is None:
            batches = partial(batches_of, source.where, None, source.options)
            return learn_batches(batches, recipe, source.folder, dev, watch, holdout)
        if holdout is not None:
            from rosenblatt.data.split_on_disk import split_on_disk

            data, dev = split_on_disk(data, **holdout, folder=source.folder)
        learned = learn_from(data, recipe, dev, watch)
        return replace(learned, notes=(*data.notes, *learned.notes))


@contextmanager
def naming_full_disk(folder: Path) -> Iterator[None]:
    """A disk that is full is named, with the remedy; polars tells the number of the error in words."""
    try:
        yield
    except OSError as problem:
        written = re.search(r"os error ([0-9]+)", str(problem))
        number = int(written[1]) if written and problem.errno is None else problem.errno
        if number not in NO_ROOM:
            raise
        what = f"there is no room for the rows ({os.strerror(number)}): free some, or name another folder (--cache, TMPDIR)."
        raise FileError(what, path=folder) from None


def learn_file(
    where: str | os.PathLike[str],
    recipe: Recipe,
    dev: Dataset | None,
    watch: Callbacks | None,
    settings: dict[str, Any],
) -> Classifier:
    """What `learn(…, stream=True)` gives; settings are keywords of `Recipe` and of `read`, and `cache`."""
    of_reading = [name for name in keywords_of(ReadOptions) if name not in ("sizes", "coded", "training")]
    refuse_unknown("learn", settings, ["cache", *keywords_of(Recipe), *of_reading])
    options = ReadOptions(**{name: value for name, value in settings.items() if name in of_reading})
    recipe = replace(recipe, **{name: value for name, value in settings.items() if name in keywords_of(Recipe)})
    cache = Path(settings["cache"]) if settings.get("cache") is not None else None
    # The files are gone with their folder; what is mapped stays as long as it is used.
    with folder_for_rows() as folder:
        return learn_stream(DiskSource(os.fspath(where), folder, options, cache), recipe, dev, watch).classifier


def learn_kept(source: DiskSource, cache: Path, recipe: Recipe, dev: Dataset | None, watch: Callbacks | None) -> Learned:
    """Learns from rows that an earlier run has kept, or that are kept for the next."""

    def read() -> Dataset:
        data = source.rows_on_disk(recipe)
        if data is None:
            raise SettingError("--cache keeps rows of tables, libsvm files and Vowpal Wabbit's: leave it out.")
        return data

    data, mapping, examples = KeptRows(cache, str(source.where), source.options, recipe, source.tell).prepared(read)
    learned = learn_classes(data, recipe, dev, watch, (mapping, examples))
    return replace(learned, notes=(*data.notes, *learned.notes))


def unused_columns(data: Dataset, recipe: Recipe) -> list[str]:
    """The columns that the recipe leaves out, whatever they hold."""
    options = recipe.map_options("table")
    said = Overrides(options.get("per_column") or {}, only=options.get("only"))
    return [name for name in data.rows.columns if said.of_column(name) in ("drop", "id")]


def learn_batches(
    batches: Batches,
    recipe: Recipe,
    folder: Path,
    dev: Dataset | None = None,
    watch: Callbacks | None = None,
    holdout: dict[str, Any] | None = None,
) -> Learned:
    """Learns from batches of texts, or of rows to be divided by their length, that are read twice.

    Where rows are held out they are counted first, so that it is known which.
    """
    learned_from: Batches = batches
    held_out: Dataset | Examples | None = dev
    if holdout is not None:
        which = rows_to_hold_out(batches, **holdout)
        learned_from = partial(rows_where, batches, which, False)
    first, mapping, classes, codes = first_pass(learned_from, recipe)
    if recipe.learns_numbers(classes[codes]):
        raise SettingError(
            f"The labels of {first.name} are a quantity, and --stream learns quantities from tables only: leave out "
            "--stream, or take each number for a class with --task classes."
        )
    rows = encoded_on_disk(learned_from, mapping, folder, len(codes))
    if holdout is not None:
        measured = partial(rows_where, batches, which, True)
        (folder / "held-out").mkdir()
        codes_of_measured = codes_of(measured, classes)
        own = encoded_on_disk(measured, mapping, folder / "held-out", len(codes_of_measured))
        held_out = Examples(own, codes_of_measured, classes)
    class_weight = by_code(recipe.class_weight, classes)
    examples = examples_of(rows, codes, len(classes), class_weight)
    refuse_beyond_memory(examples.vectors, examples.rows.d)
    prepared = mapping, replace(examples, classes=classes)
    return learn_classes(replace(first, rows=None, labels=None), recipe, held_out, watch, prepared)


def encoded_on_disk(batches: Batches, mapping: FeatureMap, folder: Path, expected: int) -> Rows:
    """So many rows, encoded."""
    writer = RowCacheWriter(folder)
    for data in batches():
        writer.add(mapping.transform(data.rows))
        if writer.rows > expected:
            break
    if writer.rows != expected:
        raise SettingError(f"{data.name} has changed between the two passes over it: let nobody write to it meanwhile.")
    writer.finish(mapping.n_features)
    return checked_rows(open_rows(folder, verify=False))


def rows_to_hold_out(batches: Batches, share: float, seed: int = 0, **by_column: str) -> np.ndarray:
    """Which rows are held out; there is no column to choose them by."""
    if by_column:
        raise SettingError("Rows without columns are held out at random: leave out --group and --after.")
    from rosenblatt.data.split_on_disk import at_random_in_file

    return at_random_in_file(sum(map(len, batches())), share, seed)


def rows_where(batches: Batches, held_out: np.ndarray, wanted: bool) -> Iterator[Dataset]:
    """The rows that are held out, or the others."""
    start = 0
    for data in batches():
        chosen = np.flatnonzero(held_out[start : start + len(data)] == wanted)
        start += len(data)
        if len(chosen):
            yield data.take(chosen)


def codes_of(batches: Batches, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes; others are refused."""
    codes = ArrayWriter(np.int32)
    for data in batches():
        own = codes_among(classes, labels_of(data))
        if (own < 0).any():
            label = str(np.asarray(labels_of(data))[own.argmin()])
            raise LabelError(f"The label {label!r} of {data.name} stands in held-out rows only: hold out a smaller share.")
        codes.add(own)
    return codes.array()


def first_pass(batches: Batches, recipe: Recipe) -> tuple[Dataset, TextMap | NumbersMap, np.ndarray, np.ndarray]:
    """(the first batch, the fitted feature map, the classes, the code of every row)."""
    beginning = next(batches())
    mapping = recipe.feature_map(beginning.kind)
    if not isinstance(mapping, TextMap | NumbersMap) or isinstance(beginning.rows, NamedRows):
        raise SettingError(
            f"{beginning.name}: a stream is made of tables, libsvm files and labelled texts. Leave out --stream: then all "
            "rows are read into memory."
        )
    seen: list[tuple[np.ndarray, int]] = []  # of every batch its classes, and how many rows it has
    places = ArrayWriter(np.int32)  # of every row, among the classes of its batch

    def rows_of_batches() -> Iterator[Any]:
        for data in batches():
            labels = labels_of(data)
            own = classes_of(labels)
            seen.append((own, len(labels)))
            places.add(codes_among(own, labels))
            yield data.rows

    mapping.fit_parts(rows_of_batches())
    every = [label for own, _ in seen for label in own.tolist()]
    texts = is_text(labels_of(beginning))
    classes = text_array(sorted(set(every))) if texts else classes_of(np.concatenate([own for own, _ in seen]))
    if len(classes) < 2:
        raise LabelError(
            f"{beginning.name}: it has 1 class, {classes.tolist()[0]!r}: at least two are needed to tell apart."
        )
    codes, start = places.array(), 0
    for own, height in seen:
        part = slice(start, start := start + height)
        codes[part] = codes_among(classes, own)[codes[part]]
    return beginning, mapping, classes, codes
