"""rosenblatt worksheet: exercises to print, a variant a student, and their grading."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli import echo, options, output
from rosenblatt.cli.types import NOT_EMPTY
from rosenblatt.errors import DataError, FileError, visible

ENDINGS = {".html": "html", ".htm": "html", ".md": "md", ".tex": "tex"}
MOST_STUDENTS = 10_000
MOST_LETTERS = 2_000_000  # of a sheet or a list of names
NAME_BYTES = 150  # of a student's name, which is part of a file's


@dataclass(frozen=True, kw_only=True)
class WorksheetOptions(options.PrintingOptions):
    """The options of `worksheet`."""

    seed: int | None
    student: str | None
    students: str | None
    answers: bool
    check: str | None
    output: str | None


@click.command()
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Which sheet; the same seed gives the same numbers (0).")
@click.option("--student", metavar="NAME", help="A variant for this student.")
@click.option(
    "--students", type=NOT_EMPTY, metavar="N|FILE", help="One for each of N, or of the names in FILE, a line each."
)
@click.option("--answers", is_flag=True, help="With the answers and the arithmetic that leads to them.")
@click.option(
    "--check",
    type=NOT_EMPTY,
    metavar="FILE",
    help="Grade a sheet that was filled in, or lines such as `1a = 0.5`; `-` for standard input.",
)
@click.option(
    "-o", "--output", type=options.WRITTEN, metavar="FILE",
    help="The sheet: .html, .md or .tex; with --students a file each, sheet-NAME.md. Else Markdown to standard output.",
)  # fmt: skip
@options.as_json
@options.quiet
def worksheet(**values: Any) -> None:
    """Make exercises on paper: walks with blanks, margins, bounds, votes; or grade them.

    Everything can be computed by hand. --check tells which step went wrong; what was computed correctly from an earlier
    mistake costs no points.

    \b
    rosenblatt worksheet --seed 7 -o sheet.html
    rosenblatt worksheet --seed 7 --students roster.txt -o sheets/week3.md
    rosenblatt worksheet --check week3-ada.md
    """
    chosen = WorksheetOptions(**values)
    if chosen.student and chosen.students:
        raise click.UsageError("--student is one of --students: give one of them.")
    if chosen.student and (why := unfit(chosen.student)):
        raise click.UsageError(f"--student {chosen.student!r} {why}.")
    if chosen.check is not None:
        options.refuse_useless(["students", "output"], "beside --check")
        check_sheet(chosen)
    else:
        write_sheets(chosen)


def write_sheets(chosen: WorksheetOptions) -> None:
    from rosenblatt.show.worksheet import WRITERS
    from rosenblatt.studies.worksheet import make_worksheet

    output.refuse_two_results(chosen.output)
    path = Path(chosen.output) if chosen.output not in (None, "-") else None
    if path is not None and path.suffix not in ENDINGS:
        raise click.UsageError(
            f"-o {chosen.output}: a sheet is written as {', '.join(ENDINGS)}; choose one of these endings."
        )
    options.refuse_missing_folder(chosen.output)
    write = WRITERS["md" if path is None else ENDINGS[path.suffix]]
    seed = chosen.seed or 0
    if chosen.students is None:
        sheets = {path: [make_worksheet(seed, chosen.student or "")]}
    else:
        if path is None:
            raise click.UsageError("--students writes a file each: say where, as -o sheets/week3.md.")
        names = students_of(chosen.students)
        sheets = {path.with_stem(f"{path.stem}-{file_name(name)}"): [make_worksheet(seed, name)] for name in names}
    for file, sheet in sheets.items():
        with output.writing(None if file is None else str(file)) as stream:
            stream.write(write(sheet, chosen.answers).encode())
    if chosen.as_json:
        output.print_json(
            {"files": [str(file) for file in sheets], "blanks": len(list(next(iter(sheets.values()))[0].blanks()))}
        )
    elif path is not None and not chosen.quiet:
        written = str(path) if len(sheets) == 1 else f"{len(sheets):,} sheets, {next(iter(sheets))} and so on"
        echo(f"{written}; next: rosenblatt worksheet --check FILE", err=True)


def students_of(text: str) -> list[str]:
    """The names in a file, a line each; or as many numbers as are asked for."""
    if text.isascii() and text.isdigit():
        if len(text) > len(str(MOST_STUDENTS)) or not 1 <= int(text) <= MOST_STUDENTS:
            raise click.UsageError(f"--students {text}: expected a number from 1 to {MOST_STUDENTS:,}, or a file of names.")
        return [f"{number:0{len(text)}d}" for number in range(1, int(text) + 1)]
    try:
        lines = read_text(text).splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(
            f"the names cannot be read: {reason_of(problem)}; give a text file with a name a line, or a number", path=text
        ) from None
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise DataError(f"{text} has no names: write one a line.")
    if len(names) > MOST_STUDENTS:
        raise DataError(f"{text} has {len(names):,} names: at most {MOST_STUDENTS:,} sheets are written at a time.")
    for name in names:
        if why := unfit(name):
            raise DataError(f"{text}: the name {name!r:.60} {why}.")
    times = Counter(map(file_name, names))
    if twice := [name for name in names if times[file_name(name)] > 1]:
        raise DataError(f"{text} has the name {twice[0]!r} twice, or two that a file name cannot tell apart: change one.")
    return names


def unfit(student: str) -> str | None:
    """Why no sheet can bear this name; None if one can.

    >>> unfit("Zoë O'Brien"), unfit("red\\x1b[31m")
    (None, 'has characters that cannot be seen: leave them out')
    """
    if visible(student) != student:
        return "has characters that cannot be seen: leave them out"
    if len(student.encode()) > NAME_BYTES:
        return f"is longer than {NAME_BYTES} bytes: shorten it"
    return None


def read_text(path: str) -> str:
    """The text of a file that people have written: whatever comes after some millions of letters is none."""
    with open(path, encoding="utf-8") as file:
        return file.read(MOST_LETTERS)


def read_input() -> str:
    """The text of standard input, up to some millions of letters."""
    if sys.stdin is None:
        raise FileError("it is closed: name a file, or send the answers through a pipe.", path="standard input")
    return sys.stdin.read(MOST_LETTERS)


def reason_of(problem: OSError | UnicodeDecodeError) -> str:
    return problem.strerror or str(problem) if isinstance(problem, OSError) else "it is not UTF-8, save it as such"


def file_name(student: str) -> str:
    """A name as part of a file's."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in student)


def check_sheet(chosen: WorksheetOptions) -> None:
    from rosenblatt.studies.worksheet import make_worksheet, read_filled, sheet_of

    assert chosen.check is not None
    try:
        text = read_input() if chosen.check == "-" else read_text(chosen.check)
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"the answers cannot be read: {reason_of(problem)}", path=chosen.check) from None
    named = sheet_of(text)
    if named is None and chosen.seed is None:
        raise DataError(
            f"{chosen.check} does not say which sheet it answers: give its --seed (and --student), which stand on the sheet."
        )
    seed, student = named or (0, "")
    sheet = make_worksheet(
        seed if chosen.seed is None else chosen.seed, student if chosen.student is None else chosen.student
    )
    answers = read_filled(text)
    if not answers:
        raise DataError(f"{chosen.check} has no answers: write them as `1a = 0.5`, in the sheet or a line each.")
    grading = sheet.check(answers)
    if chosen.as_json:
        output.print_json(
            {
                "seed": sheet.seed,
                "student": sheet.student,
                "points": grading.points,
                "of": len(grading.verdicts),
                "verdicts": {verdict.blank.key: verdict.kind for verdict in grading.verdicts},
                "lines": grading.lines(chosen.answers),
            }
        )
        return
    name = sheet.student or f"Sheet {sheet.seed}"
    echo(f"{name}: {grading.points} of {len(grading.verdicts)} points. {grading.sentence()}")
    for line in grading.lines(chosen.answers):
        echo(f"  {line}")
