"""The documentation: whole, linked, and with a place for every item of the lectures."""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
ITEMS = [f"{letter}{k}" for letter, last in zip("BHUWO", (9, 9, 6, 10, 10), strict=True) for k in range(1, last + 1)]


def pages():
    return {path.name: path.read_text() for path in DOCS.glob("*.md")}


def test_every_item_of_the_lectures_has_a_page_that_names_it():
    index = dict(re.findall(r"^\| (\w+) \| .* \| \[.*\]\((.*)\) \|$", pages()["lectures.md"], re.MULTILINE))
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
