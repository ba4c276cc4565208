"""How the numbers of a column are written: decimal and thousands marks, signs, percent, currencies.

A format is recognised where every cell agrees with it, and a cell that does not is never guessed.

>>> import polars as pl
>>> prices = pl.Series(["1.234,50 €", "-7,00 €", "950,00 €"])
>>> format = recognise(prices)[0]
>>> format.describe(), format.as_plain(prices).to_list()
('1.234,5 with €', ['1234.50', '-7.00', '950.00'])
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from rosenblatt.data.table import PROBE_CELLS

if TYPE_CHECKING:
    import polars as pl

CODES = "USD|EUR|GBP|JPY|CHF|CNY|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|INR|BRL|MXN|ZAR|KRW|SGD|HKD|ILS|Rs|kr|zł|Kč|Fr"
# A backslash is what the yen's sign becomes in Shift JIS.
CURRENCY = rf"(?:[$€£¥￥₹₽₩₺₪₫₱₴฿¢円元원\\]|(?:US|A|C|R|NZ|HK|S)\$|(?i:{CODES})\.?)"
# Behind a number, and the same in every cell of a column.
MEASURES = (
    "kg|g|mg|t|lbs?|oz|km|cm|mm|m|mi|ft|m²|m2|qm|ha|l|ml|cl|h|hrs?|hours?|min|mins?|minutes?|s|secs?|ms|d|days?|weeks?|months?|"
    "years?|yrs?|std|tage?|monate?|jahre?|jours?|mois|ans|[kmgt]i?b|k?w|[km]?wh|mah|v|°|°c|°f|°n|°e|°s|°w|px|stk|stück|st|pcs?|"
    "units?|km/h|mph|bar|hpa|k?cal|rpm|[kmg]?hz|db|ppm|‰"
)
MEASURE = rf"(?i:{MEASURES})\.?"
SIGN, MINUS = r"[+\-−–]", r"[\-−–]"  # a hyphen, a true minus, a dash; behind a number no plus: 10+ are 10 or more
EXPONENT = "[eE][+-]?[0-9]+"
NO_CENTS = r"[-−–]{1,2}"  # behind the decimal mark: 5.– and 5,-- are whole amounts, and not negative
BLANK = r"[ \u00a0\u2009\u202f]"  # of those that separate thousands
FRONT = rf"^(?<open>\(?){BLANK}*(?<sign>{SIGN}?){BLANK}*(?<unit>{CURRENCY}?){BLANK}*(?<inner>{SIGN}|\(|){BLANK}*"
BODY = rf"[0-9.,'’_ \u00a0\u2009\u202f]*[0-9](?:[0-9.,]*[.,]{NO_CENTS}|[0-9.,]*(?:{EXPONENT})?)"
BACK = (
    rf"{BLANK}*(?<tail>{SIGN}|\)|){BLANK}*(?<after>%|{CURRENCY}|{MEASURE})?{BLANK}*(?<behind>{SIGN}?){BLANK}*(?<close>\)?)$"
)
PIECES = f"{FRONT}(?<body>{BODY}){BACK}"

GROUPING = {",": ",", ".": r"\.", " ": BLANK, "'": "['’]", "_": "_"}  # what marks thousands, as a pattern


def _body(decimal: str, thousands: str) -> str:
    """The pattern of a number with these marks; its thousands are marked throughout, or not at all."""
    point = re.escape(decimal)
    if not thousands:
        exponent = f"(?:{EXPONENT})?" if decimal == "." else ""
        return rf"^(?:[0-9]+(?:{point}(?:[0-9]*|{NO_CENTS}))?|{point}[0-9]+){exponent}$"
    mark = GROUPING[thousands]
    whole = rf"(?:[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+|[0-9]+)"  # 0,125 is a fraction
    if thousands == ",":  # in India above thousands in groups of two: 12,34,567
        whole = rf"(?:{whole}|[0-9]{{1,2}}(?:,[0-9]{{2}})+,[0-9]{{3}})"
    return rf"^{whole}(?:{point}(?:[0-9]*|{NO_CENTS}))?$"


BODIES = {(point, mark): _body(point, mark) for mark in ("", *GROUPING) for point in ".," if point != mark}
NO_NUMBER = "≠ "
PLAIN = r"^[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?$"  # roughly
EXAMPLE = re.compile(r"^1(?P<thousands>[,. '’_]?)234(?:(?P<decimal>[.,])[0-9]+)?(?P<unit>.*)$")


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written; `unit` is % or a currency, in front or behind, or a measure, behind."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    plus_behind: bool = False  # is 10+ a 10? So did models that were written before this was asked.
    exponent: bool = False  # 1,5E+03, where the comma marks the fraction; with a point every program reads it

    @property
    def is_plain(self) -> bool:
        """As every program writes numbers?"""
        return (self.decimal, self.thousands, self.unit) == (".", "", "")

    def example(self) -> str:
        """How 1234.5 is written in it, as `--column NAME=number:EXAMPLE` takes it."""
        return f"1{self.thousands}234{self.decimal}5{self.unit}"

    def describe(self) -> str:
        return f"1{self.thousands}234{self.decimal}5" + (f" with {self.unit}" if self.unit else "")

    def as_plain(self, texts: pl.Series) -> pl.Series:
        """The texts as every program writes numbers, also where the unit is left out.

        What is no number in this format gets a mark in front, so that nobody reads it as one in another: 1.5 is none where
        others are 1.234,5.
        """
        import polars as pl

        if self.is_plain and texts.cast(pl.Float64, strict=False).null_count() == texts.null_count():
            return texts
        fits = self.fits(texts)
        if self.unit and not fits.all():
            fits |= replace(self, unit="").fits(texts)
        is_negative = texts.str.contains(r"^[^0-9]*[-−–(]|[^.,−–-][-−–][^0-9]*$")
        bare = texts.str.replace(rf"(?i:{re.escape(self.unit)})\.?", "") if self.unit else texts  # Rs. has a point, too
        body = bare.str.replace_all(r"^[^0-9.]+|[^0-9.]+$" if self.is_plain else f"[^0-9{self.decimal}]", "")
        if self.exponent:
            body = bare.str.replace_all("^[^0-9,]+|[^0-9,]+$", "")
        if self.decimal == ",":
            body = body.str.replace(",", ".", literal=True)
        plain = ("-" + body).zip_with(is_negative.fill_null(False), body)
        return plain.zip_with(fits, NO_NUMBER + texts).alias(texts.name)

    def fits(self, texts: pl.Series) -> pl.Series:
        """Which texts are numbers in this format: with one sign at most, or in brackets, and with its unit."""
        body, b = BODIES[self.decimal, self.thousands].strip("^$") + (f"(?:{EXPONENT})?" * self.exponent), f"{BLANK}*"
        unit = rf"(?i:{re.escape(self.unit)})\.?"
        behind_it = SIGN if self.plus_behind else MINUS
        if not self.unit:
            shapes = [f"{SIGN}?{b}{body}", f"{body}{b}{behind_it}", rf"\({b}{body}{b}\)"]
        else:
            front, behind = f"{unit}{b}{body}", f"{body}{b}{unit}"
            before = [f"{SIGN}?{b}{front}", f"{SIGN}?{b}{behind}", f"{unit}{b}{SIGN}{b}{body}"]
            brackets = [rf"\({b}(?:{front}|{behind}){b}\)", rf"{unit}{b}\({b}{body}{b}\)", rf"\({b}{body}{b}\){b}{unit}"]
            after = [f"{body}{b}{behind_it}{b}{unit}", f"{front}{b}{behind_it}", f"{behind}{b}{behind_it}"]
            shapes = [*before, *after, *brackets]
        return texts.str.contains(f"^(?:{'|'.join(shapes)})$").fill_null(False)

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "exponent" or value}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> NumberFormat:
        if saved["unit"] == "duration":
            from rosenblatt.data.columns.durations import DurationFormat

            return DurationFormat()
        more = saved.get("plus_behind", True), saved.get("exponent", False)
        return cls(saved["decimal"], saved["thousands"], saved["unit"], *more)


def from_example(text: str) -> NumberFormat | None:
    """The format that is meant by a thousand two hundred and thirty-four, written in it.

    >>> [(one.decimal, one.thousands) for one in map(from_example, ("1.234,5", "1234,5"))], from_example("abc")
    ([(',', '.'), (',', '')], None)
    """
    if text.strip() == "duration":
        return NumberFormat.from_json({"unit": "duration"})
    match = EXAMPLE.match(text.strip())
    if match is None:
        return None
    thousands = "'" if match["thousands"] == "’" else match["thousands"]
    decimal = match["decimal"] or ("," if thousands == "." else ".")
    return None if decimal == thousands else NumberFormat(decimal, thousands, match["unit"].strip())


def pieces(texts: pl.Series) -> pl.DataFrame:
    """Sign, number and unit of each text; nulls where it is no number in any format."""
    return texts.str.extract_groups(PIECES).struct.unnest()


def fitting(parts: pl.DataFrame, marks: tuple[str, str]) -> pl.Series:
    """Which are numbers with these decimal and thousands marks, with one sign and one unit at most, and closed brackets."""
    import polars as pl

    signs = sum((parts[name].str.len_bytes() > 0).cast(pl.Int8) for name in ("sign", "inner", "tail", "behind", "open"))
    units = sum((parts[name].fill_null("").str.len_bytes() > 0).cast(pl.Int8) for name in ("unit", "after"))
    opened = (parts["open"] == "(") | (parts["inner"] == "(")
    closed = opened == ((parts["close"] == ")") | (parts["tail"] == ")"))
    signs = signs - (opened & (parts["tail"] == ")")).cast(pl.Int8)  # a pair of brackets is one sign
    plus_behind = (parts["tail"] == "+") | (parts["behind"] == "+")
    return (parts["body"].str.contains(BODIES[marks]) & (signs <= 1) & (units <= 1) & closed & ~plus_behind).fill_null(False)


def unit_of(parts: pl.DataFrame) -> pl.Series:
    """The percent sign, currency or measure of each number, empty where there is none."""
    return (parts["unit"].fill_null("") + parts["after"].fill_null("")).str.to_uppercase().str.strip_chars(".")


def recognise(texts: pl.Series) -> list[NumberFormat]:
    """The formats in which all these texts are numbers, the likeliest first; none if there is no such format.

    >>> import polars as pl
    >>> [format.describe() for format in recognise(pl.Series(["1,234", "12,500"]))]
    ['1,234.5', '1234,5']
    >>> recognise(pl.Series(["12 %", "13"])), recognise(pl.Series(["red"]))
    ([], [])
    """
    parts = pieces(texts)
    if not len(texts) or parts["body"].has_nulls():
        return []
    units = unit_of(parts).unique()
    if len(units) > 1:
        return []
    body = parts["body"]

    def is_seen(pattern: str) -> bool:
        return bool(body.str.contains(pattern).any())

    # A mark counts only where it is written: 12 and 13 are plain numbers, though they would be right with any marks.
    marks = [
        (decimal, thousands)
        for decimal, thousands in BODIES
        if (not thousands or is_seen(GROUPING[thousands])) and (thousands or decimal == "." or is_seen(","))
    ]
    unit = measure_as_written(parts) or units[0]
    possible = [pair for pair in likeliest_first(marks) if fitting(parts, pair).all()]
    if not possible and not unit and is_seen(f",[0-9]*{EXPONENT}$"):
        without = parts.with_columns(body=body.str.replace(f"{EXPONENT}$", ""))
        return [NumberFormat(",", exponent=True)] if fitting(without, (",", "")).all() else []
    if {(".", ""), (",", ".")} <= {*possible} and not body.str.contains(".", literal=True).all():
        # Fractions of three digits would have a point everywhere: 987 beside 1.234 says that it marks thousands.
        possible = [(",", "."), *(pair for pair in possible if pair != (",", "."))]
    return [NumberFormat(*pair, unit) for pair in possible]


def measure_as_written(parts: pl.DataFrame) -> str:
    """The measure behind the numbers, where it is spelled in one way: kWh; empty where there is none, or a currency."""
    written = parts["after"].fill_null("").str.strip_chars(".").unique()
    return str(written[0]) if len(written) == 1 and re.fullmatch(f"(?i:{MEASURES})", written[0]) else ""


def formats_of(texts: pl.Series, some: pl.Series) -> list[NumberFormat]:
    """The same of many texts, of which some are likely to show all that there is."""
    import polars as pl

    likely = recognise(some)
    if not likely:
        return []
    formats = [one for one in likely if one.fits(texts).all()]
    if formats:
        return formats
    # What some rows do not show, as marks of thousands, others may; those that do not fit tell soon whether they do.
    odd = texts.filter(~likely[0].fits(texts))
    return recognise(texts) if is_possible(pl.concat([some, odd[: len(some)]])) else []


def is_possible(texts: pl.Series) -> bool:
    """Is there a format in which all these texts are numbers, whatever marks others may show?"""
    parts = pieces(texts)
    if parts["body"].has_nulls() or unit_of(parts).n_unique() > 1:
        return False
    return any(fitting(parts, marks).all() for marks in BODIES)


def commonest(texts: pl.Series) -> NumberFormat:
    """The format in which most of these texts are numbers.

    >>> import polars as pl
    >>> commonest(pl.Series(["1.234,5 €", "ask", "7 €"])).describe()
    '1.234,5 with €'
    """
    parts = pieces(texts)
    units = unit_of(parts).drop_nulls().mode().sort()
    unit = units[0] if len(units) else ""
    counts = {pair: int((fitting(parts, pair) & (unit_of(parts) == unit)).sum()) for pair in likeliest_first([*BODIES])}
    return NumberFormat(*max(counts, key=lambda pair: counts[pair]), unit)


def likeliest_first(marks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Plain numbers first, then marked thousands: 1,234 is rather a thousand than a fraction with three digits."""
    return sorted(marks, key=lambda pair: (pair != (".", ""), not pair[1]))


def has_decimal_comma(column: pl.Series) -> bool:
    """Do the first cells of a column say that numbers are written with a decimal comma?

    >>> import polars as pl
    >>> [has_decimal_comma(pl.Series(cells)) for cells in (["1.234,50 €", "7,00 €"], ["1,234", "5,678"], ["a, b"])]
    [True, False, False]
    """
    import polars as pl

    if column.dtype not in (pl.String, pl.Enum):
        return False
    cells = column.head(PROBE_CELLS).cast(pl.String).drop_nulls()
    if not cells.str.contains("[0-9],[0-9]|^,[0-9]").any():
        return False
    formats = recognise(cells.filter(cells.str.contains("[0-9]")))
    return bool(formats) and all(one.decimal == "," for one in formats)


def may_mark_thousands(texts: pl.Series) -> bool:
    """Are all points of these numbers followed by three digits, so that they may stand for thousands?"""
    return is_string(texts) and bool(texts.str.contains(r"^[+-]?[0-9]{1,3}(\.[0-9]{3})*$").all())


def is_string(column: pl.Series) -> bool:
    import polars as pl

    return column.dtype == pl.String


def seems_to_mark_thousands(texts: pl.Series) -> bool:
    """The same, and some numbers have no point: fractions of three digits would have one everywhere.

    >>> import polars as pl
    >>> [seems_to_mark_thousands(pl.Series(cells)) for cells in (["1.234", "987"], ["1.234", "98.765"], ["0.125", "7"])]
    [True, False, False]
    """
    if not may_mark_thousands(texts):
        return False
    has_point = texts.str.contains(".", literal=True)
    return bool(has_point.any() and not has_point.all() and not texts.str.contains(r"^[+-]?0\.").any())
