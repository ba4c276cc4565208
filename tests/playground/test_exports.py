"""What is taken away from the page: Python and a command that end on its weights, its points, its picture."""

from xml.etree import ElementTree

import numpy as np
import pytest

import rosenblatt

CLOUDS = "#data=blobs&n=50&margin=-0.1&noise=0.1&dataseed=3&epochs=7&seed=5"
RUNS = [
    "&learner=perceptron&rate=0.5&schedule=1/updates",
    "&learner=averaged&scale=1",
    "&learner=voted&order=once",
    "&learner=mira&p=0.3&order=given&bias=0",
    "&learner=passive-aggressive&C=0.3&variant=II&order=replacement",
    "&learner=logistic&scale=1",
    "&learner=widrow-hoff",
    "&learner=widrow-hoff&schedule=1/updates",  # a rate that the learner keeps safe by itself does not fall as well
    "&margin=0.3&noise=0&epochs=40",  # which comes to rest before
    "&n=1000&noise=0.4&learner=logistic&epochs=100",  # which the playground ends before
]


def weights(window):
    """The page's last and averaged weights."""
    end = window.run("page.replay.at(page.replay.T)")
    return end["last"], end["averaged"]


def run_python(window, capsys):
    """The estimator that the exported Python leaves behind."""
    window.page.keyboard.press("x")
    scope = {}
    exec(window.page.locator("#export-python").text_content(), scope)
    capsys.readouterr()
    return scope["clf"]


def run_command(window, folder, monkeypatch):
    """The model that the exported command writes, from the exported points."""
    from rosenblatt.cli import run

    if not window.page.locator("#export").is_visible():
        window.page.keyboard.press("x")
    (command,) = window.page.locator("#export-command").text_content().splitlines()
    with window.page.expect_download() as download:
        window.page.click("#save-csv")
    download.value.save_as(folder / "points.csv")
    monkeypatch.chdir(folder)
    assert run([*command.split()[1:], "-q", "-o", "m.rosenblatt"]) == 0
    return rosenblatt.load("m.rosenblatt")


def flat(coef, intercept):
    return [*coef[0].tolist(), *intercept.tolist()]


@pytest.mark.parametrize("link", RUNS)
def test_the_exported_python_and_command_end_on_the_pages_weights(visit, capsys, tmp_path, monkeypatch, link):
    window = visit(CLOUDS + link)
    clf = run_python(window, capsys)
    model = run_command(window, tmp_path, monkeypatch)
    for view, shown in zip(("last", "averaged"), weights(window), strict=True):
        fitted = clf.view(view)
        assert shown == flat(fitted.coef_, fitted.intercept_), "to the bit"
        assert shown == flat(*model.views[view]), "to the bit"
    epochs = window.run("page.replay.trace.epochs.length")
    assert (clf.n_iter_, len(model.history)) == (epochs, epochs)


@pytest.mark.parametrize(
    "link",
    [
        "&k=3&learner=averaged&holdout=0.2",
        "&features=x1x1,x1x2&scale=1&learner=mira",
        "&features=x2x2&w1=1&b=-1&order=given",
        "&k=4&learner=widrow-hoff&features=x1x1,x2x2,x1x2",
    ],
)
def test_the_exported_python_has_the_classes_the_products_and_who_is_held_out(visit, capsys, link):
    window = visit(CLOUDS + link)
    clf = run_python(window, capsys)
    for view, shown in zip(("last", "averaged"), weights(window), strict=True):
        fitted = clf.view(view)
        assert np.array_equal(np.atleast_2d(shown), np.column_stack([fitted.coef_, fitted.intercept_])), "to the bit"


def test_more_than_two_classes_go_with_the_command_line(visit, tmp_path, monkeypatch):
    window = visit(f"{CLOUDS}&k=3")
    model = run_command(window, tmp_path, monkeypatch)
    coef, intercept = model.views["last"]
    assert np.array_equal(weights(window)[0], np.column_stack([coef, intercept])), "to the bit"


def test_the_exported_python_starts_at_the_start_weights(visit, capsys):
    window = visit(f"{CLOUDS}&order=once&w2=2&learner=voted&rate=0.5")
    clf = run_python(window, capsys).view("last")
    assert weights(window)[0] == flat(clf.coef_, clf.intercept_)
    assert "It starts at 0" in window.page.locator("#export-command").text_content()


def test_the_exported_python_gives_the_kernels_coefficients(visit, capsys):
    window = visit(f"{CLOUDS}&learner=kernel&degree=3")
    clf = run_python(window, capsys)
    alphas = np.array(window.run("[...page.replay.alphas(page.replay.K)]"))
    assert alphas[clf.support_].tolist() == clf.dual_coef_[0].tolist()
    assert "has no kernels" in window.page.locator("#export-command").text_content()


@pytest.mark.parametrize(
    "table",
    [
        "label,size,class\n0.1,1,b\n0.25,2.5,a\n3,0.7,b\n1e-3,4,a\n",  # a column is called label
        "u,v,kind\n0.1,1,a\n0.25,2.5,b\n3,0.7,c\n1e-3,4,d\n2,2,e\n1,2,f\n",  # f against the rest: "f" comes before "not f"
        "u,v,kind\n0.1,1,10\n0.25,2.5,9\n3,0.7,10\n1e-3,4,9\n",  # labels that are numbers
    ],
)
def test_points_of_a_table_keep_their_positive_class(visit, capsys, tmp_path, monkeypatch, table):
    window = visit("#order=given")
    window.page.click("#csv-open")
    window.page.fill("#csv-text", table)
    window.page.click("#csv-take")
    window.until("page.replay.trace.names[0] !== 'x₁'")
    model = run_command(window, tmp_path, monkeypatch)
    assert weights(window)[0] == flat(*model.views["last"])


@pytest.mark.parametrize("kinds", [("setosa", "versicolor", "virginica"), ("9", "10", "11")])  # texts sort 10, 11, 9
def test_a_table_of_three_classes_ends_on_the_weights_of_the_command_line(visit, tmp_path, monkeypatch, kinds):
    rows = [f"{k + 0.5 * j},{(3 * j + k) % 4},{kind}" for k, kind in enumerate(kinds) for j in range(4)]
    window = visit("#order=given")
    window.page.click("#csv-open")
    window.page.fill("#csv-text", "\n".join(["u,v,kind", *rows]))
    window.page.click("#csv-take")
    window.until("page.replay.trace.names[0] !== 'x₁'")
    assert window.run("page.replay.trace.classes") == list(kinds)
    coef, intercept = run_command(window, tmp_path, monkeypatch).views["last"]
    assert window.run("page.replay.trace.last") == [[*w, b] for w, b in zip(coef.tolist(), intercept.tolist(), strict=True)]


def test_pictures_are_exported_as_svg_and_png(visit, tmp_path):
    window = visit("#data=four&order=given&w1=1&at=2")
    window.page.keyboard.press("x")
    for button, start in (("#save-svg", b"<svg"), ("#save-png", b"\x89PNG")):
        with window.page.expect_download() as download:
            window.page.click(button)
        download.value.save_as(tmp_path / "picture")
        content = (tmp_path / "picture").read_bytes()
        assert content.startswith(start)
        assert len(content) > 1000
        assert b"var(--" not in content


SIX = "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9&at=40&view=all"


@pytest.mark.parametrize(("link", "columns"), [(SIX.removesuffix("&view=all"), 2), (SIX, 3)])
def test_several_pictures_are_exported_apart_and_with_their_captions(visit, tmp_path, link, columns):
    window = visit(link)
    window.page.keyboard.press("x")
    with window.page.expect_download() as download:
        window.page.click("#save-svg")
    download.value.save_as(tmp_path / "planes.svg")
    root = ElementTree.parse(tmp_path / "planes.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    planes = [[float(plane.get(name)) for name in ("x", "y", "width", "height")] for plane in root.findall(f"{svg}svg")]
    assert len({x for x, *_ in planes}) == columns
    for i, (x, y, width, height) in enumerate(planes):
        assert x + width < float(root.get("width"))
        assert y + height < float(root.get("height"))
        for x2, y2, _, _ in planes[i + 1 :]:
            assert x2 > x + width + 10 or x2 < x or y2 > y + height + 10, "there is a gap"
    printed = [" ".join(text.text for text in caption) for caption in root.findall(f"{svg}g[@class='caption']")]
    shown = window.page.locator(".picture figcaption").all_text_contents()
    assert ["".join(text.split()) for text in printed] == ["".join(text.split()) for text in shown]
    assert len(set(printed)) == len(planes), "one can tell which is which"
