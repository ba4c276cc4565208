"""Worksheets: exercises with blanks, a variant a student, and grading that tells which step went wrong.

A blank knows how it is computed from the blanks before it. So an answer can be compared with the right one, and with the one
that follows from the student's own earlier answers: only the step where the two part is a mistake, the rest is carried on.

>>> sheet = make_worksheet(seed=7, student="ada")
>>> answers = {blank.key: blank.right for blank in sheet.blanks()}
>>> print(sheet.check(answers).sentence())
All 49 answers are right.
>>> sheet.check({**answers, "1a": 99}).slips[0].blank.what
'the activation of point 1'
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from html import unescape
from string import ascii_lowercase

from rosenblatt.errors import DataError, counted

Value = Fraction | str
TOLERANCE = Fraction(1, 200)  # of answers with two decimals
TOO_LONG = re.compile(r"e[-+]?\d{3}|.{60}", re.IGNORECASE)  # 1e999999999 would have a billion digits
SHOWN_MISSING = 12
# A name stands there as `shlex.quote` writes it; more digits than these are no number for Python.
COMMAND = re.compile(
    r"""rosenblatt worksheet --seed ([0-9]{1,4000})(?![0-9])(?: --student ((?:[^\s'"`<]|'[^'\n]*'|"'")+))?"""
)
FILLED = re.compile(r"\b(\d+[a-z]{1,2})\s*[=:]\s*([^\s|<&\\;…`]+)")


class Draw:
    """Choices that a seed and a name fix for good, whatever the version of Python.

    >>> Draw("7 ada").whole(1, 6), Draw("7 ada").whole(1, 6) == Draw("7 ada").whole(1, 6)
    (2, True)
    """

    def __init__(self, name: str):
        self.name, self.count = name, 0

    def whole(self, least: int, most: int) -> int:
        self.count += 1
        digest = hashlib.sha256(f"{self.name} {self.count}".encode()).digest()
        return least + int.from_bytes(digest[:8], "big") % (most - least + 1)

    def one_of(self, choices: Sequence[object]) -> object:
        return choices[self.whole(0, len(choices) - 1)]

    def half(self, most: int) -> Fraction:
        """A multiple of a half between −most and most."""
        return Fraction(self.whole(-2 * most, 2 * most), 2)


@dataclass(frozen=True)
class Blank:
    """A place to fill in: what it asks for, how it follows from the blanks before it, and that in numbers."""

    key: str
    what: str
    compute: Callable[[Mapping[str, Value]], Value]
    right: Value
    working: str = ""


@dataclass
class Exercise:
    """What is asked, as a table of given cells and blanks."""

    title: str
    lecture: str  # the item of LECTURES that it trains
    text: list[str]
    head: list[str]
    rows: list[list[str | Blank]] = field(default_factory=list)

    def blanks(self) -> list[Blank]:
        """In the order in which they follow from each other, which is that of their names."""
        cells = (cell for row in self.rows for cell in row)
        return sorted((cell for cell in cells if isinstance(cell, Blank)), key=lambda blank: (len(blank.key), blank.key))


class Builder:
    """Blanks of one exercise, named 1a, 1b … in the order in which they are asked for."""

    def __init__(self, number: int):
        self.number = number
        self.values: dict[str, Value] = {}

    def ask(self, what: str, compute: Callable[[Mapping[str, Value]], Value], working: str = "") -> Blank:
        right = compute(self.values)
        key = f"{self.number}{letters(len(self.values))}"
        self.values[key] = right
        return Blank(key, what, compute, right, working)


def letters(place: int) -> str:
    """a … z, then aa, ab …

    >>> letters(0), letters(25), letters(26), letters(53)
    ('a', 'z', 'aa', 'bb')
    """
    return ("" if place < 26 else ascii_lowercase[place // 26 - 1]) + ascii_lowercase[place % 26]


@dataclass
class Worksheet:
    """The exercises of one student."""

    seed: int
    student: str
    exercises: list[Exercise]

    @property
    def command(self) -> str:
        """What makes this sheet again."""
        plain = re.fullmatch(r"[\w.-]+", self.student)
        name = f" --student {self.student if plain else shlex.quote(self.student)}" if self.student else ""
        return f"rosenblatt worksheet --seed {self.seed}{name}"

    def blanks(self) -> Iterator[Blank]:
        for exercise in self.exercises:
            yield from exercise.blanks()

    def check(self, answers: Mapping[str, object]) -> Grading:
        """Compares answers, by the names of their blanks, with the right ones and with what the earlier ones lead to."""
        known = {blank.key for blank in self.blanks()}
        if unknown := [key for key in answers if key not in known]:
            raise DataError(f"There is no blank {unknown[0]} on this sheet: its blanks are {', '.join(sorted(known)[:3])} …")
        verdicts = []
        for exercise in self.exercises:
            own: dict[str, Value] = {}
            for blank in exercise.blanks():
                given = read_answer(answers.get(blank.key))
                verdicts.append(GradedAnswer(blank, given, judge(blank, given, own)))
                own[blank.key] = (
                    blank.right if given is None or isinstance(given, str) != isinstance(blank.right, str) else given
                )
        return Grading(verdicts)


@dataclass(frozen=True)
class GradedAnswer:
    """An answer: right, missing, wrong, or carried on: computed correctly from an earlier mistake."""

    blank: Blank
    given: Value | None
    kind: str


@dataclass
class Grading:
    """The verdicts on a sheet."""

    verdicts: list[GradedAnswer]

    def of_kind(self, kind: str) -> list[GradedAnswer]:
        return [verdict for verdict in self.verdicts if verdict.kind == kind]

    @property
    def slips(self) -> list[GradedAnswer]:
        """The steps that went wrong."""
        return self.of_kind("wrong")

    @property
    def points(self) -> int:
        """Right answers, and those that were computed correctly from an earlier mistake."""
        return len(self.verdicts) - len(self.slips) - len(self.of_kind("missing"))

    def sentence(self) -> str:
        total = len(self.verdicts)
        if self.points == total and not self.of_kind("carried on"):
            return f"All {total} answers are right."
        parts = [f"{len(self.of_kind('right'))} of {total} answers are right"]
        told = {"wrong": "wrong", "carried on": "computed correctly from an earlier mistake", "missing": "missing"}
        for kind, words in told.items():
            if found := len(self.of_kind(kind)):
                parts.append(f"{found} {words}")
        return ", ".join(parts) + "."

    def lines(self, answers: bool = False) -> list[str]:
        """What went wrong, a line a step; with `answers` also what would be right."""
        lines = []
        for verdict in self.slips:
            right = f"; right is {solution(verdict.blank)}" if answers else ""
            lines.append(f"{verdict.blank.key}, {verdict.blank.what}: {shown(verdict.given)} is wrong{right}")
        if carried := self.of_kind("carried on"):
            named = ", ".join(verdict.blank.key for verdict in carried)
            lines.append(f"{named}: computed correctly from an earlier mistake")
        if missing := self.of_kind("missing"):
            keys = [verdict.blank.key for verdict in missing]
            listed = ", ".join(keys[:SHOWN_MISSING]) + (" …" if len(keys) > SHOWN_MISSING else "")
            lines.append(f"{counted(len(missing), 'blank')} left empty: {listed}")
        return lines


def judge(blank: Blank, given: Value | None, own: Mapping[str, Value]) -> str:
    if given is None:
        return "missing"
    if agree(given, blank.right):
        return "right"
    try:
        follows = blank.compute(own)
    except (ZeroDivisionError, KeyError):  # of answers that lead nowhere
        return "wrong"
    if not agree(given, follows):
        return "wrong"
    return "right" if agree(follows, blank.right) else "carried on"  # right: who rounds at every step


def agree(given: Value, right: Value) -> bool:
    """Are they the same, to two decimals?"""
    if isinstance(given, str) or isinstance(right, str):
        return str(given).casefold() == str(right).casefold()
    return abs(given - right) <= TOLERANCE + abs(right) / 1000


def read_answer(answer: object) -> Value | None:
    """A number as people write it, or a word; None where there is nothing.

    >>> read_answer("−0,5"), read_answer("3/4"), read_answer(" Yes "), read_answer("____")
    (Fraction(-1, 2), Fraction(3, 4), 'yes', None)
    """
    text = str("" if answer is None else answer).strip().strip("_`*$").replace("−", "-")
    if not text:
        return None
    with suppress(ValueError, ZeroDivisionError):
        if not TOO_LONG.search(text):
            return Fraction(text.replace(",", "."))
    return {"y": "yes", "n": "no", "true": "yes", "false": "no"}.get(text.casefold(), text.casefold())


def shown(value: Value | None) -> str:
    """A value as an answer is written: at most two decimals.

    >>> shown(Fraction(5, 2)), shown(Fraction(-1, 3)), shown("yes")
    ('2.5', '−0.33', 'yes')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return f"{float(round(value, 2)):g}".replace("-", "−")


def solution(blank: Blank) -> str:
    """The right answer, and the arithmetic that leads to it. No line of it reads as an answer, `1a = …` or `1a: …`."""
    return shown(blank.right) + (f" ({blank.working})" if blank.working else "")


def read_filled(text: str) -> dict[str, str]:
    """The answers in a sheet that was filled in, or in lines such as `1a = 0.5`; blanks that stayed blank are left out.

    >>> read_filled("| 1a = 0,5 | 1b = yes, | 1c = ____ |")
    {'1a': '0,5', '1b': 'yes'}
    """
    return {key: value.rstrip(",") for key, value in FILLED.findall(text) if value.strip("_,")}


def sheet_of(text: str) -> tuple[int, str] | None:
    """Seed and student of a sheet, which it names itself; None where it does not."""
    is_page = text.lstrip()[:9].lower() == "<!doctype"
    command = COMMAND.search(unescape(text) if is_page else text)
    return None if command is None else (int(command[1]), "".join(shlex.split(command[2] or "")))


def make_worksheet(seed: int, student: str = "") -> Worksheet:
    """The sheet of a seed; every student has other numbers."""
    from rosenblatt.studies.exercises import EXERCISES

    draw = Draw(f"{seed} {student}")
    return Worksheet(seed, student, [make(Builder(number), draw) for number, make in enumerate(EXERCISES, start=1)])
