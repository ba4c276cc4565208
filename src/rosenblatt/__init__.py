"""Mistake-driven linear learning: the perceptron family, fast, exact and explained.

Names are loaded on first use, so that `import rosenblatt` costs nothing and only the estimators import scikit-learn.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, which takes longer to load than the rest of Python's start
if TYPE_CHECKING:  # for type checkers, who cannot follow PUBLIC; a test compares the two
    from typing import Any

    from rosenblatt.data import Dataset as Dataset
    from rosenblatt.data import read as read
    from rosenblatt.data.splits import split as split
    from rosenblatt.engine import rules as rules
    from rosenblatt.engine.rows import OneHot as OneHot
    from rosenblatt.errors import DataError as DataError
    from rosenblatt.errors import DivergenceError as DivergenceError
    from rosenblatt.errors import FileError as FileError
    from rosenblatt.errors import KernelError as KernelError
    from rosenblatt.errors import LabelError as LabelError
    from rosenblatt.errors import MissingPartError as MissingPartError
    from rosenblatt.errors import ModelFileError as ModelFileError
    from rosenblatt.errors import NotFiniteError as NotFiniteError
    from rosenblatt.errors import RosenblattError as RosenblattError
    from rosenblatt.errors import SaveError as SaveError
    from rosenblatt.errors import SettingError as SettingError
    from rosenblatt.errors import TargetError as TargetError
    from rosenblatt.errors import UncompiledWarning as UncompiledWarning
    from rosenblatt.errors import WorkerError as WorkerError
    from rosenblatt.estimators import Arow as Arow
    from rosenblatt.estimators import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators import FunctionBasis as FunctionBasis
    from rosenblatt.estimators import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators import Mira as Mira
    from rosenblatt.estimators import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators import PassiveAggressiveClassifier as PassiveAggressiveClassifier
    from rosenblatt.estimators import PassiveAggressiveRegressor as PassiveAggressiveRegressor
    from rosenblatt.estimators import Perceptron as Perceptron
    from rosenblatt.estimators import PolynomialBasis as PolynomialBasis
    from rosenblatt.estimators import RadialBasis as RadialBasis
    from rosenblatt.estimators import SoftPerceptron as SoftPerceptron
    from rosenblatt.estimators import TableFeatures as TableFeatures
    from rosenblatt.estimators import TextFeatures as TextFeatures
    from rosenblatt.estimators import VotedPerceptron as VotedPerceptron
    from rosenblatt.estimators import WidrowHoff as WidrowHoff
    from rosenblatt.estimators import WidrowHoffRegressor as WidrowHoffRegressor
    from rosenblatt.estimators.dask import DaskArow as DaskArow
    from rosenblatt.estimators.dask import DaskAveragedPerceptron as DaskAveragedPerceptron
    from rosenblatt.estimators.dask import DaskMira as DaskMira
    from rosenblatt.estimators.dask import DaskPassiveAggressive as DaskPassiveAggressive
    from rosenblatt.estimators.dask import DaskPerceptron as DaskPerceptron
    from rosenblatt.estimators.dask import DaskSoftPerceptron as DaskSoftPerceptron
    from rosenblatt.estimators.dask import DaskWidrowHoff as DaskWidrowHoff
    from rosenblatt.learning.classifier import Classifier as Classifier
    from rosenblatt.learning.classifier import save as save
    from rosenblatt.learning.learn import learn as learn
    from rosenblatt.learning.learners import Recipe as Recipe
    from rosenblatt.learning.loading import load as load
    from rosenblatt.learning.plan import Plan as Plan
    from rosenblatt.learning.scoring import Model as Model
    from rosenblatt.learning.training import Training as Training
    from rosenblatt.learning.training import train as train
    from rosenblatt.playground.widget import Widget as Widget
    from rosenblatt.theory.certificate import Certificate as Certificate
    from rosenblatt.theory.separability import certify as certify
    from rosenblatt.theory.walk import walk as walk

__version__ = "0.1.0"

PUBLIC = {
    "rosenblatt.data": ["Dataset", "read"],
    "rosenblatt.data.splits": ["split"],
    "rosenblatt.engine": ["rules"],
    "rosenblatt.engine.rows": ["OneHot"],
    "rosenblatt.errors": [
        "DataError",
        "DivergenceError",
        "FileError",
        "KernelError",
        "LabelError",
        "MissingPartError",
        "ModelFileError",
        "NotFiniteError",
        "RosenblattError",
        "SaveError",
        "SettingError",
        "TargetError",
        "UncompiledWarning",
        "WorkerError",
    ],
    "rosenblatt.estimators": [
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
    ],
    "rosenblatt.estimators.dask": [
        "DaskArow",
        "DaskAveragedPerceptron",
        "DaskMira",
        "DaskPassiveAggressive",
        "DaskPerceptron",
        "DaskSoftPerceptron",
        "DaskWidrowHoff",
    ],
    "rosenblatt.learning.classifier": ["Classifier", "save"],
    "rosenblatt.learning.learn": ["learn"],
    "rosenblatt.learning.loading": ["load"],
    "rosenblatt.learning.scoring": ["Model"],
    "rosenblatt.learning.plan": ["Plan"],
    "rosenblatt.learning.learners": ["Recipe"],
    "rosenblatt.learning.training": ["Training", "train"],
    "rosenblatt.playground.widget": ["Widget"],
    "rosenblatt.theory.certificate": ["Certificate"],
    "rosenblatt.theory.separability": ["certify"],
    "rosenblatt.theory.walk": ["walk"],
}
_HOME_OF = {name: home for home, names in PUBLIC.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    home = import_module(_HOME_OF[name])
    value = getattr(home, name, None) or import_module(f"{home.__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
