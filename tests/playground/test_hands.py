"""Points by hand and by keyboard, keys of parts that a link leaves out, and signs that are explained."""

import pytest


def focused(window):
    return window.page.evaluate("document.activeElement.dataset.cell ?? document.activeElement.id")


def open_table(window):
    window.page.click("#points-panel summary")
    window.page.wait_for_selector("#points-rows tr")


def press_on(window, cell, times=1):
    window.page.focus(f"[data-cell={cell}]")
    for _ in range(times):
        window.page.keyboard.press("Enter")
    window.settle()


def test_the_focus_follows_a_point_that_is_moved(visit):
    window = visit("#data=four&order=given")
    open_table(window)
    last = window.run("page.asList()[3]")
    press_on(window, "up3")
    assert focused(window) == "up2"
    press_on(window, "up2", times=2)
    assert window.run("page.state.points[0]") == last, "two presses, however quick, are two places"
    assert focused(window) == "down0", "up has an end here"
    press_on(window, "down0")
    assert focused(window) == "down1"
    assert window.run("page.state.points[1]") == last


def test_the_focus_stays_in_the_table_when_points_are_removed(visit):
    window = visit("#data=four&order=given")
    open_table(window)
    press_on(window, "remove3")
    assert focused(window) == "remove2", "the row before"
    press_on(window, "remove0")
    assert focused(window) == "remove0", "the row that follows"
    for _ in range(2):
        window.page.keyboard.press("Enter")
    assert window.run("page.state.points") == []
    assert focused(window) == "add-plus"


def test_a_point_that_was_dragged_is_still_outlined(visit):
    window = visit("#data=points&points=-1,0,-;1,0,%2B;0.5,-1,%2B")
    box = window.page.locator(".plane").bounding_box()
    x, y = window.run("page.pictures.list[0].plane.frame.toPixels(page.replay.x[1])")
    window.page.mouse.move(box["x"] + x, box["y"] + y)
    window.page.mouse.down()
    window.page.mouse.move(box["x"] + x + 30, box["y"] + y - 40, steps=4)
    window.page.mouse.up()
    window.settle()
    outlined = lambda: window.page.eval_on_selector_all(".point.selected", "(all) => all.map((p) => p.dataset.row)")  # noqa: E731
    assert window.run("page.state.points[1][1]") > 0
    assert outlined() == ["1"]
    window.page.keyboard.press("Delete")
    window.settle()
    assert window.run("page.state.points") == [[-1, 0, -1], [0.5, -1, 1]], "it is the one that was outlined"
    assert outlined() == []


@pytest.mark.parametrize(("panel", "key", "dialog"), [("export", "x", "#export"), ("lessons", "l", "#lessons")])
def test_keys_of_hidden_parts_do_nothing(visit, panel, key, dialog):
    for link, open_then in (("#data=four", True), (f"#data=four&hide={panel}", False)):
        window = visit(link)
        window.page.keyboard.press(key)
        assert window.page.locator(dialog).is_visible() == open_then
        window.page.keyboard.press("Escape")
        window.page.keyboard.press("?")
        keys = window.page.locator("#keys kbd").all_inner_texts()
        assert (key.upper() in keys) == open_then
        assert "Space" in keys


def test_only_signs_that_are_shown_are_explained(visit):
    signs = {"": True, "&learner=kernel": False, "&view=voted": False, "&learner=kernel&learner2=mira": True}
    for link, line in signs.items():
        window = visit(f"#data=xor&n=20{link}")
        assert ("w·x + b = 0" in window.page.locator(".legend").inner_text()) == line, link


@pytest.mark.parametrize("size", ["phone", "laptop"])
def test_options_of_the_exported_command_stay_whole(visit, size):
    window = visit("#data=four&epochs=3&bias=0&learner=mira&p=0.25&order=given", size=size)
    window.page.keyboard.press("x")
    lines = window.page.evaluate(
        """() => { const lines = [], range = document.createRange(); let top = -1;
            const walk = document.createTreeWalker(document.getElementById("export-command"), NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) [...walk.currentNode.data].forEach((letter, i) => {
                range.setStart(walk.currentNode, i); range.setEnd(walk.currentNode, i + 1);
                const box = range.getBoundingClientRect();
                if (letter.trim() && Math.abs(box.top - top) > 3) { lines.push(""); top = box.top; }
                lines[lines.length - 1] += letter; });
            return lines.map((line) => line.trim()); }"""
    )
    command = window.page.locator("#export-command").text_content()
    assert " ".join(lines) == command.strip(), "broken at blanks only"
    assert len(lines) > 1
    assert "--no-bias --no-scale --double --p 0.25" in command
