"""What a column of a raw table holds: decided from its values, told to the user, kept by the model.

    number      also with thousands marks, a decimal comma, a currency … (numbers.py)
    category    texts that repeat
    code        digits that are names: leading zeros, zip, phone
    boolean     yes and no, true and false …
    date        dates and times (dates.py)
    text        sentences: each word is a feature
    id          different in nearly every row: left out
    constant    the same in every row: left out

A sample decides, and all rows are asked. A value that does not fit its kind is missing, and counted.

>>> import polars as pl
>>> table = pl.DataFrame({"age": ["39", "NULL"], "zip": ["01234", "99999"], "since": ["13.2.23", "-"]})
>>> for reading in decide(table):
...     print(f"{reading.name}: {reading.kind}, {reading.why}")
age: number, missing: NULL
zip: code, digits with leading zeros
since: date, d.m.y, missing: -
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rosenblatt.data.columns.reading import ColumnReading, is_marked, is_text, without_marks
from rosenblatt.data.table import is_enum, used_categories
from rosenblatt.errors import SettingError, as_argument

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.columns.dates import DateFormat
    from rosenblatt.data.columns.numbers import NumberFormat

KINDS = ("number", "category", "both", "code", "date", "text", "boolean", "id", "drop")

SAMPLE = 2000  # values that decide
LEAST_FOR_ID, LEAST_FOR_NAMED_ID = 20, 5  # rows; fewer where the name says so
ID_SHARE = 0.95  # of the values differ
TEXT_WORDS, TEXT_SHARE = 3.0, 0.5  # words in a value on average, and how many of the values differ
LONG_TEXT_WORDS, LONG_TEXT_SHARE = 6.0, 0.1
# In a column of numbers or dates, words that mean "not known"; others too, if they are few in rows and in spellings.
UNKNOWN = ("unknown", "unk", "missing", "not available", "not applicable", "n.a.", "n.a", "nil", "tbd", "tba", "void")
MOST_OTHER_ROWS, MOST_OTHER_WORDS = 0.05, 5
MARKS_TOLD = 5

# Words in the name of a column.
ID_NAMES = {"id", "ids", "uuid", "guid", "key", "index", "idx", "rownum", "row", "nr", "no", "record", "hash"}
CODE_NAMES = {
    "zip",
    "zipcode",
    "plz",
    "postcode",
    "postal",
    "phone",
    "telephone",
    "tel",
    "fax",
    "mobile",
    "isbn",
    "ssn",
    "ean",
}
TIME_NAMES = {"time", "date", "datetime", "timestamp", "ts", "epoch", "created", "updated", "modified", "at", "when"}
EPOCHS = (631_152_000, 2_524_608_000)  # 1990 to 2050, in seconds
DAYS = (19_000_101, 21_001_231)  # written as 20240131
TRUTHS = [
    set(pair.split()) for pair in ("true false", "yes no", "y n", "t f", "on off", "ja nein", "j n", "oui non", "si no")
]


@dataclass(frozen=True)
class Overrides:
    """What the user says about the columns of a table."""

    kinds: Mapping[str, str] = field(default_factory=dict)  # "number", "date:%d/%m/%Y", "number:1.234,5" …
    missing: Sequence[str] = ()  # further marks
    only: Sequence[str] | None = None  # the columns to use

    def refuse_unknown(self, columns: Sequence[str]) -> None:
        """Refuses names that are no columns."""
        known = set(columns)
        for setting, names in (("per_column", self.kinds), ("only", self.only or ())):
            if unknown := [name for name in names if name not in known]:
                listed = ", ".join(map(repr, columns[:10])) + (f" and {len(columns) - 10} more" if len(columns) > 10 else "")
                raise SettingError(f"{setting} names {', '.join(map(repr, unknown))}, but the columns are {listed}.")

    def of_column(self, name: str) -> str:
        """What is said of one; empty where nothing is."""
        return "drop" if self.only is not None and name not in self.only else self.kinds.get(name, "")


def refuse_wrong_kind(name: str, kind: str) -> None:
    """Refuses a kind that there is not, in the words that `--column NAME=KIND` takes."""
    word, colon, detail = kind.partition(":")
    if word not in KINDS or (colon and word not in ("number", "date")):
        raise SettingError(f"A column cannot be used as {kind!r}: choose one of {', '.join(KINDS)}.")
    if colon and word == "number":
        from rosenblatt.data.columns.numbers import from_example

        if from_example(detail) is None:
            raise SettingError(f"{name}={kind}: show how 1234.5 is written, say number:1.234,5 or number:1,234.5.")
    if colon and word == "date":
        from rosenblatt.data.columns.dates import is_pattern

        if not is_pattern(detail):
            raise SettingError(f"{name}={kind}: show how a date is written, say date:%d/%m/%Y; or date:epoch, in seconds.")


def decide(table: pl.DataFrame, overrides: Overrides | None = None) -> list[ColumnReading]:
    """How each column is to be read."""
    said = overrides or Overrides()
    said.refuse_unknown(table.columns)
    looks = [Look.at(series, said.of_column(series.name), said.missing) for series in table]
    # A column that can be read in two ways is read as the others of its file are.
    comma = any(look.formats and all(one.decimal == "," for one in look.formats) for look in looks)
    orders = [look.dates[0].day_first for look in looks if len(look.dates) == 1]
    day_first = next((order for order in orders if order is not None), None)
    return [look.reading(comma, day_first) for look in looks]


@dataclass
class Look:
    """What the values of a column have in common."""

    name: str
    wanted: str  # by the user: a kind, perhaps with a format
    rows: int
    known: int  # rows that are not missing
    sample: pl.Series  # some of the values
    distinct: int | None = None  # values; None where they clearly repeat
    marks: tuple[str, ...] = ()  # of missing values, as they are written
    others: tuple[str, ...] = ()  # words among numbers or dates that mean "not known", in lower case
    formats: list[NumberFormat] = field(default_factory=list)  # in which all values are numbers, the likeliest first
    dates: list[DateFormat] = field(default_factory=list)  # in which all values are dates, the likeliest first
    is_code: bool = False
    nearly: str = ""  # a value that is no number, where nearly all others are

    @classmethod
    def at(cls, series: pl.Series, wanted: str, missing: Sequence[str]) -> Look:
        """A look at all values, and a longer one at some."""
        values, marks = known_values(series, missing)
        known = len(series) - int(without_marks(series, missing).null_count())
        look = cls(str(series.name), wanted, len(series), known, some_of(values), marks=marks)
        if wanted in ("drop", "id") or not len(values):
            return look
        if is_text(series):
            look.ask_texts(series, values)
        else:
            look.dates = typed_dates(series, values)
        if look.sample.n_unique() > 0.8 * len(look.sample) or look.sample.n_unique() <= 2:
            look.distinct = values.n_unique()
        return look

    def ask_texts(self, series: pl.Series, values: pl.Series) -> None:
        """Are all of these texts numbers, or dates, or digits that are names?"""
        if share(self.sample, r"[0-9]") < 0.5:
            return
        digits = values
        words = values.filter(~values.str.contains("[0-9]"))
        if len(words):
            spellings = words.str.to_lowercase().unique().sort().to_list()
            few = len(spellings) <= MOST_OTHER_WORDS and rows_of(series, spellings) <= MOST_OTHER_ROWS * self.rows
            if not few and not all(word in UNKNOWN for word in spellings):
                return
            self.others, self.marks = tuple(spellings), (*self.marks, *words.unique(maintain_order=True).to_list())
            digits = values.filter(values.str.contains("[0-9]"))
        if share(digits[:SAMPLE], "^0[0-9]+$") > 0 or words_in(self.name) & CODE_NAMES:
            self.is_code = bool(digits.str.contains(r"^[0-9+(][0-9 ()/.+-]*$").all())
        if self.is_code:
            return
        from rosenblatt.data.columns import dates, numbers

        for recognise, name in ((numbers.recognise, "formats"), (dates.recognise, "dates")):
            found = recognise(some_of(digits)) and recognise(digits)
            setattr(self, name, found)
            if found:
                return
        if not self.others and share(digits, numbers.PLAIN) > 1 - MOST_OTHER_ROWS:
            self.nearly = str(digits.filter(~digits.str.contains(numbers.PLAIN))[0])
        self.others = ()

    def reading(self, decimal_comma: bool, day_first: bool | None) -> ColumnReading:
        """What the column is, given how others of its table are written."""
        if self.wanted:
            return self._as_wanted(decimal_comma, day_first)
        if not self.known:
            return self._reading("constant", "empty in every row")
        if self.distinct == 1 and self.known == self.rows > 1:
            return self._reading("constant", f"{shown(self.sample[0])} in every row")
        if self.dates:
            return self._as_date(day_first)
        if self.formats:
            return self._as_number(decimal_comma)
        if not is_text(self.sample):
            return self._of_typed()
        if self.distinct == 2 and set(self.sample.unique().str.to_lowercase().to_list()) in TRUTHS:
            return self._reading("boolean", " or ".join(sorted(self.sample.unique().to_list())))
        if self._is_id():
            return self._reading("id", self._why_id())
        if self.is_code:
            zeros = bool(self.sample.str.contains("^0[0-9]").any())
            return self._reading("code", "digits with leading zeros" if zeros else "a number that is a name")
        words = self.sample.str.count_matches(r"[\p{L}\p{N}]+").mean()
        differ = self.sample.n_unique() / len(self.sample)
        if isinstance(words, float) and (
            (words >= TEXT_WORDS and differ >= TEXT_SHARE) or (words >= LONG_TEXT_WORDS and differ >= LONG_TEXT_SHARE)
        ):
            return self._reading("text", f"sentences of {words:.0f} words on average")
        why = f"{shown(self.nearly)} is no number, nearly all others are: {self._option('number')} takes such as missing"
        return self._reading("category", why if self.nearly else "")

    def _of_typed(self) -> ColumnReading:
        """Of numbers and truth values that are already such."""
        import polars as pl

        if self.sample.dtype == pl.Boolean:
            return self._reading("boolean", "")
        if self.sample.dtype.is_integer():
            if self._is_id() and (words_in(self.name) & ID_NAMES or self._counts_rows()):
                return self._reading("id", self._why_id())
            if words_in(self.name) & CODE_NAMES:
                return self._reading("code", "a number that is a name")
        if self.sample.dtype.is_numeric() or self.sample.dtype == pl.Duration:
            return self._reading("number", "")
        return self._reading("category", "")

    def _is_id(self) -> bool:
        """Are nearly all values different, in a column that is no number?"""
        if self.distinct is None:
            return False
        named = bool(words_in(self.name) & ID_NAMES)
        if self.distinct < ID_SHARE * self.known or self.known < (LEAST_FOR_NAMED_ID if named else LEAST_FOR_ID):
            return False
        if not is_text(self.sample) or named:
            return True
        words = self.sample.str.count_matches(r"[\p{L}\p{N}]+").mean()
        return (isinstance(words, float) and words < TEXT_WORDS) or bool(self.is_code)

    def _counts_rows(self) -> bool:
        """Do whole numbers only count the rows, one after the other?"""
        steps = self.sample[: SAMPLE // 2].diff().drop_nulls()
        return len(steps) > 0 and bool((steps == 1).all())

    def _why_id(self) -> str:
        return "different in every row" if self.distinct == self.known else "different in nearly every row"

    def _as_number(self, decimal_comma: bool) -> ColumnReading:
        like_others = [one for one in self.formats if (one.decimal == ",") == decimal_comma]
        chosen = (like_others if decimal_comma and like_others else self.formats)[0]
        told = [] if chosen.is_plain else [f"written as {chosen.describe()}"]
        if len(self.formats) > 1 and not like_others:
            other = next(one for one in self.formats if one != chosen)
            told.append(f"or as {other.describe()}: {self._option('number:' + other.example())}")
        return self._reading("number", ", ".join(told), number=chosen)

    def _as_date(self, day_first: bool | None) -> ColumnReading:
        like_others = [one for one in self.dates if day_first is not None and one.day_first == day_first]
        chosen = (like_others or self.dates)[0]
        told = chosen.describe()
        if len(self.dates) > 1 and not like_others:
            other = next(one for one in self.dates if one != chosen)
            told += f", or {other.describe()}: nothing decides, {self._option('date:' + other.pattern)}"
        return self._reading("date", told, date=chosen)

    def _as_wanted(self, decimal_comma: bool, day_first: bool | None) -> ColumnReading:
        from rosenblatt.data.columns import dates, numbers

        kind, _, detail = self.wanted.partition(":")
        texts = is_text(self.sample)
        if kind in ("number", "both") and texts and self.known:
            number = numbers.from_example(detail) if detail else None
            if number is None and self.formats:
                number = self._as_number(decimal_comma).number
            return self._reading(kind, "as you say", number=number or numbers.commonest(self.sample), chosen=True)
        if kind == "date":
            date = dates.DateFormat(detail) if detail else None
            if date is None and self.dates:
                date = self._as_date(day_first).date
            date = date or (dates.commonest(self.sample) if texts else None)
            if date is None:
                value = shown(self.sample[0]) if self.known else "an empty column"
                raise SettingError(
                    f"{self.name}: {value} was not understood as a date. Show how it is written, say "
                    f"{self._option('date:%d/%m/%Y')}."
                )
            return self._reading("date", f"{date.describe()}, as you say", date=date, chosen=True)
        return self._reading(kind, "as you say", chosen=True)

    def _option(self, kind: str) -> str:
        return f"--column {as_argument(f'{self.name}={kind}')}"

    def _reading(
        self, kind: str, why: str, number: NumberFormat | None = None, date: DateFormat | None = None, chosen: bool = False
    ) -> ColumnReading:
        told = [why] if why else []
        if self.marks and kind not in ("id", "constant", "drop"):
            more = f" and {len(self.marks) - MARKS_TOLD} more" if len(self.marks) > MARKS_TOLD else ""
            told.append(f"missing: {', '.join(map(shown, self.marks[:MARKS_TOLD]))}{more}")
        marks = self.others if kind in ("number", "both", "date") else ()
        return ColumnReading(self.name, kind, ", ".join(told), marks, number, date, chosen)


def known_values(series: pl.Series, missing: Sequence[str]) -> tuple[pl.Series, tuple[str, ...]]:
    """The values that are not missing, those of a coded column once, without blanks around; and marks, as written."""
    import polars as pl

    if not is_text(series):
        return without_marks(series, missing).drop_nulls(), ()
    coded = is_enum(series)
    texts = (used_categories(series)[1] if coded else series.cast(pl.String)).drop_nulls()
    marked = is_marked(texts, missing)
    if not marked.any():
        return texts.str.strip_chars(), ()
    marks = texts.filter(marked).str.strip_chars().unique(maintain_order=True).to_list()
    return texts.filter(~marked).str.strip_chars(), tuple(mark for mark in marks if mark)


def some_of(values: pl.Series) -> pl.Series:
    """The first values, and others from all of the column."""
    if len(values) <= SAMPLE:
        return values
    import polars as pl

    half = SAMPLE // 2
    return pl.concat([values[:half], values[half :: (len(values) - half) // half][:half]])


def share(texts: pl.Series, pattern: str) -> float:
    """How many of the texts hold this pattern."""
    return int(texts.str.contains(pattern).sum()) / len(texts) if len(texts) else 0.0


def rows_of(series: pl.Series, spellings: Sequence[str]) -> int:
    """In how many rows one of these words stands, in whatever case."""
    import polars as pl

    return int(series.cast(pl.String).str.strip_chars().str.to_lowercase().is_in(list(spellings)).sum())


def typed_dates(series: pl.Series, values: pl.Series) -> list[DateFormat]:
    """The format of dates in a column that is none of texts: of dates, or of whole numbers whose name speaks of time."""
    from rosenblatt.data.columns.dates import EPOCH, DateFormat, typed_pattern

    if series.dtype.is_temporal():
        pattern = typed_pattern(series.dtype)
        return [DateFormat(pattern)] if pattern else []
    if not series.dtype.is_integer() or not words_in(str(series.name)) & TIME_NAMES:
        return []
    least, most = values.min(), values.max()
    fitting = [DateFormat(one) for one, (low, high) in (("%Y%m%d", DAYS), (EPOCH, EPOCHS)) if low <= least and most <= high]  # type: ignore[operator]
    return [one for one in fitting if not one.wall_times(values).has_nulls()]


def words_in(name: str) -> set[str]:
    """The words of a column's name, in lower case.

    >>> sorted(words_in("customerID")), sorted(words_in("created_at")), sorted(words_in("paid"))
    (['customer', 'id'], ['at', 'created'], ['paid'])
    """
    return {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def shown(value: object) -> str:
    """A value in a sentence, not longer than is good for it."""
    text = str(value)
    return text if len(text) <= 30 else f"{text[:29]}…"
