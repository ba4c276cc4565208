"""Two learners side by side, and which of them is followed."""

import rosenblatt

LESSON = "#data=blobs&n=60&margin=0.12&dataseed=9&epochs=50&learner2=mira&p2=0.9"  # the sixth


def test_two_learners_stand_side_by_side_on_the_same_points(visit):
    there = visit("#data=blobs&learner2=mira&p2=0.9")
    assert there.page.locator(".picture").count() == 2
    assert there.run("page.runs[''].replay.x") == there.run("page.runs['2'].replay.x")
    assert there.run("Object.values(page.runs).every((run) => run.replay.agrees())")


def test_the_longer_run_beside_can_be_followed_to_its_end(visit):
    there = visit(LESSON)
    first, beside = there.run("page.runs[''].replay.T"), there.run("page.runs['2'].replay.T")
    assert first < beside, "MIRA with p = 0.9 comes to rest later"
    there.page.keyboard.press("Home")
    there.page.keyboard.press("End")
    assert there.run("page.place") == beside
    there.page.keyboard.press("ArrowLeft")
    assert there.run("page.place") == beside - 1
    assert "MIRA goes on: epoch" in there.page.locator("#where").inner_text()
    there.run("page.go(argument)", first)
    there.page.keyboard.press("ArrowRight")
    assert there.run("page.place") == first + 1
    there.page.keyboard.press("ArrowLeft")
    there.page.keyboard.press("ArrowLeft")
    assert there.run("page.place") == first - 1
    assert "goes on" not in there.page.locator("#where").inner_text()


def test_the_panels_follow_the_learner_that_is_chosen(visit):
    there = visit(f"{LESSON}&at=40")
    pressed = lambda: there.page.locator("#follow button[aria-pressed=true]").inner_text()  # noqa: E731
    seen = lambda name: there.page.locator(name).inner_text()  # noqa: E731
    before = {name: seen(name) for name in ("#step-facts", "#bound-text", "#chart-list", "#where", "#pictures")}
    assert pressed() == "Perceptron"
    assert "those of the first learner" in seen("#follow-words")
    there.page.get_by_role("button", name="MIRA", exact=True).focus()
    there.page.keyboard.press("Enter")
    assert pressed() == "MIRA"
    assert "those of the second learner" in seen("#follow-words")
    after = {name: seen(name) for name in before}
    assert all(after[name] != before[name] for name in before), "every panel has turned to it"
    assert "MIRA · followed" in after["#pictures"]
    assert there.page.locator("#live").inner_text().startswith("MIRA: Epoch 1, example 40")
    # By the words of its rule, on the weights of its own run.
    assert there.run("page.replay === page.runs['2'].replay")
    assert there.run("Number(page.transport.scrubber.max) === page.runs['2'].replay.K")
    there.page.keyboard.press("n")
    assert "τ = (1 − y a)" in seen("#step-facts").replace("\xa0", " ")
    assert there.run("page.replay.updateAt(page.place - 1)") >= 0, "the next mistake is its own"
    there.page.reload()
    there.ready()
    assert pressed() == "MIRA", "the address holds it"
    there.page.evaluate("document.activeElement.blur()")
    there.page.keyboard.press("f")
    assert pressed() == "Perceptron"
    there.run("page.go(40)")
    assert {name: seen(name) for name in before} == before
    assert there.errors == []


def test_two_of_one_kind_are_told_apart_and_one_alone_needs_no_choice(visit):
    there = visit("#data=blobs&learner2=perceptron&rate2=0.5")
    names = there.page.locator("#follow button").all_inner_texts()
    assert names == ["Perceptron (first)", "Perceptron (second)"]
    there.page.select_option("#field-learner2", "none")
    there.settle()
    assert not there.page.locator("#follow").is_visible()
    there.page.keyboard.press("f")
    assert there.run("page.state.follow") == "first"


def test_the_second_learner_ends_on_the_weights_that_fit_returns(visit):
    there = visit(f"{LESSON}&follow=beside")
    X, y = there.run("page.replay.trace.points"), there.run("page.replay.y")
    clf = rosenblatt.Mira(p=0.9, max_iter=50, random_state=0).fit(X, y)
    assert there.run("page.replay.at(page.replay.T).last") == [*clf.coef_[0].tolist(), *clf.intercept_.tolist()]
