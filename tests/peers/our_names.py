"""A plugin of pytest: scikit-learn's tests find our estimators under scikit-learn's names."""

import sklearn.linear_model

import rosenblatt
from rosenblatt.engine import rules
from rosenblatt.engine.parameters import AnyOf, Choice, Nothing, Real, parameter
from rosenblatt.estimators.declared import estimator


@estimator
class SGDClassifier(rosenblatt.SoftPerceptron):
    """`SoftPerceptron` with SGD's keywords: `alpha` is `l2`, and the loss is the logistic one."""

    loss: str = parameter("log_loss", Choice(("log_loss",)), help="As SGD names it.")
    penalty: str | None = parameter("l2", AnyOf(Nothing(), Choice(("l2",))), help="As SGD names it.")
    alpha: float = parameter(0.0001, Real(least=0), help="As SGD names it.")
    l1_ratio: float | None = parameter(0.15, Real(least=0, most=1, optional=True), help="Of a penalty that is not here.")
    eta0: float = parameter(0.01, Real(above=0), help="SGD's default.")
    learning_rate: str = parameter("optimal", Choice(("constant", "invscaling", "optimal")), help="SGD's default.")

    def _rule(self):
        l2 = self.alpha if self.penalty else 0.0
        return rules.Logistic(rate=self.eta0, schedule=self.learning_rate, l2=l2, power=self.power_t)


@estimator
class SGDRegressor(rosenblatt.WidrowHoffRegressor):
    """`WidrowHoffRegressor` with SGD's keywords; no penalty, and a constant rate, is what both have."""

    loss: str = parameter("squared_error", Choice(("squared_error",)), help="As SGD names it.")
    penalty: None = parameter(None, Nothing(), help="There is none.")
    alpha: float = parameter(0.0001, Real(least=0), help="Of the penalty; there is none, so it means nothing.")
    l1_ratio: float | None = parameter(0.15, Real(least=0, most=1, optional=True), help="The same.")


OURS = [rosenblatt.Perceptron, rosenblatt.PassiveAggressiveClassifier, rosenblatt.PassiveAggressiveRegressor]


def pytest_configure(config):
    """Only where it is asked for as a plugin: to import this file changes nothing."""
    config.addinivalue_line("markers", "no_check_spmatrix: a mark of scikit-learn's")
    for ours in (*OURS, SGDClassifier, SGDRegressor):
        # Its tests of averages ask for four private attributes before they measure: views have the same numbers.
        for theirs, view in (("standard", "last"), ("average", "averaged")):
            setattr(ours, f"_{theirs}_coef", property(lambda self, view=view: self.view(view).coef_))
            setattr(ours, f"_{theirs}_intercept", property(lambda self, view=view: self.view(view).intercept_))
        setattr(sklearn.linear_model, ours.__name__, ours)
