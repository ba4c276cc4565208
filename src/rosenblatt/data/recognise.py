"""Which format a source has: from what is in it first, from its name second.

The rules, in order; the first that holds decides.

1. The first bytes: Parquet, Arrow, idx and tar say what they are.
2. Lines of `number index:value …` are libsvm.
3. Lines of `label TAB sentence`, with labels that repeat, are labelled text, unless something was said about columns.
4. The delimiter (TAB ; , |) that cuts every line into the same number of cells, and into more than one.
5. Blanks, if they do.
6. What the name says; else the delimiter that is most frequent in the first line.
"""

from __future__ import annotations

import csv
import re

from rosenblatt.data.options import Options
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError

LINES = 200  # looked at
LIBSVM_LINE = re.compile(r"[-+]?[0-9.]\S*(\s+[^\s:]+:\S*)+\s*$")
CELL = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|(\S+)')
DELIMITERS = "\t;,|"
BY_NAME = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow", ".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm",
    ".tar": "tar", ".tgz": "tar",
}  # fmt: skip


def recognise(source: Source, options: Options) -> str:
    """The format of a source, one of options.FORMATS."""
    if not source.head:
        raise FileError("the file is empty.", path=source.name)
    if options.format is not None:
        return options.format
    found = _by_magic(source.head) or (_by_lines(source, options) if not _is_binary(source.head) else None)
    return found or BY_NAME.get(source.suffix, "csv")


def _by_magic(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if head[257:262] == b"ustar":
        return "tar"
    if head[:2] == b"\0\0" and head[2:3] in b"\x08\x09\x0b\x0c\x0d\x0e" and head[3:4] in b"\x01\x02\x03\x04":
        return "idx"
    return None


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or head.startswith((b"\xff\xfe", b"\xfe\xff"))


def sample(source: Source) -> list[str]:
    """The first lines that are whole and not empty."""
    lines = source.head.decode("utf-8-sig", "replace").splitlines()
    if not source.complete and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line.strip()][:LINES]


def _by_lines(source: Source, options: Options) -> str | None:
    lines = sample(source)
    data = [line.split("#", 1)[0] for line in lines]
    data = [line for line in data if line.strip()]
    said_nothing = options.target is None and options.header and options.names is None and options.delimiter is None
    # A row without entries is a bare label, and a damaged line may be any: the first with a colon decides.
    first = next((line for line in data if ":" in line), "")
    if options.delimiter is None and LIBSVM_LINE.match(first):
        return "libsvm"
    if said_nothing and source.suffix not in (".csv", ".tsv", ".tab") and _is_labelled_text(lines):
        return "text"
    if options.delimiter is not None:
        return "blanks" if options.delimiter == " " else "csv"
    if BY_NAME.get(source.suffix, "csv") in ("csv", "tsv") and _blanks_are_better(lines, source.suffix):
        return "blanks"
    return None


def _is_labelled_text(lines: list[str]) -> bool:
    pairs = [line.partition("\t") for line in lines]
    if not pairs or not all(tab for _, tab, _ in pairs):
        return False
    labels = {label for label, _, _ in pairs}
    sentences = sum(" " in text.strip() and "\t" not in text for _, _, text in pairs)
    repeated = len(labels) <= len(pairs) / 2 or len(pairs) < 4
    return sentences > len(pairs) / 2 and repeated and not any("  " in label for label in labels)


def _blanks_are_better(lines: list[str], suffix: str) -> bool:
    if suffix in BY_NAME:
        return False
    counts = {len(cells_between_blanks(line)) for line in lines}
    if len(counts) != 1 or counts == {1}:
        return False
    delimiter = consistent_delimiter(lines)
    # A tab may stand among the blanks (auto-mpg.data has one in front of the name).
    aligned = any("  " in line for line in lines)
    return delimiter is None or (delimiter == "\t" and aligned and counts.pop() > cell_count(lines[0], "\t"))


def cells_between_blanks(line: str) -> list[str]:
    """The cells of a line whose columns stand apart by blanks; quotes keep blanks together.

    >>> cells_between_blanks('18.0   8   ?  "chevrolet chevelle malibu"')
    ['18.0', '8', '?', 'chevrolet chevelle malibu']
    """
    return [match[1].replace('""', '"') if match[2] is None else match[2] for match in CELL.finditer(line)]


def cell_count(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter != "\t"), []))
    except csv.Error:
        return 0


def consistent_delimiter(lines: list[str]) -> str | None:
    """The delimiter that cuts all lines into equally many cells, more than one; None if there is none.

    >>> consistent_delimiter(["name;price", "pear;1,50", "plum;2,00"])
    ';'
    """
    for delimiter in DELIMITERS:
        if any(delimiter in line for line in lines[:1]):
            try:
                counts = {len(cells) for cells in csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")}
            except csv.Error:
                continue
            if len(counts) == 1 and counts != {1}:
                return delimiter
    return None


def choose_delimiter(source: Source, options: Options, format: str) -> str:
    """The delimiter of a table whose format is csv or tsv."""
    lines = sample(source)
    if options.delimiter is not None:
        other = consistent_delimiter(lines)
        if lines and options.delimiter not in lines[0] and other:
            what = f"{options.delimiter!r} occurs nowhere in the first line, {other!r} does: pass delimiter={other!r}."
            raise FileError(what, path=source.name, line=1)
        return options.delimiter
    if format == "tsv" or source.suffix in (".tsv", ".tab"):
        return "\t"
    found = consistent_delimiter(lines)
    if found is not None or not lines:
        return found or ","
    return max(",;\t|", key=lines[0].count) if any(d in lines[0] for d in DELIMITERS) else ","
