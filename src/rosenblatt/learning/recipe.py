"""Everything that decides what is learned from a data set."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Settings
from rosenblatt.errors import SettingError
from rosenblatt.learning.learners import AVERAGED, COMPARED, LEARNERS, compared_as, learner_called
from rosenblatt.learning.plan import Plan


@dataclass(frozen=True)
class Recipe(Settings):
    """Everything that decides what is learned: the learner and its parameters, epochs, order, seed, feature map.

    `average` is None for what the learner's name says. `features` are the options of the feature map. `keep_log` keeps the
    updates and a copy of the rows that made them: votes need them (the learner `voted` has them anyway), and influences.
    """

    learner: str = "averaged"
    epochs: int = 5
    seed: int = 0
    average: bool | None = None
    order: str = "shuffled"
    fit_intercept: bool = True
    tol: float | None = None
    patience: int | None = None
    class_weight: Any = None
    parameters: dict[str, Any] = field(default_factory=dict)
    features: dict[str, Any] = field(default_factory=dict)
    keep_log: bool = False

    @classmethod
    def compared(cls, name: str, recipe: Recipe) -> Recipe:
        """A recipe with the learner of another name, which may begin with `averaged`.

        >>> chosen = Recipe.compared("averaged mira", Recipe(epochs=3))
        >>> chosen.learner, chosen.averages, chosen.epochs
        ('mira', True, 3)
        """
        plain = name.removeprefix(AVERAGED)
        if plain not in LEARNERS or (plain != name and LEARNERS[plain].view != "last"):
            known = (*COMPARED, *(one for one in LEARNERS if one not in COMPARED))
            near = [other for other in known if other.replace(" ", "") == name.replace(" ", "")] or close_names(name, known)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise SettingError(f"There is no learner {name!r}: choose from {', '.join(known)}.{hint}")
        chosen = replace(recipe, learner=plain, average=True if plain != name else None)
        chosen.refuse_impossible()
        return chosen

    def refuse_impossible(self) -> None:
        """Refuses what cannot be, before any data are touched."""
        self.rule()
        self.plan()

    def rule(self) -> rules.Rule:
        """The learner's rule with its parameters."""
        learner = learner_called(self.learner)
        rule = learner.make_rule(self.parameters)
        if self.keep_log and not learner.keeps_log:
            raise SettingError(f"{self.learner} moves at every example: only mistake-driven learners keep a log.")
        return rule

    def plan(self) -> Plan:
        return Plan(
            self.epochs, self.order, self.seed, self.fit_intercept, self.averages, self.tol, self.patience,
            keep_log=self.keep_log or self.votes,
        )  # fmt: skip

    @property
    def averages(self) -> bool:
        """Does the mean of the weights predict?"""
        return learner_called(self.learner).view == "averaged" if self.average is None else self.average

    @property
    def votes(self) -> bool:
        """Do all weights predict together?"""
        return learner_called(self.learner).view == "voted" and self.average is None

    @property
    def view(self) -> str:
        """Whose weights predict."""
        return "voted" if self.votes else "averaged" if self.averages else "last"

    @property
    def compared_name(self) -> str:
        """What `compare` calls this learner."""
        return compared_as(self.learner, self.averages)

    def to_json(self) -> dict[str, Any]:
        """What a model file holds; weights of classes are pairs, since labels need not be texts and keys of JSON must."""
        saved = asdict(self)
        if isinstance(self.class_weight, dict):
            saved["class_weight"] = [[label, factor] for label, factor in self.class_weight.items()]
        return saved

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Recipe:
        """The reverse; older files have a dict of texts."""
        recipe = cls(**saved)
        weight = recipe.class_weight
        return replace(recipe, class_weight=dict(map(tuple, weight))) if isinstance(weight, list) else recipe


def close_names(name: str, known: tuple[str, ...]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, known, 1)
