"""What the page shows beyond one line between two classes: held-out points, products, more classes, <, gradient descent."""

import numpy as np
import pytest

import rosenblatt
from rosenblatt.estimators.neighbours import descend

THREE = "#data=blobs&k=3&n=60&margin=0&noise=0.05&dataseed=3&epochs=7&seed=5"
XOR = "#data=xor&n=50&margin=0.1&noise=0.05&dataseed=3&epochs=9&seed=5&features=x1x1,x1x2"
HELD_OUT = "#data=blobs&n=60&margin=-0.1&dataseed=3&epochs=9&seed=5&holdout=0.3"


def fitted(window, kind, **parameters):
    """What the library learns from the points that the page shows, with its products and without those held out."""
    trace = window.run("page.replay.trace")
    X, y = np.array(trace["points"]), np.array(trace["y"])
    pairs = {"x1x1": (0, 0), "x2x2": (1, 1), "x1x2": (0, 1)}
    X = np.column_stack([X, *(X[:, i] * X[:, j] for i, j in map(pairs.get, trace["features"]))])
    weight = np.where(np.isin(np.arange(len(y)), trace["heldOut"]), 0.0, 1.0)
    return kind(random_state=5, **parameters).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("link", "kind", "parameters"),
    [
        (THREE, rosenblatt.Perceptron, {"max_iter": 7}),
        (f"{THREE}&learner=arow", rosenblatt.Arow, {"max_iter": 7}),
        (f"{THREE}&learner=widrow-hoff", rosenblatt.WidrowHoff, {"max_iter": 7}),
        (f"{THREE}&learner=mira&p=0.4&holdout=0.2&features=x1x2", rosenblatt.Mira, {"max_iter": 7, "p": 0.4}),
        (XOR, rosenblatt.Perceptron, {"max_iter": 9}),
        (HELD_OUT, rosenblatt.Perceptron, {"max_iter": 9}),
    ],
)
def test_the_served_page_ends_on_the_weights_that_fit_returns(visit, link, kind, parameters):
    window = visit(link)
    clf = fitted(window, kind, **parameters)
    end = window.run("page.replay.at(page.replay.T)")
    for view in ("last", "averaged"):
        learned = clf.view(view)
        assert np.array_equal(np.atleast_2d(end[view]), np.column_stack([learned.coef_, learned.intercept_])), "to the bit"
    assert window.run("page.replay.agrees()")


def test_softmax_is_replayed_by_the_engine_itself(visit):
    window = visit(f"{THREE}&learner=logistic")
    clf = fitted(window, rosenblatt.SoftPerceptron, max_iter=7).view("last")
    end = window.run("page.replay.at(page.replay.T).last")
    np.testing.assert_allclose(end, np.column_stack([clf.coef_, clf.intercept_]), rtol=1e-12, atol=1e-12)
    assert window.run("page.replay.agrees()")


def test_points_that_are_held_out_are_never_learned_from_and_their_error_is_drawn(visit):
    window = visit(HELD_OUT + "&at=end")
    away = set(window.run("page.replay.trace.heldOut"))
    assert len(away) == 18, "three tenths of 60"
    assert not away & set(window.run("Array.from({length: page.replay.T}, (_, t) => page.replay.rowAt(t))"))
    assert window.page.locator(".plane .point.held-out").count() == 18
    X, y, end = (window.run(f"page.replay.{name}") for name in ("x", "y", "at(page.replay.T).last"))
    wrong = sum((X[i][0] * end[0] + X[i][1] * end[1] + end[2] >= 0) != (y[i] > 0) for i in away)
    assert window.run("page.replay.trace.heldOutErrors.at(-1)[0]") == wrong / 18
    title = window.page.locator("#chart-list figure", has_text="Held-out error")
    assert f"{round(100 * wrong / 18, 1):g} %" in title.inner_text()


def test_every_cell_of_the_regions_has_the_colour_of_the_class_that_wins_there(visit):
    """The image in the plane beside scores computed from the weights, and the border between them."""
    window = visit(THREE + "&at=end")
    weights = np.array(window.run("page.replay.at(page.replay.T).last"))
    left, right, bottom, top = window.run("page.pictures.list[0].plane.frame.box")
    places = np.random.default_rng(0).uniform([left, bottom], [right, top], (300, 2))
    scores = np.column_stack([places, np.ones(300)]) @ weights.T
    ahead = np.sort(scores, axis=1)
    sure = (ahead[:, -1] - ahead[:, -2]) > 0.15  # a cell near a border may have another middle
    image = """new Promise(async (done) => {
      const part = page.pictures.list[0], picture = new Image();
      picture.src = part.plane.image.getAttribute("href");
      await picture.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [picture.width, picture.height];
      const context = canvas.getContext("2d");
      context.drawImage(picture, 0, 0);
      const { width, height } = part.plane.frame;
      const palette = page.pictures.colours().classes;
      const near = (data) => palette.map((c) => c.reduce((sum, v, i) => sum + (v - data[i]) ** 2, 0));
      done(argument.map((point) => {
        const [px, py] = part.plane.frame.toPixels(point);
        const [x, y] = [(px / width) * picture.width, (py / height) * picture.height].map(Math.floor);
        const far = near(context.getImageData(x, y, 1, 1).data);
        return far.indexOf(Math.min(...far));
      }));
    })"""
    shown = np.array(window.run(image, places.tolist()))
    assert sure.sum() > 200
    assert np.array_equal(shown[sure], scores.argmax(axis=1)[sure])
    assert window.run("page.pictures.list[0].plane.border.getAttribute('d').length") > 200


def test_the_arithmetic_shows_every_score_and_the_rival(visit):
    """UW's rule by hand: the right class gains x, the highest of the others loses it."""
    window = visit("#data=points&points=0,2,a;2,-1,b;-2,-1,c&k=3&order=given&epochs=1&bias=0&at=3")
    scores = window.page.locator("[data-score]").evaluate_all("all => all.map((node) => Number(node.dataset.score))")
    assert scores == [-2, 2, 0]
    facts = window.page.locator("#step-facts").inner_text()
    assert "B, the highest of the others" in facts
    assert window.run("page.replay.at(3).last.map((w) => w.slice(0, 2))") == [[0, 2], [2, -1], [-2, -1]]


def test_points_get_a_third_class_and_lose_it_again(visit):
    window = visit("#data=points&points=0,2,%2B;2,-1,-;-2,-1,-&order=given&epochs=3")
    window.run("page.choose({ k: 3 })")
    window.settle()
    assert [label for *_, label in window.run("page.asList()")] == ["a", "b", "b"]
    window.page.keyboard.press("p")
    window.page.locator("[data-cell=label-2]").click()
    window.settle()
    assert window.run("page.replay.vectors") == 3
    assert "points=0,2,a;2,-1,b;-2,-1,c" in window.page.url
    window.page.reload()
    window.ready()
    assert (window.run("page.state.k"), window.run("page.replay.trace.classes")) == (3, ["A", "B", "C"])
    window.run("page.choose({ k: 2 })")
    window.settle()
    assert [label for *_, label in window.run("page.asList()")] == [1, -1, -1]


def test_products_are_switched_on_and_off_with_a_button(visit):
    window = visit("#data=xor&n=40&margin=0.15&dataseed=2&epochs=50")
    assert not window.run("page.replay.trace.converged")
    window.page.locator("[data-feature=x1x2]").click()
    window.settle()
    assert window.run("page.replay.trace.converged"), "XOR is one threshold on x₁x₂"
    assert "features=x1x2" in window.page.url
    assert "A curve of these features separates" in window.page.locator("#bound-text").inner_text()


@pytest.mark.parametrize(
    "link", ["&k=3&learner=voted", "&k=3&learner=kernel&degree=2&features=x1x1", "&learner=voted&features=x1x2"]
)
def test_regions_that_are_fetched_are_alike_with_a_server_and_without(visit, in_node, link):
    window = visit(f"#data=blobs&n=40&noise=0.1&dataseed=2&epochs=5{link}")
    question = {
        "task": window.run("page.runs[''].task"), "view": window.run("page.pictures.list[0].view"),
        "examples": 150, "box": [-2, 2, -2, 2], "columns": 20, "rows": 20,
    }  # fmt: skip
    served = window.run("page.server.ask('x', 'api/grid', argument)", question)
    (ours,) = in_node([question], "grid")
    kind = "winners" if "k=3" in link else "scores"
    if kind == "winners":
        assert np.mean(np.array(ours[kind]) == np.array(served[kind])) > 0.99, "but for ties"
    else:
        np.testing.assert_allclose(ours[kind], served[kind], atol=2e-3)


def strict_perceptron(X, y, epochs, bias, w):
    """The slide's loop with < for ≤, on plain numbers."""
    w = list(map(float, w))
    for _ in range(epochs):
        moved = False
        for (a, b), label in zip(X, y, strict=True):
            if label * (w[0] * a + w[1] * b + w[2]) < 0:
                w = [w[0] + label * a, w[1] + label * b, w[2] + label * bias]
                moved = True
        if not moved:
            break
    return w


def test_with_less_than_it_ends_where_the_slides_loop_does(in_node):
    chance = np.random.default_rng(1)
    tasks, expected = [], []
    for _ in range(60):
        X = chance.integers(-4, 5, (8, 2)) / 2
        y = np.where(X @ chance.normal(size=2) > 0, 1, -1)
        y[0], y[1] = 1, -1
        bias, start = bool(chance.integers(2)), [float(chance.integers(-2, 3)), 1.0, 0.0]
        points = [[*row, int(label)] for row, label in zip(X.tolist(), y, strict=True)]
        task = {"data": {"kind": "points", "points": points}, "epochs": 12, "order": "given", "bias": bias, "start": start}
        tasks.append({**task, "learner": "perceptron", "parameters": {}, "seed": 0, "scale": False, "strict": True})
        expected.append(strict_perceptron(X.tolist(), y.tolist(), 12, int(bias), start))
    assert [answer["last"] for answer in in_node(tasks)] == expected
    assert [answer["last"] for answer in in_node([{**task, "strict": False} for task in tasks])] != expected


def test_the_served_page_does_what_less_than_does_too(visit):
    window = visit("#data=four&order=given&epochs=20&w1=1&bias=0&strict=1&at=end")
    assert window.run("page.replay.at(page.replay.T).last") == [1, 1, 0]  # LECTURES H3
    assert "on the line" in window.page.locator("#step-facts").inner_text()
    window.run("page.choose({ strict: false })")
    window.settle()
    assert window.run("page.replay.at(page.replay.T).last") == [1.5, 1, 0]


def test_gradient_descent_takes_the_librarys_path_to_the_bit(in_node):
    def f(theta):
        a, b = theta
        return 0.5 * ((a * a - b) * (a * a - b)) + 0.5 * ((a - 1) * (a - 1))

    def slope(theta):
        a, b = theta
        return np.array([2 * (a * a - b) * a + a - 1, b - a * a])

    asked = [
        {"start": start, "eta": eta, "steps": steps}
        for start in ([0.0, 0.0], [-1.5, 2.0], [1.0, 1.0])
        for eta in (0.02, 0.2, 0.4, 0.9, 3.0)
        for steps in (1, 40, 1000)
    ]
    for task, ours in zip(asked, in_node(asked, "descend"), strict=True):
        theirs = descend(f, slope, **task)
        assert ours["path"] == theirs.path.tolist(), task
        assert (ours["values"], ours["converged"], ours["message"]) == (
            theirs.values.tolist(),
            theirs.converged,
            theirs.message,
        )


def test_gradient_descent_is_stepped_through_like_a_run(visit):
    window = visit("#data=surface&eta=0.2&steps=50")
    window.page.keyboard.press("ArrowRight")
    assert "(0.2, 0)" in window.page.locator("#step-facts").inner_text()  # θ₁ ← 0 − 0.2 · (−1)
    window.page.keyboard.press("End")
    assert window.page.locator(".descent").get_attribute("points").count(",") == 51
    window.page.keyboard.press("x")
    scope = {}
    exec(window.page.locator("#export-python").text_content().replace("print(", "shown = ("), scope)
    assert scope["descent"].path.tolist() == window.run("page.replay.path")
