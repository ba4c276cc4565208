"""The page in three sizes, light and dark: nothing overlaps, nothing is cut off.

`ROSENBLATT_SCREENSHOTS=docs/images pytest tests/playground/test_looks.py`
writes the screenshots of the documentation.
"""

import io
import os
from pathlib import Path

import pytest
from window import SIZES, SMALL

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
FOLDER = os.environ.get("ROSENBLATT_SCREENSHOTS")
STATES = {
    "step": "#lesson=1&data=four&order=given&epochs=1&w1=1&at=2",
    "kernel": "#data=xor&n=60&margin=0.15&dataseed=2&epochs=50&learner2=kernel&degree2=2",
    "views": "#lesson=5&data=blobs&n=120&margin=0.02&noise=0.08&dataseed=5&epochs=15&view=all&unit=update&at=400",
    "three": "#data=blobs&k=3&n=60&epochs=30&at=14",
    "surface": "#lesson=17&data=surface&eta=0.2&steps=300&at=12",
    "held-out": "#data=blobs&n=60&noise=0.15&epochs=40&learner=averaged&features=x1x1,x2x2,x1x2&holdout=0.5&at=end",
    "two": "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9&at=40",
    "six": "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9&at=40&view=all",
    "big-three": "#data=blobs&k=3&n=60&epochs=30&at=14&present=1",
    "big-views": "#data=blobs&k=3&n=60&epochs=30&view=all&at=40&present=1",
    "big-six": "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9&at=40&view=all&present=1",
    "big-surface": "#lesson=17&data=surface&eta=0.2&steps=300&at=12&present=1",
    "long": "#data=blobs&learner=passive-aggressive&w1=-12345.6&w2=-23456.7&b=-34567.8&at=0&view=all",
}
SHOWN = {
    ("step", "laptop", "light"),
    ("three", "laptop", "light"),
    ("kernel", "laptop", "dark"),
    ("views", "laptop", "light"),
    ("step", "phone", "light"),
}
ALWAYS = SHOWN | {
    ("surface", "laptop", "dark"),
    ("held-out", "laptop", "light"),
    ("two", "laptop", "light"),
    ("six", "laptop", "dark"),
    ("long", "laptop", "light"),
    ("big-three", "lecture", "light"),
    ("big-views", "laptop", "dark"),
    ("big-six", "lecture", "light"),
    ("big-three", "phone", "dark"),
}
CASES = [(state, size, scheme) for state in STATES for size in SIZES for scheme in ("light", "dark")]

# Pairs of visible things with words on them that lie on each other, and things whose words do not fit into them.
LOOK = """() => {
    const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".unseen");
    const kinds = "button, label, select, h1, h2, output, input, dt, dd, figcaption, p, li, summary, strong, span, th";
    const things = [...document.querySelectorAll(kinds)].filter(shown);
    const inside = (box) => box.width > 2 && box.height > 2;
    // Words that run on from line to line have a box a line; around all of them there is room for others.
    const runsOn = (node) => getComputedStyle(node).display === "inline";
    const lines = (node) => runsOn(node) ? node.getClientRects() : [node.getBoundingClientRect()];
    const boxes = things.map((node) => [...lines(node)].filter(inside));
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const name = (node) => `${node.tagName}#${node.id}.${node.className} ${node.textContent.slice(0, 30)}`;
    const found = [];
    // On a phone the transport lies above the page, which scrolls beneath it.
    const floats = getComputedStyle(document.getElementById("transport")).position === "fixed";
    const home = (node) => node.closest(floats ? "#transport, aside, #centre, header" : "aside, #centre, header");
    things.forEach((node, i) => {
        const style = getComputedStyle(node);
        // What scrolls can be read; what is hidden or ends in "…" cannot. A box to type in scrolls by itself.
        const scrolls = ["auto", "scroll"].includes(style.overflowX) || node.matches("input, select");
        const room = style.overflowX === "visible" ? 3 : 1;
        const holds = scrolls || style.display === "inline" || node.scrollWidth < node.clientWidth + room;
        if (!holds) found.push(`cut: ${name(node)}`);
        if (node.matches("strong, span, th")) return;
        things.slice(i + 1).forEach((other, j) => {
            if (other.matches("strong, span, th")) return;
            if (node.contains(other) || other.contains(node)) return;
            if (home(node) !== home(other)) return;
            const over = boxes[i].some((a) => boxes[i + 1 + j].some((b) => meet(a, b)));
            if (over) found.push(`overlap: ${name(node)} and ${name(other)}`);
        });
    });
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
    for (const picture of document.querySelectorAll(".canvas")) {
        const box = picture.getBoundingClientRect();
        if (box.width < 150 || box.height < 150) found.push(`a picture of ${box.width} by ${box.height}`);
    }
    return found;
}"""


@pytest.mark.parametrize(("state", "size", "scheme"), CASES if FULL else [case for case in CASES if case in ALWAYS])
def test_nothing_overlaps_or_is_cut(visit, state, size, scheme):
    tab = visit(STATES[state], size=size, scheme=scheme)
    tab.until("page.pictures.list.every((part) => part.plane.shown.weights || part.plane.shown.image)")
    assert tab.page.evaluate(LOOK) == []
    tops = tab.run("page.pictures.list.map(({ box }) => box.getBoundingClientRect().top)")
    narrow = SIZES[size][0] < 1024
    rows = len(tops) if narrow else len(tops) // 3 or 1
    assert len(set(tops)) == rows, "pictures of a row stand side by side"
    if state.startswith("big"):
        assert tab.page.evaluate(SMALL) == [], "no text is smaller than 20 px"
        places = () if "phone" in size else ("#transport",) if narrow else (".canvas", "#transport")  # or scrolled to
        for place in places:
            boxes = [one.bounding_box() for one in tab.page.locator(place).all()]
            assert max(box["y"] + box["height"] for box in boxes) <= tab.run("innerHeight") + 1, f"{place} is cut"
    picture = tab.page.screenshot()
    assert len(picture) > 20_000, "something was drawn"
    if FOLDER and (state, size, scheme) in SHOWN:
        save(picture, Path(FOLDER) / f"playground-{state}-{size}.png")


def save(picture, path):
    """With a palette: a third of the size, and the same to the eye, also of colours that few pixels have."""
    from PIL import Image, ImageChops

    path.parent.mkdir(parents=True, exist_ok=True)
    whole = Image.open(io.BytesIO(picture)).convert("RGB")
    small = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE)
    assert max(most for _, most in ImageChops.difference(whole, small.convert("RGB")).getextrema()) < 32, "a colour is lost"
    small.save(path, optimize=True)
    assert path.stat().st_size < 150_000
