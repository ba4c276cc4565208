"""The address holds the whole state, and survives whatever is typed into it."""

import os
import random
import urllib.parse

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
FIELDS = "import('/state.js').then((m) => Object.fromEntries(Object.entries(m.FIELDS).map(([name, f]) => [name, {...f}])))"
PRODUCTS = ["x1x1", "x2x2", "x1x2"]
POINT = st.tuples(st.floats(-1e6, 1e6, width=64), st.floats(-1e6, 1e6), st.sampled_from([1, -1])).map(list)
ROUND = """(states) => import('/state.js').then((m) => states.map((given) => {
    const state = { ...m.initialState(), ...given };
    const { state: back, problems } = m.parse(m.format(state));
    return { same: Object.keys(m.FIELDS).every((name) => m.same(back[name], state[name])), problems, link: m.format(state) };
}))"""


def a_state(fields):
    """Any state: each field has any of its values, or is left at its default."""

    def values(name, field):
        if "options" in field:
            return st.sampled_from(field["options"])
        word = st.text(max_size=40).filter(
            lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") == text
        )
        if name in ("x", "y", "target", "minus", "plus"):
            return word
        if name == "names":
            return st.one_of(st.just([]), st.lists(word.filter(bool), min_size=2, max_size=5, unique=True))
        if name == "points":
            return st.lists(POINT, max_size=8)
        if name == "features":
            return st.sets(st.sampled_from(PRODUCTS)).map(lambda names: [one for one in PRODUCTS if one in names])
        if name == "hide":
            return st.sets(st.sampled_from(["data", "learner", "charts", "step"])).map(sorted)
        if name == "at":
            return st.one_of(st.just("end"), st.integers(0, 10**6))
        if name.startswith("rate"):
            return st.one_of(st.none(), st.floats(1e-6, 1e6))
        if isinstance(field["initial"], bool):
            return st.booleans()
        whole = name in {"lesson", "n", "dataseed", "epochs", "seed", "degree", "degree2", "k", "steps"}
        return st.integers(field["least"], field["most"]) if whole else st.floats(field["least"], field["most"])

    return st.fixed_dictionaries({}, optional={name: values(name, field) for name, field in fields.items()})


def test_every_state_comes_back_from_its_link(visit):
    window = visit()
    fields = window.page.evaluate(FIELDS)

    @settings(max_examples=settings().max_examples)
    @given(st.lists(a_state(fields), min_size=1, max_size=20))
    def check(states):
        for state, result in zip(states, window.page.evaluate(ROUND, states), strict=True):
            assert result["same"], (state, result["link"])
            assert result["problems"] == []

    check()


def malformed(chance):
    """A link in which at least one part cannot be read."""
    bad = [
        "data=nothing",
        "n=1e400",
        "n=NaN",
        "n=-3",
        "n=2.5",
        "margin=∞",
        "epochs=0",
        "epochs=1001",
        "bias=yes",
        "points=1,2",
        "points=;;;",
        "points=1,2,*",
        "points=1e999,0,+",
        "learner=<img onerror=alert(1)>",
        "seed=0x10",
        "at=-1",
        "at=last",
        "hide=everything",
        "view=__proto__",
        "__proto__=1",
        "constructor=x",
        "speed=1000",
        "theme=%ff%fe",
        "%=1",
        "p=1",
        "C=",
        "=",
        "lesson=99",
        "k=6",
        "features=x3",
        "holdout=0.6",
        "points=1,2,f",
        "points=1,2,a;3,4,-",
        "x=" + "a" * 300,
        "plus=" + "a" * 41,
    ]
    good = ["n=30", "data=four", "learner=mira", "epochs=3"]
    parts = [chance.choice(bad), *chance.sample(good, chance.randrange(3))]
    if chance.random() < 0.3:
        parts.append("".join(chr(chance.randrange(33, 0x2FFF)) for _ in range(chance.randrange(1, 30))))
    chance.shuffle(parts)
    return "#" + "&".join(parts)


def test_malformed_links_give_defaults_and_a_notice(visit):
    window = visit()
    chance = random.Random(7)
    links = [malformed(chance) for _ in range(500)]
    results = window.page.evaluate(
        """(links) => import('/state.js').then((m) => links.map((link) => {
            const { state, problems } = m.parse(link);
            const again = m.parse(m.format(state));
            const plain = Object.getPrototypeOf(state) === Object.prototype;
            const whole = plain && Object.keys(state).length === Object.keys(m.FIELDS).length;
            return { problems: problems.length, whole, valid: again.problems.length === 0 };
        }))""",
        links,
    )
    for link, result in zip(links, results, strict=True):
        assert result["problems"] > 0, link
        assert result["whole"], link
        assert result["valid"], link
    assert window.errors == []


@pytest.mark.parametrize("seed", range(8 if FULL else 3))
def test_a_malformed_link_that_is_opened_shows_the_notice_and_a_run(visit, seed):
    window = visit(malformed(random.Random(1000 + seed)))
    assert window.page.locator("#notice-link").is_visible()
    assert window.run("page.replay.K") >= 0
    assert window.errors == []


IMPOSSIBLE = {  # readable, every part of them, and yet there is no such run
    "#data=file": "There is no file",
    "#data=file&x=age&y=hours&target=income&learner=mira": "There is no file",
    "#n=5000&data=rings&epochs=1000&learner=mira": "epochs is 1000: with 5000 points the playground makes 200 at most",
    "#data=blobs&n=2&noise=0.5&dataseed=6&learner=mira": "All points are of one class",
}


@pytest.mark.parametrize("link", IMPOSSIBLE)
@pytest.mark.parametrize("way", ["opened", "followed"])
def test_an_impossible_link_gives_defaults_and_a_notice(visit, link, way):
    window = visit(link if way == "opened" else "#data=four")
    if way == "followed":
        window.page.evaluate("(link) => { location.hash = link; }", link)
        window.until("page.runs[''].replay.n !== 4")
    printed = window.page.locator("#notice-link").inner_text()
    assert IMPOSSIBLE[link] in printed
    assert "the defaults stand there" in printed
    assert not window.page.locator("#notice-refused").is_visible()
    assert window.run("page.replay.T") > 0
    assert window.page.locator(".point").count() == window.run("page.replay.n")
    assert window.run("page.state.learner") == ("mira" if "mira" in link else "perceptron"), "what is possible stays"
    assert window.errors == []
    window.page.select_option("#field-learner", "averaged")
    window.settle()
    assert window.run("page.runs[''].learner") == "averaged", "the page goes on"


def test_a_link_from_the_address_bar_is_followed(visit):
    window = visit("#data=four")
    window.page.evaluate("location.hash = 'data=xor&n=12'")
    window.until("page.replay.n === 12")
    assert urllib.parse.urlparse(window.page.url).fragment.startswith("data=xor")
