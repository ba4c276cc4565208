"""The scikit-learn faces of the learners: the only part of rosenblatt that imports scikit-learn."""

from rosenblatt.estimators.feature_maps import FunctionBasis, PolynomialBasis, RadialBasis, TableFeatures, TextFeatures
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.learners import (
    Arow,
    AveragedPerceptron,
    Mira,
    PassiveAggressive,
    PassiveAggressiveClassifier,
    Perceptron,
    SoftPerceptron,
    VotedPerceptron,
    WidrowHoff,
)
from rosenblatt.estimators.regressors import PassiveAggressiveRegressor, WidrowHoffRegressor

__all__ = [
    "Arow",
    "AveragedPerceptron",
    "FunctionBasis",
    "KernelPerceptron",
    "Mira",
    "PassiveAggressive",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "Perceptron",
    "PolynomialBasis",
    "RadialBasis",
    "SoftPerceptron",
    "TableFeatures",
    "TextFeatures",
    "VotedPerceptron",
    "WidrowHoff",
    "WidrowHoffRegressor",
]
