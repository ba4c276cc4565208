"""Mistake-driven linear learning: the perceptron family, fast, exact and explained.

Names are loaded on first use, so that `import rosenblatt` costs nothing and only the estimators import scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.classifier import Classifier, Recipe, learn, load, save
    from rosenblatt.data import Dataset, read
    from rosenblatt.errors import (
        DataError,
        DivergenceError,
        FileError,
        KernelError,
        LabelError,
        ModelFileError,
        NotFiniteError,
        RosenblattError,
        SaveError,
        SettingError,
        TargetError,
        UncompiledWarning,
    )
    from rosenblatt.estimators import (
        AveragedPerceptron,
        FunctionBasis,
        KernelPerceptron,
        Mira,
        PassiveAggressive,
        Perceptron,
        PolynomialBasis,
        RadialBasis,
        SoftPerceptron,
        TableFeatures,
        TextFeatures,
        VotedPerceptron,
        WidrowHoff,
        WidrowHoffRegressor,
    )
    from rosenblatt.model import Model
    from rosenblatt.rows import OneHot
    from rosenblatt.splits import split
    from rosenblatt.theory.certificate import Certificate
    from rosenblatt.theory.deciding import certify
    from rosenblatt.theory.walk import walk
    from rosenblatt.training import Plan, Training, train

__version__ = "0.1.0"

_HOMES = {
    "rosenblatt.classifier": ["Classifier", "Recipe", "learn", "load", "save"],
    "rosenblatt.data": ["Dataset", "read"],
    "rosenblatt.errors": [
        "DataError",
        "DivergenceError",
        "FileError",
        "KernelError",
        "LabelError",
        "ModelFileError",
        "NotFiniteError",
        "RosenblattError",
        "SaveError",
        "SettingError",
        "TargetError",
        "UncompiledWarning",
    ],
    "rosenblatt.estimators": [
        "AveragedPerceptron",
        "FunctionBasis",
        "KernelPerceptron",
        "Mira",
        "PassiveAggressive",
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
    "rosenblatt.model": ["Model"],
    "rosenblatt.rows": ["OneHot"],
    "rosenblatt.splits": ["split"],
    "rosenblatt.theory.certificate": ["Certificate"],
    "rosenblatt.theory.deciding": ["certify"],
    "rosenblatt.theory.walk": ["walk"],
    "rosenblatt.training": ["Plan", "Training", "train"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AveragedPerceptron",
    "Certificate",
    "Classifier",
    "DataError",
    "Dataset",
    "DivergenceError",
    "FileError",
    "FunctionBasis",
    "KernelError",
    "KernelPerceptron",
    "LabelError",
    "Mira",
    "Model",
    "ModelFileError",
    "NotFiniteError",
    "OneHot",
    "PassiveAggressive",
    "Perceptron",
    "Plan",
    "PolynomialBasis",
    "RadialBasis",
    "Recipe",
    "RosenblattError",
    "SaveError",
    "SettingError",
    "SoftPerceptron",
    "TableFeatures",
    "TargetError",
    "TextFeatures",
    "Training",
    "UncompiledWarning",
    "VotedPerceptron",
    "WidrowHoff",
    "WidrowHoffRegressor",
    "__version__",
    "certify",
    "learn",
    "load",
    "read",
    "save",
    "split",
    "train",
    "walk",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
