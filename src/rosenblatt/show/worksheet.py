"""A worksheet on paper: HTML that prints well, Markdown to fill in, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files

from rosenblatt.studies.worksheet import Blank, Exercise, Worksheet, shown, solution

HOW = (
    "Numbers to two decimals; yes or no. Every blank has a name (1a, 1b …); write answers as `1a = …`, here or in a file of "
    "their own."
)
# What LaTeX does not take as it is.
IN_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "|": "$|$", "−": "$-$", "·": r"$\cdot$", "²": "$^2$", "₁": "$_1$", "₂": "$_2$", "≤": r"$\leq$", "γ": r"$\gamma$",
    "τ": r"$\tau$", "…": r"\dots{}", "←": r"$\leftarrow$", "√": r"$\surd$", "“": "``", "”": "''",
}  # fmt: skip


def as_html(sheets: Iterable[Worksheet], answers: bool = False) -> str:
    """One page, whole by itself; sheets of several students begin on a new page each when it is printed."""
    parts = [sheet_in_html(sheet, answers) for sheet in sheets]
    body = '\n<div style="break-after: page"></div>\n'.join(parts)
    style = files("rosenblatt.show").joinpath("worksheet.css").read_text(encoding="utf-8")
    head = f'<head><meta charset="utf-8"><title>Worksheet</title><style>{style}</style></head>'
    return f'<!doctype html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>\n'


def sheet_in_html(sheet: Worksheet, answers: bool) -> str:
    def cell(content: str | Blank) -> str:
        if isinstance(content, str):
            return escape(content)
        inside = f'<span class="right">{escape(shown(content.right))}</span>' if answers else ""
        return f'<span class="blank"><span class="name">{content.key}</span>{inside}</span>'

    how = re.sub("`(.+?)`", r"<code>\1</code>", escape(HOW))
    parts = [f"<h1>{escape(title_of(sheet))}</h1>", f'<p class="muted">{how}</p>']
    for number, exercise in enumerate(sheet.exercises, start=1):
        text = "".join(f"<p>{escape(line)}</p>" for line in exercise.text)
        head = "".join(f"<th>{escape(name)}</th>" for name in exercise.head)
        rows = "".join(f"<tr>{''.join(f'<td>{cell(one)}</td>' for one in row)}</tr>" for row in exercise.rows)
        worked = "".join(f"<li>{escape(line)}</li>" for line in working(exercise)) if answers else ""
        solution = f"<details open><summary>How</summary><ul>{worked}</ul></details>" if worked else ""
        heading = f"<h2>{number}. {escape(exercise.title)} <span class='muted'>{exercise.lecture}</span></h2>"
        parts.append(f"<section>{heading}{text}<table><tr>{head}</tr>{rows}</table>{solution}</section>")
    return "\n".join([*parts, f'<p class="muted">Made by <code>{escape(sheet.command)}</code></p>'])


def as_markdown(sheets: Iterable[Worksheet], answers: bool = False) -> str:
    """To be filled in where it says `1a = ____`, and checked as it is."""

    def cell(content: str | Blank) -> str:
        if isinstance(content, str):
            return content.replace("|", "\\|")
        return f"{content.key} = {shown(content.right) if answers else '____'}"

    parts = []
    for sheet in sheets:
        parts += [f"# {title_of(sheet)}", HOW, f"Made by `{sheet.command}`"]
        for number, exercise in enumerate(sheet.exercises, start=1):
            table: list[list[str | Blank]] = [[*exercise.head], ["---" for _ in exercise.head], *exercise.rows]
            lines = [f"| {' | '.join(cell(one) for one in row)} |" for row in table]
            parts += [f"## {number}. {exercise.title} ({exercise.lecture})", *exercise.text, "\n".join(lines)]
            if answers:
                parts.append("\n".join(f"- {line}" for line in working(exercise)))
    return "\n\n".join(parts) + "\n"


def as_latex(sheets: Iterable[Worksheet], answers: bool = False) -> str:
    """An article that pdflatex takes."""

    def cell(content: str | Blank) -> str:
        if isinstance(content, str):
            return latex(content)
        right = latex(shown(content.right)) if answers else r"\rule{2em}{0.4pt}"
        return rf"\textsuperscript{{{content.key}}} {right}"

    parts = [
        r"\documentclass{article}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\setlength{\parindent}{0pt}",
        r"\begin{document}",
    ]
    for place, sheet in enumerate(sheets):
        parts += [r"\clearpage"] if place else []
        parts += [rf"\section*{{{latex(title_of(sheet))}}}", latex(HOW.replace("`", ""))]
        for number, exercise in enumerate(sheet.exercises, start=1):
            parts.append(rf"\subsection*{{{number}. {latex(exercise.title)} ({exercise.lecture})}}")
            parts += [latex(line) + r"\par" for line in exercise.text]
            table: list[list[str | Blank]] = [[*exercise.head], *exercise.rows]
            rows = [r" & ".join(cell(one) for one in row) + r" \\ \hline" for row in table]
            columns = "|".join("c" for _ in exercise.head)
            parts.append("\n".join([rf"\medskip\begin{{tabular}}{{|{columns}|}} \hline", *rows, r"\end{tabular}\medskip"]))
            if answers:
                parts.append(
                    "\n".join(
                        [r"\begin{itemize}", *(rf"\item {latex(line)}" for line in working(exercise)), r"\end{itemize}"]
                    )
                )
        parts.append(rf"\medskip\texttt{{{latex(sheet.command)}}}")
    return "\n\n".join([*parts, r"\end{document}"]) + "\n"


def latex(text: str) -> str:
    r"""Text as LaTeX takes it.

    >>> latex("R²/γ² ≤ 5 %")
    'R$^2$/$\\gamma$$^2$ $\\leq$ 5 \\%'
    """
    return "".join(IN_LATEX.get(letter, letter) for letter in text)


def title_of(sheet: Worksheet) -> str:
    return f"Worksheet {sheet.seed}" + (f", {sheet.student}" if sheet.student else "")


def working(exercise: Exercise) -> list[str]:
    """Every blank with its answer and the arithmetic that leads to it."""
    return [f"{blank.key}, {blank.what}: {solution(blank)}" for blank in exercise.blanks()]


WRITERS: dict[str, Callable[[Iterable[Worksheet], bool], str]] = {"html": as_html, "md": as_markdown, "tex": as_latex}
