"""Data sets known by name: `income`, `mnist`, `20newsgroups`, …; `mnist:test` names a part.

A name is looked up in the folder that ROSENBLATT_DATA names, then in the user's cache, and else downloaded from where its
authors publish it, into the cache. What is downloaded must have the right SHA-256: that of the unpacked content, as mirrors
compress in their own ways.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rosenblatt.data import bundled
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import FileError, SettingError, needs_parts

UCI = "https://archive.ics.uci.edu/static/public"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"

INCOME = ("age", "sector", "education", "marital-status", "occupation", "race", "sex", "hours", "country", "target")
ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
AUTO = ("mpg", "cylinders", "displacement", "horsepower", "weight", "acceleration", "model-year", "origin", "car-name")


@dataclass(frozen=True)
class PublishedFile:
    """One file: its name in the data set's folder, where it is published, and the checksum of its unpacked content."""

    name: str
    url: str | None  # None: nowhere that lasts
    sha256: str
    member: str | None = None  # of the zip archive that the address gives


@dataclass(frozen=True)
class KnownDataset:
    """A data set: for each part its files, the first of which is read; how; and the folder of a part in an archive."""

    parts: Mapping[str, tuple[PublishedFile, ...]]
    options: ReadOptions
    within: Mapping[str, str] = field(default_factory=dict)
    good_above: float | None = None  # a number to predict becomes "good" above this, else "bad"


def _income(name: str, sha256: str) -> tuple[PublishedFile, ...]:
    return (PublishedFile(name, None, sha256),)  # homework of a course, whose pages change every term


def _uci(name: str, archive: str, sha256: str) -> tuple[PublishedFile, ...]:
    return (PublishedFile(name, f"{UCI}/{archive}.zip", sha256, member=name),)


def _libsvm(name: str, sha256: str) -> tuple[PublishedFile, ...]:
    return (PublishedFile(name, f"{LIBSVM}/{name}", sha256),)


def _mnist(part: str, images: str, labels: str) -> tuple[PublishedFile, ...]:
    names = f"{part}-images-idx3-ubyte.gz", f"{part}-labels-idx1-ubyte.gz"
    return tuple(PublishedFile(name, f"{MNIST}/{name}", sha) for name, sha in zip(names, (images, labels), strict=True))


NEWS = PublishedFile(
    "20news-bydate.tar.gz",
    "https://ndownloader.figshare.com/files/5975967",  # where scikit-learn keeps its authors' file
    "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",
)

KNOWN: dict[str, KnownDataset] = {
    "income": KnownDataset(
        {
            "train": _income("income.train.txt.5k", "53541a52949b5474e54d09c20087e54dbaf02a9af741f7245723831775cee1c1"),
            "dev": _income("income.dev.txt", "3c0028fbb3fa1b38fb5ed1557695f73cd604ae1d0140e9d40bd1e766f19cb694"),
        },
        ReadOptions("csv", target="target", header=False, names=INCOME),
    ),
    "adult": KnownDataset(
        {"train": _uci("adult.data", "2/adult", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d")},
        ReadOptions("csv", target="income", header=False, names=ADULT),
    ),
    "auto-mpg": KnownDataset(
        {"train": _uci("auto-mpg.data", "9/auto+mpg", "48b830e11feee5572525f8f1691ddb9d38d3d7b7063edcd8fca672c2a5e17d8d")},
        ReadOptions("blanks", target="mpg", header=False, names=AUTO),
        good_above=25,  # as the lecture's table has it
    ),
    "sms-spam": KnownDataset(
        {
            "train": _uci(
                "SMSSpamCollection",
                "228/sms+spam+collection",
                "7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
            )
        },
        ReadOptions("text"),
    ),
    "20newsgroups": KnownDataset(
        {"train": (NEWS,), "test": (NEWS,)},
        ReadOptions("tar"),
        {"train": "20news-bydate-train", "test": "20news-bydate-test"},
    ),
    "mnist": KnownDataset(
        {
            "train": _mnist(
                "train",
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            ),
            "test": _mnist(
                "t10k",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
        },
        ReadOptions("idx"),
    ),
    "mushrooms": KnownDataset(
        {"train": _libsvm("mushrooms", "b0d855abdc099142ea4fadb3b8c6cea523ce290e12591be1704e5c85d8a4160a")},
        ReadOptions("libsvm"),
    ),
    "a9a": KnownDataset(
        {"train": _libsvm("a9a", "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906")},
        ReadOptions("libsvm", n_features=123),
    ),
}


def known_names() -> list[str]:
    """All names, those that need no file last.

    >>> "income" in known_names(), "iris" in known_names()
    (True, True)
    """
    return [*KNOWN, *bundled.LOADERS]


def split_part(text: str) -> tuple[str, str]:
    """Name and part.

    >>> split_part("mnist:test"), split_part("iris")
    (('mnist', 'test'), ('iris', 'train'))
    """
    name, _, part = text.partition(":")
    return name, part or "train"


def is_known(text: str) -> bool:
    """Is this the name of a data set, with or without a part?"""
    return split_part(text)[0] in known_names()


@needs_parts("Reading this data set")
def open_known(name: str, part: str = "train", *, target: str | int | None = None, unlabelled: str = "refuse") -> Dataset:
    """A data set by name. `part` is train, dev (income) or test (mnist, 20newsgroups).

    `target` overrules the column that the data set is usually asked for. auto-mpg asks, as the lecture does, whether a
    car is good, which is more than 25 miles per gallon; target="mpg" gives the miles themselves. unlabelled="skip" leaves
    out rows that have no value there.
    """
    if name in bundled.LOADERS:
        return bundled.load(name, part, target)
    if name not in KNOWN:
        raise SettingError(f"There is no data set {name!r}: choose one of {', '.join(known_names())}.")
    known = KNOWN[name]
    if part not in known.parts:
        raise SettingError(f"The data set {name} has no part {part!r}: choose one of {', '.join(known.parts)}.")
    # All of them: images are useless without their labels.
    path, *_ = [find_file(name, file, _other_names(name, part, file)) for file in known.parts[part]]
    options = replace(known.options, unlabelled=unlabelled)
    options = options if target is None else replace(options, target=target)
    data = _read(path, options, known.within.get(part))
    labels = data.labels
    if known.good_above is not None and target is None:
        import polars as pl

        assert isinstance(labels, pl.Series)
        labels = pl.Series(labels.name, ["good" if value > known.good_above else "bad" for value in labels])
    name = name if part == "train" else f"{name}:{part}"
    return Dataset(data.kind, data.rows, labels, name, file_columns=data.file_columns, notes=data.notes)


def _other_names(name: str, part: str, file: PublishedFile) -> list[str]:
    # The archive with both parts, or the part alone.
    return [f"20news-bydate-{part}.tar.gz"] if name == "20newsgroups" else [file.name.removesuffix(".gz")]


def _read(path: Path, options: ReadOptions, within: str | None) -> Dataset:
    from rosenblatt.data.formats import tar
    from rosenblatt.data.messages import to_dataset
    from rosenblatt.data.reading import open_source, read_with

    if within is None:
        return read_with(path, options)
    source = open_source(path)
    return to_dataset(list(tar.messages(source, within)), options, source)


def cache_folder() -> Path:
    """Where downloads are kept: $XDG_CACHE_HOME/rosenblatt, or ~/.cache/rosenblatt."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rosenblatt"


def find_file(name: str, file: PublishedFile, others: list[str]) -> Path:
    """The file, from ROSENBLATT_DATA, the cache, or its home, in this order."""
    own = os.environ.get("ROSENBLATT_DATA")
    folders = ([Path(own) / name] if own else []) + [cache_folder() / name]
    for folder in folders:
        for candidate in (file.name, *others):
            if (folder / candidate).is_file():
                return folder / candidate
    place = cache_folder() / name / file.name
    remedy = f"Put the file at {place}, or in {Path(name) / file.name} below the folder that ROSENBLATT_DATA names."
    if file.url is None:
        raise FileError(
            f"the file {file.name} of {name} is not here, and nobody publishes it at a lasting address. Make it from UCI's "
            f"adult data: rosenblatt data {name} (--from adult.data, if you have that file). Or p{remedy[1:]}",
            path=name,
        )
    from rosenblatt.data.download import download

    download(file.url, place, sha256=file.sha256, member=file.member, remedy=remedy)
    return place
