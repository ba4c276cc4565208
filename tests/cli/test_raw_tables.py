"""A business export with a known truth, written as two countries would, beside the same learner on features made by hand."""

import json
from datetime import date, timedelta

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from rosenblatt import AveragedPerceptron
from rosenblatt.cli import run
from rosenblatt.data.splits import at_random

ROWS, HELD_OUT = 4000, 0.25
PLANS = {"basic": 0.8, "plus": 0.1, "pro": -0.6, "family": -0.2}
CROSS = ["cancel", "refund", "slow", "broken", "angry", "terrible", "waiting", "again", "complaint"]
GLAD = ["thanks", "great", "works", "fine", "happy", "quick", "friendly", "answer", "perfect"]
FILLER = [
    "the",
    "service",
    "was",
    "and",
    "I",
    "called",
    "about",
    "my",
    "account",
    "yesterday",
    "please",
    "help",
    "with",
    "it",
]


@pytest.fixture(scope="module")
def customers():
    rng = np.random.default_rng(0)
    rows = []
    for number in range(ROWS):
        signup = date(2020, 1, 1) + timedelta(days=int(rng.integers(0, 1500)))
        login = signup + timedelta(days=int(rng.integers(1, 400)))
        amount, age, usage = (
            round(float(np.exp(rng.normal(4.5, 1))), 2),
            int(rng.integers(18, 90)),
            int(rng.integers(0, 1000)),
        )
        plan, is_cross = str(rng.choice([*PLANS])), bool(rng.random() < 0.4)
        mood = CROSS if is_cross else GLAD
        words = [str(rng.choice(mood if rng.random() < 0.25 else FILLER)) for _ in range(rng.integers(6, 14))]
        z = PLANS[plan] + 1.2 * is_cross - 0.002 * (signup - date(2020, 1, 1)).days + 0.6 * (np.log(amount) - 4.5)
        z += 0.02 * (age - 54) + 0.5 * (login.month in (6, 7, 8)) + usage / 1000 - 1
        churn = "yes" if rng.random() < 1 / (1 + np.exp(-1.7 * z)) else "no"
        known = [
            None if gone else value for value, gone in zip((login, amount, age, usage), rng.random(4) < 0.2, strict=True)
        ]
        rows.append((f"C-{number:06d}", signup, known[0], known[1], plan, known[2], known[3], " ".join(words), churn))
    return rows


def as_export(customers, european):
    """A CSV of one of two dialects: marks, units, dates and delimiter differ."""

    def number(value, digits):
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if european else text

    def day(value):
        return "" if value is None else value.strftime("%d.%m.%Y" if european else "%m/%d/%Y")

    cut = ";" if european else ","
    lines = [cut.join(["customer_id", "signup", "last_login", "amount", "plan", "age", "usage", "comment", "churn"])]
    for customer, signup, login, amount, plan, age, usage, comment, churn in customers:
        price = "NULL" if amount is None else f"{number(amount, 2)} €" if european else f"${number(amount, 2)}"
        share = "-" if usage is None else f"{number(usage / 10, 1)} %"
        cells = [customer, day(signup), day(login), price, plan, "N/A" if age is None else str(age), share, comment, churn]
        lines.append(cut.join(f'"{cell}"' if cut in cell else cell for cell in cells))
    return "\n".join(lines) + "\n"


def by_hand(customers, learned):
    """Date parts, word counts, one-hot categories, scaled numbers with a column for missing ones."""
    _, signup, login, amount, plan, age, usage, comment, _ = zip(*customers, strict=True)

    def numbers(values):
        x = np.array([np.nan if value is None else float(value) for value in values])
        known = x[learned & ~np.isnan(x)]
        return np.column_stack([(np.nan_to_num(x, nan=known.mean()) - known.mean()) / known.std(), np.isnan(x)])

    def one_hot(values):
        return (np.array(values, dtype=str)[:, None] == np.unique(np.array(values, dtype=str))).astype(float)

    def dates(values):
        parts = [[None if day is None else part(day) for day in values] for part in (
            date.toordinal, lambda day: day.year, lambda day: day.month, date.weekday,
        )]  # fmt: skip
        return np.column_stack([numbers(parts[0]), *map(one_hot, parts[1:])])

    dense = [numbers(amount), numbers(age), numbers(usage), one_hot(plan), dates(signup), dates(login)]
    return sp.hstack([np.column_stack(dense), CountVectorizer().fit_transform(comment)], format="csr")


@pytest.mark.parametrize("european", [True, False], ids=["European", "American"])
def test_an_export_is_learned_as_well_as_features_made_by_hand(customers, european, tmp_path, capsys):
    (tmp_path / "export.csv").write_text(as_export(customers, european))
    call = ["train", str(tmp_path / "export.csv"), "--target", "churn", "--holdout", str(HELD_OUT), "--json"]
    assert run(call) == 0
    told = json.loads(capsys.readouterr().out)
    kinds = {column["name"]: column["kind"] for column in told["columns"]}
    assert kinds == {
        "customer_id": "id", "signup": "date", "last_login": "date", "amount": "number", "plan": "category", "age": "number",
        "usage": "number", "comment": "text",
    }  # fmt: skip
    held_out = at_random(ROWS, HELD_OUT, seed=0)
    X, y = by_hand(customers, ~held_out), np.array([row[-1] for row in customers])
    assert told["features"] == X.shape[1]
    errors = [
        1 - AveragedPerceptron(max_iter=5, random_state=seed).fit(X[~held_out], y[~held_out]).score(X[held_out], y[held_out])
        for seed in range(3)
    ]
    assert told["dev_error"]["averaged"] <= np.mean(errors) + 0.02
    assert told["dev_error"]["averaged"] < told["dev_majority_error"] - 0.03
