"""Small pieces of HTML for notebooks: everything that comes from data is shown as text, whatever it holds.

>>> print(facts("Model", {"target": "<img src=x onerror=alert(1)>", "rows": 5000}))
<table><caption>Model</caption>
<tr><th>target</th><td>&lt;img src=x onerror=alert(1)&gt;</td></tr>
<tr><th>rows</th><td>5,000</td></tr></table>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

CUT = 200  # characters of a name or a value that are shown

# Characters that would act instead of being seen: controls get their pictures (␀ ␊ …); those that turn the direction of
# writing, halves of surrogate pairs and other non-characters become �.
_PICTURES: dict[int, str] = {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "␡"}
_HIDDEN = (range(0x80, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000), (0x200E, 0x200F, 0x2028,
           0x2029, 0x61C, 0xFEFF, 0xFFFE, 0xFFFF))  # fmt: skip
_SEEN = _PICTURES | {code: "�" for codes in _HIDDEN for code in codes}


def shown(value: Any, longest: int = CUT) -> str:
    """A value as text that can be put on a page: one line, no character that acts, not too long. It is not yet escaped.

    >>> shown("two\\nlines"), shown("x" * 9, longest=5), shown(None), shown(0.1 + 0.2)
    ('two␊lines', 'xxxx…', '', '0.3')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return cut.translate(_SEEN)


def cell(value: Any) -> str:
    """The same, escaped; whole numbers with commas."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return escape(f"{value:,}" if whole else shown(value))


def facts(title: str, named: Mapping[str, Any]) -> str:
    """A table of names and values."""
    rows = "\n".join(f"<tr><th>{cell(name)}</th><td>{cell(value)}</td></tr>" for name, value in named.items())
    return f"<table><caption>{cell(title)}</caption>\n{rows}</table>"


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a line of names above.

    >>> table("Epochs", ["mistakes"], [[3]])
    '<table><caption>Epochs</caption>\\n<tr><th>mistakes</th></tr>\\n<tr><td>3</td></tr></table>'
    """
    lines = ["<tr>" + "".join(f"<th>{cell(name)}</th>" for name in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows]
    return f"<table><caption>{cell(title)}</caption>\n" + "\n".join(lines) + "</table>"
