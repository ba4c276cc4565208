"""A plugin of pytest: scikit-learn's tests find our estimators under scikit-learn's names."""

import sklearn.linear_model

import rosenblatt


def pytest_configure(config):
    """Only where it is asked for as a plugin: to import this file changes nothing."""
    for name in ("Perceptron", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"):
        ours = getattr(rosenblatt, name)
        # Its tests of averages ask for four private attributes before they measure: views have the same numbers.
        for theirs, view in (("standard", "last"), ("average", "averaged")):
            setattr(ours, f"_{theirs}_coef", property(lambda self, view=view: self.view(view).coef_))
            setattr(ours, f"_{theirs}_intercept", property(lambda self, view=view: self.view(view).intercept_))
        setattr(sklearn.linear_model, name, ours)
