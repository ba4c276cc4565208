"""The registry of learners: what each one is stands here, once, and every door reads it.

A learner is a rule (its formula and parameters), and whose weights predict: the last of a run, their mean, or all of them by
vote. To add one, add its rule to engine/rules.py and a line here: docs/architecture.md. Nothing heavy is imported.

>>> LEARNERS["averaged"].label, LEARNERS["mira"].rule.__name__, list(LEARNERS["mira"].parameters)
('averaged perceptron', 'Mira', ['p'])
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from rosenblatt.engine import rules
from rosenblatt.engine.parameters import AnyOf, Choice, Parameter, Real, Settings, Whole, parameter
from rosenblatt.errors import SettingError
from rosenblatt.learning.plan import Design, Plan

if TYPE_CHECKING:
    from rosenblatt.data.dataset import Labels
    from rosenblatt.features import FeatureMap

USUAL_FEATURES: dict[str, dict[str, Any]] = {  # of linear learners, by the kind of the rows
    "table": {"numeric": "auto", "weighting": "idf"},
    "text": {"weighting": "idf"},
}
# What learns numbers by default, and how: chosen on twenty tables beside ridge (docs/numbers.md).
LEARNER_OF_NUMBERS = "passive-aggressive"
USUAL_FOR_NUMBERS: dict[str, dict[str, Any]] = {"passive-aggressive": {"C": 0.1, "variant": "II", "epsilon": 0.01}}
OF_CLASSES = {"class_weight": "--balanced", "calibrate": "--calibrate", "threshold": "--threshold", "keep_log": "--keep-log"}


@dataclass(frozen=True)
class Learner:
    """One declaration a learner."""

    name: str  # on the command line and in model files
    rule: type[rules.Rule]
    label: str  # as people call it
    estimator: str | None = None  # its class in Python, where it has one
    view: str = "last"  # whose weights predict: "last", "averaged" or "voted"
    compared: tuple[str, ...] = ()  # the names under which `compare` tries it by default
    kernels: bool = False  # can its rule learn with a kernel?
    regression: type[rules.Rule] | None = None  # its rule for numbers in the place of labels, where it has one

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What can be set, by public name."""
        return self.rule.parameters()

    @property
    def every_parameter(self) -> dict[str, Parameter]:
        """Those of its rule for numbers, too."""
        return self.parameters | ({} if self.regression is None else self.regression.parameters())

    @property
    def keeps_log(self) -> bool:
        """Does it add rows, at mistakes only, so that its log is the dual solution? Votes and influences need that."""
        return not (self.rule.moves_always or self.rule.second_order)

    @property
    def learns_against_rest(self) -> bool:
        """Can each class learn against the rest, in the place of its rival?"""
        return self.name in LEARNERS and not self.rule.moves_always and self.view != "voted"

    def for_numbers(self) -> Learner:
        """The same learner with its rule for numbers in the place of labels."""
        if self.regression is None:
            able = ", ".join(name for name, learner in LEARNERS.items() if learner.regression)
            raise SettingError(
                f"{self.name} learns classes, not numbers: for these there are {able}. --task classes takes each for one."
            )
        return replace(self, rule=self.regression)

    def make_rule(self, parameters: dict[str, Any]) -> rules.Rule:
        """The rule with these parameters, by public name; others are refused.

        >>> LEARNERS["mira"].make_rule({"p": 0.5})
        Mira(p=0.5)
        """
        for name in parameters:
            if name not in self.parameters:
                raise SettingError(
                    f"{self.name} has no parameter {name!r}: it has {', '.join(self.parameters)}.{where_it_is(name)}"
                )
        return self.rule.from_public(parameters)


def where_it_is(parameter: str) -> str:
    """Which learner has a parameter that another has not, with the options that choose it.

    >>> where_it_is("epsilon"), where_it_is("C")
    (' --task numbers -l passive-aggressive has it.', ' -l passive-aggressive has it.')
    """
    if parameter == "budget":
        return " --auto has it, in seconds, and -l kernel, in examples."
    for_classes = next((name for name, one in ALL_LEARNERS.items() if parameter in one.parameters), None)
    for_numbers = next((name for name, one in LEARNERS.items() if parameter in one.every_parameter), None)
    return (
        f" -l {for_classes} has it." if for_classes else f" --task numbers -l {for_numbers} has it." if for_numbers else ""
    )


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("perceptron", rules.Perceptron, "perceptron", "Perceptron", compared=("perceptron",), kernels=True),
        Learner("averaged", rules.Perceptron, "averaged perceptron", "AveragedPerceptron", "averaged", ("averaged",)),
        Learner("voted", rules.Perceptron, "voted perceptron", "VotedPerceptron", "voted"),
        Learner("mira", rules.Mira, "MIRA", "Mira", compared=("mira", "averaged mira"), kernels=True),
        Learner(
            "passive-aggressive", rules.PassiveAggressive, "passive-aggressive", "PassiveAggressive",
            compared=("passive-aggressive",), regression=rules.EpsilonInsensitive,
        ),
        Learner("arow", rules.Arow, "AROW", "Arow", compared=("arow",)),
        Learner(
            "logistic", rules.Logistic, "logistic (soft perceptron)", "SoftPerceptron", "averaged", ("logistic",),
        ),
        Learner(
            "widrow-hoff", rules.WidrowHoff, "Widrow-Hoff", "WidrowHoff", compared=("widrow-hoff",),
            regression=rules.WidrowHoff,
        ),
    )
}  # fmt: skip


KERNEL_RULES = {name: learner.rule for name, learner in LEARNERS.items() if learner.kernels}
KERNEL_VIEWS = ("last", "averaged", "voted", "random")


@dataclass(frozen=True)
class KernelDesign(Design):
    """In which space a kernel learns, by which rule, and which of its weights predict."""

    kernel: str = parameter("rbf", Choice(("linear", "polynomial", "rbf")), help="What multiplies two rows")
    degree: int = parameter(3, Whole(1), help="Of the polynomial (coef0 + x·x′)^degree")
    coef0: float = parameter(1.0, Real(least=0), help="Of the polynomial (coef0 + x·x′)^degree")
    gamma: float | str = parameter(
        "scale",
        AnyOf(Real(above=0), Choice(("scale",))),
        help="Of the RBF exp(−gamma |x − x′|²); scale: 1 / (columns · variance)",
    )
    rule: str = parameter("perceptron", Choice(tuple(KERNEL_RULES)), help="When and how far an example moves the weights")
    score_with: str = parameter("last", Choice(KERNEL_VIEWS), help="Weights that predict")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget is not None and self.score_with != "last":
            raise SettingError(
                f"score_with is {self.score_with!r} with a budget: averages and votes need the examples that have gone. "
                "Choose 'last', or no budget."
            )


@dataclass(frozen=True)
class KernelLearner(Learner):
    """The learner whose weights are a sum of examples, known by their products: it has the parameters of both its rules."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What can be set, by public name."""
        of_rules = {name: one for rule in KERNEL_RULES.values() for name, one in rule.parameters().items()}
        return of_rules | {one.name: one for one in KernelDesign.declared().values()}

    def make_design(self, parameters: dict[str, Any]) -> KernelDesign:
        """The design with those of these parameters that are its own."""
        return KernelDesign(**{name: value for name, value in parameters.items() if name in KernelDesign.declared()})

    def make_rule(self, parameters: dict[str, Any]) -> rules.Rule:
        """The rule that the design names, with these parameters."""
        rule = KERNEL_RULES[self.make_design(parameters).rule]
        own = {name: value for name, value in parameters.items() if name not in KernelDesign.declared()}
        for name in own:
            if name not in rule.parameters():
                raise SettingError(
                    f"{self.name} with the rule {rule.name} has no parameter {name!r}: "
                    f"it has {', '.join([*rule.parameters(), *KernelDesign.declared()])}."
                )
        return rule.from_public(own)


KERNEL = KernelLearner("kernel", rules.Perceptron, "kernel perceptron", "KernelPerceptron")
ALL_LEARNERS: dict[str, Learner] = LEARNERS | {KERNEL.name: KERNEL}

ONCE_LAST = ("logistic",)  # which predicted with its last weights by default: a file that does not say which means those


def learner_called(name: str) -> Learner:
    """The learner of this name.

    >>> learner_called("preceptron")
    Traceback (most recent call last):
    rosenblatt.errors.SettingError: There is no learner 'preceptron': did you mean 'perceptron'? There are perceptron, ...
    """
    if name in ALL_LEARNERS:
        return ALL_LEARNERS[name]
    near = get_close_matches(name, ALL_LEARNERS, 1)
    meant = f"did you mean {near[0]!r}? There are" if near else "choose one of"
    raise SettingError(f"There is no learner {name!r}: {meant} {', '.join(ALL_LEARNERS)}.")


# Files leave these out.
UNNAMED = {
    "regression": False, "metric": "error", "calibrate": False, "threshold": None, "multiclass": "rival", "window": None,
    "shards": None, "mix": "uniform",
}  # fmt: skip


@dataclass(frozen=True)
class Recipe(Settings):
    """Everything that decides what is learned: the learner and its parameters, epochs, order, seed, feature map.

    `average` is None for what the learner's name says. `features` are the options of the feature map. `keep_log` keeps the
    updates and a copy of the rows that made them: votes need them (the learner `voted` has them anyway), and influences.
    `regression` is of a learner of numbers; None: as the target is, a quantity or classes. Its parameters are for targets
    divided by their standard deviation. `metric` is what `patience` watches. `calibrate` gives probabilities from out-of-
    fold scores, or from held-out rows where there are any; these give them anyway, but for logistic, which has its own.
    `threshold` is the probability from which on the second of two classes is predicted; "f1" and "cost:FP,FN" choose it on
    the same rows. `multiclass` is "rest" where each class learns against the rest, not its rival. `window` is how many rows
    on disk are shuffled together; None: all, or as many as fit into memory. `shards` of the rows were learned from side by
    side, and their weights mixed by `mix` (cluster/mixing.py); None: all rows in one run.
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
    regression: bool | None = None
    metric: str = "error"
    calibrate: bool = False
    threshold: float | str | None = None
    multiclass: str = "rival"
    window: int | None = None
    shards: int | None = None
    mix: str = "uniform"

    def learns_numbers(self, labels: Labels) -> bool:
        """Is a quantity to be predicted: as the recipe says or, where it leaves that open, as the labels look?"""
        from rosenblatt.learning.examples import has_quantity

        return self.regression or (self.regression is None and has_quantity(labels))

    def for_numbers(self) -> Recipe:
        """The recipe for a quantity: by averaged weights and, unless another learner is named, passive-aggressive.

        >>> Recipe(epochs=3).for_numbers().compared_name
        'averaged passive-aggressive'
        """
        for name, option in OF_CLASSES.items():
            if getattr(self, name):
                raise SettingError(f"{name} ({option}) is about classes, and the target is a quantity: leave it out.")
        if self.metric != "error":
            raise SettingError(
                f"metric is {self.metric!r}, a measure of classes: numbers are measured by their squared error."
            )
        learner = LEARNER_OF_NUMBERS if self.learner == Recipe.learner else self.learner
        learner_called(learner).for_numbers()  # refuses those of classes
        parameters = USUAL_FOR_NUMBERS.get(learner, {}) | self.parameters
        average = True if self.average is None else self.average
        return replace(self, learner=learner, average=average, parameters=parameters, regression=True)

    def refuse_impossible(self) -> None:
        """Refuses what cannot be, before any data are touched."""
        self.rule()
        self.plan()

    def rule(self) -> rules.Rule:
        """The learner's rule with its parameters."""
        learner = learner_called(self.learner)
        of_numbers = learner.regression is not None and not set(self.parameters) <= set(learner.parameters)
        if self.regression or (self.regression is None and of_numbers):
            learner = learner.for_numbers()
        rule = learner.make_rule(self.parameters)
        if self.keep_log and rule.second_order:
            raise SettingError(
                f"{self.learner} moves along Σx, which is no row: a log of its updates tells neither votes nor influences. "
                "Leave out keep_log (--keep-log), or take another learner."
            )
        if self.keep_log and not learner.keeps_log:
            raise SettingError(f"{self.learner} moves at every example: only mistake-driven learners keep a log.")
        if self.threshold is not None:
            from rosenblatt.learning.threshold import refuse_wrong

            refuse_wrong(self.threshold)
        if self.multiclass == "rest":
            self.refuse_rest(learner, rule)
        return rule

    def refuse_rest(self, learner: Learner, rule: rules.Rule) -> None:
        """Refuses what cannot be where each class learns against the rest."""
        rule.refuse_rest()
        if not learner.learns_against_rest:
            own = " It has multi_class='ovr' (--multi-class ovr)." if self.with_kernel else ""
            raise SettingError(
                f"multiclass is 'rest', which {self.learner} has not: take 'rival' (--multiclass rival).{own}"
            )
        if self.keep_log:
            raise SettingError(
                "multiclass is 'rest', where an example may move every class: a log of such updates tells neither votes nor "
                "influences. Leave out keep_log (--keep-log), or take 'rival' (--multiclass rival)."
            )

    def plan(self) -> Plan:
        return Plan(
            self.epochs, self.order, self.seed, self.fit_intercept, self.averages, self.tol, self.patience,
            keep_log=self.keep_log or self.votes, metric=self.metric, multiclass=self.multiclass,
            window=self.window,
        )  # fmt: skip

    def feature_map(self, kind: str) -> FeatureMap:
        """The feature map for rows of this kind, not yet fitted.

        >>> Recipe(features={"ngrams": 2}).feature_map("text").ngrams
        2
        """
        from rosenblatt.features import FOR_KIND

        options = self.map_options(kind)
        possible = list(signature(FOR_KIND[kind]).parameters)
        if unknown := [name for name in options if name not in possible]:
            others = ", ".join(possible) or "none"
            raise SettingError(f"A feature map of {kind} has no option {unknown[0]!r}: it has {others}.")
        return FOR_KIND[kind](**options)

    def map_options(self, kind: str) -> dict[str, Any]:
        """The options of the feature map for rows of this kind: the recipe's own, and the usual ones."""
        usual = {} if self.with_kernel else USUAL_FEATURES.get(kind, {})
        if "weighting" in usual and self.features.get("hashing") is not None:
            usual = usual | {"weighting": "unit"}  # hashing keeps no words to count texts of
        return usual | self.features

    @property
    def can_keep_log(self) -> bool:
        """Are its updates single rows added to and taken from two classes, as a log has them?"""
        return learner_called(self.learner).keeps_log and self.multiclass == "rival"

    @property
    def with_kernel(self) -> bool:
        """Are the weights a sum of examples, in the space of a kernel?"""
        return self.learner == KERNEL.name

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
        if self.with_kernel and self.average is None:
            return KERNEL.make_design(self.parameters).score_with
        return "voted" if self.votes else "averaged" if self.averages else "last"

    @property
    def compared_name(self) -> str:
        """What `compare` calls this learner."""
        from rosenblatt.learning.learner_names import compared_as

        return self.learner if self.votes else compared_as(self.learner, self.averages)

    def to_json(self) -> dict[str, Any]:
        """What a model file holds; weights of classes are pairs, since labels need not be texts and keys of JSON must."""
        saved = asdict(self)
        for name, usual in UNNAMED.items():  # as files always were
            if saved[name] in (usual, None):
                del saved[name]
        if self.learner in ONCE_LAST and self.average is None:
            saved["average"] = True
        if isinstance(self.class_weight, dict):
            saved["class_weight"] = [[label, factor] for label, factor in self.class_weight.items()]
        return saved

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Recipe:
        """The reverse; older files have a dict of texts."""
        recipe = cls(**saved)
        if recipe.learner in ONCE_LAST and not recipe.regression:
            recipe = replace(recipe, average={None: False, True: None}.get(recipe.average, recipe.average))
        weight = recipe.class_weight
        return replace(recipe, class_weight=dict(map(tuple, weight))) if isinstance(weight, list) else recipe
