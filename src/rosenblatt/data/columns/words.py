"""Words and signs by which a column is known: those that mean "not known", yes and no, and what names of columns say."""

from __future__ import annotations

import re

from rosenblatt.data.columns.numbers import CURRENCY

# In a column of numbers or dates, words that mean "not known"; others too, if they are few in rows and in spellings.
UNKNOWN = {
    "\\n", "(blank)", "(leer)", "(vide)", "(null)", "[null]", "(none)", "(n/a)",  # \N: of MySQL and PostgreSQL
    "..", "...", "…", ":", "*", "**", "***", "(x)",  # of statistical offices
    "unknown", "unk", "missing", "not available", "not applicable", "n.a.", "n.a", "nil", "tbd", "tba", "void",
    "not known", "not stated", "not specified", "nd", "n.d.", "k.a.", "k. a.", "k.a", "keine angabe", "n.v.", "n/v",
    "nicht verfügbar", "nicht bekannt", "unbekannt", "fehlt", "entfällt", "inconnu", "non disponible",
    "non renseigné", "s/o", "desconocido", "sin datos", "no disponible", "sconosciuto", "onbekend",
    "nat", "undefined", "s/d", "n/d", "não informado", "brak", "brak danych", "нет данных", "не указано", "неизвестно",
    "未知", "不明", "无", "無", "なし", "없음", "不詳", "該当なし",
}  # fmt: skip
NOTHING = rf"^(?:{CURRENCY} *)?[-−–—]+(?: *{CURRENCY})?$"  # $ -: how accounting writes no amount
INVISIBLE = "\u00ad\u200b-\u200f\u2060\ufeff"  # blanks without width, and marks of direction
OTHER_SIGN = re.compile(
    rf"(?![0-9])\d|[．，－﹣＋％（）{INVISIBLE}]"
)  # digits of another script, wide ones, signs beside them
DIGIT, LEADING_ZERO, PHONE = re.compile("[0-9]"), re.compile("^0[0-9]+$"), re.compile(r"^\+[0-9 ()/-]{8,}$")
MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
MANY_DIGITS = re.compile("^[0-9]{19,}$")  # more than a number keeps
WEEKDAYS = (  # in front of a date: Mon, 05 Mar 2024
    "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|mo(?:ntag)?|di(?:enstag)?|"
    "mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|sa(?:mstag)?|so(?:nntag)?|lun(?:di)?|mar(?:di)?|mer(?:credi)?|jeu(?:di)?|"
    "ven(?:dredi)?|sam(?:edi)?|dim(?:anche)?"
)
# But for a currency, a month or a day of the week in front, or the P of PT1H30M, or /Date(0)/, or the Q of Q1 2024.
# (Possessive: else a long row of dashes takes the square of its length.)
LIKE_NUMBERS = re.compile(
    rf"^\W*+(?:{CURRENCY}|(?:(?i:{WEEKDAYS})\b\W*+)?(?i:{MONTHS}|{WEEKDAYS})\b|PT(?=[0-9])|Date(?=\()|"
    r"Q(?=[1-4][ /-]?[0-9]{4}$))?\W*[0-9]"
)

# Numbers that programs write where there is none, with the largest and smallest of 16 and 32 bits; in whatever format.
ODD_NUMBER = re.compile(
    r"(?m)^\W{0,3}(?:7{2,}|8{2,}|9{2,}|-?(?:1|9)|32[.,' ]?76[78]|2[.,' ]?147[.,' ]?483[.,' ]?64[78])(?:[.,]0+)?\D*$"
)
NO_DAY, WHOLE_DAY = "00000000", re.compile("^(?:19|20)[0-9]{6}$")  # as SAP writes no day, and a day
NO_DATE = r"^(?:0{1,4}[-/.]0{1,2}[-/.]0{1,4})(?:[ T]00:00(?::00(?:\.0+)?)?)?$"  # 0000-00-00, as databases write it

LONG_NUMBER = re.compile(r"(?m)^[0-9]{12}|[0-9][eE]|^1[0-9]{9}(?:\.|$)")  # digits may be lost, or it counts seconds

# Words in the name of a column.
ID_NAMES = {
    "id", "ids", "uuid", "guid", "key", "index", "idx", "rownum", "rownames", "row", "unnamed", "nr", "no", "record", "hash",
    "nummer",
}  # fmt: skip
CODE_NAMES = {
    "zip", "zipcode", "plz", "postcode", "postal", "phone", "telephone", "tel", "fax", "mobile", "isbn", "ssn", "ean",
}  # fmt: skip
# What also says that whole numbers are names: area code, statusCode, but not lines of code.
CALLED_CODE = re.compile(
    r"^(?!.*(?<![A-Za-z])of[ _.-]*codes?$)(?:.*[ _.-])?(?i:codes?|fips|naics|upc|gtin|sku|cep|pincode)$|[a-z]Codes?$"
)
DURATION_NAMES = {"duration", "durations", "dauer", "elapsed", "runtime", "laufzeit", "durée", "length", "took", "uptime"}
VERSION_NAMES = {"version", "versions", "release", "firmware"}
TIME_NAMES = {
    "time", "date", "datum", "datetime", "timestamp", "ts", "epoch", "created", "updated", "modified", "at", "when",
}  # fmt: skip
DAY_NAMES = TIME_NAMES | {"day", "tag", "dob", "birthday", "fecha", "jour", "since", "until"}
TRUTHS = [
    {"true", "false"}, {"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"ja", "nein"}, {"j", "n"}, {"oui", "non"},
    {"si", "no"}, {"sí", "no"}, {"sì", "no"}, {"wahr", "falsch"}, {"vrai", "faux"}, {"sim", "não"}, {"sim", "nao"},
    {"s", "n"}, {"o", "n"}, {"vero", "falso"}, {"verdadero", "falso"}, {"verdadeiro", "falso"}, {"ja", "nee"}, {"ja", "nej"},
    {"ja", "nei"}, {"waar", "onwaar"}, {"sand", "falsk"}, {"tak", "nie"}, {"ano", "ne"}, {"igen", "nem"}, {"evet", "hayır"},
    {"да", "нет"}, {"так", "ні"}, {"ναι", "όχι"}, {"はい", "いいえ"}, {"是", "否"}, {"예", "아니요"}, {"예", "아니오"},
]  # fmt: skip
# In a cell of a row that adds up others; "East Total", as spreadsheets write it, ends so.
TOTALS = {
    "total", "totals", "grand total", "sub-total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt",
    "zwischensumme", "gesamtergebnis", "totale", "total général", "somme", "suma", "totaal",
}  # fmt: skip
TOTAL_ENDS = (" total", " ergebnis", " summe", " somme", " totaal")
END_OF_SUM = re.compile(rf"(?m)(?:{'|'.join(sorted(TOTALS))}|{'|'.join(TOTAL_ENDS)}):?$")
TOLD_NAMES = DAY_NAMES | VERSION_NAMES  # of columns whose numbers may be something else
UNSEEN = re.compile(f"[{INVISIBLE}]")


def shown(value: object) -> str:
    """A value in a sentence, not longer than is good for it."""
    return text if len(text := str(value)) <= 30 else f"{text[:29]}…"


def one_spelling(text: str) -> str:
    """The text without what is easily typed in another way: capitals, blanks, and signs that nobody sees.

    >>> one_spelling(" New  YORK\u200b")
    'new york'
    """
    return " ".join(UNSEEN.sub("", text.casefold()).split())
