"""What the lectures set beside the perceptron, to be compared with it on the same rows.

Batch learners, naive Bayes and large margins, all as scikit-learn estimators; nearest neighbours, decision trees and
solvers for large data come from scikit-learn itself.
"""

from rosenblatt.estimators.neighbours.batch import BatchPerceptron, LogisticAscent
from rosenblatt.estimators.neighbours.descent import Descent, descend
from rosenblatt.estimators.neighbours.gaussian_bayes import GaussianBayes
from rosenblatt.estimators.neighbours.large_margin import MaxMargin, SoftMargin
from rosenblatt.estimators.neighbours.ridge import RidgeClassifier, RidgeRegressor

__all__ = [
    "BatchPerceptron",
    "Descent",
    "GaussianBayes",
    "LogisticAscent",
    "MaxMargin",
    "RidgeClassifier",
    "RidgeRegressor",
    "SoftMargin",
    "descend",
]
