"""Encoded rows that are kept for the next run: of the same files, read and encoded in the same way.

What they are of is written beside them, last: whatever else is found is named, and built anew. As with a model file, a right
checksum is no promise: the loop trusts what it is given, so all of it is verified first.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import features
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.locking import locked
from rosenblatt.data.parts import files_named
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.row_cache import HEAD, open_rows, read_ordinary, refuse_not_ordinary
from rosenblatt.data.source import replacing
from rosenblatt.engine.file_arrays import blocks
from rosenblatt.engine.parameters import Anything, Choice, Flag, Text
from rosenblatt.engine.rows import checked_rows
from rosenblatt.errors import DataError, LabelError
from rosenblatt.features import FOR_KIND, FeatureMap, Notes
from rosenblatt.learning.examples import Examples, labels_of, saved_classes
from rosenblatt.learning.label_codes import examples_of
from rosenblatt.learning.learn import by_code, prepare
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.map_schema import count_features, verify_map
from rosenblatt.learning.model_schema import LABEL_TYPES, verify_labels
from rosenblatt.learning.schema import COUNT, ByName, Either, Label, ListOf, ObjectOf, verify

FOLDER = "rosenblatt-rows"  # in the one that the user names: nothing else there is touched
ABOUT, CODES, LOCK = "about.json", "codes.npy", "lock"
TABLE = ("part-[0-9]*.arrow", "numbers-[0-9]*")  # what is needed until features are made of it
OWN = (
    ABOUT,
    CODES,
    HEAD,
    "records",
    "indices",
    "values",
    "indptr",
    "indices.old",
    "indptr.old",
    *TABLE,
)  # names of our files
UNREADABLE = (
    DataError,
    OSError,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


@dataclass(frozen=True)
class KeptRows:
    """A folder of encoded rows, and what they are to be of."""

    folder: Path
    where: str
    options: ReadOptions
    recipe: Recipe
    tell: Callable[[str], None]

    def prepared(self, read: Callable[[], Dataset]) -> tuple[Dataset, FeatureMap, Examples]:
        """The data without rows, the feature map and the examples: as they were kept, or from what is `read`, and kept.

        One run at a time: others wait until the rows are whole. Whoever builds them anew takes nothing from a run that has
        opened them: files are removed, never written over, and what is mapped stays.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK, lambda: self.tell(f"Another run writes the cache {self.folder}: this one waits.")):
            return self._prepared(read)

    def _prepared(self, read: Callable[[], Dataset]) -> tuple[Dataset, FeatureMap, Examples]:
        other = self._why_not()
        if other is None:
            try:
                return self._opened()
            except UNREADABLE:
                other = "is damaged"
        if other:
            self.tell(f"The cache {self.folder} {other}: it is built anew.")
        self._remove(OWN)
        try:
            data = read()
            mapping, examples = self._kept(data)
        except BaseException:  # also Ctrl-C: half of the rows are of no use, and would fill a disk that is full
            with suppress(OSError):  # Windows removes no file that is open; the next run does
                self._remove(OWN)
            raise
        return replace(data, rows=None), mapping, examples

    def _remove(self, patterns: tuple[str, ...]) -> None:
        for pattern in patterns:
            for file in self.folder.glob(pattern):
                file.unlink()

    def _why_not(self) -> str | None:
        """In what way the folder is not of these rows; empty where it is of none, None where it is."""
        about = self._about()
        if not about:
            return "" if about is None else "is damaged"
        now = self._identity(about["kind"])
        for name, value in now.items():
            if about["of"].get(name) != value:
                return f"is of other {name}"
        return None

    def _about(self) -> dict[str, Any] | None:
        """What is written beside the rows; None where nothing is, empty where it is damaged."""
        if not os.path.lexists(self.folder / ABOUT):
            return None
        try:
            digest, _, text = read_ordinary(self.folder / ABOUT).partition(b"\n")
            if digest.decode("latin-1") != hashlib.sha256(text).hexdigest():
                return {}
            about: dict[str, Any] = json.loads(text)
            verify_about(about)
            return about
        except (DataError, OSError, ValueError, RecursionError):
            return {}

    def _identity(self, kind: str) -> dict[str, Any]:
        """What decides about the encoded rows, as JSON holds it."""
        from rosenblatt import __version__

        chosen = self.recipe.map_options(kind) if kind else {}
        by_trial = "auto" in (chosen.get("numeric"), chosen.get("products"))  # held-out rows decide, and the learner
        reading = asdict(replace(self.options, training=None))
        identity = {
            "versions of rosenblatt": __version__,
            "files": [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in input_files(self.where)],
            "options of reading": reading,
            "features": chosen,
            "settings, with which features were chosen": self.recipe.to_json() if by_trial else None,
        }
        return json.loads(json.dumps(identity, default=list))  # type: ignore[no-any-return]

    def _kept(self, data: Dataset) -> tuple[FeatureMap, Examples]:
        """Encodes rows that lie in the folder, and keeps what was made of them."""
        if self.recipe.learns_numbers(labels_of(data)):
            raise LabelError(f"The target of {data.name} is a quantity, and --cache keeps rows of classes: leave it out.")
        mapping, examples = prepare(data, self.recipe)
        examples.rows.finer = None
        self._remove(TABLE)
        np.save(self.folder / CODES, examples.codes)
        classes, notes = examples.classes, mapping.notes
        about = {
            "kind": data.kind,
            "of": self._identity(data.kind),
            "map": mapping.to_json(),
            "labels": classes.tolist(),
            "label_type": classes.dtype.kind,
            "codes": zlib.crc32(examples.codes.data),
            "target": getattr(data.labels, "name", None),
            "name": data.name,
            "zero_based": data.zero_based,
            "file_columns": data.file_columns,
            "notes": data.notes,
            "missing": [notes.rows, dict(notes.unreadable), dict(notes.undated)],
        }
        text = json.dumps(about).encode()
        with replacing(self.folder / ABOUT) as file:
            file.write(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
        return mapping, examples

    def _opened(self) -> tuple[Dataset, FeatureMap, Examples]:
        """What an earlier run has kept; damage is found."""
        about = self._about()
        assert about
        mapping = features.from_json(about["map"])
        missing, unreadable, undated = about["missing"]
        mapping.notes = Notes(missing, unreadable=unreadable, undated=undated)
        classes = saved_classes(about["labels"], about["label_type"])
        refuse_not_ordinary(self.folder / CODES)
        codes = np.load(self.folder / CODES, mmap_mode="r")
        if zlib.crc32(codes.data) != about["codes"] or not are_codes(codes, len(classes)):
            raise DataError(f"The classes in {self.folder / CODES} are not those that were written.")
        class_weight = by_code(self.recipe.class_weight, classes)
        rows = checked_rows(open_rows(self.folder))
        if rows.d != mapping.n_features:
            raise DataError(f"The rows in {self.folder} are not of the features beside them.")
        rows.refuse_not_finite()
        examples = examples_of(rows, codes, len(classes), class_weight)
        columns = about["file_columns"]
        data = Dataset(
            about["kind"],
            None,
            Named(about["target"]),  # type: ignore[arg-type]
            about["name"],
            about["zero_based"],
            file_columns=None if columns is None else tuple(columns),
            notes=tuple(about["notes"]),
        )
        return data, mapping, replace(examples, classes=classes)


def verify_about(about: Any) -> None:
    """Refuses what no run has written about its rows."""
    verify("cache", about, ABOUT_ROWS)
    verify_map(about["map"], about["kind"])
    verify_labels(about["labels"], about["label_type"], may_have_grown=False)
    count_features(about["map"], most=MOST_FEATURES)
    rows, unreadable, undated = about["missing"]
    verify("missing", rows, COUNT)
    for counts in (unreadable, undated):
        verify("missing", counts, ByName(Anything()))


def are_codes(codes: np.ndarray, classes: int) -> bool:
    """Is each of them the place of a class?"""
    if codes.dtype != np.int32 or codes.ndim != 1:
        return False
    return all(codes[part].min() >= 0 and codes[part].max() < classes for part in blocks(len(codes)))


@dataclass(frozen=True)
class Named:
    """Labels of which only the name of their column is known."""

    name: str


def input_files(where: str) -> list[Path]:
    """The files of a path: itself, those of a pattern, or those in a folder."""
    paths = [Path(os.path.abspath(name)) for name in files_named(where)]
    return sorted(file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file())


MOST_FEATURES = 2**40  # of a map in memory; rows with another number of columns are refused
ABOUT_ROWS = ObjectOf(
    {
        "kind": Choice(tuple(FOR_KIND)),
        "of": ByName(Anything()),
        "map": Anything(),  # `verify_map`
        "labels": ListOf(Label(), least=2),
        "label_type": Choice(tuple(LABEL_TYPES)),
        "codes": COUNT,
        "target": Text(optional=True),
        "name": Text(),
        "zero_based": Flag(optional=True),
        "file_columns": Either(list=ListOf(Text()), nothing=True),
        "notes": ListOf(Text()),
        "missing": ListOf(Anything(), 3, 3),
    }
)
