"""The neighbours keep scikit-learn's contract."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt import neighbours

CLASSIFIERS = [
    neighbours.BatchPerceptron(),
    neighbours.LogisticAscent(),
    neighbours.RidgeClassifier(),
    neighbours.GaussianBayes(),
    neighbours.GaussianBayes(shared=False),
]
SPARSE = [clf for clf in CLASSIFIERS if getattr(clf, "shared", True)]


@parametrize_with_checks([*CLASSIFIERS, neighbours.RidgeRegressor()])
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)
