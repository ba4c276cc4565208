"""The page in a notebook: what Python sets is shown, and what is done on the page is seen by Python."""

import json
import random

import numpy as np
import pytest

import rosenblatt
from rosenblatt.errors import LabelError, SettingError
from rosenblatt.learning.learners import ALL_LEARNERS
from rosenblatt.playground.learners import control, page_parameters
from rosenblatt.playground.links import address_of, points_of, request_of, settings_of

pytest.importorskip("anywidget", reason="anywidget is not installed")

BOULDER = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1]  # LECTURES B3
# A notebook as anywidget has it: a model with get, set, on, off and save_changes, and a cell to render into.
NOTEBOOK = """<!doctype html><div id="cell"></div><script type="module">
import widget from "./widget.js";
const values = ARGUMENTS, told = {};
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  on: (name, listener) => { told[name] = listener; }, off: () => {},
  save_changes: () => { window.saved = (window.saved ?? 0) + 1; },
  fromPython: (name, value) => { values[name] = value; told[`change:${name}`]?.(); },
};
window.model = model;
widget.render({ model, el: document.getElementById("cell") });
</script>"""


def random_link(chance):
    """Settings of a link, each left out half of the time."""
    data = chance.choice(["blobs", "four", "ordered", "xor", "rings", "points"])
    choices = {
        "n": 30, "margin": -0.25, "noise": 0.1, "dataseed": 7, "k": chance.choice([2, 3]), "p": 0.3, "C": 0.5,
        "learner": chance.choice(list(ALL_LEARNERS)), "rate": 0.125, "schedule": "1/updates", "degree": 3, "r": 0.5,
        "epochs": 3, "order": "once", "seed": 4, "bias": False, "scale": True, "holdout": 0.25, "features": "x1x2",
        "variant": "II", "w1": 1.5, "b": -1, "view": "all", "at": "end",
    }  # fmt: skip
    chosen = {"data": data} | {name: value for name, value in choices.items() if chance.random() < 0.5}
    labels = chance.choice([[1, -1], ["a", "b", "c"]])
    points = [(chance.randint(-9, 9) / 4, float(chance.randint(-9, 9)), label) for label in labels * 3]
    if data != "points":
        return address_of(chosen)
    return address_of(
        chosen | {"minus": "cats, all", "plus": "dogs+", "k": max(3, len(labels)) if labels[0] == "a" else 2}, points
    )


def test_python_reads_a_link_as_the_page_does(in_node):
    """What the page would ask the server, beside what Python asks the engine."""
    chance = random.Random(3)
    links = [random_link(chance) for _ in range(300)]
    for link, asked in zip(links, in_node(links, "request"), strict=True):
        assert json.loads(json.dumps(request_of(link))) == without_defaults(asked), link


def without_defaults(asked):
    """The page names parameters that are as the learner has them by itself, too."""
    own = {
        facts["name"]: facts["initial"] for facts in map(control, page_parameters(ALL_LEARNERS[asked["learner"]]).values())
    }
    chosen = {name: value for name, value in asked["parameters"].items() if value != own[name]}
    return {**asked, "parameters": chosen}


def test_points_and_settings_come_back_from_their_link():
    points = [(0.1, -2.5e-7, 1), (1e6, 3.0, -1)]
    address = address_of({"learner": "mira", "p": 0.25, "bias": False, "minus": "a&b=c"}, points)
    assert points_of(address) == points
    assert settings_of(address) == {"learner": "mira", "p": 0.25, "bias": False, "minus": "a&b=c"}


def test_its_weights_are_those_of_fit():
    widget = rosenblatt.Widget(*BOULDER, order="given", epochs=20, learner="mira")
    clf = rosenblatt.Mira(max_iter=20, shuffle=False).fit(*BOULDER).view("last")
    assert widget.weights["last"] == [*clf.coef_[0].tolist(), *clf.intercept_.tolist()]


def test_labels_of_all_kinds_are_shown_and_come_back():
    X = [[0, 1], [2, 3], [4, 5]]
    assert rosenblatt.Widget(X, ["no", "yes", "no"]).settings["plus"] == "yes"
    shown, labels = rosenblatt.Widget(X, [30, 10, 20]).points
    assert (shown.tolist(), labels.tolist()) == (X, ["c", "a", "b"])


@pytest.mark.parametrize(
    ("arguments", "settings", "kind", "named"),
    [
        (([[1, 2]],), {}, SettingError, "X and y"),
        (([[1, 2, 3]], [1]), {}, SettingError, "two columns"),
        (([[1, 2], [3, 4]], [1, 1]), {}, LabelError, "1 classes"),
        ((), {"learner": "forest"}, SettingError, "learner"),
        ((), {"epochs": 0}, SettingError, "epochs"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments, settings, kind, named):
    with pytest.raises(kind, match=named):
        rosenblatt.Widget(*arguments, **settings)


def test_the_page_and_python_follow_each_other(browser, tmp_path):
    """The widget's own JavaScript, in a page that does what a notebook does."""
    widget = rosenblatt.Widget(*BOULDER, order="given", epochs=1, w1=1, bias=False)
    values = json.dumps({"address": widget.address, "height": 600})
    tmp_path.joinpath("widget.js").write_text(widget._esm, encoding="utf-8")
    tmp_path.joinpath("notebook.html").write_text(NOTEBOOK.replace("ARGUMENTS", values), encoding="utf-8")
    server, address = served(tmp_path)
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(f"{address}/notebook.html")
    inside = page.frame_locator("iframe")
    inside.locator("#step").click()
    inside.locator("[data-activation]").wait_for()
    page.wait_for_function("window.model.get('address').includes('at=1')")

    widget.settings = {"order": "given", "epochs": 1, "w1": 1}  # from Python
    page.evaluate("(address) => window.model.fromPython('address', address)", widget.address)
    inside.locator("#field-bias:checked").wait_for()

    inside.locator("#field-epochs").fill("7")  # and back
    page.wait_for_function("window.model.get('address').includes('epochs=7')")
    widget.address = page.evaluate("window.model.get('address')")
    assert widget.settings["epochs"] == 7
    assert np.array_equal(widget.points[0], BOULDER[0])
    assert page.evaluate("window.saved") >= 2
    page.close()
    server.shutdown()
    server.server_close()


def served(folder):
    import functools
    import http.server
    import threading

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"
