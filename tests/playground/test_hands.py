"""Points by hand and by keyboard, keys of parts that a link leaves out, and signs that are explained."""

import pytest


def focused(there):
    return there.page.evaluate("document.activeElement.dataset.cell ?? document.activeElement.id")


def open_table(there):
    there.page.click("#points-panel summary")
    there.page.wait_for_selector("#points-rows tr")


def press_on(there, cell, times=1):
    there.page.focus(f"[data-cell={cell}]")
    for _ in range(times):
        there.page.keyboard.press("Enter")
    there.settle()


def test_the_focus_follows_a_point_that_is_moved(visit):
    there = visit("#data=four&order=given")
    open_table(there)
    last = there.run("page.asList()[3]")
    press_on(there, "up3")
    assert focused(there) == "up2"
    press_on(there, "up2", times=2)
    assert there.run("page.state.points[0]") == last, "two presses, however quick, are two places"
    assert focused(there) == "down0", "up has an end here"
    press_on(there, "down0")
    assert focused(there) == "down1"
    assert there.run("page.state.points[1]") == last


def test_the_focus_stays_in_the_table_when_points_are_removed(visit):
    there = visit("#data=four&order=given")
    open_table(there)
    press_on(there, "remove3")
    assert focused(there) == "remove2", "the row before"
    press_on(there, "remove0")
    assert focused(there) == "remove0", "the row that follows"
    for _ in range(2):
        there.page.keyboard.press("Enter")
    assert there.run("page.state.points") == []
    assert focused(there) == "add-plus"


def test_a_point_that_was_dragged_is_still_outlined(visit):
    there = visit("#data=points&points=-1,0,-;1,0,%2B;0.5,-1,%2B")
    box = there.page.locator(".plane").bounding_box()
    x, y = there.run("page.pictures.list[0].plane.frame.toPixels(page.replay.x[1])")
    there.page.mouse.move(box["x"] + x, box["y"] + y)
    there.page.mouse.down()
    there.page.mouse.move(box["x"] + x + 30, box["y"] + y - 40, steps=4)
    there.page.mouse.up()
    there.settle()
    outlined = lambda: there.page.eval_on_selector_all(".point.selected", "(all) => all.map((p) => p.dataset.row)")  # noqa: E731
    assert there.run("page.state.points[1][1]") > 0
    assert outlined() == ["1"]
    there.page.keyboard.press("Delete")
    there.settle()
    assert there.run("page.state.points") == [[-1, 0, -1], [0.5, -1, 1]], "it is the one that was outlined"
    assert outlined() == []


@pytest.mark.parametrize(("panel", "key", "dialog"), [("export", "x", "#export"), ("lessons", "l", "#lessons")])
def test_keys_of_hidden_parts_do_nothing(visit, panel, key, dialog):
    for link, open_then in (("#data=four", True), (f"#data=four&hide={panel}", False)):
        there = visit(link)
        there.page.keyboard.press(key)
        assert there.page.locator(dialog).is_visible() == open_then
        there.page.keyboard.press("Escape")
        there.page.keyboard.press("?")
        keys = there.page.locator("#keys kbd").all_inner_texts()
        assert (key.upper() in keys) == open_then
        assert "Space" in keys


def test_only_signs_that_are_shown_are_explained(visit):
    signs = {"": True, "&learner=kernel": False, "&view=voted": False, "&learner=kernel&learner2=mira": True}
    for link, line in signs.items():
        there = visit(f"#data=xor&n=20{link}")
        assert ("w·x + b = 0" in there.page.locator(".legend").inner_text()) == line, link


@pytest.mark.parametrize("size", ["phone", "laptop"])
def test_options_of_the_exported_command_stay_whole(visit, size):
    there = visit("#data=four&epochs=3&bias=0&learner=mira&p=0.25&order=given", size=size)
    there.page.keyboard.press("x")
    lines = there.page.evaluate(
        """() => { const lines = [], range = document.createRange(); let top = -1;
            const walk = document.createTreeWalker(document.getElementById("export-command"), NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) [...walk.currentNode.data].forEach((letter, i) => {
                range.setStart(walk.currentNode, i); range.setEnd(walk.currentNode, i + 1);
                const box = range.getBoundingClientRect();
                if (letter.trim() && Math.abs(box.top - top) > 3) { lines.push(""); top = box.top; }
                lines[lines.length - 1] += letter; });
            return lines.map((line) => line.trim()); }"""
    )
    command = there.page.locator("#export-command").text_content()
    assert " ".join(lines) == command.strip(), "broken at blanks only"
    assert len(lines) > 1
    assert "--no-bias --no-scale --double --p 0.25" in command
