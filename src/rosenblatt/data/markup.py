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

from rosenblatt.errors import HIDDEN_CHARACTERS

CUT = 200  # characters of a name or a value that are shown

# Controls get their pictures (␀ ␊ …); what else would act instead of being seen becomes �.
_SEEN: dict[int, str] = (
    dict.fromkeys(HIDDEN_CHARACTERS, "�") | {code: chr(0x2400 + code) for code in range(32)} | {0x7F: "␡"}
)


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
    """A value as HTML, escaped; whole numbers with commas."""
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
