"""The lab: short, seeded experiments on the claims of the lectures. `rosenblatt lab NAME` runs one again.

Each gives a table, a picture, and a sentence that the numbers decide, whether they bear the claim out or refute it.

>>> perform("distant-points").holds
True
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module

from rosenblatt.errors import SettingError
from rosenblatt.lab.finding import Finding, table

# name: (module, what it asks)
EXPERIMENTS = {
    "averaging": ("tips", "Does averaging help where labels are noisy?"),
    "shuffling": ("tips", "Does it hurt to learn from rows that are sorted by class?"),
    "rate": ("tips", "Does a falling rate calm the weights, and what must it not do?"),
    "scaling": ("tips", "Do centring and unit variance make the radius smaller and the margin larger?"),
    "aggressiveness": ("margins", "Does a larger p give a larger margin, for more updates?"),
    "overtraining": ("margins", "Does the held-out error rise again when training goes on?"),
    "order": ("margins", "How much do the weights depend on the order of the rows?"),
    "naive-bayes": ("views", "Which needs fewer examples, naive Bayes or logistic regression?"),
    "distant-points": ("regression", "What do far points on the right side do to linear and to logistic regression?"),
    "large-margins": ("regression", "Does logistic regression favour large margins?"),
    "mpg": ("views", "Three views on the mpg table: naive Bayes, logistic regression, perceptron."),
    "income": ("ranking", "Which learner is best on the income data?"),
    "cost": ("ranking", "What does a prediction cost, by nearest neighbours and by a linear model?"),
}

__all__ = ["EXPERIMENTS", "Finding", "perform", "table"]


def perform(name: str) -> Finding:
    """Runs an experiment."""
    if name not in EXPERIMENTS:
        near = get_close_matches(name, EXPERIMENTS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Choose one of {', '.join(EXPERIMENTS)}."
        raise SettingError(f"There is no experiment {name!r}.{hint}")
    experiment: Callable[[], Finding] = getattr(
        import_module(f"rosenblatt.lab.{EXPERIMENTS[name][0]}"), name.replace("-", "_")
    )
    return experiment()
