"""What the lectures set beside the perceptron, to be compared with it on the same rows.

Batch learners, naive Bayes and large margins, all as scikit-learn estimators; nearest neighbours, decision trees and
solvers for large data come from scikit-learn itself.
"""

from rosenblatt.neighbours.batch_perceptron import BatchPerceptron
from rosenblatt.neighbours.descent import Descent, descend
from rosenblatt.neighbours.gaussian_bayes import GaussianBayes
from rosenblatt.neighbours.logistic_ascent import LogisticAscent
from rosenblatt.neighbours.max_margin import MaxMargin
from rosenblatt.neighbours.ridge import RidgeClassifier, RidgeRegressor
from rosenblatt.neighbours.soft_margin import SoftMargin

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
