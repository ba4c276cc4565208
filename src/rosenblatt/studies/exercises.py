"""The exercises of a worksheet: each draws its numbers so that everything can be computed by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from rosenblatt.studies.worksheet import Blank, Builder, Draw, Exercise, Value, shown

Vector = tuple[Fraction, ...]
# (w₁, w₂) whose length is a whole number, and (w₁, w₂, b) whose length is.
TRIPLES = ((3, 4), (4, 3), (5, 12), (12, 5), (8, 6), (6, 8))
QUADRUPLES = ((1, 2, 2), (2, 1, 2), (2, 3, 6), (3, 2, 6), (4, 4, 7), (2, 6, 3), (6, 2, 3))
WORDS = ("win", "vote", "game", "code", "goal", "law")
CLASSES = ("SPORTS", "POLITICS", "TECH")


def number(values: Mapping[str, Value], blank: Blank) -> Fraction:
    value = values[blank.key]
    return value if isinstance(value, Fraction) else Fraction(0)


def vector(values: Vector) -> str:
    return f"({', '.join(map(shown, values))})"


def signed(value: Fraction) -> str:
    return f"({shown(value)})" if value < 0 else shown(value)


def products(w: Vector, x: Vector) -> str:
    return " + ".join(f"{signed(a)}·{signed(b)}" for a, b in zip(w, x, strict=True))


def dot(w: Vector, x: Vector) -> Fraction:
    return sum((a * b for a, b in zip(w, x, strict=True)), Fraction(0))


def draw_points(draw: Draw, n: int) -> list[tuple[Vector, int]]:
    """So many points with halves as coordinates, of both classes, no two at one place and none at the origin."""
    points: dict[Vector, int] = {}
    while len(points) < n or len(set(points.values())) < 2:
        if len(points) == n:
            points.clear()
        x = draw.half(2), draw.half(2)
        if any(x):
            points.setdefault(x, 1 if draw.whole(0, 1) else -1)
    return list(points.items())


def count_updates(points: list[tuple[Vector, int]], start: Vector, bias: bool, epochs: int) -> int | None:
    """Updates of a perceptron until an epoch has none; None where it needs more epochs, or no update at all."""
    w, b, updates = start, Fraction(0), 0
    for _ in range(epochs):
        before = updates
        for x, y in points:
            if y * (dot(w, x) + b) <= 0:
                w, b = tuple(a + y * c for a, c in zip(w, x, strict=True)), b + (y if bias else 0)
                updates += 1
        if updates == before:
            return updates or None
    return None


def walk_with_bias(ask: Builder, draw: Draw) -> Exercise:
    """One epoch of a perceptron from a first guess, as in Boulder's example (B3)."""
    while True:
        points, w = draw_points(draw, 4), (Fraction(draw.whole(-1, 1)), Fraction(draw.whole(-1, 1)))
        moved = sum(step[-1] for step in steps_of(points, w))
        if 1 <= moved <= 3:
            break
    exercise = Exercise(
        "One mistake at a time",
        "B3",
        [
            f"A perceptron starts with w = {vector(w)} and b = 0 and sees four points, in this order, once.",
            "Compute the activation a = w·x + b of each, say whether it is a mistake (y·a ≤ 0), and write w and b after it.",
        ],
        ["point", "x", "y", "a", "mistake?", "w₁", "w₂", "b"],
    )
    before: list[Blank] | None = None
    state: tuple[Vector, Fraction] = (w, Fraction(0))
    for place, (x, y) in enumerate(points, start=1):
        row = walk_row(ask, (place, x, y), before, state)
        exercise.rows.append([str(place), vector(x), "+1" if y > 0 else "−1", *row])
        before = row[2:]
        state = tuple(number(ask.values, blank) for blank in before[:2]), number(ask.values, before[2])
    return exercise


def steps_of(points: list[tuple[Vector, int]], w: Vector) -> list[tuple[Fraction, bool]]:
    """The activations of one epoch with a bias, and which of them were mistakes."""
    b, steps = Fraction(0), []
    for x, y in points:
        a = dot(w, x) + b
        steps.append((a, y * a <= 0))
        if y * a <= 0:
            w, b = tuple(c + y * d for c, d in zip(w, x, strict=True)), b + y
    return steps


def walk_row(
    ask: Builder, example: tuple[int, Vector, int], before: list[Blank] | None, state: tuple[Vector, Fraction]
) -> list[Blank]:
    """The blanks of one example: activation, mistake, and the weights after it, each from the blanks before."""
    place, x, y = example
    w, b = state

    def weights(values: Mapping[str, Value]) -> tuple[Vector, Fraction]:
        if before is None:
            return w, b
        return tuple(number(values, blank) for blank in before[:2]), number(values, before[2])

    def activation(values: Mapping[str, Value]) -> Value:
        own, bias = weights(values)
        return dot(own, x) + bias

    a = ask.ask(f"the activation of point {place}", activation, f"a = w·x + b = {products(w, x)} + {signed(b)}")
    right = number(ask.values, a)
    wrong = ask.ask(
        f"whether point {place} is a mistake",
        lambda values: "yes" if y * number(values, a) <= 0 else "no",
        f"y·a = {shown(y * right)}, which is {'not above' if y * right <= 0 else 'above'} 0",
    )
    blanks = [a, wrong]
    for j, name in enumerate(("w₁", "w₂", "b")):
        step = (*x, Fraction(1))[j] * y
        old = (*w, b)[j]
        moves = ask.values[wrong.key] == "yes"

        def after(values: Mapping[str, Value], j: int = j, step: Fraction = step) -> Value:
            own, bias = weights(values)
            return (*own, bias)[j] + (step if values[wrong.key] == "yes" else 0)

        working = f"{name} = {signed(old)} + {signed(step)}" if moves else f"{name} stays"
        blanks.append(ask.ask(f"{name} after point {place}", after, working))
    return blanks


def walk_to_rest(ask: Builder, draw: Draw) -> Exercise:
    """Without a bias until nothing is wrong any more, as in Harvey Mudd's example (H3)."""
    start: Vector = (Fraction(1), Fraction(0))
    while True:
        points = draw_points(draw, 3)
        updates = count_updates(points, start, bias=False, epochs=4)
        if updates and 2 <= updates <= 5:
            break
    w, path = start, []
    while True:
        wrong = [(x, y) for x, y in points if y * dot(w, x) <= 0]
        if not wrong:
            break
        for x, y in points:
            if y * dot(w, x) <= 0:
                w = tuple(a + y * b for a, b in zip(w, x, strict=True))
                path.append(vector(w))
    exercise = Exercise(
        "Through the origin",
        "H3",
        [
            "The same without a bias, from w = (1, 0), epoch after epoch in this order, until a whole epoch has no mistake: "
            + ", ".join(f"{vector(x)} {'+' if y > 0 else '−'}" for x, y in points)
            + ". A margin of 0 counts as a mistake.",
        ],
        ["updates", "w₁ at the end", "w₂ at the end"],
    )
    along = f"w becomes {', then '.join(path)}"
    exercise.rows.append(
        [
            ask.ask("the number of updates", lambda values: Fraction(len(path)), along),
            ask.ask("w₁ at the end", lambda values: w[0], along),
            ask.ask("w₂ at the end", lambda values: w[1], along),
        ]
    )
    return exercise


def margins(ask: Builder, draw: Draw) -> Exercise:
    """Functional and geometric margins, and the margin of the set (H6, B6)."""
    sides = draw.one_of(TRIPLES)
    w: Vector = tuple(Fraction(side * (1 if draw.whole(0, 1) else -1)) for side in sides)  # type: ignore[attr-defined]
    length, b = Fraction(math.isqrt(int(dot(w, w)))), Fraction(draw.whole(-3, 3))
    points = [(x, 1 if dot(w, x) + b > 0 else -1) for x, _ in draw_points(draw, 3)]
    if draw.whole(0, 1):  # one on the wrong side
        points[1] = points[1][0], -points[1][1]
    exercise = Exercise(
        "Margins",
        "H6",
        [
            f"Given w = {vector(w)} and b = {shown(b)}. The functional margin of a point is y (w·x + b), the geometric one "
            "is that divided by |w|.",
            "The margin of the set is the least geometric margin; below 0 the line does not separate the points.",
        ],
        ["point", "x", "y", "functional", "geometric"],
    )
    geometric: list[Blank] = []
    for place, (x, y) in enumerate(points, start=1):
        functional = ask.ask(
            f"the functional margin of point {place}",
            lambda values, x=x, y=y: y * (dot(w, x) + b),  # type: ignore[misc]
            f"{y:+d}·({products(w, x)} + {signed(b)})".replace("-", "−"),
        )
        geometric.append(
            ask.ask(
                f"the geometric margin of point {place}",
                lambda values, functional=functional: number(values, functional) / length,  # type: ignore[misc]
                f"{shown(number(ask.values, functional))} / |w| = {shown(number(ask.values, functional))} / {shown(length)}",
            )
        )
        exercise.rows.append([str(place), vector(x), "+1" if y > 0 else "−1", functional, geometric[-1]])
    least = ask.ask(
        "the margin of the set",
        lambda values: min(number(values, blank) for blank in geometric),
        "the least of the geometric margins",
    )
    separated = ask.ask("whether the line separates the points", lambda values: "yes" if number(values, least) > 0 else "no")
    exercise.rows += [["", "", "", "margin of the set", least], ["", "", "", "separated?", separated]]
    return exercise


def bound(ask: Builder, draw: Draw) -> Exercise:
    """The theorem in the space that counts the bias (H7, B6)."""
    while True:
        theta: Vector = tuple(Fraction(side * (1 if draw.whole(0, 1) else -1)) for side in draw.one_of(QUADRUPLES))  # type: ignore[attr-defined]
        length = Fraction(math.isqrt(int(dot(theta, theta))))
        points = [((*x, Fraction(1)), 1 if dot(theta, (*x, Fraction(1))) > 0 else -1) for x, _ in draw_points(draw, 3)]
        if all(dot(theta, x) for x, _ in points) and len({y for _, y in points}) == 2:
            break
    exercise = Exercise(
        "How many mistakes at most?",
        "H7",
        [
            f"These points are separated by w = {vector(theta[:2])}, b = {shown(theta[2])}: "
            + ", ".join(f"{vector(x[:2])} {'+' if y > 0 else '−'}" for x, y in points)
            + ".",
            "The bias counts as the weight of a constant feature 1, so |x|² counts that 1, and γ is divided by |(w, b)|. "
            "Block and Novikoff: a perceptron makes at most R²/γ² updates.",
        ],
        ["R² = largest |x|² + 1", "least y (w·x + b)", "|(w, b)|", "γ", "updates at most (whole number)"],
    )
    longest = max(dot(x, x) for x, _ in points)
    least = min(y * dot(theta, x) for x, y in points)
    R2 = ask.ask("R²", lambda values: longest, "the largest x₁² + x₂² + 1")
    functional = ask.ask("the least functional margin", lambda values: least, "the least y (w·x + b)")
    size = ask.ask("|(w, b)|", lambda values: length, f"√{shown(dot(theta, theta))}")
    gamma = ask.ask(
        "γ",
        lambda values: number(values, functional) / number(values, size),
        f"{shown(least)} / {shown(length)}",
    )
    most = ask.ask(
        "the bound",
        # From R², the margin and the length, not from γ, which the sheet has in two decimals.
        lambda values: Fraction(math.floor(number(values, R2) * (number(values, size) / number(values, functional)) ** 2)),
        f"R²/γ² = {shown(longest)} · ({shown(length)} / {shown(least)})², rounded down",
    )
    exercise.rows.append([R2, functional, size, gamma, most])
    return exercise


def votes(ask: Builder, draw: Draw) -> Exercise:
    """Three classes: the highest activation wins; the wrong one is lowered and the right one raised (W6, W7)."""
    words = [str(word) for word in sorted({str(draw.one_of(WORDS)) for _ in range(9)})[:3]]
    while len(words) < 3:
        words.append(next(word for word in WORDS if word not in words))
    features = ["BIAS", *words]
    while True:
        table = {name: tuple(Fraction(draw.whole(-2, 4)) for _ in features) for name in CLASSES}
        x: Vector = (Fraction(1), *(Fraction(draw.whole(0, 2)) for _ in words))
        scores = {name: dot(weights, x) for name, weights in table.items()}
        ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
        if scores[ranked[0]] > scores[ranked[1]] and sum(x) > 2:
            break
    right = ranked[1 + draw.whole(0, 1)]
    text = " ".join(word for word, count in zip(words, x[1:], strict=True) for _ in range(int(count)))
    exercise = Exercise(
        "Who wins the vote?",
        "W7",
        [
            "Three classes, a weight vector each; the features are BIAS = 1 and how often a word occurs. "
            f"The text is “{text}”.",
            f"Compute the three scores; the highest wins. In truth it was {right}: raise its weights by the features, lower "
            "those of the winner, and compute all scores again.",
        ],
        ["class", *features, "score", "score after the update"],
    )
    blanks = [
        ask.ask(f"the score of {name}", lambda values, name=name: dot(table[name], x), products(table[name], x))  # type: ignore[misc]
        for name in CLASSES
    ]
    winner = ask.ask(
        "the winner",
        lambda values: max(CLASSES, key=lambda name: number(values, blanks[CLASSES.index(name)])),
        "the highest score",
    )
    for name, blank in zip(CLASSES, blanks, strict=True):

        def after(values: Mapping[str, Value], name: str = name, blank: Blank = blank) -> Value:
            won = str(values[winner.key]).upper()
            step = (name == right) - (name == won)
            return number(values, blank) + step * dot(x, x)

        sign = {1: " + ", -1: " − "}.get((name == right) - (name == ranked[0]))
        working = f"{shown(scores[name])}{sign}|x|² = {shown(scores[name])}{sign}{shown(dot(x, x))}" if sign else "it stays"
        new = ask.ask(f"the score of {name} after the update", after, working)
        exercise.rows.append([name, *map(shown, table[name]), blank, new])
    exercise.rows.append(["winner", *([""] * len(features)), winner, ""])
    return exercise


def smallest_step(ask: Builder, draw: Draw) -> Exercise:
    """MIRA: the smallest change that gives an example margin 1 (O4)."""
    while True:
        (x, y), w = draw_points(draw, 3)[0], (draw.half(2), draw.half(2))
        if y * dot(w, x) <= 0 and dot(x, x) + 1 in (2, 3, 5, Fraction(5, 4), Fraction(7, 2), 6, 9):
            break
    a, size = dot(w, x), dot(x, x) + 1
    exercise = Exercise(
        "The smallest step that helps",
        "O4",
        [
            f"MIRA has w = {vector(w)}, b = 0 and sees x = {vector(x)} with y = {'+1' if y > 0 else '−1'}.",
            "Its step is τ = (1 − y·a) / (|x|² + 1); then w ← w + τ y x, b ← b + τ y. Then the margin of this point is 1.",
        ],
        ["y·a", "|x|² + 1", "τ", "w₁", "w₂", "b"],
    )
    margin = ask.ask("y·a", lambda values: y * a, f"{y:+d}·({products(w, x)})".replace("-", "−"))
    norm2 = ask.ask("|x|² + 1", lambda values: size, " + ".join(f"{signed(v)}²" for v in x) + " + 1")
    tau = ask.ask(
        "τ",
        lambda values: (1 - number(values, margin)) / number(values, norm2),
        f"(1 − {signed(y * a)}) / {shown(size)}",
    )
    step = (1 - y * a) / size
    blanks: list[str | Blank] = [margin, norm2, tau]
    for name, old, part in zip(("w₁", "w₂", "b"), (*w, Fraction(0)), (*x, Fraction(1)), strict=True):
        blanks.append(
            ask.ask(
                name,
                lambda values, old=old, part=part: old + number(values, tau) * y * part,  # type: ignore[misc]
                f"{signed(old)} + {shown(step)}·{signed(y * part)}",
            )
        )
    exercise.rows.append(blanks)
    return exercise


EXERCISES = (walk_with_bias, walk_to_rest, margins, bound, votes, smallest_step)
