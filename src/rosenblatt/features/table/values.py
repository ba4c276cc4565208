"""One text for one value, whatever type its column came in.

A category is known by its text. The same value must have the same text in every file, so:
- a number's text is the shortest that reads back as it, whole ones without a point: 40, 40.0 and float32(40) are `40`;
- true and false are `true` and `false`;
- texts are themselves. Only where the column held numbers in training is a text read as a number first: "40.0" is `40`
  there, but in a column of texts "007" and "7" stay two values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.data.enums import is_enum, used_categories
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    import polars as pl

WITH_EXPONENT = 2.0**64  # from here on floats are written so; integers of a table end before
DECIMAL_COMMA = r"^[+-]?\d+(,\d+)?$"


def number_text(value: float) -> str:
    """The one text of a number.

    >>> [number_text(value) for value in (40, 40.0, -0.0, 0.1, 2**53 + 1, 1e300)]
    ['40', '40', '0', '0.1', '9007199254740993', '1e+300']
    """
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < WITH_EXPONENT else repr(value)
    return str(value)


def number_in(text: str) -> float | None:
    """The number that a text stands for, or None; blanks around it do not count.

    >>> [number_in(text) for text in ("40", " 40.0", "1e3", "forty", "1_000", "")]
    [40, 40.0, 1000.0, None, None, None]
    """
    if "_" in text:  # Python reads 1_000 as a thousand; tables do not mean it
        return None
    for parse in (int, float):
        try:
            return parse(text)
        except ValueError:
            pass
    return None


def kind_of(series: pl.Series) -> str:
    """What a column holds: `number`, `boolean` or `text`; dates and columns without any value count as text."""
    import polars as pl

    dtype = series.dtype
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null) or dtype.is_temporal():
        return "text"
    raise DataError(f"Column {series.name!r} holds {dtype}: expected numbers, texts, booleans or dates. Unpack or drop it.")


def plain(series: pl.Series) -> pl.Series:
    """The same values as texts, booleans, integers or floats, with one kind of missing: null."""
    import polars as pl

    if kind_of(series) == "text":
        if series.dtype == pl.Datetime:
            series = series.dt.cast_time_unit("us")  # the text shows the unit's digits
        return series if series.dtype == pl.String else series.cast(pl.String)
    if series.dtype.is_decimal():
        series = series.cast(pl.Float64)
    return series.fill_nan(None) if series.dtype.is_float() and series.is_nan().any() else series


def texts(distinct: pl.Series, trained_as: str) -> list[str | None]:
    """The text of each of some plain values, in a column that was `trained_as` numbers, booleans or texts; None is missing.

    >>> import polars as pl
    >>> texts(pl.Series(["40.0", "x", None]), "number"), texts(pl.Series(["007"]), "text")
    (['40', 'x', None], ['007'])
    """
    import polars as pl

    if distinct.dtype == pl.Float32:  # 0.1 as float32 is 0.1, not 0.10000000149011612
        distinct = distinct.cast(pl.String).cast(pl.Float64)
    return [_text(value, trained_as) for value in distinct.to_list()]


def _text(value: Any, trained_as: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return number_text(value)
    if trained_as == "number":
        number = number_in(value)
        if number is not None:
            return None if number != number else number_text(number)
        return value if value.strip() else None
    if trained_as == "boolean" and value.strip().lower() in ("true", "false"):
        return value.strip().lower()
    return value


def loosely(text: str) -> str | float:
    """What a text and a number or boolean have in common where one file holds texts and the other does not.

    >>> loosely("40.0") == loosely("40"), loosely("True") == loosely("true"), loosely("007") == 7
    (True, True, True)
    """
    number = number_in(text)
    return text.strip().lower() if number is None else number


def decimal_commas(rows: pl.DataFrame) -> str:
    """A sentence about the columns of texts whose values are all numbers once commas are points; empty if there are none.

    >>> import polars as pl
    >>> decimal_commas(pl.DataFrame({"price": ["2", "1,5", None], "place": ["1,5", "B", "C"]}))
    'price holds numbers with a decimal comma (1,5): they are taken as texts, each a value of its own. Write ... a point.'
    """
    examples = {series.name: shown for series in rows if kind_of(series) != "number" and (shown := with_comma(series))}
    if not examples:
        return ""
    names, shown = list(examples), next(iter(examples.values()))
    columns = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    what = f"{columns} {'holds' if len(names) == 1 else 'hold'} numbers with a decimal comma ({shown})"
    return f"{what}: they are taken as texts, each a value of its own. Write them with a point."


def with_comma(series: pl.Series) -> str:
    """The first of the values such as 1,5 of a column in which all are numbers once commas are points; else nothing."""
    import polars as pl

    texts = (used_categories(series)[1] if is_enum(series) else series.cast(pl.String)).drop_nulls()
    if not len(texts) or not texts[:1].str.contains(DECIMAL_COMMA)[0]:  # one look is enough for most columns
        return ""
    fractions = texts.filter(texts.str.contains(","))
    return str(fractions.min()) if len(fractions) and texts.str.contains(DECIMAL_COMMA).all() else ""
