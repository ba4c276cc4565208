"""The page: the lecture's example step by step, the engine's bits, and every way to get about."""

import json
import os
import re

import numpy as np
import pytest

import rosenblatt

# LECTURES B3: activations, and (w, b) after each example of the first epoch, from w = (1, 0), b = 0.
BOULDER = "#data=four&order=given&epochs=1&w1=1&at=0"
ACTIVATIONS = [1, 0.5, -2.5, -0.5]
WEIGHTS = [[1, 0, 0], [0.5, 1, -1], [0.5, 1, -1], [0.5, 1, -1]]

LEARNERS = {
    "perceptron": (rosenblatt.Perceptron, {}, ""),
    "falling rate": (rosenblatt.Perceptron, {"eta0": 0.3, "learning_rate": "1/updates"}, "&rate=0.3&schedule=1/updates"),
    "averaged": (rosenblatt.AveragedPerceptron, {}, ""),
    "voted": (rosenblatt.VotedPerceptron, {}, ""),
    "mira": (rosenblatt.Mira, {}, ""),
    "p": (rosenblatt.Mira, {"p": 0.4}, "&p=0.4"),
    "passive-aggressive": (rosenblatt.PassiveAggressive, {"C": 0.3, "variant": "II"}, "&C=0.3&variant=II"),
    "arow": (rosenblatt.Arow, {"r": 0.5}, "&r=0.5"),
    "logistic": (rosenblatt.SoftPerceptron, {}, ""),
    "widrow-hoff": (rosenblatt.WidrowHoff, {}, ""),
}
NAMES = {"falling rate": "perceptron", "p": "mira"}
FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
CLOUDS = "#data=blobs&n=50&margin=-0.1&noise=0.1&dataseed=3&epochs=7&seed=5"


def large_only(*values):
    """A case for the large profile."""
    return [pytest.param(*values, marks=[pytest.mark.full, pytest.mark.skipif(not FULL, reason="ROSENBLATT_TESTS=full")])]


def test_boulders_example_step_by_step(visit):
    window = visit(BOULDER)
    for activation, (w1, w2, b) in zip(ACTIVATIONS, WEIGHTS, strict=True):
        window.page.keyboard.press("ArrowRight")
        assert float(window.page.locator("[data-activation]").get_attribute("data-activation")) == activation
        assert window.run("page.replay.at(page.place).last") == [w1, w2, b]
        shown = window.page.locator(".picture figcaption").inner_text().replace("−", "-")
        assert f"w = ({w1:g}, {w2:g}), b = {b:g}" in shown
    assert window.run("page.replay.K") == 1, "no other update"


def test_hmcs_example_without_bias_takes_five_updates(visit):
    window = visit("#data=four&order=given&epochs=20&w1=1&bias=0")  # LECTURES H3
    assert window.run("page.replay.K") == 5
    assert window.run("page.replay.at(page.replay.T).last") == [1.5, 1, 0]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_page_ends_on_the_weights_that_fit_returns(visit, name):
    kind, parameters, link = LEARNERS[name]
    window = visit(f"{CLOUDS}&learner={NAMES.get(name, name)}{link}&w1=0.25&b=-0.5")
    X, y = window.run("page.replay.trace.points"), window.run("page.replay.y")
    clf = kind(max_iter=7, random_state=5, **parameters).fit(X, y, coef_init=[[0.25, 0]], intercept_init=[-0.5])
    end = window.run("page.replay.at(page.replay.T)")
    for view in ("last", "averaged"):
        fitted = clf.view(view)
        assert end[view] == [*fitted.coef_[0].tolist(), *fitted.intercept_.tolist()], "to the bit"
    assert window.run("page.replay.K") == clf.n_updates_
    assert not window.page.locator("#notice-bits").is_visible()


def test_the_kernel_learner_ends_on_the_coefficients_that_fit_returns(visit):
    window = visit("#data=xor&n=60&dataseed=2&learner=kernel&degree=2&seed=4&epochs=30")
    X, y = window.run("page.replay.trace.points"), window.run("page.replay.y")
    clf = rosenblatt.KernelPerceptron(kernel="poly", degree=2, max_iter=30, random_state=4).fit(X, y)
    expected = np.zeros(len(y))
    expected[clf.support_] = clf.dual_coef_[0]
    assert window.run("[...page.replay.alphas(page.replay.K)]") == expected.tolist()


@pytest.mark.parametrize("order", ["once", "given", "replacement"])
def test_every_order_is_the_engines(visit, order):
    window = visit(f"{CLOUDS}&learner=mira&order={order}&scale=1")
    assert window.run("page.replay.agrees()")
    rows = window.run("Array.from({length: page.replay.T}, (_, t) => page.replay.rowAt(t))")
    for t, row in zip(window.run("page.replay.t"), window.run("page.replay.row"), strict=True):
        assert rows[t] == row, "the order that is shown is the one in which the log was made"


@pytest.mark.parametrize("learner", ["perceptron", "mira"])
def test_forwards_then_back_restores_the_page_exactly(visit, learner):
    window = visit(f"#data=blobs&n=30&margin=0.05&learner={learner}&at=0&view=all")
    look = "document.querySelector('main').innerHTML.replace(/href=\"data:[^\"]*\"/g, '')"
    window.page.wait_for_timeout(300)
    for key, back in (("ArrowRight", "ArrowLeft"), ("Shift+ArrowRight", "Shift+ArrowLeft")):
        seen = [(window.run("page.place"), window.run(look))]
        for _ in range(6):
            window.page.keyboard.press(key)
            seen.append((window.run("page.place"), window.run(look)))
        for place, html in reversed(seen[:-1]):
            window.page.keyboard.press(back)
            assert (window.run("page.place"), window.run(look)) == (place, html)
        assert len({html for _, html in seen}) == len(seen), "every step shows something else"


def test_weights_at_every_place_are_the_same_from_both_sides(visit):
    window = visit("#data=blobs&n=200&margin=-0.2&epochs=10&learner=passive-aggressive&C=0.7")
    assert window.run("page.replay.K") > 600, "more than two checkpoints"
    assert window.run("""(() => {
        const { replay } = page, places = Array.from({length: 200}, (_, i) => Math.floor(i * replay.T / 199));
        const up = places.map((t) => JSON.stringify(replay.at(t)));
        const down = [...places].reverse().map((t) => JSON.stringify(replay.at(t))).reverse();
        return up.every((text, i) => text === down[i]);
    })()""")


def test_a_journey_with_the_keyboard_only(visit):
    window = visit("#data=four&order=given&epochs=3&w1=1&at=0")
    press = window.page.keyboard.press
    press("n")
    assert window.run("page.place") == 2, "the second example is the first mistake"
    assert "w becomes (0.5, 1), b −1" in window.page.locator("#live").inner_text()
    press("e")
    assert window.run("page.place") == 4
    press("End")
    assert window.run("page.place") == window.run("page.replay.T")
    press("Home")
    press("Space")
    window.until("page.place > 0")
    press("Space")
    assert not window.run("page.player.playing")
    press("p")  # to the points, and add one through the table
    press("Tab")
    assert window.page.evaluate("document.activeElement.id") == "add-plus"
    press("Enter")
    window.settle()
    assert window.run("page.replay.n") == 5
    for _ in range(3):
        press("Tab")
    press("Tab")
    assert window.page.evaluate("document.activeElement.dataset.cell") == "0-0"
    press("Control+a")
    window.page.keyboard.type("-1.75")
    press("Enter")
    window.settle()
    assert window.run("page.state.points[0]") == [-1.75, 1, 1]
    press("?")
    press("Escape")
    window.page.evaluate("document.activeElement.blur()")
    press("l")
    press("Tab")
    press("Enter")
    window.settle()
    assert window.run("page.state.lesson") >= 1 or window.page.locator("#lessons").is_visible()
    assert window.errors == []


def test_points_are_added_moved_and_removed_by_hand(visit):
    window = visit("#data=points&points=-1,0,-;1,0,+")
    box = window.page.locator(".plane").bounding_box()
    at = lambda x, y: (box["x"] + x * box["width"], box["y"] + y * box["height"])  # noqa: E731
    window.page.mouse.click(*at(0.7, 0.2))
    window.settle()
    window.page.keyboard.down("Shift")
    window.page.mouse.click(*at(0.2, 0.2))
    window.page.keyboard.up("Shift")
    window.settle()
    points = window.run("page.state.points")
    assert [label for _, _, label in points] == [-1, 1, 1, -1]
    x, y = window.run("page.pictures.list[0].plane.frame.toPixels(page.replay.x[2])")
    window.page.mouse.move(box["x"] + x, box["y"] + y)
    window.page.mouse.down()
    window.page.mouse.move(*at(0.6, 0.7), steps=5)
    window.page.mouse.up()
    window.settle()
    moved = window.run("page.state.points")
    assert moved[2][1] < 0 < points[2][1]
    assert moved[:2] + moved[3:] == points[:2] + points[3:]
    window.page.keyboard.press("Delete")
    window.settle()
    assert window.run("page.state.points") == points[:2] + points[3:]
    window.page.reload()
    window.ready()
    assert window.run("page.state.points") == points[:2] + points[3:], "the address holds them"


def test_points_of_one_class_are_shown_and_the_other_is_asked_for(visit):
    window = visit("#data=points&points=1,1,%2B")
    assert "add one of the other" in window.page.locator("#notice-refused").inner_text()
    assert window.page.locator(".point").count() == 1
    window.page.click("#points-panel summary")
    window.page.click("#clear-points")
    assert "There are no points yet" in window.page.locator("#notice-refused").inner_text()
    window.run("page.edit([[1, 1, 1], [0, -1, -1]])")
    window.settle()
    assert not window.page.locator("#notice-refused").is_visible()
    assert window.errors == []


def test_rows_of_the_table_are_reordered_by_dragging(visit):
    window = visit("#data=four&order=given")
    window.page.click("#points-panel summary")
    rows = window.page.locator("#points-rows tr")
    rows.nth(0).locator("th").drag_to(rows.nth(2).locator("th"))
    window.settle()
    assert window.run("page.state.points") == [[0.5, -1, -1], [-1, -1, -1], [1, 1, 1], [-1, 1, -1]]


CSV = "height,weight,sort\n1.5,2,yes\n0.5,-1,no\n-1,-1,no\n,3,yes\n2,0.25,yes\n"


def test_a_dropped_csv_becomes_points(visit):
    window = visit()
    window.page.evaluate(
        """(text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "mine.csv", { type: "text/csv" }));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        CSV,
    )
    window.until("page.state.data === 'points'")
    assert window.run("page.state.points") == [[1.5, 2, 1], [0.5, -1, -1], [-1, -1, -1], [2, 0.25, 1]]
    assert window.run("page.replay.trace.names") == ["height", "weight"]
    assert "1 row with a missing value was left out" in window.page.locator("#notice-notes").inner_text()
    window.page.select_option("#field-x", "weight")
    window.until("page.state.points[0][0] === 2")


def test_a_pasted_csv_becomes_points_and_nonsense_is_refused(visit):
    window = visit()
    window.page.click("#csv-open")
    window.page.fill("#csv-text", CSV)
    window.page.click("#csv-take")
    window.until("page.state.points.length === 4")
    window.page.click("#csv-open")
    window.page.fill("#csv-text", "no numbers\nhere at all\n")
    window.page.click("#csv-take")
    window.page.wait_for_selector("#notice-table:not([hidden])")


def test_separable_points_are_said_to_be_so_with_the_margin_that_certify_finds(visit):
    window = visit("#data=blobs&n=60&margin=0.2")
    margin = rosenblatt.certify(window.run("page.replay.trace.points"), window.run("page.replay.y")).margin
    printed = window.page.locator("#bound-text").inner_text()
    assert f"A line separates these points, with margin {margin:.5g}" in printed
    assert "No line" not in printed


def test_inseparable_points_are_shown_with_the_proof(visit):
    window = visit("#data=points&points=0,0,-;1,1,-;0,1,%2B;1,0,%2B")
    assert "these four points prove that no line separates them" in window.page.locator("#bound-text").inner_text()
    assert window.page.locator(".point.proving").count() == 4


def test_the_bound_of_the_theorem_is_shown(visit):
    window = visit("#data=four&order=given&at=end")
    # By hand: v = (1, ¾, −¾) gives three of the points margin 1 and the fourth 2.5, and is a sum of these three with weights
    # 11/16, ¾ and 11/16, so it is the shortest; R² = 1 + 1 + 1, and R² |v|² = 3 · 17/8.
    assert window.run("page.replay.trace.certificate.bound") == pytest.approx(6.375, rel=1e-9)
    printed = window.page.locator("#bound-text").inner_text()
    assert re.search(r"3 updates, of at most R²/γ² = 6\.4\b", printed)
    # θ = (1.5, 1, −1) has the least margin 1.25 and |θ|² = 4.25; γ* = 1/|v| = √(8/17): 1.25/√4.25 is 88.39 % of it.
    assert "Margin: γ = 0.60634: the last weights separate all rows; 88.39 % of γ* = 0.68599, the best." in printed


def test_parts_are_hidden_for_a_class(visit):
    window = visit("#hide=data,learner,training,start,points,export")
    assert not window.page.locator("#left").is_visible()
    assert not window.page.get_by_role("button", name="Export").is_visible()
    assert window.page.locator("#right").is_visible()


def test_a_killed_server_is_told_and_its_return_noticed(visit, started):
    server = started()
    window = visit(server=server)
    server.kill()
    window.page.select_option("#field-learner", "mira")
    window.page.wait_for_selector("#notice-offline:not([hidden])")
    assert "does not answer" in window.page.locator("#notice-offline").inner_text()
    server.start()
    window.page.wait_for_selector("#notice-offline", state="hidden", timeout=15_000)
    window.until("page.runs[''].learner === 'mira'")


def test_no_request_leaves_the_loopback(visit):
    window = visit("#data=xor&learner2=kernel&view=all")
    window.page.keyboard.press("l")
    window.page.wait_for_timeout(300)
    assert window.requests
    assert all(url.startswith((window.address, "data:", "blob:", "about:")) for url in window.requests), json.dumps(
        window.requests
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("size", "link"),
    [
        ("laptop", "#lesson=3&data=blobs&k=5&holdout=0.2&at=5"),
        *large_only("phone", "#data=xor&learner2=kernel&at=9"),
        *large_only("phone", "#data=blobs&k=5&features=x1x2&learner2=voted&at=9"),
    ],
)
def test_axe_finds_nothing(visit, scheme, size, link):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    window = visit(link, scheme=scheme, size=size)
    window.page.click("#points-panel summary")
    window.page.wait_for_timeout(200)
    keys = ("", "l", "x", "?") if FULL else ("",)
    for key in keys:
        window.page.evaluate("document.activeElement.blur()")
        if key:
            window.page.keyboard.press(key)
        result = axe.Axe().run(window.page)
        assert result.violations_count == 0, result.generate_report()
        window.page.keyboard.press("Escape")


def test_axe_finds_nothing_on_a_surface(visit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    result = axe.Axe().run(visit("#lesson=17&data=surface&at=5").page)
    assert result.violations_count == 0, result.generate_report()
