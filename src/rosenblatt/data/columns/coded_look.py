"""A look at columns of coded texts, without polars: most of them are categories, and nothing else needs it."""

from __future__ import annotations

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.columns.kinds import LEAST_WITH_DIGITS, SAMPLE, Look, Overrides, has_other_signs, share, with_oddity
from rosenblatt.data.columns.reading import all_marks, marks_of
from rosenblatt.data.columns.words import DIGIT


def look_at_codes(column: CodedTexts, said: Overrides) -> Look | None:
    """What the texts have in common; None where some may be numbers or dates."""
    wanted = said.of_column(column.name)
    known = column.without(all_marks(marks_of(said.missing, column.name)))
    values = [text for text in known.texts if text is not None]
    if len(values) > SAMPLE or wanted not in ("", "drop", "id", "category"):
        return None
    missing = known.texts.index(None) if None in known.texts else -1
    rows = len(column) - int((known.codes == missing).sum()) if missing >= 0 else len(column)
    marks = tuple(text for text in column.texts if text is not None and text not in known.texts)
    look = Look(column.name, wanted, len(column), rows, values, len(values), marks=marks)
    if has_other_signs(values) or (share(values, DIGIT) >= LEAST_WITH_DIGITS and look.may_be_numbers):
        return None
    return with_oddity(look, lambda text: int((known.codes == known.texts.index(text)).sum()))
