"""The lessons: each is played to its end, its questions are answered, and what they call right is what the engine does."""

import os

import pytest
from window import Visit

from rosenblatt.cli import run

# What a right answer or its reason claims, computed from the run itself: (lesson, expression over `page`, value).
END = "page.replay.at(page.replay.T)"
SHARE = "Number(page.runs[argument].replay.trace.reached.match(/([\\d.]+) %/)[1])"
CLAIMS = [
    (7, "[page.replay.K, page.replay.n]", [0, 4]),  # all four corners right: and
    (1, "[page.replay.K, page.replay.row[0]]", [1, 1]),  # LECTURES B3: the second point is the only mistake
    (8, "page.replay.at(1).last.reduce((sum, w, j) => sum + w * [2, -1, 1][j], 0)", 3),  # −3 + |x|² + 1
    (2, f"[page.replay.K, ...{END}.last]", [5, 1.5, 1, 0]),  # LECTURES H3
    (9, "page.replay.trace.converged", False),
    (3, "[page.replay.K, Math.round(page.runs[''].certificate.bound)]", [8, 138]),
    (10, "page.replay.trace.epochs.length", 8),
    (4, "[page.runs[''].replay.trace.converged, page.runs['2'].replay.trace.converged]", [False, True]),
    (4, "page.runs[''].certificate.rows.length", 4),
    (11, f"[page.replay.K, ...page.replay.row, ...{END}.last]", [2, 0, 2, 2, 1.5, 0]),
    (12, "[page.runs[''].replay.trace.converged, page.runs['2'].replay.trace.converged]", [False, True]),
    (5, "page.replay.trace.converged", False),
    (6, "[page.runs[''].replay.K, page.runs['2'].replay.K]", [11, 130]),
    (13, "[page.replay.K, Math.round(page.runs[''].certificate.bound)]", [189, 8320]),
    (14, "page.runs[''].learner", "averaged"),
    (15, f"[page.replay.K, ...{END}.last]", [3, 1, 1, 0]),  # LECTURES H3: with < it stops at [1, 1], on a point
    (16, "[page.replay.K, page.replay.trace.converged, Math.floor(page.runs[''].certificate.bound)]", [4, True, 742]),
    (17, "[page.replay.T, page.replay.values.at(-1) < 1e-10]", [300, True]),
    (18, "[page.replay.row, page.replay.rival]", [[0, 2], [1, 1]]),  # A against B; C against B
    (19, "[6, 7, 39].map((i) => Math.round(30 * page.replay.trace.heldOutErrors[i][1]))", [3, 2, 7]),
    (19, "Math.min(...page.replay.trace.heldOutErrors.map((pair) => pair[1])) * 30", 2),
    (19, "[8, 40].map((epoch) => page.replay.wrong(page.replay.at(30 * epoch).averaged))", [5, 5]),
    (20, "page.runs[''].replay.margin(page.runs[''].replay.at(page.runs[''].replay.T).last, 8) < 0", True),
    (20, "page.runs['2'].replay.wrong(page.runs['2'].replay.at(page.runs['2'].replay.T).averaged)", 0),
]
# The same after the change that the lesson asks for.
CHANGED = [
    (9, {"bias": True}, f"[page.replay.trace.converged, ...{END}.last]", [True, 1, 1, -3]),
    (10, {"order": "shuffled"}, "page.replay.trace.epochs.length", 4),
    (15, {"strict": False}, f"[page.replay.K, ...{END}.last]", [5, 1.5, 1, 0]),
    (15, {"strict": True, "w1": 0}, "[page.replay.K, page.replay.trace.converged]", [0, True]),
    (16, {"features": []}, "page.replay.trace.converged", False),
    (17, {"eta": 0.9}, "[page.replay.T, page.replay.message.includes('too large')]", [9, True]),  # as `descend` says
    (17, {"eta": 0.02}, "page.replay.message.startsWith('Still falling')", True),
    (13, {"scale": True}, "[page.replay.K, Math.round(page.runs[''].certificate.bound)]", [2, 9]),
]
# In which run of a lesson the larger margin is, and in which the smaller.
LARGER = {12: ("", "2"), 6: ("2", "")}


@pytest.fixture(scope="module")
def course(browser, tmp_path_factory):
    """A window on the page without a server, which trains by itself: whoever teaches links to this one."""
    page = tmp_path_factory.mktemp("course") / "page.html"
    assert run(["play", "-o", str(page), "-q"]) == 0
    window = Visit(browser)
    window.open("", page.as_uri())
    yield window
    window.context.close()


def lessons(course):
    course.page.keyboard.press("l")
    links = [link.get_attribute("href") for link in course.page.locator("#lesson-list a").all()]
    course.page.keyboard.press("Escape")
    return links


def follow(course, link):
    """As a click on a link does it: the page stays, its state changes."""
    course.run("location.hash = argument", link)
    course.until(f"page.state.lesson === {int(link.partition('=')[2].partition('&')[0])}")
    course.settle()


def test_every_lesson_is_played_to_its_end_and_right_about_its_run(course):
    links = lessons(course)
    assert len(links) == 20
    for number, link in enumerate(links, 1):
        follow(course, link)
        assert course.page.locator("#lesson-title").inner_text().startswith(f"{number}. ")
        assert course.run("page.place") == 0, "a lesson starts at its beginning"
        assert not course.page.locator("#notice-link").is_visible()
        answer(course)
        lesson = course.run("page.state.lesson")
        for _, expression, value in (claim for claim in CLAIMS if claim[0] == lesson):
            assert course.run(expression) == value, lesson
        for _, change, expression, value in (claim for claim in CHANGED if claim[0] == lesson):
            course.run("page.choose(argument)", change)
            course.settle()
            assert course.run(expression) == value, lesson
        if lesson in LARGER:
            larger, smaller = (course.run(SHARE, suffix) for suffix in LARGER[lesson])
            assert larger > 5 * smaller, lesson
    assert {claim[0] for claim in CLAIMS} == {int(link[8:].partition("&")[0]) for link in links}, "no lesson goes unchecked"
    assert course.errors == []


def answer(course):
    """Guesses, first wrongly; plays to the end; answers the question that is asked there."""
    expect, check = course.page.locator(".question").all()
    assert not check.is_visible(), "nothing tells the outcome before the guess"
    assert course.page.locator("#lesson-words > p").count() == 2, "what it is about, and that the rest comes later"
    expect.locator("[data-right=no]").first.click()
    assert expect.locator("[role=status]").inner_text().startswith("Not quite.")
    expect.locator("[data-right=yes]").click()
    course.run("document.activeElement.blur()")
    course.page.keyboard.press("End")
    assert course.run("page.place === page.longest()")
    check.locator("[data-right=yes]").click()
    for question in (expect, check):
        assert question.locator("[role=status]").inner_text().startswith("Right. ")
    assert course.page.locator(".notes").count() == 1


def test_who_steps_without_a_guess_reads_on_too(course):
    """A teacher who steps on, or a link into the middle of a run, has the whole lesson."""
    follow(course, next(link for link in lessons(course) if link.startswith("#lesson=7&")))
    assert not course.page.locator("#lesson-rest").is_visible()
    course.page.keyboard.press("ArrowRight")
    assert course.page.locator("#lesson-rest").is_visible()
    assert not course.page.locator("#lesson-later").is_visible()


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="ROSENBLATT_TESTS=full")
def test_axe_finds_nothing_on_a_lesson_of_the_page_without_a_server(course):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    follow(course, next(link for link in lessons(course) if link.startswith("#lesson=1&")))
    # The page's own policy forbids foreign scripts; axe is brought in beside it.
    result = axe.Axe().run(course.page)
    assert result.violations_count == 0, result.generate_report()
