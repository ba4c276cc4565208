"""The page without a server, in a browser: from a file, below a path of any server, in a frame; it asks for nothing."""

import functools
import http.server
import os
import re
import threading

import pytest
from window import Visit

import rosenblatt
from rosenblatt.cli import run

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
full_only = [pytest.mark.full, pytest.mark.skipif(not FULL, reason="ROSENBLATT_TESTS=full")]
BOULDER = "#data=four&order=given&epochs=1&w1=1&at=0"  # LECTURES B3
CLOUDS = "#data=blobs&n=50&margin=-0.1&noise=0.1&dataseed=3&epochs=7&seed=5"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A course's folder with the page in it."""
    folder = tmp_path_factory.mktemp("course")
    assert run(["play", "--static", str(folder / "week 1" / "play"), "-q"]) == 0
    assert folder.joinpath("week 1", "play", "index.html").stat().st_size <= 500_000
    frame = '<iframe src="week 1/play/index.html?embed#data=four&w1=1&at=0" width=900 height=500></iframe>'
    folder.joinpath("slide.html").write_text(f'<link rel="icon" href="data:,">{frame}')
    return folder


@pytest.fixture(scope="module")
def page_file(folder):
    return folder.joinpath("week 1", "play", "index.html").as_uri()


@pytest.fixture
def alone(browser, page_file):
    """The page from its file; nothing else may have been asked for, and nothing gone wrong."""
    visit = Visit(browser)
    visit.address = page_file
    yield visit
    assert visit.errors == []
    assert {url.partition("#")[0].partition("?")[0] for url in visit.requests if not url.startswith(("data:", "blob:"))} <= {
        page_file
    }
    visit.context.close()


@pytest.fixture(scope="module")
def web_server(folder):
    """A plain web server, as everybody has one."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_from_a_file_it_walks_through_boulders_example(alone):
    alone.open(BOULDER)
    for activation in (1, 0.5, -2.5, -0.5):
        alone.page.keyboard.press("ArrowRight")
        assert float(alone.page.locator("[data-activation]").get_attribute("data-activation")) == activation
    assert alone.run("page.replay.at(page.place).last") == [0.5, 1, -1]
    assert "a perceptron makes at most 6 updates" in alone.page.locator("#bound-text").inner_text()


@pytest.mark.parametrize(
    ("learner", "kind", "parameters", "link"),
    [
        pytest.param("averaged", rosenblatt.AveragedPerceptron, {}, "", marks=full_only),
        pytest.param("mira", rosenblatt.Mira, {"p": 0.4}, "&p=0.4", marks=full_only),
        ("arow", rosenblatt.Arow, {"r": 0.5}, "&r=0.5"),
        pytest.param("widrow-hoff", rosenblatt.WidrowHoff, {}, "", marks=full_only),
    ],
)
def test_in_the_browser_it_ends_on_the_weights_that_fit_returns(alone, learner, kind, parameters, link):
    alone.open(f"{CLOUDS}&learner={learner}{link}")
    X, y = alone.run("page.replay.trace.points"), alone.run("page.replay.y")
    clf = kind(max_iter=7, random_state=5, **parameters).fit(X, y)
    end = alone.run("page.replay.at(page.replay.T)")
    for view in ("last", "averaged"):
        fitted = clf.view(view)
        assert end[view] == [*fitted.coef_[0].tolist(), *fitted.intercept_.tolist()], "to the bit"


@pytest.mark.parametrize("link", ["#data=xor&n=60&dataseed=2&learner=kernel&epochs=30", f"{CLOUDS}&learner=voted"])
def test_regions_are_those_of_the_server(alone, visit, link):
    """The same question to both: of cells that the server is sure of, every one has the same sign."""
    question = """(async () => page.server.ask("x", "api/grid",
      { task: page.runs[""].task, view: page.pictures.list[0].view,
        examples: page.replay.T, box: [-2, 2, -2, 2], columns: 24, rows: 24 }))()"""
    served = visit(link).run(question)
    ours = alone.open(link).run(question)
    assert (ours["columns"], ours["rows"]) == (24, 24)
    sure = [(a, b) for a, b in zip(ours["scores"], served["scores"], strict=True) if abs(b) > 1e-3]
    assert len(sure) > 500
    assert all((a > 0) == (b > 0) for a, b in sure)
    assert max(abs(a - b) for a, b in sure) < 2e-3, "the server rounds to three digits"


def test_below_a_path_of_a_server_and_in_a_frame(browser, web_server):
    visit = Visit(browser)
    visit.open(f"week%201/play/{BOULDER}", web_server)
    assert visit.run("page.replay.K") == 1
    visit.page.locator(".brand").click()
    visit.settle()
    assert visit.run("page.state.data") == "blobs", "the name leads to the beginning, wherever the page lies"
    visit.page.goto(f"{web_server}slide.html")
    inside = visit.page.frame_locator("iframe")
    inside.locator("#step").click()
    inside.locator("[data-activation]").wait_for()
    assert not inside.locator("header").is_visible(), "?embed leaves out what a slide has no room for"
    assert inside.locator("#play").is_visible()
    assert {url.partition("?")[0].partition("#")[0] for url in visit.requests} == {
        f"{web_server}week%201/play/", f"{web_server}slide.html", f"{web_server}week%201/play/index.html"
    }  # fmt: skip
    assert visit.errors == []
    visit.context.close()


def test_a_link_made_on_the_served_page_opens_on_this_one(alone, visit):
    window = visit("#data=points&points=1,1,%2B;0.5,-1,-;-1,2,-&minus=cats&plus=dogs&learner=mira&p=0.3&order=given")
    window.page.locator("#field-epochs").fill("7")
    window.settle()
    link = re.search("#.*", window.page.url)[0]
    ours = alone.open(link)
    for what in ("page.state", "page.replay.at(page.replay.T).last", "page.replay.trace.classes", "page.replay.T"):
        assert ours.run(what) == window.run(what)


def test_a_pasted_table_is_taken_and_one_that_is_none_is_told(alone):
    alone.open("#order=given")
    alone.run("page.useCsv(argument)", 'height;weight;kind\n1,5;2,5;cat\n3,5;1;dog\n;2;dog\n"2";3;cat\n')
    alone.until("page.replay.n === 3")
    assert alone.run("page.asList()") == [[1.5, 2.5, -1], [3.5, 1, 1], [2, 3, -1]]
    assert "1 row with a missing value was left out" in alone.page.locator("#notice-notes").inner_text()
    alone.run("page.useCsv(argument)", "a,b,c\nx,y,z\nu,v,w\n")
    alone.until("!document.getElementById('notice-table').hidden")
    assert "two columns of numbers" in alone.page.locator("#notice-table").inner_text()
    assert alone.run("page.replay.n") == 3


def test_what_it_cannot_do_without_a_server_it_says(alone):
    alone.open("#data=file")
    assert "rosenblatt play FILE" in alone.page.locator("#notice-link").inner_text()


def test_a_page_with_a_file_begins_with_its_points(browser, tmp_path):
    tmp_path.joinpath("cats.csv").write_text("height,weight,name,kind\n1,2,</script><b>,cat\n3,1,b,dog\n2,3,c,dog\n")
    page = tmp_path / "cats.html"
    arguments = [
        "play",
        str(tmp_path / "cats.csv"),
        "--x",
        "weight",
        "--y",
        "height",
        "--target",
        "kind",
        "-o",
        str(page),
        "-q",
    ]
    assert run(arguments) == 0
    assert "</script><b>" not in page.read_text().replace("</script>\n", ""), "columns that are not drawn stay at home"
    visit = Visit(browser)
    visit.open("", page.as_uri())
    assert visit.run("page.asList()") == [[2, 1, -1], [1, 3, 1], [3, 2, 1]]
    assert visit.run("page.replay.trace.names") == ["weight", "height"]
    visit.context.close()


def test_a_file_of_three_classes_keeps_them_and_takes_points_of_each(browser, tmp_path):
    tmp_path.joinpath("pets.csv").write_text("height,weight,kind\n1,2,cat\n3,1,dog\n2,3,eel\n0,0,cat\n")
    page = tmp_path / "pets.html"
    assert run(["play", str(tmp_path / "pets.csv"), "-o", str(page), "-q"]) == 0
    visit = Visit(browser)
    visit.open("", page.as_uri())
    assert visit.run("page.asList().map((point) => point[2]).join('')") == "abca"
    assert visit.page.locator(".legend .of-many").all_inner_texts() == ["cat", "dog", "eel"]
    assert visit.run("page.nextLabel") == "a", "a click adds a point of one of these"
    visit.run("page.edit([...page.asList(), [1, 1, page.labels[2]]])")
    visit.until("page.replay.n === 5")
    assert visit.page.locator(".legend .of-many").all_inner_texts() == ["cat", "dog", "eel"]
    visit.context.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.html", "--static", "b"], "give one of them"),
        (["-o", "a.html", "--port", "80"], "--port would change nothing"),
        (["-o", "nowhere/a.html"], "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run(["play", *arguments]) != 0
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
