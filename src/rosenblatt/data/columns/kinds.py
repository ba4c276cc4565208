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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rosenblatt.data.coded import CodedTable, CodedTexts
from rosenblatt.data.columns.dates import WEEKDAYS
from rosenblatt.data.columns.numbers import CURRENCY
from rosenblatt.data.columns.reading import ColumnReading, all_marks, is_text, without_marks
from rosenblatt.data.table import is_enum, used_categories
from rosenblatt.engine.compiled import cores
from rosenblatt.errors import SettingError, as_argument

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.columns.dates import DateFormat
    from rosenblatt.data.columns.numbers import NumberFormat

KINDS = ("number", "category", "both", "code", "date", "text", "boolean", "id", "drop")

SAMPLE = 2000  # values that decide
LEAST_FOR_ID, LEAST_FOR_NAMED_ID, LEAST_FOR_CODE = 20, 5, 200  # rows; fewer where the name says so, more if it says zip
ID_SHARE = 0.95  # of the values differ
TEXT_WORDS, TEXT_SHARE = 3.0, 0.5  # words in a value on average, and how many of the values differ
LONG_TEXT_WORDS, LONG_TEXT_SHARE = 6.0, 0.1
LEAST_FOR_TEXT = 5  # values
MANY_ROWS = 100_000  # from which on it is worth to count them roughly first, and to share them between cores
NEAR = 0.05  # of the rows: closer to a limit, different values are counted one by one
REPEATING = 0.95  # of a sample, at most, are different where values repeat so often that each is asked once
# In a column of numbers or dates, words that mean "not known"; others too, if they are few in rows and in spellings.
UNKNOWN = {
    "unknown", "unk", "missing", "not available", "not applicable", "n.a.", "n.a", "nil", "tbd", "tba", "void",
    "not known", "not stated", "not specified", "nd", "n.d.", "k.a.", "k. a.", "k.a", "keine angabe", "n.v.", "n/v",
    "nicht verfügbar", "nicht bekannt", "unbekannt", "fehlt", "entfällt", "inconnu", "non disponible",
    "non renseigné", "s/o", "desconocido", "sin datos", "no disponible", "sconosciuto", "onbekend",
}  # fmt: skip
NOTHING = rf"^(?:{CURRENCY} *)?[-−–]+(?: *{CURRENCY})?$"  # $ -: how accounting writes no amount
MOST_OTHER_ROWS, MOST_OTHER_WORDS = 0.05, 5
MARKS_TOLD = 5
LEAST_WITH_DIGITS = 0.5  # of the values of a column of numbers, dates or codes
DIGIT, LEADING_ZERO, PHONE = re.compile("[0-9]"), re.compile("^0[0-9]+$"), re.compile(r"^\+[0-9 ()/-]{8,}$")
LONG_DIGITS = 10  # from which on numbers that all differ, and are equally long, are names
MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
# But for a currency, a month or a day of the week in front.
LIKE_NUMBERS = re.compile(rf"^\W*(?:{CURRENCY}|(?i:{MONTHS}|{WEEKDAYS})\b)?\W*[0-9]")

# Words in the name of a column.
ID_NAMES = {"id", "ids", "uuid", "guid", "key", "index", "idx", "rownum", "row", "nr", "no", "record", "hash", "nummer"}
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
    set(pair.split())
    for pair in (
        "true false",
        "yes no",
        "y n",
        "t f",
        "on off",
        "ja nein",
        "j n",
        "oui non",
        "si no",
        "sí no",
        "sì no",
        "wahr falsch",
        "vrai faux",
    )
]


@dataclass(frozen=True)
class Overrides:
    """What the user says about the columns of a table."""

    kinds: Mapping[str, str] = field(default_factory=dict)  # "number", "date:%d/%m/%Y", "number:1.234,5" …
    missing: Sequence[str] = ()  # further marks
    only: Sequence[str] | None = None  # the columns to use
    needed: Sequence[str] = ()  # columns that are not left out by themselves

    def __post_init__(self) -> None:
        for name, kind in self.kinds.items():
            refuse_wrong_kind(name, kind)

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


def decide(
    table: pl.DataFrame | CodedTable, overrides: Overrides | None = None, trimmed: bool = False
) -> list[ColumnReading]:
    """How each column is to be read; `trimmed`, as files are read, no text has blanks around it."""
    said = overrides or Overrides()
    said.refuse_unknown(table.columns)
    known: list[Look] = []
    if isinstance(table, CodedTable):
        known = [look for column in table if (look := look_at_codes(column, said)) is not None]
        if len(known) < table.width:  # some may be numbers or dates
            table = table.to_polars()
    if not isinstance(table, CodedTable):
        known = each_by_a_core(lambda series: look_at(series, said, trimmed), list(table))
    # A column that can be read in two ways is read as the others of its file are.
    marks = [{one.decimal for one in look.formats} for look in known]
    decided = {mark for of_column in marks if len(of_column) == 1 for mark in of_column}
    points = any(look.dtype is not None and look.dtype.is_float() for look in known)
    comma = True if "," in decided else False if points or "." in decided else None
    orders = [look.dates[0].day_first for look in known if len(look.dates) == 1]
    day_first = next((order for order in orders if order is not None), None)
    readings = [look.reading(comma, day_first) for look in known]
    if not any(one.used for one in readings):  # where nothing else is left, they are what there is to learn from
        said = replace(said, needed=table.columns)
    return [
        look.kept() if one.name in said.needed and not one.chosen and (not one.used or one.kind == "text") else one
        for one, look in zip(readings, known, strict=True)
    ]


@dataclass
class Look:
    """What the values of a column have in common."""

    name: str
    wanted: str  # by the user: a kind, perhaps with a format
    rows: int
    known: int  # rows that are not missing
    sample: list[Any]  # some of its values, each once
    distinct: int | None = None  # values; None where most of them repeat often
    dtype: pl.DataType | None = None  # None of texts
    marks: tuple[str, ...] = ()  # of missing values, as they are written
    others: tuple[str, ...] = ()  # words among numbers or dates that mean "not known", in lower case
    formats: list[NumberFormat] = field(default_factory=list)  # in which all values are numbers, the likeliest first
    dates: list[DateFormat] = field(default_factory=list)  # in which all values are dates, the likeliest first
    is_code: bool = False
    nearly: str = ""  # a value that is no number, where nearly all others are

    def ask_texts(self, series: pl.Series, values: pl.Series) -> None:
        """Are all of these texts numbers, or dates, or digits that are names?"""
        if not self.may_be_numbers():
            return
        asked = each_once(values, self.sample)
        may_be_code = bool(words_in(self.name) & CODE_NAMES) or share(self.sample, LEADING_ZERO) > 0
        may_be_code = may_be_code or share(self.sample, PHONE) > LEAST_WITH_DIGITS
        if not may_be_code and share(self.sample, DIGIT) == 1 and self.ask_formats(asked, some_of(values)):
            return  # so there are no words among them
        words = values.filter(~values.str.contains("[0-9]"))
        if len(words):
            spellings = words.str.to_lowercase().unique().sort().to_list()
            few = len(spellings) <= MOST_OTHER_WORDS and rows_of(series, spellings) <= MOST_OTHER_ROWS * self.rows
            if not few and not all(word in UNKNOWN or re.match(NOTHING, word) for word in spellings):
                self.note_words(spellings)
                return
            values = values.filter(values.str.contains("[0-9]"))
        if may_be_code:
            self.is_code = bool(values.str.contains(r"^[0-9+(][0-9 ()/.+-]*$").all())
            if self.is_code:
                return
        from rosenblatt.data.columns import numbers

        if self.ask_formats(each_once(values, self.sample), some_of(values)):
            known = all_marks(tuple(spellings) if len(words) else ())
            self.others = (*spellings, *(word for word in words.unique().sort() if word not in known)) if len(words) else ()
            self.marks = (*self.marks, *words.unique(maintain_order=True).to_list())
        elif values.str.contains(numbers.PLAIN).sum() > (1 - MOST_OTHER_ROWS) * len(values):
            self.nearly = str(values.filter(~values.str.contains(numbers.PLAIN))[0])

    def note_words(self, spellings: Sequence[str]) -> None:
        """Records a word, where others are numbers, that stands in too many rows to be taken for a missing one."""
        from rosenblatt.data.columns import numbers

        digits = [text for text in self.sample if DIGIT.search(text)]
        plain = share(digits, re.compile(numbers.PLAIN)) > 1 - MOST_OTHER_ROWS
        self.nearly = spellings[0] if plain and len(spellings) <= MOST_OTHER_WORDS else ""

    def ask_formats(self, values: pl.Series, some: pl.Series) -> bool:
        """Are there formats in which all texts are numbers, or dates? Some of them are asked first."""
        from rosenblatt.data.columns import dates, numbers

        self.formats = numbers.formats_of(values, some)
        if not self.formats:
            self.dates = dates.formats_of(values, some)
        return bool(self.formats or self.dates)

    def may_be_numbers(self) -> bool:
        """Do some values, but for words, look like numbers, dates or codes? If they do not, the others need no look."""
        digits = [text for text in self.sample if DIGIT.search(text)]
        return share(digits, LIKE_NUMBERS) > 1 - MOST_OTHER_ROWS

    def reading(self, decimal_comma: bool | None, day_first: bool | None) -> ColumnReading:
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
        return self._of_typed() if self.dtype is not None else self._of_words()

    def kept(self) -> ColumnReading:
        """What it is where it is not left out."""
        format = self.formats[0] if self.formats else None
        is_number = format is not None or (self.dtype is not None and self.dtype.is_numeric())
        return self._reading("number" if is_number else "category", "", number=format)

    def _of_words(self) -> ColumnReading:
        """Of texts that are no numbers and no dates."""
        if {text.lower() for text in self.sample[:3]} in TRUTHS and self.distinct == 2:
            return self._reading("boolean", " or ".join(sorted(self.sample)))
        if self._is_id():
            return self._reading("id", self._why_id())
        if self.is_code:
            zeros = share(self.sample, LEADING_ZERO) > 0
            return self._reading("code", "digits with leading zeros" if zeros else "a number that is a name")
        words, differ = self.words() * (self.known >= LEAST_FOR_TEXT), (self.distinct or 0) / self.known
        if (words >= TEXT_WORDS and differ >= TEXT_SHARE) or (words >= LONG_TEXT_WORDS and differ >= LONG_TEXT_SHARE):
            return self._reading("text", f"sentences of {words:.0f} words on average")
        why = f"{shown(self.nearly)} is no number, most others are: {self._option('number')} takes such as missing"
        return self._reading("category", why if self.nearly else "")

    def _of_typed(self) -> ColumnReading:
        """Of numbers and truth values that are already such."""
        import polars as pl

        assert self.dtype is not None
        if self.dtype == pl.Boolean:
            return self._reading("boolean", "")
        if self.dtype.is_integer():
            if self._is_id():
                return self._reading("id", self._why_id())
            if words_in(self.name) & CODE_NAMES:
                return self._reading("code", "a number that is a name")
        is_number = self.dtype.is_numeric() or self.dtype == pl.Duration
        return self._reading("number" if is_number else "category", "")

    def words(self) -> float:
        """In a value, on average."""
        return sum(len(text.split()) for text in self.sample) / len(self.sample)

    def _is_id(self) -> bool:
        """Are nearly all values different, and no sentences?"""
        return self.distinct is not None and self.distinct >= ID_SHARE * self.known and self.may_be_id()

    def may_be_id(self) -> bool:
        """Would it be an ID if nearly all values were different?"""
        words = words_in(self.name)
        least = LEAST_FOR_NAMED_ID if words & ID_NAMES else LEAST_FOR_CODE if words & CODE_NAMES else LEAST_FOR_ID
        if self.known < least:
            return False
        if self.dtype is not None:
            return self.dtype.is_integer() and (bool(words & ID_NAMES) or self._counts_rows() or self._long_digits())
        return self.is_code or bool(words & ID_NAMES) or self.words() < TEXT_WORDS

    def _counts_rows(self) -> bool:
        """Do whole numbers only count the rows, one after the other?"""
        first = self.sample[: SAMPLE // 2]
        return all(after - before == 1 for before, after in pairwise(first))

    def _long_digits(self) -> bool:
        """Have all numbers as many digits, and so many as a card or a barcode has?"""
        lengths = {len(str(value)) for value in self.sample}
        return len(lengths) == 1 and min(lengths) >= LONG_DIGITS and not words_in(self.name) & TIME_NAMES

    def _why_id(self) -> str:
        return "different in every row" if self.distinct == self.known else "different in nearly every row"

    def _as_number(self, decimal_comma: bool | None) -> ColumnReading:
        like_others = [one for one in self.formats if (one.decimal == ",") == decimal_comma]
        chosen = (like_others or self.formats)[0]
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

    def _as_wanted(self, decimal_comma: bool | None, day_first: bool | None) -> ColumnReading:
        import polars as pl

        from rosenblatt.data.columns import dates, numbers

        kind, _, detail = self.wanted.partition(":")
        texts = pl.Series(self.sample, dtype=pl.String) if self.dtype is None and self.known else None
        if kind in ("number", "both") and texts is not None:
            number = numbers.from_example(detail) if detail else None
            if number is None and self.formats:
                number = self._as_number(decimal_comma).number
            return self._reading(kind, "as you say", number=number or numbers.commonest(texts), chosen=True)
        if kind == "date":
            date = dates.DateFormat(detail) if detail else None
            if date is None and self.dates:
                date = self._as_date(day_first).date
            date = date or (dates.commonest(texts) if texts is not None else None)
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


def look_at(series: pl.Series, said: Overrides, trimmed: bool = False) -> Look:
    """A look at all values of a column, and a longer one at some."""
    import polars as pl

    name, wanted = str(series.name), said.of_column(series.name)
    if wanted in ("drop", "id"):
        return Look(name, wanted, len(series), len(series), [])
    series, texts = series.alias("cells"), is_text(series)  # polars takes some names for patterns
    known = without_marks(series, said.missing, trimmed)
    marks: tuple[str, ...] = ()
    values = known.drop_nulls()
    if texts:
        values = pl.Series(used_categories(known)[1], dtype=pl.String).drop_nulls() if is_enum(known) else values
        marks = spellings_of_marks(series, known)
    sample = some_of(values)
    once = sample.unique(maintain_order=True)
    look = Look(name, wanted, len(series), len(known) - known.null_count(), once.to_list(), marks=marks)
    look.dtype = None if texts else series.dtype
    if len(once) <= 2:
        look.distinct = values.n_unique()
    if not len(values):
        return look
    if not texts:
        look.dates = typed_dates(name, values)
    elif share(look.sample, DIGIT) >= LEAST_WITH_DIGITS:
        look.ask_texts(known, values)
    if look.distinct is None and len(once) > LONG_TEXT_SHARE * len(sample) and not look.formats and not look.dates:
        look.distinct = count_distinct(values, look)
    return look


def count_distinct(values: pl.Series, look: Look) -> int | None:
    """How many values differ: exactly where it matters whether all do, else well enough to tell what the column is."""
    if not look.may_be_id() and look.dtype is not None:
        return None
    if len(values) < MANY_ROWS or not (look.dtype is None or look.dtype.is_integer()):
        return values.n_unique()
    about = int(values.approx_n_unique())  # type: ignore[arg-type]
    limits = [TEXT_SHARE, LONG_TEXT_SHARE] if look.dtype is None and look.words() >= TEXT_WORDS else []
    near = any(abs(about / look.known - share) < NEAR for share in limits)
    if not near and (not look.may_be_id() or about < (ID_SHARE - NEAR) * look.known):
        return about
    if values.is_sorted():  # as IDs often are
        return 1 + int((values != values.shift(1)).sum())
    return values.hash().n_unique()  # of so many bits that two values with one hash are not to be expected


def each_once(values: pl.Series, some: Sequence[str]) -> pl.Series:
    """The values, each once if they repeat often, as in a sample: what is asked of all is then asked of few."""
    if len(values) < MANY_ROWS or len(some) > REPEATING * SAMPLE:
        return values
    return values.unique()


def each_by_a_core(look: Callable[[pl.Series], Look], columns: list[pl.Series]) -> list[Look]:
    """What is seen in each column, in as many threads as there are cores where that is worth it."""
    if len(columns) < 2 or len(columns[0]) < MANY_ROWS or cores() < 2:
        return [look(column) for column in columns]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(cores()) as threads:
        return list(threads.map(look, columns))


def look_at_codes(column: CodedTexts, said: Overrides) -> Look | None:
    """The same at a column of coded texts, without polars; None where some may be numbers or dates."""
    wanted = said.of_column(column.name)
    known = column.without(all_marks(tuple(said.missing)))
    values = [text for text in known.texts if text is not None]
    if len(values) > SAMPLE or wanted not in ("", "drop", "id", "category"):
        return None
    missing = known.texts.index(None) if None in known.texts else -1
    rows = len(column) - int((known.codes == missing).sum()) if missing >= 0 else len(column)
    marks = tuple(text for text in column.texts if text is not None and text not in known.texts)
    look = Look(column.name, wanted, len(column), rows, values, len(values), marks=marks)
    return None if share(values, DIGIT) >= LEAST_WITH_DIGITS and look.may_be_numbers() else look


def spellings_of_marks(series: pl.Series, known: pl.Series) -> tuple[str, ...]:
    """How cells that are known to be missing are written, as far as anything is written."""
    import polars as pl

    if known.null_count() == series.null_count():
        return ()
    written = series.cast(pl.String).filter(known.is_null()).drop_nulls().str.strip_chars()
    return tuple(mark for mark in written.unique(maintain_order=True).to_list() if mark)


def some_of(values: pl.Series) -> pl.Series:
    """The first values, and others from all of the column."""
    if len(values) <= SAMPLE:
        return values
    import polars as pl

    half = SAMPLE // 2
    return pl.concat([values[:half], values[half :: (len(values) - half) // half][:half]])


def share(texts: list[str], pattern: re.Pattern[str]) -> float:
    """How many of the texts hold this pattern."""
    return sum(pattern.search(text) is not None for text in texts) / len(texts) if texts else 0.0


def rows_of(series: pl.Series, spellings: Sequence[str]) -> int:
    """In how many rows one of these words stands, in whatever case."""
    import polars as pl

    return int(series.cast(pl.String).str.strip_chars().str.to_lowercase().is_in(list(spellings)).sum())


def typed_dates(name: str, values: pl.Series) -> list[DateFormat]:
    """The format of dates in a column that is none of texts: of dates, or of whole numbers whose name speaks of time."""
    from rosenblatt.data.columns.dates import EPOCH, EPOCH_MS, DateFormat, typed_pattern

    if values.dtype.is_temporal():
        pattern = typed_pattern(values.dtype)
        return [DateFormat(pattern)] if pattern else []
    if not values.dtype.is_integer() or not words_in(name) & TIME_NAMES:
        return []
    least, most = values.min(), values.max()
    ranges = {"%Y%m%d": DAYS, EPOCH: EPOCHS, EPOCH_MS: tuple(1000 * end for end in EPOCHS)}
    fitting = [DateFormat(one) for one, (low, high) in ranges.items() if low <= least and most <= high]  # type: ignore[operator]
    return [one for one in fitting if not one.wall_times(values).has_nulls()]


def words_in(name: str) -> set[str]:
    """The words of a column's name, in lower case.

    >>> sorted(words_in("customerID")), sorted(words_in("created_at")), sorted(words_in("paid"))
    (['customer', 'id'], ['at', 'created'], ['paid'])
    >>> sorted(words_in("Kundennr")), sorted(words_in("Rechnungsnummer"))
    (['kundennr', 'nr'], ['nummer', 'rechnungsnummer'])
    """
    words = {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return words | {end for word in words for end in ("nummer", "nr") if word.endswith(end)}


def shown(value: object) -> str:
    """A value in a sentence, not longer than is good for it."""
    text = str(value)
    return text if len(text) <= 30 else f"{text[:29]}…"
