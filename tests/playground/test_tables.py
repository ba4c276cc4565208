"""Tables that are dropped or pasted: what is wrong with them is told in words, and then they are forgotten."""

import httpx
import pytest

GOOD = "height,weight,sort\n1.5,2,yes\n0.5,-1,no\n-1,-1,no\n2,0.25,yes\n"
BAD = {  # what is pasted, and what is then said about it
    "hello world": "Line 1: the table has a header and no rows.",
    "a,b,c\n1,2,x\ninf,3,y\n": "Line 3, column 'a': the number is inf. Correct it, or leave the cell empty.",
    "hello world\nis no table\n": "The plane needs two columns of numbers beside the label: of hello world none is one.",
    "size,sort\n1,x\n2,y\n": "The plane needs two columns of numbers beside the label: of size, sort only 'size' is one.",
    "a,b,c\n1,2,x\n2,3,x\n": "All labels are 'x'. Two classes are needed to tell one from another.",
    "a,b,c\n1,2,\n,3,y\n": "No row has all three: two numbers and a label. Two classes are needed to tell one from another.",
    'a,"b\n1,2': "Line 1: a quote is opened on this line and never closed.",
}


def paste(window, text):
    window.page.click("#csv-open")
    window.page.fill("#csv-text", text)
    window.page.click("#csv-take")


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_with_a_table_is_told_in_words(playground, text):
    answer = httpx.post(f"{playground.address}api/trace", json={"data": {"kind": "csv", "text": text}}, timeout=20)
    assert answer.json()["error"] == BAD[text]


@pytest.mark.parametrize("text", list(BAD)[:2])
@pytest.mark.parametrize("before", ["#data=xor&n=24&at=7", "a table"])
def test_a_refused_table_is_forgotten(visit, text, before):
    window = visit("" if before == "a table" else before)
    if before == "a table":
        paste(window, GOOD)
        window.until("page.state.points.length === 4")
    points, place = window.run("page.replay.trace.points"), window.run("page.place")
    paste(window, text)
    window.page.wait_for_selector("#notice-table:not([hidden])")
    assert window.page.locator("#notice-table span").inner_text() == f"This table was not taken. {BAD[text]}"
    window.settle()
    assert (window.run("page.replay.trace.points"), window.run("page.place")) == (points, place)
    window.page.fill("#field-seed", "3")
    window.page.keyboard.press("Enter")
    window.page.select_option("#field-learner", "mira")
    window.until("page.runs[''].learner === 'mira'")
    assert window.run("page.runs[''].task.seed") == 3
    assert window.run("page.replay.trace.points") == points
    assert not window.page.locator("#notice-refused").is_visible()
    assert not window.page.locator("#notice-table").is_visible(), "it was told once"
    if before == "a table":
        assert window.run("page.replay.trace.names") == ["height", "weight"], "it is still the table"
    assert window.errors == []


def test_a_column_that_cannot_be_drawn_leaves_the_one_before(visit):
    window = visit()
    paste(window, GOOD)
    window.until("page.state.points.length === 4")
    window.page.select_option("#field-x", "sort")
    window.page.wait_for_selector("#notice-table:not([hidden])")
    window.settle()
    assert window.page.locator("#field-x").input_value() == "height"
    window.page.select_option("#field-x", "weight")
    window.until("page.state.points[0][0] === 2")
    assert window.errors == []


def test_what_is_wrong_is_seen_on_a_phone(visit):
    window = visit("#data=four", size="phone")
    paste(window, "hello world")
    window.page.wait_for_selector("#notice-table:not([hidden])")
    window.settle()
    top = window.page.locator("#notice-table span").bounding_box()["y"]
    assert 0 <= top < 740, "the button that was pressed is far below"


def test_notes_about_a_table_go_with_it(visit):
    window = visit()
    paste(window, "height,weight,sort\n1.5,2,yes\n,3,yes\n0.5,-1,no\n")
    window.page.wait_for_selector("#notice-notes:not([hidden])")
    assert window.page.locator("#notice-notes").inner_text().strip() == "1 row with a missing value was left out."
    window.run("page.edit([[1, 1, 1]])")
    assert "All points are of one class" in window.page.locator("#notice-refused").inner_text()
    assert not window.page.locator("#notice-notes").is_visible()


@pytest.mark.parametrize("names", [("no", "yes"), ("<img src=x onerror=alert(1)>", "ja & nein; +1,2#%")])
def test_names_of_classes_go_with_the_link(visit, names):
    window = visit()
    minus, plus = (f'"{name}"' for name in names)
    paste(window, f"height,weight,sort\n1.5,2,{plus}\n0.5,-1,{minus}\n-1,-1,{minus}\n2,0.25,{plus}\n")
    window.until("page.state.points.length === 4")
    legend = lambda: [window.page.locator(f"#class-{side}").inner_text() for side in ("minus", "plus")]  # noqa: E731
    assert sorted(legend()) == sorted(names)
    shown = legend()
    window.page.reload()
    window.ready()
    assert legend() == shown
    window.run("page.edit([...page.asList(), [3, 3, 1]])")
    window.until("page.replay.n === 5")
    assert legend() == shown, "and with points that are added"
    window.page.reload()
    window.ready()
    assert (window.run("page.replay.n"), legend()) == (5, shown)
    window.page.select_option("#field-data", "xor")
    window.until("page.replay.n === 60")
    assert legend() == ["negative", "positive"]
    assert window.errors == []


IRIS = "length,width,kind\n" + "".join(
    f"{x},{y},{kind}\n"
    for kind, x, y in [("setosa", 1, 1), ("virginica, tall", 3, 0), ("versi", 0, 3), ("setosa", 1.5, 1), ("versi", 0, 2)]
).replace("virginica, tall", '"virginica, tall"')


def test_a_table_of_three_classes_has_three_regions_and_its_names(visit):
    window = visit()
    paste(window, IRIS)
    window.until("page.state.points.length === 5")
    legend = lambda: window.page.locator(".legend .of-many").all_inner_texts()  # noqa: E731
    assert legend() == ["setosa", "versi", "virginica, tall"]
    assert window.run("page.replay.vectors") == 3
    assert window.run("page.state.points.map((point) => point[2]).join('')") == "acbab"
    assert not window.page.locator("#notice-notes").is_visible(), "nothing stands against a rest"
    window.page.reload()
    window.ready()
    assert legend() == ["setosa", "versi", "virginica, tall"]
    window.run("page.edit([...page.asList(), [3, 3, 'c']])")
    window.until("page.replay.n === 6")
    assert legend() == ["setosa", "versi", "virginica, tall"], "and with points that are added"
    window.run("page.edit(page.asList().filter((point) => point[2] !== 'b'))")
    window.until("page.replay.n === 4")
    assert legend() == ["setosa", "virginica, tall"], "a class without points is none"
    window.page.select_option("#field-data", "xor")
    window.until("page.replay.n === 60")
    assert legend() == []
    assert window.errors == []


def test_more_than_five_classes_stand_one_against_the_rest(playground):
    text = "a,b,c\n" + "".join(f"{k},{k % 3},kind {k}\n" for k in range(6))
    answer = httpx.post(f"{playground.address}api/trace", json={"data": {"kind": "csv", "text": text}}, timeout=20).json()
    assert answer["classes"] == ["not kind 5", "kind 5"]
    assert answer["notes"] == ["6 classes: kind 5 against the rest."]
