"""What can go wrong, drawn as a tree; and how messages tell counts, shares and texts that come from data.

RosenblattError
├── SettingError (ValueError)        a parameter that cannot be: C = -1
│   ├── KernelError                  a kernel that raises, or gives a wrong shape or numbers that no kernel can have
│   └── MissingPartError (ImportError)   a package that is not installed; names the command that installs it
├── DataError (ValueError)           rows or labels that cannot be learned from
│   ├── NotFiniteError               nan or infinity, or numbers that overflow or underflow; names row and column
│   ├── LabelError                   labels: one class only, unknown, missing
│   └── FileError                    a file that cannot be read; names path, line and column
│       ├── NoRowsError              a table of names and no rows
│       └── TargetError              the column to predict was named, and is not there: a SettingError, too
├── DivergenceError (ValueError)     the weights grew beyond all bounds; `.training` keeps the last good epoch
├── ModelFileError (ValueError)      a model file that is missing, damaged, foreign or too new, or cannot hold its content
├── WorkerError (RuntimeError)       processes, or a cluster, that learn from shards gave no answer
├── SaveError (OSError)              a file that could not be written: full disk, no permission; the old one is untouched
└── UncompiledWarning (a warning)    the compiled core is missing: right results, slowly
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def counted(number: int, noun: str) -> str:
    """A number of things, for messages.

    >>> counted(1, "row"), counted(5000, "row"), counted(2, "class")
    ('1 row', '5,000 rows', '2 classes')
    """
    return f"{number:,} {noun}{('es' if noun.endswith('s') else 's') * (number != 1)}"


def percent(share: float) -> str:
    """A share, for messages.

    >>> percent(0.146)
    '14.60 %'
    """
    return f"{100 * share:.2f} %"


def amount(value: float) -> str:
    """A number in the units of a target.

    >>> amount(1234567.891), amount(23.51457), amount(0.000123)
    ('1,234,568', '23.51', '0.000123')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


# Characters that act on a terminal or a page instead of being seen, beside the controls up to 0x1F: those of C1, marks that
# turn the direction of writing, separators of lines, halves of surrogate pairs and other non-characters.
HIDDEN_CHARACTERS = frozenset(
    {0x7F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF}.union(
        range(0x80, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000)
    )
)
_ESCAPES = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in {*range(32), *HIDDEN_CHARACTERS}}
_LINE_ESCAPES = {code: escape for code, escape in _ESCAPES.items() if chr(code) not in "\n\t"}


def visible(text: str, lines: bool = False) -> str:
    """A text in which every character that would act on a terminal is an escape; `lines` keep their breaks and tabs.

    >>> print(visible("red\\x1b[31m, beep\\a, \\u202eback\\n"))
    red\\x1b[31m, beep\\x07, \\u202eback\\x0a
    """
    return text.translate(_LINE_ESCAPES if lines else _ESCAPES)


def as_argument(path: str) -> str:
    """The name of a file where a command has it among its options.

    >>> as_argument("-rows.csv"), as_argument("rows.csv"), as_argument("-")
    ('./-rows.csv', 'rows.csv', '-')
    """
    return f"./{path}" if path.startswith("-") and path != "-" else path


class RosenblattError(Exception):
    """Anything that rosenblatt refuses to do."""


class SettingError(RosenblattError, ValueError):
    """A parameter has a value that it cannot have."""


class KernelError(SettingError):
    """A kernel raised, gave a matrix of the wrong shape, or numbers that are not finite or not a squared length."""


class MissingPartError(SettingError, ImportError):
    """A package that this door needs is not installed."""


# Packages that an environment may lack, and what installs each.
PARTS = {
    **{name: name for name in ("clarabel", "click", "fastexcel", "polars", "zstandard")},
    **dict.fromkeys(("jinja2", "markupsafe", "matplotlib"), "'rosenblatt[show]'"),
    **dict.fromkeys(("dask", "distributed", "fsspec"), "'rosenblatt[dask]'"),
    **dict.fromkeys(("anywidget", "traitlets"), "'rosenblatt[widget]'"),
    **dict.fromkeys(("starlette", "uvicorn", "anyio", "h11"), "'rosenblatt[play]'"),
}


@contextmanager
def needs_parts(what: str) -> Iterator[None]:
    """Where `what` cannot go on because a package is missing, the error names the command that installs it.

    >>> with needs_parts("A report"):
    ...     raise ModuleNotFoundError(name="jinja2")
    Traceback (most recent call last):
    rosenblatt.errors.MissingPartError: A report needs jinja2: pip install 'rosenblatt[show]'.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        part = (problem.name or "").partition(".")[0]
        if part not in PARTS:
            raise
        raise MissingPartError(f"{what} needs {part}: pip install {PARTS[part]}.") from None


class DataError(RosenblattError, ValueError):
    """The rows or labels cannot be learned from."""


class NotFiniteError(DataError):
    """A number in the data is not finite, or too large or too small to compute with."""

    def __init__(self, message: str, row: int | None = None, column: int | None = None):
        super().__init__(message)
        self.row = row
        self.column = column


class LabelError(DataError):
    """The labels cannot be learned or compared."""


class FileError(DataError):
    """A file is missing, damaged, or not what it should be.

    >>> str(FileError("9 cells, the header has 10.", path="dev.csv", line=17))
    'dev.csv, line 17: 9 cells, the header has 10.'
    """

    def __init__(self, what: str, *, path: Any = None, line: int | None = None, column: int | str | None = None) -> None:
        place = [] if path is None else [str(path)]
        place += [] if line is None else [f"line {line:,}"]
        place += [] if column is None else [f"column {column!r}"]
        super().__init__(f"{', '.join(place)}: {what}" if place else what)
        self.path = path
        self.line = line
        self.column = column


class NoRowsError(FileError):
    """A table has names, and no rows."""


class TargetError(FileError, SettingError):
    """The column to predict is not in the file, though its name was given."""


class DivergenceError(RosenblattError, ValueError):
    """The weights overflowed; `training` is the state after the last epoch in which they had not."""

    def __init__(self, message: str, training: Any = None):
        super().__init__(message)
        self.training = training


class ModelFileError(RosenblattError, ValueError):
    """A file is not a whole and readable model, or what is to be saved does not fit in one."""


class WorkerError(RosenblattError, RuntimeError):
    """Processes that learn from shards have ended, or a cluster has gone, without an answer."""


class SaveError(RosenblattError, OSError):
    """A file could not be written; what was there before is still there."""


class UncompiledWarning(UserWarning):
    """The core runs as plain Python: the same results, some hundred times slower."""


def is_interrupt(problem: BaseException | None) -> bool:
    """Is it Ctrl-C, or what Python makes of one that comes while a class is being made?

    >>> try:
    ...     try:
    ...         raise KeyboardInterrupt
    ...     except KeyboardInterrupt as interrupt:
    ...         raise RuntimeError("Error calling __set_name__") from interrupt
    ... except RuntimeError as problem:
    ...     print(is_interrupt(problem), is_interrupt(RuntimeError("a bug")))
    True False
    """
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__
    return problem is not None
