"""What learners are called where they are compared: a name may say whose weights predict, as `averaged mira` does."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from rosenblatt.errors import SettingError
from rosenblatt.learning.learners import ALL_LEARNERS, LEARNERS, Recipe

# Before a learner's name: the same, predicting with the mean of its weights, or with the last where the mean is its default.
AVERAGED, LAST = "averaged ", "last "
SAID_BY_NAME = ("averaged", "voted")  # whose names say whose weights predict: there is no averaged one of them
COMPARED = tuple(name for learner in LEARNERS.values() for name in learner.compared)
OTHERS = tuple(name for name in ALL_LEARNERS if name not in COMPARED)  # what `compare` tries only where it is named


def compared_as(name: str, averages: bool) -> str:
    """What `compare` calls a learner: its name, after `averaged` or `last` where other weights predict than by default.

    >>> compared_as("perceptron", averages=True), compared_as("voted", averages=False), compared_as("mira", averages=True)
    ('averaged', 'perceptron', 'averaged mira')
    >>> compared_as("logistic", averages=True), compared_as("logistic", averages=False)
    ('logistic', 'last logistic')
    """
    learner = ALL_LEARNERS[name]
    plain = learner.rule.name if name in SAID_BY_NAME else name
    if averages == (ALL_LEARNERS[plain].view == "averaged"):
        return plain
    if not averages:
        return LAST + plain
    return next(
        (one.name for one in LEARNERS.values() if one.rule is learner.rule and one.view == "averaged"), AVERAGED + plain
    )


def label_of(compared: str) -> str:
    """What people call a learner that `compare` names.

    >>> label_of("averaged"), label_of("averaged mira"), label_of("majority")
    ('averaged perceptron', 'averaged MIRA', 'majority')
    """
    if compared in ALL_LEARNERS:
        return ALL_LEARNERS[compared].label
    plain = without_view(compared)
    return compared.removesuffix(plain) + LEARNERS[plain].label if plain in LEARNERS else compared


def without_view(compared: str) -> str:
    """The learner's own name in one that may begin with `averaged` or `last`.

    >>> without_view("averaged mira"), without_view("averaged")
    ('mira', 'averaged')
    """
    return compared.removeprefix(AVERAGED).removeprefix(LAST)


def recipe_called(name: str, recipe: Recipe) -> Recipe:
    """A recipe with the learner of another name, which may begin with `averaged` or `last`; against the rest if it can.

    >>> chosen = recipe_called("averaged mira", Recipe(epochs=3))
    >>> chosen.learner, chosen.averages, chosen.epochs
    ('mira', True, 3)
    """
    plain = without_view(name)
    if plain not in ALL_LEARNERS or (plain != name and plain in SAID_BY_NAME):
        known = (*COMPARED, *OTHERS)
        near = [other for other in known if other.replace(" ", "") == name.replace(" ", "")] or get_close_matches(
            name, known, 1
        )
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingError(f"There is no learner {name!r}: choose from {', '.join(known)}.{hint}")
    multiclass = recipe.multiclass if ALL_LEARNERS[plain].learns_against_rest else "rival"
    chosen = replace(
        recipe, learner=plain, average=None if plain == name else name.startswith(AVERAGED), multiclass=multiclass
    )
    chosen.refuse_impossible()
    return chosen
