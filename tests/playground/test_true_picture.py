"""The picture is true: one scale of arrows in a run, one space for lengths and angles, and no end before it comes."""

import os

import numpy as np
import pytest
from window import SMALL

from rosenblatt.theory.losses import LOSSES

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
full_only = [pytest.mark.full, pytest.mark.skipif(not FULL, reason="ROSENBLATT_TESTS=full")]
BOULDER = "#data=four&order=given&epochs=1&w1=1"
LESSON_3 = "#lesson=3&data=blobs&n=80&margin=0.15&dataseed=4&epochs=100&unit=update"

# Where the arrow of w ends in the plane, from its pixels alone.
TIP = """(() => {
  const { plane } = page.pictures.list[0];
  const [x, y] = ["x2", "y2"].map((name) => Number(plane.arrow.getAttribute(name)));
  return plane.frame.toPlane([x, y]);
})()"""


def test_the_arrow_of_boulders_w_ends_at_its_place_of_the_grid(visit):
    window = visit(f"{BOULDER}&at=2")
    assert window.run(TIP) == pytest.approx([0.5, 1], abs=0.01)  # LECTURES B3: w = (0.5, 1)
    assert window.page.locator(".w-tick").count() == 0, "no scale of its own is needed"


@pytest.mark.parametrize(
    "link", ["#data=blobs&dataseed=2&epochs=9&noise=0.1", "#data=rings&learner=widrow-hoff&rate=0.001&epochs=3"]
)
def test_all_arrows_of_a_run_have_one_scale_and_it_stands_at_the_edges(visit, link):
    window = visit(link)
    scales = []
    for share in (0.2, 0.5, 0.9, 1):
        window.run("page.go(Math.ceil(argument * page.replay.T))", share)
        w, tip = np.array(window.run("page.replay.at(page.place).last.slice(0, 2)")), np.array(window.run(TIP))
        scales.append(np.linalg.norm(tip) / np.linalg.norm(w))
    scale = window.run("page.pictures.list[0].plane.scale")
    assert scales == pytest.approx([scale] * 4, rel=0.05)
    if scale != 1:  # a tick of w at the top: its number times the scale is its place in the plane
        ticks = window.run(
            """[...document.querySelectorAll(".w-tick[text-anchor=middle]")].map((text) => [
              Number(text.textContent.replace("−", "-")),
              page.pictures.list[0].plane.frame.toPlane([Number(text.getAttribute("x")), 0])[0]])"""
        )
        assert ticks
        for w1, place in ticks:
            assert place == pytest.approx(w1 * scale, rel=1e-6)


def test_length_and_angle_are_of_the_theorems_space_and_say_so(visit):
    window = visit(f"{LESSON_3}&at=0")
    titles = window.page.locator(".chart-title").all_inner_texts()
    assert "Length |θ|, θ = (w, b)" in titles
    assert "cos(θ, θ*), θ = (w, b)" in titles
    best = np.array(window.run("page.runs[''].certificate.w"))
    for _ in range(5):
        window.page.keyboard.press("n")
        theta = np.array(window.run("page.replay.at(page.place).last"))
        shown = {
            title: float(value.replace("−", "-"))
            for title, value in zip(titles, window.page.locator(".chart-value").all_inner_texts(), strict=True)
            if "θ" in title
        }
        assert shown["Length |θ|, θ = (w, b)"] == pytest.approx(np.linalg.norm(theta), abs=1e-3)
        cosine = theta @ best / np.linalg.norm(theta) / np.linalg.norm(best)
        assert shown["cos(θ, θ*), θ = (w, b)"] == pytest.approx(cosine, abs=1e-3)
    without = visit("#data=blobs&n=80&margin=0.4&dataseed=4&bias=0&order=given")
    assert "Length |w|" in without.page.locator(".chart-title").all_inner_texts()


def test_lesson_3_says_what_its_own_run_does(visit):
    window = visit(f"{LESSON_3}&at=0")
    cosines = []
    for _ in range(3):
        window.page.keyboard.press("n")
        cosines.append(window.page.locator("figure:has-text('cos(θ') .chart-value").inner_text())
    assert cosines[1:] == ["0.98", "0.667"]
    assert "falls from 0.980 to 0.667" in window.page.locator("#lesson-words").inner_text()


def test_a_run_begins_at_its_beginning_and_nothing_tells_the_end(visit):
    window = visit("#data=blobs&dataseed=1")
    assert window.run("page.place") == 0
    updates = str(window.run("page.replay.K"))
    assert "converged" not in window.page.locator("#bound-text").inner_text()
    assert window.page.locator("#bound-text strong").first.inner_text() == "0"
    assert updates not in window.page.locator("#where").inner_text()
    covered = window.run("[...document.querySelectorAll('.chart .cover')].map((rect) => Number(rect.getAttribute('width')))")
    assert min(covered) > 200, "curves are uncovered as the run comes to them"
    window.page.keyboard.press("End")
    assert "converged" in window.page.locator("#bound-text").inner_text()
    assert window.page.locator("#bound-text strong").first.inner_text() == updates
    assert window.run("[...document.querySelectorAll('.chart .cover')].every((r) => r.getAttribute('width') === '0')")


def test_points_are_numbered_where_a_text_counts_them(visit):
    window = visit(f"{BOULDER}&at=2")
    assert window.page.locator(".points .point-number").all_text_contents() == ["1", "2", "3", "4"]
    many = visit("#data=blobs&n=40&at=1&order=given")
    assert many.page.locator(".points .point-number").count() == 0
    assert many.page.locator(".point-number").text_content() == "1", "the one at hand has its number"


def test_undo_and_redo_bring_back_points_and_settings(visit):
    window = visit(BOULDER)
    before = window.run("page.asList()")
    window.run("page.edit(page.asList().slice(1))")
    window.settle()
    window.page.locator("#field-learner").select_option("mira")
    window.settle()
    window.page.keyboard.press("Escape")
    window.page.locator("#undo").click()
    window.settle()
    assert (window.run("page.state.learner"), window.run("page.replay.n")) == ("perceptron", 3)
    window.run("document.activeElement.blur()")
    window.page.keyboard.press("Control+z")
    window.settle()
    assert window.run("page.asList()") == before
    for _ in range(2):
        window.page.keyboard.press("Control+Shift+z")
        window.settle()
    assert (window.run("page.state.learner"), window.run("page.replay.n")) == ("mira", 3)
    assert window.page.locator("#redo").get_attribute("aria-disabled") == "true"


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        ("lecture", "light"),
        ("lecture at 200 %", "light"),
        pytest.param("projector", "dark", marks=full_only),
        pytest.param("projector at 200 %", "dark", marks=full_only),
    ],
)
def test_from_the_back_row_plane_transport_and_arithmetic_are_seen_together(visit, size, scheme):
    window = visit(f"#lesson=1&{BOULDER[1:]}&at=2&present=1", size=size, scheme=scheme)
    assert window.page.evaluate(SMALL) == [], "no text is smaller than 20 px"
    height = window.run("innerHeight")
    for place in (".canvas", "#transport", "#step-facts"):
        box = window.page.locator(place).bounding_box()
        assert box["y"] >= 0
        # At 200 % the arithmetic begins in the window, and scrolls.
        seen = 40 if place == "#step-facts" and "200" in size else box["height"]
        assert box["y"] + seen <= height + 1, f"{place} is cut"


def test_on_a_phone_the_transport_is_always_in_reach(visit):
    window = visit(f"{BOULDER}&at=2", size="phone")
    for place in ("0", "document.body.scrollHeight"):
        window.run(f"window.scrollTo(0, {place})")
        box = window.page.locator("#step").bounding_box()
        assert 0 <= box["y"] <= window.run("innerHeight") - box["height"]
    assert window.run("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the phone"
    last = window.run(
        "Math.max(...[...document.querySelectorAll('main section')].map((s) => s.getBoundingClientRect().bottom))"
    )
    assert last <= window.page.locator("#transport").bounding_box()["y"], "the end of the page can be read above it"


def test_the_neuron_has_the_weights_that_the_example_met(visit):
    window = visit(f"{BOULDER}&at=2")  # LECTURES B3: w = (1, 0), b = 0 meet x = (0.5, −1), a = 0.5
    said = window.page.locator("#neuron-picture").get_attribute("aria-label")
    assert (
        said
        == "A neuron: x₁ = 0.5 with weight 1, x₂ = −1 with weight 0, 1 = 1 with weight 0; the sum is 0.5, so it fires: +1"
    )
    window.page.keyboard.press("ArrowRight")
    assert "x₂ = −1 with weight 1" in (said := window.page.locator("#neuron-picture").get_attribute("aria-label"))
    assert said.endswith("the sum is −2.5, so it rests: −1")


def test_both_losses_after_each_epoch_are_the_librarys(visit):
    window = visit("#data=blobs&n=40&margin=-0.1&noise=0.1&dataseed=3&epochs=6&at=end")
    X, y = np.array(window.run("page.replay.x")), np.array(window.run("page.replay.y"))
    *w, b = window.run("page.replay.at(page.replay.T).last")
    margins = y * (X @ w + b)
    for title, name in (("0/1 loss, after each epoch", "0/1"), ("Perceptron criterion", "perceptron criterion")):
        shown = window.page.locator(f"figure:has-text('{title}') .chart-value").inner_text()
        assert float(shown) == pytest.approx(LOSSES[name](margins).mean(), abs=6e-4)
