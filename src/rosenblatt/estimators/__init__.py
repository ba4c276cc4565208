"""The scikit-learn faces of the learners: the only part of rosenblatt that imports scikit-learn."""

from rosenblatt.estimators.basis import FunctionBasis, PolynomialBasis, RadialBasis
from rosenblatt.estimators.feature_maps import TableFeatures, TextFeatures
from rosenblatt.estimators.mira import Mira
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import AveragedPerceptron, Perceptron
from rosenblatt.estimators.soft_perceptron import SoftPerceptron
from rosenblatt.estimators.widrow_hoff import WidrowHoff, WidrowHoffRegressor

__all__ = [
    "AveragedPerceptron",
    "FunctionBasis",
    "Mira",
    "PassiveAggressive",
    "Perceptron",
    "PolynomialBasis",
    "RadialBasis",
    "SoftPerceptron",
    "TableFeatures",
    "TextFeatures",
    "WidrowHoff",
    "WidrowHoffRegressor",
]
