"""Two columns of a file: names and arrows stay in the picture, and a thin streak is told as one."""

import random

import pytest

# Pairs of words of a picture that lie on each other, and words or arrows that leave it.
STRAY = """() => [...document.querySelectorAll(".plane")].flatMap((plane) => {
    const edge = plane.getBoundingClientRect(), found = [];
    // The number of a point stands beside it, wherever that is.
    const texts = [...plane.querySelectorAll("text:not(.point-number)")];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((a, i) => {
        const out = a.left < edge.left || a.right > edge.right || a.top < edge.top || a.bottom > edge.bottom;
        if (out) found.push(`out: ${texts[i].textContent}`);
        boxes.slice(i + 1).forEach((b, j) => {
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 0 && tall > 2) found.push(`${texts[i].textContent} over ${texts[i + 1 + j].textContent}`);
        });
    });
    for (const arrow of plane.querySelectorAll(".arrow:not([hidden]), .update:not([hidden])"))
        for (const [name, most] of [["x1", edge.width], ["y1", edge.height], ["x2", edge.width], ["y2", edge.height]]) {
            const value = Number(arrow.getAttribute(name));
            if (value < 0 || value > most) found.push(`${arrow.getAttribute("class")} leaves: ${name} = ${value}`);
        }
    return found;
})"""


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Ages, hours and weights as those of a census: far from the origin, and of unlike spread."""
    draw = random.Random(5)
    path = tmp_path_factory.mktemp("files") / "people.csv"
    rows = [(draw.randrange(17, 91), draw.randrange(1, 99), draw.randrange(20_000, 400_000)) for _ in range(120)]
    lines = [f"{age},{hours},{weight},{'>50K' if age + hours > 95 else '<=50K'}" for age, hours, weight in rows]
    path.write_text("\n".join(["age,hours-per-week,weight,income", *lines]) + "\n")
    return path


SCALED = "#data=file&x=age&y=hours-per-week&scale=1&learner=averaged"  # the name upwards, and numbers of w, at the top


@pytest.mark.parametrize("size", ["phone", "laptop"])
def test_names_numbers_and_arrows_stay_in_the_picture(visit, started, people, size):
    server = started(str(people), "--target", "income")
    for link in ("#data=file&x=age&y=hours-per-week", "#data=file&x=hours-per-week&y=age&w1=-40&w2=-30&b=-9", SCALED):
        window = visit(f"{link}&at=0", server=server, size=size)
        for _ in range(5):
            assert window.page.evaluate(STRAY) == []
            window.page.keyboard.press("n")
        assert window.run("page.replay.K") > 4, "there were five different arrows"


def test_a_thin_streak_is_told_and_scaled_on_request_only(visit, started, people):
    window = visit("#data=file&x=age&y=weight", server=started(str(people), "--target", "income"))
    printed = window.page.locator("#notice-spread")
    assert "weight spreads" in printed.inner_text()
    assert "times as wide as age" in printed.inner_text()
    assert window.run("page.replay.trace.mean") is None, "nothing is changed unasked"
    printed.get_by_role("button", name="Centre and scale").click()
    window.until("page.replay.trace.mean !== null")
    assert window.page.locator("#field-scale").is_checked()
    assert not printed.is_visible()
    window.page.select_option("#field-y", "hours-per-week")
    window.page.uncheck("#field-scale")
    window.until("page.replay.trace.mean === null")
    assert not printed.is_visible(), "these two are alike"
    assert window.errors == []
