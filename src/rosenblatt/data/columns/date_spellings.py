"""How dates and times may be spelled: each as a regular expression and as polars' pattern, and one spelling for several."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.data.columns.dates import NET_DATE
from rosenblatt.data.columns.words import WEEKDAYS

if TYPE_CHECKING:
    import polars as pl

# A date in front, a time behind, each as a regular expression and as polars' pattern. Of two orders, the likelier is first.
MONTH = r"\p{L}{3,10}\.?"
MONTHS = {  # in English, German, French, Spanish, Italian, Dutch, Portuguese, Russian
    "Jan": "jan|gen|ene|янв", "Feb": "feb|fév|fev|фев", "Mar": "mar|mär|mrz|mrt|maa|мар", "Apr": "apr|avr|abr|апр",
    "May": "may|mai|mag|mei|ма[йя]", "Jun": "jun|juin|giu|июн", "Jul": "jul|juil|lug|июл", "Aug": "aug|aoû|aou|ago|авг",
    "Sep": "sep|set|сен", "Oct": "oct|okt|ott|out|окт", "Nov": "nov|ноя", "Dec": "dec|dez|déc|dic|дек",
}  # fmt: skip
WEEKDAY = rf"(?i:{WEEKDAYS})\.?,? +"
NTH = "(?i:st|nd|rd|th)"
DATES = (
    (r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d"),
    (r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d"),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", "%Y.%m.%d"),
    (r"\d{4}\.\d{1,2}\.\d{1,2}\.", "%Y.%m.%d."),  # Hungarian
    (r"\d{4}\. \d{1,2}\. \d{1,2}\.?", "%Y. %m. %d."),  # Korean
    (r"(?:19|20)\d{6}", "%Y%m%d"),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", "%d.%m.%Y"),
    (r"\d{1,2}\.\d{1,2}\.\d{2}", "%d.%m.%y"),
    (r"\d{1,2}/\d{1,2}/\d{4}", "%m/%d/%Y"),
    (r"\d{1,2}/\d{1,2}/\d{4}", "%d/%m/%Y"),
    (r"\d{1,2}/\d{1,2}/\d{2}", "%m/%d/%y"),
    (r"\d{1,2}/\d{1,2}/\d{2}", "%d/%m/%y"),
    (r"\d{1,2}-\d{1,2}-\d{4}", "%d-%m-%Y"),
    (r"\d{1,2}-\d{1,2}-\d{4}", "%m-%d-%Y"),
    (r"\d{1,2}-\d{1,2}-\d{2}", "%d-%m-%y"),
    (r"\d{1,2}-\d{1,2}-\d{2}", "%m-%d-%y"),
    (rf"\d{{1,2}}\.?[ -]{MONTH}[ -]\d{{4}}", "%d %b %Y"),
    (rf"\d{{1,2}}\.?[ -]{MONTH}[ -]\d{{2}}", "%d %b %y"),
    (rf"\d{{1,2}}/{MONTH}/\d{{4}}", "%d/%b/%Y"),
    (rf"\d{{1,2}}/{MONTH}/\d{{2}}", "%d/%b/%y"),
    (r"\d{4}年\d{1,2}月\d{1,2}日", "%Y年%m月%d日"),
    (rf"{MONTH} \d{{1,2}},? \d{{4}}", "%b %d %Y"),
    (rf"{MONTH} \d{{1,2}},? \d{{2}}", "%b %d %y"),
    (rf"{MONTH}-\d{{1,2}}-\d{{4}}", "%b-%d-%Y"),
    (rf"{MONTH} \d{{1,2}}{NTH}?,? \d{{4}}", "%b %dth %Y"),
    (rf"\d{{1,2}}{NTH}?(?: of)? {MONTH},? \d{{4}}", "%dth %b %Y"),
    (rf"{WEEKDAY}{MONTH} \d{{1,2}}{NTH}?,? \d{{4}}", "%a %b %d %Y"),
    (rf"\d{{1,2}} de {MONTH} del? \d{{4}}", "%d de %b de %Y"),
    (rf"\d{{1,2}} {MONTH} \d{{4}} г(?:\.|ода)?", "%d %b %Y г"),
    (rf"\d{{4}}[ -]{MONTH}[ -]\d{{1,2}}", "%Y-%b-%d"),
    (r"\d{1,2}\p{L}{3}\d{4}", "%d%b%Y"),  # as SAS writes it
    (r"\d{4}-W\d{2}-\d", "%G-W%V-%u"),
    (r"\d{4}-W\d{2}", "%G-W%V"),
    (r"\d{4} W\d{2}", "%G W%V"),
    (rf"{MONTH}[ -]\d{{4}}", "%b %Y"),
    (rf"{MONTH}-\d{{2}}", "%b-%y"),  # as spreadsheets write a month
    (rf"{MONTH} '\d{{2}}", "%b '%y"),
    (rf"\d{{4}}[ -]{MONTH}", "%Y %b"),
    (r"\d{4}-\d{2}", "%Y-%m"),
    (r"\d{1,2}/\d{4}", "%m/%Y"),
    ("", ""),  # a time alone
)
TIMES = (
    ("", ""),
    (r"\d{1,2}:\d{2}", "%H:%M"),
    (r"\d{1,2}:\d{2}:\d{2}", "%H:%M:%S"),
    (r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?", "%H:%M:%S%.f"),
    (r"\d{1,2}:\d{2} ?[AaPp]\.?[Mm]\.?", "%I:%M %p"),
    (r"\d{1,2}:\d{2}:\d{2} ?[AaPp]\.?[Mm]\.?", "%I:%M:%S %p"),
    (r"\d{1,2}\.\d{2}\.\d{2}(?:\.\d{1,9})? ?[AaPp][Mm]", "%I.%M.%S%.f %p"),  # as Oracle writes it
    (r"at \d{1,2}:\d{2}", "at %H:%M"),
    (r"at \d{1,2}:\d{2} ?[AaPp]\.?[Mm]\.?", "at %I:%M %p"),
    (r"\d{1,2} ?[AaPp]\.?[Mm]\.?", "%I %p"),
    (r"\d{1,2}\.\d{2}", "%H.%M"),
    (r"\d{1,2}\.\d{2}\.\d{2}", "%H.%M.%S"),
    (r"\d{1,2}時\d{1,2}分", "%H時%M分"),
    (r"\d{1,2}:\d{2} Uhr", "%H:%M Uhr"),
    (r"\d{1,2}:\d{2}:\d{2} Uhr", "%H:%M:%S Uhr"),
)
ZONE = r"(?: ?(?:Z|UTC|[A-Z]{2,4}T|MEZ|MESZ|[+-]\d{2}:?\d{2}))"
# Zones written at length: +00 as PostgreSQL has it, GMT+1, +01:00[Europe/Paris], GMT+0100 (Central European Time).
LONG_ZONE = (
    r"(?: ?(?:(?:GMT|UTC)[+-]\d{1,2}(?::?\d{2})?(?: \([^()]*\))?|[+-]\d{2}|(?:[+-]\d{2}:?\d{2}|Z)\[[A-Za-z_/+-]+\])|"
    r" [A-Z][A-Za-z]+/[A-Z][A-Za-z_/-]+)"
)


@dataclass(frozen=True)
class Quarters:
    """How quarters of a year are written: groups of the expression are the year and the quarter."""

    expression: str
    year: int
    quarter: int

    def as_months(self, texts: pl.Series) -> pl.Series:
        """The first month of each, as 2024-07; null where a text is no quarter."""
        import polars as pl

        year, quarter = (texts.str.extract(f"^{self.expression}$", group) for group in (self.year, self.quarter))
        month = quarter.cast(pl.Int64, strict=False) * 3 - 2
        return year + "-" + month.cast(pl.String).str.zfill(2)


QUARTERS = {
    "%Y Q%q": Quarters(r"(\d{4})[ -]?[Qq]([1-4])", year=1, quarter=2),
    "Q%q %Y": Quarters(r"Q([1-4])[ /-]?(\d{4})", year=2, quarter=1),
}

# Moments whose date and time do not stand one behind the other, with a blank or a T between.
MOMENTS = (
    (rf"{WEEKDAY}{MONTH} +\d{{1,2}} \d{{2}}:\d{{2}}:\d{{2}}{ZONE}? \d{{4}}", "%a %b %d %H:%M:%S %Y"),  # as Unix writes it
    (rf"\d{{1,2}}/{MONTH}/\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}}{ZONE}?", "%d/%b/%Y:%H:%M:%S"),  # logs of web servers
    (r"\d{1,2}\p{L}{3}\d{4}:\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?", "%d%b%Y:%H:%M:%S%.f"),  # SAS
    (rf"(?:19|20)\d{{6}}[ T]\d{{6}}{ZONE}?", "%Y%m%d %H%M%S"),
    (r"\d{4}-\d{2}-\d{2}-\d{2}\.\d{2}\.\d{2}(?:\.\d{1,9})?", "%Y-%m-%d-%H.%M.%S%.f"),  # DB2
    (r"/Date\(-?\d{1,15}(?:[+-]\d{4})?\)/", NET_DATE),
    (r"\d{1,2}:\d{2} \d{1,2}/\d{1,2}/\d{4}", "%H:%M %m/%d/%Y"),
    (r"\d{1,2}:\d{2} \d{1,2}/\d{1,2}/\d{4}", "%H:%M %d/%m/%Y"),
    (r"\d{1,2}:\d{2} \d{1,2}\.\d{1,2}\.\d{4}", "%H:%M %d.%m.%Y"),
    *((quarters.expression, pattern) for pattern, quarters in QUARTERS.items()),
)

# Where a pattern has the first, texts may be written so, and then are written so; the pattern loses it, too.
SPELLINGS = (
    ("%dth", rf"(\d){NTH}\b(?: of\b)?", "${1}"),
    ("%a ", rf"(\d){NTH}\b", "${1}"),
    (" %Z", f"{LONG_ZONE}$", ""),
    (" de ", "(?i) del? ", " "),
    (" г", r" г(?:\.|ода)?$", ""),
    (" at ", ",? at ", " "),
    ("%I %p", r"\b(\d{1,2}) ?([AaPp])\.?[Mm]\.?$", "${1}:00 ${2}M"),
    ("%I.%M.%S", r" (\d{1,2})\.(\d{2})\.(\d{2})\b", " ${1}:${2}:${3}"),
)


def tidied_pattern(pattern: str) -> str:
    """What reads texts that are tidied so.

    >>> tidied_pattern("%a %b %d %Y at %I:%M %p"), tidied_pattern("%d-%b-%y %I.%M.%S%.f %p")
    ('%b %d %Y %I:%M %p', '%d %b %y %I:%M:%S%.f %p')
    """
    for long, short in (
        ("%dth", "%d"),
        ("%a ", ""),
        (" %Z", ""),
        (" г", ""),
        (" de ", " "),
        (" at ", " "),
        ("%I.%M.%S", "%I:%M:%S"),
        ("%I %p", "%I:%M %p"),
    ):
        pattern = pattern.replace(long, short)
    return re.sub(blanks_of(pattern), " ", pattern) if "%b" in pattern else pattern.replace("T", " ")


def blanks_of(pattern: str) -> str:
    """What separates day, month and year where months have names; a point also belongs to a fraction of a second."""
    return r"\.?[-, ]+" if "%.f" in pattern else "[-,. ]+"
