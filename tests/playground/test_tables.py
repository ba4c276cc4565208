"""Tables that are dropped or pasted: what is wrong with them is told in words, and then they are forgotten."""

import httpx
import pytest

GOOD = "height,weight,sort\n1.5,2,yes\n0.5,-1,no\n-1,-1,no\n2,0.25,yes\n"
BAD = {  # what is pasted, and what is then said about it
    "hello world": "Line 1: the table has a header and no rows.",
    "a,b,c\n1,2,x\nnan,3,y\n": "Line 3, column 'a': the number is nan. Correct it, or leave the cell empty.",
    "hello world\nis no table\n": "The plane needs two columns of numbers beside the label: of hello world none is one.",
    "size,sort\n1,x\n2,y\n": "The plane needs two columns of numbers beside the label: of size, sort only 'size' is one.",
    "a,b,c\n1,2,x\n2,3,x\n": "All labels are 'x'. Two classes are needed to tell one from another.",
    "a,b,c\n1,2,\n,3,y\n": "No row has all three: two numbers and a label. Two classes are needed to tell one from another.",
    'a,"b\n1,2': "Line 1: a quote is opened on this line and never closed.",
}


def paste(there, text):
    there.page.click("#csv-open")
    there.page.fill("#csv-text", text)
    there.page.click("#csv-take")


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_with_a_table_is_told_in_words(playground, text):
    answer = httpx.post(f"{playground.address}api/trace", json={"data": {"kind": "csv", "text": text}}, timeout=20)
    assert answer.json()["error"] == BAD[text]


@pytest.mark.parametrize("text", list(BAD)[:2])
@pytest.mark.parametrize("before", ["#data=xor&n=24&at=7", "a table"])
def test_a_refused_table_is_forgotten(visit, text, before):
    there = visit("" if before == "a table" else before)
    if before == "a table":
        paste(there, GOOD)
        there.until("page.state.points.length === 4")
    points, place = there.run("page.replay.trace.points"), there.run("page.place")
    paste(there, text)
    there.page.wait_for_selector("#notice-table:not([hidden])")
    assert there.page.locator("#notice-table span").inner_text() == f"This table was not taken. {BAD[text]}"
    there.settle()
    assert (there.run("page.replay.trace.points"), there.run("page.place")) == (points, place)
    there.page.fill("#field-seed", "3")
    there.page.keyboard.press("Enter")
    there.page.select_option("#field-learner", "mira")
    there.until("page.runs[''].learner === 'mira'")
    assert there.run("page.runs[''].task.seed") == 3
    assert there.run("page.replay.trace.points") == points
    assert not there.page.locator("#notice-refused").is_visible()
    assert not there.page.locator("#notice-table").is_visible(), "it was told once"
    if before == "a table":
        assert there.run("page.replay.trace.names") == ["height", "weight"], "it is still the table"
    assert there.errors == []


def test_a_column_that_cannot_be_drawn_leaves_the_one_before(visit):
    there = visit()
    paste(there, GOOD)
    there.until("page.state.points.length === 4")
    there.page.select_option("#field-x", "sort")
    there.page.wait_for_selector("#notice-table:not([hidden])")
    there.settle()
    assert there.page.locator("#field-x").input_value() == "height"
    there.page.select_option("#field-x", "weight")
    there.until("page.state.points[0][0] === 2")
    assert there.errors == []


def test_what_is_wrong_is_seen_on_a_phone(visit):
    there = visit("#data=four", size="phone")
    paste(there, "hello world")
    there.page.wait_for_selector("#notice-table:not([hidden])")
    there.settle()
    top = there.page.locator("#notice-table span").bounding_box()["y"]
    assert 0 <= top < 740, "the button that was pressed is far below"


def test_notes_about_a_table_go_with_it(visit):
    there = visit()
    paste(there, "height,weight,sort\n1.5,2,yes\n,3,yes\n0.5,-1,no\n")
    there.page.wait_for_selector("#notice-notes:not([hidden])")
    assert there.page.locator("#notice-notes").inner_text().strip() == "1 row with a missing value was left out."
    there.run("page.edit([[1, 1, 1]])")
    assert "All points are of one class" in there.page.locator("#notice-refused").inner_text()
    assert not there.page.locator("#notice-notes").is_visible()


@pytest.mark.parametrize("names", [("no", "yes"), ("<img src=x onerror=alert(1)>", "ja & nein; +1,2#%")])
def test_names_of_classes_go_with_the_link(visit, names):
    there = visit()
    minus, plus = (f'"{name}"' for name in names)
    paste(there, f"height,weight,sort\n1.5,2,{plus}\n0.5,-1,{minus}\n-1,-1,{minus}\n2,0.25,{plus}\n")
    there.until("page.state.points.length === 4")
    legend = lambda: [there.page.locator(f"#class-{side}").inner_text() for side in ("minus", "plus")]  # noqa: E731
    assert sorted(legend()) == sorted(names)
    shown = legend()
    there.page.reload()
    there.ready()
    assert legend() == shown
    there.run("page.edit([...page.asList(), [3, 3, 1]])")
    there.until("page.replay.n === 5")
    assert legend() == shown, "and with points that are added"
    there.page.reload()
    there.ready()
    assert (there.run("page.replay.n"), legend()) == (5, shown)
    there.page.select_option("#field-data", "xor")
    there.until("page.replay.n === 60")
    assert legend() == ["negative", "positive"]
    assert there.errors == []
