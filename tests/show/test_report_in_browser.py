"""The report in Debian's chromium: from disk with the network off, silent, readable, and on paper."""

import re

import numpy as np
import polars as pl
import pytest

from rosenblatt.data import Dataset, open_known
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe
from rosenblatt.show.assessment import ReportOptions
from rosenblatt.show.report import report

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A report on hostile names, and one on many long names."""
    folder = tmp_path_factory.mktemp("reports")
    draw = np.random.default_rng(0)
    rows = pl.DataFrame({HOSTILE: draw.normal(size=80), "cell": [f"<script>alert({i % 3})</script>" for i in range(80)]})
    labels = pl.Series(
        np.where(rows[HOSTILE].to_numpy() + draw.normal(size=80) > 0, HOSTILE, "</svg><script>alert(2)</script>")
    )
    hostile = Dataset("table", rows, labels, HOSTILE)
    names = np.array(["pneumono" * 12 + str(i % 12) for i in range(90)])
    long = Dataset("images", draw.integers(0, 256, (90, 8, 8)).astype(np.uint8), names, "scans")
    jobs = np.array(["Farming-fishing", "Machine-op-inspct", "Married/civ_spouse absent", "Other-service"])[
        np.arange(90) % 4
    ]
    census = Dataset(
        "table", pl.DataFrame({"occupation": jobs, "native-country": np.roll(jobs, 1)}), names_of(jobs), "census"
    )
    sets = (("hostile", hostile), ("long", long), ("cancer", open_known("breast-cancer")), ("census", census))
    for name, data in sets:
        page = report(learn(data, Recipe(epochs=3), dev=data), data, ReportOptions(splits=1, certify=1))
        (folder / f"{name}.html").write_text(page, "utf-8")
    return folder


def names_of(jobs):
    """Labels that go with them, but not always."""
    return pl.Series(np.where((jobs == jobs[0]) ^ (np.arange(len(jobs)) % 7 == 0), "<=50K", ">50K"))


def opened(browser, path, width=1280, scheme="light"):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.heard = []
    for event in ("console", "pageerror", "dialog", "requestfailed"):
        page.on(event, lambda what, event=event: page.heard.append((event, str(what))))
    page.on("request", lambda request: page.heard.append(("request", request.url)))
    page.goto(path.as_uri())
    page.heard = [(event, what) for event, what in page.heard if not what.startswith((path.as_uri(), "data:image/png"))]
    return page


@pytest.mark.parametrize("name", ["hostile", "long", "cancer"])
def test_it_opens_from_disk_offline_without_a_request_or_a_word(browser, files, name):
    page = opened(browser, files / f"{name}.html")
    assert page.heard == []
    assert page.evaluate("document.scripts.length") == 0
    page.context.close()


def test_hostile_names_are_seen_as_text(browser, files):
    page = opened(browser, files / "hostile.html")
    assert HOSTILE in page.inner_text("body")
    assert page.evaluate("document.images.length") == 0
    page.context.close()


@pytest.mark.parametrize("name", ["hostile", "long", "cancer", "census"])
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_stands_over_the_edge(browser, files, name, width):
    page = opened(browser, files / f"{name}.html", width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    over = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter(e => !e.closest(".wide") && !e.closest("svg")
            && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert over == []
    page.context.close()


@pytest.mark.parametrize("media", ["screen", "print"])
def test_names_of_features_break_between_words_only(browser, files, media):
    page = opened(browser, files / "census.html", 1280 if media == "screen" else 680)  # 180 mm
    page.emulate_media(media=media)
    lines = page.evaluate(
        """() => [...document.querySelectorAll(".lists tbody th")].map(cell => {
            const lines = [], range = document.createRange(); let top = -1;
            for (const node of [...cell.childNodes].filter(part => part.nodeType === 3))
                [...node.data].forEach((letter, i) => {
                    range.setStart(node, i); range.setEnd(node, i + 1);
                    const box = range.getBoundingClientRect();
                    if (box.height && Math.abs(box.top - top) > 3) { lines.push(""); top = box.top; }
                    lines[lines.length - 1] += letter;
                });
            return lines; })"""
    )
    assert {"occupation=Farming-fishing", "native-country=Machine-op-inspct"} <= {"".join(parts) for parts in lines}
    broken = [parts for parts in lines if any(part[-1] not in "=-_/ " for part in parts[:-1])]
    assert broken == []
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_figures_stand_out_from_the_paper(browser, files, scheme):
    page = opened(browser, files / "cancer.html", scheme=scheme)
    pairs = page.evaluate(
        """() => { const paper = getComputedStyle(document.body).backgroundColor;
            const ink = [...document.querySelectorAll("p, td, th, dd, dt, figcaption, h2")]
                .map(e => getComputedStyle(e).color);
            const drawn = [...document.querySelectorAll("svg text")].map(e => getComputedStyle(e).fill);
            return [...new Set([...ink, ...drawn])].map(colour => [paper, colour]); }"""
    )
    assert pairs
    for paper, ink in pairs:
        assert contrast(numbers(paper), numbers(ink)) >= 4.5, (paper, ink)  # WCAG 2.2, 1.4.3
    page.context.close()


def numbers(colour):
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def contrast(one, other):
    """(L1 + 0.05) / (L2 + 0.05), L the relative luminance (WCAG 2.2)."""

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_it_prints_on_pages_of_paper_whose_figures_are_whole(browser, files):
    page = opened(browser, files / "cancer.html", scheme="dark")
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 10_000
    sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 3 <= sheets <= 8
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    broken = page.evaluate(
        """() => [...document.querySelectorAll("figure, table:not(.long), .tile, .wrongs > li")]
            .filter(e => getComputedStyle(e).breakInside !== "avoid").length"""
    )
    assert broken == 0
    page.context.close()


def test_axe_finds_nothing_to_complain_of(browser, files):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    for scheme in ("light", "dark"):
        # The checker is a script, which the page's own policy would refuse: so it runs in a copy without the policy.
        source = (files / "cancer.html").read_text("utf-8")
        bare = files / "bare.html"
        bare.write_text(re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", source), "utf-8")
        page = opened(browser, bare, scheme=scheme)
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.context.close()
