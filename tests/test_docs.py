"""The documentation: whole, linked, and with a place for every item of the lectures."""

import re
from pathlib import Path

import pytest

from rosenblatt.lab import EXPERIMENTS

DOCS = Path(__file__).parent.parent / "docs"
ITEMS = [f"{letter}{k}" for letter, last in zip("BHUWO", (9, 9, 6, 10, 10), strict=True) for k in range(1, last + 1)]


def pages():
    return {path.name: path.read_text() for path in DOCS.glob("*.md")}


def test_every_item_of_the_lectures_has_a_page_that_names_it():
    index = dict(re.findall(r"^\| (\w+) \| .* \| \[.*\]\(([^)#]*)(?:#[\w-]+)?\) \|$", pages()["lectures.md"], re.MULTILINE))
    assert sorted(index) == sorted(ITEMS)
    silent = [f"{item} on {page}" for item, page in index.items() if not re.search(rf"\b{item}\b", pages()[page])]
    assert not silent


def test_every_link_between_pages_leads_somewhere():
    found = pages()
    for name, text in found.items():
        for page, anchor in re.findall(r"\]\(([\w-]+\.md)(#[\w-]+)?\)", text):
            assert page in found, f"{name} links to {page}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", found[page], re.MULTILINE)
                slugs = {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
                assert anchor in slugs, f"{name} links to {page}{anchor}"


def test_every_page_is_in_the_index():
    listed = re.findall(r"^[\w-]+$", pages()["index.md"], re.MULTILINE)
    assert sorted(listed) == sorted(name.removesuffix(".md") for name in pages() if name != "index.md")


def course():
    """The pages of the course by name, without the lists at its end."""
    listed = re.search(r":caption: The course\n\n(.*?)```", pages()["index.md"], re.DOTALL)[1].split()
    return {name: pages()[f"{name}.md"] for name in listed if name not in ("errata", "lectures")}


def test_every_page_of_the_course_has_exercises_with_folded_answers():
    for name, text in course().items():
        exercises = text.partition("## Exercises")[2]
        assert 3 <= len(re.findall(r"^\*\*\d\.\*\* ", exercises, re.MULTILINE)) <= 5, f"{name} has too few exercises"
        answers = re.findall(r"<details><summary>Answer</summary>(.*?)</details>", exercises, re.DOTALL)
        assert len(answers) == len(re.findall(r"^\*\*\d\.\*\* ", exercises, re.MULTILINE))
        assert all(">>> " in answer for answer in answers), f"{name}: an answer that no test runs"


def test_every_page_has_a_picture_that_something_draws():
    drawn = set(re.findall(r"^def (\w+)\(ax", (DOCS / "pictures.py").read_text(), re.MULTILINE)) | set(EXPERIMENTS)
    for name, text in pages().items():
        pictures = re.findall(r"!\[.+\]\((.+)\)", text)
        assert pictures, f"{name} has no picture"
        assert all((DOCS / picture).exists() or Path(picture).stem in drawn for picture in pictures), name


def test_every_formula_becomes_mathml():
    converter = pytest.importorskip("latex2mathml.converter", reason="latex2mathml is not installed")
    pattern = r"\$\$(.+?)\$\$|(?<![\w$`])\$([^$\n`]+)\$(?![\w$])"
    formulas = [formula for text in pages().values() for formula in re.findall(pattern, prose(text))]
    assert len(formulas) > 20
    for display, inline in formulas:
        written = converter.convert(display or inline)
        assert written.startswith("<math")
        assert "\\" not in written, "a command that is not known"


def test_no_formula_is_left_in_plain_letters():
    """A sum, a root, a derivative, an assignment, a quotient of squares or an index outside of $…$ and code."""
    left = re.compile(r"[Σ√∂←½]|²/|\b[A-Za-zα-ω]_\w")
    for name, text in pages().items():
        typeset = r"\$\$.+?\$\$|\$[^$\n]+\$|!?\[[^]]*\]\([^)]*\)|^#[^\n]*$"
        words = re.sub(typeset, "", prose(text), flags=re.DOTALL | re.MULTILINE)
        lines = [line for line in words.splitlines() if left.search(line)]
        assert not lines, f"{name}: typeset it as $…$: {lines[0]}"


def prose(text):
    """A page without its code, in which $ is a prompt or a currency."""
    return re.sub(r"```.*?```|`[^`\n]*`|^    [^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
