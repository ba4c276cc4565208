"""Two learners side by side, and which of them is followed."""

import rosenblatt

LESSON = "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9"  # the sixth


def test_two_learners_stand_side_by_side_on_the_same_points(visit):
    window = visit("#data=blobs&learner2=mira&p2=0.9")
    assert window.page.locator(".picture").count() == 2
    assert window.run("page.runs[''].replay.x") == window.run("page.runs['2'].replay.x")
    assert window.run("Object.values(page.runs).every((run) => run.replay.agrees())")


def test_the_longer_run_beside_can_be_followed_to_its_end(visit):
    window = visit(LESSON)
    first, beside = window.run("page.runs[''].replay.T"), window.run("page.runs['2'].replay.T")
    assert first < beside, "MIRA with p = 0.9 comes to rest later"
    window.page.keyboard.press("Home")
    window.page.keyboard.press("End")
    assert window.run("page.place") == beside
    window.page.keyboard.press("ArrowLeft")
    assert window.run("page.place") == beside - 1
    assert "MIRA goes on: epoch" in window.page.locator("#where").inner_text()
    window.run("page.go(argument)", first)
    window.page.keyboard.press("ArrowRight")
    assert window.run("page.place") == first + 1
    window.page.keyboard.press("ArrowLeft")
    window.page.keyboard.press("ArrowLeft")
    assert window.run("page.place") == first - 1
    assert "goes on" not in window.page.locator("#where").inner_text()


def test_the_panels_follow_the_learner_that_is_chosen(visit):
    window = visit(f"{LESSON}&at=40")
    pressed = lambda: window.page.locator("#follow button[aria-pressed=true]").inner_text()  # noqa: E731
    seen = lambda name: window.page.locator(name).inner_text()  # noqa: E731
    before = {name: seen(name) for name in ("#step-facts", "#bound-text", "#chart-list", "#where", "#pictures")}
    assert pressed() == "Perceptron"
    assert "those of the first learner" in seen("#follow-words")
    window.page.get_by_role("button", name="MIRA", exact=True).focus()
    window.page.keyboard.press("Enter")
    assert pressed() == "MIRA"
    assert "those of the second learner" in seen("#follow-words")
    after = {name: seen(name) for name in before}
    assert all(after[name] != before[name] for name in before), "every panel has turned to it"
    assert "MIRA · followed" in after["#pictures"]
    assert window.page.locator("#live").inner_text().startswith("MIRA: Epoch 1, example 40")
    # By the words of its rule, on the weights of its own run.
    assert window.run("page.replay === page.runs['2'].replay")
    assert window.run("Number(page.transport.scrubber.max) === page.runs['2'].replay.K")
    window.page.keyboard.press("n")
    assert "τ = (1 − y a)" in seen("#step-facts").replace("\xa0", " ")
    assert window.run("page.replay.updateAt(page.place - 1)") >= 0, "the next mistake is its own"
    window.page.reload()
    window.ready()
    assert pressed() == "MIRA", "the address holds it"
    window.page.evaluate("document.activeElement.blur()")
    window.page.keyboard.press("f")
    assert pressed() == "Perceptron"
    window.run("page.go(40)")
    assert {name: seen(name) for name in before} == before
    assert window.errors == []


def test_two_of_one_kind_are_told_apart_and_one_alone_needs_no_choice(visit):
    window = visit("#data=blobs&learner2=perceptron&rate2=0.5")
    names = window.page.locator("#follow button").all_inner_texts()
    assert names == ["Perceptron (first)", "Perceptron (second)"]
    window.page.select_option("#field-learner2", "none")
    window.settle()
    assert not window.page.locator("#follow").is_visible()
    window.page.keyboard.press("f")
    assert window.run("page.state.follow") == "first"


def test_the_second_learner_ends_on_the_weights_that_fit_returns(visit):
    window = visit(f"{LESSON}&follow=beside")
    X, y = window.run("page.replay.trace.points"), window.run("page.replay.y")
    clf = rosenblatt.Mira(p=0.9, max_iter=50, random_state=0).fit(X, y)
    assert window.run("page.replay.at(page.replay.T).last") == [*clf.coef_[0].tolist(), *clf.intercept_.tolist()]
